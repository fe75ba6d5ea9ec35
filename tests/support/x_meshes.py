"""Meshes of ``.x`` files that are text, as conv3ds made them of ``.3ds`` files.

It puts ``x3ds_`` before names, swaps y and z for a left-handed space with Y up, and turns the
triangles over with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.support.exported import Array, Exported

_PREFIX = "x3ds_"
_TOKEN = re.compile(r'"[^"]*"|[{}]|[^\s;,{}"]+')


@dataclass
class _Block:
    kind: str
    name: str
    words: list[str] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)


def _parse(text: str) -> _Block:
    root = _Block("", "")
    stack = [root]
    for word in _TOKEN.findall(text.partition("\n")[2]):
        top = stack[-1]
        if word == "{":
            # Up to two words before it are no values: its kind, and its name where it has one.
            head: list[str] = []
            while top.words and len(head) < 2 and re.match(r"[A-Za-z_]", top.words[-1]):
                head.insert(0, top.words.pop())
            block = _Block(head[0] if head else "", head[1] if len(head) > 1 else "")
            top.blocks.append(block)
            stack.append(block)
        elif word == "}":
            stack.pop()
        else:
            top.words.append(word)
    return root


def _rows(words: list[str], at: int, width: int) -> tuple[Array, int]:
    """Return a counted array of vectors, and where it ends."""
    count = int(words[at])
    end = at + 1 + count * width
    return np.array(words[at + 1 : end], np.float64).reshape(count, width), end


def read_x_meshes(path: Path) -> list[Exported]:
    """Return the meshes, in the world."""
    out = []
    todo = [(_parse(path.read_text("latin1")), np.eye(4))]
    while todo:
        block, matrix = todo.pop()
        for inner in block.blocks:
            if inner.kind == "FrameTransformMatrix":
                matrix = np.array(inner.words, np.float64).reshape(4, 4) @ matrix
        for inner in block.blocks:
            if inner.kind == "Frame":
                todo.append((inner, matrix))
            elif inner.kind == "Mesh":
                out.append(_mesh(inner, block.name.removeprefix(_PREFIX), matrix))
    return out


def _mesh(block: _Block, name: str, matrix: Array) -> Exported:
    points, at = _rows(block.words, 0, 3)
    faces, _ = _rows(block.words, at, 4)
    normals = coordinates = None
    index = faces[:, 1:].astype(np.int64)
    for inner in block.blocks:
        if inner.kind == "MeshNormals":
            vectors, at = _rows(inner.words, 0, 3)
            rows, _ = _rows(inner.words, at, 4)
            normals = vectors[rows[:, 1:].astype(np.int64)]
            normals = normals @ np.linalg.inv(matrix[:3, :3]).T
            normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        elif inner.kind == "MeshTextureCoords":
            coordinates = _rows(inner.words, 0, 2)[0][index] * [1.0, -1.0] + [0.0, 1.0]
    up = [0, 2, 1]
    return Exported(
        name,
        "world",
        (points @ matrix[:3, :3] + matrix[3, :3])[:, up],
        index[:, ::-1].reshape(-1),
        np.arange(0, 3 * len(index) + 1, 3),
        None if normals is None else normals[:, ::-1, up].reshape(-1, 3),
        None if coordinates is None else coordinates[:, ::-1].reshape(-1, 2),
        decimals=6,
    )
