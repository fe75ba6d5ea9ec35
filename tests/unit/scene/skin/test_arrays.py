"""Bones, weights and links as they are stored, on bytes made by hand."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.skin.arrays import BoneSlots, LinkWeights, SkinWeights
from maxsidecar.scene.skin.codecs import BONES, LINKS, WEIGHTS
from tests.support.scenes import f32, u32
from tests.support.skins import bone_bytes, i32, link_bytes, weight_bytes


def test_weights() -> None:
    data = weight_bytes([[(3, 0.25), (0, 0.5)], [], [(1, 1.5)]])
    value = WEIGHTS.verified(data)
    assert value.counts.tolist() == [2, 0, 1]
    assert value.flags.tolist() == [2, 2, 2]
    assert value.bones.tolist() == [3, 0, 1]
    assert value.influences.tolist() == [0.25, 0.5, 1.5]
    # What is not known rides along: garbage that is no number, too.
    assert (value.words[:, 2:] == 0xCDCDCDCD).all()
    assert WEIGHTS.verified(b"").counts.tolist() == []


def test_weights_that_do_not_fill_their_chunk() -> None:
    sound = weight_bytes([[(0, 1.0)]])
    for damaged in (
        sound[:-4],
        sound + bytes(4),
        sound + b"\0",
        i32(2, 0) + sound[8:],
        i32(-1, 0),
        i32(0x7FFFFFFF, 0) + bytes(44),
    ):
        with pytest.raises(DecodeError):
            WEIGHTS.decode(damaged)


def test_new_weights() -> None:
    value = SkinWeights.of([1, 2], [4, 0, 1], [1.0, 0.5, 0.5])
    again = WEIGHTS.verified(WEIGHTS.encode(value))
    assert again == value
    assert again.bones.tolist() == [4, 0, 1]
    assert str(again) == str(value)
    assert again != SkinWeights.of([2, 1], [4, 0, 1], [1.0, 0.5, 0.5])
    for counts in ([1, 3], [4, -1]):
        with pytest.raises(EditError):
            WEIGHTS.encode(SkinWeights.of(counts, [4, 0, 1], [1.0, 0.5, 0.5]))
    short = SkinWeights.of([1], [0], [1.0])
    short.flags = short.flags[:0]
    with pytest.raises(EditError):
        WEIGHTS.encode(short)
    with pytest.raises(EditError):
        WEIGHTS.encode(None)  # type: ignore[arg-type]


def test_bones() -> None:
    data = bone_bytes([10, -1, 24])
    value = BONES.verified(data)
    assert value.flags.tolist() == [2, 0x40, 2]
    assert value.nodes.tolist() == [10, -1, 24]
    assert value.ends.tolist() == [[13, 14], [-1, -1], [27, 28]]
    assert value.counts.tolist() == [2, 0, 2]
    assert value.sections[:, 0].view("<f4").tolist() == [0, 1, 0, 1]
    assert value.sections[:, 1].tolist() == [11, 11, 25, 25]
    assert BONES.verified(b"").nodes.tolist() == []


def test_bones_that_do_not_fill_their_chunk() -> None:
    sound = bone_bytes([1])
    for damaged in (
        sound[:-1],
        sound + b"\0\0",
        i32(-1) + sound[4:],
        i32(0x0FFFFFFF) + sound[4:],
        sound[:3],
    ):
        with pytest.raises(DecodeError):
            BONES.decode(damaged)


def test_new_bones() -> None:
    value = BoneSlots.of([5, -1])
    data = BONES.encode(value)
    assert data == i32(0) + pack("<H", 2) + i32(5, -1, -1) + i32(0) + pack("<H", 64) + i32(-1) * 3
    value.counts = np.array([1, 0], "<i4")
    with pytest.raises(EditError):
        BONES.encode(value)


def test_links() -> None:
    data = link_bytes([(-3, 1.0), (0, 0.25)])
    value = LINKS.verified(data)
    assert value.links.tolist() == [-3, 0]
    assert value.weights.tolist() == [1.0, 0.25]
    assert LINKS.verified(u32(0)).links.tolist() == []
    assert LINKS.encode(LinkWeights.of([7], [0.5])) == u32(1) + i32(7) + f32(0, 0, 0, 0.5)
    for damaged in (b"", data[:-4], data + bytes(4), u32(3) + data[4:], u32(2**31) + data[4:]):
        with pytest.raises(DecodeError):
            LINKS.decode(damaged)
    with pytest.raises(EditError):
        LINKS.encode(LinkWeights(np.zeros((1, 4), "<u4")))
