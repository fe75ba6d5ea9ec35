"""Text forms of AppData bytes that no registry knows.

======== ============================================================
form     bytes
======== ============================================================
plain    8-bit text in the scene's code page, ended by one NUL
text:    the same without a NUL
utf8:    UTF-8 with a byte order mark in front, ended by one NUL
utf16:   UTF-16LE, ended by one NUL
hex:     anything, as hexadecimal digits
large:   size and hash of bytes that are too many for a text file
======== ============================================================

The first form that gives the same bytes back is used, so nothing is lost.  The form ``large:``
only shows; an entry of that size can be removed, but not written.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from maxsidecar.errors import EditError, shorten

__all__ = ["LARGEST", "parse_raw", "show_raw"]

LARGEST: Final = 8192
"""Most bytes of an entry that are shown in full; the longest in real scenes has some hundreds."""

_PREFIX: Final = re.compile(r"(hex|text|utf8|utf16|large):")
_BOM: Final = b"\xef\xbb\xbf"
#: Controls that text may hold; others mean that the bytes are no text.
_CONTROLS: Final = "\t\n\r"


def show_raw(raw: bytes, code_page: str) -> str:
    """Return the text form of an entry's bytes."""
    if len(raw) > LARGEST:
        return f"large: {len(raw)} bytes, sha256 {sha256(raw).hexdigest()[:32]}"
    text = _text_form(raw, code_page)
    if text is not None and _same(text, raw, code_page):
        return text
    return "hex:" + raw.hex()


def _text_form(raw: bytes, code_page: str) -> str | None:
    """Return the text form that the bytes look like, ``None`` if they do not look like text."""
    if raw.startswith(_BOM) and raw.endswith(b"\0"):
        return _decode("utf8:", raw[3:-1], "utf-8")
    if len(raw) >= 4 and len(raw) % 2 == 0 and raw.endswith(b"\0\0") and raw[1] == 0:
        return _decode("utf16:", raw[:-2], "utf-16-le")
    if raw.endswith(b"\0"):
        text = _decode("", raw[:-1], code_page)
        return None if text is None or _PREFIX.match(text) else text
    # Short runs of bytes are more often numbers than words.
    return _decode("text:", raw, code_page) if len(raw) >= 8 else None


def _decode(prefix: str, raw: bytes, encoding: str) -> str | None:
    try:
        text = raw.decode(encoding)
    except UnicodeError:
        return None
    return prefix + text if all(c.isprintable() or c in _CONTROLS for c in text) else None


def _same(text: str, raw: bytes, code_page: str) -> bool:
    try:
        return parse_raw(text, code_page) == raw
    except EditError:
        return False


def parse_raw(text: str, code_page: str) -> bytes:
    """Return the bytes of a text form.

    Raises:
        EditError: Bad hexadecimal digits, text that the code page cannot hold, or too many bytes.
    """
    match = _PREFIX.match(text)
    form = match.group(1) if match else "plain"
    body = text[match.end() :] if match else text
    if form == "large":
        raise EditError(f"an AppData entry of more than {LARGEST} bytes cannot be edited here")
    raw = _encode(form, body, code_page)
    if len(raw) > LARGEST:
        raise EditError(
            "too long for an AppData entry", expected=f"at most {LARGEST} bytes", found=len(raw)
        )
    return raw


def _encode(form: str, body: str, code_page: str) -> bytes:
    if form == "hex":
        try:
            return bytes.fromhex(body)
        except ValueError:
            raise EditError(
                "not hexadecimal", expected="pairs of 0-9 a-f", found=shorten(body)
            ) from None
    encoding = {"utf8": "utf-8", "utf16": "utf-16-le"}.get(form, code_page)
    try:
        raw = body.encode(encoding)
    except UnicodeEncodeError as error:
        bad = shorten(body[error.start : error.end])
        raise EditError(f"{bad} cannot be written in {encoding}") from None
    if form == "text":
        return raw
    if form == "utf8":
        return _BOM + raw + b"\0"
    return raw + (b"\0\0" if form == "utf16" else b"\0")
