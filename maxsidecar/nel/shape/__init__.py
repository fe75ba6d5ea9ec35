"""Shapes of the game from the nodes of a scene: :func:`export_shape` says what a node becomes.

The rules are those of NeL's own 3ds Max plug-in (spec: nel-export-rules, sections 3 and 9; what was
measured is in docs/format/nel.md).
"""

from __future__ import annotations

from maxsidecar.nel.shape.dispatch import ShapeExporter, export_shape
from maxsidecar.nel.shape.result import ShapeOptions, ShapeResult

__all__ = ["ShapeExporter", "ShapeOptions", "ShapeResult", "export_shape"]
