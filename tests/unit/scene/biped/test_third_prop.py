"""A third prop: no file has one, but a record says whether it is that of a prop."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.biped.forward import Frame
from maxsidecar.scene.biped.system import BipedMember, BipedSystem
from maxsidecar.scene.controllers.rotations import conjugate, matrix_to_quaternion
from maxsidecar.scene.transform import Pose
from tests.support.biped_layouts import RELEASES, header_of
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import Array, random_rig, without
from tests.support.biped_scene import BipedScene
from tests.support.biped_solved import solve
from tests.support.skins import about_z

RELEASE = RELEASES["2016 to 2019"]
#: Where the prop is in the figure, turned by 40 degrees about z.
PLACE = np.array([3.0, -2.0, 5.0])
TURN = about_z(40.0)[:3, :3].T


def record(frames: list[Frame], space: int) -> bytes:
    """Return a prop that is at one place in the spaces of frames."""
    out = np.zeros(46, "<f4")
    out.view("<i4")[:2] = space
    for number, frame in enumerate(frames):
        local = frame.turn[0].T @ TURN
        stored = conjugate(matrix_to_quaternion(local.T[None]))[0]
        out[2 + 4 * number : 6 + 4 * number] = stored
        out[18 + 4 * number : 21 + 4 * number] = frame.turn[0].T @ (PLACE - frame.place[0])
    return out.tobytes()


@pytest.mark.parametrize("moved", [0.0, 0.5])
def test_a_record_that_agrees_with_itself_is_that_of_a_prop(tmp_path: Path, moved: float) -> None:
    rig = without(random_rig(50), "prop1", "prop2")
    chunks = system_chunks(RELEASE, rig)
    bones = solve(chunks, np.zeros(1), figure=True)
    world: tuple[Array, Array] = np.eye(3)[None], np.zeros((1, 3))
    frames = [Frame(*world)]
    frames += [Frame(*bones[name]) for name in ("com", "arm 0 3 0", "arm 1 3 0")]
    frames[3] = Frame(frames[3].turn, frames[3].place + moved)
    # One key: in the right hand from then on.
    keys = pack("<i", 1) + record(frames, 2)
    times = pack("<i", 1) + bytes(4 * (RELEASE.time - 1)) + pack("<i", 0)
    times += bytes(24) + np.full(3, 25.0, "<f4").tobytes()
    assert header_of(RELEASE, "prop1") == 1
    last = next(place for place, chunk in enumerate(chunks) if chunk[0] == 0x0141)
    chunks[last:last] = [(0x0071, record(frames, 1)), (0x012A, keys), (0x012B, times)]
    scene = BipedScene()
    scene.laid_out(RELEASE, rig, chunks=chunks, more={"third": (21, 0)})
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    scene_file = maxsidecar.open(path)
    found = {node.name: node for node in scene_file.nodes.values()}
    controller = found["third"].controller
    assert isinstance(controller, BipedMember)
    read = next(item.rig for item in scene_file.scene if isinstance(item, BipedSystem))
    assert read.structure.third_prop is (moved == 0.0)
    figure = Pose(scene_file.scene, 0, figure=True)
    if moved:
        assert controller.obstacle == "biped: where a third prop is is not known"
        assert np.array_equal(figure.world(found["third"]), figure.world(found["com"]))
        return
    assert controller.obstacle is None
    there = figure.world(found["third"])[0]
    assert there[3, :3] == pytest.approx(PLACE, abs=1e-5)
    assert np.abs(there[:3, :3].T - TURN).max() < 1e-6
    pose = Pose(scene_file.scene, np.arange(0.0, 3200.0, 160.0))
    hand = pose.world(found["arm 0 3 0"])
    assert np.ptp(hand, axis=0).max() > 0.1
    held = there @ np.linalg.inv(figure.world(found["arm 0 3 0"])[0])
    assert pose.world(found["third"]) == pytest.approx(held @ hand, abs=1e-4)
