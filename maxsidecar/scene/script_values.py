"""Reading and writing MAXScript values.

:mod:`maxsidecar.scene.script_types` has the types that they become.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from struct import error as struct_error

from maxsidecar.errors import ChunkError, DecodeError, EditError, Where
from maxsidecar.io.chunks import NARROW, Buffer, Span, encode_header, scan
from maxsidecar.scene import script_types as ids
from maxsidecar.scene.script_types import (
    MAX_DEPTH,
    ScriptColor,
    ScriptColorAlpha,
    ScriptMatrix,
    ScriptName,
    ScriptPairs,
    ScriptString,
    ScriptStruct,
    ScriptValue,
)

__all__ = [
    "decode_pairs",
    "decode_value",
    "decode_values",
    "encode_pairs",
    "encode_value",
]

_U32 = Struct("<I")
_I32 = Struct("<i")
_F32 = Struct("<f")
_F32X3 = Struct("<3f")
_F32X4 = Struct("<4f")
_MATRIX_LAYOUT = Struct("<12fI")


def decode_values(data: Buffer, encoding: str = "cp1252") -> Iterator[ScriptValue]:
    """Yield the values whose chunks lie side by side in ``data``.

    Args:
        data: One or more whole value chunks.
        encoding: Code page of 8-bit text; bytes it does not have survive as lone surrogates.

    Raises:
        DecodeError: The bytes are no values, or are nested deeper than :data:`MAX_DEPTH`.
    """
    reader = _Reader(data, encoding)
    for span in reader.scan(0, len(data)):
        yield reader.value(span, 0)


def decode_value(data: Buffer, encoding: str = "cp1252") -> ScriptValue:
    """Return the value in exactly one whole value chunk.

    Raises:
        DecodeError: The bytes are not one value.
    """
    values = list(decode_values(data, encoding))
    if len(values) != 1:
        raise DecodeError("not one MAXScript value", expected=1, found=len(values))
    return values[0]


def decode_pairs(data: Buffer, encoding: str = "cp1252") -> ScriptPairs:
    """Return the (name, value) pairs whose chunks lie side by side in ``data``.

    Raises:
        DecodeError: The bytes are no names and values by turns.
    """
    reader = _Reader(data, encoding)
    return reader.pairs(reader.scan(0, len(data)), 0)


class _Reader:
    """Decodes values; recursion is bounded by :data:`MAX_DEPTH`, not by the file."""

    def __init__(self, data: Buffer, encoding: str) -> None:
        self.data = data
        self.encoding = encoding

    def scan(self, start: int, end: int) -> list[Span]:
        try:
            return scan(self.data, start, end)
        except ChunkError as error:
            raise DecodeError(
                f"not a run of MAXScript values: {error.message}",
                Where(offset=error.where.offset),
                expected=error.expected,
                found=error.found,
            ) from error

    def value(self, span: Span, depth: int) -> ScriptValue:
        kind, start, body, end, container, _ = span
        if container != (kind in (ids.ARRAY, ids.STRUCT)):
            raise DecodeError(f"a MAXScript value {kind:02x} has the wrong form", _at(start))
        if kind == ids.ARRAY:
            return self._array(span, depth + 1)
        if kind == ids.STRUCT:
            return self._struct(span, depth + 1)
        if kind in (ids.STRING8, ids.NAME8, ids.STRING16, ids.NAME16):
            return self._text(span)
        try:
            return _number(kind, self.data[body:end])
        except struct_error:
            raise DecodeError(
                f"a MAXScript value {kind:02x} has the wrong size", _at(start), found=end - body
            ) from None
        except DecodeError as error:
            error.locate(offset=start)
            raise

    def _text(self, span: Span) -> ScriptString:
        kind, start, body, end, _, _ = span
        wide = kind in (ids.STRING16, ids.NAME16)
        width = 2 if wide else 1
        size = end - body - 4
        if size < width or _U32.unpack_from(self.data, body)[0] * width != size:
            raise DecodeError("a MAXScript text has the wrong length", _at(start), found=size)
        stored = bytes(self.data[body + 4 : end])
        if any(stored[-width:]):
            raise DecodeError("a MAXScript text has no terminating NUL", _at(start))
        if wide:
            text = str(stored[:-2], "utf-16-le", "surrogatepass")
        else:
            text = str(stored[:-1], self.encoding, "surrogateescape")
        return (ScriptName if kind in (ids.NAME8, ids.NAME16) else ScriptString)(text, wide)

    def _array(self, span: Span, depth: int) -> tuple[ScriptValue, ...]:
        spans = self._children(span, depth)
        kind, _, body, end, container, _ = spans[0]
        if kind != ids.COUNT or container or end - body != 4:
            raise DecodeError("a MAXScript array does not begin with its length", _at(span[1]))
        count = _U32.unpack_from(self.data, body)[0]
        if count != len(spans) - 1:
            raise DecodeError(
                "a MAXScript array has the wrong length",
                _at(span[1]),
                expected=count,
                found=len(spans) - 1,
            )
        return tuple(self.value(child, depth) for child in spans[1:])

    def _struct(self, span: Span, depth: int) -> ScriptStruct:
        spans = self._children(span, depth)
        name = self.value(spans[0], depth)
        if not isinstance(name, ScriptName):
            raise DecodeError("a MAXScript structure has no name", _at(span[1]))
        return ScriptStruct(name, self.pairs(spans[1:], depth))

    def _children(self, span: Span, depth: int) -> list[Span]:
        if depth > MAX_DEPTH:
            raise DecodeError(
                "MAXScript values are nested too deep", _at(span[1]), expected=f"<= {MAX_DEPTH}"
            )
        spans = self.scan(span[2], span[3])
        if not spans:
            raise DecodeError("a MAXScript container is empty", _at(span[1]))
        return spans

    def pairs(self, spans: list[Span], depth: int) -> ScriptPairs:
        if len(spans) % 2:
            raise DecodeError("a MAXScript name has no value", _at(spans[-1][1]))
        out: list[tuple[ScriptName, ScriptValue]] = []
        for key, value in zip(spans[::2], spans[1::2], strict=True):
            name = self.value(key, depth)
            if not isinstance(name, ScriptName):
                raise DecodeError("not a MAXScript name", _at(key[1]), found=repr(name)[:40])
            out.append((name, self.value(value, depth)))
        return tuple(out)


def _at(offset: int) -> Where:
    return Where(offset=offset)


def _number(kind: int, data: Buffer) -> ScriptValue:
    """Decode a value without text and without children; ``struct.error``: wrong size."""
    if kind == ids.UNDEFINED:
        if len(data):
            raise struct_error
        return None
    if kind == ids.BOOLEAN:
        number: int = _U32.unpack(data)[0]
        if number > 1:
            raise DecodeError("not a MAXScript boolean", expected="0 or 1", found=number)
        return number == 1
    if kind == ids.INTEGER:
        return int(_I32.unpack(data)[0])
    if kind == ids.FLOAT:
        return float(_F32.unpack(data)[0])
    if kind == ids.COLOR:
        return ScriptColor(*_F32X3.unpack(data))
    if kind == ids.COLOR_ALPHA:
        return ScriptColorAlpha(*_F32X4.unpack(data))
    if kind == ids.MATRIX:
        *rows, flags = _MATRIX_LAYOUT.unpack(data)
        return ScriptMatrix(tuple(rows), flags)
    raise DecodeError("a MAXScript value of unknown type", found=f"{kind:04x}")


def encode_value(value: ScriptValue, encoding: str = "cp1252") -> bytes:
    """Return the whole chunk of a value.

    Raises:
        EditError: A part of the value cannot be stored, or it is nested too deep.
    """
    return _encode(value, encoding, 0)


def encode_pairs(pairs: ScriptPairs, encoding: str = "cp1252") -> bytes:
    """Return the chunks of names and values by turns."""
    return b"".join(_encode(part, encoding, 0) for pair in pairs for part in pair)


def _encode(value: ScriptValue, encoding: str, depth: int) -> bytes:
    if depth > MAX_DEPTH:
        raise EditError("MAXScript values are nested too deep", expected=f"<= {MAX_DEPTH}")
    if isinstance(value, tuple):
        count = encode_header(ids.COUNT, 4, False, NARROW) + _U32.pack(len(value))
        items = (_encode(item, encoding, depth + 1) for item in value)
        return _chunk(ids.ARRAY, b"".join((count, *items)), container=True)
    if isinstance(value, ScriptStruct):
        parts = [_encode(value.type_name, encoding, depth + 1)]
        for pair in value.members:
            parts += (_encode(part, encoding, depth + 1) for part in pair)
        return _chunk(ids.STRUCT, b"".join(parts), container=True)
    if isinstance(value, ScriptString):
        return _encode_text(value, encoding)
    try:
        return _chunk(*_encode_number(value))
    except (struct_error, OverflowError):
        raise EditError("a MAXScript number out of range", found=repr(value)) from None


def _chunk(chunk_id: int, body: bytes, *, container: bool = False) -> bytes:
    return encode_header(chunk_id, len(body), container, NARROW) + body


def _encode_text(value: ScriptString, encoding: str) -> bytes:
    name = isinstance(value, ScriptName)
    if value.wide:
        body = value.text.encode("utf-16-le", "surrogatepass") + b"\0\0"
        return _chunk(ids.NAME16 if name else ids.STRING16, _U32.pack(len(body) // 2) + body)
    try:
        body = value.text.encode(encoding, "surrogateescape") + b"\0"
    except UnicodeEncodeError as error:
        bad = value.text[error.start : error.end]
        raise EditError(f"{bad!r} cannot be written in {encoding}") from None
    return _chunk(ids.NAME8 if name else ids.STRING8, _U32.pack(len(body)) + body)


def _encode_number(value: object) -> tuple[int, bytes]:
    if value is None:
        return ids.UNDEFINED, b""
    if isinstance(value, bool):
        return ids.BOOLEAN, _U32.pack(value)
    if isinstance(value, int):
        return ids.INTEGER, _I32.pack(value)
    if isinstance(value, float):
        return ids.FLOAT, _F32.pack(value)
    if isinstance(value, ScriptColor):
        return ids.COLOR, _F32X3.pack(value.red, value.green, value.blue)
    if isinstance(value, ScriptColorAlpha):
        return ids.COLOR_ALPHA, _F32X4.pack(value.red, value.green, value.blue, value.alpha)
    if isinstance(value, ScriptMatrix):
        return ids.MATRIX, _MATRIX_LAYOUT.pack(*value.rows, value.flags)
    raise EditError("not a MAXScript value", found=type(value).__name__)
