"""Editing the sizes of bones: every place where one is stored, and what moves with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.biped.edit_size import bone_size, bone_sizes, set_bone_size
from maxsidecar.scene.biped.forward import SLIP, bones_of
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.system import BipedSystem
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from tests.support.biped_edit import HEAD, HIPS, SIZES, changed, system_of, words
from tests.support.biped_leaves import floats
from tests.support.biped_scene import BipedScene

#: What the bones of the hand-built rig measure.
EXPECTED = {
    "pelvis": [1.6, 1.7, 2 * HIPS],
    "spine": [1.0, 1.1, 1.2],
    "spine_1": [2.0, 2.1, 2.2],
    "neck": [0.5, 0.51, 0.52],
    "head": [HEAD, 0.8, 0.7],
    "right_arm.clavicle": [1.0, 1.1, 1.2],
    "right_arm.upper_arm": [3.0, 3.1, 3.2],
    "left_arm.forearm": [2.0, 2.1, 2.2],
    "left_arm.finger_0": [0.4, 0.41, 0.42],
    "right_arm.finger_0_1": [0.2, 0.21, 0.22],
    "right_leg.thigh": [4.0, 4.1, 4.2],
    "left_leg.calf": [5.0, 5.1, 5.2],
}
#: Numbers in one side of an arm and of a leg, and of their tables.
ARM, LEG, ARM_TABLE, LEG_TABLE = 17 + 19, 11, 11, 7
PLACES = {
    "pelvis": {
        (0x01F4, 4), (0x01F4, 5), (0x01F4, 6), (0x000F, 1), (0x000F, LEG + 1), (0x00CA, 3)
    },
    "spine_1": {(0x000B, 2), (0x01F7, 2), (0x01F7, 3)},
    "neck": {(0x000D, 1), (0x01F5, 0), (0x01F5, 1)},
    "head": {(0x000C, 0), (0x01F4, 0), (0x01F4, 1), (0x01F4, 2), (0x01F4, 3)},
    "right_arm.clavicle": {(0x0010, 5), (0x01FA, 8), (0x01FA, 9), (0x01FA, 10)},
    "left_arm.forearm": {(0x0010, ARM + 2), (0x01FA, ARM_TABLE + 2), (0x01FA, ARM_TABLE + 3)},
    "left_arm.finger_0_1": {
        (0x0010, ARM + 17 + 18), (0x01FA, ARM_TABLE + 6), (0x01FA, ARM_TABLE + 7)
    },
    "right_leg.calf": {(0x000F, 3), (0x01F9, 2), (0x01F9, 3), (0x00CA, 2)},
    "left_leg.thigh": {(0x000F, LEG + 2), (0x01F9, LEG_TABLE), (0x01F9, LEG_TABLE + 1)},
}  # fmt: skip


def scale(node: Node, numbers: list[float]) -> None:
    old = node.offset_scale
    assert old is not None
    x, y, z = np.array(numbers, np.float32).astype(float)
    node.offset_scale = old.replace(x=x, y=y, z=z)


def scale_of(node: Node) -> list[float]:
    found = node.offset_scale
    assert found is not None
    return [found.x, found.y, found.z]


def opened(path: Path, records: dict[int, bytes] | None = None) -> MaxFile:
    """Return a scene whose nodes have the scales of their bones."""
    scene = BipedScene()
    scene.rig(SIZES | (records or {}))
    path.write_bytes(scene.to_bytes())
    scene_file = maxsidecar.open(path)
    for size in bone_sizes(system_of(scene_file)).values():
        for node in size.nodes:
            scale(node, bone_size(system_of(scene_file), size.name))
    return scene_file


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("biped") / "rig.max"
    opened(out).save()
    return out


@pytest.fixture
def scene_file(path: Path) -> MaxFile:
    return maxsidecar.open(path)


@pytest.fixture
def system(scene_file: MaxFile) -> BipedSystem:
    return system_of(scene_file)


def test_sizes_by_name(system: BipedSystem) -> None:
    sizes = bone_sizes(system)
    assert len(sizes) == 1 + 2 + 1 + 1 + 2 * 5 + 2 * 2
    for name, expected in EXPECTED.items():
        assert bone_size(system, name) == pytest.approx(expected), name
    assert {size.name for size in sizes.values() if size.nodes} == {
        "pelvis", "spine", "head", "right_arm.finger_0_1"
    }  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_every_place_of_a_size_is_written(system: BipedSystem, name: str) -> None:
    before = words(system)
    old = bone_size(system, name)
    set_bone_size(system, name, [7.0, 8.0, 9.0])
    assert changed(before, words(system)) == PLACES[name]
    assert bone_size(system, name) == [7.0, 8.0, 9.0]
    set_bone_size(system, name, old)
    assert not changed(before, words(system))


def test_the_node_gets_the_size(scene_file: MaxFile) -> None:
    nodes = {node.name: node for node in scene_file.nodes.values()}
    nub = scale_of(nodes["Bip01 R Finger0Nub"])
    set_bone_size(system_of(scene_file), "right_arm.finger_0_1", [0.25, 2.0, 3.0])
    assert scale_of(nodes["Bip01 R Finger01"]) == [0.25, 2.0, 3.0]
    assert scale_of(nodes["Bip01 R Finger0Nub"]) == nub
    set_bone_size(system_of(scene_file), "pelvis", [2.0, 3.0, 4.0])
    assert scale_of(nodes["Bip01 Pelvis"]) == [2.0, 3.0, 4.0]


def bones(system: BipedSystem) -> Any:
    rig = system.rig
    return bones_of(rig.structure, figure_posture(rig.structure, rig.sets.live))


def moves(before: Any, after: Any) -> dict[Role, list[float]]:
    """Return how far bones moved; none turned."""
    for bone, frame in before.items():
        assert np.array_equal(frame.turn, after[bone].turn), bone
    away = {bone: after[bone].place[0] - frame.place[0] for bone, frame in before.items()}
    return {bone: move.tolist() for bone, move in away.items() if np.abs(move).max() > 1e-9}


def test_bones_below_move_along_the_bone(system: BipedSystem) -> None:
    before = bones(system)
    set_bone_size(system, "left_arm.upper_arm", [3.5, 1.0, 1.0])
    moved = moves(before, bones(system))
    below = {Role("arm", LEFT, link) for link in (2, 3)}
    below |= {Role("finger", LEFT, link) for link in (0, 1)} | {Role("finger nub", LEFT)}
    assert moved.keys() == below
    along = before[Role("arm", LEFT, 1)].turn[0] @ [0.5, 0.0, 0.0]
    for bone, move in moved.items():
        assert move == pytest.approx(along, abs=1e-6), bone


def test_hips_move_legs_apart(system: BipedSystem) -> None:
    before = bones(system)
    set_bone_size(system, "pelvis", [1.6, 1.7, 2.5])
    moved = moves(before, bones(system))
    assert {bone.part for bone in moved} == {"leg"}
    assert {bone.side for bone in moved} == {LEFT, RIGHT}
    for move in moved.values():
        assert np.linalg.norm(move) == pytest.approx(0.5)
    # The feet, of other sides, go apart.
    assert moved[Role("leg", LEFT, 2)] == pytest.approx([-n for n in moved[Role("leg", RIGHT, 2)]])


def test_a_link_of_the_spine_carries_all_above(system: BipedSystem) -> None:
    before = bones(system)
    set_bone_size(system, "spine", [1.25, 1.1, 1.2])
    moved = moves(before, bones(system))
    parts = {bone.part for bone in moved}
    assert parts == {"spine", "neck", "head", "head nub", "arm", "finger", "finger nub"}
    up = before[Role("head")].place[0] - before[Role("spine", link=1)].place[0]
    up = up / np.linalg.norm(up)
    for bone, move in moved.items():
        if bone != Role("spine"):
            assert move == pytest.approx((0.25 * up).tolist(), abs=1e-3), bone
    # A link is shown turned by the slip about its end, so its own beginning moves that little.
    own = moved.get(Role("spine"), [0.0, 0.0, 0.0])
    assert np.linalg.norm(own) == pytest.approx(2 * 0.25 * np.sin(SLIP / 2), rel=1e-4)


@pytest.mark.parametrize(
    ("records", "name", "message"),
    [
        ({0x01F4: floats(HEAD, 0.8, 0.7, 1.0, 1.6, 1.7, HIPS)}, "head", "length is not the same"),
        ({0x01F4: floats(HEAD, 0.8, 0.7, HEAD, 1.6, 1.7, 1)}, "pelvis", "z is not the same"),
        ({0x00CA: floats(17, 169, 9.5, HIPS, 991)}, "right_leg.calf", "length of the leg"),
        ({0x01F9: floats(*([1.0] * 12))}, "left_leg.thigh", "12 numbers, 14 were expected"),
        ({0x01F5: floats(float("nan"), 1)}, "neck", "no finite number"),
    ],
)
def test_what_does_not_agree_is_read_only(
    tmp_path: Path, records: dict[int, bytes], name: str, message: str
) -> None:
    system = system_of(opened(tmp_path / "rig.max", records))
    before = words(system)
    with pytest.raises(EditError, match=message):
        set_bone_size(system, name, [1.0, 2.0, 3.0])
    assert not changed(before, words(system))
    # The others can be changed as always.
    set_bone_size(system, "left_arm.forearm", [1.0, 2.0, 3.0])


def test_a_node_of_another_size_is_told(scene_file: MaxFile) -> None:
    nodes = {node.name: node for node in scene_file.nodes.values()}
    scale(nodes["Bip01 Head"], [5.0, 5.0, 5.0])
    before = words(system_of(scene_file))
    with pytest.raises(EditError, match="object offset of 'Bip01 Head'"):
        set_bone_size(system_of(scene_file), "head", [1.0, 2.0, 3.0])
    assert not changed(before, words(system_of(scene_file)))


def test_without_a_table_there_is_no_size(tmp_path: Path) -> None:
    system = system_of(opened(tmp_path / "rig.max", {0x01F7: b""}))
    assert "spine" not in bone_sizes(system)
    with pytest.raises(KeyError):
        set_bone_size(system, "spine", [1.0, 2.0, 3.0])


def test_numbers_for_dynamics_may_be_absent(tmp_path: Path) -> None:
    system = system_of(opened(tmp_path / "rig.max", {0x00CA: b""}))
    set_bone_size(system, "right_leg.calf", [6.0, 2.0, 3.0])
    assert system.rig.structure.legs[RIGHT].numbers[3] == 6.0


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([-1.0, 1.0, 1.0], "out of range.*length"),
        ([1.0, 0.0, 1.0], "out of range.* y"),
        ([1.0, 1.0, 2e6], "out of range.* z"),
        ([float("nan"), 1.0, 1.0], "out of range"),
        ([10**400, 1.0, 1.0], "out of range"),
        ([1.0, 1.0], "wrong count"),
        ([1.0, True, 1.0], "wrong type"),
        ([1.0, None, 1.0], "wrong type"),
        ("1", "wrong type"),
        (1.0, "wrong type"),
    ],
)
def test_sizes_that_do_not_fit(system: BipedSystem, numbers: Any, message: str) -> None:
    before = words(system)
    with pytest.raises(EditError, match=message):
        set_bone_size(system, "head", numbers)
    assert not changed(before, words(system))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 100), st.lists(st.floats(1e-5, 1e5), min_size=3, max_size=3)),
        min_size=1,
        max_size=5,
    )
)
def test_any_sizes_are_read_back_and_undone(
    path: Path, edits: list[tuple[int, list[float]]]
) -> None:
    scene_file = maxsidecar.open(path)
    system = system_of(scene_file)
    before = {item.index: bytes(item.data.data) for item in scene_file.scene}
    names = list(bone_sizes(system))
    old = {name: bone_size(system, name) for name in names}
    done = {}
    for number, size in edits:
        name = names[number % len(names)]
        set_bone_size(system, name, size)
        done[name] = np.array(size, np.float32).astype(float).tolist()
    assert {name: bone_size(system, name) for name in names} == old | done
    for name in done:
        set_bone_size(system, name, old[name])
    assert {item.index: bytes(item.data.data) for item in scene_file.scene} == before
