"""Flags of street.max, changed as people do it, and what that does to the exported files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.records.meshes import mesh_of
from maxsidecar.nel.serial import read_file
from maxsidecar.scene.records import MeshRecord
from tests.fuzz.bases import load_example

Effect = list[str]


@pytest.fixture(scope="module")
def street(corpus: Path) -> Path:
    (found,) = (corpus / "nel-pairs").rglob("*__street.max")
    return found


def change(street: Path, folder: Path, node: str, **flags: str) -> tuple[Effect, Path]:
    """Change flags, ``__`` for a dot; return what happened, and the folder of the new files."""
    named = {name.replace("__", "."): value for name, value in flags.items()}
    return load_example("nel_flags").effect(street, node, named, folder), folder / "after"


def group(folder: Path) -> Any:
    return read_file(folder / "all.ig").content


def test_do_not_export(street: Path, tmp_path: Path) -> None:
    lines, _ = change(street, tmp_path, "Sphere01", dont_export="true")
    assert lines == ["gone:    sphere01.shape", "left out of shape: Sphere01: DONTEXPORT is set"]


def test_collision(street: Path, tmp_path: Path) -> None:
    lines, out = change(street, tmp_path, "Sphere01", collision__enabled="true")
    assert {"gone:    sphere01.shape", "new:     all.cmb"} <= set(lines)
    assert "Sphere01" not in {instance.name for instance in group(out).instances}
    mesh = read_file(out / "all.cmb").content
    # A sphere of 16 segments: 7 rings between two poles.
    assert len(mesh.vertices) == 7 * 16 + 2
    assert len(mesh.faces) == 2 * 16 * 7
    # Around its own place in the world, with its own radius.
    center = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2
    assert center == pytest.approx([111.588615, -92.90863, 16.679232], abs=1e-3)


def test_exterior_collision(street: Path, tmp_path: Path) -> None:
    flags = {"collision__enabled": "true", "collision__exterior": "true"}
    _, out = change(street, tmp_path, "Sphere01", **flags)
    assert set(read_file(out / "all.cmb").content.faces["surface"]) == {-1}


def test_group(street: Path, tmp_path: Path) -> None:
    lines, out = change(street, tmp_path, "Sphere01", ig_name="Cellar")
    assert "new:     Cellar.ig" in lines
    assert [i.name for i in read_file(out / "Cellar.ig").content.instances] == ["Sphere01"]
    assert len(group(out).instances) == 8


def test_names_of_an_instance(street: Path, tmp_path: Path) -> None:
    flags = {"instance_name": "ball", "instance_shape": "Ball.shape"}
    _, out = change(street, tmp_path, "Sphere02", **flags)
    found = {instance.instance_name: instance.name for instance in group(out).instances}
    assert found["ball"] == "Ball.shape"
    assert found["Sphere01"] == "Sphere01"
    assert len(found) == 9


def test_level_of_detail(street: Path, tmp_path: Path) -> None:
    flags = {"lod__name_count": "1", "lod__name_0": "Sphere02", "lod__dist_max": "50.0"}
    lines, _ = change(street, tmp_path, "Sphere01", **flags)
    assert "gone:    sphere02.shape" in lines
    assert "left out of shape: Sphere02: it is a level of detail of Sphere01" in lines
    assert "changed: sphere01.shape" in lines


def test_distance(street: Path, tmp_path: Path) -> None:
    lines, out = change(street, tmp_path, "Sphere01", lod__dist_max="350.0")
    assert lines[0] == "changed: sphere01.shape"
    assert read_file(out / "sphere01.shape").content.base.dist_max == 350.0


def test_progressive_detail(street: Path, tmp_path: Path) -> None:
    lines, out = change(street, tmp_path, "Sphere01", lod__mrm="true")
    assert lines[0] == "changed: sphere01.shape"
    shape = read_file(out / "sphere01.shape").content
    assert type(shape).__name__ == "CMeshMRM"
    assert len(shape.geom.lods) == 11
    plain = mesh_of(read_file(tmp_path / "before" / "sphere01.shape").content, [])
    finest = mesh_of(shape, [])
    assert corners(finest) == corners(plain)


def corners(mesh: MeshRecord) -> set[frozenset[tuple[float, ...]]]:
    """Return the triangles of a mesh as sets of points."""
    triangles = np.concatenate([part.triangles for part in mesh.parts])
    points = [tuple(point) for point in mesh.positions.tolist()]
    return {frozenset(points[vertex] for vertex in face) for face in triangles.tolist()}


def test_several_distances(street: Path, tmp_path: Path) -> None:
    flags = {"lod__name_count": "1", "lod__name_0": "Sphere02"}
    _, out = change(street, tmp_path, "Sphere01", **flags)
    shape = read_file(out / "sphere01.shape").content
    assert type(shape).__name__ == "CMeshMultiLod"
    assert len(shape.slots) == 2


def test_coarse_mesh(street: Path, tmp_path: Path) -> None:
    flags = {"lod__name_count": "1", "lod__name_0": "Portal01"}
    example = load_example("nel_flags")
    first = tmp_path / "first"
    example.effect(street, "Portal01", {"lod.coarse_mesh": "true"}, first)
    scene = first / "changed.max"
    named = {name.replace("__", "."): value for name, value in flags.items()}
    example.effect(scene, "Sphere01", named, tmp_path / "second")
    out = tmp_path / "second" / "after"
    assert (out / "shape_with_coarse_mesh" / "sphere01.shape").is_file()
    assert not (out / "sphere01.shape").exists()


def test_remanence(street: Path, tmp_path: Path) -> None:
    """A ball has no curve, and the reason says what a trail needs."""
    lines, _ = change(street, tmp_path, "Sphere01", remanence__enabled="true")
    assert lines == [
        "gone:    sphere01.shape",
        "left out of shape: Sphere01: a trail needs a curve",
    ]


def test_cluster_flags(street: Path, tmp_path: Path) -> None:
    flags = {"accelerator__father_visible": "true", "accelerator__visible_from_father": "false"}
    _, out = change(street, tmp_path, "cluster02", **flags)
    rooms = {
        room.name: (room.father_visible, room.visible_from_father) for room in group(out).clusters
    }
    assert rooms.pop("cluster02") == (True, False)
    assert set(rooms.values()) == {(False, True)}


def test_a_cluster_that_is_none(street: Path, tmp_path: Path) -> None:
    flags = {"accelerator__type": "none", "accelerator__visible_from_father": "false"}
    lines, out = change(street, tmp_path, "cluster01", **flags)
    assert "new:     cluster01.shape" in lines
    assert "no longer left out of shape: cluster01" in lines
    made = group(out)
    assert [room.name for room in made.clusters] == ["cluster02", "cluster03", "cluster04"]
    assert "cluster01" in {instance.name for instance in made.instances}


def test_a_mesh_that_becomes_a_cluster(street: Path, tmp_path: Path) -> None:
    lines, out = change(street, tmp_path, "Sphere01", accelerator__type="cluster")
    assert "gone:    sphere01.shape" in lines
    assert [room.name for room in group(out).clusters][-1] == "Sphere01"


def test_a_portal_that_opens_and_closes(street: Path, tmp_path: Path) -> None:
    flags = {"accelerator__dynamic_portal": "true", "instance_name": "gate"}
    _, out = change(street, tmp_path, "Portal02", **flags)
    assert [portal.name for portal in group(out).portals] == ["", "gate", "", ""]


def test_camera_collision(street: Path, tmp_path: Path) -> None:
    _, out = change(street, tmp_path, "Sphere01", camera_collision="force_and_hide")
    visible = {instance.name: instance.visible for instance in group(out).instances}
    assert not visible.pop("Sphere01")
    assert all(visible.values())


def test_vegetable(street: Path, tmp_path: Path) -> None:
    """The spheres have no mapping, and the reason says what a vegetable needs."""
    lines, _ = change(street, tmp_path, "Sphere01", vegetable__enabled="true")
    assert lines == ["left out of veget: Sphere01: a vegetable needs texture coordinates"]


def test_weights(street: Path, tmp_path: Path) -> None:
    flags = {"animation__export_weight": "true", "animation__weight": "0.5"}
    lines, out = change(street, tmp_path, "Sphere01", **flags)
    assert lines == ["new:     changed.swt"]
    elements = read_file(out / "changed.swt").content.elements
    assert [(element.name, element.weight) for element in elements] == [
        ("Sphere01.rotquat", 0.5),
        ("Sphere01.pos", 0.5),
        ("Sphere01.scale", 0.5),
    ]
