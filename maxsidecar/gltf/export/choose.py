"""Which nodes of a scene an export holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.selection_sets import selection_sets
from maxsidecar.scene.skin.joints import physique_joints, skin_joints
from maxsidecar.scene.skin.physique_views import Physique
from maxsidecar.scene.skin.skin_views import Skin
from maxsidecar.scene.skin.stacks import layers

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.objects import SceneObject

__all__ = ["choose"]


def choose(export: Export) -> list[Node]:
    """Return the nodes to export, parents before children, and note which of them are bare.

    Joints of what is chosen come along, with all above them, though they be hidden or not chosen.

    Raises:
        EditError: A node or selection set that the options name is not there.
    """
    nodes = export.scene_file.nodes
    everything = [node for _, node in nodes.walk() if not isinstance(node, RootNode)]
    wanted = _wanted(export)
    chosen = {
        node.index
        for node in everything
        if (wanted is None or node.index in wanted) and (export.options.hidden or not _hidden(node))
    }
    if len(chosen) < len(everything):
        needed = {
            above.index
            for node in everything
            if node.index in chosen
            for joint in _joints(node)
            for above in _upwards(joint)
        }
        export.bare |= needed - chosen
        chosen |= needed
    return [node for node in everything if node.index in chosen]


def _wanted(export: Export) -> set[int] | None:
    """Return the storage indices that the options name, ``None`` for all."""
    options, nodes = export.options, export.scene_file.nodes
    if not options.nodes and not options.selection_set:
        return None
    found: list[Node] = []
    for name in options.nodes:
        named = [node for node in nodes.values() if export.id_of(node) == name]
        named = named or nodes.find(name)
        if not named:
            raise EditError("there is no node of this name or id", found=shorten(name))
        found += named
    out: set[int] = set()
    waiting = list(found)
    while waiting:
        node = waiting.pop()
        if node.index not in out:
            out.add(node.index)
            waiting += nodes.children(node)
    if options.selection_set:
        members = {node.index for node in _members(export, options.selection_set)}
        out = out & members if options.nodes else members
    return out


def _members(export: Export, name: str) -> Iterable[Node]:
    sets = selection_sets(export.scene_file.scene)
    for item in sets:
        if item.name.casefold() == name.casefold():
            return item.nodes
    known = ", ".join(shorten(item.name) for item in sets) or "none"
    raise EditError(f"there is no selection set {shorten(name)}", expected=known)


def _hidden(node: Node) -> bool:
    try:
        return bool(node.flag("hidden"))
    except MaxSidecarError:
        return False


def _upwards(node: Node) -> Iterator[Node]:
    seen: set[int] = set()
    above: Node | None = node
    while above is not None and above.index not in seen and not isinstance(above, RootNode):
        seen.add(above.index)
        yield above
        above = above.parent


def _joints(node: Node) -> Iterator[Node]:
    """Yield the nodes that a node's Skin or Physique is bound to."""
    try:
        for layer in layers(node.object, _binds):
            modifier = layer.modifier
            joints = skin_joints(modifier) if isinstance(modifier, Skin) else None
            if isinstance(modifier, Physique):
                joints = physique_joints(modifier)
            for joint in joints or ():
                if joint is not None:
                    yield joint.node
    except MaxSidecarError:
        return  # told where the skin itself is exported


def _binds(modifier: SceneObject) -> bool:
    return isinstance(modifier, Skin | Physique)
