"""Records of various lengths: bytes made by hand to arrays and back, and damaged bytes."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.authoring_chunks import ChunkTree, encode_chunks
from maxsidecar.scene.geometry.stored import ragged_arrays as ragged
from maxsidecar.scene.geometry.stored import ragged_records as records
from maxsidecar.scene.geometry.stored.ragged import ADJACENCY, EDGES, FACES, MAP_FACES, VERTICES
from maxsidecar.scene.geometry.stored.records import read_records, unpack_bits
from maxsidecar.scene.geometry.stored.tables import Rows, Table, Weights, WeightsCodec
from maxsidecar.scene.geometry.stored.walk import chain, ragged_index
from maxsidecar.sidecar.text_values import value_lines
from tests.support.scenes import f32, u32
from tests.support.stored_meshes import DEAD, bits, edge, face, vertex


def test_dead_vertices_have_flags_only() -> None:
    data = u32(3) + vertex(1, 2, 3, 1) + DEAD + vertex(4, 5, 6)
    found = VERTICES.verified(data)
    assert found.flags.tolist() == [1, 2, 0]
    assert found.values.tolist() == [[1, 2, 3], [0, 0, 0], [4, 5, 6]]
    assert found.alive.tolist() == [True, False, True]


def test_dead_edges_have_flags_only() -> None:
    found = EDGES.verified(u32(2) + DEAD + edge(3, 1, 0x100))
    assert found.values.tolist() == [[0, 0], [3, 1]]
    assert VERTICES.verified(u32(0)).flags.tolist() == []


def test_faces_store_what_is_not_nothing() -> None:
    data = u32(4) + b"".join(
        [
            face((0, 1, 2)),
            face((2, 3, 4, 5), flags=0x20, material=3, smoothing=0x80000000, diagonals=(3, 1)),
            face((), flags=2),
            face((0, 70000, 1, 2, 3), diagonals=(0, 2, 2, 4)),
        ]
    )
    found = FACES.verified(data)
    assert found.degrees.tolist() == [3, 4, 0, 5]
    assert found.vertices.tolist() == [0, 1, 2, 2, 3, 4, 5, 0, 70000, 1, 2, 3]
    assert found.present.tolist() == [0, 0x39, 1, 0x20]
    assert found.flags.tolist() == [0, 0x20, 2, 0]
    assert found.materials.tolist() == [0, 3, 0, 0]
    assert found.smoothing.tolist() == [0, 0x80000000, 0, 0]
    assert found.diagonals.tolist() == [[3, 1], [0, 2], [2, 4]]
    assert records.present_bits(
        found.degrees, found.flags, found.materials, found.smoothing
    ).tolist() == [0, 0x39, 1, 0x20]


def test_a_polygon_of_more_corners_than_usual() -> None:
    degree = 300
    pairs = [n for k in range(degree - 3) for n in (0, k + 2)]
    data = u32(2) + face(range(degree), diagonals=pairs) + face((1, 2, 3))
    assert FACES.verified(data).degrees.tolist() == [degree, 3]
    lists = u32(degree, *range(degree), 2, 7, 8)
    assert MAP_FACES.verified(lists).lengths.tolist() == [degree, 2]


def test_lists() -> None:
    found = ADJACENCY.verified(u32(2, 5, 6, 0, 3, 1, 2, 3))
    assert found.lengths.tolist() == [2, 0, 3]
    assert found.items.tolist() == [5, 6, 1, 2, 3]
    assert MAP_FACES.verified(b"").lengths.tolist() == []
    same = MAP_FACES.verified(u32(3, 1, 2, 3) * 5)
    assert same.lengths.tolist() == [3] * 5


def test_known_lengths_are_only_a_hint() -> None:
    data = u32(2, 5, 6, 1, 3)
    for lengths in ([2, 1], [1, 2], [3]):
        found = ragged.decode_lists(data, np.array(lengths))
        assert found.lengths.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("codec", "data"),
    [
        (VERTICES, b"\0\0"),
        (VERTICES, u32(1) + f32(0, 0, 0)),
        (VERTICES, u32(2) + vertex(0, 0, 0)),
        (VERTICES, u32(0xFFFFFFFF) + vertex(0, 0, 0)),
        (EDGES, u32(1) + edge(0, 1) + b"\0\0\0\0"),
        (FACES, u32(1) + face((0, 1, 2))[:-1]),
        (FACES, u32(2) + face((0, 1, 2))),
        (FACES, u32(1) + face((0, 1, 2)) + face((0, 1, 2))),
        (FACES, u32(1, 0xFFFFFFFF) + b"\0\0"),
        (FACES, u32(1) + u32(3, 0, 1, 2) + pack("<H", 2)),
        (MAP_FACES, u32(3, 0, 1)),
        (MAP_FACES, u32(0xFFFFFFFF)),
        (MAP_FACES, b"\0"),
    ],
)
def test_damage_is_told(codec: object, data: bytes) -> None:
    with pytest.raises(DecodeError):
        codec.decode(data)  # type: ignore[attr-defined]


def test_values_that_do_not_fit_are_refused() -> None:
    found = FACES.decode(u32(1) + face((0, 1, 2), smoothing=4))
    found.present = np.zeros(1, np.uint16)
    with pytest.raises(EditError):
        FACES.encode(found)
    with pytest.raises(EditError):
        MAP_FACES.encode(records.Lists(np.array([2]), np.zeros(3, np.uint32)))
    with pytest.raises(EditError):
        VERTICES.encode(records.Components(np.array([2], np.uint32), np.ones((1, 3), np.float32)))
    with pytest.raises(EditError):
        EDGES.encode(None)  # type: ignore[arg-type]


def test_tables() -> None:
    codec = Rows("vectors", "f", 3)
    data = u32(2) + f32(1, 2, 3, 4, 5, 6)
    assert codec.verified(data).array.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert codec.verified(data) == codec.decode(data) != codec.decode(u32(0))
    assert str(codec.decode(data)).startswith("2 rows, sha256 ")
    for damaged in (b"", data[:-1], u32(3) + data[4:], u32(0) + data[4:]):
        with pytest.raises(DecodeError):
            codec.decode(damaged)
    with pytest.raises(EditError):
        codec.encode(Table(np.zeros((2, 2), np.float32)))
    with pytest.raises(EditError):
        codec.encode(Table(np.zeros((2, 3), np.float64)))


def test_a_count_in_front_is_told_by_the_size() -> None:
    codec = Rows("map faces", "I", 3, counted=None)
    for data in (u32(0, 1, 2), u32(1, 0, 1, 2), b"", u32(0)):
        assert codec.encode(codec.decode(data)) == data
    assert codec.decode(u32(1, 0, 1, 2)).array.tolist() == [[0, 1, 2]]


def test_weights() -> None:
    codec = WeightsCodec()
    found = codec.verified(u32(1) + f32(0.5, 1))
    assert (found.slot, found.values.tolist()) == (1, [0.5, 1])
    assert found == Weights(1, np.array([0.5, 1], np.float32)) != Weights(0, found.values)
    with pytest.raises(DecodeError):
        codec.decode(b"\0\0\0\0\0")
    with pytest.raises(EditError):
        codec.encode(Weights(-1, found.values))


def record(number: int, *leaves: tuple[int, bytes]) -> bytes:
    return encode_chunks([(0x124, u32(number)), (0x128, list(leaves))])


def test_runs_of_small_chunks_are_read_by_layout() -> None:
    run = b"".join(
        [
            record(0, (0x200, u32(1, 2, 3))),
            record(2, (0x200, u32(4, 5, 6)), (0x210, b"\7\1\2\3")),
            record(1, (0x200, u32(7, 8, 9))),
        ]
    )
    groups = read_records(run, 0x124, 0x128)
    found = {
        int(number): row.tobytes()
        for group in groups
        for number, row in zip(group.numbers, group.leaves[0x200,], strict=True)
    }
    assert found == {0: u32(1, 2, 3), 1: u32(7, 8, 9), 2: u32(4, 5, 6)}
    assert len(groups) == 2
    (marked,) = [group for group in groups if (0x210,) in group.leaves]
    assert marked.places.tolist() == [34]


def test_wide_headers_and_odd_sizes_are_read_as_well() -> None:
    leaves: list[ChunkTree] = [
        (0x200, u32(3, 1, 2, 3)),
        (0x210, [(0x2700, bits("101", octets=True))]),
    ]
    wide = encode_chunks([(0x124, u32(0)), (0x128, leaves)], 1)
    narrow = encode_chunks([(0x124, u32(0)), (0x128, leaves)])
    for run in (wide, narrow, narrow * 3):
        for group in read_records(run, 0x124, 0x128):
            assert unpack_bits(group.leaves[0x210, 0x2700], 3).tolist()[0] == [True, False, True]


def test_runs_of_many_layouts_are_read_as_well() -> None:
    run = b"".join(record(n, (0x200, u32(n)), (0x300 + n, b"")) for n in range(200))
    found = {
        int(number): row.tobytes()
        for group in read_records(run, 0x124, 0x128)
        for number, row in zip(group.numbers, group.leaves[0x200,], strict=True)
    }
    assert found == {n: u32(n) for n in range(200)}


@pytest.mark.parametrize(
    "run",
    [
        record(0, (0x200, b"")) + b"\0",
        encode_chunks([(0x124, u32(0))]),
        encode_chunks([(0x128, [(0x200, b"")]), (0x124, u32(0))]),
        encode_chunks([(0x124, b"\0"), (0x128, [(0x200, b"")])]),
        record(0, (0x200, b"1234"))[:-2],
    ],
)
def test_damaged_runs_are_told(run: bytes) -> None:
    with pytest.raises(DecodeError):
        read_records(run, 0x124, 0x128)


def test_a_chain_must_reach_the_end() -> None:
    here = np.arange(6)
    assert chain(here, here + np.array([2, 1, 3, 1, 1, 1]), 6) is not None
    found = chain(here, here + np.array([2, 9, 3, 9, 9, 1]), 6)
    assert found is not None
    assert found.tolist() == [0, 2, 5]
    assert chain(here, here + np.array([2, 1, 9, 1, 1, 1]), 6) is None
    assert chain(here, here, 6) is None
    assert chain(here[:0], here[:0], 6) is None


def test_items_of_runs() -> None:
    assert ragged_index(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]


def test_values_show_as_one_line_or_row_by_row() -> None:
    table = Rows("vectors", "f", 3).decode(u32(2) + f32(0.1, 2, 3, 4, 5, 6))
    assert str(table).startswith("2 rows, sha256 ")
    assert list(table.text_rows()) == ["0.1 2.0 3.0", "4.0 5.0 6.0"]
    faces = FACES.decode(
        u32(2) + face((0, 1, 2, 3), material=3, diagonals=(0, 2)) + face((), flags=2)
    )
    assert list(value_lines(faces, full=True))[1:] == [
        "  0 1 2 3 flags 0x0 material 3 smoothing 0x0 diagonals 0-2",
        "  flags 0x2 material 0 smoothing 0x0 diagonals",
    ]
    assert list(value_lines(faces)) == [f'"{faces}"']
    vertices = VERTICES.decode(u32(2) + vertex(1, 2, 3, 1) + DEAD)
    assert list(vertices.text_rows()) == ["0x1 1.0 2.0 3.0", "0x2"]
    lists = MAP_FACES.decode(u32(2, 5, 6, 1, 7))
    assert list(lists.text_rows()) == ["5 6", "7"]
    assert str(lists).startswith("2 lists, ")
    assert list(Weights(0, np.array([0.5], np.float32)).text_rows()) == ["0.5"]
