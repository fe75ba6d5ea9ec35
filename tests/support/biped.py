"""What real files say about bipeds, read without the package's views of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.maxfile import MaxFile

Array = npt.NDArray[np.float64]

_SKIN = 0x0095C723
_PHYSIQUE = 0x100


def bind_matrices(scene_file: MaxFile) -> dict[int, Array]:
    """Return world matrices of bones when meshes were bound, (4, 3) rows, by storage index."""
    out: dict[int, Array] = {}
    for item in scene_file.scene:
        if item.class_id is None:
            continue
        if item.class_id.a == _SKIN:
            slots = [c for c in item.chunks() if c.id == 0x0480]
            for number, chunk in enumerate(slots):
                bone = item.references.get(10 + 7 * number)
                if bone is not None:
                    out.setdefault(bone, _floats(_one(chunk, 0x03E8)).reshape(4, 3))
        elif (item.class_id.a, item.class_id.b) == (_PHYSIQUE, 0):
            for link, matrix in _physique(item.chunks()):
                bone = item.references.get(link)
                if bone is not None:
                    out.setdefault(bone, matrix)
    return out


def _physique(chunks: Any) -> list[tuple[int, Array]]:
    out = []
    for root in (c for c in chunks if c.id == 0x2703):
        for links in (c for c in root.chunks() if c.id == 0x2704):
            entries = [c for c in links.chunks() if c.id == 0x3204]
            for number, entry in enumerate(entries):
                for body in (c for c in entry.chunks() if c.id == 0x3206):
                    for bind in (c for c in body.chunks() if c.id == 0x2513):
                        rows = _floats(_one(bind, 0x3000)).reshape(4, 4)
                        out.append((number, rows[:, :3]))
    return out


def _one(chunk: Chunk, chunk_id: int) -> Chunk:
    return next(c for c in chunk.chunks() if c.id == chunk_id)


def _floats(chunk: Chunk) -> Array:
    return np.frombuffer(bytes(chunk.data), "<f4").astype(np.float64)


def angle_between(a: Array, b: Array) -> Array:
    """Return the angles in degrees between rotation matrices, exact for small ones."""
    away = np.linalg.norm(a - b, axis=(-2, -1)) / (2 * np.sqrt(2))
    out: Array = np.degrees(2 * np.arcsin(np.minimum(away, 1.0)))
    return out


@dataclass
class Sampled:
    """Keys of a bone in a text file that 3ds Max wrote frame by frame.

    Positions are relative to the parent, rotations to the first frame; both with y and z swapped.
    """

    positions: dict[int, Array] = field(default_factory=dict)
    rotations: dict[int, Array] = field(default_factory=dict)


def read_clip(path: Path) -> dict[int, Sampled]:
    """Return the keys of a text clip by the number of the bone."""
    out: dict[int, Sampled] = {}
    current = Sampled()
    for line in path.read_text(encoding="ascii").splitlines():
        head = re.match(r"\s*ANIMATION (\d+) ", line)
        if head:
            current = out[int(head[1])] = Sampled()
        key = re.match(r"\s*FRAME_(POS|ROT) (\d+)f \[([^\]]*)\]", line)
        if key:
            numbers = np.array([float(n) for n in re.split(r"[\s,]+", key[3].strip())])
            into = current.positions if key[1] == "POS" else current.rotations
            into[int(key[2])] = numbers
    return out


def read_bone_names(path: Path) -> list[str]:
    """Return the names of the bones of a text model, by number."""
    text = path.read_text(encoding="cp949", errors="replace")
    found = re.findall(r'\bBONE (\d+) "([^"]*)" -?\d+', text)
    return [name for _, name in sorted(found, key=lambda pair: int(pair[0]))]
