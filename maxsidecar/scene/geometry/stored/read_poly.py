"""Polygon meshes: the chunks of an Editable Poly to the neutral record.

Layout: docs/format/mesh.md, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import I32, U32
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.stored import ragged_arrays as ragged
from maxsidecar.scene.geometry.stored import ragged_records as records
from maxsidecar.scene.geometry.stored.early_faces import read_early_faces
from maxsidecar.scene.geometry.stored.layouts import POLY_MESH
from maxsidecar.scene.geometry.stored.leaves import check_range, decode
from maxsidecar.scene.geometry.stored.normal_specs import read_normal_spec
from maxsidecar.scene.geometry.stored.ragged import EDGES, FACES, VERTICES
from maxsidecar.scene.geometry.stored.tables import Table, Weights
from maxsidecar.scene.geometry.stored.walk import Ints, ragged_index
from maxsidecar.scene.geometry.triangulate import default_diagonals, triangulate

__all__ = ["StoredPolygons", "read_poly", "read_polygons"]

VERTEX_CHUNK, EARLY_EDGES, EDGE_CHUNK = 0x0100, 0x0108, 0x010A
EARLY_FACE_COUNT, EARLY_FACE, EARLY_FACE_BODY, FACE_CHUNK = 0x0110, 0x0114, 0x0118, 0x011A
CHANNEL, MAP_VERTICES, MAP_FACES, LEVEL = 0x0124, 0x0128, 0x012B, 0x0130
VERTEX_WEIGHTS, EDGE_WEIGHTS, NORMALS = 0x0210, 0x0250, 0x0300
SOFT_SELECTION, CREASE = 0, 1
SELECTED: Final = 1
INVISIBLE: Final = 0x100
SELECTION_LEVELS: Final = {0: "object", 1: "vertex", 2: "edge", 3: "face"}


@dataclass(slots=True)
class StoredPolygons:
    """A polygon mesh with the numbers that its file uses, dead elements included.

    Attributes:
        vertices: Flags and positions.
        edges: Flags and vertices.
        faces: Faces.
        visible: (c,) bool per corner, where the faces say it themselves (files up to 5).
        selected: (c,) bool per corner, likewise.
        maps: Map vertices, and their numbers for each corner of all faces, by channel.
        chunks: The other chunks by id, the first of each.
        weights: Numbers for each vertex by slot, then for each edge by slot.
    """

    vertices: records.Components
    edges: records.Components
    faces: records.FaceRecords
    visible: npt.NDArray[np.bool_] | None
    selected: npt.NDArray[np.bool_] | None
    maps: dict[int, tuple[npt.NDArray[np.float32], records.Lists]]
    chunks: dict[int, Chunk]
    weights: tuple[dict[int, Weights], dict[int, Weights]]


def read_polygons(container: Chunk) -> StoredPolygons:
    """Return the polygon mesh in a container, with the numbers that the file uses.

    Raises:
        DecodeError: It is not stored as is known.
        ChunkError: The container is damaged.
    """
    found: dict[int, Chunk] = {}
    channel, maps = 0, dict[int, list[Chunk | None]]()
    weights: tuple[dict[int, Weights], dict[int, Weights]] = ({}, {})
    first_face: Chunk | None = None
    last_face: Chunk | None = None
    for chunk in container.chunks():
        if chunk.id == CHANNEL:
            channel = decode(chunk, I32)
        elif chunk.id in (MAP_VERTICES, MAP_FACES):
            maps.setdefault(channel, [None, None])[chunk.id == MAP_FACES] = chunk
        elif chunk.id in (VERTEX_WEIGHTS, EDGE_WEIGHTS):
            value: Weights = decode(chunk, POLY_MESH.leaves[chunk.id][1])
            weights[chunk.id == EDGE_WEIGHTS].setdefault(value.slot, value)
        elif chunk.id in (EARLY_FACE, EARLY_FACE_BODY):
            first_face = first_face or chunk
            last_face = chunk
        else:
            found.setdefault(chunk.id, chunk)
    if VERTEX_CHUNK not in found:
        raise DecodeError("the mesh has no vertices", container.where, expected="0100")
    visible = selected = None
    if FACE_CHUNK in found:
        faces = decode(found[FACE_CHUNK], FACES)
    else:
        count = decode(found[EARLY_FACE_COUNT], U32) if EARLY_FACE_COUNT in found else 0
        run = memoryview(b"")
        if first_face is not None and last_face is not None:
            run = memoryview(container.owner.data)[first_face.start : last_face.end]
        faces, visible, selected = read_early_faces(run, count)
    return StoredPolygons(
        decode(found[VERTEX_CHUNK], VERTICES),
        _edges(found),
        faces,
        visible,
        selected,
        _maps(maps, faces),
        found,
        weights,
    )


def _edges(found: dict[int, Chunk]) -> records.Components:
    if EDGE_CHUNK in found:
        return decode(found[EDGE_CHUNK], EDGES)
    rows = np.zeros((0, 6), np.int32)
    if EARLY_EDGES in found:
        table: Table = decode(found[EARLY_EDGES], POLY_MESH.leaves[EARLY_EDGES][1])
        rows = table.array
    words = np.ascontiguousarray(rows).view(np.uint32)
    return records.Components(words[:, 0], words[:, 1:3])


def _maps(
    maps: dict[int, list[Chunk | None]], faces: records.FaceRecords
) -> dict[int, tuple[npt.NDArray[np.float32], records.Lists]]:
    out: dict[int, tuple[npt.NDArray[np.float32], records.Lists]] = {}
    for channel, (vertices, corners) in maps.items():
        if vertices is None or corners is None or corners.container:
            continue
        table: Table = decode(vertices, POLY_MESH.leaves[MAP_VERTICES][1])
        try:
            lists = ragged.decode_lists(corners.data, faces.degrees)
        except DecodeError as error:
            raise error.locate(**_place(corners)) from None
        if not len(lists.lengths) and len(faces.degrees):
            continue
        # The list of a dead face may be that of the face it once was.
        alive = faces.alive
        if len(lists.lengths) != len(faces.degrees) or not np.array_equal(
            lists.lengths[alive], faces.degrees[alive]
        ):
            raise DecodeError("the faces of a map channel are other ones", corners.where)
        out[channel] = table.array, lists
    return out


def _place(chunk: Chunk) -> dict[str, object]:
    where = chunk.where
    return {
        "file": where.file,
        "stream": where.stream,
        "path": where.path,
        "offset": where.offset,
    }


def read_poly(container: Chunk, report: Callable[[str], None] | None = None) -> Mesh:
    """Return the mesh in a container, without its dead vertices, edges and faces.

    Args:
        container: The container.
        report: Called with what is not as 3ds Max has it: polygons that store no sound diagonals
            are divided by their shape.

    Raises:
        DecodeError: It is not stored as is known.
        ChunkError: The container is damaged.
    """
    stored = read_polygons(container)
    faces = stored.faces
    alive = faces.alive
    offsets = np.cumsum(faces.degrees) - faces.degrees
    kept = ragged_index(offsets[alive], faces.degrees[alive])
    renumber, positions = _living_vertices(stored.vertices)
    check_range("a vertex", faces.vertices[kept], len(renumber), stored.chunks[VERTEX_CHUNK])
    corners = renumber[faces.vertices[kept]]
    check_range("a dead vertex", corners, len(positions), stored.chunks[VERTEX_CHUNK])
    starts = np.append(0, np.cumsum(faces.degrees[alive]))
    triangles, polygons, guessed = _triangles(stored, positions, corners, starts)
    if guessed and report is not None:
        report(f"{guessed} polygons have no sound diagonals, and are divided by their shape")
    mesh = Mesh(
        positions=positions,
        corners=corners,
        starts=starts.astype(np.int32),
        material_ids=faces.materials[alive].astype(np.int32),
        smoothing=faces.smoothing[alive],
        edge_visible=np.ones(len(corners), bool),
        triangles=triangles,
        triangle_polygons=polygons,
        is_polygons=True,
    )
    for channel, (points, lists) in stored.maps.items():
        at = np.cumsum(lists.lengths) - lists.lengths
        items = lists.items[ragged_index(at[alive], lists.lengths[alive])]
        check_range("a map vertex", items, len(points), container)
        mesh.maps[channel] = MapChannel(points.copy(), items.astype(np.int32))
    _add_edges(mesh, stored, renumber, kept)
    if NORMALS in stored.chunks:
        mesh.normals = read_normal_spec(stored.chunks[NORMALS].data, faces.degrees, alive)
        if not np.any(mesh.normals.corners >= 0):
            mesh.normals = None
    return mesh


def _living_vertices(
    vertices: records.Components,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    alive = vertices.alive
    renumber = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
    return renumber, vertices.values[alive].astype(np.float32)


def _triangles(
    stored: StoredPolygons,
    positions: npt.NDArray[np.float32],
    corners: npt.NDArray[np.int32],
    starts: Ints,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    """Return the triangles by the stored diagonals, and how many polygons have no sound ones."""
    faces = stored.faces
    alive = faces.alive
    degrees = faces.degrees[alive]
    counts = faces.diagonal_counts
    at = np.cumsum(counts) - counts
    needed = np.maximum(degrees - 3, 0)
    stored_counts = counts[alive]
    lacking = stored_counts != needed
    if not np.any(lacking):
        pairs = faces.diagonals[ragged_index(at[alive], stored_counts)].astype(np.int64)
    else:
        pairs = default_diagonals(positions, corners, starts).astype(np.int64)
        goal = np.cumsum(needed) - needed
        have = ~lacking
        pairs[ragged_index(goal[have], needed[have])] = faces.diagonals[
            ragged_index(at[alive][have], stored_counts[have])
        ]
    triangles, polygons, sound = triangulate(starts, pairs)
    if not np.all(sound):
        own = default_diagonals(positions, corners, starts).astype(np.int64)
        first = np.cumsum(needed) - needed
        bad = ragged_index(first[~sound], needed[~sound])
        pairs[bad] = own[bad]
        triangles, polygons, _ = triangulate(starts, pairs)
    return triangles, polygons, int(np.sum(lacking | ~sound))


def _add_edges(
    mesh: Mesh, stored: StoredPolygons, renumber: npt.NDArray[np.int32], kept: Ints
) -> None:
    """Fill in edges, visibility and selection."""
    edges, faces = stored.edges, stored.faces
    chunk = stored.chunks.get(EDGE_CHUNK) or stored.chunks.get(EARLY_EDGES)
    alive = edges.alive
    ends = edges.values[alive]
    if chunk is not None:
        check_range("a vertex", ends.reshape(-1), len(renumber), chunk)
    pairs = renumber[ends]
    flags = edges.flags[alive].astype(np.uint32)
    edge_weights = stored.weights[1].get(CREASE)
    crease = None
    if edge_weights is not None and len(edge_weights.values) == len(alive):
        crease = edge_weights.values[alive].copy()
        if not np.any(crease):
            crease = None
    if chunk is not None:
        mesh.edges = Edges(pairs, crease)
    level = 0
    if LEVEL in stored.chunks:
        level = decode(stored.chunks[LEVEL], U32)
    soft = stored.weights[0].get(SOFT_SELECTION)
    living = stored.vertices.alive
    weights = None
    if soft is not None and len(soft.values) == len(living):
        weights = soft.values[living].copy()
    vertex_bits = (stored.vertices.flags[living] & SELECTED) != 0
    face_bits = (faces.flags[faces.alive] & SELECTED) != 0
    if stored.visible is not None:
        mesh.edge_visible = stored.visible[kept]
    corner_bits = None
    if stored.selected is not None and np.any(stored.selected[kept]):
        corner_bits = stored.selected[kept]
    marked = flags & np.uint32(SELECTED | INVISIBLE)
    if mesh.edges is not None and np.any(marked):
        edges_of_corners = edge_list(mesh).of_corner
        of_corner = np.where(edges_of_corners >= 0, marked[edges_of_corners], 0)
        if stored.visible is None:
            mesh.edge_visible = (of_corner & INVISIBLE) == 0
        if corner_bits is None and np.any(of_corner & SELECTED):
            corner_bits = (of_corner & SELECTED) != 0
    mesh.selection = Selection(
        level=SELECTION_LEVELS.get(level, "object"),
        vertices=vertex_bits if np.any(vertex_bits) else None,
        polygons=face_bits if np.any(face_bits) else None,
        corners=corner_bits,
        weights=weights,
    )
