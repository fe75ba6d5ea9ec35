"""Real bipeds, rewritten as every other release stores them: figure and motion stay the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.system import BipedController, BipedSystem, track_of
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.transform import Pose
from tests.support.biped_layouts import RELEASES
from tests.support.biped_records import read_rig, system_chunks
from tests.support.biped_rigs import plain_neck, without
from tests.support.biped_solved import check, name_of, solve

RIGS = {
    "**/*Idle_Russian*": "5 to 7",
    "**/*WomanWalk*": "5 to 7",
    "**/*ani_chop*": "8",
    "**/*인간여성걷기*": "2008",
    "**/*jacquesfinalrigged.max": "2012",
}


def plain(chunks: Mapping[int, Chunk]) -> dict[int, bytes]:
    return {id_: bytes(chunk.data) for id_, chunk in chunks.items() if not chunk.container}


@pytest.mark.parametrize("pattern", RIGS)
def test_real_rigs_in_every_layout(corpus: Path, pattern: str) -> None:
    scene_file: MaxFile = maxsidecar.open(next((corpus / "max").glob(pattern)))
    system = next(item for item in scene_file.scene if isinstance(item, BipedSystem))
    own = RELEASES[RIGS[pattern]]
    sets = system.rig.sets
    rig = read_rig(own, plain(sets.live), plain(sets.common))
    assert set(rig.tracks) == set(system.rig.tracks)
    keys = [track.times for track in system.rig.tracks.values()]
    times = np.unique(np.concatenate([[0.0], *keys]))[:12]
    times = np.unique([*times, *(times[1:] + times[:-1]) / 2])
    # What is read into plain terms is what the scene's own nodes are; between its keys a foot may
    # be planted, which plain terms leave out.
    again = solve(system_chunks(own, rig), times, figure=False)
    pose = Pose(scene_file.scene, times)
    seen = 0
    for node in scene_file.nodes.values():
        controller = node.controller
        if isinstance(controller, BipedController) and controller.obstacle is None:
            role = controller.role
            assert role is not None
            track = system.rig.tracks.get(track_of(role))
            turn, place = again[name_of(*role)]
            world = pose.world(node)
            rows = np.ones(len(world), bool)
            if role.side >= 0 and track is not None and len(world) == len(times):
                rows = np.isin(times, track.times)
            away = np.abs(np.swapaxes(world[:, :3, :3], 1, 2) - turn)[rows]
            assert away.max() < 1e-6, node.name
            assert np.abs(world[:, 3, :3] - place)[rows].max() < 2e-5, node.name
            seen += 1
    assert seen >= 28
    for release in RELEASES.values():
        other = rig if release.neck_matrix else plain_neck(rig)
        if release.roll and not own.roll:
            other = without(other, "pelvis")
        for figure in (True, False):
            expected = solve(system_chunks(own, other), times, figure=figure)
            check(solve(system_chunks(release, other), times, figure=figure), expected)
