"""States of objects made by hand."""

from __future__ import annotations

from maxsidecar.scene.coverage import RAW, READ_ONLY, TYPED, cover, cover_object
from tests.support.scenes import SceneMaker, f32, u32

DUMMY = (0x876234, 0, 0x50)
UNKNOWN = (0x7777, 0x8888, 0x50)


def test_states() -> None:
    maker = SceneMaker()
    sound = maker.add(DUMMY, [(0x09EC, u32(0)), (0x09ED, f32(*[0] * 6)), (0x7001, b"xy")])
    odd = maker.add(DUMMY, [(0x09EC, u32(0)), (0x09ED, b"short")])
    unknown = maker.add(UNKNOWN, [(0x204B, b"."), (0x7001, [(0x0001, b"abc")])])
    common = maker.add(UNKNOWN, [(0x204B, b".")], [None])
    scene = maker.scene()

    found = cover_object(scene[sound])
    assert (found.state, found.size, found.typed_size) == (TYPED, 30, 28)
    found = cover_object(scene[odd])
    assert (found.state, found.size, found.typed_size) == (READ_ONLY, 9, 4)
    assert found.reason.startswith("box: ")
    found = cover_object(scene[unknown])
    assert (found.state, found.size, found.typed_size) == (RAW, 4, 1)
    assert cover_object(scene[common]).state == TYPED

    by_class = {item.chunk_id: item for item in cover(scene)}
    dummies = by_class[scene.chunk_id(sound)]
    assert dummies.objects == 2
    assert dummies.text.startswith("read-only 1, typed 1: box: ")
    assert by_class[scene.chunk_id(unknown)].text == "raw 1, typed 1"
