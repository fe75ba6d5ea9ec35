"""Generators of shapes that hold their splines, and of those that have none."""

from __future__ import annotations

from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.shapes.rendering import finished
from maxsidecar.scene.geometry.shapes.shape_views import (
    EDITABLE_SPLINE_ID,
    LINE_ID,
    SHAPE,
    StoredShape,
)
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.objects import SceneObject

__all__ = ["stored_shape"]


@generator(LINE_ID, EDITABLE_SPLINE_ID, superclass=SHAPE)
def stored_shape(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return the splines of a Line or an Editable Spline."""
    shape = obj.read_shape() if isinstance(obj, StoredShape) else None
    if shape is None or not isinstance(obj, StoredShape):
        raise NotSupportedError("the object holds no splines")
    if obj.has_point_controllers:
        call.approximate("controllers of its vertices are not evaluated")
    return finished(obj, call, shape)
