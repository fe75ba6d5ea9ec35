"""Skeletons and animations of the game, from real bipeds and against real files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.nel.animation.samples import position_track, rotation_track
from maxsidecar.nel.export.registry import Job, Product, Step, process
from maxsidecar.nel.export.skeletons import lods_of
from maxsidecar.nel.export.view import SceneView
from maxsidecar.nel.serial.classes.animation import CAnimation
from maxsidecar.nel.serial.classes.instance_group import CInstance
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.formats import read_bytes, read_file
from maxsidecar.nel.serial.walk import walk
from maxsidecar.nel.shape.placement import signed
from maxsidecar.scene.biped.system import BipedController
from maxsidecar.scene.controllers.rotations import quaternion_to_matrix
from maxsidecar.scene.transform import Pose
from tests.support.biped import angle_between, bind_matrices, read_bone_names, read_clip

FOLDER = "Dx3D-Study"


def product(view: SceneView, name: str) -> Product:
    steps: list[Step] = list(process(name).run(Job(view, "scene")))
    (found,) = [step for step in steps if isinstance(step, Product)]
    return found


def matrix_of(bone: Any) -> np.ndarray[Any, Any]:
    """Return the row-vector matrix of a bone's inverse bind pose."""
    out = np.eye(4)
    out[:3, :3] = np.array(bone.inv_bind_pos.rotation).reshape(3, 3).T
    out[3, :3] = bone.inv_bind_pos.translation
    return out


def test_levels_of_real_skeletons_follow_from_their_bones(corpus: Path) -> None:
    """So do the distances: no bone moves farther away than its father."""
    seen = 0
    for path in sorted((corpus / "nel" / "skel").iterdir()):
        skeleton = read_file(path).content
        bones = skeleton.bones
        made = lods_of(bones)
        assert [lod.distance for lod in made] == [lod.distance for lod in skeleton.lods], path
        for ours, theirs in zip(made, skeleton.lods, strict=True):
            assert np.array_equal(ours.active_bones, theirs.active_bones), path
            seen += len(ours.active_bones)
        for bone in bones:
            limit = bones[bone.father_id].lod_disable_distance if bone.father_id >= 0 else 0.0
            assert not limit or 0.0 < bone.lod_disable_distance <= limit, (path, bone.name)
    assert seen > 1000


def written_by_the_plugin(corpus: Path) -> list[CAnimation]:
    """Return the animations whose bipeds were sampled, as they are here."""
    paths = sorted((corpus / "nel" / "anim").iterdir())
    found = [read_file(path) for path in paths]
    for path, file in zip(paths, found, strict=True):
        assert file.to_bytes() == path.read_bytes(), path
    return [file.content for file in found if file.content.version == 1]


def test_animations_of_the_plugin_are_made_as_here(corpus: Path) -> None:
    """Names, order, kinds, times and ranges of tracks follow from the rules."""
    animations = written_by_the_plugin(corpus)
    assert len(animations) == 3
    for animation in animations:
        assert list(animation.id_by_name) == sorted(animation.id_by_name)
        names = {number: name for name, number in animation.id_by_name.items()}
        order = [names[number] for number in range(len(animation.tracks))]
        assert order[:2] == ["rotquat", "pos"]
        places = [name.removesuffix("pos") for name in order if name.endswith("pos")]
        assert places == ["", "Bip01 Spine.", "Bip01 L Clavicle.", "Bip01 R Clavicle."]
        for start in places:
            assert order.index(f"{start}pos") == order.index(f"{start}rotquat") + 1
        for name, track in zip(order, animation.tracks, strict=True):
            kind = "Vector" if name.endswith("pos") else "Quat"
            assert type(track).__name__ == f"CTrackKeyFramerLinear{kind}"
            keys: Any = track.keys  # type: ignore[union-attr]
            frames = np.arange(len(keys), dtype=np.float64)
            assert np.array_equal(keys["time"], (160 * frames / 4800).astype(np.float32))
            again: Any = (position_track if kind == "Vector" else rotation_track)(
                160 * frames, keys["value"].astype(np.float64)
            )
            # The signs of turns as well.
            assert np.array_equal(again.keys["value"], keys["value"]), name
            for field in ("range_lock", "range_begin", "range_end", "loop_mode"):
                assert getattr(again, field) == getattr(track, field), name


def test_turns_of_real_skeletons_have_the_sign_of_the_matrix(corpus: Path) -> None:
    """Also where w is small: then the largest of the others tells."""
    seen = ties = 0
    for path in sorted((corpus / "nel" / "skel").iterdir()):
        bones = read_file(path).content.bones
        if not bones[0].name.startswith("Bip01"):
            continue  # by another program
        turns = np.array([bone.default_rot_quat for bone in bones[1:]])
        found = signed(turns)
        other = ~np.all(found == turns, axis=1)
        sizes = np.sort(np.abs(turns[other]), axis=1)
        assert np.all(sizes[:, 3] == sizes[:, 2]), path
        seen += len(turns)
        ties += int(other.sum())
    assert (seen, ties) == (1211 + 4, 4)


def test_turns_of_real_shapes_and_groups_have_the_sign_of_the_matrix(corpus: Path) -> None:
    shapes, turned = [], []
    paths = [path for name in ("nel", "nel-pairs") for path in sorted((corpus / name).rglob("*"))]
    for path in paths:
        if path.suffix == ".shape":
            parts = list(walk(read_file(path).root))
            # Other programs leave the distance at -1.
            shapes += [
                part.default_rot_quat
                for part in parts
                if isinstance(part, CMeshBase) and part.dist_max != -1.0
            ]
        # Groups of the landscape were turned by later tools; they have the name of a zone.
        elif path.suffix == ".ig" and not re.search(r"__\d+_[A-Z]{2}\.ig$", path.name):
            parts = list(walk(read_file(path).root))
            found = [part.rot for part in parts if isinstance(part, CInstance)]
            turned += [turn for turn in found if any(turn[:3])]
    for turns, count in ((shapes, 100), (turned, 41)):
        values = np.array(turns)
        assert len(values) == count
        assert np.array_equal(signed(values), values)


@pytest.mark.parametrize("pattern", ["*ani_chop.max", "Media__Walk*.max"])
def test_skeletons_stand_as_meshes_were_bound(corpus: Path, pattern: str) -> None:
    path = next((corpus / "max" / FOLDER).glob(pattern))
    scene_file = maxsidecar.open(path)
    view = SceneView(scene_file)
    found = product(view, "skel")
    skeleton = read_bytes(found.file.to_bytes()).content
    binds = bind_matrices(scene_file)
    compared = 0
    for node, bone in zip(found.nodes, skeleton.bones, strict=True):
        if isinstance(node.controller, BipedController) and node.index in binds:
            if node.controller.role is None:
                continue
            world = np.linalg.inv(matrix_of(bone))
            bound = binds[node.index]
            assert angle_between(world[:3, :3], bound[:3]) < 0.02, node.name
            assert np.abs(world[3, :3] - bound[3]).max() < 1e-3, node.name
            assert bone.unherit_scale
            compared += 1
        if bone.father_id >= 0:
            assert found.nodes[bone.father_id] is node.parent
    assert compared >= 38


@pytest.mark.parametrize("clip", ["chop", "wait", "dead"])
def test_animations_are_the_clips_that_3ds_max_sampled(corpus: Path, clip: str) -> None:
    folder = corpus / "max" / FOLDER
    names = read_bone_names(folder / "3DModel__model__old_bmm.txt")
    scene_file = maxsidecar.open(next(folder.glob(f"*ani_{clip}.max")))
    animation = read_bytes(product(SceneView(scene_file), "anim").file.to_bytes()).content
    sampled = read_clip(folder / f"data__model__{clip}.ani")
    nodes = {node.name: node for node in scene_file.nodes.values()}
    first = Pose(scene_file.scene, 0)
    compared = 0
    for number, name in enumerate(names):
        track_name = "rotquat" if name == "Bip01" else f"{name}.rotquat"
        if track_name not in animation.id_by_name:
            continue
        track = animation.tracks[animation.id_by_name[track_name]]
        dots = np.einsum("ki,ki->k", track.keys["value"][1:], track.keys["value"][:-1])
        assert np.all(dots > 0.0), name
        start = np.array(first.local(nodes[name])[0, :3, :3])
        for frame, (x, y, z, w) in sampled[number].rotations.items():
            if frame >= len(track.keys):
                continue
            assert track.keys["time"][frame] == pytest.approx(frame / 30.0)
            given = quaternion_to_matrix(np.array([[-x, -z, -y, w]]))[0]
            # Signs do not matter: the negative of a quaternion is the same turn.
            ours = quaternion_to_matrix(track.keys["value"][frame : frame + 1].astype(float))[0]
            assert angle_between(start.T @ ours, given) < 0.02, (name, frame)
            compared += 1
    assert compared > 100
    assert {n for n in animation.id_by_name if n.endswith("pos")} == {
        "pos", "Bip01 Spine.pos", "Bip01 L Clavicle.pos", "Bip01 R Clavicle.pos",
    }  # fmt: skip
