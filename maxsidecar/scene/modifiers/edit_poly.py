"""Edit Poly: does again, one by one, what was done to a polygon mesh by hand."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.mesh import Selection
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.modifiers import (
    edit_poly_bridge,
    edit_poly_chamfer,
    edit_poly_connect,
    edit_poly_extrude,
    edit_poly_faces,
    edit_poly_remove,
    edit_poly_shape,
    edit_poly_smooth,
    edit_poly_weld,
)
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.edit_poly_records import (
    OPERATIONS,
    Operation,
    bit_values,
    read_operations,
)
from maxsidecar.scene.modifiers.edit_poly_views import EDIT_POLY, EditPoly
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork
from maxsidecar.scene.modifiers.spaces import check_corners
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["edit_poly"]

#: Modules whose operations register when they are imported.
_MODULES: Final = (
    edit_poly_bridge,
    edit_poly_chamfer,
    edit_poly_connect,
    edit_poly_extrude,
    edit_poly_faces,
    edit_poly_remove,
    edit_poly_shape,
    edit_poly_smooth,
    edit_poly_weld,
)
#: Level of the mesh by level of the modifier: object, vertex, edge, border, polygon, element.
_LEVELS: Final = ("object", "vertex", "edge", "edge", "face", "face")
#: Selections of vertices, edges and faces behind the last operation.
_SELECTIONS: Final = ((0x0200, "vertices"), (0x0210, "edges"), (0x0220, "faces"))


@modifier(EDIT_POLY)
def edit_poly(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make a polygon mesh, and do the stored operations on it."""
    obj, mesh = call.obj, as_polygons(geometry, call)
    context = None if call.context is None else call.context.container()
    local = local_container(context)
    if local is None or not isinstance(obj, EditPoly):
        return mesh  # nothing was edited
    work, operations = PolyWork.of(mesh), read_operations(local)
    for place, operation in enumerate(operations):
        try:
            # Numbers in a file may be anything; what comes of them is looked at behind it.
            with np.errstate(all="ignore"):
                _apply(work, operation)
        except NotSupportedError as error:
            where = f"operation {place + 1} of {len(operations)}, {operation.name}"
            raise NotSupportedError(f"{where}: {error}") from None
    selection = _selection(obj, local, work, checked=bool(operations))
    for note in work.notes:
        call.approximate(note)
    return work.mesh(selection)


def _apply(work: PolyWork, operation: Operation) -> None:
    function = OPERATIONS.get(operation.number)
    if function is None:
        raise NotSupportedError("this operation is not evaluated")
    work.spend(len(work.faces.corners) + len(work.ends))
    dead, count = work.dead, len(work.faces.degrees)
    function(work, operation)
    check_corners(len(work.faces.corners))
    if work.dead and work.dead == dead and len(work.faces.degrees) != count:
        raise NotSupportedError(
            "no file proves the numbers of faces beside those that were divided"
        )
    if not np.isfinite(work.positions).all():
        raise NotSupportedError("vertices have no finite place")


def _selection(obj: EditPoly, local: Chunk, work: PolyWork, *, checked: bool) -> Selection:
    """Return what is selected; its sizes say whether the operations gave the right mesh.

    Raises:
        NotSupportedError: They did not, or the level is not known.
    """
    if obj.level >= len(_LEVELS):
        raise NotSupportedError(f"its level {obj.level} is not known")
    found = []
    for (chunk_id, kind), count in zip(_SELECTIONS, work.counts, strict=True):
        bits = bit_values(local.find(chunk_id))
        if bits is not None and len(bits) != count:
            if checked and len(bits):
                raise NotSupportedError(
                    f"its operations should leave {len(bits)} {kind}, and there are {count}"
                )
            bits = None
        if bits is not None and kind == "faces" and work.slots is not None:
            bits = bits[work.slots]
        found.append(bits if bits is not None and np.any(bits) else None)
    vertices, edges, faces = found
    corners = None if edges is None else edges[work.faces.sides]
    return Selection(_LEVELS[obj.level], vertices, faces, corners)
