"""Codecs of patches both ways, and divisions, on random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.geometry.stored.patch_layouts import MAPPER, PATCH_MESH
from maxsidecar.scene.geometry.stored.patch_views import EditablePatch
from maxsidecar.scene.geometry.stored.rpo import NelPatchCodec
from tests.support.patches import EDITABLE_PATCH, Builder, map_chunks, moved_record, nel_bytes
from tests.support.scenes import SceneMaker, u32

NEL = NelPatchCodec()
CODECS: list[Codec[Any]] = [
    MAPPER,
    NEL,
    NelPatchCodec(inner_version=True),
    PATCH_MESH.leaves[0x0C80][1],
    PATCH_MESH.leaves[0x0C8A][1],
]
NUMBERS = st.floats(-1e6, 1e6, width=32)
POINTS = st.tuples(NUMBERS, NUMBERS, NUMBERS)


def both_ways(codec: Codec[Any], data: bytes) -> bool:
    try:
        value = codec.decode(data)
    except DecodeError:
        return False
    assert codec.encode(value) == data
    assert codec.verified(data) == value
    return True


@given(st.sampled_from(CODECS), st.binary(max_size=300))
def test_what_decodes_encodes_to_the_same_bytes(codec: Codec[Any], data: bytes) -> None:
    both_ways(codec, data)


@given(
    st.integers(1, 9),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=3),
    st.integers(0, 4),
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=2),
    st.data(),
)
def test_records_of_nel_with_any_bytes_changed(
    version: int,
    tiles: list[tuple[int, int]],
    vertices: int,
    trailer: list[int],
    data: st.DataObject,
) -> None:
    made = nel_bytes(version, tiles, vertices, trailer)
    assert both_ways(NEL, made)
    place = data.draw(st.integers(0, len(made) - 1))
    both_ways(NEL, made[:place] + bytes([data.draw(st.integers(0, 255))]) + made[place + 1 :])
    assert not both_ways(NEL, made[:place]) or len(made) - place in (4, 8)


@given(
    st.lists(st.tuples(st.integers(-1, 5), POINTS), max_size=4),
    st.lists(st.tuples(st.integers(-1, 5), POINTS), max_size=4),
)
def test_moved_points(
    vertices: list[tuple[int, tuple[float, ...]]], vectors: list[tuple[int, tuple[float, ...]]]
) -> None:
    data = b"".join(
        u32(len(rows)) + b"".join(moved_record(number, move) for number, move in rows)
        for rows in (vertices, vectors)
    )
    assert both_ways(MAPPER, data)
    value = MAPPER.decode(data)
    assert value.vertices.array[:, 1].tolist() == [number for number, _ in vertices]
    moves = np.ascontiguousarray(value.vectors.array[:, 5:8]).view("<f4")
    assert [tuple(row) for row in moves.tolist()] == [move for _, move in vectors]


@st.composite
def builders(draw: st.DrawFn) -> Builder:
    made = Builder()
    for _ in range(draw(st.integers(3, 6))):
        made.point(draw(POINTS))
    for _ in range(draw(st.integers(1, 5))):
        made.vector(draw(POINTS))
    count, handles = len(made.vertices), len(made.vectors)
    for _ in range(draw(st.integers(0, 4))):
        sides = draw(st.sampled_from([3, 4]))

        def numbers(limit: int, size: int) -> list[int]:
            return draw(st.lists(st.integers(0, limit - 1), min_size=size, max_size=size))

        flags = draw(st.integers(0, 0xFFFFFFFF))
        made.patch(
            numbers(count, sides), numbers(handles, 2 * sides), numbers(handles, sides), 1, flags
        )
    return made


@given(builders(), st.integers(0, 4), st.booleans(), st.data())
def test_any_patches_are_read_written_and_divided(
    made: Builder, steps: int, early: bool, data: st.DataObject
) -> None:
    rows = [data.draw(st.lists(st.integers(-1, 3), min_size=16, max_size=16)) for _ in made.patches]
    maps = map_chunks(1, [(0, 0, 0), (1, 0, 0), (1, 1, 0)], rows)
    maker = SceneMaker()
    index = maker.add(EDITABLE_PATCH, [(0x08FE, made.chunks(maps, early=early))])
    obj = maker.scene()[index]
    assert isinstance(obj, EditablePatch)
    patch = obj.read_patch()
    assert patch is not None
    assert [list(row[row >= 0]) for row in patch.corners] == [p[0] for p in made.patches]
    assert patch.material_ids.tolist() == [p[4] >> 16 for p in made.patches]
    assert not obj.write_patch(patch)
    patch.steps = steps
    mesh, parts = patch.to_mesh(), steps + 1
    sides = [len(p[0]) for p in made.patches]
    assert len(mesh.faces) == parts * parts * sum(2 if side == 4 else 1 for side in sides)
    assert np.isfinite(mesh.positions).all()
    if len(mesh.faces):
        assert int(mesh.corners.max()) < len(mesh.positions)
        assert int(mesh.corners.min()) >= 0
        # Every point is used.
        assert len(np.unique(mesh.corners)) == len(mesh.positions)
    for mapping in mesh.maps.values():
        assert len(mapping.corners) == len(mesh.corners)
        if len(mapping.corners):
            assert 0 <= int(mapping.corners.min()) <= int(mapping.corners.max())
            assert int(mapping.corners.max()) < len(mapping.vertices)
    patch.vertices += np.float32(1)
    assert obj.write_patch(patch) == bool(np.any(patch.vertices != np.array(made.vertices, "<f4")))
    again = obj.read_patch()
    assert again is not None
    assert np.array_equal(again.vertices, patch.vertices)


@given(builders(), st.data())
def test_damage_only_raises_errors_of_this_package(made: Builder, data: st.DataObject) -> None:
    maker = SceneMaker()
    index = maker.add(EDITABLE_PATCH, [(0x08FE, made.chunks())])
    obj = maker.scene()[index]
    assert isinstance(obj, EditablePatch)
    octets = bytearray(obj.data.data)
    for _ in range(data.draw(st.integers(1, 3))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    obj.data.replace_all(bytes(octets))
    try:
        patch = obj.read_patch()
    except MaxSidecarError:
        return
    if patch is not None:
        patch.steps = 1
        patch.to_mesh()
