"""Text forms of AppData bytes that no registry knows.

======== ============================================================
form     bytes
======== ============================================================
plain    8-bit text in the scene's code page, ended by one NUL
text:    the same without a NUL
utf8:    UTF-8 with a byte order mark in front, ended by one NUL
utf16:   UTF-16LE, ended by one NUL
hex:     anything, as hexadecimal digits
======== ============================================================

The first form that gives the same bytes back is used, so nothing is lost.
"""

from __future__ import annotations

import re
from typing import Final

from maxsidecar.errors import EditError

__all__ = ["parse_raw", "show_raw"]

_PREFIX: Final = re.compile(r"(hex|text|utf8|utf16):")
_BOM: Final = b"\xef\xbb\xbf"


def show_raw(raw: bytes, code_page: str) -> str:
    """Return the text form of an entry's bytes."""
    for text in _candidates(raw, code_page):
        if text is not None and _same(text, raw, code_page):
            return text
    return "hex:" + raw.hex()


def _candidates(raw: bytes, code_page: str) -> list[str | None]:
    if raw.startswith(_BOM) and raw.endswith(b"\0"):
        text = _decode(raw[3:-1], "utf-8")
        return [None if text is None else "utf8:" + text]
    if len(raw) >= 4 and len(raw) % 2 == 0 and raw.endswith(b"\0\0") and raw[1:2] == b"\0":
        text = _decode(raw[:-2], "utf-16-le")
        return [None if text is None else "utf16:" + text]
    if raw.endswith(b"\0"):
        text = _decode(raw[:-1], code_page)
        return [None if text is None or _PREFIX.match(text) else text]
    # Short runs of bytes are more often numbers than words.
    if len(raw) >= 8:
        text = _decode(raw, code_page)
        return [None if text is None else "text:" + text]
    return []


def _decode(raw: bytes, encoding: str) -> str | None:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if all(c.isprintable() or c in "\t\n" for c in text) else None


def _same(text: str, raw: bytes, code_page: str) -> bool:
    try:
        return parse_raw(text, code_page) == raw
    except EditError:
        return False


def parse_raw(text: str, code_page: str) -> bytes:
    """Return the bytes of a text form.

    Raises:
        EditError: Bad hexadecimal digits, or text that the code page cannot hold.
    """
    match = _PREFIX.match(text)
    form = match.group(1) if match else "plain"
    body = text[match.end() :] if match else text
    if form == "hex":
        try:
            return bytes.fromhex(body)
        except ValueError:
            raise EditError("not hexadecimal", expected="pairs of 0-9 a-f", found=text) from None
    encoding = {"utf8": "utf-8", "utf16": "utf-16-le"}.get(form, code_page)
    try:
        raw = body.encode(encoding)
    except UnicodeEncodeError as error:
        bad = body[error.start : error.end]
        raise EditError(f"{bad!r} cannot be written in {encoding}") from None
    return {
        "plain": raw + b"\0",
        "text": raw,
        "utf8": _BOM + raw + b"\0",
        "utf16": raw + b"\0\0",
    }[form]
