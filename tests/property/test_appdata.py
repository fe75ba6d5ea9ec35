"""Random AppData edits, against a list of pairs that is encoded from scratch."""

from __future__ import annotations

from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import ChunkError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.scene import Scene

KEYS = st.builds(
    AppDataKey, st.sampled_from([0, 0x04D64858]), st.just(2), st.just(0x1020), st.integers(0, 3)
)
ENTRIES = st.lists(st.tuples(KEYS, st.binary(max_size=12)), max_size=5, unique_by=lambda e: e[0])
LEAD, TAIL = 0x0962, 0x0900


def chunk(wide: bool, chunk_id: int, body: bytes, container: bool = False) -> bytes:
    if wide:
        return pack("<HIQ", chunk_id, 0, (len(body) + 14) | (container << 63)) + body
    return pack("<HI", chunk_id, (len(body) + 6) | (container << 31)) + body


def encode(wide: bool, entries: list[tuple[AppDataKey, bytes]] | None, rest: bytes) -> bytes:
    if entries is None:
        return rest
    body = chunk(wide, 0x0100, pack("<I", len(entries)))
    for key, value in entries:
        packed = pack("<5I", key.class_a, key.class_b, key.superclass, key.subid, len(value))
        parts = chunk(wide, 0x0120, packed) + chunk(wide, 0x0130, value)
        body += chunk(wide, 0x0110, parts, True)
    return chunk(wide, 0x2150, body, True) + rest


def scene_of(wide: bool, *bodies: bytes) -> bytes:
    return chunk(wide, 0x2004, b"".join(chunk(wide, 1, body, True) for body in bodies), True)


@given(st.booleans(), st.one_of(st.none(), ENTRIES), st.data())
def test_edits_agree_with_a_list(
    wide: bool, start: list[tuple[AppDataKey, bytes]] | None, choices: st.DataObject
) -> None:
    rest = chunk(wide, LEAD, b"n\0") + chunk(wide, TAIL, choices.draw(st.binary(max_size=9)))
    other = encode(wide, [], rest)
    original = scene_of(wide, other, encode(wide, start, rest), other)
    scene = Scene(original, [], [])
    obj = scene[1]
    entries = None if start is None else list(start)
    stored_empty = start == []
    for _ in range(choices.draw(st.integers(1, 6))):
        known = [pair[0] for pair in entries or []]
        remove: bool = choices.draw(st.booleans())
        if known and remove:
            key: AppDataKey = choices.draw(st.sampled_from(known))
            obj.appdata.remove(key)
            entries = [pair for pair in entries or [] if pair[0] != key]
            if not entries and not stored_empty:
                entries = None
        else:
            key, value = choices.draw(KEYS), choices.draw(st.binary(max_size=20))
            obj.appdata.set(key, value)
            if key in known:
                entries = [(k, value if k == key else v) for k, v in entries or []]
            else:
                entries = [*(entries or []), (key, value)]
        assert bytes(obj.data.data) == encode(wide, entries, rest)
        assert [tuple(item) for item in obj.appdata] == (entries or [])
        assert obj.appdata.problems() == []
        assert scene.encode() == scene_of(wide, other, encode(wide, entries, rest), other)
    obj.data.revert()
    assert scene.encode() == original


OPERATIONS = st.lists(
    st.one_of(st.tuples(KEYS, st.binary(max_size=9)), st.tuples(KEYS, st.none())), max_size=8
)


@given(st.booleans(), st.booleans(), st.one_of(st.none(), ENTRIES), OPERATIONS)
def test_edits_at_once_agree_with_a_list(
    wide: bool,
    repeat: bool,
    start: list[tuple[AppDataKey, bytes]] | None,
    operations: list[tuple[AppDataKey, bytes | None]],
) -> None:
    if repeat and start:
        start = [*start, start[0]]
    rest = chunk(wide, LEAD, b"n\0")
    original = scene_of(wide, encode(wide, start, rest))
    scene = Scene(original, [], [])
    obj = scene[0]
    model = list(start or [])
    with obj.appdata.editing() as entries:
        for key, value in operations:
            known = [pair[0] for pair in model]
            # The first of several entries with a key.
            at = known.index(key) if key in known else len(model)
            if value is not None:
                entries.set(key, value)
                model[at : at + 1] = [(key, value)]
            elif key in entries:
                entries.remove(key)
                del model[at]
            assert entries.get(key) == dict(reversed(model)).get(key)
        assert [tuple(item) for item in entries] == model
        assert len(entries) == len(model)
        assert obj.data.revision == 0
    left = model if model or start == [] else None
    assert scene.encode() == scene_of(wide, encode(wide, left, rest))
    # A change of one entry besides the count, or one new run of chunks.
    assert obj.data.revision <= 2
    assert obj.appdata.problems() == []


@given(st.booleans(), st.one_of(st.none(), ENTRIES), KEYS, st.binary(max_size=9))
def test_a_change_and_its_reversal_leave_the_bytes(
    wide: bool, start: list[tuple[AppDataKey, bytes]] | None, key: AppDataKey, value: bytes
) -> None:
    original = scene_of(wide, encode(wide, start, chunk(wide, LEAD, b"")))
    scene = Scene(original, [], [])
    appdata = scene[0].appdata
    old = appdata.get(key)
    appdata.set(key, value)
    assert appdata.get(key) == value
    if old is None:
        appdata.remove(key)
    else:
        appdata.set(key, old)
    assert not scene.edited
    assert scene.encode() == original


@given(st.booleans(), ENTRIES, st.data())
def test_damage_is_never_written_over(
    wide: bool, start: list[tuple[AppDataKey, bytes]], choices: st.DataObject
) -> None:
    """Whatever a byte is changed to: reading works, and an edit changes what it says or nothing."""
    body = bytearray(encode(wide, start, chunk(wide, LEAD, b"abc")))
    body[choices.draw(st.integers(0, len(body) - 1))] = choices.draw(st.integers(0, 255))
    scene = Scene(scene_of(wide, bytes(body)), [], [])
    obj = scene[0]
    list(scene.appdata())
    try:
        items = list(obj.appdata)
    except ChunkError:
        items = []
        assert obj.appdata.problems()
    if obj.appdata.problems():
        return
    key = AppDataKey(9, 9, 9, 9)
    obj.appdata.set(key, b"new")
    assert list(obj.appdata) == [*items, (key, b"new")]
    obj.appdata.remove(key)
    assert bytes(obj.data.data) == bytes(body)
