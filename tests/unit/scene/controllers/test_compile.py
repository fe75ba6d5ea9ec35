"""Keys of many controllers compiled side by side: each is as it would be alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.scene.controllers import KeyedController, compile, layouts
from maxsidecar.scene.controllers.compile import compile_together
from maxsidecar.scene.controllers.sampling import Sampler
from maxsidecar.scene.node import Node
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose, world_matrices
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, key_bytes

CUSTOM = 5 << 7 | 5 << 10
THIRD = 0.3333


def floats(maker: SceneMaker, *pairs: tuple[int, float], length: float = THIRD) -> int:
    """Add a Bezier Float with flat tangents."""
    rows: list[dict[str, Any]] = [
        {"time": t, "value": v, "flags": CUSTOM, "in_length": length, "out_length": length}
        for t, v in pairs
    ]
    table = 0x2525, key_bytes(layouts.BEZIER_FLOAT, *rows)
    return maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(-1), table, nested=True)


def keyed(scene: Scene) -> list[KeyedController]:
    return [obj for obj in scene if isinstance(obj, KeyedController)]


def test_neighbours_do_not_leak_into_one_another() -> None:
    maker = SceneMaker()
    floats(maker, (0, 0), (160, 1))
    floats(maker, (80, 5))  # one key
    floats(maker, (0, 100), (80, 100), (160, 200))
    floats(maker, (-1000, 7), (-840, 8))
    controllers = keyed(maker.scene())
    compile_together(controllers)
    values = [c.evaluate([-2000, 0, 40, 120, 160, 9999]).tolist() for c in controllers]
    # u²(3 - 2u) at a quarter, a half and three quarters of a segment
    assert values[0] == pytest.approx([0, 0, 0.15625, 0.84375, 1, 1], abs=1e-15)
    assert values[1] == [5] * 6
    assert values[2] == pytest.approx([100, 100, 100, 150, 200, 200], abs=1e-13)
    assert values[3] == [7, 8, 8, 8, 8, 8]
    assert controllers[3].evaluate(-920) == 7.5


def test_only_those_whose_handles_bend_time_pay_for_it() -> None:
    maker = SceneMaker()
    floats(maker, (0, 0), (6400, 1))
    floats(maker, (0, 0), (6400, 1), length=0.5)
    controllers = keyed(maker.scene())
    compile_together(controllers)
    straight, bent = (c.kept()["curve"] for c in controllers)
    assert straight.handles is None
    assert bent.handles is not None
    # With lengths 1/2, time is 3u/2 - 3u²/2 + u³: 0.296875 at u = 1/4.
    assert controllers[0].evaluate(1600) == 0.15625
    assert controllers[1].evaluate(1900) == pytest.approx(0.15625, abs=1e-13)


@pytest.mark.parametrize("size", [1, 3, 1 << 13])
def test_more_keys_than_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(compile, "_TOGETHER", size)
    maker = SceneMaker()
    for number in range(5):
        floats(maker, *((160 * k, k + number) for k in range(number + 1)))
    controllers = keyed(maker.scene())
    compile_together(controllers)
    assert all("curve" in c.kept() for c in controllers)
    for number, controller in enumerate(controllers):
        expected = [min(k, number) + number for k in range(6)]
        assert controller.evaluate(160 * np.arange(6)).tolist() == expected


def test_keys_at_the_same_times_are_looked_up_once() -> None:
    maker = SceneMaker()
    floats(maker, (0, 0), (160, 1))
    floats(maker, (0, 0), (320, 1))
    floats(maker, (0, 5), (160, 6))
    controllers = keyed(maker.scene())
    compile_together(controllers)
    segments = [c.kept()["curve"].segments for c in controllers]
    assert segments[0] is segments[2]
    assert segments[0] is not segments[1]
    sampler = Sampler(np.array([80.0, 160.0]))
    values = [sampler.value(c, "float")[:, 0].tolist() for c in controllers]
    assert values == [[0.5, 1], [0.15625, 0.5], [5.5, 6]]


def test_an_edit_makes_the_curve_anew() -> None:
    maker = SceneMaker()
    floats(maker, (0, 0), (160, 1))
    floats(maker, (0, 0), (160, 1))
    first, second = controllers = keyed(maker.scene())
    compile_together(controllers)
    keys = first.keys
    assert keys is not None
    keys["value"] = 3, 5
    first.keys = keys
    assert "curve" not in first.kept()
    compile_together(controllers)
    assert first.evaluate([0, 80]).tolist() == [3, 4]
    assert second.evaluate([0, 80]).tolist() == [0, 0.5]


def rig(*tables: bytes) -> tuple[Scene, list[int]]:
    """Return a scene of nodes that a Position XYZ moves along X, by tables of Bezier floats."""
    maker = SceneMaker()
    nodes: list[int] = []
    for table in tables:
        x = maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(-1), (0x2525, table), nested=True)
        position = maker.add(scenes.POSITION_XYZ, (), [x, maker.number(0), maker.number(0)])
        prs = maker.add(scenes.PRS, (), [position, None, None])
        nodes.append(maker.node("n", prs, nodes[-1] if nodes else None))
    return maker.scene(), nodes


GOOD = key_bytes(
    layouts.BEZIER_FLOAT, {"time": 0, "flags": CUSTOM}, {"time": 160, "value": 8, "flags": CUSTOM}
)
BACKWARDS = key_bytes(layouts.BEZIER_FLOAT, {"time": 160}, {"time": 0})


@pytest.mark.parametrize("damaged", [GOOD[:-1], BACKWARDS])
def test_a_damaged_table_spoils_no_other(damaged: bytes) -> None:
    scene, nodes = rig(GOOD, damaged, GOOD)
    pose = Pose(scene, 160)
    pose.prepare(scene.nodes.values())
    x = [pose.world(scene.node(index))[0, 3, 0] for index in nodes]
    # The damaged one gives its stored value, -1; each node stands on the one before.
    assert x == [8, 7, 15]
    assert len(pose.problems) == 1
    assert "damaged" in next(iter(pose.problems.values()))


def test_nodes_that_are_asked_for_bring_those_above_them() -> None:
    scene, nodes = rig(GOOD, GOOD, GOOD)
    last = scene.nodes[nodes[-1]]
    assert isinstance(last, Node)
    matrices = world_matrices(scene, [0, 160], [last])
    assert list(matrices) == [last.index]
    assert matrices[last.index][:, 3, 0].tolist() == [0, 24]
    assert all("curve" in c.kept() for c in keyed(scene))
