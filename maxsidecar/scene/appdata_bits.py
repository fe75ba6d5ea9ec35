"""An AppData integer whose bits have names, shown as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maxsidecar.errors import EditError
from maxsidecar.scene.appdata_values import INT_MAX, ValueCodec, read_int

__all__ = ["OTHER_BITS", "BitFieldCodec", "Choice", "Flag"]

OTHER_BITS = "other_bits"
"""Table key of the bits that no field names; present only when one of them is set."""

_Table = dict[str, bool | int | str]


@dataclass(frozen=True)
class Flag:
    """One bit, shown as true or false."""

    name: str
    mask: int


@dataclass(frozen=True)
class Choice:
    """Neighbouring bits that hold a small number, shown by name or, without one, as the number.

    Attributes:
        name: Table key.
        mask: The bits within the integer.
        names: Name of each number, after shifting it down to bit 0.
    """

    name: str
    mask: int
    names: Mapping[int, str]

    @property
    def shift(self) -> int:
        """Position of the lowest bit."""
        return (self.mask & -self.mask).bit_length() - 1


class BitFieldCodec(ValueCodec):
    """A non-negative integer as a table of flags and choices.

    Args:
        fields: In the order in which the table shows them; their bits must not overlap.
    """

    kind = "bit field"

    def __init__(self, *fields: Flag | Choice) -> None:
        """Check that the fields fit together."""
        self.fields = {field.name: field for field in fields}
        self.known = 0
        for field in fields:
            if self.known & field.mask or not 0 < field.mask <= INT_MAX:
                raise ValueError(f"bits of {field.name} overlap or are out of range")
            self.known |= field.mask
        if len(self.fields) != len(fields) or OTHER_BITS in self.fields:
            raise ValueError("names of bit fields repeat")

    def check(self, value: object) -> _Table:
        """Return a complete table; a missing key is an error, because it would have to be guessed.

        :meth:`Property.edit <maxsidecar.scene.appdata_registry.Property.edit>` also takes a table
        that holds only the keys to change.
        """
        if not isinstance(value, Mapping):
            raise self.refuse(value, f"a table with {', '.join(self.fields)}")
        for key in value:
            if key not in self.fields and key != OTHER_BITS:
                raise EditError("no such key", expected=", ".join(self.fields), found=key)
        table: _Table = {}
        for name, field in self.fields.items():
            if name not in value:
                raise EditError("the table is incomplete", expected=name, found="no such key")
            table[name] = self._checked(field, value[name])
        rest = value.get(OTHER_BITS, 0)
        if isinstance(rest, bool) or not isinstance(rest, int) or not 0 <= rest <= INT_MAX:
            raise self.refuse(rest, f"{OTHER_BITS}: an integer from 0 to {INT_MAX}")
        if rest & self.known:
            raise self.refuse(rest, f"{OTHER_BITS}: none of the named bits {self.known:#x}")
        if rest:
            table[OTHER_BITS] = int(rest)
        return table

    def _checked(self, field: Flag | Choice, value: object) -> bool | int | str:
        if isinstance(field, Flag):
            if not isinstance(value, bool):
                raise self.refuse(value, f"{field.name}: true or false")
            return value
        largest = field.mask >> field.shift
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest:
            return field.names.get(value, value)
        if not isinstance(value, str) or value not in field.names.values():
            raise self.refuse(value, f"{field.name}: {', '.join(field.names.values())}")
        return value

    def parse(self, text: str) -> _Table:
        """Return the complete table of a stored integer."""
        number = read_int(text)
        if number is None or number < 0:
            raise self.unreadable(text, f"a decimal integer from 0 to {INT_MAX}")
        table: _Table = {}
        for name, field in self.fields.items():
            if isinstance(field, Flag):
                table[name] = bool(number & field.mask)
            else:
                stored = (number & field.mask) >> field.shift
                table[name] = field.names.get(stored, stored)
        if number & ~self.known:
            table[OTHER_BITS] = number & ~self.known
        return table

    def format(self, value: Mapping[str, Any]) -> str:
        """Return the integer of a complete table as text."""
        number = int(value.get(OTHER_BITS, 0))
        for name, field in self.fields.items():
            part = value[name]
            if isinstance(field, Flag):
                number |= field.mask if part else 0
            else:
                numbers = {text: stored for stored, text in field.names.items()}
                number |= (numbers[part] if isinstance(part, str) else part) << field.shift
        return str(number)

    def json_schema(self) -> dict[str, Any]:
        """Return the schema of the table; keys may be left out (they keep their value)."""
        properties: dict[str, Any] = {}
        for name, field in self.fields.items():
            if isinstance(field, Flag):
                properties[name] = {"type": "boolean"}
            else:
                number = {"type": "integer", "minimum": 0, "maximum": field.mask >> field.shift}
                properties[name] = {"anyOf": [{"enum": list(field.names.values())}, number]}
        properties[OTHER_BITS] = {"type": "integer", "minimum": 0, "maximum": INT_MAX}
        return {"type": "object", "properties": properties, "additionalProperties": False}
