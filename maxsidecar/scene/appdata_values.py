"""How the text in an AppData entry becomes a value, and a value becomes text again.

Plug-ins store AppData values as NUL-terminated 8-bit text, numbers too ("0" is the two bytes
``30 00``; measured on street.max of the corpus, all 8 nodes).  A codec reads every spelling that
the plug-ins' own readers accept, and writes one canonical spelling.  Text that it cannot read
exactly is a :class:`~maxsidecar.errors.DecodeError`, so that the entry is shown as raw bytes.

Scripts in newer releases write UTF-8 with a byte-order mark instead of the code page (measured on
pairs/DoubleSidedMaterial of the corpus); an entry keeps the form that it has.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeAlias

from maxsidecar.errors import DecodeError, EditError, shorten

__all__ = [
    "BOOL",
    "COLOR",
    "FLOAT",
    "INT",
    "INT_MAX",
    "INT_MIN",
    "TEXT",
    "EnumCodec",
    "Value",
    "ValueCodec",
    "read_int",
    "stored_code_page",
]

Value: TypeAlias = bool | int | float | str | list[int] | dict[str, bool | int | str]
"""What TOML can hold: a colour is a list of integers, a bit field a table."""

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF8_WITH_MARK = "utf-8-sig"
INT_MIN, INT_MAX = -(2**31), 2**31 - 1
FLOAT_MAX = 3.4028234663852886e38
"""Largest 32-bit float: the plug-ins read floats as 32-bit."""

# No number needs more; it bounds the work on a hostile entry.
_LONGEST_NUMBER = 64
_INT = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")


def stored_code_page(raw: bytes, code_page: str) -> str:
    """Return the encoding of an entry's text: UTF-8 if its mark is there, else ``code_page``."""
    return _UTF8_WITH_MARK if raw.startswith(_UTF8_MARK) else code_page


class ValueCodec(ABC):
    """Reads and writes one type of AppData value.

    Attributes:
        kind: Name of the type, for the reference page.
    """

    kind: ClassVar[str]

    def decode(self, raw: bytes, code_page: str) -> Value:
        """Return the value of an entry's bytes.

        Args:
            raw: The entry's data, with its closing NUL.
            code_page: Python's name of the 8-bit code page; numbers are the same in all of them.

        Raises:
            DecodeError: Not NUL-terminated, NUL inside (as in UTF-16), or not text of this type.
        """
        if raw[-1:] != b"\0":
            raise DecodeError(
                "AppData text does not end with NUL", expected="00", found=raw[-1:].hex() or "empty"
            )
        body = raw[:-1]
        if b"\0" in body:
            raise DecodeError(
                "AppData text holds a NUL (16-bit text, or more than one string)",
                expected="8-bit text",
                found=shorten(raw),
            )
        text: str | None
        code_page = stored_code_page(raw, code_page)
        try:
            text = body.decode(code_page)
            if text.encode(code_page) != body:
                text = None
        except (UnicodeError, LookupError):
            text = None
        if text is None:
            raise DecodeError(
                "AppData text is not valid in its code page",
                expected=code_page,
                found=shorten(body),
            )
        return self.parse(text)

    def encode(self, value: Value, code_page: str) -> bytes:
        """Return the canonical bytes of ``value``, with the closing NUL.

        Raises:
            EditError: The value is not of this type, or has no form in the code page.
        """
        text = self.format(self.check(value))
        try:
            body = text.encode(code_page)
        except (UnicodeError, LookupError):
            body = None
        if body is None or b"\0" in body or stored_code_page(body, code_page) != code_page:
            raise EditError(
                "text cannot be stored", expected=f"characters of {code_page}", found=shorten(value)
            )
        return body + b"\0"

    def refuse(self, value: object, expected: str) -> EditError:
        """Return the error for a new value of the wrong type or range."""
        return EditError(
            f"not a value of type {self.kind}", expected=expected, found=shorten(value)
        )

    def unreadable(self, text: str, expected: str) -> DecodeError:
        """Return the error for stored text that is not of this type."""
        return DecodeError(
            f"AppData text is no {self.kind}", expected=expected, found=shorten(text)
        )

    @abstractmethod
    def check(self, value: object) -> Value:
        """Return a new value in its normal form (an integer becomes a float, for example).

        Raises:
            EditError: The value is not of this type.
        """

    @abstractmethod
    def parse(self, text: str) -> Value:
        """Return the value of stored text; raises :class:`DecodeError`."""

    @abstractmethod
    def format(self, value: Any) -> str:
        """Return the canonical text of a checked value."""

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""


def read_int(text: str) -> int | None:
    """Return a decimal 32-bit integer with an optional sign, or ``None``."""
    if len(text) > _LONGEST_NUMBER or not _INT.fullmatch(text):
        return None
    number = int(text)
    return number if INT_MIN <= number <= INT_MAX else None


class _Text(ValueCodec):
    kind = "text"

    def check(self, value: object) -> str:
        if not isinstance(value, str) or "\0" in value:
            raise self.refuse(value, "a string without NUL")
        return value

    def parse(self, text: str) -> str:
        return text

    def format(self, value: str) -> str:
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


class _Int(ValueCodec):
    kind = "integer"

    def check(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.refuse(value, "an integer")
        if not INT_MIN <= value <= INT_MAX:
            raise self.refuse(value, "32 bits with sign")
        return value

    def parse(self, text: str) -> int:
        number = read_int(text)
        if number is None:
            raise self.unreadable(text, "a decimal 32-bit integer")
        return number

    def format(self, value: int) -> str:
        return str(value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer"}


class _Bool(ValueCodec):
    """0 or 1.  Other numbers stay raw: scripts compare with "1", the C++ readers with 0."""

    kind = "boolean"

    def check(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.refuse(value, "true or false")
        return value

    def parse(self, text: str) -> bool:
        number = read_int(text)
        if number not in (0, 1):
            raise self.unreadable(text, "0 or 1")
        return number == 1

    def format(self, value: bool) -> str:
        return "1" if value else "0"

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class _Float(ValueCodec):
    """A number as ``scanf("%g")`` reads it, a comma being a decimal point too."""

    kind = "float"

    def check(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(value, "a number")
        if not abs(value) <= FLOAT_MAX:  # NaN too
            raise self.refuse(value, "a finite 32-bit float")
        return float(value)

    def parse(self, text: str) -> float:
        number = None
        if len(text) <= _LONGEST_NUMBER and _FLOAT.fullmatch(text):
            number = float(text.replace(",", "."))
        if number is None or not abs(number) <= FLOAT_MAX:
            raise self.unreadable(text, "a finite decimal number")
        return number

    def format(self, value: float) -> str:
        text = repr(value)
        if "e" in text and 1e-16 <= abs(value) < 1e16:
            from decimal import Decimal

            text = format(Decimal(text), "f")
        # The export dialogue writes "1000" and "1.4": no decimals that say nothing.
        return text.removesuffix(".0")

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number"}


class _Color(ValueCodec):
    """``r g b`` or ``r g b a``; readers clamp to 0..255 and take missing parts as 255."""

    kind = "color"

    def check(self, value: object) -> list[int]:
        if not isinstance(value, list | tuple) or len(value) not in (3, 4):
            raise self.refuse(value, "[red, green, blue] or [red, green, blue, alpha]")
        for part in value:
            if isinstance(part, bool) or not isinstance(part, int) or not 0 <= part <= 255:
                raise self.refuse(value, "integers from 0 to 255")
        return [int(part) for part in value]

    def parse(self, text: str) -> list[int]:
        if len(text) > _LONGEST_NUMBER:
            raise self.unreadable(text, "3 or 4 integers")
        words = text.split(" ")
        parts = [min(max(n, 0), 255) for n in map(read_int, words) if n is not None]
        if len(parts) != len(words) or not 1 <= len(parts) <= 4:
            raise self.unreadable(text, "3 or 4 integers")
        return parts + [255] * (3 - len(parts))

    def format(self, value: list[int]) -> str:
        return " ".join(map(str, value))

    def json_schema(self) -> dict[str, Any]:
        part = {"type": "integer", "minimum": 0, "maximum": 255}
        return {"type": "array", "items": part, "minItems": 3, "maxItems": 4}


class EnumCodec(ValueCodec):
    """An integer shown by name; an integer without a name is shown, and accepted, as it is.

    Args:
        names: Name of each stored number.
    """

    kind = "enumeration"

    def __init__(self, names: dict[int, str]) -> None:
        """Check that the names are distinct."""
        self.names = dict(names)
        self.numbers = {name: number for number, name in names.items()}
        if len(self.numbers) != len(self.names):
            raise ValueError(f"names repeat: {names}")

    def check(self, value: object) -> str | int:
        """Return a name, or an integer that has none."""
        if isinstance(value, int) and not isinstance(value, bool) and INT_MIN <= value <= INT_MAX:
            return self.names.get(value, value)
        if not isinstance(value, str) or value not in self.numbers:
            raise self.refuse(value, ", ".join(self.numbers))
        return value

    def parse(self, text: str) -> str | int:
        """Return the name of the stored number, or the number."""
        number = read_int(text)
        if number is None:
            raise self.unreadable(text, "a decimal 32-bit integer")
        return self.names.get(number, number)

    def format(self, value: str | int) -> str:
        """Return the number as text."""
        return str(self.numbers[value] if isinstance(value, str) else value)

    def json_schema(self) -> dict[str, Any]:
        """Return a schema that offers the names and lets other integers pass."""
        return {"anyOf": [{"enum": list(self.numbers)}, {"type": "integer"}]}


TEXT: ValueCodec = _Text()
INT: ValueCodec = _Int()
BOOL: ValueCodec = _Bool()
FLOAT: ValueCodec = _Float()
COLOR: ValueCodec = _Color()
