"""Parametric and compound objects, built as 3ds Max builds them.

Vertices and faces come in its order, with its smoothing groups, material ids, edge flags and map
coordinates; docs/format/primitives.md says what proves each class.
"""
