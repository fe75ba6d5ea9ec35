"""Triangle meshes: the chunks of an Editable Mesh to the neutral record.

Layout: docs/format/mesh.md, section 2.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import I32, U32
from maxsidecar.scene.geometry.mesh import COLOR, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.stored.layouts import TRI_MESH
from maxsidecar.scene.geometry.stored.leaves import bits_of, check_range, decode
from maxsidecar.scene.geometry.stored.normal_specs import read_normal_spec
from maxsidecar.scene.geometry.stored.tables import Table

__all__ = ["SELECTION_LEVELS", "read_tri"]

VERTICES, FACES, LEVEL = 0x0914, 0x0912, 0x092A
CHANNEL, MAP_VERTICES, MAP_FACES = 0x0959, 0x2394, 0x2396
SELECTED_VERTICES, SELECTED_FACES, SELECTED_EDGES = 0x092C, 0x092D, 0x092E
NORMALS: Final = 0x23A0
#: Map vertices and map faces of files that have no list of channels.
EARLY_MAPS: Final = {0x0916: 1, 0x0938: COLOR}
EARLY_MAP_FACES: Final = {0x0918: 1, 0x0942: COLOR}
SELECTION_LEVELS: Final = {1: "object", 2: "vertex", 4: "face", 8: "edge"}


def _table(chunk: Chunk) -> Table:
    value: Any = decode(chunk, TRI_MESH.leaves[chunk.id][1])
    if not isinstance(value, Table):
        raise DecodeError("not a table", chunk.where)
    return value


def read_tri(container: Chunk) -> Mesh:
    """Return the mesh in a container.

    Raises:
        DecodeError: It is not stored as is known.
        ChunkError: The container is damaged.
    """
    found: dict[int, Chunk] = {}
    maps: dict[int, list[Chunk | None]] = {}
    channel = 0
    for chunk in container.chunks():
        if chunk.id == CHANNEL:
            channel = decode(chunk, I32)
        elif chunk.id in (MAP_VERTICES, MAP_FACES):
            maps.setdefault(channel, [None, None])[chunk.id == MAP_FACES] = chunk
        elif chunk.id in EARLY_MAPS:
            maps.setdefault(EARLY_MAPS[chunk.id], [None, None])[0] = chunk
        elif chunk.id in EARLY_MAP_FACES:
            maps.setdefault(EARLY_MAP_FACES[chunk.id], [None, None])[1] = chunk
        else:
            found.setdefault(chunk.id, chunk)
    for chunk_id in (VERTICES, FACES):
        if chunk_id not in found:
            raise DecodeError("the mesh lacks a chunk", container.where, expected=f"{chunk_id:04x}")
    positions = _table(found[VERTICES]).array.copy()
    faces = _table(found[FACES]).array
    check_range("a vertex", faces[:, :3], len(positions), found[FACES])
    mesh = Mesh.of_triangles(
        positions,
        faces[:, :3],
        smoothing=faces[:, 3],
        material_ids=faces[:, 4] >> 16,
        edge_flags=faces[:, 4] & 7,
    )
    for number, (vertices, corners) in maps.items():
        if vertices is not None and corners is not None:
            mapping = _mapping(vertices, corners, len(faces))
            if mapping is not None:
                mesh.maps[number] = mapping
    mesh.selection = _selection(found, mesh)
    if NORMALS in found:
        count = len(faces)
        mesh.normals = read_normal_spec(
            found[NORMALS].data, np.full(count, 3, np.int64), np.ones(count, bool)
        )
        if not np.any(mesh.normals.corners >= 0):
            mesh.normals = None
    return mesh


def _mapping(vertices: Chunk, corners: Chunk, faces: int) -> MapChannel | None:
    points, rows = _table(vertices).array, _table(corners).array
    if not len(rows) and faces:
        return None
    if len(rows) != faces:
        raise DecodeError(
            "a map channel has another number of faces",
            corners.where,
            expected=faces,
            found=len(rows),
        )
    check_range("a map vertex", rows, len(points), corners)
    return MapChannel(points.copy(), rows.astype(np.int32).reshape(-1))


def _selection(found: dict[int, Chunk], mesh: Mesh) -> Selection:
    level = decode(found[LEVEL], U32) if LEVEL in found else 1
    faces = mesh.polygon_count
    counts = {
        SELECTED_VERTICES: len(mesh.positions),
        SELECTED_FACES: faces,
        SELECTED_EDGES: 3 * faces,
    }
    bits = {
        chunk_id: bits_of(found[chunk_id], count) if chunk_id in found else None
        for chunk_id, count in counts.items()
    }
    return Selection(
        level=SELECTION_LEVELS.get(level, "object"),
        vertices=bits[SELECTED_VERTICES],
        polygons=bits[SELECTED_FACES],
        corners=bits[SELECTED_EDGES],
    )
