"""Typed values of property sets: reading, and checking that they would be written the same.

(Public documentation of the ``VT_...`` types; padding and code pages measured on the corpus,
docs/format/streams.md section 8.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Final, TypeAlias
from uuid import UUID

from maxsidecar.errors import DecodeError

__all__ = [
    "PropertyValue",
    "StoredText",
    "Variant",
    "read_names",
    "read_value",
    "verified_size",
]


class StoredText(str):
    """A string, with the bytes that it was read from.

    Attributes:
        raw: The bytes, with the terminating NULs.
        encoding: Python codec of the bytes.
    """

    __slots__ = ("encoding", "raw")

    raw: bytes
    encoding: str


@dataclass(frozen=True, slots=True)
class Variant:
    """An item of a vector whose items have types of their own."""

    type: int
    value: PropertyValue


#: FILETIME values are ``int``: 100 ns since 1601 (UTC).  Blobs and pictures are ``bytes``.
PropertyValue: TypeAlias = (
    int | float | bool | bytes | str | UUID | Variant | tuple["PropertyValue", ...] | None
)

_VECTOR: Final = 0x1000
_VT_EMPTY: Final = 0x00
_VT_NULL: Final = 0x01
_VT_BOOL: Final = 0x0B
_VT_VARIANT: Final = 0x0C
_VT_LPSTR: Final = 0x1E
_VT_LPWSTR: Final = 0x1F
_VT_BLOB: Final = 0x41
_VT_CF: Final = 0x47
_VT_CLSID: Final = 0x48

_U32 = Struct("<I")
_NUMBERS: Final = {
    0x02: Struct("<h"),
    0x03: Struct("<i"),
    0x04: Struct("<f"),
    0x05: Struct("<d"),
    0x0A: Struct("<I"),
    _VT_BOOL: Struct("<H"),
    0x10: Struct("<b"),
    0x11: Struct("<B"),
    0x12: Struct("<H"),
    0x13: Struct("<I"),
    0x14: Struct("<q"),
    0x15: Struct("<Q"),
    0x16: Struct("<i"),
    0x17: Struct("<I"),
    0x40: Struct("<Q"),
}
# Types that take at least four bytes, so that the count of a vector is bounded by its bytes.
_ITEMS: Final = frozenset(
    {0x03, 0x04, 0x05, 0x13, 0x14, 0x15, 0x40, _VT_VARIANT, _VT_LPSTR, _VT_LPWSTR, _VT_CLSID}
)


def read_value(
    data: bytes, pos: int, kind: int, encoding: str, *, nested: bool = False
) -> tuple[PropertyValue, int]:
    """Read a value behind its type.

    Args:
        data: Bytes that hold the whole value.
        pos: Where the value begins; a multiple of 4.
        kind: Type, with 0x1000 for a vector.
        encoding: Codec of 8-bit strings.
        nested: The value is an item of a vector, and may be no vector itself.

    Returns:
        The value, and where the next one begins.

    Raises:
        DecodeError: Unknown type, or the value ends outside ``data``.
    """
    if kind & _VECTOR and not nested:
        return _vector(data, pos, kind & ~_VECTOR, encoding)
    if kind in (_VT_EMPTY, _VT_NULL):
        return None, pos
    layout = _NUMBERS.get(kind)
    if layout is not None:
        _need(data, pos, layout.size)
        number: int | float = layout.unpack_from(data, pos)[0]
        return number != 0 if kind == _VT_BOOL else number, pos + (layout.size + 3 & ~3)
    if kind == _VT_CLSID:
        return UUID(bytes_le=_take(data, pos, 16)), pos + 16
    if kind in (_VT_LPSTR, _VT_LPWSTR, _VT_BLOB, _VT_CF):
        _need(data, pos, 4)
        size = _U32.unpack_from(data, pos)[0] * (2 if kind == _VT_LPWSTR else 1)
        raw = _take(data, pos + 4, size)
        behind = pos + 4 + (size + 3 & ~3)
        if kind in (_VT_BLOB, _VT_CF):
            return raw, behind
        return _text(raw, "utf-16-le" if kind == _VT_LPWSTR else encoding), behind
    raise DecodeError("a value of unknown type", found=f"{kind:04x}")


def _vector(data: bytes, pos: int, kind: int, encoding: str) -> tuple[PropertyValue, int]:
    if kind not in _ITEMS:
        raise DecodeError("a vector of unknown type", found=f"{kind:04x}")
    _need(data, pos, 4)
    count = _U32.unpack_from(data, pos)[0]
    pos += 4
    _need(data, pos, 4 * count)
    items: list[PropertyValue] = []
    for _ in range(count):
        if kind == _VT_VARIANT:
            _need(data, pos, 4)
            item_kind = _U32.unpack_from(data, pos)[0]
            value, pos = read_value(data, pos + 4, item_kind, encoding, nested=True)
            items.append(Variant(item_kind, value))
        else:
            value, pos = read_value(data, pos, kind, encoding, nested=True)
            items.append(value)
    return tuple(items), pos


def _need(data: bytes, pos: int, size: int) -> None:
    if size > len(data) - pos:
        raise DecodeError("a value is cut off", expected=size, found=max(0, len(data) - pos))


def _take(data: bytes, pos: int, size: int) -> bytes:
    _need(data, pos, size)
    return data[pos : pos + size]


def _text(raw: bytes, encoding: str) -> StoredText:
    """Decode a string; what its codec lacks survives or is replaced, but never raises."""
    if encoding.startswith("utf-16"):
        whole = raw[: len(raw) & ~1]
        text = StoredText(str(whole, encoding, "surrogatepass").rstrip("\0"))
    else:
        text = StoredText(str(raw, encoding, "surrogateescape").rstrip("\0"))
    text.raw = raw
    text.encoding = encoding
    return text


def read_names(raw: bytes, wide: bool, encoding: str) -> dict[int, str]:
    """Read the dictionary of user properties, as far as it is whole.

    Args:
        raw: ``u32 count``, then for each name ``u32 property id, u32 length, name``.
        wide: Code page 1200: lengths count characters, and names are padded to 4 bytes.
        encoding: Codec of the names.
    """
    names: dict[int, str] = {}
    if len(raw) < 4:
        return names
    count = _U32.unpack_from(raw)[0]
    pos = 4
    for _ in range(min(count, len(raw) // 8)):
        if len(raw) - pos < 8:
            break
        property_id, length = Struct("<II").unpack_from(raw, pos)
        size = length * (2 if wide else 1)
        if size > len(raw) - pos - 8:
            break
        names.setdefault(property_id, str(_text(raw[pos + 8 : pos + 8 + size], encoding)))
        pos += 8 + (size + 3 & ~3 if wide else size)
    return names


def verified_size(raw: bytes, kind: int, value: PropertyValue) -> int:
    """Write a value again, compare with the bytes it was read from, and count them.

    Pad bytes may hold anything (measured: 8 files have garbage there) and do not count.

    Args:
        raw: Type and value as stored, and whatever lies behind them.
        kind: Type.
        value: The value.

    Raises:
        DecodeError: It would not be written the same.
    """
    pos = 4
    size = 0
    for piece in _pieces(value, kind):
        if isinstance(piece, int):
            pos += piece
        elif raw[pos : pos + len(piece)] == piece:
            pos += len(piece)
            size += len(piece)
        else:
            raise DecodeError(
                "the value would not be written the same",
                expected=raw[pos : pos + min(16, len(piece))].hex(),
                found=piece[:16].hex(),
            )
    return size


def _pieces(value: PropertyValue, kind: int) -> Iterator[bytes | int]:
    """Yield the bytes of a value; a number stands for so many pad bytes."""
    if isinstance(value, tuple):
        yield _U32.pack(len(value))
        for item in value:
            if isinstance(item, Variant):
                yield _U32.pack(item.type)
                yield from _item_pieces(item.value, item.type)
            else:
                yield from _item_pieces(item, kind & ~_VECTOR)
    else:
        yield from _item_pieces(value, kind)


def _item_pieces(value: PropertyValue, kind: int) -> Iterator[bytes | int]:
    layout = _NUMBERS.get(kind)
    if isinstance(value, StoredText):
        body = _encode_text(value)
        yield _U32.pack(len(body) // (2 if kind == _VT_LPWSTR else 1))
    elif isinstance(value, UUID):
        body = value.bytes_le
    elif isinstance(value, bytes):
        body = value
        yield _U32.pack(len(body))
    elif layout is not None and isinstance(value, int | float):
        body = layout.pack(0xFFFF if value is True else value)
    else:
        body = b""
    yield body
    yield -len(body) % 4


def _encode_text(text: StoredText) -> bytes:
    errors = "surrogatepass" if text.encoding.startswith("utf-16") else "surrogateescape"
    try:
        body = text.encode(text.encoding, errors)
    except UnicodeEncodeError:
        raise DecodeError(f"the text would not be written the same in {text.encoding}") from None
    return body.ljust(len(text.raw), b"\0")
