"""Edit Mesh on bytes made by hand: the modern layout, and that before release 3."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_mesh_early import original_numbers
from tests.support.scenes import f32, u32
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE, SQUARE_FACES, bits, map_chunks, points, tri_chunks

EDIT_MESH = (0x50, 0)
NONE = 0xFFFFFFFF


def stack(
    changes: Sequence[ChunkTree],
    *,
    level: int = 0,
    base: Sequence[ChunkTree] | None = None,
    sizes: tuple[int, int] = (5, 3),
) -> Stack:
    delta: list[ChunkTree] = [(0x0100, u32(sizes[0])), (0x0110, u32(sizes[1])), *changes]
    layer = Layer(
        EDIT_MESH, [(0x2800, pack("<H", level))], local=[(0x2740, u32(5)), (0x4000, delta)]
    )
    return Stack([layer], base if base is not None else tri_chunks())


def faces(mesh: Mesh) -> list[tuple[int, ...]]:
    return [tuple(map(int, row)) for row in mesh.corners.reshape(-1, 3)]


def test_moved_vertices() -> None:
    moved = u32(2) + u32(1) + f32(1, 2, 3) + u32(4) + f32(-1, 0, 0)
    positions = stack([(0x0140, moved)]).mesh().positions
    expected = np.array(SQUARE, np.float32)
    expected[1] += (1, 2, 3)
    expected[4] += (-1, 0, 0)
    assert positions.tolist() == expected.tolist()


def test_a_clone_stands_off_its_unmoved_source() -> None:
    """Payload catalogue L.2: clones before moves; without a source the place is absolute."""
    created = u32(2) + u32(4) + f32(0, 0, 1) + u32(NONE) + f32(7, 8, 9)
    moved = u32(2) + u32(4) + f32(100, 0, 0) + u32(6) + f32(1, 1, 1)
    positions = stack([(0x0130, created), (0x0140, moved)]).mesh().positions
    assert positions[4].tolist() == [102, 0, 1]
    assert positions[5].tolist() == [2, 0, 2]
    assert positions[6].tolist() == [8, 9, 10]


def test_created_faces_stand_behind_those_that_are_left() -> None:
    created = u32(1) + u32(NONE, 3, 2, 5, 0x10, 0x70005)
    changes: list[ChunkTree] = [
        (0x0130, u32(1) + u32(NONE) + f32(0, 2, 0)),
        (0x0208, created),
        (0x0270, [(0x2700, bits("010"))]),
    ]
    mesh = stack(changes).mesh()
    assert faces(mesh) == [SQUARE_FACES[0], SQUARE_FACES[2], (3, 2, 5)]
    assert mesh.smoothing.tolist() == [1, 2, 0x10]
    assert mesh.material_ids.tolist() == [0, 1, 7]
    assert mesh.edge_visible[-3:].tolist() == [True, False, True]


def test_corners_change_where_their_bit_is_set() -> None:
    rows = u32(0, 3, 2, 3, 12345) + u32(2, 4, 999, 999, 0)
    assert faces(stack([(0x0210, u32(2) + rows)]).mesh()) == [(2, 3, 2), (2, 3, 0), (1, 4, 0)]


def test_attributes_change_where_their_bit_is_set() -> None:
    # Face 0: edges 1 and 2, with edge 1 hidden and 2 shown; face 1: material id 9 alone.
    rows = u32(0, 6, 4) + u32(1, 0x10, 9 << 5 | 7)
    mesh = stack([(0x0220, u32(2) + rows)]).mesh()
    assert mesh.edge_visible.reshape(-1, 3).tolist()[:2] == [
        [True, False, True],
        [True, True, False],
    ]
    assert mesh.material_ids.tolist() == [0, 9, 1]
    mesh = stack([(0x0230, u32(1) + u32(0, 6, 4))]).mesh()
    assert mesh.smoothing.tolist() == [1 | 4, 1, 2]


def test_vertices_are_numbered_again_after_deletions() -> None:
    changes: list[ChunkTree] = [
        (0x0270, [(0x2700, bits("011"))]),
        (0x0170, [(0x2700, bits("00011"))]),
    ]
    mesh = stack(changes).mesh()
    assert mesh.positions.tolist() == [list(map(float, row)) for row in SQUARE[:3]]
    assert faces(mesh) == [(0, 1, 2)]
    (reason,) = stack(changes[1:]).reasons()
    assert reason == "2 faces use vertices that it deletes"


MAPPED = tri_chunks(
    more=map_chunks(
        1, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (2, 3, 0), (1, 0, 2)]
    )
)


def test_a_map_group() -> None:
    changes: list[ChunkTree] = [
        (0x0208, u32(1) + u32(NONE, 0, 1, 2, 0, 7)),
        (0x0270, [(0x2700, bits("010"))]),
        (0x0320, u32(1)),
        (0x0324, u32(4)),
        (0x0328, u32(3)),
        (0x0334, points((5, 5, 0))),
        (0x0338, u32(1) + u32(4, 4, 0)),
        (0x033B, u32(1) + u32(2, 2, 0, 1, 0)),
        (0x0340, [(0x2700, bits("0001"))]),
    ]
    channel = stack(changes, base=MAPPED).mesh().maps[1]
    assert channel.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [5, 5, 0]]
    assert channel.corners.reshape(-1, 3).tolist() == [[0, 1, 2], [1, 1, 2], [3, 3, 0]]


def test_a_created_face_without_map_face_takes_that_of_its_source() -> None:
    created = u32(2) + u32(1, 0, 1, 2, 0, 7) + u32(NONE, 0, 1, 2, 0, 7)
    channel = stack([(0x0208, created)], base=MAPPED).mesh().maps[1]
    assert channel.corners.reshape(-1, 3).tolist()[3:] == [[2, 3, 0], [0, 0, 0]]


def test_a_map_group_for_another_map() -> None:
    group: list[ChunkTree] = [(0x0320, u32(1)), (0x0324, u32(9))]
    assert stack(group, base=MAPPED).reasons() == []
    group.append((0x0334, points((5, 5, 0))))
    assert stack(group, base=MAPPED).reasons() == [
        "map channel 1: it was made for 9 map vertices, and there are 4"
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([(0x0140, u32(1) + u32(5) + f32(0, 0, 0))], "a move of vertex 5, and there are 5"),
        ([(0x0130, u32(1) + u32(9) + f32(0, 0, 0))], "a clone of vertex 9, and there are 5"),
        ([(0x0210, u32(1, 3, 7, 0, 0, 0))], "a change of face 3, and there are 3"),
        ([(0x0220, u32(1, 8, 7, 0))], "a change of face 8, and there are 3"),
        ([(0x0230, u32(1, 8, 7, 0))], "a change of face 8, and there are 3"),
        ([(0x0208, u32(1, NONE, 0, 1, 5, 0, 7))], "a face with vertex 5, and there are 5"),
        ([(0x0334, points((0, 0, 0)))], "changes of a map channel without its number"),
    ],
)
def test_changes_that_contradict_the_mesh(changes: list[ChunkTree], reason: str) -> None:
    made = stack(changes)
    assert made.reasons() == [reason]
    mesh = made.evaluation().mesh
    assert mesh is not None
    assert faces(mesh) == SQUARE_FACES


def test_changes_for_another_mesh_are_refused() -> None:
    assert stack([], sizes=(6, 3)).reasons() == [
        "it was made for 6 vertices and 3 faces, and there are 5 and 3"
    ]


@pytest.mark.parametrize(
    ("level", "name"), [(0, "object"), (1, "vertex"), (2, "edge"), (4, "face")]
)
def test_selection(level: int, name: str) -> None:
    changes: list[ChunkTree] = [
        (0x0400, [(0x2700, bits("00011"))]),
        (0x0410, [(0x2700, bits("000000001"))]),
        (0x0420, [(0x2700, bits("010"))]),
    ]
    selection = stack(changes, level=level).mesh().selection
    assert selection.level == name
    for found, expected in (
        (selection.vertices, [3, 4]),
        (selection.corners, [8]),
        (selection.polygons, [1]),
    ):
        assert found is not None
        assert found.nonzero()[0].tolist() == expected


def test_every_chunk_is_decoded_and_encoded() -> None:
    changes: list[ChunkTree] = [(0x0360, u32(1) + f32(*range(5))), (0x0300, u32(2))]
    leaves = [row for row in stack(changes).derived.typed_leaves() if ".local." in row[1]]
    assert [name.rpartition(".")[2] for _, name, _ in leaves] == [
        "flags", "input_vertices", "input_faces", "weights", "chunk_0300",
    ]  # fmt: skip
    problems: list[MaxSidecarError] = []
    check_leaves(iter(leaves), problems.append)
    assert problems == []


# --- before release 3 -----------------------------------------------------------------------------


def early(topology: Sequence[ChunkTree], local: Sequence[ChunkTree] = (), level: int = 0) -> Stack:
    chunks: list[ChunkTree] = [
        *local,
        (0x2765, [(0x2820, u32(5)), (0x2810, u32(3)), *topology]),
    ]
    return Stack([Layer(EDIT_MESH, [(0x2800, pack("<H", level))], local=chunks)], MAPPED)


@pytest.mark.parametrize(
    ("count", "deletions", "left"),
    [  # The first is the example of payload catalogue L.5.4.
        (5, [2, 2], [0, 1, 4]),
        (5, [0, 0, 0], [3, 4]),
        (5, [4, 3], [0, 1, 2]),
        (3, [], [0, 1, 2]),
        (1, [0], []),
    ],
)
def test_deletions_count_what_is_left(count: int, deletions: list[int], left: list[int]) -> None:
    numbers, gone = original_numbers(count, np.array(deletions))
    assert numbers.tolist() == left
    assert (~gone).nonzero()[0].tolist() == left


def test_deletions_of_nothing_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="a deletion of number 4, and 4 are left"):
        original_numbers(5, np.array([0, 4]))
    with pytest.raises(NotSupportedError, match="6 deletions, and there are 5"):
        original_numbers(5, np.zeros(6))


def test_early_changes() -> None:
    """Face 1 and vertex 3 go; what follows counts the faces and vertices that are left."""
    made = early(
        [
            (0x2770, u32(4)),
            (0x2771, f32(9, 9, 9)),
            (0x2775, u32(0, 1, 5, 4, 0x20003)),
            (0x2776, u32(2, 1, 0)),
            (0x2790, u32(3)),
            (0x2800, u32(1)),
            # Left: faces 0, 2 and the created one; vertices 0 1 2 4, the clone and the new one.
            (0x2780, u32(NONE, NONE, NONE, NONE, 3, 5, NONE, NONE, NONE)),
            (0x2781, u32(NONE, NONE, 3, NONE, NONE, NONE, NONE, NONE, NONE)),
            (0x2830, u32(0, 1 << 29 | 6 << 5, 1 << 31 | 4)),
            (0x2840, u32(0, 0, 0)),
        ],
        [(0x2760, f32(*[0] * 12, 0, 0, 5, 1, 0, 0))],
        level=3,
    )
    assert made.reasons() == ["changes in the layout before release 3; no file at hand proves them"]
    mesh = made.mesh()
    places = [*SQUARE[:3], SQUARE[4], (2, 0, 6), (10, 9, 9)]
    assert mesh.positions.tolist() == [list(map(float, row)) for row in places]
    # Face 2 was (1, 4, 2): its corners 1 and 2 became the vertices 3 and 5 of those left.
    assert faces(mesh) == [(0, 1, 2), (1, 3, 5), (0, 1, 4)]
    assert mesh.material_ids.tolist() == [0, 6, 2]
    assert mesh.edge_visible.reshape(-1, 3)[2].tolist() == [False, False, True]
    assert mesh.smoothing.tolist() == [1, 2, 4]
    assert mesh.maps[1].corners.reshape(-1, 3).tolist() == [[0, 1, 3], [1, 0, 2], [2, 1, 0]]
    assert mesh.selection.level == "edge"


def test_early_smoothing_groups() -> None:
    both = early([(0x2830, u32(1 << 28, 0, 1 << 28)), (0x2840, u32(8, 16, 32))])
    assert both.mesh().smoothing.tolist() == [8, 1, 32]
    same = early([(0x2830, u32(1 << 28, 0, 1 << 28)), (0x3040, u32(3, 64))])
    assert same.mesh().smoothing.tolist() == [64, 1, 64]


def test_early_changes_that_do_not_add_up() -> None:
    def last(made: Stack) -> str:
        return made.reasons()[-1]

    assert last(early([(0x2780, u32(0, 0, 0))])) == (
        "1 changes of corners, and there are 3 of 3 left"
    )
    assert last(early([(0x2780, u32(*[7] * 9))])) == "a corner of vertex 7: 5 left"
    assert last(early([], [(0x2760, f32(0, 0, 0))])) == "1 moves, and there are 5 of 5 left"


def test_an_early_selection() -> None:
    mesh = early([], [(0x2755, bits("101")), (0x2750, bits("00001"))], level=2).mesh()
    assert mesh.selection.level == "face"
    assert mesh.selection.polygons is not None
    assert mesh.selection.polygons.tolist() == [True, False, True]


def test_nothing_edited() -> None:
    made = Stack([Layer(EDIT_MESH, [(0x2800, pack("<H", 1))], local=[(0x2740, u32(5))])])
    assert faces(made.mesh()) == SQUARE_FACES
    assert made.mesh().selection.level == "vertex"


def test_no_count_of_an_early_file_is_trusted() -> None:
    """Nothing is allocated for vertices and faces that are not there."""
    chunks: list[ChunkTree] = [(0x2765, [(0x2820, u32(NONE)), (0x2810, u32(NONE))])]
    made = Stack([Layer(EDIT_MESH, [(0x2800, pack("<H", 0))], local=chunks)])
    assert made.reasons() == [
        "it was made for 4294967295 vertices and 4294967295 faces, and there are 5 and 3"
    ]


def test_a_map_channel_that_was_not_there() -> None:
    group: list[ChunkTree] = [
        (0x0320, u32(2)),
        (0x0324, u32(0)),
        (0x0334, points((5, 6, 0), (7, 8, 0))),
        (0x033B, u32(1) + u32(2, 7, 1, 0, 1)),
    ]
    channel = stack(group).mesh().maps[2]
    assert channel.vertices.tolist() == [[5, 6, 0], [7, 8, 0]]
    assert channel.corners.reshape(-1, 3).tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 1]]
    group[1] = (0x0324, u32(NONE))
    assert stack(group).reasons() == [
        "map channel 2: it was made for 4294967295 map vertices, and there are 0"
    ]
