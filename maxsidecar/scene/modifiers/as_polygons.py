"""What modifiers that work on polygon meshes get."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall
from maxsidecar.scene.geometry.polygons import to_polygons
from maxsidecar.scene.geometry.primitives.polygon_forms import polygon_form

__all__ = ["as_polygons"]

#: Version of a primitive: old ones have none.
_VERSION: Final = 0x0100


def as_polygons(geometry: Geometry, call: ModifierCall) -> Mesh:
    """Return the polygon mesh that 3ds Max gives a modifier.

    Primitives right below make their polygons themselves; triangles are joined else.

    Args:
        geometry: What is below the modifier.
        call: The modifier's call.

    Raises:
        NotSupportedError: The geometry has no surface.
    """
    mesh = call.convert(geometry)
    below = call.derived.stands_on
    if mesh.is_polygons or below is None or below.class_id is None:
        return to_polygons(mesh)
    if call.evaluator.object(below).geometry is not geometry:
        return to_polygons(mesh)
    key = below.class_id.a, below.class_id.b
    return polygon_form(key, mesh, early=below.find(_VERSION) is None)
