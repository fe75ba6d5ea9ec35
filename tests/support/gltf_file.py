"""Reads what a glTF 2.0 file shows at a time: places of nodes, and of vertices, skinned or morphed.

All by the text of the specification; nothing of the package is used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.support.gltf import Gltf

Array = npt.NDArray[np.float64]

_JSON, _BIN = 0x4E4F534A, 0x004E4942
Poses = dict[int, dict[str, Array]]


def between(times: Array, values: Array, interpolation: str, arc: bool, time: float) -> Array:
    """What a sampler gives at a time in seconds (glTF 2.0, appendix C).

    Args:
        times: (k,).
        values: (k, w), or (3 k, w) of a ``CUBICSPLINE``.
        interpolation: The sampler's.
        arc: Whether values are rotations.
        time: Seconds.
    """
    assert np.all(np.diff(times) > 0)
    assert times[0] >= 0
    k = int(np.clip(np.searchsorted(times, time, "right") - 1, 0, len(times) - 1))
    after = min(k + 1, len(times) - 1)
    length = float(times[after] - times[k])
    share = float(np.clip((time - times[k]) / length, 0, 1)) if length else 0.0
    if interpolation == "CUBICSPLINE":
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
    if interpolation == "STEP" or k == after:
        return first
    if not arc:
        return np.asarray(first + (last - first) * share)
    dot = float(np.clip(first @ last, -1, 1))
    angle = float(np.arccos(abs(dot)))
    last = -last if dot < 0 else last
    if angle < 1e-2:
        # The angle of numbers of 32 bits cannot be told from their product.
        return np.asarray(first + (last - first) * share)
    out = np.sin((1 - share) * angle) * first + np.sin(share * angle) * last
    return np.asarray(out / np.sin(angle))


class GltfFile(Gltf):
    """A ``.glb``, or a ``.gltf`` with the files beside it."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        blob, text = b"", raw
        if raw[:4] == b"glTF":
            offset = 12
            while offset < len(raw):
                length = int.from_bytes(raw[offset : offset + 4], "little")
                kind = int.from_bytes(raw[offset + 4 : offset + 8], "little")
                body = raw[offset + 8 : offset + 8 + length]
                if kind == _JSON:
                    text = body
                elif kind == _BIN:
                    blob = body
                offset += 8 + length
        self.json = json.loads(text)
        buffers = self.json.get("buffers", [])
        self.buffers = [
            (path.parent / b["uri"]).read_bytes() if "uri" in b else blob for b in buffers
        ]
        self.nodes = self.json.get("nodes", [])
        self.parents = {
            child: index
            for index, node in enumerate(self.nodes)
            for child in node.get("children", [])
        }
        self.by_name: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            self.by_name.setdefault(node.get("name", ""), []).append(index)

    @property
    def animations(self) -> list[dict[str, Any]]:
        return list(self.json.get("animations", []))

    def poses(self, animation: int, time: float) -> Poses:
        """Return what an animation does to nodes at a time, by node and path."""
        out: Poses = {}
        if animation >= len(self.animations):
            return out
        clip = self.animations[animation]
        for channel in clip["channels"]:
            target = channel["target"]
            if "node" not in target:
                continue
            sampler = clip["samplers"][channel["sampler"]]
            times, values = self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])
            kind = sampler.get("interpolation", "LINEAR")
            if target["path"] == "weights":
                count = len(times) * (3 if kind == "CUBICSPLINE" else 1)
                values = values.reshape(count, -1)
            arc = target["path"] == "rotation"
            found = between(times, values, kind, arc, time)
            out.setdefault(target["node"], {})[target["path"]] = found
        return out

    def local(self, index: int, pose: dict[str, Array] | None = None) -> Array:
        """Return a node's local matrix, with some of its parts replaced."""
        parts = {path: value for path, value in (pose or {}).items() if path != "weights"}
        return super().local(index, parts)

    def places(self, poses: Poses) -> Array:
        """Return the world matrices of all nodes, (n, 4, 4)."""
        return np.array([self.world(index, poses) for index in range(len(self.nodes))])

    def keyed_seconds(self, animation: int) -> list[float]:
        """Return the times at which every sampler of an animation has a key."""
        clip = self.animations[animation]
        times = [set(self.accessor(s["input"])[:, 0].tolist()) for s in clip["samplers"]]
        return sorted(set.intersection(*times))

    def vertices(self, index: int, poses: Poses, places: Array) -> Array:
        """Return the world positions of a node's mesh, primitive by primitive, (v, 3).

        Args:
            index: The node.
            poses: What moves.
            places: World matrices of all nodes.
        """
        node = self.nodes[index]
        mesh = self.json["meshes"][node["mesh"]]
        weights = poses.get(index, {}).get("weights")
        if weights is None:
            weights = np.array(node.get("weights", mesh.get("weights", [])), float)
        out = []
        for primitive in mesh["primitives"]:
            attributes = primitive["attributes"]
            points = self.accessor(attributes["POSITION"]).copy()
            for weight, target in zip(weights, primitive.get("targets", []), strict=False):
                if "POSITION" in target:
                    points += weight * self.accessor(target["POSITION"])
            out.append(self._bent(node, attributes, points, places, places[index]))
        return np.concatenate(out)

    def _bent(
        self,
        node: dict[str, Any],
        attributes: dict[str, int],
        points: Array,
        places: Array,
        own: Array,
    ) -> Array:
        ones = np.concatenate([points, np.ones((len(points), 1))], axis=1)
        if "skin" not in node or "JOINTS_0" not in attributes:
            return np.asarray((ones @ own.T)[:, :3])
        skin = self.json["skins"][node["skin"]]
        inverse = self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        bones = places[skin["joints"]]
        return _blended(attributes, self, bones @ inverse, ones)


def _blended(attributes: dict[str, int], file: Gltf, joints: Array, ones: Array) -> Array:
    """Return points (v, 4) moved by the joints (j, 4, 4) that their attributes name."""
    out = np.zeros((len(ones), 3))
    number = 0
    while f"JOINTS_{number}" in attributes:
        rows = file.accessor(attributes[f"JOINTS_{number}"]).astype(int)
        shares = file.accessor(attributes[f"WEIGHTS_{number}"])
        for column in range(4):
            moved = np.einsum("vij,vj->vi", joints[rows[:, column]], ones)[:, :3]
            out += shares[:, column, None] * moved
        number += 1
    return out
