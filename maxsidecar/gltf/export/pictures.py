"""Reading picture files, and making those that glTF knows: PNG and JPEG.

Files that glTF knows are passed on as they are, but for colour profiles.  Everything else, and
every picture that has to be changed, needs Pillow (``pip install maxsidecar[textures]``), which is
imported where it is used.
"""

from __future__ import annotations

import io
import stat
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, LimitError, Where

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "JPEG",
    "NO_PILLOW",
    "PNG",
    "Picture",
    "encode_png",
    "read_picture",
    "resized",
    "without_profile",
]

Pixels = npt.NDArray[np.uint8]

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
NO_PILLOW: Final = "Pillow is missing (pip install maxsidecar[textures])"

#: Largest file and picture that are read, so that a small damaged file cannot ask for all memory.
_MOST_BYTES: Final = 1 << 28
_MOST_PIXELS: Final = 1 << 26
#: What Pillow may take a file for: the formats of textures.  Of the others some start programs (EPS
#: does), whatever the ending of the file.
_FORMATS: Final = ("PNG", "JPEG", "TGA", "DDS", "TIFF", "PSD", "BMP", "DIB", "GIF", "WEBP")
#: Chunks of PNG files that readers of glTF have to ignore, and its validator warns of: colour
#: profile, gamma, primaries, size of a pixel.
_IGNORED: Final = frozenset({b"iCCP", b"gAMA", b"cHRM", b"pHYs"})
_DAMAGED: Final = "the picture is damaged, or of no known format"
#: What Pillow raises where a file is damaged, beside its own classes, which derive from these.
_DAMAGE: Final = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RuntimeError,
    SyntaxError,
    EOFError,
    ArithmeticError,
    struct.error,
)


@dataclass(slots=True, eq=False)
class Picture:
    """A picture file.

    Attributes:
        path: The file.
        data: Its bytes.
        mime_type: Of a file that glTF knows as it is, else empty.
        width: Columns.
        height: Rows.
        has_alpha: Whether there is an alpha channel.
    """

    path: Path
    data: bytes
    mime_type: str
    width: int
    height: int
    has_alpha: bool

    def pixels(self) -> Pixels:
        """Return the pixels, (height, width, 4): red, green, blue, alpha, top row first.

        Raises:
            DecodeError: The file is damaged, or Pillow is missing.
            LimitError: The picture is too large.
        """
        return _decode(self.path, self.data)


def read_picture(path: Path) -> Picture:
    """Read a picture file.

    With Pillow it is read to its end, so that nothing damaged is passed on.

    Raises:
        DecodeError: It cannot be read, is damaged, or is of a format that needs Pillow.
        LimitError: The file or the picture is too large.
    """
    where = Where(file=str(path))
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            # Reading a pipe would wait for whoever writes into it.
            raise DecodeError("the picture cannot be read: it is no file", where)
        size = status.st_size
        if size > _MOST_BYTES:
            raise LimitError("the picture is too large", where, expected=_MOST_BYTES, found=size)
        data = path.read_bytes()
    except OSError as error:
        raise DecodeError(f"the picture cannot be read: {error.strerror}", where) from None
    if _pillow() is None:
        return _read_plain(path, data)
    with _opened(path, data) as image:
        alpha = "A" in image.getbands() or "transparency" in image.info
        mime = _known_format(image)
        with _guarded(path):
            image.load()
        return Picture(path, data, mime, image.width, image.height, alpha)


def without_profile(png: bytes) -> bytes:
    """Return the bytes of a PNG without what readers of glTF have to ignore.

    A file without such chunks, or one that is not sound, is returned as it is.
    """
    parts = [png[:8]]
    pos, dropped = 8, False
    while pos + 12 <= len(png):
        end = pos + 12 + int.from_bytes(png[pos : pos + 4], "big")
        if end > len(png):
            return png
        if png[pos + 4 : pos + 8] in _IGNORED:
            dropped = True
        else:
            parts.append(png[pos:end])
        pos = end
    return b"".join(parts) + png[pos:] if dropped else png


def encode_png(pixels: Pixels) -> bytes:
    """Return a PNG of pixels (height, width, 4); alpha is left out where all of it is 255.

    Raises:
        DecodeError: Pillow is missing.
    """
    image_module = _need_pillow(Where())
    opaque = bool((pixels[..., 3] == 255).all())
    out = io.BytesIO()
    image_module.fromarray(np.ascontiguousarray(pixels[..., :3] if opaque else pixels)).save(
        out, "PNG"
    )
    return out.getvalue()


def resized(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return pixels in another size.

    Raises:
        DecodeError: Pillow is missing.
    """
    if pixels.shape[:2] == (height, width):
        return pixels
    image_module = _need_pillow(Where())
    # Band by band, since colours must not be mixed by their alpha.
    bands = [
        np.asarray(
            image_module.fromarray(np.ascontiguousarray(pixels[..., band])).resize(
                (width, height), image_module.Resampling.BILINEAR
            )
        )
        for band in range(4)
    ]
    return np.stack(bands, axis=-1).astype(np.uint8)


def _pillow() -> ModuleType | None:
    try:
        from PIL import Image
    except ImportError:
        return None
    return Image


def _need_pillow(where: Where) -> Any:
    found = _pillow()
    if found is None:
        raise DecodeError(NO_PILLOW, where)
    return found


def _opened(path: Path, data: bytes) -> Any:
    """Return Pillow's image of a file, of a size that may be decoded."""
    where = Where(file=str(path))
    image_module = _need_pillow(where)
    with _guarded(path):
        image = image_module.open(io.BytesIO(data), formats=_FORMATS)
    _check_size(image.width, image.height, where)
    return image


@contextmanager
def _guarded(path: Path) -> Iterator[None]:
    """Let Pillow raise our errors only, and keep its warnings back.

    What they warn of is looked at here, or an error as well.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Image.DecompressionBombError:
        raise LimitError("the picture is too large", Where(file=str(path))) from None
    except UnidentifiedImageError:
        # Its own text has nothing but the address of an object.
        raise DecodeError(_DAMAGED, Where(file=str(path))) from None
    except _DAMAGE as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> DecodeError:
    text = " ".join(str(error).split()) or type(error).__name__
    return DecodeError(f"{_DAMAGED}: {text}"[:300], Where(str(path)))


def _check_size(width: int, height: int, where: Where) -> None:
    if width < 1 or height < 1 or width * height > _MOST_PIXELS:
        raise LimitError(
            "the picture has an impossible size",
            where,
            expected=f"up to {_MOST_PIXELS} pixels",
            found=f"{width} x {height}",
        )


def _known_format(image: Any) -> str:
    """Return the type of a picture that can be passed on as it is."""
    if image.format == "JPEG" and image.mode in ("RGB", "L"):
        return JPEG
    if image.format == "PNG" and not getattr(image, "is_animated", False):
        return PNG
    return ""


def _decode(path: Path, data: bytes) -> Pixels:
    with _opened(path, data) as image, _guarded(path):
        if image.mode.startswith(("I", "F")):
            return _from_numbers(np.asarray(image))
        return np.array(image.convert("RGBA"), np.uint8)


def _from_numbers(values: npt.NDArray[Any]) -> Pixels:
    """Return grey pixels of 16-bit integers, or of numbers from 0 to 1."""
    kind = values.dtype.kind
    scaled = values * 255.0 if kind == "f" else values / 257.0
    grey = np.clip(np.nan_to_num(scaled), 0, 255).round().astype(np.uint8)
    return np.dstack([grey, grey, grey, np.full_like(grey, 255)])


def _read_plain(path: Path, data: bytes) -> Picture:
    """Read what can be read of a file without Pillow: PNG and JPEG, from their headers."""
    where = Where(file=str(path))
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 33 and b"IEND" in data[-12:]:
        width, height = struct.unpack_from(">II", data, 16)
        _check_size(width, height, where)
        alpha = data[25] in (4, 6) or b"tRNS" in data[33:]
        return Picture(path, data, PNG, width, height, alpha)
    if data[:3] == b"\xff\xd8\xff":
        size = _jpeg_size(data)
        if size is not None:
            _check_size(*size, where)
            return Picture(path, data, JPEG, *size, False)
    raise DecodeError(f"glTF does not know this format, and {NO_PILLOW}", where)


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Return columns and rows of a JPEG with 1 or 3 colours; ``None`` for all others."""
    pos = 2
    while pos + 10 <= len(data) and data[pos] == 0xFF:
        marker, length = data[pos + 1], struct.unpack_from(">H", data, pos + 2)[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, pos + 5)
            return (width, height) if data[pos + 9] in (1, 3) else None
        pos += 2 + max(length, 2)
    return None
