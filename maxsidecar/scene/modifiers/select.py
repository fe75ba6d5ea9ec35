"""Mesh Select, Volume Select and Select By Channel: what the modifiers above work on."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Mesh, Selection
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.stored.leaves import bits_of
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.select_views import (
    MESH_SELECT,
    POLY_SELECT,
    MeshSelect,
    PolySelect,
)
from maxsidecar.scene.modifiers.uvw_space import numbers_of
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["mesh_select", "poly_select", "select_by_channel", "volume_select"]

Bits: TypeAlias = npt.NDArray[np.bool_]

VOLUME_SELECT: Final = (0xF8611, 0)
SELECT_BY_CHANNEL: Final = (0x31F9C666, 0x3B4A588)
#: Level of the mesh by level of the modifier: object, vertex, edge, face, polygon, element.
_LEVELS: Final = ("object", "vertex", "edge", "face", "face", "face")
#: Object, vertex, edge, border, polygon, element.
_POLY_LEVELS: Final = ("object", "vertex", "edge", "edge", "face", "face")
_VERTICES, _FACES, _EDGES = 0x0200, 0x0210, 0x0220
#: Parameter of Volume Select.
_LEVEL: Final = 0
#: Parameter of soft selection.
_SOFT: Final = 0


@modifier(MESH_SELECT)
def mesh_select(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make a triangle mesh, and select in it."""
    obj, mesh = call.obj, to_triangles(call.convert(geometry))
    if not isinstance(obj, MeshSelect):
        raise NotSupportedError("it is no Mesh Select")
    level = obj.level
    if level >= len(_LEVELS):
        raise NotSupportedError(f"its level {level} is not known")
    context = None if call.context is None else call.context.container()
    local = local_container(context)
    soft = next((block.get(_SOFT) for block in obj.param_blocks), None)
    if soft is not None and soft.value and _LEVELS[level] == "vertex":
        call.approximate("its soft selection is left out")
    selection = Selection(
        _LEVELS[level],
        vertices=_bits(local, _VERTICES, len(mesh.positions)),
        polygons=_bits(local, _FACES, mesh.polygon_count),
        corners=_bits(local, _EDGES, len(mesh.corners)),
    )
    return replace(mesh, selection=selection)


def _bits(local: Chunk | None, chunk_id: int, count: int) -> Bits | None:
    """Return what is selected; nothing where the bits are for another mesh.

    Raises:
        NotSupportedError: Bits are set, and for another number of things.
    """
    chunk = None if local is None else local.find(chunk_id)
    if chunk is None:
        return None
    found = bits_of(chunk, count)
    if found is None:
        raise NotSupportedError(f"it selects in a mesh that has not {count} of a kind")
    return found


@modifier(POLY_SELECT)
def poly_select(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make a polygon mesh, and select in it."""
    obj, mesh = call.obj, as_polygons(geometry, call)
    if not isinstance(obj, PolySelect):
        raise NotSupportedError("it is no Poly Select")
    level = obj.level
    if level >= len(_POLY_LEVELS):
        raise NotSupportedError(f"its level {level} is not known")
    call.approximate("no file at hand proves what it selects")
    local = local_container(None if call.context is None else call.context.container())
    edges = edge_list(mesh)
    bits = _bits(local, _EDGES, len(edges.vertices))
    selection = Selection(
        _POLY_LEVELS[level],
        vertices=_bits(local, _VERTICES, len(mesh.positions)),
        polygons=_bits(local, _FACES, mesh.polygon_count),
        corners=None if bits is None else bits[edges.of_corner] & (edges.of_corner >= 0),
    )
    return replace(mesh, selection=selection)


@modifier(SELECT_BY_CHANNEL)
def select_by_channel(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Leave the shape as it is; the vertex selection that it stores elsewhere is left out."""
    call.approximate("the selection that it makes is left out")
    return geometry


@modifier(VOLUME_SELECT)
def volume_select(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Select the whole object; a volume is not known."""
    if numbers_of(call, _LEVEL).get(_LEVEL, 1.0):
        raise NotSupportedError("no file proves which vertices or faces its volume selects")
    if isinstance(geometry, Mesh):
        return replace(geometry, selection=replace(geometry.selection, level=_LEVELS[0]))
    return geometry
