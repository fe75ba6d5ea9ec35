"""Small readers of ``.ase`` and ``.3ds`` exports: node matrices, sampled animation, key tracks."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass
class AseNode:
    """A node of an ``.ase``; ``rows`` are the rows of its world matrix at the first frame."""

    rows: list[list[float]] = field(default_factory=list)
    turns: list[tuple[int, list[float]]] = field(default_factory=list)
    positions: list[tuple[int, list[float]]] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)

    def matrix(self) -> Array:
        """Return the row-vector world matrix."""
        out = np.eye(4)
        out[:, :3] = self.rows
        return out


def read_ase(path: Path) -> dict[str, AseNode]:
    """Return the nodes by name."""
    nodes: dict[str, AseNode] = {}
    node = owner = AseNode()
    for line in path.read_text("latin1").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "*NODE_NAME":
            node = nodes.setdefault(rest.strip('"'), AseNode())
            if line.startswith("\t*"):  # deeper ones are those of a camera's target
                owner = node
        elif word.startswith("*TM_ROW") and word[7:].isdigit():
            node.rows.append([float(v) for v in rest.split()])
        elif word in ("*CONTROL_ROT_SAMPLE", "*CONTROL_POS_SAMPLE"):
            time, *values = rest.split()
            track = node.turns if "ROT" in word else node.positions
            track.append((int(time), [float(v) for v in values]))
        elif word in ("*CAMERA_FOV", "*CAMERA_NEAR", "*CAMERA_FAR", "*CAMERA_TDIST"):
            owner.numbers[word[8:]] = float(rest)
    return nodes


_CONTAINERS = {0x4D4D, 0xB000, 0xB002, 0xB003, 0xB004}
_NAME, _FRAMES = 0xB010, 0xB009
_TRACKS = {0xB020: ("position", 3), 0xB021: ("rotation", 4), 0xB022: ("scale", 3)} | {
    0xB023: ("fov", 1),
    0xB024: ("roll", 1),
}
#: Kind of a node by the chunk that holds its tracks.
_KINDS = {0xB002: "object", 0xB003: "camera", 0xB004: "target"}

#: Tracks of (frame, values) by name.
Tracks = dict[str, list[tuple[int, tuple[float, ...]]]]


def _walk(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    at = start
    while at + 6 <= end:
        chunk, size = struct.unpack_from("<HI", data, at)
        yield chunk, at + 6, at + size
        at += size


def _track(body: bytes, width: int) -> list[tuple[int, tuple[float, ...]]]:
    (count,) = struct.unpack_from("<I", body, 10)
    at, out = 14, []
    for _ in range(count):
        frame, flags = struct.unpack_from("<IH", body, at)
        # Each of five spline parameters is there when its bit is set.
        at += 6 + 4 * (flags & 0x1F).bit_count()
        out.append((frame, struct.unpack_from(f"<{width}f", body, at)))
        at += 4 * width
    return out


def read_3ds(path: Path) -> dict[tuple[str, str], Tracks]:
    """Return the key tracks by kind and name of the node."""
    data = path.read_bytes()
    out: dict[tuple[str, str], Tracks] = {}
    for _, main, main_end in _walk(data, 0, len(data)):
        for chunk, keys, keys_end in _walk(data, main, main_end):
            for kind, start, end in _walk(data, keys, keys_end) if chunk == 0xB000 else ():
                if kind not in _KINDS:
                    continue
                name, tracks = "", Tracks()
                for part, body, stop in _walk(data, start, end):
                    if part == _NAME:
                        name = data[body:stop].split(b"\0")[0].decode("latin1")
                    elif part in _TRACKS:
                        label, width = _TRACKS[part]
                        tracks[label] = _track(data[body:stop], width)
                out[_KINDS[kind], name] = tracks
    return out
