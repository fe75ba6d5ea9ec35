"""Values and bytes as lines of text, for the text form and for the comparison of scenes.

The same value always gives the same lines, whatever stands around it.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from struct import Struct
from typing import Any, Final

from maxsidecar.io.buffers import Buffer
from maxsidecar.io.fields import Record
from maxsidecar.scene.script_types import ScriptString
from maxsidecar.sidecar.toml_text import Rows, format_key, format_value

__all__ = [
    "bytes_lines",
    "digest",
    "one_line",
    "quoted",
    "short_bytes",
    "show",
    "toml_or_text",
    "value_lines",
]

#: A value that takes more columns is cut into lines.
_WIDTH: Final = 100
#: Longer runs of plain numbers, and of bytes, are shown by their digest and their beginning.
_LONG_RUN: Final = 64
_LONG_BYTES: Final = 32
_FIRST_BYTES: Final = 16
_FIRST_VALUES: Final = 8

_SIMPLE: Final = re.compile(r'true|false|-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|"[^\n]*"')

_F32 = Struct("<f")


def digest(data: Buffer) -> str:
    """Return the first 16 digits of the SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


def quoted(text: str) -> str:
    """Return text in quotation marks, on one line, without anything that is not printable."""
    # A line break would make the value a multi-line one.
    shown = "\\n".join(format_value(part)[1:-1] for part in text.split("\n"))
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else _escape(c) for c in shown)
    return f'"{shown}"'


def one_line(value: object) -> str:
    """Return a value of a sidecar as TOML on one line."""
    if isinstance(value, str):
        return quoted(value)
    return format_value(list(value) if isinstance(value, Rows) else value)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _number(value: float) -> str:
    """Return the shortest text that gives the same 32-bit float, else the same 64-bit one."""
    try:
        exact = _F32.unpack(_F32.pack(value))[0] == value
    except OverflowError:
        exact = False
    if exact and value not in (float("inf"), float("-inf")):
        for digits in range(6, 9):
            text = f"{value:.{digits}g}"
            if _F32.unpack(_F32.pack(float(text)))[0] == value:
                return format_value(float(text))
        return format_value(float(f"{value:.9g}"))
    return format_value(value)


def _members(value: object) -> list[tuple[str, Any]] | None:
    if isinstance(value, Record):
        return [(name, getattr(value, name)) for name in value.fields]
    if hasattr(value, "text_rows"):
        return None
    if is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, dict):
        return [(str(key), item) for key, item in value.items()]
    return None


def show(value: object) -> str:
    """Return any value on one line.

    Nesting is as deep as the codecs allow, which is bounded.
    """
    if value is None:
        return "undefined"
    if isinstance(value, bool | int) and not isinstance(value, Enum):
        return format_value(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, ScriptString):
        return quoted(value.text)
    if isinstance(value, bytes | bytearray | memoryview):
        return short_bytes(value)
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(show, value)) + "]"
    members = _members(value)
    if members is not None:
        return "{" + ", ".join(f"{format_key(key)} = {show(item)}" for key, item in members) + "}"
    return quoted(str(value))


def value_lines(value: object, *, full: bool = False) -> Iterator[str]:
    """Yield a value as one line, or as several where one would be long.

    Args:
        value: The value.
        full: Show long runs of numbers to the end.
    """
    rows = getattr(value, "text_rows", None)
    if full and rows is not None:
        yield str(value)
        yield from (f"  {row}" for row in rows())
        return
    text = value.text if isinstance(value, ScriptString) else value
    if isinstance(text, str) and "\n" in text.rstrip("\r\n"):
        yield "text"
        for part in text.split("\n"):
            yield f"  {quoted(part)}"
        return
    if isinstance(value, tuple | list) and not full and _is_long_run(value):
        first = ", ".join(map(show, islice(value, _FIRST_VALUES)))
        yield f"({len(value)} values, sha256 {digest(repr(value).encode())}) [{first}, ...]"
        return
    shown = show(value)
    if len(shown) <= _WIDTH:
        yield shown
        return
    if isinstance(value, tuple | list):
        yield "["
        for item in value:
            yield from (f"  {line}" for line in value_lines(item, full=full))
        yield "]"
        return
    members = None if isinstance(value, str | ScriptString) else _members(value)
    if members is None:
        yield shown
        return
    yield "{"
    for key, item in members:
        lines = value_lines(item, full=full)
        yield f"  {format_key(key)} = {next(lines)}"
        yield from (f"  {line}" for line in lines)
    yield "}"


def _is_long_run(value: tuple[Any, ...] | list[Any]) -> bool:
    return len(value) > _LONG_RUN and all(isinstance(item, int | float) for item in value)


def short_bytes(data: Buffer) -> str:
    """Return bytes on one line: all of them, or their number, digest and beginning."""
    size = len(data)
    if size <= _LONG_BYTES:
        return "hex:" + bytes(data).hex()
    return f"({size} bytes, sha256 {digest(data)}) hex:{bytes(data[:_FIRST_BYTES]).hex()}..."


def bytes_lines(data: Buffer, *, full: bool = False) -> Iterator[str]:
    """Yield bytes as lines: one, or all of the bytes with ``full``."""
    if not full or len(data) <= _LONG_BYTES:
        yield short_bytes(data)
        return
    yield f"({len(data)} bytes)"
    for at in range(0, len(data), _LONG_BYTES):
        yield "  hex:" + bytes(data[at : at + _LONG_BYTES]).hex()


def toml_or_text(text: str | None) -> Any:
    """Return the value that a text writes as TOML: a number, text in quotation marks, true, false.

    Anything else is returned as it is.
    """
    if text is None or not _SIMPLE.fullmatch(text):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text
