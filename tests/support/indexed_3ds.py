"""Meshes of ``.3ds`` files as they are indexed there."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

#: Chunks that hold chunks, and how many bytes of their own come first.
_CONTAINERS = {0x4D4D: 0, 0x3D3D: 0, 0x4100: 0}
_OBJECT, _POINTS, _FACES, _COORDINATES, _SMOOTHING = 0x4000, 0x4110, 0x4120, 0x4140, 0x4150


@dataclass
class Indexed:
    """A mesh: (v, 3) positions, (t, 3) faces, (t,) smoothing groups, (v, 2) coordinates."""

    positions: npt.NDArray[np.float32]
    faces: npt.NDArray[np.int32]
    smoothing: npt.NDArray[np.uint32]
    coordinates: npt.NDArray[np.float32]


def _chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 6 <= len(data):
        kind, size = struct.unpack_from("<HI", data, at)
        yield kind, data[at + 6 : at + size]
        at += max(6, size)


def read_indexed(path: Path) -> dict[str, Indexed]:
    """Return the meshes by name, which has 10 letters at most."""
    out: dict[str, Indexed] = {}
    todo = [path.read_bytes()]
    while todo:
        for kind, body in _chunks(todo.pop()):
            if kind in _CONTAINERS:
                todo.append(body)
            elif kind == _OBJECT:
                name, _, rest = body.partition(b"\0")
                for inner, mesh in _chunks(rest):
                    if inner == 0x4100:
                        out[name.decode("latin1")] = _mesh(dict(_chunks(mesh)))
    return out


def _mesh(parts: dict[int, bytes]) -> Indexed:
    rows = parts[_FACES]
    (count,) = struct.unpack_from("<H", rows)
    faces = np.frombuffer(rows, "<u2", 4 * count, 2).reshape(-1, 4)[:, :3]
    behind = dict(_chunks(rows[2 + 8 * count :]))
    return Indexed(
        np.frombuffer(parts[_POINTS], "<f4", offset=2).reshape(-1, 3),
        faces.astype(np.int32),
        np.frombuffer(behind.get(_SMOOTHING, bytes(4 * count)), "<u4"),
        np.frombuffer(parts.get(_COORDINATES, bytes(2)), "<f4", offset=2).reshape(-1, 2),
    )
