"""Chains of inverse kinematics: what they hold, and which joints a solver turns."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.scene.controllers import IKControl
from maxsidecar.scene.rigging.ik import (
    BooleanController,
    IKChain,
    free_joints,
    joint_limits,
    preferred_place,
)
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.rest import PREFERRED, rest_matrices
from maxsidecar.scene.transform import Pose
from tests.support.cat import BLOCK2
from tests.support.scenes import NEVER, SceneMaker, f32, u32

JOINT = (0x0E6F5815, 0x717F99A4, 0x9008)
CHAIN = (0x78724378, 0x008A4FD9, 0x9008)
BOOLEAN = (0x5ED56FC5, 0x6AF0E521, 0x9003)
UNKNOWN = (0x12345678, 0x1, 0x9008)

FLOAT, TRUTH, TEXT = 0, 4, 8


def block(maker: SceneMaker, values: dict[int, tuple[int, object]]) -> int:
    records = []
    for number, (kind, value) in values.items():
        body = pack("<HIQ", number, kind, 0) + b"\x40"
        if kind == FLOAT:
            body += f32(value)  # type: ignore[arg-type]
        elif kind == TEXT:
            text = f"{value}\0".encode("utf-16-le")
            body += pack("<i", len(text)) + text
        else:
            body += pack("<i", value)
        records.append((0x100E, body))
    return maker.add(
        BLOCK2, [(0x000B, pack("<IIIHIHi", 0, 0, 0, 0, 1, len(records), -1)), *records]
    )


def joint(maker: SceneMaker, place: tuple[float, ...], preferred: tuple[float, ...] = ()) -> int:
    values: dict[int, tuple[int, object]] = {
        36 + number: (FLOAT, value) for number, value in enumerate(preferred)
    }
    values |= {
        25: (TRUTH, 1), 26: (TRUTH, 1), 27: (TRUTH, 0), 35: (TRUTH, 0), 28: (FLOAT, -0.5),
        29: (FLOAT, 0.5),
    }  # fmt: skip
    return maker.add(JOINT, (), [block(maker, values), maker.transform(place)])


def switch(maker: SceneMaker, state: float, keys: bytes = NEVER) -> int:
    return maker.add(BOOLEAN, [(0x3006, f32(state)), (0x3003, keys)])


def chain(
    maker: SceneMaker, start: int, end: int, goal: tuple[float, ...], state: float = 1.0
) -> int:
    settings = block(maker, {2: (TEXT, "IKLimb"), 4: (FLOAT, 0.25), 19: (TRUTH, 1)})
    return maker.add(CHAIN, (), [settings, maker.transform(goal), end, switch(maker, state), start])


class Arm:
    """Three joints in a row, a chain from the first to the last, and its node."""

    def __init__(self) -> None:
        self.maker = maker = SceneMaker()
        preferred = (1.0, 2.0, 3.0, 0.0, 0.0, np.pi / 2)
        self.controllers = [joint(maker, (number, 0, 0), preferred) for number in range(3)]
        self.nodes: list[int] = []
        for number, controller in enumerate(self.controllers):
            parent = self.nodes[-1] if self.nodes else None
            self.nodes.append(maker.node(f"joint {number}", controller, parent))
        self.chain = chain(maker, self.nodes[0], self.nodes[2], (7, 8, 9))
        self.goal = maker.node("goal", self.chain)

    def scene(self) -> Scene:
        return self.maker.scene()


def test_what_a_chain_holds() -> None:
    arm = Arm()
    found = arm.scene()[arm.chain]
    assert isinstance(found, IKChain)
    assert [node.index for node in found.joints] == arm.nodes
    assert (found.solver, found.swivel, found.enabled) == ("IKLimb", 0.25, 1.0)
    assert not found.swivel_in_goal
    assert found.swivel_target is None


def test_the_goal_stands_where_its_keys_say() -> None:
    arm = Arm()
    scene = arm.scene()
    pose = Pose(scene, 0)
    assert list(pose.world(scene.nodes[arm.goal])[0, 3, :3]) == [7, 8, 9]
    assert pose.problems == {}
    assert arm.goal not in rest_matrices(scene).unknown


def test_a_solver_turns_all_joints_but_the_last() -> None:
    arm = Arm()
    scene = arm.scene()
    assert free_joints(scene) == {arm.controllers[2]}
    reasons = [scene[index].reason for index in arm.controllers]  # type: ignore[attr-defined]
    assert [reason is None for reason in reasons] == [False, False, True]
    rest = rest_matrices(scene)
    assert rest.poses == dict.fromkeys(arm.nodes[:2], PREFERRED)
    expected = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]])
    assert rest.matrices[arm.nodes[0]] == pytest.approx(expected, abs=1e-6)


def test_a_joint_that_another_chain_starts_at_is_not_free() -> None:
    arm = Arm()
    tip = arm.maker.node("tip", joint(arm.maker, (1, 0, 0)), arm.nodes[2])
    arm.maker.node("second", chain(arm.maker, arm.nodes[2], tip, (0, 0, 0)))
    scene = arm.scene()
    controller = scene.nodes[tip].controller
    assert controller is not None
    assert free_joints(scene) == {controller.index}


def test_other_kinds_of_chains_may_turn_any_joint() -> None:
    arm = Arm()
    arm.maker.add(UNKNOWN)
    assert free_joints(arm.scene()) == set()


def test_a_chain_whose_end_is_elsewhere() -> None:
    arm = Arm()
    other = arm.maker.node("other", None)
    broken = chain(arm.maker, arm.nodes[0], other, (0, 0, 0))
    scene = arm.scene()
    found = scene[broken]
    assert isinstance(found, IKChain)
    assert found.joints == []
    assert free_joints(scene) == set()


def test_an_edit_is_seen() -> None:
    arm = Arm()
    scene = arm.scene()
    assert free_joints(scene)
    found = scene[arm.chain]
    head, *slots = found.dense_references or ()
    found.dense_references = (head, slots[0], -1, *slots[2:])
    assert free_joints(scene) == set()


def test_limits_of_a_joint() -> None:
    arm = Arm()
    control = arm.scene()[arm.controllers[0]]
    assert isinstance(control, IKControl)
    (turn,) = joint_limits(control)
    assert (turn.axis, turn.free, turn.low, turn.high) == ("turn z", True, True, False)
    assert (turn.lowest, turn.highest) == (-0.5, 0.5)


def test_a_preferred_place_that_is_not_there_or_no_number() -> None:
    maker = SceneMaker()
    plain = joint(maker, (0, 0, 0))
    odd = maker.add(
        JOINT,
        (),
        [block(maker, dict.fromkeys(range(36, 42), (TEXT, "x"))), maker.transform()],
    )
    scene = maker.scene()
    first, second = scene[plain], scene[odd]
    assert isinstance(first, IKControl)
    assert preferred_place(first) is None
    assert isinstance(second, IKControl)
    with pytest.raises(DecodeError):
        preferred_place(second)


def test_boolean_controllers() -> None:
    maker = SceneMaker()
    on = switch(maker, 1.0)
    keyed = switch(maker, 1.0, pack("<2i", 0, 4800))
    cut = maker.add(BOOLEAN, [(0x3006, u32(0)[:2])])
    scene = maker.scene()
    found = [scene[index] for index in (on, keyed, cut)]
    assert all(isinstance(item, BooleanController) for item in found)
    values = [item.evaluate(0) for item in found if isinstance(item, BooleanController)]
    assert values[:2] == [1.0, 1.0]
    reasons = [item.reason for item in found if isinstance(item, BooleanController)]
    assert reasons[0] is None
    assert reasons[1] is not None
    assert "keys" in reasons[1]
