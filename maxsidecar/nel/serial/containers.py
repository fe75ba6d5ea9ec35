"""Kinds of objects and of many values: objects in place, pointers, lists, maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.serial.kinds import STRING, U64, Kind, unfit
from maxsidecar.nel.serial.registry import find_class
from maxsidecar.nel.serial.stream import MAX_COUNT, Reader, Writer, inside

__all__ = [
    "Fixed",
    "Implied",
    "List",
    "Map",
    "Nested",
    "PolyPtr",
    "Ptr",
    "SameLength",
    "UnsortedMap",
]

T = TypeVar("T")
K = TypeVar("K")
S = TypeVar("S", bound=Serial)


class Nested(Kind[S]):
    """An object that stands in place.

    Args:
        cls: Its class.
        make: Gives the object of new owners; by default the class without arguments.
    """

    def __init__(self, cls: type[S], make: Callable[[], S] | None = None) -> None:
        self.cls = cls
        self.make: Callable[[], S] = make or cls
        self.least = cls.least
        self.label = cls.nel_name

    def fresh(self) -> S:
        """Return a new object."""
        return self.make()

    def read(self, reader: Reader) -> S:
        """Return the object."""
        return self.cls.read(reader)

    def write(self, writer: Writer, value: S) -> None:
        """Append the object."""
        if type(value) is not self.cls:
            raise unfit(self.label, value)
        value.write(writer)


class Ptr(Kind[Any]):
    """A pointer to an object of one class, or ``None``.

    A 64-bit id, 0 for none, then the object where the id comes for the first time.
    """

    least = 8
    initial = None

    def __init__(self, cls: type[Serial]) -> None:
        """Take the class."""
        self.cls = cls
        self.label = f"pointer to {cls.nel_name}"

    def read(self, reader: Reader) -> Any:
        """Return the object, which may be one that was read before."""
        at = reader.pos
        number = U64.read(reader)
        if not number:
            return None
        known = reader.objects.get(number)
        if known is None:
            return self._read_first(reader, number)
        if not self.accepts(type(known)):
            message = f"pointer {number:#x} leads to an object of another class"
            raise reader.fail(message, self.wanted, known.nel_name, at)
        return known

    @property
    def wanted(self) -> str:
        """Name of what it may point to."""
        return self.cls.nel_name

    def accepts(self, cls: type[Serial]) -> bool:
        """Return whether it may point to an object of a class."""
        return cls is self.cls

    def _read_first(self, reader: Reader, number: int) -> Serial:
        return self.cls.read(reader, number)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the id, and the object at its first pointer."""
        if value is None:
            writer.out += bytes(8)
            return
        if not isinstance(value, Serial) or not self.accepts(type(value)):
            raise unfit(self.label, value)
        number, first = writer.pointer(value)
        U64.write(writer, number)
        if first:
            self._write_first(writer, value)

    def _write_first(self, writer: Writer, value: Serial) -> None:
        value.write(writer)


class PolyPtr(Ptr):
    """A pointer to an object of any class with a base class, or ``None``.

    As :class:`Ptr`, but with the name of the class between id and object.
    """

    def __init__(self, base: str) -> None:
        """Take the name of the base class."""
        self.base = base
        self.label = f"polymorphic pointer to {base}"

    @property
    def wanted(self) -> str:
        """Name of what it may point to."""
        return f"a class of {self.base}"

    def accepts(self, cls: type[Serial]) -> bool:
        """Return whether the class has the base class."""
        return self.base in cls.bases

    def _read_first(self, reader: Reader, number: int) -> Serial:
        at = reader.pos
        name = STRING.read(reader)
        cls = find_class(name)
        if cls is None or not self.accepts(cls):
            message = "unknown class" if cls is None else "a class that does not belong here"
            raise reader.fail(message, self.wanted, shorten(name), at)
        return cls.read(reader, number)

    def _write_first(self, writer: Writer, value: Serial) -> None:
        STRING.write(writer, value.nel_name)
        value.write(writer)


def _read_elements(reader: Reader, kind: Kind[T], count: int) -> list[T]:
    values: list[T] = []
    try:
        for _ in range(count):
            values.append(kind.read(reader))  # one by one: its length is the place
    except MaxSidecarError as error:
        raise inside(error, f"[{len(values)}]") from error.__cause__
    return values


def _write_elements(writer: Writer, kind: Kind[T], values: list[T] | tuple[T, ...]) -> None:
    number = 0
    try:
        for value in values:
            kind.write(writer, value)
            number += 1
    except MaxSidecarError as error:
        raise inside(error, f"[{number}]") from error.__cause__


def _put_count(writer: Writer, count: int) -> None:
    if count > MAX_COUNT:
        raise EditError("too many elements", expected=f"up to {MAX_COUNT}", found=count)
    writer.out += count.to_bytes(4, "little")


class Implied(Kind[int]):
    """A version without bytes of its own: that of the object around, of one class.

    When it is written it follows the object around; no other value lasts.
    """

    stored = False

    def __init__(self, owner: str, newest: int) -> None:
        """Take the game's name of the class around, and its newest version."""
        self.owner = owner
        self.initial = newest
        self.label = f"the version of the {owner} around it"

    def _version(self, stack: list[Serial]) -> int:
        versions = (obj.version for obj in reversed(stack) if obj.nel_name == self.owner)
        return next(versions, self.initial)

    def read(self, reader: Reader) -> int:
        """Return the version of the object around."""
        return self._version(reader.stack)

    def write(self, writer: Writer, value: int) -> None:
        """Take over the version of the object around."""
        writer.stack[-1].version = self._version(writer.stack)


class List(Kind[list[T]]):
    """32-bit count, then the elements."""

    least = 4

    def __init__(self, kind: Kind[T]) -> None:
        """Take the kind of the elements."""
        if not kind.least:
            raise TypeError("an element without bytes would make the count unbounded")
        self.kind = kind
        self.label = f"list of {kind.label}"

    def fresh(self) -> list[T]:
        """Return no elements."""
        return []

    def read(self, reader: Reader) -> list[T]:
        """Return the elements."""
        return _read_elements(reader, self.kind, reader.count(self.kind.least))

    def write(self, writer: Writer, value: Any) -> None:
        """Append the elements."""
        if not isinstance(value, list | tuple):
            raise unfit(self.label, value)
        _put_count(writer, len(value))
        _write_elements(writer, self.kind, value)

    def plain(self, value: list[T]) -> Any:
        """Return the elements as plain data."""
        return [self.kind.plain(item) for item in value]


class Fixed(Kind[list[T]]):
    """A number of elements that is always the same."""

    def __init__(self, kind: Kind[T], count: int) -> None:
        """Take the kind of the elements and their number."""
        self.kind = kind
        self.count = count
        self.least = kind.least * count
        self.label = f"{count} × {kind.label}"

    def fresh(self) -> list[T]:
        """Return new elements."""
        return [self.kind.fresh() for _ in range(self.count)]

    def read(self, reader: Reader) -> list[T]:
        """Return the elements."""
        return _read_elements(reader, self.kind, self.count)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the elements."""
        if not isinstance(value, list | tuple) or len(value) != self.count:
            raise unfit(self.label, value)
        _write_elements(writer, self.kind, value)

    def plain(self, value: list[T]) -> Any:
        """Return the elements as plain data."""
        return [self.kind.plain(item) for item in value]


class SameLength(Kind[list[T]]):
    """As many elements as another list of the same object has, without a count."""

    def __init__(self, kind: Kind[T], other: str) -> None:
        """Take the kind of the elements and the name of the other list."""
        self.kind = kind
        self.other = other
        self.label = f"{kind.label}, one for each of `{other}`"

    def fresh(self) -> list[T]:
        """Return no elements."""
        return []

    def read(self, reader: Reader) -> list[T]:
        """Return the elements."""
        return _read_elements(reader, self.kind, len(getattr(reader.stack[-1], self.other)))

    def write(self, writer: Writer, value: Any) -> None:
        """Append the elements."""
        count = len(getattr(writer.stack[-1], self.other))
        if not isinstance(value, list | tuple) or len(value) != count:
            raise EditError(
                f"there must be one for each of {self.other}", expected=count, found=len(value)
            )
        _write_elements(writer, self.kind, value)

    def plain(self, value: list[T]) -> Any:
        """Return the elements as plain data."""
        return [self.kind.plain(item) for item in value]


class UnsortedMap(dict[Any, Any]):
    """A map whose keys were not in order in the file; it is written in its own order."""


def _order(key: Any) -> Any:
    """Return what the game sorts keys by: bytes of text, numbers as they are."""
    return key.encode("utf-8", "surrogateescape") if isinstance(key, str) else key


class Map(Kind[dict[K, T]]):
    """32-bit count, then keys with values, in the order of the keys."""

    least = 4

    def __init__(self, key: Kind[K], kind: Kind[T]) -> None:
        """Take the kinds of keys and values."""
        self.key = key
        self.kind = kind
        self.label = f"map of {key.label} to {kind.label}"

    def fresh(self) -> dict[K, T]:
        """Return no elements."""
        return {}

    def read(self, reader: Reader) -> dict[K, T]:
        """Return the elements."""
        count = reader.count(self.key.least + self.kind.least)
        values: dict[K, T] = {}
        for number in range(count):
            try:
                at = reader.pos
                key = self.key.read(reader)
                if key in values:
                    raise reader.fail("a key comes twice", None, shorten(key), at)
                values[key] = self.kind.read(reader)
            except MaxSidecarError as error:
                raise inside(error, f"[{number}]") from error.__cause__
        keys = [_order(key) for key in values]
        return values if keys == sorted(keys) else UnsortedMap(values)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the elements."""
        if not isinstance(value, dict):
            raise unfit(self.label, value)
        _put_count(writer, len(value))
        keys = value if isinstance(value, UnsortedMap) else sorted(value, key=_order)
        for number, key in enumerate(keys):
            try:
                self.key.write(writer, key)
                self.kind.write(writer, value[key])
            except MaxSidecarError as error:
                raise inside(error, f"[{number}]") from error.__cause__

    def plain(self, value: dict[K, T]) -> Any:
        """Return the elements as plain data."""
        return {self.key.plain(key): self.kind.plain(item) for key, item in value.items()}
