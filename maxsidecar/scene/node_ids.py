"""Numbers by which texts and other files tell the nodes of a scene apart.

The id of a node is its handle where the file stores handles (from release 4 on, measured), else
its storage index.  Handles that repeat identify nothing, so then ids are storage indices too.  A
node without a handle in a file that has them is identified by its storage index, and its key shows
that.
"""

from __future__ import annotations

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene

__all__ = ["NodeIds"]


class NodeIds:
    """Ids of the nodes of a scene, both ways, as they are when this is made.

    Attributes:
        scene: The scene.
        handles: Handle by storage index; empty where ids are storage indices.
    """

    def __init__(self, scene: Scene) -> None:
        """Read every node's handle; one that cannot be read counts as missing."""
        self.scene = scene
        self.handles: dict[int, int] = {}
        for node in scene.nodes.values():
            handle = _handle(node)
            if handle is not None:
                self.handles[node.index] = handle
        self._by_handle = {handle: index for index, handle in self.handles.items()}
        if len(self._by_handle) < len(self.handles):
            self.handles, self._by_handle = {}, {}

    def id_of(self, obj: SceneObject) -> tuple[str, int]:
        """Return the key (``id`` or ``index``) and number that identify an object."""
        if isinstance(obj, Node):
            if not self.handles:
                return "id", obj.index
            handle = self.handles.get(obj.index)
            if handle is not None:
                return "id", handle
        return "index", obj.index

    def key(self, obj: SceneObject) -> str:
        """Return a short text that identifies an object: ``366``, or ``#12`` for an index."""
        key, number = self.id_of(obj)
        return str(number) if key == "id" else f"#{number}"

    def find(self, key: str, number: int) -> Node | None:
        """Return the node with an ``id`` or ``index``.

        Of a scene that has handles an ``index`` only tells nodes without one: a node that has one
        may stand where another did when the number was written.
        """
        if key == "id" and self.handles:
            index = self._by_handle.get(number)
            return None if index is None else self.scene.nodes.get(index)
        return None if number in self.handles else self.scene.nodes.get(number)


def _handle(node: Node) -> int | None:
    try:
        return node.handle
    except MaxSidecarError:
        return None
