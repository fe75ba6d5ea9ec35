"""A reader of PNG files as browsers write them: 8 bits, RGB or RGBA, not interlaced."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt


def read_png(data: bytes) -> npt.NDArray[np.uint8]:
    """Return the pixels, (height, width, 3)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, header = 8, b"", b""
    while at < len(data):
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    width, height = int.from_bytes(header[:4]), int.from_bytes(header[4:8])
    bits, color, _, _, interlaced = header[8:13]
    assert (bits, interlaced) == (8, 0)
    depth = {2: 3, 6: 4}[color]
    stride = depth * width
    stored = zlib.decompress(packed)
    # A pixel of zeros stands in front of each row, and a row of them above the first.
    above = bytearray(depth + stride)
    rows = []
    for at in range(0, len(stored), stride + 1):
        above = _unfiltered(
            stored[at], bytearray(depth) + stored[at + 1 : at + 1 + stride], above, depth
        )
        rows.append(above[depth:])
    return np.frombuffer(b"".join(rows), np.uint8).reshape(height, width, depth)[..., :3]


def _unfiltered(kind: int, row: bytearray, above: bytearray, depth: int) -> bytearray:
    """Undo the filter of a row, in place."""
    for at in range(depth, len(row)) if kind else ():
        left, up, corner = row[at - depth], above[at], above[at - depth]
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = left + up >> 1
        else:
            # The neighbour that is nearest to left + up - corner, the left one first.
            a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if a <= b and a <= c else up if b <= c else corner
        row[at] = row[at] + guess & 0xFF
    return row


def png_bytes(width: int, height: int) -> bytes:
    """Return a grey PNG of this size."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body).to_bytes(4)
        return len(body).to_bytes(4) + kind + body + check

    header = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 0, 0, 0, 0])
    rows = (b"\0" + b"\x80" * width) * height
    packed = zlib.compress(rows)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts
