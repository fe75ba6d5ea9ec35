"""How the detail of a mesh falls with distance."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np

from maxsidecar.nel.flags import Flags
from maxsidecar.nel.shape.mrm_chain import Chain
from maxsidecar.nel.shape.mrm_collapse import Reduction

__all__ = ["Detail"]

_DISTANCES: Final = (5.0, 30.0, 200.0)
_MOST_LEVELS: Final = 100
_REDUCTIONS: Final[dict[int, Reduction]] = {0: "min", 1: "max", 2: "best"}


@dataclass(frozen=True, slots=True)
class Detail:
    """How detail falls with distance.

    Attributes:
        levels: Number of levels.
        divisor: The coarsest level has the faces divided by this.
        reduction: How many bones merged points keep.
        finest: Distance in metres up to which the finest level is drawn.
        middle: Distance at which half of the faces are left.
        coarsest: Distance from which the coarsest level is drawn.
    """

    levels: int = 11
    divisor: int = 20
    reduction: Reduction = "max"
    finest: float = _DISTANCES[0]
    middle: float = _DISTANCES[1]
    coarsest: float = _DISTANCES[2]

    @classmethod
    def of(cls, flags: Flags, notes: list[str]) -> Detail:
        """Return what the flags of a node say; distances that do not rise get their defaults.

        Args:
            flags: The flags.
            notes: Takes what cannot be as they say.
        """
        distances = [
            flags.number(f"LOD_DISTANCE_{name}") for name in ("FINEST", "MIDDLE", "COARSEST")
        ]
        if not 0 <= distances[0] < distances[1] < distances[2]:
            notes.append(f"distances of detail do not rise: {distances}; 5, 30 and 200 are taken")
            distances = list(_DISTANCES)
        levels = flags.integer("LOD_NB_LOD")
        if levels > _MOST_LEVELS:
            notes.append(f"{levels} levels of detail are too many: {_MOST_LEVELS} are made")
        return cls(
            min(max(levels, 1), _MOST_LEVELS),
            max(flags.integer("LOD_DIVISOR"), 1),
            _REDUCTIONS.get(flags.integer("LOD_SKIN_REDUCTION"), "max"),
            *distances,
        )

    def fill(self, geom: Any, chain: Chain) -> None:
        """Set distances and numbers of faces of a geometry."""
        counts = [sum(len(faces) for _, faces in level.passes) for level in chain.levels]
        geom.min_face_used, geom.max_face_used = counts[0], counts[-1]
        geom.distance_finest = self.finest
        geom.distance_middle = self.middle
        geom.distance_coarsest = self.coarsest
        one = np.float32(1) / (np.float32(self.coarsest) - np.float32(self.finest))
        geom.oo_distance_delta = float(one)
        middle = (np.float32(self.coarsest) - np.float32(self.middle)) * one
        geom.distance_pow = float(np.float32(log(0.5) / log(float(middle))))
