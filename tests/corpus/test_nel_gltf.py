"""Real files of the game as glTF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.gltf.records import document_of
from maxsidecar.gltf.write import write
from maxsidecar.nel.records.meshes import mesh_of
from maxsidecar.nel.records.models import model_of
from maxsidecar.nel.serial import read_file
from tests.support.gltf import Gltf


def files(corpus: Path, folder: str) -> dict[str, Any]:
    found = {}
    for path in sorted((corpus / "nel" / folder).iterdir()):
        try:
            found[path.name] = read_file(path).content
        except DecodeError:
            continue  # the check of all files says which
    return found


@pytest.fixture(scope="module")
def skeletons(corpus: Path) -> dict[str, Any]:
    return files(corpus, "skel")


def test_bone_matrices_times_their_inverse_bind_pose_are_the_identity(
    skeletons: dict[str, Any], tmp_path: Path
) -> None:
    assert len(skeletons) >= 16
    for name, skeleton in skeletons.items():
        record = model_of(skeleton, name=name)
        write(document_of(record), tmp_path / "out.gltf")
        found = Gltf(tmp_path / "out.gltf")
        up = np.eye(4)
        up[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
        worst = 0.0
        for number, bone in enumerate(record.bones):
            product = found.world(number) @ up @ bone.inverse_bind @ up.T
            worst = max(worst, float(np.abs(product - np.eye(4)).max()))
        assert worst < 1e-5, name
        assert len(found.nodes) == len(skeleton.bones)


def test_every_mesh_is_written(corpus: Path, tmp_path: Path) -> None:
    kinds = set()
    for name, shape in files(corpus, "shape").items():
        if not type(shape).__name__.startswith("CMesh"):
            continue
        kinds.add(type(shape).__name__)
        record = model_of(shape, name=name)
        write(document_of(record), tmp_path / "out.gltf")
        found = Gltf(tmp_path / "out.gltf")
        mesh = record.mesh
        assert mesh is not None
        faces = sum(len(part.triangles) for part in mesh.parts)
        primitives = found.json["meshes"][0]["primitives"]
        counts = [found.json["accessors"][p["indices"]]["count"] for p in primitives]
        assert sum(counts) == 3 * faces, name
        # No vertex lies outside of the box that the game has for the mesh.
        box = (shape.slots[0].geom if hasattr(shape, "slots") else shape.geom).bbox
        used = np.unique(np.concatenate([part.triangles.reshape(-1) for part in mesh.parts]))
        away = np.abs(mesh.positions[used] - np.array(box.center)) - np.array(box.half_size)
        assert away.max() < 1e-3 * max(1.0, *box.half_size), name
    assert kinds == {"CMesh", "CMeshMRMSkinned", "CMeshMultiLod"}


def test_faces_of_the_finest_level_do_not_vanish(corpus: Path) -> None:
    """With the other vertex of those that slide, faces would fall together."""
    shape = next(
        shape
        for shape in files(corpus, "shape").values()
        if type(shape).__name__ == "CMeshMRMSkinned"
    )
    geom = shape.geom
    assert len(geom.lods[-1].geomorphs) > 20

    def flat() -> int:
        mesh = mesh_of(shape, [])
        corners = mesh.positions[np.concatenate([part.triangles for part in mesh.parts])]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return int((np.linalg.norm(normals, axis=1) == 0.0).sum())

    assert flat() == 0
    swapped = geom.lods[-1].geomorphs.copy()
    swapped["start"] = swapped["end"]
    geom.lods[-1].geomorphs = swapped
    assert flat() > 0


def test_a_skinned_mesh_follows_its_skeleton(corpus: Path, tmp_path: Path) -> None:
    """A mesh, its skeleton and its animation of one author."""
    shape = next(v for k, v in files(corpus, "shape").items() if "sphere_bottom" in k)
    skeleton = next(v for k, v in files(corpus, "skel").items() if "sphere_skeleton" in k)
    animation = next(v for k, v in files(corpus, "anim").items() if "sphere_test_02" in k)
    record = model_of(shape, skeleton=skeleton, animation=animation)
    assert record.motion is not None
    assert record.mesh is not None
    write(document_of(record), tmp_path / "out.gltf")
    found = Gltf(tmp_path / "out.gltf")
    tracks = found.tracks(0)
    assert max(len(times) for paths in tracks.values() for times, _ in paths.values()) == len(
        record.motion.times
    )
    skin = found.json["skins"][0]
    assert [found.nodes[joint]["name"] for joint in skin["joints"]] == [
        bone.name for bone in skeleton.bones
    ]


def test_animations_of_characters_move_their_bones(corpus: Path) -> None:
    """An animation of a biped on a biped: all of its tracks but a few are about bones."""
    skeleton = next(v for k, v in files(corpus, "skel").items() if "fy_hom_skel_mid_fat" in k)
    moved = 0
    for name, animation in files(corpus, "anim").items():
        if not any(key.startswith("Bip01") for key in animation.id_by_name):
            continue
        record = model_of(skeleton, name=name, animation=animation)
        assert record.motion is not None, name
        assert all(np.isfinite(matrices).all() for matrices in record.motion.matrices)
        moved += 1
    assert moved >= 7
