"""Seams that meshes share, from scenes made from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.shape import ShapeOptions
from maxsidecar.nel.shape.interfaces import outline
from maxsidecar.scene.geometry.mesh import Mesh
from tests.support.nel_shape_scenes import ShapeScene

QUAD = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)]
FACES = [(0, 1, 2), (0, 2, 3)]


def border_scene(folder: Path) -> None:
    """Write a square of side 2 around (11, 1, 0), in its plane."""
    scene = ShapeScene()
    place = scene.add_transform((10, 0, 0))
    scene.add_node("border", scene.add_mesh(QUAD, FACES), transform=place)
    scene.save(folder / "Seam.max")


def exported(folder: Path, options: ShapeOptions | None = None, **flags: Any) -> Any:
    """Export a slanted triangle whose first two corners are near the border's first two."""
    scene = ShapeScene()
    points = [(0.05, 0, 0.01), (1.95, 0.02, 0), (1, 1, 5)]
    mesh = scene.add_mesh(points, [(0, 1, 2)], smoothing=[1])
    node = scene.add_node("node", mesh, transform=scene.add_transform((10, 0, 0)))
    other = scene.add_mesh([(0, 0, 0), (0, -1, 0), (1, 0, 0)], [(0, 1, 2)], smoothing=[1])
    scene.add_node("other", other, transform=scene.add_transform((10, 0, 0)))
    scene.flag(node, INTERFACE_FILE=r"W:\seams\seam", **flags)
    return scene.exported(folder, options=options)


def test_vertices_near_a_border_go_there(tmp_path: Path) -> None:
    border_scene(tmp_path)
    result = exported(tmp_path, INTERFACE_THRESHOLD="0.1")
    vertices = result.shape.geom.vertex_buffer.vertices
    assert vertices["position"].tolist() == [[0, 0, 0], [2, 0, 0], [1, 1, 5]]
    # Out of the square at its corners, in its plane.
    half = np.sqrt(0.5)
    wanted = np.array([(-half, -half, 0), (half, -half, 0)])
    assert vertices["normal"][:2] == pytest.approx(wanted, abs=1e-6)
    assert result.notes == []


def test_vertices_far_from_a_border_stay(tmp_path: Path) -> None:
    border_scene(tmp_path)
    vertices = exported(tmp_path, INTERFACE_THRESHOLD="0.01").shape.geom.vertex_buffer.vertices
    assert vertices["position"][1] == pytest.approx((1.95, 0.02, 0))


def test_normals_of_the_scene_at_a_border(tmp_path: Path) -> None:
    """At the first corner both meshes meet: the mean of their normals, by area."""
    border_scene(tmp_path)
    result = exported(tmp_path, INTERFACE_THRESHOLD="0.1", INTERFACE_GET_NORMALS_FROM_SCENE=1)
    vertices = result.shape.geom.vertex_buffer.vertices
    points = np.array([(0.05, 0, 0.01), (1.95, 0.02, 0), (1, 1, 5)])
    assert vertices["position"] == pytest.approx(points)
    own = np.cross(points[1] - points[0], points[2] - points[0])
    both = own + np.array([0, 0, 1.0])
    assert vertices["normal"][0] == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
    assert vertices["normal"][1] == pytest.approx(own / np.linalg.norm(own), abs=1e-6)


@pytest.mark.parametrize(
    ("flags", "note"),
    [
        ({"INTERFACE_THRESHOLD": "0.1"}, "seam.max is in none of the folders"),
        ({"INTERFACE_THRESHOLD": "-1"}, "threshold is below 0"),
        ({}, "threshold is below 0"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, flags: dict[str, Any], note: str) -> None:
    (only,) = exported(tmp_path, **flags).notes
    assert note in only


def test_border_in_another_folder(tmp_path: Path) -> None:
    folder = tmp_path / "seams"
    folder.mkdir()
    border_scene(folder)
    options = ShapeOptions(interface_folders=(folder,))
    assert exported(tmp_path, options, INTERFACE_THRESHOLD="0.1").notes == []


def test_damaged_border_is_told(tmp_path: Path) -> None:
    (tmp_path / "seam.max").write_bytes(b"no scene")
    (note,) = exported(tmp_path, INTERFACE_THRESHOLD="0.1").notes
    assert note.startswith("the interface is left out")


def test_outline_goes_around() -> None:
    mesh = Mesh.of_triangles(QUAD, FACES)
    around = outline(mesh)
    start = around.index(0)
    assert around[start:] + around[:start] == [0, 1, 2, 3]
    closed = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    assert outline(Mesh.of_triangles(np.eye(4, 3), closed)) == []
