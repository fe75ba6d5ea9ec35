"""What undoing and converting rely on: differences, lines of the log, AppData types."""

from __future__ import annotations

import tempfile
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.migrate.appdata_types import TYPES, convert
from maxsidecar.migrate.log import Entry, Log
from maxsidecar.migrate.store import Store, UndoRecord, path_key


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Bytes, and what a few edits make of them."""
    old = draw(st.binary(max_size=300)) * draw(st.integers(1, 200))
    new = bytearray(old)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 40))] = draw(st.binary(max_size=40))
    return old, bytes(new)


@given(edited(), st.text(max_size=20))
def test_an_undo_record_gives_the_old_bytes(files: tuple[bytes, bytes], place: str) -> None:
    old, new = files
    log = Log()
    log.change(place, "x", old[:50], None)
    log.problem(place)
    record = UndoRecord(
        "/a", sha256(old).hexdigest(), sha256(new).hexdigest(), "f", None, log.entries
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        store.write(record, 3, old, memoryview(new))
        assert store.read("/a", 3) == record
        assert store.old_bytes(path_key("/a"), 3, new) == old
        assert list(store.all_records()) == [(path_key("/a"), (3,))]


@given(st.text(), st.text(), st.none() | st.text(), st.none() | st.text())
def test_entries_come_back_from_their_lines(
    place: str, text: str, old: str | None, new: str | None
) -> None:
    entry = Entry("change", place, text, old, new)
    assert Entry.parse(entry.as_dict()) == entry


@given(
    st.sampled_from(sorted(TYPES)), st.sampled_from(sorted(TYPES)),
    st.binary(max_size=8)
    | st.integers(-(2**31), 2**31 - 1).map(lambda n: b"%d\0" % n)
    | st.floats(width=32, allow_nan=False, allow_infinity=False).map(
        lambda x: repr(x).encode() + b"\0"
    )
    | st.binary(min_size=4, max_size=4),
)  # fmt: skip
def test_a_second_conversion_changes_nothing(old: str, new: str, raw: bytes) -> None:
    try:
        once = convert(raw, TYPES[old], TYPES[new], "cp1252")
    except (DecodeError, EditError):
        return
    assert convert(once, TYPES[old], TYPES[new], "cp1252") == once
    TYPES[new].decode(once, "cp1252")
