"""Which AppData entries have a meaning, and under which name a person edits them.

AppData is how plug-ins and scripts keep values on nodes and objects: an owner (class id and
superclass id), a number that the owner chose, and bytes.  The registry maps that key to a
:class:`Property` with a name, a type and a place in the text form.  It knows no plug-in itself;
packages register theirs in :data:`REGISTRY` when they are imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from maxsidecar.errors import DecodeError, EditError, shorten
from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_values import Value, ValueCodec, stored_code_page

__all__ = ["REGISTRY", "AppDataKey", "AppDataRegistry", "Decoded", "Property"]

_KEY = re.compile(r"([0-9a-fA-F]{1,8})-([0-9a-fA-F]{1,8})/([0-9a-fA-F]{1,8})/([0-9]{1,10})")
_BARE_KEY = re.compile(r"[a-z][a-z0-9_]*")
_U32 = 2**32


@dataclass(frozen=True, order=True, slots=True)
class AppDataKey:
    """The owner and number of an AppData entry; all four are unsigned 32-bit integers.

    Attributes:
        class_a: First half of the owner's class id.
        class_b: Second half.
        superclass: The owner's superclass id.
        subid: The number that the owner gave the entry.
    """

    class_a: int
    class_b: int
    superclass: int
    subid: int

    def __post_init__(self) -> None:
        """Check the ranges."""
        for part in (self.class_a, self.class_b, self.superclass, self.subid):
            if not 0 <= part < _U32:
                raise EditError("AppData key out of range", expected="32 bits", found=part)

    def __str__(self) -> str:
        """Return ``04d64858-16d1751d/1020/77``: three numbers in hex, the last in decimal."""
        return f"{self.class_a:08x}-{self.class_b:08x}/{self.superclass:x}/{self.subid}"

    @classmethod
    def parse(cls, text: str) -> AppDataKey:
        """Return the key of its text form; raises :class:`EditError`."""
        match = _KEY.fullmatch(text)
        if match is None:
            raise EditError(
                "not an AppData key",
                expected="<class id>-<class id>/<superclass>/<number>",
                found=shorten(text),
            )
        a, b, superclass, subid = match.groups()
        return cls(int(a, 16), int(b, 16), int(superclass, 16), int(subid))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value read from an entry.

    Attributes:
        value: The value; it holds for the entry whatever its spelling.
        canonical: Whether encoding the value gives the entry's bytes again.  An entry that is not
            canonical ("1.0" for "1") keeps its bytes until its value changes.
    """

    value: Value
    canonical: bool


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    """One AppData entry with a meaning.

    Attributes:
        key: Owner and number.
        name: The owner's name for it, for example ``"LOD_DIST_MAX"``.
        path: Where the text form shows it, below the node: ``("nel", "lod", "dist_max")``.
        codec: Its type.
        default: The value that readers assume when the entry is absent; ``None`` when absence
            itself means something.
        meaning: One sentence for people.
        units: Unit of a number, empty if it has none.
        readers: The export processes that consult it.
        minimum: Smallest new value; stored ones may be smaller and are shown.
        maximum: Largest new value.
        file: Whether the text names a file.
    """

    key: AppDataKey
    name: str
    path: tuple[str, ...]
    codec: ValueCodec
    default: Value | None
    meaning: str
    units: str = ""
    readers: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    file: bool = False

    @property
    def group(self) -> tuple[str, ...]:
        """The table that holds it."""
        return self.path[:-1]

    @property
    def toml_key(self) -> str:
        """Its key within the table; a bit field is a table of that name."""
        return self.path[-1]

    def decode(self, raw: bytes, code_page: str) -> Decoded:
        """Return the value of an entry's bytes and whether they are canonical.

        Args:
            raw: The entry's bytes.
            code_page: Python codec of the scene's 8-bit text (``scene.code_page``).  There is no
                default, because a wrong one gives wrong text without an error.

        Raises:
            DecodeError: The bytes are not of the declared type; show them raw.
        """
        try:
            value = self.codec.decode(raw, code_page)
        except DecodeError as error:
            error.message = f"{self.name}: {error.message}"
            raise
        page = stored_code_page(raw, code_page)
        return Decoded(value, self.codec.encode(value, page) == raw)

    def check(self, value: object) -> Value:
        """Return a new value in its normal form; raises :class:`EditError`."""
        checked = self._typed(value)
        if isinstance(checked, int | float):
            place = ".".join(self.path)
            if self.minimum is not None and checked < self.minimum:
                bound = f">= {self.minimum:g}"
                raise EditError(f"{place}: value too small", expected=bound, found=checked)
            if self.maximum is not None and checked > self.maximum:
                bound = f"<= {self.maximum:g}"
                raise EditError(f"{place}: value too large", expected=bound, found=checked)
        return checked

    def _typed(self, value: object) -> Value:
        try:
            return self.codec.check(value)
        except EditError as error:
            error.message = f"{'.'.join(self.path)}: {error.message}"
            raise

    def encode(self, value: object, code_page: str) -> bytes:
        """Return the canonical bytes of a new value; raises :class:`EditError`."""
        return self.codec.encode(self.check(value), code_page)

    def edit(self, raw: bytes | None, value: object, code_page: str) -> bytes:
        """Return the bytes after setting ``value``: the old ones when it does not change anything.

        Args:
            raw: The entry's bytes, or ``None`` for a new entry.
            value: The new value.  A bit field may be given in part; the rest keeps its bits, or
                has the default in a new entry.
            code_page: As for :meth:`decode`.

        Raises:
            EditError: The value is wrong, or the entry's bytes are not of the declared type.
        """
        current = self.default
        if raw is not None:
            try:
                current = self.decode(raw, code_page).value
            except DecodeError as error:
                raise EditError(
                    f"{error.message}; the entry is read-only by name",
                    expected=error.expected,
                    found=error.found,
                ) from error
        if (
            isinstance(self.codec, BitFieldCodec)
            and isinstance(current, Mapping)
            and isinstance(value, Mapping)
        ):
            value = {**current, **value}
        # A stored value outside the range may stay; only a new one must be inside.
        if raw is not None and current == self._typed(value):
            return raw
        return self.encode(value, code_page if raw is None else stored_code_page(raw, code_page))

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value, with its meaning for editors."""
        schema = self.codec.json_schema()
        schema["description"] = f"{self.meaning} [{self.units}]" if self.units else self.meaning
        if self.default is not None:
            schema["default"] = self.default
        return schema


class AppDataRegistry:
    """Properties by key and by place in the text form.

    Iteration follows registration; packages register group by group, in the order in which the
    text form and the reference page show them.

    Args:
        properties: What to register at once.
    """

    def __init__(self, properties: Iterable[Property] = ()) -> None:
        """Register ``properties``."""
        self._by_key: dict[AppDataKey, Property] = {}
        self._by_path: dict[tuple[str, ...], Property] = {}
        self._tables: set[tuple[str, ...]] = set()
        for prop in properties:
            self.register(prop)

    def register(self, prop: Property) -> Property:
        """Add a property and return it.

        Raises:
            ValueError: Its key or place is taken, or its place is no lower-case TOML path.
        """
        path = prop.path
        tables = {path[:n] for n in range(1, len(path))}
        if not path or not all(_BARE_KEY.fullmatch(part) for part in path):
            raise ValueError(f"{prop.name}: not a path of lower-case bare keys: {path}")
        if prop.key in self._by_key or path in self._by_path:
            raise ValueError(f"{prop.name}: {prop.key} or {'.'.join(path)} is registered already")
        if path in self._tables or tables & self._by_path.keys():
            raise ValueError(f"{prop.name}: {'.'.join(path)} is both a table and a value")
        self._by_key[prop.key] = prop
        self._by_path[path] = prop
        self._tables |= tables
        return prop

    def by_key(self, key: AppDataKey) -> Property | None:
        """Return the property of an entry's key, if it is known."""
        return self._by_key.get(key)

    def by_toml_path(self, path: Iterable[str]) -> Property | None:
        """Return the property at a place below the node, if there is one."""
        return self._by_path.get(tuple(path))

    def groups(self) -> dict[tuple[str, ...], tuple[Property, ...]]:
        """Return the properties of each table, outer tables before inner ones.

        Tables of equal depth follow registration.
        """
        found: dict[tuple[str, ...], list[Property]] = {}
        for prop in self:
            found.setdefault(prop.group, []).append(prop)
        return {group: tuple(found[group]) for group in sorted(found, key=len)}

    def __iter__(self) -> Iterator[Property]:
        """Iterate in the order of registration."""
        return iter(self._by_key.values())

    def __len__(self) -> int:
        """Return the number of properties."""
        return len(self._by_key)


REGISTRY = AppDataRegistry()
"""The properties of all imported packages."""
