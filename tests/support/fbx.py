"""A reader of ``.fbx`` files: nodes with their properties."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from pathlib import Path
from struct import calcsize, unpack_from
from typing import Any

import numpy as np
import numpy.typing as npt

_HEAD = 27
#: From this version on, sizes have 64 bits.
_WIDE = 7500
_SCALARS = {"Y": "<h", "C": "<?", "I": "<i", "F": "<f", "D": "<d", "L": "<q"}
_ARRAYS = {"f": "<f4", "d": "<f8", "l": "<i8", "i": "<i4", "b": "?"}


@dataclass
class FbxNode:
    """A node; arrays are numpy arrays, text and raw data bytes."""

    name: str
    properties: list[Any] = field(default_factory=list)
    children: list[FbxNode] = field(default_factory=list)

    @property
    def array(self) -> npt.NDArray[Any]:
        (value,) = self.properties
        assert isinstance(value, np.ndarray)
        return value


def find(nodes: list[FbxNode], name: str) -> list[FbxNode]:
    return [node for node in nodes if node.name == name]


def _property(data: bytes, at: int) -> tuple[Any, int]:
    kind = chr(data[at])
    at += 1
    if kind in _SCALARS:
        return unpack_from(_SCALARS[kind], data, at)[0], at + calcsize(_SCALARS[kind])
    if kind in _ARRAYS:
        count, packed, size = unpack_from("<III", data, at)
        raw = data[at + 12 : at + 12 + size]
        raw = zlib.decompress(raw) if packed else raw
        return np.frombuffer(raw, _ARRAYS[kind], count), at + 12 + size
    (size,) = unpack_from("<I", data, at)
    return data[at + 4 : at + 4 + size], at + 4 + size


def _node(data: bytes, at: int, head: str) -> tuple[FbxNode | None, int]:
    end, count, _, length = unpack_from(head, data, at)
    at += calcsize(head)
    if end == 0:
        return None, at
    node = FbxNode(data[at : at + length].decode())
    at += length
    for _ in range(count):
        value, at = _property(data, at)
        node.properties.append(value)
    while at < end:
        child, at = _node(data, at, head)
        if child is None:
            break
        node.children.append(child)
    return node, end


def read_fbx(path: Path) -> list[FbxNode]:
    """Return the outermost nodes."""
    data = path.read_bytes()
    if not data.startswith(b"Kaydara FBX Binary"):
        from tests.support.fbx_text import read_fbx_text

        return read_fbx_text(data.decode("utf-8", "replace"))
    head = "<QQQB" if unpack_from("<I", data, 23)[0] >= _WIDE else "<IIIB"
    out: list[FbxNode] = []
    at = _HEAD
    while True:
        node, at = _node(data, at, head)
        if node is None:
            return out
        out.append(node)
