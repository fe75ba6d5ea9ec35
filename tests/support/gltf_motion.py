"""Plays the animations of a glTF document as glTF 2.0 says, for comparisons."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import matrices_to_gltf
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose
from tests.support.gltf import matrix
from tests.support.gltf_file import between

Array = npt.NDArray[np.float64]


class NoFile:
    """Stands for the file of a scene that has none: no settings, so 30 frames a second."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.nodes = scene, scene.nodes
        self.config = None
        self.path = None


def export_of(scene: Scene, options: Options | None = None, scale: float = 1.0) -> Export:
    """An export with all nodes, at their places at tick 0, and nothing else."""
    export = Export(cast(Any, NoFile(scene)), options or Options(), scale, NodeIds(scene))
    pose = Pose(scene, 0)
    for _, node in scene.nodes.walk():
        if node is scene.nodes.root:
            continue
        local = matrices_to_gltf(pose.full(pose.local(node)), scale).T
        made = placed(node.name, local if np.isfinite(local).all() else np.eye(4))
        export.nodes[node.index], export.scene_nodes[node.index] = made, node
        above = export.nodes.get(node.parent.index) if node.parent else None
        (export.document.roots if above is None else above.children).append(made)
    return export


def placed(name: str, local: Array) -> model.Node:
    """A node with a column-vector matrix that has no shear and no mirror."""
    sizes = np.linalg.norm(local[:3, :3], axis=0)
    turn = local[:3, :3] / sizes
    # The eigenvector of the rotation's quaternion (Bar-Itzhack).
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = turn
    k = np.array(
        [
            [xx - yy - zz, xy + yx, xz + zx, zy - yz],
            [xy + yx, yy - xx - zz, yz + zy, xz - zx],
            [xz + zx, yz + zy, zz - xx - yy, yx - xy],
            [zy - yz, xz - zx, yx - xy, xx + yy + zz],
        ]
    )
    x, y, z, w = (float(part) for part in np.linalg.eigh(k)[1][:, -1])
    a, b, c = (float(part) for part in local[:3, 3])
    d, e, f = (float(part) for part in sizes)
    return model.Node(name, (a, b, c), (x, y, z, w), (d, e, f))


def value_at(channel: model.Channel, time: float) -> Array:
    """What a channel gives at a time in seconds (glTF 2.0, appendix C)."""
    times, values = channel.times.astype(float), channel.values.astype(float)
    return between(times, values, channel.interpolation, channel.path == "rotation", time)


def worlds(document: model.Document, animation: model.Animation, time: float) -> dict[int, Array]:
    """World matrices at a time in seconds, by the ``id()`` of the node."""
    moved: dict[int, dict[str, Array]] = {}
    for channel in animation.channels:
        moved.setdefault(id(channel.target), {})[channel.path] = value_at(channel, time)
    out: dict[int, Array] = {}
    stack = [(node, np.eye(4)) for node in document.roots]
    while stack:
        node, above = stack.pop()
        own = moved.get(id(node), {})
        local = matrix(
            own.get("translation", np.array(node.translation)),
            own.get("rotation", np.array(node.rotation)),
            own.get("scale", np.array(node.scale)),
        )
        out[id(node)] = above @ local
        stack += [(child, out[id(node)]) for child in node.children]
    return out
