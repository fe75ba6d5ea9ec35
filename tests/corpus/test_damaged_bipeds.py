"""Systems of real bipeds with damaged records: bones stay finite, and what is lost is told."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.biped.system import BipedController, BipedSystem
from maxsidecar.scene.transform import Pose

TIMES = np.array([0.0, 160.0, 333.0, 4800.0])
#: Largest integer, not a number, infinity, -1, smallest integer, largest float, 0, 1, 64.
WILD = [
    bytes.fromhex(word)
    for word in (
        "ffffff7f", "0000c07f", "0000807f", "ffffffff", "00000080", "ffff7f7f", "00000000",
        "01000000", "40000000",
    )
]  # fmt: skip


def damaged(data: bytes, choice: random.Random) -> bytes:
    kind = choice.choice(["cut", "words", "words", "noise", "longer"])
    if kind == "cut":
        return data[: choice.randrange(len(data))]
    if kind == "noise":
        return choice.randbytes(len(data))
    if kind == "longer":
        return data + choice.randbytes(4 * choice.randrange(1, 9))
    out = bytearray(data)
    for _ in range(choice.choice([1, 1, 3, 20])):
        at = choice.randrange(len(data) // 4) * 4
        out[at : at + 4] = choice.choice(WILD)
    return bytes(out)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "Dx3D-Study/*ani_chop.max",
        "KGCA/*WomanWalk.max",
        "**/*인간여성걷기.max",
        "**/*Walk_Russian*.max",
        "**/*jacquesfinalrigged.max",
    ],
)
def test_damaged_records(corpus: Path, pattern: str) -> None:
    scene_file = maxsidecar.open(next((corpus / "max").glob(pattern)))
    system = next(item for item in scene_file.scene if isinstance(item, BipedSystem))
    bones = [n for n in scene_file.nodes.values() if isinstance(n.controller, BipedController)]
    live = set(system.rig.sets.live)
    places = []
    passed = False
    for place, chunk in enumerate(system.chunks()):
        passed = passed or chunk.id == 0x0108
        if passed and chunk.id in live | {0x0104, 0x0112} and len(chunk.data) > 4:
            places.append(place)
    choice = random.Random(pattern)
    lost = 0
    for _ in range(40):
        place = choice.choice(places)
        before = bytes(list(system.chunks())[place].data)
        list(system.chunks())[place].replace(damaged(before, choice))
        for figure in (False, True):
            pose = Pose(scene_file.scene, TIMES, figure=figure)
            for bone in bones:
                controller = bone.controller
                assert isinstance(controller, BipedController)
                assert np.isfinite(pose.world(bone)).all()
                assert np.isfinite(pose.local(bone)).all()
                if controller.obstacle is not None:
                    assert pose.problems[controller.index]
                    lost += 1
        list(system.chunks())[place].replace(before)
    assert lost
