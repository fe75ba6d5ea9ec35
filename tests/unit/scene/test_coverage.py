"""States of objects made by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from maxsidecar.scene.coverage import PARTLY, RAW, READ_ONLY, STATES, TYPED, cover, cover_object
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.roundtrip import check_bytes
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.village import village

DUMMY = (0x876234, 0, 0x50)
UNKNOWN = (0x7777, 0x8888, 0x50)


def test_states() -> None:
    maker = SceneMaker()
    sound = maker.add(DUMMY, [(0x09EC, u32(0)), (0x09ED, f32(*[0] * 6))])
    more = maker.add(DUMMY, [(0x09EC, u32(0)), (0x09ED, f32(*[0] * 6)), (0x7001, b"xy")])
    odd = maker.add(DUMMY, [(0x09EC, u32(0)), (0x09ED, b"short")])
    unknown = maker.add(UNKNOWN, [(0x204B, b"."), (0x7001, [(0x0001, b"abc")])])
    mark = maker.add(UNKNOWN, [(0x204B, b"."), (0x7001, b"")])
    common = maker.add(UNKNOWN, [(0x204B, b".")], [None])
    scene = maker.scene()

    found = cover_object(scene[sound])
    assert (found.state, found.size, found.typed_size) == (TYPED, 28, 28)
    found = cover_object(scene[more])
    assert (found.state, found.size, found.typed_size) == (PARTLY, 30, 28)
    found = cover_object(scene[odd])
    assert (found.state, found.size, found.typed_size) == (READ_ONLY, 9, 4)
    assert found.reason.startswith("box: ")
    # What every object may have is nobody's own: a slot of 4 bytes, a number of 1.
    found = cover_object(scene[unknown])
    assert (found.state, found.size, found.typed_size, found.common_size) == (RAW, 3, 0, 1)
    assert cover_object(scene[mark]).state == RAW
    found = cover_object(scene[common])
    assert (found.state, found.bare, found.size, found.common_size) == (TYPED, True, 0, 5)

    by_class = {item.chunk_id: item for item in cover(scene)}
    dummies = by_class[scene.chunk_id(sound)]
    assert (dummies.objects, dummies.size, dummies.typed_size) == (3, 28 + 30 + 9, 28 + 28 + 4)
    assert dummies.text.startswith("typed 1, typed in part 1, read-only 1: box: ")
    others = by_class[scene.chunk_id(unknown)]
    assert (others.text, others.bare) == ("typed 1, raw 2", 1)


def test_what_is_kept_as_bytes_is_not_decoded() -> None:
    maker = SceneMaker()
    script = (0x7C8F3A2A, 0x1E954D91, 0x900D)
    text = maker.add(script, [(0x5000, b"[1,1,1]")])
    number = maker.add(script, [(0x5000, b"[1,1,1]"), (0x5002, u32(0))])
    scene = maker.scene()
    assert cover_object(scene[text]).state == RAW
    found = cover_object(scene[number])
    assert (found.state, found.size, found.typed_size) == (PARTLY, 11, 4)


def test_containers_are_typed_when_all_in_them_is() -> None:
    maker = SceneMaker()
    light = (0x1011, 0, 0x30)
    handles = [(0x3E9, u32(1)), (0x3EC, u32(6)), (0x3EA, u32(7))]
    full = maker.add(light, [(0x2800, handles)])
    part = maker.add(light, [(0x2800, [*handles, (0x7777, [(1, b"?")])])])
    scene = maker.scene()
    found = cover_object(scene[full])
    assert (found.state, found.size, found.typed_size) == (TYPED, 12, 12)
    found = cover_object(scene[part])
    assert (found.state, found.size, found.typed_size) == (PARTLY, 13, 12)


def test_the_check_counts_the_same_states() -> None:
    data = village().to_bytes()
    states = Counter(
        state for item in cover(MaxFile(data).scene) for state in item.states.elements()
    )
    result = check_bytes(data, Path("memory.max"))
    counted = (
        result.typed_objects, result.partly_typed_objects, result.read_only_objects,
        result.raw_objects,
    )  # fmt: skip
    assert counted == tuple(states[state] for state in STATES)
    assert sum(counted) == result.objects
