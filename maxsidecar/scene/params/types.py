"""The types of parameter values, and how one value of each is laid out.

Codes, names and sizes are those of the records (measured on all blocks of the corpus, see
docs/format/parameters.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from struct import Struct
from typing import Any, Final

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import F32, I32, U8, U32

__all__ = [
    "ASSET",
    "TAB",
    "TYPES",
    "AssetMark",
    "Kind",
    "Matrix",
    "ParamType",
    "type_name",
]

#: Bit of a type code that says that the parameter is a table of values.
TAB: Final = 0x800


class Kind(Enum):
    """What a value is made of."""

    FLOAT = "number"
    INTEGER = "whole number"
    BOOLEAN = "boolean"
    FLOATS = "list of numbers"
    TEXT = "text"
    REFERENCE = "reference"
    BITMAP = "bitmap"
    MATRIX = "matrix"
    VOID = "nothing"


class AssetMark(Enum):
    """Stands in a record for a file name that is kept in the asset table."""

    ASSET = "asset"

    def __str__(self) -> str:
        """Return the word for text forms."""
        return self.value


ASSET: Final = AssetMark.ASSET


@dataclass(frozen=True, slots=True)
class Matrix:
    """A transformation.

    Attributes:
        rows: Three rows and the offset row, 12 floats.
        flags: What the program knew about it (identity parts); kept.
    """

    rows: tuple[float, ...]
    flags: int = 0


@dataclass(frozen=True, slots=True)
class ParamType:
    """One type of parameter.

    Attributes:
        code: Number in the record, without the tab bit.
        name: Name for people and tables.
        kind: What a value is made of.
        layout: Layout of a constant value when its size is fixed.
    """

    code: int
    name: str
    kind: Kind
    layout: Struct | None = None

    def check(self, value: Any) -> None:
        """Refuse a stored value that this layout cannot hold.

        Raises:
            EditError: Wrong type or out of range.
        """
        kind = self.kind
        if kind is Kind.FLOAT:
            F32.check(value)
        elif kind is Kind.INTEGER or kind is Kind.BOOLEAN or kind is Kind.REFERENCE:
            I32.check(value)
        elif kind is Kind.FLOATS:
            count = (self.layout.size if self.layout else 0) // 4
            if not isinstance(value, tuple | list):
                raise EditError("not a list of numbers", found=type(value).__name__)
            if len(value) != count:
                raise EditError("wrong number of values", expected=count, found=len(value))
            for number in value:
                F32.check(number)
        elif kind is Kind.BITMAP:
            U8.check(value)
        elif kind is Kind.MATRIX:
            if not isinstance(value, Matrix):
                raise EditError("not a matrix", found=type(value).__name__)
            if len(value.rows) != 12:
                raise EditError("wrong number of values", expected=12, found=len(value.rows))
            for number in value.rows:
                F32.check(number)
            U32.check(value.flags)

    def unpack(self, data: Any, pos: int) -> Any:
        """Return the constant value at ``pos``; the caller has checked the size."""
        assert self.layout is not None  # noqa: S101 - for the type checker
        numbers = self.layout.unpack_from(data, pos)
        if self.kind is Kind.MATRIX:
            return Matrix(numbers[:12], numbers[12])
        return numbers if self.kind is Kind.FLOATS else numbers[0]

    def pack(self, value: Any) -> bytes:
        """Return the bytes of a constant value that was checked."""
        assert self.layout is not None  # noqa: S101 - for the type checker
        if self.kind is Kind.MATRIX:
            return self.layout.pack(*value.rows, value.flags)
        return self.layout.pack(*value) if self.kind is Kind.FLOATS else self.layout.pack(value)


_F = Struct("<f")
_I = Struct("<i")
_3F = Struct("<3f")
_4F = Struct("<4f")

_LIST: Final = (
    ParamType(0, "float", Kind.FLOAT, _F),
    ParamType(1, "integer", Kind.INTEGER, _I),
    ParamType(2, "color", Kind.FLOATS, _3F),
    ParamType(3, "point3", Kind.FLOATS, _3F),
    ParamType(4, "boolean", Kind.BOOLEAN, _I),
    ParamType(5, "angle", Kind.FLOAT, _F),
    ParamType(6, "percent", Kind.FLOAT, _F),
    ParamType(7, "world_units", Kind.FLOAT, _F),
    ParamType(8, "string", Kind.TEXT),
    ParamType(9, "filename", Kind.TEXT),
    ParamType(10, "hsv", Kind.FLOATS, _3F),
    ParamType(11, "color_channel", Kind.FLOAT, _F),
    ParamType(12, "time", Kind.INTEGER, _I),
    ParamType(13, "radio_button", Kind.INTEGER, _I),
    ParamType(14, "material", Kind.REFERENCE, _I),
    ParamType(15, "texture_map", Kind.REFERENCE, _I),
    ParamType(16, "bitmap", Kind.BITMAP, Struct("<B")),
    ParamType(17, "node", Kind.REFERENCE, _I),
    ParamType(18, "reference", Kind.REFERENCE, _I),
    ParamType(19, "index", Kind.INTEGER, _I),
    ParamType(20, "matrix", Kind.MATRIX, Struct("<12fI")),
    ParamType(21, "parameter_block", Kind.REFERENCE, _I),
    ParamType(22, "point4", Kind.FLOATS, _4F),
    ParamType(23, "frgba", Kind.FLOATS, _4F),
    ParamType(25, "void", Kind.VOID),
)

#: Types by code, without the tab bit.
TYPES: Final = {entry.code: entry for entry in _LIST}


def type_name(code: int) -> str:
    """Return the name of a type code, such as ``"float[]"`` for a table of floats."""
    known = TYPES.get(code & ~TAB)
    name = known.name if known else f"type {code & ~TAB:#x}"
    return f"{name}[]" if code & TAB else name
