"""Scene nodes: names, parents, flags and the tree they make.

(Measured on the corpus; layouts and proofs in docs/format/node.md.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.fields import UTF16, Record, record_codec, u32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["Node", "NodeTree", "RootNode"]

NODE_SUPERCLASS: Final = 0x1


class NodeParent(Record):
    """Link to the parent node, with flags of the node."""

    parent: int = u32(doc="storage index of the parent node")
    flags: int = u32(doc="node flags")


@register(superclass=NODE_SUPERCLASS)
class Node(SceneObject):
    """A node of the scene tree."""

    __slots__ = ()
    parent_link = ChunkField(0x0960, record_codec(NodeParent), doc="parent and flags")
    name = ChunkField(0x0962, UTF16, doc="node name", default="")
    user_properties_text = ChunkField(
        0x09BA, UTF16, doc="user-defined properties, as the text was typed", default=""
    )

    @property
    def parent(self) -> Node | None:
        """The parent node; ``None`` for the root node and for a broken link."""
        return self.scene.nodes.parent(self)

    @property
    def children(self) -> list[Node]:
        """The child nodes, in storage order."""
        return self.scene.nodes.children(self)

    @property
    def user_properties(self) -> dict[str, str]:
        """The ``key = value`` lines of the user-defined properties, in order."""
        out: dict[str, str] = {}
        for line in self.user_properties_text.splitlines():
            key, found, value = line.partition("=")
            if found:
                out.setdefault(key.strip(), value.strip())
        return out

    @property
    def object(self) -> SceneObject | None:
        """The object that the node shows: a base object, or the top of a modifier stack."""
        return self.reference(1)


@register(superclass=NODE_SUPERCLASS, class_id=(2, 0))
class RootNode(Node):
    """The invisible root of the tree."""

    __slots__ = ()


class NodeTree(Mapping[int, Node]):
    """The nodes by storage index, with their tree.

    Nodes that cannot be read are left out and listed in ``problems``.
    """

    def __init__(self, scene: Scene) -> None:
        """Read the parent link of every node."""
        self.scene = scene
        self.problems: list[MaxSidecarError] = []
        self._nodes: dict[int, Node] = {}
        self._parents: dict[int, int | None] = {}
        self._children: dict[int | None, list[int]] = {}
        self._names: dict[str, list[int]] | None = None
        for obj in scene.of_superclass(NODE_SUPERCLASS):
            if isinstance(obj, Node):
                self._add(obj)
        self._link()

    def _add(self, node: Node) -> None:
        try:
            link = node.parent_link
        except MaxSidecarError as error:
            self.problems.append(error)
            link = None
        self._nodes[node.index] = node
        self._parents[node.index] = link.parent if link else None

    def _link(self) -> None:
        for index, parent in self._parents.items():
            if parent is not None and (parent not in self._nodes or parent == index):
                self._parents[index] = parent = None
            self._children.setdefault(parent, []).append(index)

    def __getitem__(self, index: int) -> Node:
        """Return the node with a storage index."""
        return self._nodes[index]

    def __iter__(self) -> Iterator[int]:
        """Yield the storage indices, in storage order."""
        return iter(self._nodes)

    def __len__(self) -> int:
        """Return the number of nodes, the root node included."""
        return len(self._nodes)

    @property
    def root(self) -> RootNode | None:
        """The root node."""
        return next((n for n in self._nodes.values() if isinstance(n, RootNode)), None)

    def parent(self, node: Node) -> Node | None:
        """Return a node's parent."""
        index = self._parents.get(node.index)
        return None if index is None else self._nodes[index]

    def children(self, node: Node | None) -> list[Node]:
        """Return a node's children; of ``None``: the nodes without a parent."""
        key = None if node is None else node.index
        return [self._nodes[i] for i in self._children.get(key, ())]

    def find(self, name: str) -> list[Node]:
        """Return the nodes with a name, whatever its case, in storage order."""
        if self._names is None:
            self._names = {}
            for node in self._nodes.values():
                self._names.setdefault(node.name.casefold(), []).append(node.index)
        return [self._nodes[i] for i in self._names.get(name.casefold(), ())]

    def walk(self) -> Iterator[tuple[int, Node]]:
        """Yield ``(depth, node)`` from the top down; every node once, even in a broken tree."""
        seen: set[int] = set()
        stack = [(0, node) for node in reversed(self.children(None))]
        rest = iter(self._nodes)
        while True:
            while stack:
                depth, node = stack.pop()
                if node.index in seen:
                    continue
                seen.add(node.index)
                yield depth, node
                stack += [(depth + 1, child) for child in reversed(self.children(node))]
            # What is left hangs in a cycle: start anywhere in it.
            loose = next((i for i in rest if i not in seen), None)
            if loose is None:
                return
            stack.append((0, self._nodes[loose]))
