"""Writing TOML the way a person would.

The text form is written by us, since order, grouping and comments are what makes it readable;
``tomllib`` reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

__all__ = [
    "Rows",
    "comment",
    "format_key",
    "format_path",
    "format_value",
    "has_surrogate",
    "quote",
    "scrub",
]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Besides what TOML asks for: what an editor would not show, or would show in another order
# (C1 controls, no-break space, soft hyphen, zero width, bidirectional controls, line separators,
# byte order mark, tags).  A fixed list, so that every Python version writes the same text.
_UNSAFE: Final = re.compile(
    r'[\x00-\x1f"\\\x7f-\xa0\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f'
    r"\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


class Rows(list[Any]):
    """A list that is written with a line for each item, so that a change of one is one line."""


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    code = ord(char)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def quote(text: str) -> str:
    """Return a basic string; unpaired surrogates become U+FFFD, since TOML cannot hold them."""
    return f'"{_UNSAFE.sub(_escape, scrub(text))}"'


def scrub(text: str) -> str:
    """Return the text without what TOML cannot hold."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def has_surrogate(text: str) -> bool:
    """Return whether the text holds unpaired surrogates, which TOML cannot."""
    return _SURROGATE.search(text) is not None


def format_key(key: str) -> str:
    """Return a key, quoted where it must be."""
    return key if _BARE.fullmatch(key) else quote(key)


def format_path(path: Iterable[str]) -> str:
    """Return a dotted key."""
    return ".".join(map(format_key, path))


def format_value(value: object) -> str:
    """Return a value; text with line breaks becomes a multi-line string, rows a line for each.

    Raises:
        TypeError: The text form has no such values.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _multi_line(value) if "\n" in value else quote(value)
    if isinstance(value, Rows) and value:
        return "[\n" + "".join(f"  {format_value(item)},\n" for item in value) + "]"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(format_value, value)) + "]"
    if isinstance(value, dict):
        pairs = (f"{format_key(key)} = {format_value(part)}" for key, part in value.items())
        return "{ " + ", ".join(pairs) + " }"
    raise TypeError(f"no TOML form for {type(value).__name__}")


def _float(value: float) -> str:
    text = repr(value)
    return text if any(c in text for c in ".en") else text + ".0"


def _multi_line(text: str) -> str:
    lines = (_UNSAFE.sub(_escape, line) for line in scrub(text).split("\n"))
    # Editors like to cut spaces at the end of a line.
    body = "\n".join(line[:-1] + "\\u0020" if line.endswith(" ") else line for line in lines)
    return f'"""\n{body}"""'


def comment(text: str) -> str:
    """Return text that is safe in a comment: one line, no controls."""
    return "".join(
        c if c.isprintable() or c in "\u200c\u200d" else "\N{REPLACEMENT CHARACTER}"
        for c in scrub(text)
    )
