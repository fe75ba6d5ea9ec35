"""Value codecs: the bytes of a leaf chunk to a value and back.

A decode is trusted only when encoding its value gives the same bytes: use
:meth:`Codec.verified`, which refuses with :class:`~maxsidecar.errors.DecodeError` otherwise.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from maxsidecar.errors import DecodeError, EditError, shorten
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.headers import Buffer
from maxsidecar.io.new_values import check_new

if TYPE_CHECKING:
    from uuid import UUID

__all__ = [
    "F32",
    "GUID",
    "I32",
    "MARK",
    "RAW",
    "U8",
    "U16",
    "U32",
    "U64",
    "UTF16",
    "Array",
    "Bytes",
    "Codec",
    "Empty",
    "Fixed",
    "Guid",
    "Text8",
    "Text16",
    "wrong_size",
]

T = TypeVar("T")

#: The smallest number that rounds to infinity as a 32-bit float: halfway between the largest
#: float, (2 - 2**-23) * 2**127, and 2**128.
_F32_LIMIT = (2 - 2**-24) * 2.0**127


class Codec(Generic[T]):
    """Bytes of a whole leaf to a value and back.

    Attributes:
        size: Number of bytes when it is always the same, else ``None``.
        kind: Short name for tables and messages.
        fmt: ``struct`` code when the value is one number, else ``None``.
    """

    size: int | None = None
    kind: str = "bytes"
    fmt: str | None = None

    def decode(self, data: Buffer) -> T:
        """Return the value of exactly these bytes.

        Raises:
            DecodeError: The bytes do not have this layout.
        """
        raise NotImplementedError

    def encode(self, value: T) -> bytes:
        """Return the bytes of a value.

        Raises:
            EditError: The value cannot be stored in this layout.
        """
        raise NotImplementedError

    def encode_new(self, value: T, old: T | None = None) -> bytes:
        """Return the bytes of a value that a user gives, see :func:`.new_values.check_new`.

        Args:
            value: The value.
            old: The value that is stored, if there is one; what it holds may stay.

        Raises:
            EditError: The value cannot be stored in this layout, or no user may store it.
        """
        body = self.encode(value)
        check_new(value, old)
        return body

    def verified(self, data: Buffer) -> T:
        """Decode, encode again and compare.

        Raises:
            DecodeError: The bytes do not have this layout, or would not be written the same.
        """
        value = self.decode(data)
        try:
            again = self.encode(value)
        except EditError as error:
            raise DecodeError(f"the {self.kind} would not be written the same") from error
        if not same_bytes(again, data):
            raise DecodeError(
                f"the {self.kind} would not be written the same",
                expected=_short(data),
                found=_short(again),
            )
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""
        return {}


def _short(data: Buffer) -> str:
    text = bytes(data[:16]).hex()
    return f"{text}... ({len(data)} bytes)" if len(data) > 16 else text or "nothing"


def wrong_size(kind: str, expected: object, found: int) -> DecodeError:
    """Return the error for bytes of a wrong size."""
    return DecodeError(f"{kind} has the wrong size", expected=f"{expected} bytes", found=found)


class Bytes(Codec[bytes]):
    """Any bytes, as they are."""

    def __init__(self, size: int | None = None) -> None:
        """Accept any number of bytes, or exactly ``size``."""
        self.size = size

    def decode(self, data: Buffer) -> bytes:
        """Return the bytes."""
        if self.size is not None and len(data) != self.size:
            raise wrong_size(self.kind, self.size, len(data))
        return bytes(data)

    def encode(self, value: bytes) -> bytes:
        """Return the bytes."""
        if not isinstance(value, bytes | bytearray | memoryview):
            raise EditError("not bytes", expected=self.kind, found=shorten(value, 80))
        if self.size is not None and len(value) != self.size:
            raise EditError("wrong number of bytes", expected=self.size, found=len(value))
        return bytes(value)

    def schema(self) -> dict[str, Any]:
        """Return the schema of hex text."""
        return {"type": "string", "pattern": "^hex:([0-9a-f]{2})*$"}


class Empty(Codec[bool]):
    """A chunk without a body: its presence is the value."""

    size = 0
    kind = "marker"

    def decode(self, data: Buffer) -> bool:
        """Return ``True``; there must be no bytes."""
        if len(data):
            raise wrong_size(self.kind, 0, len(data))
        return True

    def encode(self, value: bool) -> bytes:
        """Return no bytes, for ``True``; a chunk that is there cannot say ``False``."""
        if value is not True:
            raise EditError("a marker is there or not", expected=True, found=shorten(value, 80))
        return b""

    def schema(self) -> dict[str, Any]:
        """Return the schema of a boolean."""
        return {"type": "boolean"}


class Fixed(Codec[T]):
    """One number of a fixed size.

    Args:
        fmt: ``struct`` code without byte order: an integer's, or ``f``.
        kind: Name such as ``u32``.
    """

    _INTS: ClassVar[dict[str, tuple[int, int]]] = {
        "B": (0, 0xFF),
        "b": (-0x80, 0x7F),
        "H": (0, 0xFFFF),
        "h": (-0x8000, 0x7FFF),
        "I": (0, 0xFFFFFFFF),
        "i": (-0x80000000, 0x7FFFFFFF),
        "Q": (0, 0xFFFFFFFFFFFFFFFF),
        "q": (-(2**63), 2**63 - 1),
    }

    def __init__(self, fmt: str, kind: str) -> None:
        """Compile the layout."""
        self.fmt = fmt
        self.kind = kind
        self._struct = Struct("<" + fmt)
        self.size = self._struct.size

    def decode(self, data: Buffer) -> T:
        """Return the number."""
        if len(data) != self.size:
            raise wrong_size(self.kind, self.size, len(data))
        return cast(T, self._struct.unpack(data)[0])

    def encode(self, value: T) -> bytes:
        """Return the number's bytes, after a range check."""
        self.check(value)
        return self._struct.pack(value)

    def check(self, value: T, name: str = "number") -> None:
        """Refuse a value that does not fit; ``name`` is for the message.

        Raises:
            EditError: Wrong type or out of range.
        """
        limits = self._INTS.get(self.fmt or "")
        if limits is None:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise EditError(
                    f"{name} is no number", expected=self.kind, found=shorten(value, 80)
                )
            if abs(value) >= _F32_LIMIT and abs(value) != float("inf"):
                raise EditError(
                    f"{name} out of range", expected=self.kind, found=shorten(value, 80)
                )
            return
        if isinstance(value, bool) or not isinstance(value, int):
            raise EditError(
                f"{name} is no whole number", expected=self.kind, found=shorten(value, 80)
            )
        if not limits[0] <= value <= limits[1]:
            raise EditError(
                f"{name} out of range",
                expected=f"{limits[0]} to {limits[1]}",
                found=shorten(value, 80),
            )

    def schema(self) -> dict[str, Any]:
        """Return the schema of the number, with its range."""
        limits = self._INTS.get(self.fmt or "")
        if limits is None:
            return {"type": "number"}
        return {"type": "integer", "minimum": limits[0], "maximum": limits[1]}


class Text16(Codec[str]):
    """UTF-16LE text without a terminator, as names are stored in all releases (measured)."""

    kind = "UTF-16 text"

    def decode(self, data: Buffer) -> str:
        """Return the text; unpaired surrogates survive."""
        if len(data) % 2:
            raise wrong_size(self.kind, "an even number of", len(data))
        return str(data, "utf-16-le", "surrogatepass")

    def encode(self, value: str) -> bytes:
        """Return the text's bytes."""
        if not isinstance(value, str):
            raise EditError("not text", expected=self.kind, found=shorten(value, 80))
        return value.encode("utf-16-le", "surrogatepass")

    def schema(self) -> dict[str, Any]:
        """Return the schema of text."""
        return {"type": "string"}


class Text8(Codec[str]):
    """8-bit text in a code page, optionally ended by a NUL that is not part of the value."""

    kind = "8-bit text"

    def __init__(self, encoding: str = "cp1252", *, terminated: bool = False) -> None:
        """Choose the code page and whether a NUL ends the text."""
        self.encoding = encoding
        self.terminated = terminated

    def decode(self, data: Buffer) -> str:
        """Return the text."""
        body = bytes(data)
        if self.terminated:
            if body[-1:] != b"\0":
                raise DecodeError("the text has no terminating NUL")
            body = body[:-1]
        try:
            return body.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise DecodeError(f"the text is not {self.encoding}: {error.reason}") from None

    def encode(self, value: str) -> bytes:
        """Return the text's bytes."""
        if not isinstance(value, str):
            raise EditError("not text", expected=self.kind, found=shorten(value, 80))
        try:
            body = value.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise EditError(
                f"{value[error.start : error.end]!r} cannot be written in {self.encoding}"
            ) from None
        return body + b"\0" if self.terminated else body

    def schema(self) -> dict[str, Any]:
        """Return the schema of text."""
        return {"type": "string"}


class Guid(Codec["UUID"]):
    """A 16-byte GUID in Microsoft byte order."""

    size = 16
    kind = "GUID"

    def decode(self, data: Buffer) -> UUID:
        """Return the GUID."""
        if len(data) != 16:
            raise wrong_size(self.kind, 16, len(data))
        from uuid import UUID  # slow to import, and few streams hold one

        return UUID(bytes_le=bytes(data))

    def encode(self, value: UUID) -> bytes:
        """Return the 16 bytes."""
        from uuid import UUID

        if not isinstance(value, UUID):
            raise EditError("not a GUID", expected=self.kind, found=shorten(value, 80))
        return value.bytes_le

    def schema(self) -> dict[str, Any]:
        """Return the schema of a GUID."""
        return {"type": "string", "format": "uuid"}


class Array(Codec[tuple[T, ...]]):
    """Numbers of one kind side by side, as many as fit, or exactly ``count``."""

    def __init__(self, item: Fixed[T], count: int | None = None) -> None:
        """Choose the item and, for a fixed array, how many."""
        self.item = item
        self.count = count
        self.kind = f"{item.kind}[{'' if count is None else count}]"
        self._width = item.size or 1
        self.size = None if count is None else self._width * count

    def decode(self, data: Buffer) -> tuple[T, ...]:
        """Return the numbers."""
        count, rest = divmod(len(data), self._width)
        if rest or (self.count is not None and count != self.count):
            raise wrong_size(self.kind, self.size or f"a multiple of {self._width}", len(data))
        return Struct(f"<{count}{self.item.fmt}").unpack(data)

    def encode(self, value: tuple[T, ...]) -> bytes:
        """Return the numbers' bytes."""
        if not isinstance(value, tuple | list):
            raise EditError("not a list", expected=self.kind, found=shorten(value, 80))
        if self.count is not None and len(value) != self.count:
            raise EditError("wrong number of values", expected=self.count, found=len(value))
        for item in value:
            self.item.check(item)
        return Struct(f"<{len(value)}{self.item.fmt}").pack(*value)

    def schema(self) -> dict[str, Any]:
        """Return the schema of an array."""
        schema: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        if self.count is not None:
            schema |= {"minItems": self.count, "maxItems": self.count}
        return schema


# The codecs that chunk declarations name most.
U8: Fixed[int] = Fixed("B", "u8")
U16: Fixed[int] = Fixed("H", "u16")
U32: Fixed[int] = Fixed("I", "u32")
U64: Fixed[int] = Fixed("Q", "u64")
I32: Fixed[int] = Fixed("i", "i32")
F32: Fixed[float] = Fixed("f", "f32")
UTF16 = Text16()
RAW = Bytes()
MARK = Empty()
GUID = Guid()
