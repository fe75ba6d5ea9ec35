"""Faces by blocks of matrices: as many as the game's vertex programs take at once.

(spec: nel-export-rules 3.2)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.mesh import MAX_MATRICES
from maxsidecar.nel.shape.mesh_build import SkinWeights

__all__ = ["Blocks", "matrix_blocks"]


@dataclass(slots=True)
class Blocks:
    """Faces by block.

    Attributes:
        of_face: (t,) int32: block of each face.
        bones: For each block its bones, as numbers in the skeleton; at most 15.
        palette: (t, 3, 4) uint8: which of them move each corner.
    """

    of_face: npt.NDArray[np.int32]
    bones: list[list[int]] = field(default_factory=list)
    palette: npt.NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, 3, 4), np.uint8))


def matrix_blocks(faces: npt.NDArray[Any], skin: SkinWeights) -> Blocks:
    """Put faces into blocks.

    A block takes bone after bone in the order of the skeleton: faces that need no other bone than
    it has, and faces of this bone while its bones are at most 15.

    Args:
        faces: (t, 3) vertices.
        skin: Bones of the vertices.
    """
    used = skin.bones[faces].reshape(len(faces), -1)
    sets = [tuple(dict.fromkeys(row)) for row in used.tolist()]
    out = Blocks(np.zeros(len(faces), np.int32))
    # As bits, which are compared faster.
    masks = [sum(1 << bone for bone in bones) for bones in sets]
    remaining = list(range(len(faces)))
    while remaining:
        bones: list[int] = []
        remaining = _fill(remaining, sets, masks, bones, out)
        out.bones.append(bones)
    for number in range(1, len(out.bones)):
        _mirror(out.bones[number], out.bones[number - 1])
    out.palette = _palette(used, out)
    return out


def _fill(
    remaining: list[int],
    sets: list[tuple[int, ...]],
    masks: list[int],
    bones: list[int],
    blocks: Blocks,
) -> list[int]:
    """Put faces into a new block; return those that are left."""
    block, taken = len(blocks.bones), 0
    while remaining:
        every = 0
        for face in remaining:
            every |= masks[face]
        # The bone that comes first in the skeleton.
        current = every & -every
        left = []
        for face in remaining:
            mask = masks[face]
            new = mask & ~taken
            if new and (not mask & current or len(bones) + new.bit_count() > MAX_MATRICES):
                left.append(face)
                continue
            if new:
                bones += [bone for bone in sets[face] if new >> bone & 1]
                taken |= new
            blocks.of_face[face] = block
        if len(left) == len(remaining):
            break
        remaining = left
    return remaining


def _mirror(bones: list[int], before: list[int]) -> None:
    """Give bones the place that they had in the block before, so that fewer matrices change.

    As in the game, a place that needs no swap makes it skip the next one.
    """
    place = 0
    while place < len(bones):
        other = before.index(bones[place]) if bones[place] in before else -1
        if other < 0 or other >= len(bones) or other == place:
            place += 2
        else:
            bones[place], bones[other] = bones[other], bones[place]
            place += 1


def _palette(used: npt.NDArray[np.int32], blocks: Blocks) -> npt.NDArray[np.uint8]:
    top = int(used.max()) + 1 if used.size else 1
    out = np.zeros(used.shape, np.uint8)
    for number, bones in enumerate(blocks.bones):
        places = np.zeros(top, np.uint8)
        places[bones] = np.arange(len(bones))
        chosen = blocks.of_face == number
        out[chosen] = places[used[chosen]]
    return out.reshape(len(used), 3, -1)
