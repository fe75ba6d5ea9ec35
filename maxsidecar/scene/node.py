"""Scene nodes: names, parents, flags and the tree they make.

(Measured on the corpus; layouts and proofs in docs/format/node.md.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.io.fields import U32, UTF16, Array, record_codec
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.layers import Layer
from maxsidecar.scene.node_flags import PARTNER_AFTER, node_flag
from maxsidecar.scene.node_records import NodeParent, Rotation, Scaling, Vector, WireColor
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.controllers.sampling import FloatArray, Times
    from maxsidecar.scene.geometry.pipeline import Evaluation
    from maxsidecar.scene.scene import Scene

__all__ = [
    "ROOT_NAME",
    "Layer",
    "Node",
    "NodeParent",
    "NodeTree",
    "RootNode",
    "Rotation",
    "Scaling",
    "Vector",
    "WireColor",
    "read_properties",
]

NODE_SUPERCLASS: Final = 0x1

#: How people are shown the root node, which has no name of its own.
ROOT_NAME: Final = "Scene Root"

# Not splitlines(), which also breaks lines at characters that may stand in a value.
_LINE_END: Final = re.compile(r"\r\n|\n|\r")


def read_properties(text: str) -> dict[str, str]:
    """Return the ``key = value`` lines of user-defined properties, in order; the first one wins."""
    out: dict[str, str] = {}
    for line in _LINE_END.split(text):
        key, found, value = line.partition("=")
        if found:
            out.setdefault(key.strip(), value.strip())
    return out


@register(superclass=NODE_SUPERCLASS)
class Node(SceneObject):
    """A node of the scene tree."""

    __slots__ = ()
    version = ChunkField(0x09CE, U32, doc="format of the node's chunks; absent in 1997")
    parent_link = ChunkField(0x0960, record_codec(NodeParent), doc="parent and flags")
    name = ChunkField(0x0962, UTF16, doc="node name", default="")
    user_properties_text = ChunkField(
        0x09BA, UTF16, doc="user-defined properties, as the text was typed", default=""
    )
    base_superclasses = ChunkField(0x0963, Array(U32, 2), doc="superclass of the base object")
    offset_position = ChunkField(0x096A, record_codec(Vector), doc="object offset: position")
    offset_rotation = ChunkField(0x096B, record_codec(Rotation), doc="object offset: rotation")
    offset_scale = ChunkField(0x096C, record_codec(Scaling), doc="object offset: scale")
    wire_color = ChunkField(0x0974, record_codec(WireColor), doc="colour of the wireframe")
    display_flags = ChunkField(0x099C, U32, doc="transform locks and render flags", default=0)
    handle = ChunkField(0x0A32, U32, doc="number that stays with the node; from release 4 on")

    @property
    def parent(self) -> Node | None:
        """The parent node; ``None`` for the root node and for a broken link."""
        return self.scene.nodes.parent(self)

    @property
    def children(self) -> list[Node]:
        """The child nodes, in storage order."""
        return self.scene.nodes.children(self)

    @property
    def user_properties(self) -> Mapping[str, str]:
        """The ``key = value`` lines of the user-defined properties, in order; read-only.

        To change them, assign to ``user_properties_text``, which has all that was typed.
        """
        return MappingProxyType(read_properties(self.user_properties_text))

    @property
    def object(self) -> SceneObject | None:
        """The object that the node shows: a base object, or the top of a modifier stack."""
        return self.reference(1)

    @property
    def controller(self) -> SceneObject | None:
        """The transform controller."""
        return self.reference(0)

    @property
    def material(self) -> SceneObject | None:
        """The material, if there is one."""
        return self.reference(3)

    @property
    def layer(self) -> Layer | None:
        """The layer; ``None`` in 1997 files, which have none."""
        layer = self.reference(6)
        return layer if isinstance(layer, Layer) else None

    @property
    def base_object(self) -> SceneObject | None:
        """The object at the bottom of the modifier stack."""
        obj = self.object
        seen: set[int] = set()
        while obj is not None and obj.is_derived and obj.index not in seen:
            seen.add(obj.index)
            slots = obj.references
            # The last slot of a modifier stack is what the stack stands on.
            obj = obj.reference(max(slots)) if slots else None
        return obj

    def local_matrix(self, time: Times = 0) -> FloatArray:
        """Return the matrix relative to the parent, see :mod:`maxsidecar.scene.transform`.

        Args:
            time: Ticks (1/4800 s): a number, or an array of shape (T,).

        Returns:
            Row-vector matrices of float64, (4, 4) or (T, 4, 4).
        """
        from maxsidecar.scene.transform import Pose

        pose = Pose(self.scene, time)
        return pose.full(pose.local(self))

    def world_matrix(self, time: Times = 0) -> FloatArray:
        """Return the matrix to the world, in the form of :meth:`local_matrix`."""
        from maxsidecar.scene.transform import Pose

        pose = Pose(self.scene, time)
        return pose.full(pose.world(self))

    def object_matrix(self, time: Times = 0) -> FloatArray:
        """Return the matrix from the node's geometry to the world: pivot offset, then node."""
        from maxsidecar.scene.transform import Pose

        pose = Pose(self.scene, time)
        return pose.full(pose.object(self))

    def flag(self, name: str) -> bool | None:
        """Return a flag of :data:`NODE_FLAGS`, ``None`` where the node does not store it.

        Raises:
            EditError: There is no such flag.
        """
        spec = node_flag(name)
        link = self.parent_link
        if spec.chunk == 0x099C:
            if self.find(0x099C) is None:
                return None
            return bool(self.display_flags & spec.mask)
        return None if link is None else bool(link.flags & spec.mask) != spec.inverted

    def set_flag(self, name: str, value: bool) -> None:
        """Set a flag, with its partner chunk where it has one.

        Raises:
            EditError: No such flag, not ``True`` or ``False``, not editable, or the node does not
                store it as is known.
        """
        spec = node_flag(name)
        if not isinstance(value, bool):
            raise EditError(f"{name}: wrong type", expected="True or False", found=repr(value))
        if not spec.editable:
            raise EditError(f"{name} is read-only", self.where)
        link = self.parent_link
        if link is None:
            raise EditError(f"{name} is not stored here", self.where)
        old = bool(link.flags & spec.mask)
        partner = None if spec.partner is None else self.find(spec.partner)
        if spec.partner is not None and old != (partner is not None):
            raise EditError(
                f"{name} is read-only: its bit and its chunk {spec.partner:04x} disagree",
                self.where,
            )
        new = value != spec.inverted
        if new == old:
            return
        self.parent_link = link.replace(flags=link.flags ^ spec.mask)
        if partner is not None:
            found = self.find(partner.id)
            if found is not None:
                found.remove()
        elif spec.partner is not None:
            before = tuple(i for i in PARTNER_AFTER if i < spec.partner or i == 0x0A28)
            self.insert(spec.partner, b"", before)

    def evaluate_mesh(self, time: int = 0) -> Evaluation:
        """Return what the node shows, in object space, and what could not be evaluated.

        The object offset is not applied, see :func:`maxsidecar.scene.transform.object_offset`.
        For many nodes of a scene use one :class:`~maxsidecar.scene.geometry.pipeline.Evaluator`.

        Args:
            time: Ticks (1/4800 s).
        """
        from maxsidecar.scene.geometry.pipeline import Evaluator

        return Evaluator(self.scene, time).node(self)

    def clone(
        self,
        *,
        parent: Node | None = None,
        name: str | None = None,
        instance: bool = False,
        children: bool = True,
        force: bool = False,
    ) -> Node:
        """Copy the node and all below it, see :func:`maxsidecar.scene.restructure.clone_node`."""
        from maxsidecar.scene.restructure import clone_node

        return clone_node(
            self, parent=parent, name=name, instance=instance, children=children, force=force
        )

    def delete(self, *, force: bool = False) -> int:
        """Take the node out, and all below it, see :meth:`Scene.delete`."""
        return self.scene.delete([self], force=force)

    def reparent(self, parent: Node, *, force: bool = False) -> None:
        """Give the node another parent, see :func:`maxsidecar.scene.restructure.reparent`."""
        from maxsidecar.scene.restructure import reparent

        reparent(self, parent, force=force)


@register(superclass=NODE_SUPERCLASS, class_id=(2, 0))
class RootNode(Node):
    """The invisible root of the tree."""

    __slots__ = ()
    scene_text = ChunkField(0x0120, UTF16, doc="text kept on the root, often empty", default="")


class NodeTree(Mapping[int, Node]):
    """The nodes by storage index, with their tree; it follows edits of names and parents.

    Attributes:
        problems: What could not be read.  A node with a damaged parent link stays in the tree as
            one without a parent; a node with a damaged name is found by index only.
    """

    def __init__(self, scene: Scene) -> None:
        """Read the parent link of every node."""
        self.scene = scene
        self.problems: list[MaxSidecarError] = []
        self._noted: set[str] = set()
        self._nodes = {
            obj.index: obj for obj in scene.of_superclass(NODE_SUPERCLASS) if isinstance(obj, Node)
        }
        self._revisions: dict[int, int] = {}
        self._parents: dict[int, int | None] = {}
        self._children: dict[int | None, list[int]] = {}
        self._names: dict[str, list[int]] | None = None
        self._seen = -1
        self._refresh()

    def extend(self, objects: Iterable[SceneObject]) -> None:
        """Take in the nodes among objects that came behind all others."""
        self._nodes.update((obj.index, obj) for obj in objects if isinstance(obj, Node))

    def _refresh(self) -> None:
        """Read again what was edited since the last look."""
        if self._seen == self.scene.edits.count:
            return
        self._seen = self.scene.edits.count
        changed = [n for i, n in self._nodes.items() if self._revisions.get(i) != n.data.revision]
        if not changed:
            return
        self._names = None
        for node in changed:
            self._revisions[node.index] = node.data.revision
            self._parents[node.index] = self._read_parent(node)
        self._children = {}
        for index, parent in self._parents.items():
            self._children.setdefault(parent, []).append(index)

    def _read_parent(self, node: Node) -> int | None:
        try:
            link = node.parent_link
        except MaxSidecarError as error:
            self._note(error)
            return None
        known = link is not None and link.parent in self._nodes and link.parent != node.index
        return link.parent if link is not None and known else None

    def _note(self, error: MaxSidecarError) -> None:
        if str(error) not in self._noted:
            self._noted.add(str(error))
            self.problems.append(error.with_traceback(None))

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
        self._refresh()
        index = self._parents.get(node.index)
        return None if index is None else self._nodes[index]

    def children(self, node: Node | None) -> list[Node]:
        """Return a node's children; of ``None``: the nodes without a parent."""
        self._refresh()
        key = None if node is None else node.index
        return [self._nodes[i] for i in self._children.get(key, ())]

    def find(self, name: str) -> list[Node]:
        """Return the nodes with a name, whatever its case, in storage order."""
        self._refresh()
        if self._names is None:
            self._names = {}
            for node in self._nodes.values():
                try:
                    self._names.setdefault(node.name.casefold(), []).append(node.index)
                except MaxSidecarError as error:
                    self._note(error)
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
