"""New chunks of an Unwrap UVW, for those who turn other mapping modifiers into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.unwrap_records import UnwrapFaces, UnwrapVertices, edge_count
from maxsidecar.scene.modifiers.unwrap_views import (
    EARLY_FACES,
    EARLY_VERTICES,
    FACES,
    VERTICES,
    nothing_selected,
)

__all__ = ["LATE", "UnwrapChunks", "unwrap_chunks"]

#: From this Scene root id on (2010), the map belongs to the object instead of the modifier.
LATE: Final = 0x2014
_BITS: Final = 0x2700


@dataclass(slots=True)
class UnwrapChunks:
    """What an Unwrap UVW keeps of a map.

    Attributes:
        modifier: Own chunks of the modifier, settings of the program left out.
        local: Chunks of container 2512 in its context on the object.
    """

    modifier: list[ChunkTree]
    local: list[ChunkTree]


def unwrap_chunks(
    mesh: Mesh,
    coordinates: npt.ArrayLike,
    corners: npt.ArrayLike,
    *,
    version: int,
    channel: int = 1,
) -> UnwrapChunks:
    """Return the chunks of an Unwrap UVW that puts a map on a mesh.

    The chunks, their order and their sizes are those that 3ds Max wrote on all records of the
    corpus; nothing is selected.

    Args:
        mesh: What is below the modifier: polygons or triangles.
        coordinates: (n, 3) map vertices.
        corners: (c,) index into them for each corner of the mesh.
        version: Id of the root chunk of the scene, which tells the release.
        channel: Number of the map channel.

    Raises:
        EditError: The corners do not fit the mesh or the coordinates.
    """
    vertices = UnwrapVertices.of(coordinates, early=version < LATE)
    index = np.asarray(corners, np.int64)
    count = len(vertices.flags)
    if index.shape != (len(mesh.corners),):
        raise EditError("one map vertex for each corner", expected=f"({len(mesh.corners)},)")
    if len(index) and (int(index.min()) < 0 or int(index.max()) >= count):
        raise EditError("a corner of a map vertex that is not there", expected=f"less than {count}")
    faces = UnwrapFaces.of(mesh.degrees, index, mesh.corners, mesh.material_ids)
    number = {0: 1, 1: 0}.get(channel, channel)
    points = np.ascontiguousarray(mesh.positions, "<f4")

    def bits(size: int) -> list[ChunkTree]:
        return [(_BITS, nothing_selected(size, version))]

    settings: list[ChunkTree] = [(0x0260, _word(number))]
    if version < LATE:
        own: list[ChunkTree] = [
            (0x0100, _word(count)),
            (0x0270, EARLY_VERTICES.encode(vertices)),
            (0x0230, _word(len(faces.degrees))),
            (0x0310, EARLY_FACES.encode(faces)),
            (0x0120, bits(count)),
            *settings,
            (0x0320, _word(len(points))),
            (0x0330, points.tobytes()),
        ]
        return UnwrapChunks(own, [(0x0210, bits(len(faces.degrees)))])
    groups: npt.NDArray[Any] = np.full(len(faces.degrees), -1, "<i4")
    local: list[ChunkTree] = [
        (0x0860, VERTICES.encode(vertices)),
        (0x0870, FACES.encode(faces)),
        (0x0330, _word(len(points)) + points.tobytes()),
        (0x0120, bits(count)),
        (0x0880, bits(len(points))),
        (0x0810, bits(edge_count(faces.degrees, faces.corners))),
        (0x0800, bits(edge_count(faces.degrees, faces.vertices))),
        (0x0820, bits(len(faces.degrees))),
        (0x0770, b""),
        (0x0930, _word(len(groups)) + groups.tobytes()),
    ]
    return UnwrapChunks(settings, local)


def _word(value: int) -> bytes:
    return value.to_bytes(4, "little")
