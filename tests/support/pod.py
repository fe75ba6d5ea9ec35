"""A small reader of PowerVR ``.pod`` scenes: nodes, their animation and cameras; no meshes.

Blocks are ``u32 tag, u32 size`` and a body; bit 31 of the tag ends a block that has others inside.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_CAMERA, _NODE = 2010, 2013
_MESH_COUNT, _FRAMES, _RATE = 2006, 2009, 2017
_INDEX, _NAME, _PARENT = 5000, 5001, 5003
#: Values, the words that say where a frame's values begin, and how many belong together.
_TRACKS = {"position": (5007, 5013, 3), "rotation": (5008, 5014, 4), "scale": (5009, 5015, 7)}
_MATRIX = (5011, 5016, 16)
_FOV, _FAR, _NEAR, _FOV_TRACK = 8001, 8002, 8003, 8004


@dataclass
class PodNode:
    """A node; its matrices are row-vector ones, by frame, relative to the parent."""

    fields: dict[int, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.fields.get(_NAME, b"").split(b"\0")[0].decode("latin1")

    @property
    def object(self) -> int:
        return int(struct.unpack("<i", self.fields[_INDEX])[0]) if _INDEX in self.fields else -1

    @property
    def parent(self) -> int:
        return int(struct.unpack("<i", self.fields[_PARENT])[0]) if _PARENT in self.fields else -1

    def _track(self, tag: int, index: int, width: int, frames: int) -> Array | None:
        data = self.fields.get(tag)
        if not data:
            return None
        values = np.frombuffer(data, "<f4").astype(float)
        if index in self.fields:
            starts = np.frombuffer(self.fields[index], "<u4")[:frames]
            return np.stack([values[k : k + width] for k in starts])
        return values[: len(values) // width * width].reshape(-1, width)

    def local(self, frames: int) -> Array:
        """Return the matrices, (frames, 4, 4)."""
        matrices = self._track(*_MATRIX, frames)
        if matrices is not None:
            out = matrices.reshape(-1, 4, 4)
        else:
            t, r, s = (self._track(*_TRACKS[name], frames) for name in _TRACKS)
            count = max([len(x) for x in (t, r, s) if x is not None], default=1)
            out = np.tile(np.eye(4), (count, 1, 1))
            if r is not None:
                x, y, z, w = (r / np.linalg.norm(r, axis=1, keepdims=True)).T
                # Stored conjugated, so that the textbook matrix is the row-vector one.
                out[:, 0, :3] = np.stack(
                    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], 1
                )
                out[:, 1, :3] = np.stack(
                    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], 1
                )
                out[:, 2, :3] = np.stack(
                    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], 1
                )
            if s is not None:
                out[:, :3, :3] *= s[:, :3, None]
            if t is not None:
                out[:, 3, :3] = t
        return np.broadcast_to(out, (frames, 4, 4)) if len(out) == 1 else out


class Pod:
    """A scene."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        self.info: dict[int, bytes] = {}
        self.nodes: list[PodNode] = []
        self.cameras: list[dict[int, bytes]] = []
        current: dict[int, bytes] = self.info
        at = 0
        while at + 8 <= len(data):
            tag, size = struct.unpack_from("<II", data, at)
            body = data[at + 8 : at + 8 + size]
            at += 8 + size
            if tag & 0x80000000:
                if 2010 <= tag & 0x7FFFFFFF <= 2015:
                    current = self.info
            elif tag == _NODE:
                self.nodes.append(PodNode())
                current = self.nodes[-1].fields
            elif tag == _CAMERA:
                current = {}
                self.cameras.append(current)
            elif tag in (2011, 2012, 2014, 2015):
                current = {}
            elif body:
                current[tag] = body

    def _number(self, tag: int, default: int) -> int:
        return int(struct.unpack("<I", self.info[tag])[0]) if tag in self.info else default

    @property
    def frames(self) -> int:
        return max(1, self._number(_FRAMES, 1))

    @property
    def rate(self) -> int:
        return self._number(_RATE, 30)

    @property
    def mesh_nodes(self) -> int:
        """How many of the first nodes show meshes."""
        return self._number(_MESH_COUNT, 0)

    def worlds(self) -> list[Array]:
        """Return the world matrices of all nodes by frame, each (frames, 4, 4)."""
        out: dict[int, Array] = {}
        for index in range(len(self.nodes)):
            chain, at = [], index
            while at >= 0 and at not in chain:
                chain.append(at)
                at = self.nodes[at].parent
            for number in reversed(chain):
                if number not in out:
                    local = self.nodes[number].local(self.frames)
                    parent = self.nodes[number].parent
                    out[number] = local @ out[parent] if parent >= 0 else local
        return [out[i] for i in range(len(self.nodes))]

    def camera(self, index: int) -> tuple[float, float, float]:
        """Return field of view in radians, near and far distance."""
        fields = self.cameras[index]

        def number(tag: int) -> float:
            return float(struct.unpack("<f", fields[tag][:4])[0]) if tag in fields else float("nan")

        return number(_FOV), number(_NEAR), number(_FAR)
