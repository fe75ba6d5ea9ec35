"""Bipeds in whole scenes: what cannot be placed is told, whatever the scene looks like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import DecodeError
from maxsidecar.scene.biped.edit import key_parameters, set_key_parameters, set_key_times
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.structure import MOST
from maxsidecar.scene.biped.system import BipedController, BipedSystem
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import Pose
from tests.support.biped_layouts import RELEASES
from tests.support.biped_leaves import floats
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import random_rig
from tests.support.biped_scene import BipedScene, head_keys
from tests.support.skins import about_z

NAN = float("nan")


def opened(scene: BipedScene, folder: Path) -> tuple[MaxFile, dict[str, Node]]:
    path = folder / "rig.max"
    path.write_bytes(scene.to_bytes())
    scene_file = maxsidecar.open(path)
    return scene_file, {node.name: node for node in scene_file.nodes.values()}


def of_rig(folder: Path, records: Mapping[int, bytes]) -> tuple[MaxFile, dict[str, Node]]:
    scene = BipedScene()
    scene.rig(records)
    return opened(scene, folder)


def problem(pose: Pose, node: Node) -> str:
    controller = node.controller
    assert controller is not None
    return pose.problems.get(controller.index, "")


def system_of(node: Node) -> BipedSystem:
    controller = node.controller
    assert isinstance(controller, BipedController)
    assert controller.system is not None
    return controller.system


def test_a_bone_is_asked_for_its_place_below_its_parent(tmp_path: Path) -> None:
    """That says nothing about bones that can be placed."""
    scene_file, nodes = of_rig(tmp_path, head_keys(0, 320))
    pose = Pose(scene_file.scene, 0)
    local = pose.local(nodes["Bip01 Head"])[0]
    expected = pose.world(nodes["Bip01 Head"])[0] @ np.linalg.inv(
        pose.world(nodes["Bip01 Spine"])[0]
    )
    assert local == pytest.approx(expected)
    assert problem(pose, nodes["Bip01 Head"]) == ""
    pose.local(nodes["Bip01 Twist"])
    assert "twist" in problem(pose, nodes["Bip01 Twist"])
    controller = nodes["Bip01 Head"].controller
    assert controller is not None
    assert pose.controller_matrix(controller)[0] == pytest.approx(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("figure", [True, False])
def test_places_that_are_no_numbers_are_told(tmp_path: Path, *, figure: bool) -> None:
    com = floats(0, 0, 0, 0, NAN, 20.0, 5.0, 1.0, 0, 0, 0, 1.0)
    scene_file, nodes = of_rig(tmp_path, {0x006C: com})
    pose = Pose(scene_file.scene, [0.0, 100.0], figure=figure)
    for name in ("Bip01", "Bip01 Pelvis", "Bip01 Head"):
        assert np.isfinite(pose.world(nodes[name])).all()
        assert "no finite number" in problem(pose, nodes[name])


def test_keys_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    scene_file, nodes = of_rig(tmp_path, head_keys(0, 320, first=NAN))
    pose = Pose(scene_file.scene, 160)
    pose.world(nodes["Bip01 Head"])
    assert "no finite number" in problem(pose, nodes["Bip01 Head"])
    assert "head" not in system_of(nodes["Bip01"]).rig.tracks


def test_the_figure_does_not_depend_on_keys(tmp_path: Path) -> None:
    keys = head_keys(320, 0)
    scene_file, nodes = of_rig(tmp_path, keys)
    moved = Pose(scene_file.scene, 0)
    moved.world(nodes["Bip01 Head"])
    assert "do not ascend" in problem(moved, nodes["Bip01 Head"])
    still = Pose(scene_file.scene, 0, figure=True)
    still.world(nodes["Bip01 Head"])
    assert problem(still, nodes["Bip01 Head"]) == ""


@pytest.mark.parametrize("chunk_id", [0x000B, 0x000D, 0x000E, 0x0013])
def test_chains_cannot_have_any_number_of_links(tmp_path: Path, chunk_id: int) -> None:
    """Each link is a step of work, and a chunk has room for millions."""
    links = 100_000
    scene_file, nodes = of_rig(tmp_path, {chunk_id: bytes(4 * (17 + links))})
    with pytest.raises(DecodeError, match="more links than can be") as caught:
        _ = system_of(nodes["Bip01"]).rig
    assert caught.value.found == links
    pose = Pose(scene_file.scene, 0)
    pose.world(nodes["Bip01 Head"])
    assert "more links" in problem(pose, nodes["Bip01 Head"])


def test_angles_of_links_that_are_not_there(tmp_path: Path) -> None:
    count = 300_000
    angles = pack("<i", count) + bytes(4 * count)
    scene_file, nodes = of_rig(tmp_path, {0x0067: angles})
    rig = system_of(nodes["Bip01"]).rig
    assert len(figure_posture(rig.structure, rig.sets.live).chains["spine"]) == MOST
    plain = BipedScene()
    plain.rig()
    folder = tmp_path / "plain"
    folder.mkdir()
    other_file, others = opened(plain, folder)
    found = Pose(scene_file.scene, 0).world(nodes["Bip01 Head"])
    assert found == pytest.approx(Pose(other_file.scene, 0).world(others["Bip01 Head"]))


def test_a_controller_without_its_system(tmp_path: Path) -> None:
    scene = BipedScene()
    other = scene.add_dummy(1.0)
    scene.body("Bip01", other)
    scene.bone("Bip01 Head", None, 10)
    scene_file, nodes = opened(scene, tmp_path)
    pose = Pose(scene_file.scene, 0)
    for name in ("Bip01", "Bip01 Head"):
        assert np.array_equal(pose.world(nodes[name])[0], np.eye(4))
        assert "no system object" in problem(pose, nodes[name])


def test_two_bipeds_stand_apart(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig()
    system = scene.add_system({0x006C: floats(0, 0, 0, 0, 1.0, 2.0, 3.0, 1.0, 0, 0, 0, 1.0)})
    scene.body("Bip02", system)
    scene_file, nodes = opened(scene, tmp_path)
    pose = Pose(scene_file.scene, 0)
    assert pose.world(nodes["Bip01"])[0, 3, :3].tolist() == [7.0, -5.0, 20.0]
    assert pose.world(nodes["Bip02"])[0, 3, :3].tolist() == [1.0, -3.0, 2.0]


def test_a_rig_that_is_carried_by_its_own_hand(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig()
    scene_file, nodes = opened(scene, tmp_path)
    carrier = nodes["Bip01 Head"]
    system = system_of(nodes["Bip01"])
    # 3ds Max does not let this happen, so the body is hung on a bone of its system elsewhere.
    root = scene_file.nodes.root
    assert root is not None
    for name in ("Bip01 Spine", "Bip01 Head"):
        nodes[name].reparent(root)
    nodes["Bip01"].reparent(carrier)
    assert system_of(carrier) is system
    pose = Pose(scene_file.scene, 0)
    for node in nodes.values():
        assert np.isfinite(pose.world(node)).all()
    assert any("depends on itself" in text for text in pose.problems.values())


def test_other_parameters_and_times_leave_the_rest_alone(tmp_path: Path) -> None:
    _, nodes = of_rig(tmp_path, head_keys(0, 320, 640))
    system = system_of(nodes["Bip01"])
    before = bytes(system.rig.sets.live[0x013F].data)
    set_key_times(system, "head", [-160, 320, 4800])
    set_key_parameters(system, "head", "bias", [0, 50, 12.5])
    after = bytes(system.rig.sets.live[0x013F].data)
    changed = [n // 4 for n in range(0, len(before), 4) if before[n : n + 4] != after[n : n + 4]]
    # 7 numbers in front, 10 for each key: the time is the first, the bias the ninth.
    assert changed == [7, 15, 25, 27, 35]
    assert key_parameters(system, "head", "bias") == [0.0, 50.0, 12.5]
    set_key_times(system, "head", [0, 320, 640])
    set_key_parameters(system, "head", "bias", [25, 25, 25])
    assert bytes(system.rig.sets.live[0x013F].data) == before


def test_footsteps_stand_upright_under_the_lower_foot(tmp_path: Path) -> None:
    """Also where the centre of mass is turned, and away from the pelvis."""
    half = float(np.sqrt(0.5))
    legs = [0.0, 0.75, 4.0, 5.0, 0, 0, 0, 0.4, 0, 0]
    records = {
        0x000F: (floats(*legs) + pack("<i", 0)) * 2,
        0x006C: floats(1.0, 0, 0, 0, 7.0, 20.0, 5.0, 1.0, 0, half, 0, half),
    }
    scene = BipedScene()
    system = scene.add_system(records)
    body = scene.body("com", system)
    scene.footsteps("steps", system, parent=body)
    for name, leg in (("left", 4), ("right", 5)):
        scene.bone(name, system, leg, 2, parent=body)
    scene.footsteps("lost", None, parent=body)
    scene_file, nodes = opened(scene, tmp_path)
    pose = Pose(scene_file.scene, 0, figure=True)
    com, steps = pose.world(nodes["com"])[0], pose.world(nodes["steps"])[0]
    assert not np.allclose(com[:3, :3], np.eye(3))
    assert np.array_equal(steps[:3, :3], np.eye(3))
    lower = min(pose.world(nodes[name])[0, 3, 2] for name in ("left", "right"))
    assert steps[3, :3] == pytest.approx([com[3, 0], com[3, 1], lower - 0.4])
    assert problem(pose, nodes["steps"]) == ""
    pose.world(nodes["lost"])
    assert "no system object" in problem(pose, nodes["lost"])
    # Where no foot says how high the ground is, it stays with the centre of mass.
    scene = BipedScene()
    system = scene.add_system({0x0069: b"", 0x000F: b""})
    scene.footsteps("steps", system, parent=scene.body("com", system))
    scene_file, nodes = opened(scene, tmp_path)
    pose = Pose(scene_file.scene, 0)
    assert np.array_equal(pose.world(nodes["steps"]), pose.world(nodes["com"]))
    assert "no such bone" in problem(pose, nodes["steps"])


def upright(matrix: np.ndarray[Any, Any], moved: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a stored row-vector matrix (Y up) as 3ds Max has it, moved first (Y up as well)."""
    up = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    there = matrix.copy()
    there[3, :3] += moved
    return np.asarray(up.T @ there @ up)


def test_rigs_that_carry_rigs(tmp_path: Path) -> None:
    """Each centre of mass below a bone of the rig before stands to it as when they were linked."""
    release = RELEASES["2012"]
    bodies = [random_rig(seed) for seed in (40, 41, 42)]
    moved = np.array([0.5, -1.0, 2.0])
    scene = BipedScene()
    nodes = scene.laid_out(release, bodies[0], prefix="0 ")
    links = {}
    for number, parent in ((1, "spine -1 2 0"), (2, "arm 1 3 0")):
        links[number] = about_z(30.0 * number, 4, 5, number)
        chunks = system_chunks(release, bodies[number])
        chunks = [
            (id_, floats(*np.linalg.inv(links[number])[:, :3].ravel()) if id_ == 0x0112 else data)
            for id_, data in chunks
        ]
        last = next(place for place, chunk in enumerate(chunks) if chunk[0] == 0x0141)
        chunks.insert(last, (0x0260, floats(*moved, *[0.0] * 9)))
        nodes = scene.laid_out(
            release, bodies[number], chunks=chunks, parent=nodes[parent], prefix=f"{number} "
        )
    scene_file, found = opened(scene, tmp_path)
    times = np.arange(0.0, 3200.0, 160.0)
    pose, still = Pose(scene_file.scene, times), Pose(scene_file.scene, 0, figure=True)
    for number, parent in ((1, "0 spine -1 2 0"), (2, "1 arm 1 3 0")):
        com = pose.world(found[f"{number} com"])
        present = upright(bodies[number].present.reshape(4, 4), moved)
        carrier = pose.world(found[parent])
        assert np.ptp(carrier, axis=0).max() > 0.1
        expected = present @ np.linalg.inv(links[number]) @ carrier
        assert com == pytest.approx(expected, abs=1e-4)
        assert "carried" in problem(pose, found[f"{number} com"])
        # Seen from it, bones are where they are in a rig that stands free.
        alone = BipedScene()
        alone.laid_out(release, bodies[number], prefix=f"{number} ")
        folder = tmp_path / f"{number}"
        folder.mkdir()
        free_file, free = opened(alone, folder)
        freely = Pose(free_file.scene, times)
        ankles = []
        for name, node in free.items():
            if name.startswith(f"{number} ") and "footsteps" not in name:
                seen = pose.world(found[name]) @ np.linalg.inv(com)
                own = freely.world(node) @ np.linalg.inv(freely.world(free[f"{number} com"]))
                assert seen == pytest.approx(own, abs=1e-6), name
                assert np.isfinite(still.world(found[name])).all()
            if name in (f"{number} leg 0 2 0", f"{number} leg 1 2 0"):
                side = int(name.split()[2])
                depth = bodies[number].legs[side][0][7]
                ankles.append(pose.world(found[name])[:, 3, 2] - depth)
        steps = pose.world(found[f"{number} footsteps"])
        assert np.array_equal(steps[0, :3, :3], np.eye(3))
        assert steps[:, 3, :2] == pytest.approx(com[:, 3, :2])
        assert steps[:, 3, 2] == pytest.approx(np.min(ankles, axis=0), abs=1e-6)


def test_rigs_that_carry_each_other(tmp_path: Path) -> None:
    """3ds Max does not let this happen: each centre of mass hangs on the other rig's head."""
    scene = BipedScene()
    for name in ("a", "b"):
        system = scene.add_system()
        scene.body(f"{name} com", system)
        scene.bone(f"{name} head", system, 10)
        scene.footsteps(f"{name} steps", system)
    scene_file, nodes = opened(scene, tmp_path)
    nodes["a com"].reparent(nodes["b head"])
    nodes["b com"].reparent(nodes["a head"])
    pose = Pose(scene_file.scene, [0.0, 160.0])
    for name, node in nodes.items():
        assert np.isfinite(pose.world(node)).all(), name
        assert np.isfinite(pose.local(node)).all(), name
    assert any("depends on itself" in text for text in pose.problems.values())


@pytest.mark.parametrize("slot", ["node", "controller", "first"])
def test_systems_that_are_none(tmp_path: Path, slot: str) -> None:
    """Slot 0 of a bone's controller may lead anywhere."""
    scene = BipedScene()
    body = scene.rig()
    wrong = {"node": body, "controller": scene.add_transform((1, 2, 3))}.get(slot, 0)
    for name, part in (("one", 10), ("two", 102), ("three", 19)):
        scene.bone(name, wrong, part, parent=body)
    scene.footsteps("steps", wrong, parent=body)
    scene_file, nodes = opened(scene, tmp_path)
    pose = Pose(scene_file.scene, 0)
    for name in ("one", "two", "three", "steps"):
        assert np.array_equal(pose.world(nodes[name]), pose.world(nodes["Bip01"]))
        assert "no system object" in problem(pose, nodes[name])
