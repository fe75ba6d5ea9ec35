"""The types of MAXScript values that scenes store.

``Config`` keeps persistent global variables and scripted class definitions, and
``ScriptedCustAttribDefs`` keeps editor state, all in one grammar: a value is one chunk whose id is
its type (measured on the corpus, docs/format/streams.md section 6).  Values become plain Python:

=============  ====================================================================
``undefined``  ``None``
boolean        ``bool``
integer        ``int``, signed 32 bits
float          ``float``, 32 bits
string         :class:`ScriptString`, which remembers 8-bit or UTF-16 form
name           :class:`ScriptName`, likewise
array          ``tuple``
colour         :class:`ScriptColor` (0 to 255) or :class:`ScriptColorAlpha` (0 to 1)
matrix         :class:`ScriptMatrix`
structure      :class:`ScriptStruct`
=============  ====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = [
    "MAX_DEPTH",
    "ScriptColor",
    "ScriptColorAlpha",
    "ScriptMatrix",
    "ScriptName",
    "ScriptPairs",
    "ScriptString",
    "ScriptStruct",
    "ScriptValue",
]

#: Values nested deeper than this are refused; real ones reach 11 (measured).
MAX_DEPTH: Final = 64

# Chunk ids, which are the types.
UNDEFINED: Final = 0x00
BOOLEAN: Final = 0x01
INTEGER: Final = 0x03
FLOAT: Final = 0x04
STRING8: Final = 0x05
NAME8: Final = 0x06
ARRAY: Final = 0x07
COLOR: Final = 0x08
MATRIX: Final = 0x0D
COLOR_ALPHA: Final = 0x0F
STRUCT: Final = 0x14
STRING16: Final = 0x19
NAME16: Final = 0x1A
COUNT: Final = 0x60  # first child of an array


@dataclass(frozen=True, slots=True)
class ScriptString:
    """A string.

    Attributes:
        text: The text.
        wide: Stored as UTF-16 (root ids from 2017) instead of 8-bit text.
    """

    text: str
    wide: bool = True


@dataclass(frozen=True, slots=True)
class ScriptName(ScriptString):
    """A name, which MAXScript writes as ``#text``."""


@dataclass(frozen=True, slots=True)
class ScriptColor:
    """A colour with components from 0 to 255."""

    red: float
    green: float
    blue: float


@dataclass(frozen=True, slots=True)
class ScriptColorAlpha:
    """A colour of newer files, with components from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float


@dataclass(frozen=True, slots=True)
class ScriptMatrix:
    """A transformation: three rows and the offset row, with the stored flags."""

    rows: tuple[float, ...]
    flags: int


@dataclass(frozen=True, slots=True)
class ScriptStruct:
    """An instance of a structure.

    Attributes:
        type_name: Name of the structure.
        members: (name, value) pairs in stored order.
    """

    type_name: ScriptName
    members: tuple[tuple[ScriptName, ScriptValue], ...]


ScriptValue: TypeAlias = (
    bool
    | int
    | float
    | ScriptString
    | ScriptColor
    | ScriptColorAlpha
    | ScriptMatrix
    | ScriptStruct
    | tuple["ScriptValue", ...]
    | None
)

#: (name, value) pairs, as global variables are stored.
ScriptPairs: TypeAlias = tuple[tuple[ScriptName, ScriptValue], ...]
