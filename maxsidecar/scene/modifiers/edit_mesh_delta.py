"""Changes of a triangle mesh as arrays, and the mesh that they lead to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.pipeline import NotSupportedError

__all__ = ["Delta", "MapDelta", "apply_delta", "check_input"]

Ints: TypeAlias = npt.NDArray[np.int64]
F32: TypeAlias = npt.NDArray[np.float32]
Bits: TypeAlias = npt.NDArray[np.bool_]

#: Bits of a change of attributes: its values are shifted the same in all files.
_EDGES, _MATERIAL = 7, 0x10
_MATERIAL_SHIFT = 5


def _no_rows(width: int) -> Callable[[], Ints]:
    return lambda: np.zeros((0, width), np.int64)


def _no_points() -> F32:
    return np.zeros((0, 3), np.float32)


def _no_numbers() -> Ints:
    return np.zeros(0, np.int64)


_no_changes = _no_rows(5)
_no_triples = _no_rows(3)
_no_faces = _no_rows(6)


@dataclass(slots=True)
class MapDelta:
    """Changes of one map channel.

    Attributes:
        input_vertices: How many map vertices it was made for; ``None`` when that is not told.
        created_vertices: (k, 3) float32: numbered behind those of the input.
        created_faces: (c, 3) map vertices of the created faces, or no rows.
        corner_changes: (n, 5) face, bits of the corners that change, their map vertices.
        deleted_vertices: (input,) bool, or ``None``.
    """

    input_vertices: int | None = None
    created_vertices: F32 = field(default_factory=_no_points)
    created_faces: Ints = field(default_factory=_no_triples)
    corner_changes: Ints = field(default_factory=_no_changes)
    deleted_vertices: Bits | None = None

    @property
    def counts(self) -> bool:
        """Whether it numbers map vertices, so that there must be as many as it was made for."""
        parts = (self.created_vertices, self.created_faces, self.corner_changes)
        gone = self.deleted_vertices is not None and bool(self.deleted_vertices.any())
        return gone or any(len(part) for part in parts)


@dataclass(slots=True)
class Delta:
    """Changes of a mesh; all numbers of vertices and faces are those before anything is deleted.

    Attributes:
        input_vertices: How many vertices it was made for.
        input_faces: How many faces.
        sources: (k,) of each created vertex the one that it is a clone of, -1 for a new one.
        created_vertices: (k, 3) float32: places; of clones how far from their unmoved source.
        moved: (m,) vertices that move.
        moves: (m, 3) float32: how far.
        created_faces: (c, 6) source or -1, three vertices, smoothing groups, flags as an Editable
            Mesh stores them.
        corner_changes: (n, 5) face, bits of the corners that change, their vertices.
        attribute_changes: (n, 3) face, bits of what changes, values.
        smoothing_changes: (n, 3) face, bits that change, values.
        deleted_vertices: (vertices,) bool, or ``None``; created ones may follow.
        deleted_faces: (faces,) bool, or ``None``.
        maps: Changes by map channel.
        selection: What is selected afterwards.
    """

    input_vertices: int
    input_faces: int
    sources: Ints = field(default_factory=_no_numbers)
    created_vertices: F32 = field(default_factory=_no_points)
    moved: Ints = field(default_factory=_no_numbers)
    moves: F32 = field(default_factory=_no_points)
    created_faces: Ints = field(default_factory=_no_faces)
    corner_changes: Ints = field(default_factory=_no_changes)
    attribute_changes: Ints = field(default_factory=_no_triples)
    smoothing_changes: Ints = field(default_factory=_no_triples)
    deleted_vertices: Bits | None = None
    deleted_faces: Bits | None = None
    maps: dict[int, MapDelta] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)

    @property
    def vertex_count(self) -> int:
        """Vertices before any is deleted."""
        return self.input_vertices + len(self.sources)

    @property
    def face_count(self) -> int:
        """Faces before any is deleted."""
        return self.input_faces + len(self.created_faces)


def _check(what: str, numbers: npt.NDArray[Any], limit: int) -> None:
    if len(numbers) and (int(numbers.max()) >= limit or int(numbers.min()) < 0):
        wrong = int(numbers.max()) if int(numbers.max()) >= limit else int(numbers.min())
        raise NotSupportedError(f"{what} {wrong}, and there are {limit}")


def check_input(mesh: Mesh, vertices: int, faces: int) -> None:
    """Refuse changes of another mesh.

    Raises:
        NotSupportedError: The mesh has not as many vertices or faces.
    """
    found = len(mesh.positions), mesh.polygon_count
    if found != (vertices, faces):
        raise NotSupportedError(
            f"it was made for {vertices} vertices and {faces} faces, "
            f"and there are {found[0]} and {found[1]}"
        )


def apply_delta(mesh: Mesh, delta: Delta) -> Mesh:
    """Return the changed mesh.

    Args:
        mesh: A mesh of triangles; its arrays are left alone.
        delta: The changes.

    Raises:
        NotSupportedError: They were made for another mesh, or contradict themselves.
    """
    check_input(mesh, delta.input_vertices, delta.input_faces)
    positions = _positions(mesh, delta)
    faces = _corners(mesh.corners, delta.corner_changes, delta.created_faces[:, 1:4])
    _check("a face with vertex", faces.reshape(-1), len(positions))
    visible, materials = _attributes(mesh, delta)
    smoothing = _smoothing(mesh, delta)
    kept = np.ones(delta.face_count, np.bool_)
    if delta.deleted_faces is not None:
        kept[: len(delta.deleted_faces)] &= ~delta.deleted_faces[: delta.face_count]
    maps = {
        number: _channel(mesh, number, delta.maps.get(number, MapDelta()), delta, kept)
        for number in sorted(set(mesh.maps) | set(delta.maps))
    }
    faces, positions = _compact("vertices", faces[kept], positions, delta.deleted_vertices)
    same = delta.face_count == mesh.polygon_count and not len(delta.corner_changes)
    same = same and bool(kept.all()) and not len(delta.moved) and not len(delta.sources)
    count = len(faces)
    return Mesh(
        positions=positions,
        corners=faces.reshape(-1).astype(np.int32),
        starts=np.arange(0, 3 * count + 1, 3, dtype=np.int32),
        material_ids=materials[kept],
        smoothing=smoothing[kept],
        edge_visible=visible[kept].reshape(-1),
        triangles=np.arange(3 * count, dtype=np.int32).reshape(-1, 3),
        triangle_polygons=np.arange(count, dtype=np.int32),
        maps=maps,
        normals=mesh.normals if same else None,
        selection=_selection(delta.selection, len(positions), count),
    )


def _selection(selection: Selection, vertices: int, faces: int) -> Selection:
    """Return what is selected, as far as it is told for as many things."""

    def fitting(bits: Bits | None, count: int) -> Bits | None:
        return bits if bits is not None and len(bits) == count else None

    return replace(
        selection,
        vertices=fitting(selection.vertices, vertices),
        polygons=fitting(selection.polygons, faces),
        corners=fitting(selection.corners, 3 * faces),
    )


def _positions(mesh: Mesh, delta: Delta) -> F32:
    created = np.array(delta.created_vertices, np.float32)
    clones = delta.sources >= 0
    _check("a clone of vertex", delta.sources[clones], delta.input_vertices)
    created[clones] += mesh.positions[delta.sources[clones]]
    out = np.concatenate([mesh.positions, created])
    _check("a move of vertex", delta.moved, len(out))
    np.add.at(out, delta.moved, delta.moves)
    return out


def _corners(corners: npt.NDArray[Any], changes: Ints, created: Ints) -> Ints:
    """Return the faces, (f, 3), with changed corners and the created ones behind them."""
    out = corners.reshape(-1, 3).astype(np.int64)
    _check("a change of face", changes[:, 0], len(out))
    for corner in range(3):
        chosen = changes[(changes[:, 1] >> corner) & 1 == 1]
        out[chosen[:, 0], corner] = chosen[:, 2 + corner]
    return np.concatenate([out, created])


def _attributes(mesh: Mesh, delta: Delta) -> tuple[Bits, npt.NDArray[np.int32]]:
    visible = mesh.edge_visible.reshape(-1, 3).copy()
    materials = mesh.material_ids.copy()
    changes = delta.attribute_changes
    _check("a change of face", changes[:, 0], len(visible))
    for edge in range(3):
        chosen = changes[(changes[:, 1] >> edge) & 1 == 1]
        visible[chosen[:, 0], edge] = (chosen[:, 2] >> edge) & 1 == 1
    chosen = changes[changes[:, 1] & _MATERIAL != 0]
    materials[chosen[:, 0]] = (chosen[:, 2] >> _MATERIAL_SHIFT) & 0xFFFF
    flags = delta.created_faces[:, 5]
    more = (flags[:, None] >> np.arange(3)) & 1 == 1
    return (
        np.concatenate([visible, more]),
        np.concatenate([materials, flags >> 16]).astype(np.int32),
    )


def _smoothing(mesh: Mesh, delta: Delta) -> npt.NDArray[np.uint32]:
    groups = mesh.smoothing.astype(np.int64)
    changes = delta.smoothing_changes
    _check("a change of face", changes[:, 0], len(groups))
    faces, mask = changes[:, 0], changes[:, 1]
    groups[faces] = (groups[faces] & ~mask) | (changes[:, 2] & mask)
    return np.concatenate([groups, delta.created_faces[:, 4]]).astype(np.uint32)


def _channel(mesh: Mesh, number: int, change: MapDelta, delta: Delta, kept: Bits) -> MapChannel:
    channel = mesh.maps.get(number)
    if channel is None:
        corners = np.zeros(len(mesh.corners), np.int64)
        # Nothing is there yet: all faces have the first map vertex.
        vertices = np.zeros((0 if len(change.created_vertices) else 1, 3), np.float32)
    else:
        corners, vertices = channel.corners.astype(np.int64), channel.vertices
    expected = change.input_vertices
    if channel is None and expected == 0:
        expected = None
    if change.counts and expected is not None and expected != len(vertices):
        raise NotSupportedError(
            f"map channel {number}: it was made for {expected} map vertices, "
            f"and there are {len(vertices)}"
        )
    created = change.created_faces
    if len(created) != len(delta.created_faces):
        # Not told: as the face that it came from, else anything.
        sources = delta.created_faces[:, 0]
        _check("a copy of face", sources, delta.input_faces) if (sources >= 0).all() else None
        inside = (sources >= 0) & (sources < delta.input_faces)
        old = corners.reshape(-1, 3)
        created = np.zeros((len(sources), 3), np.int64)
        created[inside] = old[sources[inside]]
    out = _corners(corners, change.corner_changes, created)
    vertices = np.concatenate([vertices, change.created_vertices])
    _check(f"map channel {number}: a face with map vertex", out[kept].reshape(-1), len(vertices))
    faces, vertices = _compact("map vertices", out[kept], vertices, change.deleted_vertices)
    return MapChannel(vertices, faces.reshape(-1).astype(np.int32))


def _compact(what: str, faces: Ints, vertices: F32, deleted: Bits | None) -> tuple[Ints, F32]:
    """Return faces and vertices without the deleted ones."""
    if deleted is None or not deleted.any():
        return faces, vertices
    gone = np.zeros(len(vertices), np.bool_)
    gone[: len(deleted)] = deleted[: len(vertices)]
    used = gone[faces].any(axis=1)
    if used.any():
        raise NotSupportedError(f"{int(used.sum())} faces use {what} that it deletes")
    numbers = np.cumsum(~gone) - 1
    return numbers[faces], vertices[~gone]
