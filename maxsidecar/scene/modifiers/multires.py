"""MultiRes: a mesh of fewer vertices; with all of them it is the mesh below."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import U32
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["MULTI_RES", "multi_res"]

MULTI_RES: Final = (0x6A9E4C6B, 0x494744DD)

_SOURCE, _CURRENT = 0x0000, 0x0002
#: The source begins with a text of 32 bytes, then come its numbers of vertices and faces.
_TEXT, _HEAD = 32, 40


@modifier(MULTI_RES)
def multi_res(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the triangles below where no vertex is left out (docs/format/edit-poly.md)."""
    mesh = to_triangles(call.convert(geometry))
    local = local_container(None if call.context is None else call.context.container())
    source = None if local is None else local.find(_SOURCE)
    current = None if local is None else local.find(_CURRENT)
    if source is None or source.container or current is None or len(source.data) < _HEAD:
        raise NotSupportedError("it does not tell what it was made of")
    made_of = tuple(int.from_bytes(source.data[at : at + 4], "little") for at in (_TEXT, _TEXT + 4))
    there = len(mesh.positions), mesh.polygon_count
    if made_of != there:
        raise NotSupportedError(
            f"it was made for {made_of[0]} vertices and {made_of[1]} faces, and there are "
            f"{there[0]} and {there[1]}"
        )
    left = decode(current, U32)
    if left != made_of[0]:
        raise NotSupportedError(f"it leaves {left} of {made_of[0]} vertices")
    call.approximate("no file proves the order of its vertices and faces")
    return mesh
