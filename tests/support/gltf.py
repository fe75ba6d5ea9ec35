"""A small reader of glTF 2.0 node trees and animations, for comparisons; no meshes.

Matrices are column-vector matrices, as glTF has them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def matrix(translation: Array, rotation: Array, scale: Array) -> Array:
    """Return translation · rotation · scale."""
    x, y, z, w = rotation / np.linalg.norm(rotation)
    out = np.eye(4)
    out[:3, :3] = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ) * np.asarray(scale)
    out[:3, 3] = translation
    return out


class Gltf:
    """The nodes and animations of a ``.gltf`` with its ``.bin``."""

    def __init__(self, path: Path) -> None:
        self.json: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
        self.buffers = [(path.parent / b["uri"]).read_bytes() for b in self.json.get("buffers", [])]
        self.nodes: list[dict[str, Any]] = self.json["nodes"]
        self.parents = {
            child: index
            for index, node in enumerate(self.nodes)
            for child in node.get("children", [])
        }
        self.by_name: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            self.by_name.setdefault(node.get("name", ""), []).append(index)

    @property
    def generator(self) -> str:
        return str(self.json["asset"].get("generator", ""))

    def accessor(self, number: int) -> npt.NDArray[Any]:
        """Return the rows of an accessor as float64."""
        accessor = self.json["accessors"][number]
        view = self.json["bufferViews"][accessor["bufferView"]]
        dtype = np.dtype(_COMPONENTS[accessor["componentType"]])
        width, count = _WIDTHS[accessor["type"]], accessor["count"]
        assert view.get("byteStride", dtype.itemsize * width) == dtype.itemsize * width
        offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        data = np.frombuffer(self.buffers[view["buffer"]], dtype, count * width, offset)
        return data.reshape(count, width).astype(np.float64)

    def tracks(self, animation: int) -> dict[int, dict[str, tuple[Array, Array]]]:
        """Return times in seconds and values by node and path; all are linear."""
        out: dict[int, dict[str, tuple[Array, Array]]] = {}
        clip = self.json["animations"][animation]
        for channel in clip["channels"]:
            sampler = clip["samplers"][channel["sampler"]]
            assert sampler.get("interpolation", "LINEAR") == "LINEAR"
            path, node = channel["target"]["path"], channel["target"]["node"]
            if path != "weights":
                times, values = (
                    self.accessor(sampler["input"])[:, 0],
                    self.accessor(sampler["output"]),
                )
                out.setdefault(node, {})[path] = times, values
        return out

    def local(self, index: int, pose: dict[str, Array] | None = None) -> Array:
        """Return a node's local matrix, with some of its parts replaced."""
        node = self.nodes[index]
        if "matrix" in node and not pose:
            return np.array(node["matrix"], float).reshape(4, 4).T
        parts: dict[str, Any] = {
            "translation": (0, 0, 0),
            "rotation": (0, 0, 0, 1),
            "scale": (1, 1, 1),
        }
        parts |= {key: node[key] for key in parts if key in node}
        parts |= pose or {}
        return matrix(
            *(np.asarray(parts[key], float) for key in ("translation", "rotation", "scale"))
        )

    def chain(self, index: int) -> list[int]:
        """Return a node and its ancestors, from the node up."""
        out = [index]
        while out[-1] in self.parents:
            out.append(self.parents[out[-1]])
        return out

    def world(self, index: int, poses: dict[int, dict[str, Array]] | None = None) -> Array:
        """Return a node's world matrix."""
        out = np.eye(4)
        for number in self.chain(index):
            out = self.local(number, (poses or {}).get(number)) @ out
        return out

    def size(self) -> float:
        """Return the extent of the scene: of all node origins and the world origin."""
        origins = np.array([self.world(i)[:3, 3] for i in range(len(self.nodes))] + [np.zeros(3)])
        return float(np.linalg.norm(np.ptp(origins, axis=0))) or 1.0
