"""Reading and writing of one NeL serial stream: bounds, pointer ids, and the place of an error.

A stream is little-endian, without alignment or padding.  Objects behind pointers are written once;
later pointers to them hold only the id (docs/format/nel.md).
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import DecodeError, EditError, LimitError, MaxSidecarError, Where

if TYPE_CHECKING:
    from maxsidecar.nel.serial.declare import Serial

__all__ = ["MAX_COUNT", "MAX_DEPTH", "Reader", "Writer", "inside"]

#: Objects within objects; real files stay below 10.
MAX_DEPTH: Final = 40

#: Counts are signed 32-bit numbers on disk.
MAX_COUNT: Final = 0x7FFF_FFFF

_I32 = Struct("<i")


def inside(error: MaxSidecarError, name: str) -> MaxSidecarError:
    """Put the name of the field or class around the place of an error; returns the error."""
    path = error.where.path
    joined = name if not path else f"{name}{path}" if path[0] == "[" else f"{name}.{path}"
    where = error.where
    error.where = Where(where.file, where.stream, joined, where.offset)
    return error


class Reader:
    """A position in the bytes of a stream.

    Attributes:
        data: All bytes.
        pos: Offset of the next byte.
        end: Offset behind the last byte.
        stack: Objects that are being read, the innermost last.
        objects: What the pointer ids read so far stand for.
        context: What the next field must know from outside its object (a vertex layout).
    """

    __slots__ = ("context", "data", "end", "objects", "pos", "stack")

    def __init__(self, data: bytes, pos: int = 0) -> None:
        """Start at ``pos``."""
        self.data = data
        self.pos = pos
        self.end = len(data)
        self.stack: list[Serial] = []
        self.objects: dict[int, Serial] = {}
        self.context: Any = None

    def take(self, size: int) -> int:
        """Step over ``size`` bytes; return where they begin.

        Raises:
            DecodeError: Fewer are left.
        """
        start = self.pos
        if size > self.end - start:
            left = self.end - start
            raise self.fail("the file ends too early", f"{size} bytes", f"{left} bytes")
        self.pos = start + size
        return start

    def count(self, least: int) -> int:
        """Return a count of elements that have at least ``least`` bytes each.

        Raises:
            DecodeError: It is negative, or more than the bytes that are left can hold.
        """
        at = self.take(4)
        (number,) = _I32.unpack_from(self.data, at)
        self.check_count(number, least, at)
        return int(number)

    def check_count(self, number: int, least: int, at: int) -> None:
        """Refuse a count, read at ``at``, of more elements than the bytes that are left can hold.

        Raises:
            DecodeError: It is negative or too large.
        """
        most = (self.end - self.pos) // least
        if not 0 <= number <= most:
            message = "a count does not fit the bytes that are left"
            raise self.fail(message, f"0 to {most}", number, at)

    def fail(
        self, message: str, expected: object = None, found: object = None, at: int | None = None
    ) -> DecodeError:
        """Return an error at offset ``at``, by default the current one."""
        where = Where(offset=self.pos if at is None else at)
        return DecodeError(message, where, expected=expected, found=found)

    def enter(self, obj: Serial) -> None:
        """Begin with an object.

        Raises:
            LimitError: Objects are nested too deeply.
        """
        if len(self.stack) >= MAX_DEPTH:
            where = Where(offset=self.pos)
            raise LimitError("objects are nested too deeply", where, expected=f"up to {MAX_DEPTH}")
        self.stack.append(obj)


class Writer:
    """The bytes of a stream so far.

    Attributes:
        out: The bytes.
        stack: Objects that are being written, the innermost last.
        context: As in :class:`Reader`.
        renumber: Whether pointer ids count from 1, instead of being those that were read.
    """

    __slots__ = ("_ids", "_next", "_used", "context", "out", "renumber", "stack")

    def __init__(self, *, renumber: bool = False) -> None:
        """Start with nothing."""
        self.out = bytearray()
        self.stack: list[Serial] = []
        self.context: Any = None
        self.renumber = renumber
        self._ids: dict[int, int] = {}
        self._used: set[int] = set()
        self._next = 1

    def pointer(self, obj: Serial) -> tuple[int, bool]:
        """Return the id of an object, and whether this is the first pointer to it."""
        known = self._ids.get(id(obj))
        if known is not None:
            return known, False
        number = 0 if self.renumber else obj.pointer_id
        if number == 0 or number in self._used:
            while self._next in self._used:
                self._next += 1
            number = self._next
        self._ids[id(obj)] = number
        self._used.add(number)
        return number, True

    def enter(self, obj: Serial) -> None:
        """Begin with an object.

        Raises:
            EditError: Objects are nested too deeply, or within themselves.
        """
        if len(self.stack) >= MAX_DEPTH:
            raise EditError("objects are nested too deeply", expected=f"up to {MAX_DEPTH}")
        self.stack.append(obj)
