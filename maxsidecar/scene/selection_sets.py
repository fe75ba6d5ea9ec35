"""Named selection sets.

The list, slot 5 of the Scene object, holds the sets in its reference slots; a set holds its nodes
in its own.  What is empty has no reference list (measured: 28 sets in 10 scenes).  A slot that
leads to anything else is left out, and :meth:`SceneObject.problems` tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.fields import U32, UTF16
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.members import count_problems, write_members
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register
from maxsidecar.scene.scene import Scene

__all__ = ["SelectionSet", "SelectionSets", "selection_sets"]

_COUNT: Final = 0x0100


@register(superclass=0x100, class_id=(0x8D51, 0))
class SelectionSet(SceneObject):
    """A named set of nodes."""

    __slots__ = ()
    stored_count = ChunkField(_COUNT, U32, default=0, doc="number of slots; some may be empty")
    name = ChunkField(0x0110, UTF16, default="", doc="name of the set")

    @property
    def count(self) -> int:
        """The number of reference slots; some may be empty."""
        return self.stored_count

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the set, in the order of the slots; deleted ones are left out.

        Assigning writes the slots and their number.
        """
        found = (self.reference(slot) for slot in sorted(self.references))
        return [node for node in found if isinstance(node, Node)]

    @nodes.setter
    def nodes(self, nodes: Sequence[Node]) -> None:
        write_members(self, nodes, Node, _COUNT)

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield slots that lead to no node, and a number that does not agree."""
        return count_problems(self, Node, self.count)


@register(superclass=0x100, class_id=(0x8D52, 0))
class SelectionSets(SceneObject):
    """The list of all sets."""

    __slots__ = ()
    stored_count = ChunkField(_COUNT, U32, default=0, doc="number of sets")

    @property
    def count(self) -> int:
        """The number of sets."""
        return self.stored_count

    @property
    def sets(self) -> list[SelectionSet]:
        """The sets in the order of the slots; assigning writes the slots and their number."""
        found = (self.reference(slot) for slot in sorted(self.references))
        return [item for item in found if isinstance(item, SelectionSet)]

    @sets.setter
    def sets(self, sets: Sequence[SelectionSet]) -> None:
        write_members(self, sets, SelectionSet, _COUNT)

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield slots that lead to no set, and a number that does not agree."""
        return count_problems(self, SelectionSet, self.count)


def selection_sets(scene: Scene) -> list[SelectionSet]:
    """Return the named selection sets of a scene.

    Raises:
        DecodeError: The list cannot be read.
    """
    lists = [obj for obj in scene.of_superclass(0x100) if isinstance(obj, SelectionSets)]
    return lists[0].sets if lists else []
