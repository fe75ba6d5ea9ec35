"""Putting other texts into a property set.

Only the texts, their padding, and the offsets and sizes that follow from them change; what stands
behind a text moves as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from struct import Struct
from typing import Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Buffer
from maxsidecar.io.new_values import check_new
from maxsidecar.scene.property_set import PropertySet, read_property_set
from maxsidecar.scene.property_values import StoredText, read_value, verified_size

__all__ = ["TextPlace", "replace_texts"]

_COUNT_AT: Final = 24
_HEADER_SIZE: Final = 28
_SECTION: Final = Struct("<16sI")
_PAIR: Final = Struct("<II")
_U32: Final = Struct("<I")
_VECTOR: Final = 0x1000
_VT_LPSTR: Final = 0x1E
_VT_LPWSTR: Final = 0x1F


@dataclass(frozen=True, order=True, slots=True)
class TextPlace:
    """A text in a property set.

    Attributes:
        section: Number of the section.
        property_id: Id of the property.
        item: Which item of a vector, ``None`` for a single text.
    """

    section: int
    property_id: int
    item: int | None = None


@dataclass(frozen=True, slots=True)
class _Splice:
    """Bytes in place of others; offsets of the stream as it was read."""

    start: int
    end: int
    new: bytes

    @property
    def grown(self) -> int:
        return len(self.new) - (self.end - self.start)


def replace_texts(data: Buffer, changes: Mapping[TextPlace, str]) -> bytes:
    """Return a property set with other texts.

    Args:
        data: The stream.
        changes: The new texts.

    Raises:
        EditError: A text is not there, is not understood to the last byte, or cannot be written in
            the code page of its section.
        DecodeError: The stream is damaged.
    """
    stored = bytes(data)
    known = read_property_set(stored)
    by_property: dict[tuple[int, int], dict[int | None, str]] = {}
    for place, text in changes.items():
        by_property.setdefault((place.section, place.property_id), {})[place.item] = text
    splices = sorted(
        (
            splice
            for (section, property_id), texts in by_property.items()
            for splice in _splices(stored, known, section, property_id, texts)
        ),
        key=lambda splice: splice.start,
    )
    out = bytearray()
    pos = 0
    for splice in splices:
        out += stored[pos : splice.start] + splice.new
        pos = splice.end
    out += stored[pos:]
    _move(stored, out, splices)
    new = bytes(out)
    _check(known, read_property_set(new), changes)
    return new


def _starts(data: bytes) -> Iterator[int]:
    """Yield where each section begins."""
    (count,) = _U32.unpack_from(data, _COUNT_AT)
    for number in range(count):
        yield _SECTION.unpack_from(data, _HEADER_SIZE + number * _SECTION.size)[1]


def _pairs(data: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Yield id and offset of each property of a section, with the place of the pair."""
    _, count = _PAIR.unpack_from(data, start)
    for number in range(count):
        at = start + _PAIR.size * (number + 1)
        yield (*_PAIR.unpack_from(data, at), at)


def _splices(
    data: bytes, known: PropertySet, number: int, property_id: int, texts: Mapping[int | None, str]
) -> Iterator[_Splice]:
    """Yield the changes of one property, in the order of its texts."""
    starts = list(_starts(data))
    if not 0 <= number < len(starts):
        raise EditError("there is no such section of properties", found=number)
    section = known.sections[number]
    prop = section.properties.get(property_id)
    if prop is None or prop.problem is not None:
        raise EditError(f"property {property_id:x} cannot be read")
    try:
        verified_size(prop.raw, prop.type, prop.value)
    except DecodeError as error:
        raise EditError(f"the properties are read-only: {error.message}") from error
    kind = prop.type & ~_VECTOR
    single = not prop.type & _VECTOR
    if kind not in (_VT_LPSTR, _VT_LPWSTR) or (None in texts) is not single:
        raise EditError(f"property {property_id:x} is no such text")
    at = next(
        starts[number] + offset
        for key, offset, _ in _pairs(data, starts[number])
        if key == property_id
    )
    beside = prop.value if isinstance(prop.value, tuple) else (prop.value,)
    stored = [item for item in beside if isinstance(item, StoredText)]
    # Either all lengths take in the padding, or none does (measured).
    padded = all(len(text.raw) % 4 == 0 for text in stored) and any(
        text.raw.endswith(b"\0\0\0\0" if text.encoding.startswith("utf-16") else b"\0\0")
        for text in stored
    )
    left = {(item or 0): text for item, text in texts.items()}
    behind = 4 if single else 8
    for item in range(len(beside)):
        pos = behind
        old, behind = read_value(prop.raw, pos, kind, section.encoding, nested=True)
        text = left.pop(item, None)
        if text is not None and isinstance(old, StoredText):
            new = _encode(old, text, kind, padded)
            yield _Splice(at + pos, at + min(behind, len(prop.raw)), new)
    if left:
        raise EditError("the property has not so many texts", found=len(beside))


def _encode(old: StoredText, text: str, kind: int, padded: bool) -> bytes:
    """Return a new text in the form of an old one: terminated, its padding counted or not."""
    wide = old.encoding.startswith("utf-16")
    nul = b"\0\0" if wide else b"\0"
    check_new(text, old)
    try:
        body = text.encode(old.encoding, "surrogatepass" if wide else "surrogateescape") + nul
    except UnicodeEncodeError as error:
        bad = text[error.start : error.end]
        raise EditError(f"{bad!r} cannot be written in {old.encoding}") from None
    if padded:
        body += bytes(-len(body) % 4)
    count = len(body) // (2 if kind == _VT_LPWSTR else 1)
    return _U32.pack(count) + body + bytes(-len(body) % 4)


def _move(data: bytes, out: bytearray, splices: list[_Splice]) -> None:
    """Write offsets and sizes anew; tables stand in front of what was spliced in their section."""
    starts = [splice.start for splice in splices]
    grown = list(accumulate((splice.grown for splice in splices), initial=0))

    def moved(offset: int) -> int:
        return offset + grown[bisect_left(starts, offset)]

    for number, start in enumerate(_starts(data)):
        new_start = moved(start)
        _put(out, _HEADER_SIZE + number * _SECTION.size + 16, new_start)
        size, _ = _PAIR.unpack_from(data, start)
        _put(out, new_start, moved(start + size) - new_start)
        for _, offset, at in _pairs(data, start):
            _put(out, moved(at) + 4, moved(start + offset) - new_start)


def _put(out: bytearray, at: int, value: int) -> None:
    """Write a number; sections or values that overlap can ask for impossible ones."""
    if not (0 <= value < 1 << 32 and 0 <= at <= len(out) - _U32.size):
        raise EditError("the properties cannot be laid out anew")
    _U32.pack_into(out, at, value)


def _check(old: PropertySet, new: PropertySet, changes: Mapping[TextPlace, str]) -> None:
    """Compare what is read back with what was to be written."""
    for number, (before, after) in enumerate(zip(old.sections, new.sections, strict=True)):
        if before.properties.keys() != after.properties.keys() or before.names != after.names:
            raise EditError("the properties cannot be laid out anew")
        for key, prop in before.properties.items():
            expected = prop.value
            if isinstance(expected, tuple):
                expected = tuple(
                    changes.get(TextPlace(number, key, item), value)
                    for item, value in enumerate(expected)
                )
            else:
                expected = changes.get(TextPlace(number, key), expected)
            if after.properties[key].value != expected:
                raise EditError("the properties cannot be laid out anew")
