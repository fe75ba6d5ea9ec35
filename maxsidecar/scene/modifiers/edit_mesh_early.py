"""Edit Mesh before release 3: changes in the order in which they once took effect.

Faces and vertices are renumbered after what is deleted, one by one; the records of corners,
attributes and moves then count those that are left.  Here they get the numbers from before, as
3ds Max itself does when it reads such a file (spec: payload catalogue, L.5 and L.6).
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.bit_array import BITS
from maxsidecar.scene.geometry.mesh import Mesh, Selection
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.edit_mesh_delta import Delta, MapDelta, check_input
from maxsidecar.scene.modifiers.edit_mesh_views import EditMesh

__all__ = ["EARLY", "original_numbers", "read_early"]

Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_TOPOLOGY: Final = 0x2765
_MOVES: Final = 0x2760
#: Chunks that only such files have.
EARLY: Final = frozenset({0x2750, 0x2755, 0x2756, 0x2761, _MOVES, 0x3000, _TOPOLOGY})
#: A corner that stays as it is.
_UNCHANGED: Final = 0xFFFFFFFF
#: Most deletions that are taken back one by one.
_MOST_DELETIONS: Final = 1_000_000


def original_numbers(count: int, deletions: npt.NDArray[Any]) -> tuple[Ints, Bits]:
    """Return which of ``count`` things are left, and which are deleted.

    Args:
        count: How many there were.
        deletions: Numbers of what is deleted, each after the deletions before it.

    Raises:
        NotSupportedError: A number is of nothing.
    """
    if len(deletions) > min(count, _MOST_DELETIONS):
        raise NotSupportedError(f"{len(deletions)} deletions, and there are {count}")
    # A tree of counts finds the number-th one that is left in a few steps.
    size = 1 << max(1, count).bit_length()
    tree = [0] * (2 * size)
    tree[size : size + count] = [1] * count
    for node in range(size - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]
    gone = np.zeros(count, np.bool_)
    for number in map(int, deletions):
        left, node = number, 1
        if left >= tree[1]:
            raise NotSupportedError(f"a deletion of number {number}, and {tree[1]} are left")
        while node < size:
            tree[node] -= 1
            node *= 2
            if left >= tree[node]:
                left -= tree[node]
                node += 1
        tree[node] = 0
        gone[node - size] = True
    return np.nonzero(~gone)[0].astype(np.int64), gone


class _Early:
    """The chunks of one record."""

    def __init__(self, container: Chunk | None) -> None:
        layout = EditMesh.local.containers[_TOPOLOGY][1]
        self.values: dict[int, Any] = {}
        for chunk in () if container is None else container.chunks():
            if not chunk.container and chunk.id in layout.leaves:
                self.values[chunk.id] = decode(chunk, layout.leaves[chunk.id][1])

    def numbers(self, chunk_id: int) -> Ints:
        return np.array(self.values.get(chunk_id, ()), np.int64)

    def rows(self, chunk_id: int, width: int) -> npt.NDArray[Any]:
        table = self.values.get(chunk_id)
        return np.zeros((0, width), "<u4") if table is None else np.asarray(table.array)

    def number(self, chunk_id: int) -> int | None:
        value = self.values.get(chunk_id)
        return None if value is None else int(value)


def _placed(what: str, count: int, left: Ints, all_of: int) -> Ints:
    """Return the original numbers of ``count`` records, one for each thing that is left.

    Raises:
        NotSupportedError: There are not as many as things.
    """
    if count == len(left):
        return left
    if count == all_of:
        return np.arange(all_of)
    raise NotSupportedError(f"{count} {what}, and there are {len(left)} of {all_of} left")


def read_early(local: Chunk, mesh: Mesh) -> Delta:
    """Return the changes that local data of an early release holds.

    Args:
        local: Container of the local data.
        mesh: What they are made to; no count of a file is trusted before it fits.

    Raises:
        DecodeError: A chunk does not have the layout that is known.
        NotSupportedError: They are for another mesh, or contradict themselves.
    """
    topology = local.find(_TOPOLOGY)
    early = _Early(topology if topology is not None and topology.container else None)
    moves_chunk = local.find(_MOVES)
    moves = np.zeros((0, 3), np.float32)
    if moves_chunk is not None:
        table = decode(moves_chunk, EditMesh.local.leaves[_MOVES][1])
        moves = table.array.astype(np.float32)
    vertices, faces = early.number(0x2820), early.number(0x2810)
    if vertices is None or faces is None:
        raise NotSupportedError("it does not tell which mesh it was made for")
    check_input(mesh, vertices, faces)
    clones = early.numbers(0x2770)
    made = early.rows(0x2771, 3).view("<f4").astype(np.float32).reshape(-1, 3)
    delta = Delta(vertices, faces)
    delta.sources = np.concatenate([clones, np.full(len(made), -1)])
    delta.created_vertices = np.concatenate([np.zeros((len(clones), 3), np.float32), made])
    created = early.rows(0x2775, 5).astype(np.int64)
    delta.created_faces = np.column_stack([np.full(len(created), -1), created])
    left_vertices, gone_vertices = original_numbers(delta.vertex_count, early.numbers(0x2790))
    left_faces, gone_faces = original_numbers(delta.face_count, early.numbers(0x2800))
    delta.deleted_vertices, delta.deleted_faces = gone_vertices, gone_faces
    corners = _changes(early.rows(0x2780, 3).astype(np.int64), left_faces, delta.face_count)
    _renumber(corners, left_vertices)
    delta.corner_changes = _on_created(corners, delta.created_faces[:, 1:4], faces)
    _read_map(early, delta, left_faces)
    _read_attributes(early, delta, left_faces)
    if len(moves):
        delta.moved = _placed("moves", len(moves), left_vertices, delta.vertex_count)
        delta.moves = moves
    delta.selection = Selection(
        vertices=_bits(local, 0x2750), polygons=_bits(local, 0x2755), corners=_bits(local, 0x2756)
    )
    return delta


def _bits(local: Chunk, chunk_id: int) -> Bits | None:
    chunk = local.find(chunk_id)
    if chunk is not None and chunk.container:
        chunk = chunk.find(0x2700)
    if chunk is None:
        return None
    value = decode(chunk, BITS)
    octets = np.frombuffer(value.data, np.uint8)
    return np.unpackbits(octets, count=value.size, bitorder="little").astype(bool)


def _changes(rows: Ints, left: Ints, count: int) -> Ints:
    """Return (n, 5) changes: number of the face, bits of the corners that change, and these."""
    if not len(rows):
        return np.zeros((0, 5), np.int64)
    numbers = _placed("changes of corners", len(rows), left, count)
    mask = (rows != _UNCHANGED) @ np.array([1, 2, 4])
    out: Ints = np.column_stack([numbers, mask, rows])[mask != 0]
    return out


def _renumber(changes: Ints, left: Ints) -> None:
    """Put the original numbers of vertices in place of those after the deletions."""
    for corner in range(3):
        chosen = (changes[:, 1] >> corner) & 1 == 1
        numbers = changes[chosen, 2 + corner]
        if len(numbers) and int(numbers.max()) >= len(left):
            raise NotSupportedError(f"a corner of vertex {int(numbers.max())}: {len(left)} left")
        changes[chosen, 2 + corner] = left[numbers]


def _on_created(changes: Ints, created: Ints, faces: int) -> Ints:
    """Change created faces themselves; return the changes of those of the input."""
    mine = changes[:, 0] >= faces
    for corner in range(3):
        chosen = changes[mine & ((changes[:, 1] >> corner) & 1 == 1)]
        created[chosen[:, 0] - faces, corner] = chosen[:, 2 + corner]
    return changes[~mine]


def _read_map(early: _Early, delta: Delta, left_faces: Ints) -> None:
    """Read the changes of map channel 1, the only one of these releases."""
    created = early.rows(0x2776, 3).astype(np.int64)
    vertices = early.rows(0x2772, 3).view("<f4").astype(np.float32).reshape(-1, 3)
    changes = _changes(early.rows(0x2781, 3).astype(np.int64), left_faces, delta.face_count)
    if not len(created) and not len(vertices) and not len(changes):
        return
    if len(created) not in (0, len(delta.created_faces)):
        raise NotSupportedError(
            f"{len(created)} map faces for {len(delta.created_faces)} created faces"
        )
    if len(created):
        changes = _on_created(changes, created, delta.input_faces)
    else:
        changes = changes[changes[:, 0] < delta.input_faces]
    delta.maps[1] = MapDelta(
        created_vertices=vertices, created_faces=created, corner_changes=changes
    )


def _read_attributes(early: _Early, delta: Delta, left_faces: Ints) -> None:
    attributes = early.numbers(0x2830)
    if not len(attributes):
        return
    numbers = _placed("changes of attributes", len(attributes), left_faces, delta.face_count)
    edges, hidden = (attributes >> 31) & 1, (attributes >> 30) & 1
    material, smooth = (attributes >> 29) & 1, (attributes >> 28) & 1
    mask = 7 * edges | hidden << 3 | material << 4
    rows = np.column_stack([numbers, mask, attributes & 0x1FFFFF])
    groups = _groups(early, len(attributes))
    mine = numbers >= delta.input_faces
    for row, all_groups, changes_groups in zip(rows[mine], groups[mine], smooth[mine], strict=True):
        face = delta.created_faces[row[0] - delta.input_faces]
        if row[1] & 7:
            face[5] = (face[5] & ~7) | (row[2] & 7)
        if row[1] & 0x10:
            face[5] = (face[5] & 0xFFFF) | ((row[2] >> 5) & 0xFFFF) << 16
        if changes_groups:
            face[4] = all_groups
    delta.attribute_changes = rows[~mine & (mask != 0)]
    chosen = ~mine & (smooth == 1)
    whole = np.full(int(chosen.sum()), 0xFFFFFFFF)
    delta.smoothing_changes = np.column_stack([numbers[chosen], whole, groups[chosen]])


def _groups(early: _Early, count: int) -> Ints:
    """Return the smoothing groups that go with the changes of attributes."""
    same = early.numbers(0x3040)
    if len(same):
        return np.full(count, same[1])
    groups = early.numbers(0x2840)
    if len(groups) not in (0, count):
        raise NotSupportedError(f"{len(groups)} smoothing groups for {count} changes")
    return groups if len(groups) else np.zeros(count, np.int64)
