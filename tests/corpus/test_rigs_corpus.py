"""CAT rigs and chains of inverse kinematics: what real files prove of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.preview.collect import collect
from maxsidecar.scene import restructure
from maxsidecar.scene.controllers import IKControl, KeyedController
from maxsidecar.scene.controllers.rotations import euler_quaternions, quaternion_to_matrix
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.rigging.cat_controllers import (
    CatBone,
    CatFoot,
    CatHub,
    CatMaster,
    CatNode,
    CatSpineLink,
)
from maxsidecar.scene.rigging.cat_layers import CatLayer, CatLayerRoot, LayerMatrix3, LayerValue
from maxsidecar.scene.rigging.cat_parts import CatDigit, CatLimb, CatParent, CatSpine
from maxsidecar.scene.rigging.cat_setup import setup_worlds
from maxsidecar.scene.rigging.ik import IKChain, free_joints, preferred_place
from maxsidecar.scene.rigging.turns import about
from maxsidecar.scene.skin.rest import BOUND, SET_UP, bind_matrices, rest_matrices
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import Pose, object_offset
from tests.support.pod import Array, Pod

JACK = "max/ModelingCharacters/Characters__JackSkellington__JackSkellington{}.max"
MAN = "max/Native_SDK/Skinning__Media__Man.max"
MAN_POD = "max/Native_SDK/Skinning__OGLES2__man.pod"

#: Row vectors: (x, y, z) to (x, z, -y).
C = np.eye(4)
C[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]


@pytest.fixture(params=["00", "01"])
def jack(corpus: Path, request: pytest.FixtureRequest) -> MaxFile:
    """One character, saved in animation mode and in setup mode."""
    return maxsidecar.open(corpus / JACK.format(request.param))


def master_of(scene_file: MaxFile) -> CatMaster:
    (master,) = (obj for obj in scene_file.scene if isinstance(obj, CatMaster))
    return master


def test_the_setup_pose_is_what_the_mesh_was_bound_to(jack: MaxFile) -> None:
    """All of it but the lower right leg, to the last digits of 32-bit floats.

    There, 3ds Max turned the calf by 0.0003 from where it points at the ankle; the cosine of that
    angle differs from 1 by less than a 32-bit float can tell.
    """
    scene = jack.scene
    binds, worlds = bind_matrices(scene), setup_worlds(scene)
    assert len(binds) == 53
    assert len(worlds) == 56
    size = float(np.linalg.norm(np.ptp([bind[3, :3] for bind in binds.values()], axis=0)))
    loose = {"Base HumanRCalf", "Base HumanRFoot"}
    for index, bind in binds.items():
        name = scene.nodes[index].name
        difference = np.abs(worlds[index] - bind)
        if name in loose:
            assert difference[:3].max() <= 1e-3
            assert difference[3].max() <= 1e-4 * size
        else:
            assert difference[:3].max() <= 2e-5, name
            assert difference[3].max() <= 1e-6 * size, name


def test_platforms_stand_as_the_rig_was_set_up(jack: MaxFile) -> None:
    rest = rest_matrices(jack.scene)
    assert sorted(rest.poses.values()).count(BOUND) == 53
    found = [jack.scene.nodes[index] for index, pose in rest.poses.items() if pose == SET_UP]
    assert [type(node.controller) for node in found] == [CatFoot, CatFoot]
    assert rest.unknown == {}


def test_a_preview_shows_the_rig_in_its_mesh(jack: MaxFile) -> None:
    binds = bind_matrices(jack.scene)
    size = float(np.linalg.norm(np.ptp([bind[3, :3] for bind in binds.values()], axis=0)))
    shown = collect(jack)
    found = 0
    for (_, node), entry in zip(jack.nodes.walk(), shown.nodes, strict=True):
        if node.index in binds:
            assert entry.name == node.name
            assert entry.world == pytest.approx(
                object_offset(node) @ binds[node.index], rel=0, abs=1e-6 * size
            )
            found += 1
    assert found == 53
    told = {entry.reason for entry in shown.missing if entry.class_name == "CATSpineTrans2"}
    assert told == {
        "its place: CAT rig: its layers are not evaluated; the node stands as it was bound"
    }


def test_how_a_rig_hangs_together(jack: MaxFile) -> None:
    scene, master = jack.scene, master_of(jack)
    assert master.units == pytest.approx(0.490478)
    root = master.layer_root
    assert isinstance(root, CatLayerRoot)
    assert [layer.name for layer in root.layers] == ["Idle", "Run"]
    for number, layer in enumerate(root.layers):
        assert isinstance(layer, CatLayer)
        assert (layer.number, layer.root) == (number, root.index)
        assert layer.loop_range == (0, 16000)
    values = [obj for obj in scene if isinstance(obj, LayerValue)]
    assert len(values) == 49 + 18 + 11
    for value in values:
        assert value.layer_count == root.layer_count == 2
        assert (value.root, value.master) == (root.index, master.index)
    assert master.node is not None
    assert scene[master.node].references[0] == master.index


def test_parts_of_a_rig(jack: MaxFile) -> None:
    scene, master = jack.scene, master_of(jack)
    parts = [obj for obj in scene if isinstance(obj, CatNode)]
    for part in parts:
        data = part.node_data
        assert data is not None
        assert data.element is not None
        assert data.element.master == master.index
        if isinstance(part, CatBone) or data.mirror == -1:
            continue
        other = scene[data.mirror]
        assert type(other) is type(part)
        assert other.node_data is not None
        assert other.node_data.mirror == part.index
    limbs = [obj for obj in scene if isinstance(obj, CatLimb)]
    assert [(limb.side, limb.is_leg) for limb in limbs] == [
        (-1, True),
        (1, True),
        (-1, False),
        (1, False),
    ]
    for limb in limbs:
        assert [bone.number for bone in limb.bones if isinstance(bone, CatBone)] == [0, 1]
        assert (limb.target is not None) is limb.is_leg
        assert (limb.collarbone is None) is limb.is_leg
    spines = [obj for obj in scene if isinstance(obj, CatSpine)]
    for spine in spines:
        numbers = [link.number for link in spine.links if isinstance(link, CatSpineLink)]
        assert numbers == list(range(len(spine.links)))
    assert [len(spine.links) for spine in spines] == [4, 2]
    assert [len(obj.segments) for obj in scene if isinstance(obj, CatDigit)] == [3] * 10


def test_names_and_lengths_of_bones(jack: MaxFile) -> None:
    """Names begin with that of the rig; sizes are those of what is shown, times the CAT unit."""
    master = master_of(jack)
    bones = hubs = 0
    for node in jack.nodes.values():
        controller = node.controller
        if not isinstance(controller, CatNode):
            continue
        assert node.name.startswith(master.name)
        data, shown = controller.node_data, node.base_object
        assert data is not None
        assert data.size is not None
        if shown is None or isinstance(controller, CatFoot):
            continue
        block = shown.param_blocks[0]
        along, other = (
            ("height", "length") if isinstance(controller, CatHub) else ("length", "depth")
        )
        size = block.value(along), block.value(other) / 2, block.value("width") / 2
        assert data.size == pytest.approx([number * master.units for number in size], rel=1e-6)
        bones += not isinstance(controller, CatHub)
        hubs += isinstance(controller, CatHub)
    assert (bones, hubs) == (50, 3)


def test_setup_matrices_are_turns(jack: MaxFile) -> None:
    found = [obj.setup for obj in jack.scene if isinstance(obj, LayerMatrix3)]
    assert len(found) == 49
    for setup in found:
        assert setup is not None
        turn = np.array(setup.numbers[:9]).reshape(3, 3)
        assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-5)
        assert np.linalg.det(turn) == pytest.approx(1, abs=1e-5)


def test_links_of_a_rig_follow_when_objects_are_renumbered(jack: MaxFile) -> None:
    """They are numbers beside the reference lists: of the master, of its object, of the layers."""
    scene, before = jack.scene, master_of(jack).index
    jack.nodes.find("Plane001")[0].delete()
    restructure.close_gaps(scene)
    master = master_of(jack)
    assert master.index < before
    root = master.layer_root
    assert root is not None
    values = [obj for obj in scene if isinstance(obj, LayerValue)]
    assert {(value.root, value.master) for value in values} == {(root.index, master.index)}
    heads = [obj.element for obj in scene if isinstance(obj, CatLimb | CatSpine | CatDigit)]
    heads += [
        obj.node_data.element
        for obj in scene
        if isinstance(obj, CatNode) and obj.node_data is not None
    ]
    assert {head.master for head in heads if head is not None} == {master.index}
    (shown,) = {head.parent_object for head in heads if head is not None}
    assert shown is not None
    assert isinstance(scene[shown], CatParent)
    assert scene[master.root_hub or 0].class_name == "HubTrans"


# --- inverse kinematics --------------------------------------------------------------------------


class Man:
    """The scene with chains, and its nodes as 3ds Max has exported them, frame by frame."""

    def __init__(self, corpus: Path) -> None:
        self.file = maxsidecar.open(corpus / MAN)
        self.scene = self.file.scene
        pod = Pod(corpus / MAN_POD)
        names: dict[str, list[Node]] = {}
        for _, node in self.scene.nodes.walk():
            names.setdefault(node.name, []).append(node)
        self.worlds: dict[int, Array] = {}
        for pod_node, world in zip(pod.nodes, pod.worlds(), strict=True):
            self.worlds[names[pod_node.name].pop(0).index] = C @ world @ C.T
        span = read_time_range(self.file)
        self.times = span.start + np.arange(pod.frames) * span.ticks_per_frame

    @property
    def chains(self) -> dict[str, IKChain]:
        return {
            node.name: node.controller
            for node in self.scene.nodes.values()
            if isinstance(node.controller, IKChain)
        }


@pytest.fixture(scope="module")
def man(corpus: Path) -> Man:
    return Man(corpus)


def test_chains_and_their_joints(man: Man) -> None:
    found = {name: (chain.solver, len(chain.joints)) for name, chain in man.chains.items()}
    assert found == {
        "IK_body": ("IKHISolver", 4),
        "IK_RightArm": ("IKLimb", 3),
        "IK_LeftArm": ("IKLimb", 3),
        "IK_RightLeg": ("IKLimb", 3),
        "IK_LeftLeg": ("IKLimb", 3),
        "IK_RightFoot": ("IKHISolver", 2),
        "IK_LeftFoot": ("IKHISolver", 2),
    }
    for chain in man.chains.values():
        assert chain.enabled == 1.0
        assert chain.joints[0] is chain.start
        assert chain.joints[-1] is chain.end


def test_goals_move_by_their_own_keys(man: Man) -> None:
    """Seven goals, 17 frames."""
    pose = Pose(man.scene, man.times)
    size = 200.0
    for name in man.chains:
        (node,) = man.scene.nodes.find(name)
        ours = pose.full(pose.world(node))
        assert np.abs(ours[:, 3] - man.worlds[node.index][:, 3]).max() <= 1e-6 * size, name
        assert np.abs(ours[:, :3] - man.worlds[node.index][:, :3]).max() <= 1e-6, name


def test_the_ends_of_two_bones_are_at_their_goals(man: Man) -> None:
    """3ds Max's own result, to what it computes by: what a goal and an end are."""
    for name, chain in man.chains.items():
        if len(chain.joints) < 3:
            continue
        (goal,) = man.scene.nodes.find(name)
        assert chain.end is not None
        apart = man.worlds[goal.index][:, 3] - man.worlds[chain.end.index][:, 3]
        distance = np.linalg.norm(apart, axis=1)
        assert np.median(distance) <= 1e-3, name
        assert distance.max() <= 0.2, name


def test_the_ends_of_chains_turn_by_themselves(man: Man) -> None:
    free = free_joints(man.scene)
    nodes = [
        node
        for node in man.scene.nodes.values()
        if node.controller is not None and node.controller.index in free
    ]
    assert len(nodes) == 5
    for node in nodes:
        controller, parent = node.controller, node.parent
        assert isinstance(controller, IKControl)
        assert parent is not None
        ours = controller.evaluate(man.times)
        theirs = man.worlds[node.index] @ np.linalg.inv(man.worlds[parent.index])
        assert np.abs(ours[:, :3] - theirs[:, :3]).max() <= 1e-5, node.name
        assert np.abs(ours[:, 3] - theirs[:, 3]).max() <= 1e-4, node.name


def test_a_solver_starts_from_where_joints_were_bound(man: Man) -> None:
    """13 joints whose parents were bound as well."""
    binds = bind_matrices(man.scene)
    count = 0
    for node in man.scene.nodes.values():
        joint, parent = node.controller, node.parent
        if not isinstance(joint, IKControl) or parent is None:
            continue
        if node.index not in binds or parent.index not in binds:
            continue
        local = binds[node.index] @ np.linalg.inv(binds[parent.index])
        place = preferred_place(joint)
        assert place is not None
        turn = quaternion_to_matrix(euler_quaternions(np.array([place[3:]])))[0]
        assert np.abs(local[:3, :3] - turn).max() <= 1e-6, node.name
        assert np.abs(local[3, :3] - place[:3]).max() <= 2e-5, node.name
        count += 1
    assert count == 13


def frame(direction: Array, pole: Array) -> Array:
    """Return rows: a direction, the level direction beside it with the pole upright, the third."""
    ahead = direction / np.linalg.norm(direction)
    side = np.cross(pole, ahead)
    side /= np.linalg.norm(side)
    return np.array([ahead, side, np.cross(ahead, side)])


def turn_about(axis: Array, angle: float) -> Array:
    return about(axis, angle)[:3, :3]


def corner(one: float, other: float, opposite: float) -> float:
    """Return the angle between two sides of a triangle."""
    cosine = (one * one + other * other - opposite * opposite) / (2 * one * other)
    return float(np.arccos(np.clip(cosine, -1, 1)))


@pytest.mark.parametrize(
    ("name", "start_error", "middle_error"),
    [
        ("IK_RightArm", 2e-5, 5e-5),
        ("IK_LeftArm", 2e-5, 5e-5),
        # Nearly straight: the cosines of their angles have no more digits in 32-bit floats.
        ("IK_RightLeg", 5e-4, 1e-3),
        ("IK_LeftLeg", 5e-4, 1e-3),
        ("IK_RightFoot", 5e-5, 0.0),
        ("IK_LeftFoot", 5e-5, 0.0),
    ],
)
def test_how_a_solver_turns_one_or_two_bones(
    man: Man, name: str, start_error: float, middle_error: float
) -> None:
    """The rule of docs/format/cat-and-ik.md, against 17 frames of 3ds Max's own result."""
    (goal,) = man.scene.nodes.find(name)
    chain = man.chains[name]
    places, turns, reach, turn = [], [], np.zeros(3), np.eye(3)
    for number, joint in enumerate(chain.joints):
        assert isinstance(joint.controller, IKControl)
        preferred = preferred_place(joint.controller)
        assert preferred is not None
        if number:
            reach = reach + np.array(preferred[:3]) @ turn
            places.append(reach)
        own = quaternion_to_matrix(euler_quaternions(np.array([preferred[3:]])))[0]
        turns.append(own)
        turn = own @ turn
    start, parent = chain.joints[0], chain.joints[0].parent
    assert parent is not None
    ahead = places[-1] / np.linalg.norm(places[-1])
    two = len(places) == 2
    pole = np.cross(places[0], places[1]) if two else np.array([0, 1.0, 0]) - ahead[1] * ahead
    pole /= np.linalg.norm(pole)
    block = chain.param_blocks[0]
    swivel = block[4].controller
    angles = (
        swivel.evaluate(man.times)
        if isinstance(swivel, KeyedController)
        else np.full(len(man.times), chain.swivel)
    )
    for time, angle in enumerate(angles):
        above = np.linalg.inv(man.worlds[parent.index][time])
        first = man.worlds[start.index][time] @ above
        aim = (man.worlds[goal.index][time] @ above)[3, :3] - first[3, :3]
        swing = frame(places[-1], pole).T @ frame(aim, pole) @ turn_about(aim, float(angle))
        if not two:
            assert np.abs(turns[0] @ swing - first[:3, :3]).max() <= start_error
            continue
        upper = float(np.linalg.norm(places[0]))
        lower = float(np.linalg.norm(places[1] - places[0]))
        was = float(np.linalg.norm(places[1]))
        now = min(float(np.linalg.norm(aim)), upper + lower)
        rise = corner(upper, now, lower) - corner(upper, was, lower)
        ours = turns[0] @ swing @ turn_about(pole @ swing, -rise)
        assert np.abs(ours - first[:3, :3]).max() <= start_error, time
        bend = corner(upper, lower, now) - corner(upper, lower, was)
        ours = turns[1] @ turn_about(pole @ turns[0].T, -bend)
        second = man.worlds[chain.joints[1].index][time]
        theirs = second @ np.linalg.inv(man.worlds[start.index][time])
        assert np.abs(ours - theirs[:3, :3]).max() <= middle_error, time
