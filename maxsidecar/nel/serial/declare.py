"""Serial classes: one declaration reads, writes, dumps and documents a class of the game.

A class lists its fields in the order of the stream::

    class CBoneBase(Serial):
        '''One bone of a skeleton.'''

        version: int = field(Version(2), "format of the bone")
        name: str = field(STRING, "name of the bone")
        father_id: int = field(I32, "index of the parent, -1 for none", default=-1)
        skin_scale: Vec3 = field(VEC3, "scale of the skin", default=(1.0, 1.0, 1.0), since=2)

An object that was read holds exactly what the stream held, and writes the same bytes.  A field
that its version does not have gives its default, and cannot be written with another value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, ClassVar, Generic, Self, SupportsIndex, TypeVar, overload

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.nel.serial.conditions import Condition
from maxsidecar.nel.serial.kinds import Kind
from maxsidecar.nel.serial.stream import Reader, Writer, inside

__all__ = ["Field", "Serial", "field"]

T = TypeVar("T")
_NONE: Any = object()


class Field(Generic[T]):
    """One field of a :class:`Serial` class.

    Attributes:
        kind: How it is stored.
        doc: One line on meaning and unit.
        since: First version that has it.
        until: Last version that has it.
        when: Condition on fields before it.
        derive: Gives the value from the other fields.  It is kept only where the file disagrees.
        most: Largest number that may be assigned; the game's own limit.
        name: Attribute name.
    """

    name: str = ""

    def __init__(self, kind: Kind[T], doc: str, default: Any) -> None:
        """Declare the field; the other attributes are set by :func:`field`."""
        self.kind = kind
        self.doc = doc
        self.default = default
        self.since = 0
        self.until: int | None = None
        self.when: Condition | None = None
        self.derive: Callable[[Any], T] | None = None
        self.most: int | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the attribute name."""
        self.name = name

    @overload
    def __get__(self, obj: None, owner: type) -> Field[T]: ...
    @overload
    def __get__(self, obj: Serial, owner: type) -> T: ...
    def __get__(self, obj: Serial | None, owner: type) -> Field[T] | T:
        """Return the value of an object that holds none itself: derived, or the default."""
        if obj is None:
            return self
        if self.derive is not None:
            return self.derive(obj)
        value = self.fresh()
        if not isinstance(value, int | float | str | bytes | tuple | None):
            # It may be changed in place, and must be the same one next time.
            obj.__dict__[self.name] = value
        return value

    def fresh(self) -> T:
        """Return the value for new objects."""
        if self.default is _NONE:
            return self.kind.fresh()
        return deepcopy(self.default)  # type: ignore[no-any-return]

    def is_in(self, obj: Serial) -> bool:
        """Return whether the object's version and earlier fields make it have this field."""
        if self.since or self.until is not None:
            version = obj.version
            if version < self.since or (self.until is not None and version > self.until):
                return False
        return self.when is None or self.when.holds(obj)

    def check(self, value: T) -> None:
        """Refuse a value that is beyond the game's own limit.

        Raises:
            EditError: It is.
        """
        if self.most is None:
            return
        if not isinstance(value, SupportsIndex) or not 0 <= int(value) <= self.most:
            message = "the value is beyond what the game allows"
            raise EditError(message, expected=f"0 to {self.most}", found=shorten(value))


def field(
    kind: Kind[T],
    doc: str,
    *,
    default: Any = _NONE,
    since: int = 0,
    until: int | None = None,
    when: Condition | None = None,
    derive: Callable[[Any], T] | None = None,
    most: int | None = None,
) -> Any:
    """Declare a field; see :class:`Field` for the arguments."""
    declared = Field(kind, doc, default)
    declared.since, declared.until, declared.when = since, until, when
    declared.derive, declared.most = derive, most
    return declared


class Serial:
    """Base of the game's classes.

    Attributes:
        fields: The declared fields in the order of the stream.
        nel_name: Name of the class in the game.
        bases: Classes of the game that a polymorphic pointer to it may ask for; empty for a class
            that only stands inside others.
        least: The smallest number of bytes it can have.
        pointer_id: Id that a pointer gave it in the file, 0 for new objects: the next free one.
            Old exporters wrote memory addresses.
    """

    fields: ClassVar[dict[str, Field[Any]]] = {}
    nel_name: ClassVar[str] = ""
    bases: ClassVar[tuple[str, ...]] = ()
    least: ClassVar[int] = 0
    pointer_id: int = 0
    version: int

    def __init_subclass__(cls, *, nel: str = "", bases: tuple[str, ...] = ()) -> None:
        """Collect the fields.

        Args:
            nel: Name in the game, where it is not the class's own.
            bases: Base classes in the game, for a class that polymorphic pointers lead to.
        """
        super().__init_subclass__()
        own = {name: item for name, item in vars(cls).items() if isinstance(item, Field)}
        cls.fields = {**cls.fields, **own}
        cls.nel_name = nel or cls.__name__
        cls.bases = bases
        always = (f for f in cls.fields.values() if not f.since and f.until is None and not f.when)
        cls.least = sum(item.kind.least for item in always)
        conditional = any(f.since or f.until is not None for f in cls.fields.values())
        if conditional and "version" not in cls.fields:
            raise TypeError(f"{cls.__name__} has no version for its fields to depend on")

    def __init__(self, **values: Any) -> None:
        """Make an object from field values; the rest take their defaults.

        Raises:
            EditError: A value is beyond the game's own limit.
        """
        for name, value in values.items():
            if name not in self.fields:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Set a field; a name that is no field is refused."""
        declared = self.fields.get(name)
        if declared is not None:
            declared.check(value)
        elif name != "pointer_id":
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        self.__dict__[name] = value

    @classmethod
    def read(cls, reader: Reader, pointer_id: int = 0) -> Self:
        """Return the object at the reader's position, and step over it.

        Args:
            reader: Where to read.
            pointer_id: Id by which later pointers mean this object.

        Raises:
            DecodeError: The bytes do not have the layout of the class.
            LimitError: Objects are nested too deeply.
        """
        obj = cls.__new__(cls)
        if pointer_id:
            obj.__dict__["pointer_id"] = pointer_id
            reader.objects[pointer_id] = obj
        reader.enter(obj)
        values = obj.__dict__
        name = ""
        try:
            for name, item in cls.fields.items():
                if item.is_in(obj):
                    values[name] = item.kind.read(reader)
        except MaxSidecarError as error:
            raise inside(error, name) from error.__cause__
        for name in cls._derived():
            if name in values and values[name] == cls.fields[name].derive(obj):  # type: ignore[misc]
                del values[name]
        reader.stack.pop()
        return obj

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the object that is all of ``data``.

        Raises:
            DecodeError: The bytes do not have the layout of the class, or some are left.
            LimitError: Objects are nested too deeply.
        """
        reader = Reader(bytes(data))
        try:
            obj = cls.read(reader)
            if reader.pos != reader.end:
                left = f"{reader.end - reader.pos} more"
                raise reader.fail("bytes are left behind the last field", "the end", left)
        except MaxSidecarError as error:
            raise inside(error, cls.nel_name) from error.__cause__
        return obj

    def to_bytes(self, *, renumber: bool = False) -> bytes:
        """Return the object's bytes.

        Args:
            renumber: Whether pointer ids count from 1, as the game's writer has it, instead of
                being those that were read.

        Raises:
            EditError: A value does not fit, or the version has no field for it.
        """
        writer = Writer(renumber=renumber)
        try:
            self.write(writer)
        except MaxSidecarError as error:
            raise inside(error, self.nel_name) from error.__cause__
        return bytes(writer.out)

    @classmethod
    def _derived(cls) -> Iterator[str]:
        return (name for name, item in cls.fields.items() if item.derive is not None)

    def write(self, writer: Writer) -> None:
        """Append the object's bytes.

        Raises:
            EditError: A value does not fit, or the version has no field for it.
        """
        writer.enter(self)
        name = ""
        try:
            for name, item in self.fields.items():
                if item.is_in(self):
                    item.kind.write(writer, getattr(self, name))
                elif name in self.__dict__:
                    _check_left_out(item, self.__dict__[name])
        except MaxSidecarError as error:
            raise inside(error, name) from error.__cause__
        writer.stack.pop()

    def present(self) -> Iterator[tuple[str, Field[Any], Any]]:
        """Yield name, field and value of what this object writes."""
        for name, item in self.fields.items():
            if item.is_in(self):
                yield name, item, getattr(self, name)

    def __repr__(self) -> str:
        """Return the class and a short form of the fields, for debugging."""
        values = (f"{name}={shorten(value, 24)}" for name, _, value in self.present())
        return shorten_call(type(self).__name__, ", ".join(values))


def shorten_call(name: str, inner: str, limit: int = 200) -> str:
    """Return ``name(inner)``, not too long."""
    return f"{name}({inner if len(inner) <= limit else inner[:limit] + '...'})"


def _check_left_out(item: Field[Any], value: Any) -> None:
    """Refuse to lose a value that the object's version or other fields leave no room for."""
    try:
        writer, default = Writer(), Writer()
        item.kind.write(writer, value)
        item.kind.write(default, item.fresh())
        same = writer.out == default.out
    except EditError:
        same = False
    if not same:
        message = "the object's version or other fields leave no room for this value"
        raise EditError(message, expected=shorten(item.fresh()), found=shorten(value))
