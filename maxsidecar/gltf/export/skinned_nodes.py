"""Nodes of skinned meshes: glTF wants them at the top, and takes no notice of where they are.

A skinned mesh is where its joints are, whatever the node that shows it says.  So that no reader is
misled, such a node becomes a root without a transform, where nothing else depends on its place;
its parent and place are kept in its extras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxsidecar.gltf import model
    from maxsidecar.gltf.export.context import Export

__all__ = ["free_skinned_nodes"]

_PLACE: Final = {"translation", "rotation", "scale"}


def free_skinned_nodes(export: Export) -> None:
    """Make roots of the nodes of skinned meshes that nothing depends on.

    Nodes stay where something hangs on them, where they are joints, cameras or lights themselves,
    or where they move.
    """
    document = export.document
    parents = {id(child): node for node in _all(document.roots) for child in node.children}
    joints = {id(joint) for node in _all(document.roots) if node.skin for joint in node.skin.joints}
    moving = {
        id(channel.target)
        for animation in document.animations
        for channel in animation.channels
        if channel.path in _PLACE
    }
    ids = {id(node): index for index, node in export.nodes.items()}
    for node in list(_all(document.roots)):
        if node.skin is None or node.children or node.camera or node.light:
            continue
        if id(node) in joints or id(node) in moving:
            continue
        _keep_place(node)
        parent = parents.get(id(node))
        if parent is None:
            continue
        index = ids.get(id(parent))
        if index is not None:
            node.extras["max_parent"] = export.id_of(export.scene_nodes[index])
        parent.children = [child for child in parent.children if child is not node]
        document.roots.append(node)


def _keep_place(node: model.Node) -> None:
    """Put the place of a node into its extras, as far as there is one."""
    still = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0))
    if (tuple(node.translation), tuple(node.rotation), tuple(node.scale)) == still:
        return
    node.extras["max_translation"] = list(node.translation)
    node.extras["max_rotation"] = list(node.rotation)
    node.extras["max_scale"] = list(node.scale)
    node.translation, node.rotation, node.scale = still


def _all(roots: list[model.Node]) -> Iterator[model.Node]:
    stack, seen = list(reversed(roots)), set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        stack += reversed(node.children)
