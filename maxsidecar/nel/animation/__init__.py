"""Animations of the game from the keys of scenes."""
