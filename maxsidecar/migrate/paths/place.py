"""Places: where one path stands; and holders: the records that hold one or more of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError, Where

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = ["OUTPUT", "SUMMARY", "Holder", "Place", "label"]

#: Kind of a file that is written, not read.
OUTPUT: Final = "output"
#: Kind of a name in the properties that file dialogs show, a copy of what stands in the scene.
SUMMARY: Final = "summary"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one path stands.

    Attributes:
        path: The path.
        kind: What kind of file it names: ``bitmap``, ``photometric``, ``xref``, ``sound``,
            ``output`` (written, not read), ``summary`` (a copy of a name), ``text`` (a text that
            reads as a path), else ``file``.
        field: What holds it: a parameter, an attribute or a chunk.
        number: Which of the paths of its holder it is.
        where: Stream, chunk path and offset of the record that holds it, in the file as read.
        size: Bytes of that record.
        owner: The object that it belongs to, as people read it; empty outside the ``Scene`` stream.
        index: Storage index of the object that stores it, if one does.
        read_only: Why it cannot be renamed, or nothing.
        proven: ``False`` where only its looks say that it is a path.
        asset: Id in the asset table, for paths of that table.
    """

    path: str
    kind: str
    field: str
    number: int
    where: Where
    size: int = 0
    owner: str = ""
    index: int | None = None
    read_only: str = ""
    proven: bool = True
    asset: str = ""


class Holder(ABC):
    """One record with paths; all of them are written in one edit."""

    @abstractmethod
    def places(self) -> Iterator[Place]:
        """Yield the paths in stored order.

        Raises:
            MaxSidecarError: The record cannot be read.
        """

    @abstractmethod
    def write(self, changes: Mapping[int, str]) -> None:
        """Put other paths in place of some, by the number of the place.

        Raises:
            EditError: The record is not understood to the last byte, or a path does not fit.
        """


def label(obj: SceneObject) -> str:
    """Return class and storage index of an object, with its name where it has one."""
    try:
        name = getattr(obj, "name", "")
    except MaxSidecarError:
        name = ""
    text = f"{obj.class_name} {obj.index}"
    return f"{text} '{name}'" if isinstance(name, str) and name else text
