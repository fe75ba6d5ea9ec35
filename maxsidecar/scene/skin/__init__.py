"""Skin, Physique and Morpher: what they store, and what it means for the vertices of a mesh.

Geometry is evaluated without them (:mod:`maxsidecar.scene.modifiers.identity`); who exports a skin
or morph targets asks :mod:`.bindings` and :mod:`.targets` for neutral records.  What is stored is
told in docs/format/skin.md.
"""
