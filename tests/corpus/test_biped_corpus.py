"""Bipeds of real scenes: figure, keys and in-betweens against what 3ds Max stored beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.biped.edit import set_key_times
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.system import BipedBody, BipedController, BipedSystem
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import PRS
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.controllers.rotations import quaternion_to_matrix
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.transform import Pose
from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import apply_file, extract_file
from tests.support.biped import angle_between, bind_matrices, read_bone_names, read_clip

FRAME = 160
#: The rule that a rig's head is this part of its height.
HEAD = 0.113253


@pytest.fixture(scope="module")
def biped_scenes(corpus_files: tuple[Path, ...]) -> list[MaxFile]:
    """Every scene with a biped."""
    found = []
    for path in corpus_files:
        scene_file = maxsidecar.open(path)
        if any(isinstance(item, BipedSystem) for item in scene_file.scene):
            found.append(scene_file)
    assert len(found) >= 10
    return found


def test_figure_poses_are_those_that_meshes_were_bound_in(biped_scenes: list[MaxFile]) -> None:
    compared = 0
    for scene_file in biped_scenes:
        binds = bind_matrices(scene_file)
        for node in scene_file.nodes.values():
            controller = node.controller
            if not isinstance(controller, BipedController) or node.index not in binds:
                continue
            system, role = controller.system, controller.role
            assert role is not None
            assert system is not None
            rig = system.rig
            bones = bones_of(rig.structure, figure_posture(rig.structure, rig.sets.live))
            bound, bone = binds[node.index], bones[role]
            height = rig.structure.head_length / HEAD
            assert np.abs(bone.place[0] - bound[3]).max() < 1e-6 * height, (scene_file, node.name)
            assert angle_between(bone.turn[0], bound[:3].T) < 0.02, (scene_file, node.name)
            compared += 1
    assert compared > 400


def test_clips_that_3ds_max_sampled(corpus: Path) -> None:
    """44 bones of three clips; text precision is the limit (and one neck: 0.013 degrees)."""
    folder = corpus / "max" / "Dx3D-Study"
    names = read_bone_names(folder / "3DModel__model__old_bmm.txt")
    assert len(names) == 44
    # 3ds Max swaps y and z.
    swap = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    keys = 0
    for clip in ("chop", "wait", "dead"):
        scene_file = maxsidecar.open(next(folder.glob(f"*ani_{clip}.max")))
        nodes = {node.name: node for node in scene_file.nodes.values()}
        frames = np.arange(34)
        pose = Pose(scene_file.scene, frames * FRAME)
        sampled = read_clip(folder / f"data__model__{clip}.ani")
        for number, name in enumerate(names):
            node = nodes[name]
            controller = node.controller
            if not isinstance(controller, BipedController):
                continue
            system = controller.system
            assert system is not None
            height = system.rig.structure.head_length / HEAD
            local = pose.full(pose.local(node))
            for frame, position in sampled[number].positions.items():
                if frame < len(frames):
                    away = np.abs(swap @ local[frame, 3, :3] - position).max()
                    assert away < 1e-4 * height, (clip, name, frame)
                    keys += 1
            for frame, (x, y, z, w) in sampled[number].rotations.items():
                if frame < len(frames):
                    given = quaternion_to_matrix(np.array([[-x, -z, -y, w]]))[0]
                    # Row vectors: the first frame's inverse, then this frame.
                    ours = local[0, :3, :3].T @ local[frame, :3, :3]
                    assert angle_between(ours, given) < 0.02, (clip, name, frame)
                    keys += 1
    assert keys > 1200


def test_footsteps_in_clips_that_3ds_max_sampled(corpus: Path) -> None:
    """Upright, under the centre of mass, at the height that the lower foot had a frame before.

    3ds Max asks for the legs after the footsteps; the first frame had seen the pose of another.
    """
    folder = corpus / "max" / "Dx3D-Study"
    swap = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    frames = np.arange(34)
    compared = 0
    for clip in ("chop", "wait", "dead"):
        scene_file = maxsidecar.open(next(folder.glob(f"*ani_{clip}.max")))
        nodes = {node.name: node for node in scene_file.nodes.values()}
        pose = Pose(scene_file.scene, frames * FRAME)
        body = pose.full(pose.world(nodes["Bip01"]))
        steps = pose.full(pose.world(nodes["Bip01 Footsteps"]))
        assert np.array_equal(steps[:, :3, :3], np.broadcast_to(np.eye(3), (34, 3, 3)))
        # Bone 1 of the list is that of the footsteps.
        for frame, position in read_clip(folder / f"data__model__{clip}.ani")[1].positions.items():
            world = np.append(swap @ position, 1.0) @ body[frame]
            assert np.abs(world[:2] - steps[frame, 3, :2]).max() < 1e-4, (clip, frame)
            if frame > 1:
                assert abs(world[2] - steps[frame - 1, 3, 2]) < 1e-4, (clip, frame)
                compared += 1
    assert compared >= 30


def test_feet_are_where_their_keys_say(biped_scenes: list[MaxFile]) -> None:
    """Keys of limbs store where the ankle is; that of the pelvis' roll before release 8 too."""
    compared = 0
    for scene_file in biped_scenes:
        for system in scene_file.scene:
            if not isinstance(system, BipedSystem):
                continue
            rig = system.rig
            structure = rig.structure
            if structure.layout.ids != "5":
                continue  # later clips store places of other revisions: docs/format/biped.md
            for side, name in enumerate(("right leg", "left leg")):
                track = rig.tracks.get(name)
                if track is None:
                    continue
                posture = posture_at(
                    structure, rig.sets.live, rig.sets.common, rig.tracks, track.times
                )
                foot = bones_of(structure, posture)[Role("leg", side, structure.leg_links - 1)]
                at = 15 + structure.leg_shift
                stored = track.records[:, at : at + 3][:, [0, 2, 1]] * [1.0, -1.0, 1.0]
                away = np.abs(foot.place - stored).max(axis=1)
                height = structure.head_length / HEAD
                assert np.median(away) < 1e-7 * height
                assert away.max() < 2e-7 * height
                compared += len(away)
    assert compared > 30


def test_every_record_of_a_biped_encodes_to_its_bytes(biped_scenes: list[MaxFile]) -> None:
    records = 0
    for scene_file in biped_scenes:
        for item in scene_file.scene:
            if not isinstance(item, BipedSystem | BipedController):
                continue
            typed = {(chunk.id, len(chunk.data)) for chunk, _, _ in item.typed_leaves()}
            assert {(c.id, len(c.data)) for c in item.chunks()} <= typed, item
            for chunk, name, codec in item.typed_leaves():
                data = bytes(chunk.data)
                assert codec.encode(codec.decode(data)) == data, (item, name)
                records += 1
    assert records > 10_000


def test_a_rig_below_another_node_is_carried_whole(corpus: Path) -> None:
    path = next((corpus / "max" / "Dx3D-Study").glob("*ani_wait.max"))
    scene_file = maxsidecar.open(path)
    before = Pose(scene_file.scene, 320)
    body = next(n for n in scene_file.nodes.values() if isinstance(n.controller, BipedBody))
    bones = [n for n in scene_file.nodes.values() if isinstance(n.controller, BipedController)]
    bones = [n for n in bones if n.controller.role is not None]  # type: ignore[union-attr]
    relative = {n.index: before.world(n) @ np.linalg.inv(before.world(body)) for n in bones}
    carrier = next(
        n
        for n in scene_file.nodes.values()
        if isinstance(n.controller, PRS) and n.parent is scene_file.nodes.root
    )
    body.reparent(carrier)
    after = Pose(scene_file.scene, 320)
    # Never linked by 3ds Max, so the stored link is the identity: it stands below its carrier as
    # it stands in the world now.
    system = body.controller.system  # type: ignore[union-attr]
    rows = np.frombuffer(bytes(system.rig.sets.common[0x0104].data), "<f4").reshape(4, 4)
    place = np.array([rows[3, 0], -rows[3, 2], rows[3, 1], 1.0])
    expected = place @ after.full(after.world(carrier))
    assert np.abs(after.full(after.world(body))[3] - expected).max() < 1e-4
    for node in bones:
        found = after.world(node) @ np.linalg.inv(after.world(body))
        assert np.abs(found - relative[node.index]).max() < 1e-9


def test_keys_are_moved_by_the_sidecar(corpus: Path, tmp_path: Path) -> None:
    real = next((corpus / "max" / "Dx3D-Study").glob("*ani_wait.max"))
    scene = tmp_path / "wait.max"
    scene.write_bytes(real.read_bytes())
    sidecar = extract_file(scene, options=Options(include=frozenset({"biped"}))).path
    text = sidecar.read_text(encoding="utf-8")
    head = "[node.Bip01.biped.keys.pelvis]\n"
    before = text.index(head)
    edited = text[:before] + text[before:].replace("times = [0, 160]", "times = [0, 320]", 1)
    assert edited != text
    sidecar.write_text(edited, encoding="utf-8")
    apply_file(sidecar)
    with maxsidecar.open(scene) as changed, maxsidecar.open(real) as original:
        system = next(s for s in changed.scene if isinstance(s, BipedSystem))
        assert system.rig.tracks["pelvis"].times.tolist() == [0.0, 320.0]
        twin = original.scene[system.index]
        different = [
            (ours.id, bytes(ours.data) != bytes(theirs.data))
            for ours, theirs in zip(system.chunks(), twin.chunks(), strict=True)
        ]
        assert [number for number, other in different if other] == [0x0133]
        others = (item for item in changed.scene if item.index != system.index)
        assert all(bytes(i.data.data) == bytes(original.scene[i.index].data.data) for i in others)
    kept = sidecar.read_text(encoding="utf-8")
    sidecar.write_text(kept.replace("times = [0, 320]", "times = [160, 0]"), encoding="utf-8")
    plan, _ = apply_file(sidecar)
    assert not plan.ok
    assert "times must ascend" in str(plan.problems[0])
    # Editing back gives the scene that was there.
    back = kept[:before] + kept[before:].replace("times = [0, 320]", "times = [0, 160]", 1)
    sidecar.write_text(back, encoding="utf-8")
    plan, _ = apply_file(sidecar)
    assert plan.ok
    assert scene.read_bytes() == real.read_bytes()
    # What the scene has changed since is not written over.
    with maxsidecar.open(scene) as changed:
        system = next(s for s in changed.scene if isinstance(s, BipedSystem))
        set_key_times(system, "pelvis", [0, 480])
        changed.save(scene)
    there = scene.read_bytes()
    sidecar.write_text(
        back[:before] + back[before:].replace("times = [0, 160]", "times = [0, 640]", 1),
        encoding="utf-8",
    )
    plan, _ = apply_file(sidecar)
    assert not plan.ok
    assert [conflict.path for conflict in plan.conflicts]
    assert scene.read_bytes() == there


def test_what_hangs_on_bones_follows_them(biped_scenes: list[MaxFile]) -> None:
    """Plain nodes below a bone are where their controllers say, as when meshes were bound.

    Two nodes of one rig, in two scenes, were hung on their bones since.
    """
    agree, others = 0, 0
    for scene_file in biped_scenes:
        binds = bind_matrices(scene_file)
        for node in scene_file.nodes.values():
            parent, controller = node.parent, node.controller
            if parent is None or not isinstance(controller, PRS):
                continue
            if not isinstance(parent.controller, BipedController):
                continue
            if node.index not in binds or parent.index not in binds or moves(controller):
                continue
            inner, outer = np.eye(4), np.eye(4)
            inner[:, :3], outer[:, :3] = binds[node.index], binds[parent.index]
            bound = inner @ np.linalg.inv(outer)
            close = np.abs(bound - node.local_matrix(0)).max() < 1e-4
            agree, others = agree + close, others + (not close)
    assert agree >= 5
    assert others <= 4


def moves(controller: Controller) -> bool:
    """Whether any controller below one has more than one key."""
    if isinstance(controller, KeyedController):
        keys = controller.keys
        return keys is not None and len(keys) > 1
    return any(moves(part) for part in controller.parts())
