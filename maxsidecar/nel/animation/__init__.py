"""Animations of the game from the keys of scenes.

``collect`` says which nodes have which tracks, under which names and in which order. It asks
``keyframers`` for the tracks of controllers with keys, ``samples`` for those of bipeds (with
``bone_scale``), ``extras`` for what moves besides places (which it finds with ``lookup``), and
``spawn`` for the scripts in notes.
"""
