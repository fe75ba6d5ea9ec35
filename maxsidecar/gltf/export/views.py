"""What looks along an axis: how nodes of cameras and lights are turned.

Cameras look, and lights shine, along the -Z axis of their node, with +Y up: in 3ds Max as in glTF.
But a glTF node is made by a change of basis (:mod:`maxsidecar.gltf.axes`), after which the node of
a camera would look along its -Y.  So the node itself is turned by -90 degrees about its X axis, and
what hangs on it is turned back, so that nothing else moves.  Turning is exact in the parts of a
transform: the rotation is multiplied, the scales along Y and Z change places, and the translation
stays.  3ds Max's own exporter writes the same nodes (measured on 6 cameras and 4 spots).

Animation has to go through :func:`turned_translations`, :func:`turned_rotations` and
:func:`turned_scales`, which are linear, so that they are good for tangents as well.

A node that has a mesh, or is a joint of a skin, keeps its axes; a node below it carries the camera
or light.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import Export
from maxsidecar.scene.controllers.rotations import multiply

__all__ = ["Views", "turned_rotations", "turned_scales", "turned_translations"]

Array = npt.NDArray[np.float64]

_HALF: Final = sqrt(0.5)
#: Quaternion (x, y, z, w) of the turn, from the axes of what looks to those of its node.
TURN: Final = (-_HALF, 0.0, 0.0, _HALF)
_BACK: Final = (_HALF, 0.0, 0.0, _HALF)


class Views:
    """Finds the nodes for cameras and lights.

    Made after the meshes and skins are there, and before the animation.
    """

    def __init__(self, export: Export) -> None:
        """Note which nodes are joints."""
        self._export = export
        self._index = {id(node): index for index, node in export.nodes.items()}
        skins = {id(node.skin): node.skin for node in export.nodes.values() if node.skin}
        self._joints = {id(joint) for skin in skins.values() for joint in skin.joints}

    def holder(self, index: int, what: str) -> model.Node:
        """Return the glTF node, below which -Z is where the scene node looks.

        Args:
            index: Storage index of an exported scene node.
            what: Ending of the name of a node that has to be added.
        """
        node = self._export.nodes[index]
        if node.mesh is not None or id(node) in self._joints:
            name = f"{node.name} {what}".strip()
            extra = model.Node(name=name, rotation=TURN)
            node.children.append(extra)
            return extra
        if index not in self._export.turned:
            self._turn(index, node)
        return node

    def _turn(self, index: int, node: model.Node) -> None:
        self._export.turned.add(index)
        node.rotation = _quaternion(multiply(np.array(node.rotation), np.array(TURN)))
        node.scale = (node.scale[0], node.scale[2], node.scale[1])
        for child in node.children:
            child.translation = _back(child.translation)
            child.rotation = _quaternion(multiply(np.array(_BACK), np.array(child.rotation)))
            found = self._index.get(id(child))
            if found is not None:
                self._export.turned_back.add(found)


def turned_translations(export: Export, index: int, values: npt.ArrayLike) -> Array:
    """Return translations (..., 3) of a node, given as if no node were turned."""
    out = np.asarray(values, np.float64)
    if index in export.turned_back:
        out = np.stack([out[..., 0], -out[..., 2], out[..., 1]], axis=-1)
    return out


def turned_rotations(export: Export, index: int, values: npt.ArrayLike) -> Array:
    """Return quaternions (..., 4), x, y, z, w, of a node, given as if no node were turned."""
    out = np.asarray(values, np.float64)
    if index in export.turned:
        out = multiply(out, np.array(TURN))
    if index in export.turned_back:
        out = multiply(np.array(_BACK), out)
    return out


def turned_scales(export: Export, index: int, values: npt.ArrayLike) -> Array:
    """Return scales (..., 3) of a node, given as if no node were turned."""
    out = np.asarray(values, np.float64)
    return out[..., [0, 2, 1]] if index in export.turned else out


def _back(point: tuple[float, float, float]) -> tuple[float, float, float]:
    return point[0], -point[2], point[1]


def _quaternion(values: Array) -> tuple[float, float, float, float]:
    x, y, z, w = (float(value) for value in values)
    return x, y, z, w
