"""Real scenes with bytes changed inside their controllers: every value is still asked for."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.controllers import Controller, KeyedController
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose

#: Rigs, look-ats, lists, constraints, solvers, 1997 tables and out-of-range types.
SCENES = (
    "pairs/RiggedElf/scene.max",
    "pairs/AnimatedMeshCameraLight/scene.max",
    "max/Native_SDK/CubeShadowMapping__Media__scene.max",
    "max/Native_SDK/07_IntroducingPOD__Media__scene.max",
)
TIMES = np.array([-1e7, 0.0, 333.0, 16_000.0, 1e7])
ROUNDS = 6


def damage(data: bytes, spans: list[tuple[int, int]], rng: random.Random) -> bytes:
    """Return the bytes with changes inside the bodies of controllers."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 8, 200))):
        start, end = rng.choice(spans)
        if end - start < 4:
            continue
        at = rng.randrange(start, end - 3)
        if rng.random() < 0.5:
            out[at] = rng.randrange(256)
        else:
            word = rng.choice((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7F800000, 0x7FC00001))
            out[at : at + 4] = word.to_bytes(4, "little")
    return bytes(out)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_value_of_a_damaged_scene(corpus: Path, name: str, seed: int) -> None:
    original = maxsidecar.open(corpus / name).scene
    spans = [original.span(obj.index)[2:4] for obj in original if isinstance(obj, Controller)]
    rng = random.Random(f"{name} {seed}")
    data = damage(bytes(original.data), [(start, end) for start, end in spans], rng)
    try:
        scene = Scene(data, original.classes, [])
    except MaxSidecarError:
        return
    evaluated = 0
    for obj in scene:
        if isinstance(obj, Controller) and obj.kind != "transform":
            assert len(obj.evaluate(TIMES)) == len(TIMES)
            evaluated += 1
        if isinstance(obj, KeyedController):
            try:
                keys = obj.keys
                if keys is not None and len(keys):
                    obj.keys = keys[: len(keys) // 2 + 1].copy()
            except MaxSidecarError:
                pass
    assert evaluated > 100
    pose = Pose(scene, TIMES)
    for node in scene.nodes.values():
        assert pose.full(pose.world(node)).shape == (len(TIMES), 4, 4)
        pose.local(node)
        pose.object(node)
