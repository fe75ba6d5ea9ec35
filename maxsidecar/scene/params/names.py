"""Names of the parameters of known classes.

The tables are text, one line per block of a class, and are read when the first name is asked for::

    10/0/10 Box; s0 b2; length! width! height! ...

class id and superclass in hex, then what the line is called; where the block is (``s0``: an old
block in reference slot 0, ``s1-100``: in any of those, ``s0n13``: only if it has 13 parameters,
``b2``: ParamBlock2 with block id 2, ``b2n4`` likewise); then the names of ids 0, 1, 2 ...
``7=name`` goes on from id 7, ``-`` leaves an id without a name, because what is known of it is
weak.  The last character of a name tells where it is from: see :class:`Status`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

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
    #: Order and type agree with the public documentation, no twin file shows it.
    DOCUMENTED = ""


@dataclass(frozen=True, slots=True)
class BlockNames:
    """Names of one block of a class.

    Attributes:
        title: What the line is called.
        names: Name by parameter id.
        status: Where each name is from, by parameter id.
    """

    title: str
    names: dict[int, str]
    status: dict[int, Status]


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

    out: dict[_Key, BlockNames] = {}
    for table in (OBJECTS, MATERIALS):
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
    head, places, words = line.split(";")
    key, _, title = head.partition(" ")
    class_a, class_b, superclass = (int(part, 16) for part in key.split("/"))
    names: dict[int, str] = {}
    status: dict[int, Status] = {}
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
        number += 1
    found = BlockNames(title.strip(), names, status)
    for place in places.split():
        match = _PLACE.match(place)
        if match is None:
            raise ValueError(f"not a place: {place!r} in {line!r}")
        letter, first, last, count = match.groups()
        for where in range(int(first), int(last or first) + 1):
            full = class_a, class_b, superclass, f"{letter}{where}", int(count) if count else None
            out[full] = found


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
