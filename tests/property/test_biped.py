"""Bipeds with any numbers in their records: bones, or an error of ours."""

from __future__ import annotations

from struct import pack

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import read_structure
from maxsidecar.scene.biped.tracks import TRACKS, read_tracks
from tests.support.biped_leaves import Leaf, system, times

TIMES = np.array([0.0, 100.0, 1000.0])


@given(st.data())
def test_any_record_may_be_damaged(data: st.DataObject) -> None:
    leaves = [*system()]
    track = data.draw(st.sampled_from(sorted(TRACKS.values())))
    width = data.draw(st.integers(0, 12))
    keys = data.draw(st.binary(min_size=8 * width, max_size=8 * width))
    head = pack("<i", 2) + bytes(4 * data.draw(st.integers(0, 3)))
    leaves.insert(-5, Leaf(track, head + keys))
    leaves.insert(-5, Leaf(track + 1, times(0, 320)))
    victim = data.draw(st.sampled_from(range(len(leaves))))
    whole = leaves[victim].data
    kind = data.draw(st.sampled_from(["cut", "noise", "flip"]))
    if kind == "cut":
        damaged = whole[: data.draw(st.integers(0, len(whole)))]
    elif kind == "noise":
        damaged = data.draw(st.binary(max_size=200))
    else:
        at = data.draw(st.integers(0, max(len(whole) - 4, 0)))
        damaged = whole[:at] + data.draw(st.binary(min_size=4, max_size=4)) + whole[at + 4 :]
    leaves[victim] = Leaf(leaves[victim].id, damaged)
    sets = split_sets(leaves)  # type: ignore[arg-type]
    try:
        structure = read_structure(sets.live, sets.common)
        with np.errstate(all="ignore"):
            tracks, _ = read_tracks(structure, sets.live)
            posture = posture_at(structure, sets.live, sets.common, tracks, TIMES)
            bones = bones_of(structure, posture)
    except DecodeError:
        return
    for frame in bones.values():
        assert frame.turn.shape[0] in (1, 3)
        assert frame.place.shape[0] in (1, 3)
