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

Array = npt.NDArray[np.float64]


class NoFile:
    """Stands for the file of a scene that has none: no settings, so 30 frames a second."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
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
        made = placed(node.name, local)
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
    assert np.all(np.diff(times) > 0)
    assert times[0] >= 0
    k = int(np.clip(np.searchsorted(times, time, "right") - 1, 0, len(times) - 1))
    after = min(k + 1, len(times) - 1)
    length = float(times[after] - times[k])
    share = float(np.clip((time - times[k]) / length, 0, 1)) if length else 0.0
    if channel.interpolation == "CUBICSPLINE":
        rows = values.reshape(len(times), 3, -1)
        t, t2, t3 = share, share**2, share**3
        out: Array = (
            (2 * t3 - 3 * t2 + 1) * rows[k, 1]
            + length * (t3 - 2 * t2 + t) * rows[k, 2]
            + (3 * t2 - 2 * t3) * rows[after, 1]
            + length * (t3 - t2) * rows[after, 0]
        )
        return out
    first: Array = values[k]
    last: Array = values[after]
    if channel.interpolation == "STEP" or k == after:
        return first
    if channel.path != "rotation":
        return np.asarray(first + (last - first) * share)
    dot = float(np.clip(first @ last, -1, 1))
    angle = float(np.arccos(abs(dot)))
    last = -last if dot < 0 else last
    if angle < 1e-7:
        return first
    out = np.sin((1 - share) * angle) * first + np.sin(share * angle) * last
    return np.asarray(out / np.sin(angle))


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
