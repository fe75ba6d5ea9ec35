"""Names of scene objects that stay the same when other objects come and go.

Storage indices change whenever an object is added in front, and so do numbers within a class.  What
stays is the way from a node to the object: the box of node 12 is ``"Box" @12/1``, slot 1 of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.index_links import attribute_container
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.text_values import quoted

__all__ = ["ObjectNames"]

#: Longer ways are no names; it also bounds what a chain of objects costs.
_MAX_STEPS: Final = 8

#: Slots of a node that name what several nodes share: material and layer.
_SHARED: Final = ("3", "6")


class ObjectNames:
    """Names of the objects of a scene.

    - ``@12``: the node with handle 12, or storage index 12 in files without handles;
    - ``@root``: the root node;
    - ``"Box" @12/1``: what slot 1 of that node refers to, and so on for longer ways;
    - ``"Box" scene/0``: the same from the Scene object, which stands for the scene as a whole;
    - ``"Box" #2``: the second box that neither leads to.
    """

    def __init__(self, scene: Scene) -> None:
        """Read nothing yet."""
        self.scene = scene

    @cached_property
    def handles(self) -> dict[int, int]:
        """Handle of each node by storage index; empty when they are missing or repeat."""
        return NodeIds(self.scene).handles

    def _class(self, index: int) -> str:
        chunk_id = self.scene.chunk_id(index)
        info = self.scene.class_info(chunk_id)
        if info is None:
            return f"class {chunk_id:04x}"
        return info.name or f"{info.superclass:x}:{info.class_id}"

    def _node_name(self, node: Node) -> str:
        if isinstance(node, RootNode):
            return "@root"
        if node.index in self.handles:
            return f"@{self.handles[node.index]}"
        # Where other nodes have a handle, an index could be taken for one.
        return f"@index {node.index}" if self.handles else f"@{node.index}"

    @cached_property
    def _ways(self) -> dict[int, str]:
        """The shortest way to each object that is no node."""
        scene = self.scene
        ways: dict[int, str] = {}
        level: list[tuple[int, str]] = []
        if len(scene) and len(scene) - 1 not in scene.nodes:
            ways[len(scene) - 1] = "scene"
            level.append((len(scene) - 1, "scene"))
        level += [(node.index, self._node_name(node)) for node in scene.nodes.values()]
        shared: list[tuple[int, str]] = []
        for _ in range(_MAX_STEPS):
            following: list[tuple[int, str]] = []
            for index, way in level:
                is_node = index in scene.nodes
                for slot, target in self._targets(index):
                    found = (target, f"{way}/{slot}")
                    if is_node and slot in _SHARED:
                        shared.append(found)
                    elif target not in ways:
                        ways[target] = found[1]
                        following.append(found)
            level = following
        # What only nodes lead to, though they share it.
        for target, way in shared:
            ways.setdefault(target, way)
        return ways

    def _targets(self, index: int) -> Iterator[tuple[str, int]]:
        """Yield slot and target of the references to objects that are no nodes."""
        scene = self.scene
        try:
            references = scene[index].references
        except MaxSidecarError:
            return
        for slot, target in references.items():
            if target < len(scene) and target not in scene.nodes:
                yield str(slot), target
        attributes = attribute_container(scene[index])
        if attributes is not None and attributes < len(scene) and attributes not in scene.nodes:
            yield "attributes", attributes

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """Number within its class of each object that no way leads to."""
        counts: Counter[str] = Counter()
        out: dict[int, int] = {}
        for index in range(len(self.scene)):
            if index not in self.scene.nodes and index not in self._ways:
                name = self._class(index)
                counts[name] += 1
                out[index] = counts[name]
        return out

    def name(self, index: int) -> str:
        """Return the name of the object with a storage index."""
        if not 0 <= index < len(self.scene):
            return f"(no object {index})"
        node = self.scene.nodes.get(index)
        if node is not None:
            return self._node_name(node)
        way = self._ways.get(index)
        return f"{quoted(self._class(index))} {way if way else f'#{self._numbers[index]}'}"

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return {self._node_name(node): node for node in self.scene.nodes.values()}

    def start(self, index: int) -> Node | None:
        """Return the node from which the way to an object starts, ``None`` for other objects."""
        return self._nodes.get(self._ways.get(index, "").partition("/")[0])
