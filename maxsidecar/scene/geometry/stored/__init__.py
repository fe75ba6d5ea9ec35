"""Meshes and patches as scenes store them: chunk layouts, views, reading and writing.

Modules whose names begin with ``read`` make geometry of views and are imported at the first
evaluation; nothing here imports numpy before that.
"""
