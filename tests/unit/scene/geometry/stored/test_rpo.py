"""NeL's record of patches, on bytes written value by value."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.geometry.stored.rpo import (
    BIND_TYPES,
    NelPatch,
    NelPatchCodec,
    NelPatchMesh,
    bind_dtype,
    tile_dtype,
)
from tests.support.patches import i32, nel_bytes
from tests.support.scenes import u32

CODEC = NelPatchCodec()


@pytest.mark.parametrize("version", range(1, 10))
def test_every_version_is_read_and_written(version: int) -> None:
    data = nel_bytes(version, [(1, 0), (0, 2)], vertices=3)
    value = CODEC.decode(data)
    assert CODEC.encode(value) == data
    assert CODEC.verified(data) == value
    assert value.version == version
    assert [(p.log2_u, p.log2_v) for p in value.patches] == [(1, 0), (0, 2)]
    assert [len(p.tiles) for p in value.patches] == [2, 4]
    assert [len(p.colors) for p in value.patches] == [6, 10]
    second = value.patches[1]
    assert second.colors.tolist() == [0x112233 + c for c in range(10)]
    assert second.edge_flags == ((0, 1, 0, 1) if version >= 7 else None)
    if version < 3:
        assert second.tiles["old"].tolist() == [[5, 6]] * 4
    else:
        assert second.tiles["number"].tolist() == [2] * 4
        assert second.tiles["layers"]["tile"].tolist() == [
            [100 + 10 * tile + layer for layer in range(3)] for tile in range(4)
        ]
        assert second.tiles["layers"]["rotation"].tolist() == [[0, 1, 2]] * 4
    names = second.tiles.dtype.names or ()
    assert ("flags" in names) == (version >= 5)
    assert ("noise" in names) == (version >= 9)
    if version == 9:
        assert second.tiles["noise"].tolist() == [3] * 4
    assert value.binds["bound"].tolist() == [0, 1, 0]
    assert value.binds["type"].tolist() == value.binds["type_again"].tolist() == [2] * 3
    assert BIND_TYPES[value.binds["type"][0]] == "50%"
    assert value.binds["edge"].tolist() == [3] * 3
    assert value.binds["primary"].tolist() == [0, 1, 2]
    assert (value.tile_level, value.tile_mode, value.keep_mapping) == (4, 1, 0)


@pytest.mark.parametrize("version", [3, 4, 9])
def test_what_ends_the_record(version: int) -> None:
    full = CODEC.decode(nel_bytes(version, trailer=(7, 2)))
    assert (full.transition_type, full.selection_level) == (7, 2)
    one = CODEC.decode(nel_bytes(version, trailer=(7,)))
    expected = (7, None) if version == 4 else (None, 7)
    assert (one.transition_type, one.selection_level) == expected
    none = CODEC.decode(nel_bytes(version, trailer=()))
    assert (none.transition_type, none.selection_level) == (None, None)
    for value, trailer in ((full, (7, 2)), (one, (7,)), (none, ())):
        assert CODEC.encode(value) == nel_bytes(version, trailer=trailer)


def test_the_version_of_the_object_stands_in_front() -> None:
    codec = NelPatchCodec(inner_version=True)
    data = u32(0) + nel_bytes(9)
    assert codec.encode(codec.decode(data)) == data
    with pytest.raises(DecodeError, match="unknown version"):
        codec.decode(u32(1) + nel_bytes(9))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        u32(9),
        nel_bytes(0),
        nel_bytes(10),
        nel_bytes(9)[:-1],
        nel_bytes(9) + b"\0",
        nel_bytes(9, trailer=(1, 2, 3)),
        u32(9) + i32(-1),
        u32(9) + i32(1) + i32(0, 0, -1) + bytes(100),
        u32(9) + i32(1) + i32(0, 0, 0x7FFFFFFF) + bytes(100),
        u32(9) + i32(1, 0, 0, 0, -1) + bytes(100),
        u32(9) + i32(0, -1) + bytes(100),
        u32(9) + i32(0x10000000) + bytes(100),
    ],
)
def test_records_that_do_not_fill_their_chunk_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        CODEC.decode(data)


def test_a_record_is_made_from_nothing() -> None:
    tiles = np.zeros(1, tile_dtype(9))
    tiles["layers"]["tile"] = [-1, 5, 6]
    patch = NelPatch(0, 0, tiles, np.array([1, 2, 3, 4], np.uint32), (1, 0, 0, 0))
    made = NelPatchMesh(9, [patch], np.zeros(1, bind_dtype()))
    expected = (
        u32(9)
        + i32(1, 0, 0, 1)
        + pack("<HHB", 0, 0, 0)
        + b"".join(pack("<Bii", 0, tile, 0) for tile in (-1, 5, 6))
        + i32(4, 1, 2, 3, 4)
        + u32(1, 0, 0, 0)
        + i32(1)
        + bytes(41)
        + i32(0)
        + b"\0\0"
        + i32(0, 0)
    )
    assert CODEC.encode(made) == expected
    assert str(CODEC.decode(expected)).startswith("version 9, 1 patches, 1 vertices")


def broken(**changes: object) -> NelPatchMesh:
    value = CODEC.decode(nel_bytes(9))
    for name, new in changes.items():
        setattr(value, name, new)
    return value


def broken_patch(name: str, new: object) -> NelPatchMesh:
    value = CODEC.decode(nel_bytes(9))
    setattr(value.patches[0], name, new)
    return value


@pytest.mark.parametrize(
    "value",
    [
        broken(version=0),
        broken(version=8),
        broken(trailer=(1, 2, 3)),
        broken(trailer=(1 << 40,)),
        broken(tile_mode=256),
        broken(tile_level=1 << 31),
        broken(binds=np.zeros(3, np.uint32)),
        broken_patch("edge_flags", None),
        broken_patch("edge_flags", (1 << 32, 0, 0, 0)),
        broken_patch("log2_u", 1 << 31),
        broken_patch("tiles", np.zeros(2, np.uint32)),
        broken_patch("colors", np.zeros((2, 2), np.uint32)),
        "text",
    ],
)
def test_values_that_do_not_fit_are_refused(value: object) -> None:
    with pytest.raises(EditError):
        CODEC.encode(value)
