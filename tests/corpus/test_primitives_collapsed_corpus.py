"""Primitives against Editable Meshes that are collapsed ones, moved and turned at most."""

from __future__ import annotations

from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.primitives.arithmetic import X87
from maxsidecar.scene.geometry.primitives.box import BOX, build_box
from maxsidecar.scene.geometry.primitives.geosphere import GEOSPHERE, build_geosphere
from maxsidecar.scene.geometry.primitives.hedra import build_hedra
from maxsidecar.scene.geometry.primitives.plane import PLANE, build_plane
from maxsidecar.scene.geometry.primitives.polygon_forms import polygon_form
from maxsidecar.scene.geometry.primitives.sphere import build_sphere
from maxsidecar.scene.geometry.primitives.tube import build_tube

Array = npt.NDArray[Any]


def collapsed(path: Path, name: str) -> Mesh:
    """Return the stored mesh of a node, below its modifiers."""
    scene_file = maxsidecar.open(path)
    obj = scene_file.nodes.find(name)[0].base_object
    assert obj is not None
    geometry = Evaluator(scene_file.scene).object(obj).geometry
    assert isinstance(geometry, Mesh)
    return geometry


def rigid_gap(points: Array, others: Array) -> float:
    """Return the largest distance after the best move and turn of points onto others."""
    a, b = (part.astype(np.float64) for part in (points, others))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    u, _, v = np.linalg.svd(a.T @ b)
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v
    return float(np.abs(a @ turn - b).max())


TWINS: dict[str, tuple[str, str, Mesh]] = {
    "box": (
        "max/pxMaxScript/MorphSliders__test01.max",
        "Box01",
        polygon_form(BOX, build_box((1.0, 1.0, 1.0), (2, 2, 1), mapped=True)),
    ),
    "plane": (
        "max/pxMaxScript/proSymmetryTools__test__testSymmFix01.max",
        "Plane001",
        polygon_form(PLANE, build_plane((1.0, 1.0), (11, 11), mapped=True)),
    ),
    "tube": (
        "nel-pairs/mtp-target/52131831__snow_funnel.max",
        "Tube01",
        build_tube((2.0, 1.0), 1.0, (2, 4, 18), mapped=True, arithmetic=X87),
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_faces_and_maps_of_edited_primitives(corpus: Path, name: str) -> None:
    """Their vertices were moved, but not what is made of them."""
    file, node, mesh = TWINS[name]
    stored = collapsed(corpus / file, node)
    assert np.array_equal(mesh.starts, stored.starts)
    assert np.array_equal(mesh.corners, stored.corners)
    assert np.array_equal(mesh.edge_visible, stored.edge_visible)
    assert np.array_equal(mesh.maps[1].corners, stored.maps[1].corners)
    assert np.array_equal(mesh.maps[1].vertices, stored.maps[1].vertices)
    if name != "tube":
        assert np.array_equal(mesh.smoothing, stored.smoothing)
        assert np.array_equal(mesh.material_ids, stored.material_ids)


def test_octahedron_is_a_hedra(corpus: Path) -> None:
    stored = collapsed(corpus / "max" / "Torque3D" / "art__shapes__octahedron.max", "octahedron2")
    mesh = build_hedra(0.5, 0, mapped=True)
    assert np.array_equal(mesh.faces, stored.faces)
    assert np.array_equal(mesh.edge_visible, stored.edge_visible)
    assert np.array_equal(mesh.material_ids, stored.material_ids)
    assert np.abs(mesh.positions - stored.positions).max() < 1e-14
    assert np.array_equal(mesh.maps[1].corners, stored.maps[1].corners)
    assert np.abs(mesh.maps[1].vertices - stored.maps[1].vertices).max() < 1e-14


def test_geosphere_and_its_map(corpus: Path) -> None:
    path = corpus / "max" / "pxMaxScript" / "PolyPainter__testObjSymetry.max"
    stored = collapsed(path, "GeoSphere001")
    radius = float(stored.positions[0, 2])
    mesh = polygon_form(GEOSPHERE, build_geosphere(radius, 3, mapped=True))
    assert np.array_equal(mesh.starts, stored.starts)
    assert np.array_equal(mesh.corners, stored.corners)
    assert np.array_equal(mesh.smoothing, stored.smoothing)
    assert np.array_equal(mesh.material_ids, stored.material_ids)
    assert np.abs(mesh.positions - stored.positions).max() < 3e-7 * radius
    assert np.array_equal(mesh.maps[1].corners, stored.maps[1].corners)
    gaps = np.abs(mesh.maps[1].vertices - stored.maps[1].vertices)
    assert gaps[:, :2].max() < 1e-6
    assert gaps[:, 2].max() < 3e-7 * radius


def test_half_of_a_geosphere(corpus: Path) -> None:
    """It was flattened, and its groups and ids were lost, but x and y are what they were."""
    path = corpus / "max" / "Native_SDK" / "07_IntroducingPOD__Media__scene.max"
    stored = collapsed(path, "GeoSphere01")
    mesh = build_geosphere(80.0, 3, hemisphere=True, arithmetic=X87)
    assert np.array_equal(mesh.faces, stored.faces)
    assert np.array_equal(mesh.edge_visible, stored.edge_visible)
    assert np.abs(mesh.positions[:, :2] - stored.positions[:, :2]).max() < 80.0 * 1e-6
    order = np.argsort(mesh.positions[:, 2], kind="stable")
    assert (np.diff(stored.positions[order, 2]) > -1e-4).all()


def test_sliced_tube_that_hangs(corpus: Path) -> None:
    """Parts of a mesh are attached meshes; one is a tube of 260 degrees with negative height."""
    path = corpus / "max" / "Native_SDK" / "07_IntroducingPOD__Media__scene.max"
    stored = collapsed(path, "TopArm")
    cut = (radians(260.0), 0.0)
    mesh = build_tube((11.810756, 7.792368), -16.90909, (1, 1, 18), cut=cut, arithmetic=X87)
    count = len(mesh.faces)
    for start in range(len(stored.faces) - count + 1):
        part = stored.faces[start : start + count]
        first = int(part.min())
        if int(part.max()) - first + 1 == len(mesh.positions) and np.array_equal(
            part - first, mesh.faces
        ):
            break
    else:
        pytest.fail("the tube is not there")
    assert np.array_equal(
        mesh.edge_visible, stored.edge_visible.reshape(-1, 3)[start : start + count].reshape(-1)
    )
    points = stored.positions[first : first + len(mesh.positions)]
    assert rigid_gap(mesh.positions, points) < 1e-5


@pytest.mark.parametrize("name", ["Sphere05", "Sphere06"])
def test_half_of_a_sphere(corpus: Path, name: str) -> None:
    """Eleven segments, chopped in the middle, then turned with its vertices."""
    stored = collapsed(corpus / "max" / "KGCA" / "data__max2016__호랑이_보기.max", name)
    radius = float(np.linalg.norm(stored.positions[0]))
    mesh = build_sphere(radius, 11, hemisphere=0.5, arithmetic=X87)
    assert np.array_equal(mesh.faces, stored.faces)
    assert np.array_equal(mesh.edge_visible, stored.edge_visible)
    assert np.array_equal(mesh.smoothing, stored.smoothing)
    assert np.array_equal(mesh.material_ids, stored.material_ids)
    assert rigid_gap(mesh.positions, stored.positions) < 1e-6
