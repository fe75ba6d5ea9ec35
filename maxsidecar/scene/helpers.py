"""Helpers: dummies, points, targets and bones.

Measured on 235 dummies, 24 points, 32 targets and 172 bones (docs/format/lights-cameras.md).
"""

from __future__ import annotations

from typing import Final

from maxsidecar.io.fields import F32, MARK, U32, Array
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.animated import number_at
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

__all__ = ["BoneObject", "Dummy", "PointHelper", "TargetObject", "group_head_of", "group_members"]

HELPER: Final = 0x50
GEOMETRY: Final = 0x10


@register(superclass=HELPER, class_id=(0x63A64197, 0x0FD72A55))
@register(superclass=HELPER, class_id=(0x876234, 0))
class Dummy(SceneObject):
    """A box that is only seen in viewports; also the head of every group."""

    __slots__ = ()
    chunk_09ec = ChunkField(0x09EC, U32, doc="open; 0")
    box = ChunkField(0x09ED, Array(F32, 6), doc="corner with the least x, y, z, then the other")
    color = ChunkField(0x09EE, Array(F32, 3), doc="red, green, blue (likely)")


@register(superclass=HELPER, class_id=(0x2013, 0))
class PointHelper(SceneObject):
    """A point with axes."""

    __slots__ = ()
    mark = ChunkField(0x0120, MARK, doc="always there")

    def size(self, time: int = 0) -> float | None:
        """Return the size in units of the file.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "size", time)


@register(superclass=GEOMETRY, class_id=(0x1020, 0))
class TargetObject(SceneObject):
    """What the target node of a camera or light shows; it holds no values."""

    __slots__ = ()


@register(superclass=GEOMETRY, class_id=(0x28BF6E8D, 0x2ECCA840))
class BoneObject(SceneObject):
    """A bone; its measures are parameters."""

    __slots__ = ()

    def length(self, time: int = 0) -> float | None:
        """Return the length along x, in units of the file.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "length", time)


def group_members(head: Node) -> list[Node]:
    """Return the nodes of a group that hang directly on its head; none for other nodes.

    A member that is a head itself is a group in the group (measured on 4 heads, 12 members).
    """
    if not head.flag("group_head"):
        return []
    return [node for node in head.children if node.flag("group_member")]


def group_head_of(node: Node) -> Node | None:
    """Return the head of the innermost group that a node belongs to."""
    parent = node.parent if node.flag("group_member") else None
    return parent if parent is not None and parent.flag("group_head") else None
