"""Where the records of a biped have its bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import read_structure
from maxsidecar.scene.biped.tracks import read_tracks
from tests.support import biped_rigs as rigs
from tests.support.biped_leaves import Leaf
from tests.support.biped_rigs import Rig, random_rig

Array = npt.NDArray[np.float64]
#: Turns and places of bones by name, (T, 3, 3) and (T, 3), or once for all times.
Frames = dict[str, tuple[Array, Array]]
Chunks = Sequence[tuple[int, bytes]]


def name_of(part: str, side: int, link: int, digit: int) -> str:
    """Return the name that `BipedScene.laid_out` gives a bone."""
    return part if side < 0 and not link + digit else f"{part} {side} {link} {digit}"


def solve(chunks: Chunks, times: Array, *, figure: bool) -> Frames:
    """Return where the records of a system have the bones; nothing may be left out."""
    leaves: Any = [Leaf(id_, data) for id_, data in chunks]
    sets = split_sets(leaves)
    structure = read_structure(sets.live, sets.common)
    assert not structure.lost
    posture = figure_posture(structure, sets.live)
    if not figure:
        tracks, problems = read_tracks(structure, sets.live)
        assert not problems
        posture = posture_at(structure, sets.live, sets.common, tracks, times)
    placed = bones_of(structure, posture)
    return {name_of(*role): (frame.turn, frame.place) for role, frame in placed.items()}


def check(found: Frames, expected: Frames, exact: Mapping[Any, Any] | None = None) -> None:
    """Compare bones, some of them at some times only."""
    assert set(found) == set(expected)
    for name, frame in found.items():
        words = name.split()
        rows = (exact or {}).get((words[0], words[-3] if words[0] == "finger" else ""))
        for ours, theirs, limit in zip(frame, expected[name], (1e-6, 2e-5), strict=True):
            away = np.abs(ours - theirs)
            assert (away if rows is None or len(away) == 1 else away[rows]).max() < limit, name


def storable(release: str, seed: int) -> Rig:
    """Return a rig that the release can store."""
    rig = random_rig(seed)
    if release == "4.2":
        # Its necks begin at the end of the spine; props came later.
        return replace(rigs.plain_neck(rigs.without(rig, "prop1", "prop2")), props={})
    return rig
