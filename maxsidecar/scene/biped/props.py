"""Props: what a biped carries, each in the space of the world, its body or a hand.

A record holds the place and the turn in all four spaces, as they were when it was saved, and says
which of them counts.  (Measured on three clips that 3ds Max sampled; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.structure import Array, floats_of, integers_of

if TYPE_CHECKING:
    from maxsidecar.scene.biped.interpolate import Keys

__all__ = ["NEEDED", "POSES", "SPACES", "THIRD", "PropPose", "figure_props", "keyed_prop"]

#: Chunks of the figure's props.  No file has a third one, whose chunks should be the next ids; a
#: record there is taken for it where it proves itself, see :attr:`Structure.third_prop`.
POSES: Final = (0x006F, 0x0070, 0x0071)
#: Number of the third prop.
THIRD: Final = 2
#: World, body, right hand and left hand.
SPACES: Final = 4
_TURNS: Final = 2
_PLACES: Final = 18
_STEP: Final = 4
#: Numbers that have to be there.
NEEDED: Final = _PLACES + _STEP * SPACES

Whole = npt.NDArray[np.int32]


@dataclass(slots=True)
class PropPose:
    """Where a prop is, at some times.

    Attributes:
        place_space: (T,) in which space its place counts, from 0.
        turn_space: (T,) in which its turn does.
        places: (T, 4, 3) its place in each space.
        turns: (T, 4, 4) its turn in each, stored quaternions.
    """

    place_space: Whole
    turn_space: Whole
    places: Array
    turns: Array


def _split(records: Array, counts: Whole) -> PropPose:
    places = np.stack([records[:, _PLACES + _STEP * n :][:, :3] for n in range(SPACES)], axis=1)
    turns = np.stack([records[:, _TURNS + _STEP * n :][:, :4] for n in range(SPACES)], axis=1)
    spaces = np.clip(counts[:, :2], 0, SPACES - 1)
    return PropPose(spaces[:, 0], spaces[:, 1], places, turns)


def figure_props(live: Mapping[int, Chunk]) -> dict[int, PropPose]:
    """Return the props of the figure, by number from 0."""
    out: dict[int, PropPose] = {}
    for number, chunk_id in enumerate(POSES):
        records, counts = floats_of(live.get(chunk_id)), integers_of(live.get(chunk_id))
        if len(records) >= NEEDED:
            out[number] = _split(records[None], counts[None])
    return out


def keyed_prop(keys: Keys) -> PropPose:
    """Return a prop between its keys; each segment is in the space of its first key."""
    stored = _split(keys.track.records, keys.track.counts)
    if keys.single:
        return stored
    places = [keys.numbers(stored.places[:, space]) for space in range(SPACES)]
    turns = [keys.rotations(stored.turns[:, space]) for space in range(SPACES)]
    segment: Any = np.where(keys.share < 1.0, keys.index, keys.index + 1)
    return PropPose(
        stored.place_space[segment],
        stored.turn_space[segment],
        np.stack(places, axis=1),
        np.stack(turns, axis=1),
    )
