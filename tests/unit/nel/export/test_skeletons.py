"""Skeletons and animations of nodes without a biped; ``Bip01`` may be any node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.export.animations import export as export_animation
from maxsidecar.nel.export.automatic import automatic_animations
from maxsidecar.nel.export.registry import AUTOMATIC, Failure, Job, LeftOut, Product
from maxsidecar.nel.export.skeletons import export, lods_of
from maxsidecar.nel.serial.classes.skeleton import CBoneBase
from maxsidecar.nel.serial.formats import read_bytes
from maxsidecar.scene.authoring_chunks import NewClass
from maxsidecar.scene.authoring_keys import TransformKeys, bezier_float_keys
from maxsidecar.scene.authoring_objects import BEZIER_FLOAT, PARAM_BLOCK
from maxsidecar.scene.authoring_parameters import old_block, old_float
from tests.support.biped_scene import BipedScene, head_keys
from tests.support.nel_scenes import GameScene, viewed


def rig() -> GameScene:
    scene = GameScene()
    root = scene.box_node("bip01", at=(1.0, 2.0, 3.0))
    arm = scene.box_node("arm", at=(0.0, 0.0, 2.0), parent=root, BONE_LOD_DISTANCE=10)
    scene.box_node("hand", at=(5.0, 0.0, 0.0), parent=arm, BONE_LOD_DISTANCE=40)
    scene.box_node("hand", at=(-5.0, 0.0, 0.0), parent=arm)
    scene.box_node("leg", parent=root, euler=(0.0, 0.0, np.pi / 2))
    scene.box_node("elsewhere")
    return scene


def test_bones_follow_the_tree(tmp_path: Path) -> None:
    with viewed(rig(), tmp_path) as view:
        steps = list(export(Job(view, "Gnu")))
    assert [step.node.name for step in steps if isinstance(step, LeftOut)] == ["elsewhere"]
    (product,) = [step for step in steps if isinstance(step, Product)]
    assert (product.name, product.suffix, product.lower) == ("Gnu", ".skel", False)
    skeleton = read_bytes(product.file.to_bytes()).content
    bones = {bone.name: bone for bone in skeleton.bones}
    assert list(bones) == ["bip01", "arm", "hand", "hand_Second", "leg"]
    assert [bone.father_id for bone in skeleton.bones] == [-1, 0, 1, 1, 0]
    assert skeleton.bone_map == {"arm": 1, "bip01": 0, "hand": 2, "hand_Second": 3, "leg": 4}
    # The root stands in the origin; all others below their father.
    assert bones["bip01"].default_pos == (0.0, 0.0, 0.0)
    assert bones["hand"].default_pos == (5.0, 0.0, 0.0)
    half = np.sqrt(0.5)
    assert np.abs(bones["leg"].default_rot_quat) == pytest.approx([0.0, 0.0, half, half])
    # The bind pose is that of the world: (1, 2, 3) + (0, 0, 2) + (5, 0, 0).
    assert bones["hand"].inv_bind_pos.translation == (-6.0, -2.0, -5.0)
    assert bones["arm"].unherit_scale is False
    # No bone moves farther away than its father.
    assert [bone.lod_disable_distance for bone in skeleton.bones] == [0.0, 10.0, 10.0, 10.0, 0.0]
    assert [lod.distance for lod in skeleton.lods] == [0.0, 10.0]
    assert skeleton.lods[1].active_bones.tolist() == [255, 0, 0, 0, 255]


def bones_of(scene: GameScene, folder: Path) -> dict[str, CBoneBase]:
    with viewed(scene, folder) as view:
        (product,) = [step for step in export(Job(view, "a")) if isinstance(step, Product)]
    return {bone.name: bone for bone in read_bytes(product.file.to_bytes()).content.bones}


def test_what_does_not_take_its_fathers_scale(tmp_path: Path) -> None:
    """Any of the three bits keeps it away; the scale is that of the world then."""
    scene = GameScene()
    place = scene.add_transform((1.0, 0.0, 0.0), scale=(2.0, 2.0, 2.0))
    root = scene.add_node("Bip01", scene.add_dummy(1.0), transform=place)
    for name, bits in (("takes", 0), ("one", 0x40), ("all", 0x1C0), ("turns", 0x3F)):
        place = scene.add_transform((1.0, 0.0, 0.0), scale=(3.0, 1.0, 1.0))
        rest = [c for c in scene._objects[place].chunks if c[0] not in (0x7230, 0x7231)]
        word = bits.to_bytes(4, "little")
        scene._objects[place].chunks = [*rest, (0x7230, word), (0x7231, word)]
        scene.add_node(name, scene.add_dummy(1.0), parent=root, transform=place)
    bones = bones_of(scene, tmp_path)
    assert {name: bone.unherit_scale for name, bone in bones.items()} == {
        "Bip01": False, "takes": False, "one": True, "all": True, "turns": False,
    }  # fmt: skip
    # The root stands in the origin without a turn, and keeps its scale.
    assert bones["Bip01"].default_scale == (2.0, 2.0, 2.0)
    assert bones["Bip01"].default_pos == (0.0, 0.0, 0.0)
    assert bones["Bip01"].default_rot_quat == (0.0, 0.0, 0.0, 1.0)
    assert bones["takes"].default_scale == pytest.approx((3.0, 1.0, 1.0))
    assert bones["all"].default_scale == pytest.approx((3.0, 1.0, 1.0))


def test_bind_poses_of_reference_bones(tmp_path: Path) -> None:
    """Also of nodes that are no biped, whose scale stays their own."""
    scene = GameScene()
    root = scene.box_node("Bip01")
    flags: dict[str, Any] = {"EXPORT_BONE_SCALE": 1, "EXPORT_BONE_SCALE_NAME_EXT": "_ref"}
    scene.box_node("arm", at=(1.0, 0.0, 0.0), parent=root, **flags)
    scene.box_node("leg", at=(1.0, 0.0, 0.0), parent=root, EXPORT_BONE_SCALE_NAME_EXT="_ref")
    for name in ("arm_ref", "leg_ref"):
        scene.box_node(name, at=(7.0, 8.0, 9.0))
    bones = bones_of(scene, tmp_path)
    assert bones["arm"].inv_bind_pos.translation == (-7.0, -8.0, -9.0)
    assert bones["arm"].default_pos == (1.0, 0.0, 0.0)
    assert bones["arm"].default_scale == (1.0, 1.0, 1.0)
    assert bones["leg"].inv_bind_pos.translation == (-1.0, 0.0, 0.0)


def test_what_hangs_on_bipeds_does_not_take_their_scale(tmp_path: Path) -> None:
    """Nodes of any kind; only their father counts."""
    scene = BipedScene()
    body = scene.rig(head_keys(0, 320))
    sword = scene.box_node("sword", parent=body)
    scene.box_node("gem", parent=sword)
    bones = bones_of(scene, tmp_path)
    assert bones["sword"].unherit_scale
    assert not bones["gem"].unherit_scale


def test_names_get_an_ending_once(tmp_path: Path) -> None:
    """A third bone of a name has the ending as well; who asks for it finds the last one."""
    scene = GameScene()
    root = scene.box_node("Bip01")
    for _ in range(4):
        scene.box_node("same", parent=root)
    scene.box_node("same_Second", parent=root)
    with viewed(scene, tmp_path) as view:
        (product,) = [step for step in export(Job(view, "a")) if isinstance(step, Product)]
    skeleton: Any = read_bytes(product.file.to_bytes()).content
    assert [bone.name for bone in skeleton.bones] == ["Bip01", "same", *["same_Second"] * 4]
    assert skeleton.bone_map == {"Bip01": 0, "same": 1, "same_Second": 5}


def test_levels_of_detail() -> None:
    bones = [CBoneBase(lod_disable_distance=d) for d in (0.0, 4.0, 10.0)]
    levels = lods_of(bones)
    assert [level.distance for level in levels] == [0.0, 4.0, 10.0]
    assert [level.active_bones.tolist() for level in levels] == [
        [255, 255, 255], [255, 0, 255], [255, 0, 0],
    ]  # fmt: skip


def test_a_scene_without_a_root(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("box")
    with viewed(scene, tmp_path) as view:
        assert [type(step) for step in export(Job(view, "scene"))] == [LeftOut]
        assert [type(step) for step in export_animation(Job(view, "scene"))] == [LeftOut]


def moving(name: str, scene: GameScene, parent: int | None = None, **flags: object) -> int:
    keys = TransformKeys(position={0: (0, 0, 0), 480: (1, 2, 3)}, curve="linear")
    place = scene.add_transform(keys=keys)
    node = scene.add_node(name, scene.add_dummy(1.0), parent=parent, transform=place)
    return scene.flag(node, **flags)


def test_keys_become_tracks(tmp_path: Path) -> None:
    scene = GameScene()
    root = moving("Bip01", scene)
    moving("arm", scene, root)
    moving("door", scene, EXPORT_NODE_ANIMATION=1, ANIM_PREFIXE_NAME=1)
    moving("still", scene, EXPORT_NODE_ANIMATION=0)
    with viewed(scene, tmp_path) as view:
        steps = list(export_animation(Job(view, "walk")))
    assert [step.node.name for step in steps if isinstance(step, LeftOut)] == ["still"]
    (product,) = [step for step in steps if isinstance(step, Product)]
    animation = read_bytes(product.file.to_bytes()).content
    assert set(animation.id_by_name) == {"pos", "arm.pos", "door.pos"}
    track = animation.tracks[animation.id_by_name["door.pos"]]
    assert track.keys["time"].tolist() == pytest.approx([0.0, 0.1])
    assert track.keys["value"].tolist() == [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    assert (track.range_begin, track.range_end) == pytest.approx((0.0, 0.1))
    assert not track.loop_mode


def test_nothing_that_moves_is_told(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Bip01")
    with viewed(scene, tmp_path) as view:
        (step,) = export_animation(Job(view, "scene"))
    assert isinstance(step, Failure)
    assert "keys" in step.reason


def test_shapes_that_play_by_themselves(tmp_path: Path) -> None:
    scene = GameScene()
    moving("Mill", scene, AUTOMATIC_ANIMATION=2)
    moving("off", scene, AUTOMATIC_ANIMATION=0)
    moving("hidden", scene, AUTOMATIC_ANIMATION=1, DONTEXPORT=1)
    scene.box_node("still", AUTOMATIC_ANIMATION=1)
    with viewed(scene, tmp_path) as view:
        steps = list(automatic_animations(Job(view, "scene")))
    product, failure = steps
    assert isinstance(product, Product)
    assert (product.name, product.suffix, product.folder) == ("Mill", ".anim", AUTOMATIC)
    assert list(product.file.content.id_by_name) == ["pos"]
    assert isinstance(failure, Failure)
    assert "nothing moves" in failure.reason


FREE_CAMERA = NewClass("Camera", 0x1001, 0, 0x20)


def test_angles_of_view_have_tracks(tmp_path: Path) -> None:
    scene = GameScene()
    keys = scene.add_object(BEZIER_FLOAT, bezier_float_keys({0: 0.5, 480: 1.25}, "linear"), {})
    others = (old_float(value) for value in (160.0, 1.0, 1000.0, 0.0, 1000.0))
    # A number with a controller is an empty chunk.
    values = old_block(1, (0x0200, b"", True), *others)
    camera = scene.add_object(FREE_CAMERA, (), [scene.add_object(PARAM_BLOCK, values, [keys])])
    node = scene.add_node("eye", camera, transform=scene.add_transform())
    scene.flag(node, EXPORT_NODE_ANIMATION=1)
    with viewed(scene, tmp_path) as view:
        steps = list(export_animation(Job(view, "scene")))
    (product,) = steps
    assert isinstance(product, Product)
    animation = read_bytes(product.file.to_bytes()).content
    assert list(animation.id_by_name) == ["fov"]
    assert animation.tracks[0].keys["value"].tolist() == pytest.approx([0.5, 1.25])
    assert animation.tracks[0].keys["time"].tolist() == pytest.approx([0.0, 0.1])


def test_doubts_about_what_hangs_on_a_shape_that_plays_by_itself(tmp_path: Path) -> None:
    scene = GameScene()
    mill = moving("Mill", scene, AUTOMATIC_ANIMATION=1)
    moving("wing", scene, mill, EXPORT_SSS_TRACK=1)
    with viewed(scene, tmp_path) as view:
        (product,) = automatic_animations(Job(view, "scene"))
    assert isinstance(product, Product)
    assert any("wing: EXPORT_SSS_TRACK is set" in note for note in product.notes)
