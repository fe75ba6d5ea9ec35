"""Skeletons and animations of bipeds made from nothing."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.nel.animation import samples
from maxsidecar.nel.export.animations import export as export_animation
from maxsidecar.nel.export.registry import Failure, Job, LeftOut, Product
from maxsidecar.nel.export.skeletons import export as export_skeleton
from maxsidecar.nel.export.view import SceneView
from maxsidecar.nel.serial.formats import read_bytes
from maxsidecar.scene.authoring_keys import TransformKeys
from maxsidecar.scene.node_records import Scaling
from tests.support.biped_leaves import floats
from tests.support.biped_scene import (
    HEAD,
    PELVIS,
    RIGHT_FINGER_NUBS,
    RIGHT_FINGERS,
    SPINE,
    BipedScene,
    head_keys,
)
from tests.support.nel_scenes import viewed


def notes_of(product: Product) -> dict[str, str]:
    return {
        node.name: "; ".join(product.node_notes[node.index])
        for node in product.nodes
        if product.node_notes.get(node.index)
    }


def animation(view: SceneView) -> tuple[Product, Any]:
    (product,) = [s for s in export_animation(Job(view, "a")) if isinstance(s, Product)]
    return product, read_bytes(product.file.to_bytes()).content


def skeleton(view: SceneView) -> tuple[Product, dict[str, Any]]:
    (product,) = [s for s in export_skeleton(Job(view, "a")) if isinstance(s, Product)]
    bones = read_bytes(product.file.to_bytes()).content.bones
    return product, {bone.name: bone for bone in bones}


def test_frames_from_the_first_to_the_last_key(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig(head_keys(160, 400, 650))
    with viewed(scene, tmp_path) as view:
        product, made = animation(view)
    track = made.tracks[made.id_by_name["rotquat"]]
    # The last half step is dropped.
    assert track.keys["time"].tolist() == pytest.approx([1 / 30, 2 / 30, 3 / 30, 4 / 30])
    assert "Bip01 Twist.rotquat" not in made.id_by_name
    assert {n for n in made.id_by_name if n.endswith("pos")} == {"pos", "Bip01 Spine.pos"}
    # Of what cannot be placed the bone itself says so, in both kinds of file.
    assert list(notes_of(product)) == ["Bip01 Twist"]
    with viewed(scene, tmp_path) as view:
        product, _ = skeleton(view)
    assert "twist" in notes_of(product)["Bip01 Twist"]


def test_long_animations_are_sampled_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = BipedScene()
    turn = floats(0, 0, 0, 0)
    turns = [turn + floats(0, np.sin(a), 0, np.cos(a)) + bytes(20) for a in (0.0, 1.5, 3.0)]
    records = head_keys(0, 320, 960)
    keys = pack("<3i", 3, 0, 0) + b"".join(turns)
    scene.rig({**records, 0x012E: keys, 0x012F: records[0x013F]})
    with viewed(scene, tmp_path) as view:
        _, whole = animation(view)
        monkeypatch.setattr(samples, "_BLOCK", 2)
        _, parts = animation(view)
    assert whole.id_by_name == parts.id_by_name
    for one, other in zip(whole.tracks, parts.tracks, strict=True):
        assert np.array_equal(one.keys["time"], other.keys["time"])
        assert one.keys["value"] == pytest.approx(other.keys["value"], abs=1e-6)
    turns = parts.tracks[parts.id_by_name["rotquat"]].keys["value"]
    assert len(turns) == 7
    assert np.all(np.einsum("ki,ki->k", turns[1:], turns[:-1]) > 0.0)


def test_a_key_that_strayed_far_away(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig(head_keys(0, 320, 2**31 - 1))
    with viewed(scene, tmp_path) as view:
        steps = list(export_animation(Job(view, "a")))
    (failure,) = steps
    assert isinstance(failure, Failure)
    assert "2147483647" in failure.reason
    assert "too far" in failure.reason


def test_bip01_behind_a_node_that_asks_for_its_animation(tmp_path: Path) -> None:
    scene = BipedScene()
    keys = TransformKeys(position={0: (0, 0, 0), 480: (1, 2, 3)}, curve="linear")
    door = scene.add_node("door", scene.add_dummy(1.0), transform=scene.add_transform(keys=keys))
    scene.flag(door, EXPORT_NODE_ANIMATION=1, ANIM_PREFIXE_NAME=1)
    scene.rig(head_keys(0, 320))
    with viewed(scene, tmp_path) as view:
        steps = list(export_animation(Job(view, "a")))
    assert not [step for step in steps if isinstance(step, LeftOut)]
    (product,) = [step for step in steps if isinstance(step, Product)]
    # The script puts Bip01 in front of all others.
    assert product.nodes[0].name == "Bip01"
    assert {"pos", "door.pos", "Bip01 Head.rotquat"} <= set(product.file.content.id_by_name)


def test_mirrored_nubs_are_half_turns(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig(head_keys(0, 320))
    with viewed(scene, tmp_path) as view:
        _, made = animation(view)
        _, bones = skeleton(view)
    track = made.tracks[made.id_by_name["Bip01 R Finger0Nub.rotquat"]]
    # As in real skeletons.
    assert track.keys["value"][0] == pytest.approx([0.0, 0.0, -1.0, 0.0], abs=1e-6)
    assert bones["Bip01 R Finger0Nub"].default_rot_quat == pytest.approx(
        [0.0, 0.0, -1.0, 0.0], abs=1e-6
    )


def test_a_place_that_is_no_number_is_told_in_both_files(tmp_path: Path) -> None:
    scene = BipedScene()
    half = np.zeros(110, "<f4")
    half[[5, 31, 49]] = 1.0
    broken = half.copy()
    broken[54] = np.nan
    scene.rig({0x006A: broken.tobytes() + half.tobytes(), **head_keys(0, 320)})
    with viewed(scene, tmp_path) as view:
        product, made = animation(view)
        assert "no finite number" in notes_of(product)["Bip01 R Finger01"]
        assert "Bip01 Head.rotquat" in made.id_by_name
        product, bones = skeleton(view)
        assert "no finite number" in notes_of(product)["Bip01 R Finger01"]
        assert "Bip01 Head" in bones


def test_bind_poses_are_those_of_reference_bones(tmp_path: Path) -> None:
    """The scale of a bone is its own beside that of the reference; its bind pose is the latter's.

    (Real skeletons with such bones: their bind poses are not where their defaults put them.)
    """
    scene = BipedScene()
    system = scene.add_system()
    body = scene.body("Bip01", system)
    head = scene.bone("Bip01 Head", system, HEAD, parent=body)
    scene.flag(head, EXPORT_BONE_SCALE=1, EXPORT_BONE_SCALE_NAME_EXT="_ref")
    other = scene.add_system({0x006C: floats(0, 0, 0, 0, 1.0, 2.0, 3.0, 1.0, 0, 0, 0, 1.0)})
    scene.bone("Bip01 Head_ref", other, HEAD)
    pelvis = scene.bone("Bip01 Pelvis", system, PELVIS, parent=body)
    scene.flag(pelvis, EXPORT_BONE_SCALE=1, EXPORT_BONE_SCALE_NAME_EXT="_gone")
    with viewed(scene, tmp_path) as view:
        product, bones = skeleton(view)
        assert "_gone" in notes_of(product)["Bip01 Pelvis"]
    bind = bones["Bip01 Head"].inv_bind_pos
    rotation = np.array(bind.rotation).reshape(3, 3).T
    world = -np.array(bind.translation) @ np.linalg.inv(rotation)
    # The pelvis of the other one in (1, -3, 2), its head 1 + 2 + 0.5 above.
    assert world == pytest.approx([1.0, -3.0, 5.5], abs=1e-2)


def test_bones_that_are_scaled_to_nothing(tmp_path: Path) -> None:
    scene = BipedScene()
    root = scene.box_node("Bip01", at=(1.0, 2.0, 3.0))
    flat = scene.add_transform((4.0, 0.0, 0.0), scale=(0.0, 1.0, 1.0))
    scene.add_node("flat", scene.add_dummy(1.0), parent=root, transform=flat)
    with viewed(scene, tmp_path) as view:
        product, bones = skeleton(view)
        assert "scaled to nothing" in notes_of(product)["flat"]
    assert bones["flat"].inv_bind_pos.translation == (-5.0, -2.0, -3.0)


def test_a_rig_of_nubs_and_a_finger_without_a_body(tmp_path: Path) -> None:
    """Any node may be Bip01; bones are placed by their system wherever they hang."""
    scene = BipedScene()
    system = scene.add_system(head_keys(0, 320))
    root = scene.box_node("BIP01")
    finger = scene.bone("finger", system, RIGHT_FINGERS, 1, parent=root)
    scene.bone("nub", system, RIGHT_FINGER_NUBS, parent=finger)
    with viewed(scene, tmp_path) as view:
        _, bones = skeleton(view)
    assert bones["nub"].default_pos == pytest.approx([0.2, 0.0, 0.0], abs=1e-6)
    assert [bones[name].unherit_scale for name in ("finger", "nub")] == [False, True]


def test_names_that_several_bones_have(tmp_path: Path) -> None:
    scene = BipedScene()
    system = scene.add_system(head_keys(0, 320))
    body = scene.body("Bip01", system)
    nodes = [scene.bone("same", system, HEAD, parent=body) for _ in range(3)]
    with viewed(scene, tmp_path) as view:
        product, made = animation(view)
        assert "same.rotquat" in made.id_by_name
        assert nodes[0] not in product.node_notes
        for node in nodes[1:]:
            assert "another node has a track" in product.node_notes[node][0]
        product, bones = skeleton(view)
        assert set(bones) == {"Bip01", "same", "same_Second"}
        first, second, third = ("; ".join(product.node_notes[node]) for node in nodes)
    assert first == ""
    assert "'same_Second'" in second
    assert "is taken, too" in third


def test_places_below_scaled_bones(tmp_path: Path) -> None:
    """The game multiplies them by the father's scale, in skeletons and animations."""
    scene = BipedScene()
    system = scene.add_system(head_keys(0, 320))
    body = scene.body("Bip01", system)
    head = scene.bone("Bip01 Head", system, HEAD, parent=body)
    scene.flag(head, EXPORT_BONE_SCALE=1, EXPORT_BONE_SCALE_NAME_EXT="_ref")
    scene.bone("Bip01 Head_ref", system, HEAD)
    scene.bone("Bip01 Spine", system, SPINE, parent=head)
    (tmp_path / "rig.max").write_bytes(scene.to_bytes())
    with maxsidecar.open(tmp_path / "rig.max") as scene_file:
        view = SceneView(scene_file)
        plain = skeleton(view)[1]["Bip01 Spine"]
        node = scene_file.nodes[head]
        node.offset_scale = Scaling(
            x=2.0, y=4.0, z=5.0, axis_x=0.0, axis_y=0.0, axis_z=0.0, axis_w=1.0
        )
        view = SceneView(scene_file)
        _, bones = skeleton(view)
        _, made = animation(view)
    assert bones["Bip01 Head"].default_scale == (2.0, 4.0, 5.0)
    expected = np.array(plain.default_pos) / [2.0, 4.0, 5.0]
    assert np.abs(expected).max() > 1.0
    assert bones["Bip01 Spine"].default_pos == pytest.approx(expected, abs=1e-6)
    track = made.tracks[made.id_by_name["Bip01 Spine.pos"]]
    assert track.keys["value"][0] == pytest.approx(expected, abs=1e-6)
