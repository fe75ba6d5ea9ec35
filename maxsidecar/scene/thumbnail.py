"""The picture that file dialogs show: a bitmap in a metafile in SummaryInformation.

All 133 thumbnails of the corpus have exactly the one layout that is read here (measured,
docs/format/streams.md section 8).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from struct import Struct
from typing import Final

from maxsidecar.errors import DecodeError

__all__ = ["Thumbnail", "read_thumbnail"]

_PICTURE: Final = (-1, 3)  # clipboard format: a Windows metafile picture
_DRAW: Final = 0x0F43  # metafile record: stretch a device independent bitmap
_RECORD_AT: Final = 34
_BITMAP_AT: Final = 62
_PIXELS_AT: Final = 102

_TAG = Struct("<iI")
_RECORD = Struct("<IH")
_BITMAP = Struct("<IiiHHI")


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A picture.

    Attributes:
        width: Width in pixels.
        height: Height in pixels.
        rgb: Red, green and blue bytes, row by row from the top.
    """

    width: int
    height: int
    rgb: bytes

    def png_bytes(self) -> bytes:
        """Return the picture as a PNG file."""
        stride = 3 * self.width
        rows = b"".join(
            b"\0" + self.rgb[at : at + stride] for at in range(0, len(self.rgb), stride)
        )
        header = Struct(">IIBBBBB").pack(self.width, self.height, 8, 2, 0, 0, 0)
        return b"".join(
            (
                b"\x89PNG\r\n\x1a\n",
                _png_chunk(b"IHDR", header),
                _png_chunk(b"IDAT", zlib.compress(rows)),
                _png_chunk(b"IEND", b""),
            )
        )


def _png_chunk(kind: bytes, body: bytes) -> bytes:
    number = Struct(">I")
    return number.pack(len(body)) + kind + body + number.pack(zlib.crc32(kind + body))


def read_thumbnail(data: bytes) -> Thumbnail:
    """Read the value of property 17, which is clipboard data (``VT_CF``) without its size.

    Raises:
        DecodeError: It is not a 24-bit picture of the layout that 3ds Max writes.
    """
    if len(data) < _PIXELS_AT:
        raise DecodeError("a thumbnail is cut off", expected=_PIXELS_AT, found=len(data))
    if _TAG.unpack_from(data) != _PICTURE:
        raise DecodeError("a thumbnail is no metafile picture", found=data[:8].hex())
    _, function = _RECORD.unpack_from(data, _RECORD_AT)
    if function != _DRAW:
        raise DecodeError("a thumbnail does not draw a bitmap", found=f"{function:04x}")
    size, width, height, planes, bits, compression = _BITMAP.unpack_from(data, _BITMAP_AT)
    if (size, planes, bits, compression) != (40, 1, 24, 0) or width <= 0 or height <= 0:
        raise DecodeError(
            "a thumbnail of another bitmap format",
            expected="24 bits, not compressed",
            found=f"{width} x {height}, {bits} bits",
        )
    stride = 3 * width + 3 & ~3
    if stride * height > len(data) - _PIXELS_AT:
        raise DecodeError(
            "the pixels of a thumbnail are cut off",
            expected=stride * height,
            found=len(data) - _PIXELS_AT,
        )
    rgb = bytearray()
    for row in range(height - 1, -1, -1):  # stored from the bottom
        at = _PIXELS_AT + row * stride
        line = bytearray(data[at : at + 3 * width])
        line[0::3], line[2::3] = line[2::3], line[0::3]
        rgb += line
    return Thumbnail(width, height, bytes(rgb))
