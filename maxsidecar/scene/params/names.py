"""Names of the parameters of known classes.

The tables are text, one line per block of a class, and are read when the first name is asked for::

    10/0/10 Box; s0 b2; length! width! height! ...

class id and superclass in hex, then what the line is called; where the block is (``s0``: an old
block in reference slot 0, ``s1-100``: in any of those, ``s0n13``: only if it has 13 parameters,
``b2``: ParamBlock2 with block id 2, ``b2n4`` likewise); then the names of ids 0, 1, 2 ...
``7=name`` goes on from id 7, ``-`` leaves an id without a name, because what is known of it is
weak.  The last character of a name tells where it is from: see :class:`Status`.

A fourth part gives the types, a letter for each word of the third; blanks mean nothing::

    2857f450/0/10b0 Strauss; b0; color glossiness metalness; cff

``f`` a number, ``i`` a whole number, ``b`` a boolean, ``c`` a colour or vector, ``t`` a map,
``m`` a material, ``s`` text, ``r`` another reference, bitmap or matrix, ``.`` anything; a capital
is a table of them.  A block whose types are others is of a release that the line does not know,
and gets no names from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

from maxsidecar.scene.params.types import TAB, TYPES, Kind

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassId

__all__ = [
    "BlockNames",
    "Status",
    "add_names",
    "all_names",
    "names_of_block",
    "names_of_old_block",
]


class Status(Enum):
    """Where a name is from."""

    #: The meaning is proved by twin files or by a rebuilt mesh.
    MEASURED = "!"
    #: A file itself gives the name.
    NAMED = "*"
    #: Public documentation or a public list of ids gives it, and order and type agree; no twin
    #: file shows it.
    DOCUMENTED = ""


@dataclass(frozen=True, slots=True)
class BlockNames:
    """Names of one block of a class.

    Attributes:
        title: What the line is called.
        names: Name by parameter id.
        status: Where each name is from, by parameter id.
        types: Letter of the type by parameter id, as far as the line tells.
    """

    title: str
    names: dict[int, str]
    status: dict[int, Status]
    types: dict[int, str]

    def fits(self, types: Iterable[tuple[int, int]]) -> bool:
        """Whether parameters have the types that the names are for.

        Args:
            types: Id and type code of each.
        """
        return all(self.types.get(number, ".") in (".", _letter(code)) for number, code in types)


#: Letters of types by what a value is made of; materials and maps have their own.
_LETTERS: Final = {
    Kind.FLOAT: "f",
    Kind.INTEGER: "i",
    Kind.BOOLEAN: "b",
    Kind.FLOATS: "c",
    Kind.TEXT: "s",
}
_MATERIAL, _MAP = 14, 15


def _letter(code: int) -> str:
    """Return the letter of a type code."""
    plain = code & ~TAB
    known = TYPES.get(plain)
    letter = _LETTERS.get(known.kind, "r") if known is not None else "r"
    letter = {_MATERIAL: "m", _MAP: "t"}.get(plain, letter)
    return letter.upper() if code & TAB else letter


#: ``(class id A, B, superclass, place, number of parameters or None)``; the place is ``s`` or
#: ``b`` and a number.
_Key = tuple[int, int, int, str, int | None]

_PLACE: Final = re.compile(r"([sb])(\d+)(?:-(\d+))?(?:n(\d+))?\Z")
_NAME: Final = re.compile(r"(?:(\d+)=)?(-|[a-z][a-z0-9_]*)([!*]?)\Z")


@cache
def all_names() -> dict[_Key, BlockNames]:
    """Return every line of the tables by what it is for."""
    from maxsidecar.scene.params.names_materials import TABLE as MATERIALS
    from maxsidecar.scene.params.names_objects import TABLE as OBJECTS
    from maxsidecar.scene.params.names_renderers import TABLE as RENDERERS

    out: dict[_Key, BlockNames] = {}
    for table in (OBJECTS, MATERIALS, RENDERERS):
        for line in _lines(table):
            _add(out, line)
    return out


def add_names(table: str) -> None:
    """Add a table, for classes that only one application knows.

    Args:
        table: Lines in the form that the module describes.

    Raises:
        ValueError: A line does not have that form.
    """
    for line in _lines(table):
        _add(all_names(), line)


def _lines(table: str) -> list[str]:
    """Return the lines of a table, indented ones joined to the one above."""
    out: list[str] = []
    for line in table.splitlines():
        if line.startswith(" ") and out:
            out[-1] += line
        elif line.strip() and not line.startswith("#"):
            out.append(line)
    return out


def _add(out: dict[_Key, BlockNames], line: str) -> None:
    head, places, words, *rest = line.split(";")
    if len(rest) > 1:
        raise ValueError(f"not a line: too many parts in {line!r}")
    letters = iter("".join(rest).replace(" ", ""))
    key, _, title = head.partition(" ")
    class_a, class_b, superclass = (int(part, 16) for part in key.split("/"))
    names: dict[int, str] = {}
    status: dict[int, Status] = {}
    types: dict[int, str] = {}
    number = 0
    for word in words.split():
        match = _NAME.match(word)
        if match is None:
            raise ValueError(f"not a name: {word!r} in {line!r}")
        start, name, mark = match.groups()
        number = int(start) if start else number
        if name != "-":
            names[number] = name
            status[number] = Status(mark)
        if rest:
            types[number] = _type(next(letters, ""), line)
        number += 1
    if next(letters, ""):
        raise ValueError(f"not a type: more of them than names in {line!r}")
    found = BlockNames(title.strip(), names, status, types)
    for place in places.split():
        match = _PLACE.match(place)
        if match is None:
            raise ValueError(f"not a place: {place!r} in {line!r}")
        letter, first, last, count = match.groups()
        for where in range(int(first), int(last or first) + 1):
            full = class_a, class_b, superclass, f"{letter}{where}", int(count) if count else None
            out[full] = found


def _type(letter: str, line: str) -> str:
    if not letter or letter.lower() not in "fibctmsr.":
        raise ValueError(f"not a type: {letter!r} in {line!r}")
    return letter


def _find(class_id: ClassId, superclass: int, place: str, count: int | None) -> BlockNames | None:
    table = all_names()
    key = class_id.a, class_id.b, superclass, place
    return table.get((*key, count)) or table.get((*key, None))


def names_of_block(
    class_id: ClassId, superclass: int, block_id: int, count: int
) -> BlockNames | None:
    """Return the names of a ParamBlock2.

    Args:
        class_id: Class id of the owner.
        superclass: Superclass of the owner.
        block_id: Number of the block among those of its owner.
        count: Number of parameters.
    """
    return _find(class_id, superclass, f"b{block_id}", count)


def names_of_old_block(
    class_id: ClassId, superclass: int, slot: int, count: int
) -> BlockNames | None:
    """Return the names of an old block.

    Args:
        class_id: Class id of the owner.
        superclass: Superclass of the owner.
        slot: Reference slot of the owner that holds the block.
        count: Number of parameters, which differs between releases of some classes.
    """
    return _find(class_id, superclass, f"s{slot}", count)
