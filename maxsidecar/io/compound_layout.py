"""Constants, structures and name rules of compound files (spec: [MS-CFB]).

Shared by the reader, the patcher and the builder.  Sector ``n`` starts at byte
``(n + 1) * sector_size``: the header takes the place of sector -1.
"""

from __future__ import annotations

import re
import struct
import sys
from array import array
from typing import Final

from maxsidecar.io.buffers import Buffer

__all__ = [
    "CUTOFF",
    "DIFAT_IN_HEADER",
    "DIFSECT",
    "DIRENTRY",
    "ENDOFCHAIN",
    "ENTRY_SIZE",
    "FATSECT",
    "FREESECT",
    "HEADER",
    "HEADER_SIZE",
    "MAGIC",
    "MAXREGSECT",
    "MINI_SECTOR",
    "NOSTREAM",
    "Buffer",
    "ceil_div",
    "escape_name",
    "name_key",
    "pack_words",
    "runs",
    "unescape_name",
    "upper_name",
    "words",
]


MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
HEADER_SIZE: Final = 512
HEADER: Final = struct.Struct("<8s16sHHHHHHLLLLLLLLLL")
"""The 76 bytes before the header's own FAT sector list: magic, CLSID, minor and major version,
byte order, sector shift, mini sector shift, 2 reserved, directory sectors, FAT sectors, first
directory sector, transaction, cutoff, first mini FAT sector, mini FAT sectors, first DIFAT
sector, DIFAT sectors."""

DIFAT_IN_HEADER: Final = 109
MINI_SECTOR: Final = 64
CUTOFF: Final = 4096
"""Streams below this size live in the mini stream."""

MAXREGSECT: Final = 0xFFFFFFFA
DIFSECT: Final = 0xFFFFFFFC
FATSECT: Final = 0xFFFFFFFD
ENDOFCHAIN: Final = 0xFFFFFFFE
FREESECT: Final = 0xFFFFFFFF
NOSTREAM: Final = 0xFFFFFFFF

ENTRY_SIZE: Final = 128
DIRENTRY: Final = struct.Struct("<64sHBBIII16sIQQIQ")
"""Name, bytes of the name with its NUL, type, colour, left, right, child, CLSID, state bits,
created, modified, first sector, size."""

_UNSAFE = re.compile("[%/\ud800-\udfff]")
_ESCAPED = re.compile("%([0-9A-F]{2}|u[0-9A-F]{4})")


def ceil_div(count: int, unit: int) -> int:
    """Return how many units of ``unit`` bytes hold ``count`` bytes."""
    return -(-count // unit)


def runs(chain: list[int]) -> list[tuple[int, int]]:
    """Join the sectors of a chain that follow one another: ``(first sector, count)``."""
    out: list[tuple[int, int]] = []
    first = after = chain[0] if chain else 0
    for sector in chain:
        if sector != after:
            out.append((first, after - first))
            first = sector
        after = sector + 1
    if chain:
        out.append((first, after - first))
    return out


def words(data: Buffer) -> array[int]:
    """Return the little-endian 32-bit words of ``data`` (its length a multiple of 4)."""
    out = array("I")
    out.frombytes(data)
    if sys.byteorder == "big":
        out.byteswap()
    return out


def pack_words(values: array[int]) -> bytes:
    """Return ``values`` as little-endian 32-bit words."""
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


def escape_name(name: str) -> str:
    """Return a name as one path component: ``/``, ``%`` and lone surrogates written as ``%..``.

    The rule is reversible (:func:`unescape_name`), and the result can always be encoded.
    """
    return _UNSAFE.sub(
        lambda m: f"%{ord(m[0]):02X}" if ord(m[0]) < 0x80 else f"%u{ord(m[0]):04X}", name
    )


def unescape_name(component: str) -> str:
    """Return the name that :func:`escape_name` was given."""
    return _ESCAPED.sub(lambda m: chr(int(m[1].lstrip("u"), 16)), component)


def upper_name(name: str) -> str:
    """Return a name in simple upper case: names that are equal in it are the same name.

    A character whose upper case is longer than one UTF-16 unit, or shorter than itself, stays as
    it is (spec: [MS-CFB] 2.6.4).
    """
    if name.isascii():
        return name.upper()
    return "".join(
        u if len(u := c.upper()) == 1 and (ord(u) > 0xFFFF) == (ord(c) > 0xFFFF) else c
        for c in name
    )


def name_key(name: str) -> tuple[int, bytes]:
    """Return the sort key of a directory entry's name.

    Shorter names (in UTF-16 units) come first; equal lengths compare unit by unit in upper case
    (spec: [MS-CFB] 2.6.4).
    """
    raw = upper_name(name).encode("utf-16-be", "surrogatepass")
    return len(raw), raw
