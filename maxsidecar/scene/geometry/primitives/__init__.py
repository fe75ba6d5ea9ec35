"""Parametric objects, built as 3ds Max builds them: same vertices, faces, ids and mapping."""
