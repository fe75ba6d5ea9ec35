"""Named selection sets.

The list, slot 5 of the Scene object, holds the sets in its reference slots; a set holds its nodes
in its own.  Both kinds are stored in two forms of reference list (measured: 28 sets in 10 scenes).
"""

from __future__ import annotations

from maxsidecar.io.fields import U32, UTF16
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register
from maxsidecar.scene.scene import Scene

__all__ = ["SelectionSet", "SelectionSets", "selection_sets"]


@register(superclass=0x100, class_id=(0x8D51, 0))
class SelectionSet(SceneObject):
    """A named set of nodes."""

    __slots__ = ()
    count = ChunkField(0x0100, U32, default=0, doc="number of reference slots; some may be empty")
    name = ChunkField(0x0110, UTF16, default="", doc="name of the set")

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the set, in the order of the slots; deleted ones are left out."""
        found = (self.reference(slot) for slot in sorted(self.references))
        return [node for node in found if isinstance(node, Node)]


@register(superclass=0x100, class_id=(0x8D52, 0))
class SelectionSets(SceneObject):
    """The list of all sets."""

    __slots__ = ()
    count = ChunkField(0x0100, U32, default=0, doc="number of sets")

    @property
    def sets(self) -> list[SelectionSet]:
        """The sets in the order of the slots."""
        found = (self.reference(slot) for slot in sorted(self.references))
        return [item for item in found if isinstance(item, SelectionSet)]


def selection_sets(scene: Scene) -> list[SelectionSet]:
    """Return the named selection sets of a scene.

    Raises:
        DecodeError: The list cannot be read.
    """
    lists = [obj for obj in scene.of_superclass(0x100) if isinstance(obj, SelectionSets)]
    return lists[0].sets if lists else []
