"""Writing TOML the way a person would.

The text form is written by us, since order, grouping and comments are what makes it readable;
``tomllib`` reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["comment", "format_key", "format_path", "format_value"]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


def _escape(char: str) -> str:
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    code = ord(char)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _unsafe(char: str) -> bool:
    # Controls (C1 and line separators too) would be invisible or break lines in an editor.
    code = ord(char)
    return char in '\\"' or code < 0x20 or 0x7F <= code < 0xA0 or char in "\u2028\u2029\ufeff"


def quote(text: str) -> str:
    """Return a basic string; unpaired surrogates become U+FFFD, which TOML could not hold."""
    return '"' + "".join(_escape(c) if _unsafe(c) else c for c in scrub(text)) + '"'


def scrub(text: str) -> str:
    """Return the text without what TOML cannot hold."""
    return text.encode("utf-8", "replace").decode() if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    return any(0xD800 <= ord(c) < 0xE000 for c in text)


def format_key(key: str) -> str:
    """Return a key, quoted where it must be."""
    return key if _BARE.fullmatch(key) else quote(key)


def format_path(path: Iterable[str]) -> str:
    """Return a dotted key."""
    return ".".join(map(format_key, path))


def format_value(value: object) -> str:
    """Return a value; text with line breaks becomes a multi-line string where that is exact.

    Raises:
        TypeError: TOML has no form for the value.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _multi_line(value) if "\n" in value else quote(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(format_value, value)) + "]"
    raise TypeError(f"no TOML form for {type(value).__name__}")


def _float(value: float) -> str:
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        return text
    return text if any(c in text for c in ".e") else text + ".0"


def _multi_line(text: str) -> str:
    lines = scrub(text).split("\n")
    body = "\n".join("".join(_escape(c) if _unsafe(c) else c for c in line) for line in lines)
    return f'"""\n{body}"""'


def comment(text: str) -> str:
    """Return text that is safe in a comment: one line, no controls."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in scrub(text))
