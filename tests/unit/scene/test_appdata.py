"""AppData of an object: exact bytes of every edit, and its reversal."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Protocol

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.appdata import AppDataItem
from maxsidecar.scene.appdata_registry import AppDataKey, Property
from maxsidecar.scene.appdata_values import INT, TEXT
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene


class Make(Protocol):
    """How chunks of one header form are packed."""

    def __call__(self, chunk_id: int, body: bytes = b"", container: bool = False) -> bytes: ...


A, B, C = (AppDataKey(0x04D64858, 0x16D1751D, 0x1020, subid) for subid in (1, 2, 3))


def narrow(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (0x80000000 if container else 0)) + body


def wide(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HIQ", chunk_id, 0, len(body) + 14 + ((1 << 63) if container else 0)) + body


def entry(key: AppDataKey, value: bytes, make: Make = narrow, size: int | None = None) -> bytes:
    stored = len(value) if size is None else size
    packed = pack("<5I", key.class_a, key.class_b, key.superclass, key.subid, stored)
    return make(0x0110, make(0x0120, packed) + make(0x0130, value), True)


def container(*entries: bytes, count: int | None = None, make: Make = narrow) -> bytes:
    head = make(0x0100, pack("<I", len(entries) if count is None else count))
    return make(0x2150, head + b"".join(entries), True)


REST = narrow(0x0962, b"n\0")


def make_object(body: bytes, make: Make = narrow) -> SceneObject:
    return Scene(make(0x2004, make(1, body, True), True), [], [])[0]


def body_of(obj: SceneObject) -> bytes:
    return bytes(obj.data.data)


THREE = container(entry(A, b"one"), entry(B, b""), entry(C, b"three"))


def test_entries_are_read_in_order() -> None:
    data = make_object(REST + THREE).appdata
    assert list(data) == [AppDataItem(A, b"one"), AppDataItem(B, b""), AppDataItem(C, b"three")]
    assert len(data) == 3
    assert data.get(B) == b""
    assert A in data
    missing = AppDataKey(0, 0, 0, 1)
    assert missing not in data
    assert data.get(missing) is None
    assert data.problems() == []


@pytest.mark.parametrize("make", [narrow, wide])
def test_a_change_touches_the_value_and_its_size(make: Make) -> None:
    def stored(value: bytes) -> bytes:
        entries = (entry(A, b"one", make), entry(B, value, make), entry(C, b"three", make))
        return container(*entries, make=make)

    obj = make_object(stored(b"old") + REST, make)
    obj.appdata.set(B, b"a longer value")
    assert body_of(obj) == stored(b"a longer value") + REST
    obj.appdata.set(B, b"old")
    assert body_of(obj) == stored(b"old") + REST
    assert not obj.edited
    obj.appdata.set(B, b"old")
    assert obj.data.revision == 2


@pytest.mark.parametrize("make", [narrow, wide])
def test_a_new_entry_goes_to_the_end(make: Make) -> None:
    two = [entry(A, b"one", make), entry(B, b"", make)]
    obj = make_object(container(*two, make=make) + REST, make)
    obj.appdata.set(C, b"new")
    assert body_of(obj) == container(*two, entry(C, b"new", make), make=make) + REST
    obj.appdata.remove(C)
    assert not obj.edited


@pytest.mark.parametrize("make", [narrow, wide])
def test_a_new_container_goes_in_front_and_with_its_last_entry(make: Make) -> None:
    rest = make(0x0962, b"n\0")
    obj = make_object(rest, make)
    obj.appdata.set(A, b"new")
    assert body_of(obj) == container(entry(A, b"new", make), make=make) + rest
    obj.appdata.remove(A)
    assert body_of(obj) == rest
    assert not obj.edited


def test_a_large_wide_chunk_in_front_does_not_make_the_container_wide() -> None:
    large = wide(0x0900, bytes(1 << 20))
    obj = make_object(large + REST)
    obj.appdata.set(A, b"v")
    assert body_of(obj) == container(entry(A, b"v")) + large + REST


def test_removing_the_last_entry_and_adding_it_again() -> None:
    obj = make_object(container(entry(A, b"one")) + REST)
    obj.appdata.remove(A)
    assert body_of(obj) == REST
    obj.appdata.set(A, b"one")
    assert not obj.edited


def test_a_container_that_was_stored_empty_comes_back_empty() -> None:
    obj = make_object(REST + container())
    assert obj.appdata.problems() == []
    obj.appdata.set(A, b"one")
    assert body_of(obj) == REST + container(entry(A, b"one"))
    obj.appdata.remove(A)
    assert not obj.edited


def test_removing_keeps_the_others() -> None:
    obj = make_object(THREE + REST)
    obj.appdata.remove(A)
    assert body_of(obj) == container(entry(B, b""), entry(C, b"three")) + REST
    with pytest.raises(KeyError):
        obj.appdata.remove(A)


def test_keys_that_repeat_are_told_apart_by_occurrence() -> None:
    def stored(*values: bytes) -> bytes:
        return container(*(entry(A, value) for value in values))

    obj = make_object(stored(b"1", b"2"))
    obj.appdata.set(A, b"changed", occurrence=1)
    assert body_of(obj) == stored(b"1", b"changed")
    obj.appdata.set(A, b"3", occurrence=2)
    assert body_of(obj) == stored(b"1", b"changed", b"3")
    with pytest.raises(EditError, match="no entry number 5"):
        obj.appdata.set(A, b"x", occurrence=4)
    obj.appdata.remove(A, occurrence=0)
    assert body_of(obj) == stored(b"changed", b"3")
    with pytest.raises(KeyError):
        obj.appdata.remove(A, occurrence=2)


def test_entries_may_be_edited_while_they_are_listed() -> None:
    obj = make_object(THREE + REST)
    for key, value in obj.appdata:
        if value:
            obj.appdata.set(key, value + b"!")
        else:
            obj.appdata.remove(key)
    assert body_of(obj) == container(entry(A, b"one!"), entry(C, b"three!")) + REST


def test_stored_views_follow_edits() -> None:
    obj = make_object(THREE + REST)
    stored = obj.stored_appdata
    assert stored is not None
    first, second, third = stored.entries
    obj.appdata.set(A, b"a longer value")
    obj.appdata.remove(B)
    obj.appdata.set(B, b"again")
    assert first.value == b"a longer value"
    assert third.value == b"three"
    assert third.key is not None
    assert third.key.subid == 3
    with pytest.raises(EditError, match="no longer there"):
        second.value  # noqa: B018 - reading is the test
    assert stored.count == 3


def test_values_are_in_the_code_page_of_the_scene() -> None:
    prop = Property(A, "TEXT", ("x", "text"), TEXT, "", "some text")
    body = narrow(1, container(entry(A, "дом".encode("cp1251") + b"\0")) + REST, True)
    obj = Scene(narrow(0x2004, body, True), [], [], code_page=lambda: "cp1251")[0]
    assert obj.appdata.value(prop) == "дом"
    assert not obj.appdata.edit(prop, "дом")
    assert not obj.edited
    assert obj.appdata.edit(prop, "река")
    assert obj.appdata.get(A) == "река".encode("cp1251") + b"\0"
    with pytest.raises(EditError, match="cannot be stored"):
        obj.appdata.edit(prop, "é")
    obj.appdata.remove(A)
    assert obj.appdata.value(prop) is None
    assert obj.appdata.edit(prop, "")
    assert obj.appdata.get(A) == b"\0"


def test_a_value_that_is_not_of_its_type_is_not_written_over() -> None:
    prop = Property(A, "NUMBER", ("x", "number"), INT, 0, "a number")
    obj = make_object(THREE + REST)
    with pytest.raises(DecodeError):
        obj.appdata.value(prop)
    with pytest.raises(EditError, match="read-only by name"):
        obj.appdata.edit(prop, 1)
    assert not obj.edited


def test_many_edits_are_one_splice() -> None:
    def stored(*values: bytes) -> bytes:
        return container(*(entry(AppDataKey(1, 2, 3, n), v) for n, v in enumerate(values)))

    obj = make_object(REST)
    with obj.appdata.editing() as entries:
        for n in range(2000):
            entries.set(AppDataKey(1, 2, 3, n), b"%d" % n)
    assert obj.data.revision == 1
    assert body_of(obj) == stored(*(b"%d" % n for n in range(2000))) + REST
    with obj.appdata.editing() as entries:
        for n in range(2000):
            entries.set(AppDataKey(1, 2, 3, n), b"new")
    assert obj.data.revision == 2
    assert body_of(obj) == stored(*[b"new"] * 2000) + REST
    with obj.appdata.editing() as entries:
        for n in range(2000):
            entries.remove(AppDataKey(1, 2, 3, n))
    assert obj.data.revision == 3
    assert not obj.edited


def test_entries_that_are_not_changed_keep_their_header_forms() -> None:
    mixed = container(entry(A, b"one", wide), entry(B, b"two"), entry(C, b"three", wide))
    obj = make_object(mixed + REST)
    with obj.appdata.editing() as entries:
        entries.set(A, b"1")
        entries.remove(B)
    assert body_of(obj) == container(entry(A, b"1", wide), entry(C, b"three", wide)) + REST


def test_an_exception_leaves_the_object_as_it_was() -> None:
    obj = make_object(THREE + REST)

    def fail() -> None:
        with obj.appdata.editing() as entries:
            entries.set(A, b"new")
            entries.remove(A, occurrence=1)

    with pytest.raises(KeyError):
        fail()
    assert obj.data.revision == 0


def test_edits_at_once_do_not_undo_others() -> None:
    obj = make_object(THREE + REST)

    def mix() -> None:
        with obj.appdata.editing() as entries:
            entries.set(A, b"new")
            obj.appdata.set(B, b"meanwhile")

    with pytest.raises(EditError, match="edited while"):
        mix()
    assert [item.value for item in obj.appdata] == [b"one", b"meanwhile", b"three"]


# --- damage ----------------------------------------------------------------------------------

GOOD = entry(A, b"one")
KEY_BYTES = pack("<5I", A.class_a, A.class_b, A.superclass, A.subid, 3)


@pytest.mark.parametrize(
    ("stored", "readable", "reason"),
    [
        (container(GOOD, entry(B, b"2", size=9)), [A], "of the size it says"),
        (container(GOOD, narrow(0x0110, b"bad", True)), [A], "of the size it says"),
        (container(GOOD, narrow(0x0110, b"leaf")), [A], "of the size it says"),
        (container(GOOD, count=2), [A], "count says 2, but there are 1"),
        (container(GOOD, narrow(0x0111)), [A], "other chunks"),
        (narrow(0x2150, GOOD, True), [A], "other chunks"),
        (narrow(0x2150, b"", True), [], "other chunks"),
        (narrow(0x2150, narrow(0x0100, b"12") + GOOD, True), [A], "not a 32-bit number"),
        (
            narrow(0x2150, narrow(0x0100, narrow(0x0101)[:4], True) + GOOD, True),
            [A],
            "not a 32-bit number",
        ),
        (narrow(0x2150, b"data"), [], "not a container"),
        (container(GOOD, GOOD[:-1]), [A], "ends outside its parent"),
        (container(GOOD) + container(entry(B, b"2")), [A], "more than one"),
        (
            container(
                narrow(0x0110, narrow(0x0120, KEY_BYTES) + narrow(0x0130, b"one", True), True)
            ),
            [],
            "of the size it says",
        ),
    ],
)
def test_damage_is_read_around_and_refuses_edits(
    stored: bytes, readable: list[AppDataKey], reason: str
) -> None:
    obj = make_object(stored + REST)
    assert [item.key for item in obj.appdata] == readable
    assert len(obj.appdata) == len(readable)
    assert obj.appdata.problems()
    changes: list[Callable[[], None]] = [
        lambda: obj.appdata.set(A, b"changed"),
        lambda: obj.appdata.set(C, b"new"),
        lambda: obj.appdata.remove(A),
    ]
    for change in changes:
        with pytest.raises(EditError, match=f"the AppData is read-only: .*{reason}") as caught:
            change()
        assert caught.value.where.path == "2004[0]/0001[0]"
    assert not obj.edited
