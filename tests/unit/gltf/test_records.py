"""Neutral records as glTF."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.gltf.records import document_of
from maxsidecar.gltf.write import write
from maxsidecar.scene.records import (
    BoneRecord,
    MaterialRecord,
    MeshRecord,
    ModelRecord,
    MotionRecord,
    PartRecord,
    PlaceRecord,
)
from tests.support.gltf import Gltf

TRIANGLE = np.array([(1, 2, 3), (4, 5, 6), (7, 8, 9)], np.float32)


def mesh(**more: object) -> MeshRecord:
    parts = [PartRecord(np.array([(0, 1, 2)], np.int32))]
    return MeshRecord(positions=TRIANGLE, parts=parts, **more)  # type: ignore[arg-type]


def written(record: ModelRecord, folder: Path) -> Gltf:
    path = folder / "out.gltf"
    write(document_of(record), path)
    return Gltf(path)


def about_z(angle: float) -> npt.NDArray[np.float64]:
    out = np.eye(4)
    out[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return out


def test_z_up_becomes_y_up(tmp_path: Path) -> None:
    half = float(np.sqrt(0.5))
    place = PlaceRecord((1.0, 2.0, 3.0), (0.0, 0.0, half, half), (1.0, 2.0, 4.0))
    found = written(ModelRecord("tree", mesh(place=place)), tmp_path)
    (node,) = found.nodes
    primitive = found.json["meshes"][0]["primitives"][0]
    points = found.accessor(primitive["attributes"]["POSITION"])
    assert points.tolist() == [[1, 3, -2], [4, 6, -5], [7, 9, -8]]
    assert node["translation"] == [1, 3, -2]
    assert node["rotation"] == pytest.approx([0, half, 0, half])
    assert node["scale"] == [1, 4, 2]
    # The point (1, 0, 0) of the game, in its place: scaled, a quarter about z, moved.
    assert found.world(0) @ [1, 0, 0, 1] == pytest.approx([1, 3, -3, 1])


def test_materials(tmp_path: Path) -> None:
    look = MaterialRecord("m", (1.0, 0.5, 0.0, 0.25), ("bark.tga",), True, "mask", 0.25, False)
    found = written(ModelRecord("tree", mesh(materials=[look])), tmp_path)
    (material,) = found.json["materials"]
    color = material["pbrMetallicRoughness"]["baseColorFactor"]
    assert color == pytest.approx([1.0, 0.2140411, 0.0, 0.25], abs=1e-6)
    assert (material["alphaMode"], material["alphaCutoff"]) == ("MASK", 0.25)
    assert material["doubleSided"]
    assert material["extras"]["textures"] == ["bark.tga"]
    assert "KHR_materials_unlit" in material["extensions"]


def bones() -> list[BoneRecord]:
    """A hip at (0, 0, 1), and a knee below it, turned and mirrored."""
    hip = np.eye(4)
    hip[:3, 3] = 0, 0, 1
    knee = hip @ about_z(pi / 3) @ np.diag([1.0, 1.0, -1.0, 1.0])
    knee[:3, 3] += 0, 2, -1
    inverses = np.linalg.inv(np.array([hip, knee])).astype(np.float64)
    return [BoneRecord("hip", -1, inverses[0]), BoneRecord("knee", 0, inverses[1])]


def test_bones_stand_where_they_are_bound(tmp_path: Path) -> None:
    record = ModelRecord("body", mesh(), bones())
    assert record.mesh is not None
    record.mesh.bone_names = ["knee", "tail", "hip"]
    record.mesh.bones = np.array([(0, 2, 0, 0), (2, 0, 0, 0), (1, 0, 0, 0)], np.int32)
    record.mesh.weights = np.array([(0.5, 0.5, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)], np.float32)
    found = written(record, tmp_path)
    skin = found.json["skins"][0]
    matrices = found.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
    for joint, matrix in zip(skin["joints"], matrices, strict=True):
        assert np.allclose(found.world(joint) @ matrix, np.eye(4), atol=1e-6)
    names = [found.nodes[joint]["name"] for joint in skin["joints"]]
    assert names == ["hip", "knee"]
    attributes = found.json["meshes"][0]["primitives"][0]["attributes"]
    assert found.accessor(attributes["JOINTS_0"]).tolist() == [[1, 0, 0, 0], [0] * 4, [0] * 4]
    assert record.notes == ["the skeleton lacks bones of the mesh: tail"]


def test_a_motion_puts_bones_where_it_says(tmp_path: Path) -> None:
    times = np.array([0.5, 1.0, 1.5])
    hip = np.array([about_z(angle) for angle in (0.0, 1.0, 2.0)])
    knee = hip @ np.array([about_z(-angle) for angle in (0.0, 0.5, 3.0)])
    knee[:, :3, 3] += np.array([(0, 0, 1), (0, 1, 1), (5, 0, 1)])
    record = ModelRecord("body", None, bones(), MotionRecord(times, [hip, knee], "kick"))
    found = written(record, tmp_path)
    assert found.json["animations"][0]["name"] == "kick"
    tracks = found.tracks(0)
    up = np.eye(4)
    up[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    (joint,) = found.by_name["knee"]
    for number in range(3):
        poses = {
            node: {
                path: values[min(number, len(values) - 1)] for path, (_, values) in paths.items()
            }
            for node, paths in tracks.items()
        }
        expected = up @ knee[number] @ up.T
        assert np.allclose(found.world(joint, poses), expected, atol=1e-6)
    assert all(len(t) in (1, 3) for paths in tracks.values() for t, _ in paths.values())


def test_times_below_zero_are_moved(tmp_path: Path) -> None:
    steps = np.array([np.eye(4)] * 2)
    steps[1, 0, 3] = 1
    record = ModelRecord("tree", mesh(), [], MotionRecord(np.array([-1.0, 1.0]), [steps]))
    found = written(record, tmp_path)
    times, values = found.tracks(0)[0]["translation"]
    assert times.tolist() == [0.0, 2.0]
    assert values.tolist() == [[0, 0, 0], [1, 0, 0]]


def test_a_skinned_mesh_without_a_skeleton_is_rigid(tmp_path: Path) -> None:
    record = ModelRecord("body", mesh(bone_names=["hip"]))
    assert record.mesh is not None
    record.mesh.bones = np.zeros((3, 4), np.int32)
    record.mesh.weights = np.eye(4, dtype=np.float32)[:3]
    found = written(record, tmp_path)
    assert "skins" not in found.json
    assert record.notes == ["bones move the mesh, and there is no skeleton"]


def test_what_is_bent_or_flat_is_told_and_written(tmp_path: Path) -> None:
    bent = np.eye(4)
    bent[0, 1] = 0.5
    flat = np.diag([1.0, 1.0, 0.0, 1.0])
    record = ModelRecord("odd", None, [BoneRecord("a", -1, bent), BoneRecord("b", 0, flat)])
    found = written(record, tmp_path)
    assert len(found.nodes) == 2
    assert any("stretched along" in note for note in record.notes)


def test_places_that_are_no_numbers_are_told_and_left_out(tmp_path: Path) -> None:
    bad = np.eye(4)
    bad[0, 0] = np.nan
    huge = np.eye(4)
    huge[0, 3] = 1e300
    motion = MotionRecord(np.zeros(1), [bad[None], huge[None]])
    record = ModelRecord("odd", None, bones(), motion)
    found = written(record, tmp_path)
    for paths in found.tracks(0).values():
        for _, values in paths.values():
            assert np.isfinite(values).all()
    assert any("damaged" in note for note in record.notes)


def test_bones_that_become_one_joint_are_joined(tmp_path: Path) -> None:
    bones = np.array([(0, 1, 2, 3), (1, 0, 2, 2), (3, 3, 1, 0)], np.int32)
    weights = np.array([(0.4, 0.3, 0.2, 0.1), (0.5, 0.5, 0, 0), (0.25, 0.25, 0.5, 0)], np.float32)
    skinned = mesh(bones=bones, weights=weights, bone_names=["hip", "gone", "arm", "lost"])
    skeleton = [BoneRecord("hip", -1, np.eye(4)), BoneRecord("arm", 0, np.eye(4))]
    record = ModelRecord("body", skinned, bones=skeleton)
    found = written(record, tmp_path)
    attributes = found.json["meshes"][0]["primitives"][0]["attributes"]
    joints = found.accessor(attributes["JOINTS_0"])
    shares = found.accessor(attributes["WEIGHTS_0"])
    # What no skeleton has becomes its first bone, which a vertex may name once only.
    wanted = [{0: 0.8, 1: 0.2}, {0: 1.0}, {0: 1.0}]
    for row, (numbers, parts) in enumerate(zip(joints.tolist(), shares.tolist(), strict=True)):
        used = [(n, part) for n, part in zip(numbers, parts, strict=True) if part]
        assert len(used) == len(dict(used))
        assert dict(used) == pytest.approx(wanted[row])
    assert "the skeleton lacks bones of the mesh: gone, lost" in record.notes


def test_a_mesh_without_faces_is_told(tmp_path: Path) -> None:
    record = ModelRecord("cloud", MeshRecord(positions=TRIANGLE))
    found = written(record, tmp_path)
    assert "meshes" not in found.json
    assert record.notes == ["the mesh has no faces"]
