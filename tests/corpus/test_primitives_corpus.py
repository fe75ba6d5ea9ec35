"""Primitives against what 3ds Max made of them: exports beside scenes, and collapsed meshes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.nel.serial import read_file
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.geometry.primitives.bone import BONE
from maxsidecar.scene.geometry.primitives.boolean import BOOLEAN
from maxsidecar.scene.geometry.primitives.box import BOX, build_box
from maxsidecar.scene.geometry.primitives.cat import CAT_BONE, CAT_HUB
from maxsidecar.scene.geometry.primitives.cylinder import CONE, CYLINDER
from maxsidecar.scene.geometry.primitives.geosphere import GEOSPHERE
from maxsidecar.scene.geometry.primitives.hedra import HEDRA
from maxsidecar.scene.geometry.primitives.plane import PLANE
from maxsidecar.scene.geometry.primitives.polygon_forms import polygon_form
from maxsidecar.scene.geometry.primitives.pyramid import PYRAMID
from maxsidecar.scene.geometry.primitives.sphere import SPHERE, build_sphere
from maxsidecar.scene.geometry.primitives.teapot import TEAPOT
from maxsidecar.scene.geometry.primitives.torus_knot import TORUS_KNOT
from maxsidecar.scene.geometry.primitives.tube import TORUS, TUBE
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.transform import object_offset
from tests.support.gltf import Gltf
from tests.support.primitive_twins import (
    read_ase_mesh,
    read_dae_mesh,
    read_pod_meshes,
    read_unwrapped_triangles,
)

Array = npt.NDArray[Any]

MADE = {
    BONE, BOOLEAN, BOX, CAT_BONE, CAT_HUB, CONE, CYLINDER, GEOSPHERE, HEDRA, PLANE, PYRAMID,
    SPHERE, TEAPOT, TORUS, TORUS_KNOT, TUBE,
}  # fmt: skip
GEOMETRY = 0x10
EDITABLE_MESH, EDITABLE_POLY = (0xE44F10B3, 0), (0x1BF8338D, 0x192F6098)


def key(obj: SceneObject) -> tuple[int, int] | None:
    return None if obj.class_id is None else (obj.class_id.a, obj.class_id.b)


def base(scene_file: MaxFile, name: str) -> Evaluation:
    """Return what the base object of a node is, below its modifiers."""
    obj = scene_file.nodes.find(name)[0].base_object
    assert obj is not None
    return Evaluator(scene_file.scene).object(obj)


def mesh_of(evaluation: Evaluation) -> Mesh:
    assert isinstance(evaluation.geometry, Mesh), evaluation.skipped
    return evaluation.geometry


def placed(mesh: Mesh, offset: Array) -> Array:
    """Return (v, 3) positions after a node's object offset."""
    moved: Array = mesh.positions.astype(np.float64) @ offset[:3, :3] + offset[3, :3]
    return moved


def corner_map(mesh: Mesh) -> Array:
    """Return (t, 3, 2) texture coordinates."""
    channel = mesh.maps[1]
    found: Array = channel.vertices[channel.corners][mesh.triangles][:, :, :2]
    return found


def nearest(points: Array, others: Array) -> tuple[Array, Array]:
    """Return for each point the distance to the nearest other one, and which that is."""
    best, found = [], []
    for part in np.array_split(points, len(points) // 256 + 1):
        square = np.sum((part[:, None] - others[None]) ** 2, axis=2)
        found.append(np.argmin(square, axis=1))
        best.append(np.sqrt(np.min(square, axis=1)))
    return np.concatenate(best), np.concatenate(found)


# --- glTF: every triangle in its order ------------------------------------------------------------

#: Primitives of each pair, all of which have a reference.
GLTF = {
    "AnimatedMeshCameraLight": 25,
    "CubePosition": 1,
    "CubeRotation": 1,
    "CustomAttributes": 2,
    "ElfFeet": 1,
    "Instances": 3,
    "LightOrientation": 4,
    "PBR_Textures": 6,
    "TransparencyMode": 16,
    "UnlitMaterial": 8,
}


#: Here the exporter wrote 1 - v, elsewhere -v.
DOWNWARDS = {"TransparencyMode"}


@pytest.mark.parametrize("pair", GLTF)
def test_triangles_of_gltf_exports_come_in_the_same_order(corpus: Path, pair: str) -> None:
    folder = corpus / "pairs" / pair
    scene_file = maxsidecar.open(folder / "scene.max")
    (path,) = folder.glob("*.gltf")
    gltf = Gltf(path)
    evaluator = Evaluator(scene_file.scene)
    count = 0
    for node in scene_file.nodes.values():
        obj = node.object
        if obj is None or key(obj) not in MADE:
            continue
        count += 1
        mesh = mesh_of(evaluator.node(node))
        (index,) = [i for i in gltf.by_name[node.name] if "mesh" in gltf.nodes[i]]
        corners, uv = [], []
        for part in gltf.json["meshes"][gltf.nodes[index]["mesh"]]["primitives"]:
            order = gltf.accessor(part["indices"])[:, 0].astype(int)
            corners.append(gltf.accessor(part["attributes"]["POSITION"])[order])
            uv.append(gltf.accessor(part["attributes"]["TEXCOORD_0"])[order])
        theirs = np.concatenate(corners).reshape(-1, 3, 3)
        # Y up there.
        ours = placed(mesh, object_offset(node))[:, [0, 2, 1]] * np.array([1.0, 1.0, -1.0])
        assert len(mesh.faces) == len(theirs)
        size = np.ptp(theirs.reshape(-1, 3), axis=0).max()
        unit = size / np.ptp(ours, axis=0).max()
        assert np.abs(ours[mesh.faces] * unit - theirs).max() <= 2e-6 * size, node.name
        theirs_uv = np.concatenate(uv).reshape(-1, 3, 2) * np.array([1.0, -1.0])
        theirs_uv[:, :, 1] += 1.0 if pair in DOWNWARDS else 0.0
        assert np.abs(corner_map(mesh) - theirs_uv).max() <= 1e-6, node.name
    assert count == GLTF[pair]


# --- text exports ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["CameraRollAnim", "RotatingCube"])
def test_box_of_an_ase_export(corpus: Path, name: str) -> None:
    """Faces, edges, groups, ids and map; its vertices are in the world, to four decimals."""
    folder = corpus / "max" / "assimp"
    scene_file = maxsidecar.open(folder / f"models__SourceFiles__{name}.max")
    (path,) = (p for p in folder.glob(f"models__ASE__{name}.*") if p.suffix.lower() == ".ase")
    theirs = read_ase_mesh(path)
    mesh = mesh_of(base(scene_file, "Box01"))
    assert np.array_equal(mesh.faces, theirs["FACE"])
    assert np.array_equal(mesh.edge_visible.reshape(-1, 3), theirs["EDGES"])
    assert np.array_equal(mesh.smoothing, theirs["SMOOTHING"][:, 0])
    assert np.array_equal(mesh.material_ids, theirs["MTLID"][:, 0])
    assert np.array_equal(mesh.maps[1].vertices, theirs["TVERT"])
    assert np.array_equal(mesh.maps[1].corners.reshape(-1, 3), theirs["TFACE"])
    ours = mesh.positions.astype(np.float64)
    gaps = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (ours, theirs["VERTEX"])]
    assert np.abs(gaps[0] - gaps[1]).max() < 3e-4


def test_hanging_box_of_a_collada_export(corpus: Path) -> None:
    """Six segments each way and a negative height, by 3ds Max 7; its map is unwrapped."""
    folder = corpus / "max" / "papervision3d"
    scene_file = maxsidecar.open(folder / "examples__InteractiveBoxDemo__Box.max")
    positions, faces = read_dae_mesh(folder / "examples__InteractiveBoxDemo__box.DAE")
    mesh = mesh_of(base(scene_file, "Box01"))
    assert np.array_equal(mesh.faces, faces)
    # Six decimals there.
    assert np.abs(mesh.positions - positions).max() < 1e-6
    assert mesh.positions[:, 2].min() < 0.0
    # Unwrap UVW keeps a copy of what it was put on.
    derived = scene_file.nodes.find("Box01")[0].object
    assert isinstance(derived, DerivedObject)
    unwrap = derived.modifiers[0]
    assert unwrap is not None
    snapshot, rows = read_unwrapped_triangles(unwrap)
    assert np.array_equal(mesh.positions, snapshot)
    assert np.array_equal(mesh.faces, rows["vertices"])
    assert np.array_equal(mesh.material_ids, rows["material_id"])


# --- game exports ---------------------------------------------------------------------------------


def shape(corpus: Path, name: str) -> Any:
    (path,) = (corpus / "nel-pairs").rglob(f"*__{name}.shape")
    return read_file(path).content.geom


def wedges(mesh: Mesh) -> tuple[Array, Array]:
    """Return vertices and indices as an exporter makes them: each corner that differs once."""
    uv = corner_map(mesh) if 1 in mesh.maps else np.zeros((len(mesh.faces), 3, 2), np.float32)
    group = np.repeat(mesh.smoothing, 3)
    rows = zip(
        mesh.faces.reshape(-1).tolist(), group.tolist(), uv.reshape(-1, 2).tolist(), strict=True
    )
    seen: dict[Any, int] = {}
    numbers = [seen.setdefault((v, g, *place), len(seen)) for v, g, place in rows]
    return np.array([vertex for vertex, *_ in seen], np.int64), np.array(numbers).reshape(-1, 3)


def test_box_of_block_is_bit_equal(corpus: Path) -> None:
    (path,) = (corpus / "nel-pairs").rglob("*__block.max")
    scene_file = maxsidecar.open(path)
    node = scene_file.nodes.find("Box01")[0]
    mesh = mesh_of(Evaluator(scene_file.scene).node(node))
    geom = shape(corpus, "block")
    vertices, index = wedges(mesh)
    ours = placed(mesh, object_offset(node)).astype(np.float32)[vertices]
    assert np.array_equal(ours, geom.vertex_buffer.vertices["position"])
    (block,) = geom.matrix_blocks
    (rdr,) = block.rdr_passes
    assert rdr.primitives.indices.tolist() == index.reshape(-1).tolist()


@pytest.mark.parametrize("number", range(1, 9))
def test_spheres_of_street_are_bit_equal(corpus: Path, number: int) -> None:
    (path,) = (corpus / "nel-pairs").rglob("*__street.max")
    mesh = mesh_of(base(maxsidecar.open(path), f"Sphere{number:02}"))
    stored = shape(corpus, f"sphere{number:02}").vertex_buffer.vertices["position"]
    assert np.array_equal(mesh.positions, stored)


@pytest.mark.parametrize("export", ["00a4a7dc", "8644df8e"])
def test_torus_of_snow_torus_is_bit_equal(corpus: Path, export: str) -> None:
    folder = corpus / "nel-pairs" / "mtp-target"
    mesh = mesh_of(base(maxsidecar.open(folder / "33456309__snow_torus.max"), "Torus01"))
    stored = read_file(folder / f"{export}__snow_torus.shape").content.geom.vertex_buffer.vertices
    vertices, _ = wedges(mesh)
    assert np.array_equal(mesh.positions[vertices], stored["position"])


#: (scene, export, node): how many triangles agree, of how many, and the largest distance of
#: corners in sizes of the mesh.  The teapot's rim was moved by a modifier.
PODS = {
    ("CubeShadowMapping__Media__scene", "CubeShadowMapping__OGLES3__scene", "LightProxy"): (48, 48),
    ("CubeShadowMapping__Media__scene", "CubeShadowMapping__OGLES3__scene", "Torus01"): (576, 576),
    ("CubeShadowMapping__Media__scene", "CubeShadowMapping__OGLES3__scene", "mask"): (72, 72),
    ("CubeShadowMapping__Media__scene", "CubeShadowMapping__OGLES3__scene", "Torus Knot01"): (
        2880,
        2880,
    ),
    ("ShadowTechniques__Media__Kettle", "ShadowTechniques__OGLES__Scene", "Teapot01"): (992, 992),
}


@pytest.mark.parametrize("twin", PODS, ids=lambda twin: twin[2])
def test_triangles_of_pod_exports(corpus: Path, twin: tuple[str, str, str]) -> None:
    scene, export, name = twin
    folder = corpus / "max" / "Native_SDK"
    corners, uv = read_pod_meshes(folder / f"{export}.pod")[name]
    mesh = mesh_of(base(maxsidecar.open(folder / f"{scene}.max"), name))
    expected, total = PODS[twin]
    assert len(mesh.faces) == total
    size = np.ptp(mesh.positions, axis=0).max()
    ours = mesh.positions.astype(np.float64)[mesh.faces] / size
    gap, found = nearest(ours.mean(axis=1), (corners / size).mean(axis=1))
    same = gap < 5e-6
    assert np.count_nonzero(same) == expected
    assert len(set(found[same].tolist())) == expected
    theirs, theirs_uv = corners[found[same]] / size, uv[found[same]]
    # The exporter begins a triangle at any corner, but keeps its sense.
    turns = [np.abs(np.roll(theirs, k, axis=1) - ours[same]).max(axis=(1, 2)) for k in range(3)]
    turn = np.argmin(turns, axis=0)
    assert np.min(turns, axis=0).max() < 1e-5
    mapped = corner_map(mesh)[same]
    off = [np.abs(np.roll(theirs_uv, k, axis=1) - mapped).max(axis=(1, 2)) for k in range(3)]
    assert np.choose(turn, off).max() < 2e-5


def test_boolean_of_street_is_the_solid_that_was_exported(corpus: Path) -> None:
    """All vertices of the export lie on the computed surface, and both fill the same box."""
    pytest.importorskip("manifold3d", reason="Booleans need the package manifold3d")
    (path,) = (corpus / "nel-pairs").rglob("*__street.max")
    evaluation = base(maxsidecar.open(path), "Box02")
    mesh = mesh_of(evaluation)
    assert all(entry.approximate for entry in evaluation.skipped)
    stored = shape(corpus, "box02").vertex_buffer.vertices["position"].astype(np.float64)
    points = np.unique(stored, axis=0)
    ours = mesh.positions.astype(np.float64)
    assert np.abs(ours.min(axis=0) - points.min(axis=0)).max() < 2e-5
    assert np.abs(ours.max(axis=0) - points.max(axis=0)).max() < 2e-5
    assert distance(points, ours[mesh.faces]).max() < 3e-5


def distance(points: Array, triangles: Array) -> Array:
    """Return the distance of each point to the nearest triangle that it is in front of."""
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normal = np.cross(u, v)
    area = np.linalg.norm(normal, axis=1)
    offset = points[:, None] - a[None]
    away = np.abs(np.sum(offset * normal[None], axis=2) / area)
    b = np.sum(np.cross(offset, v[None]) * normal[None], axis=2) / area**2
    c = np.sum(np.cross(u[None], offset) * normal[None], axis=2) / area**2
    inside = (b > -1e-5) & (c > -1e-5) & (b + c < 1.00001)
    found: Array = np.where(inside, away, np.inf).min(axis=1)
    return found


# --- collapsed primitives -------------------------------------------------------------------------


def stored_meshes(
    corpus_files: tuple[Path, ...], class_id: tuple[int, int]
) -> Iterator[tuple[str, Mesh]]:
    for path in corpus_files:
        scene_file = maxsidecar.open(path)
        evaluator = Evaluator(scene_file.scene)
        for obj in scene_file.scene:
            if key(obj) == class_id:
                geometry = evaluator.object(obj).geometry
                if isinstance(geometry, Mesh):
                    yield f"{path.name} {obj.index}", geometry


@pytest.mark.slow
def test_collapsed_boxes_and_spheres(corpus_files: tuple[Path, ...]) -> None:
    """Meshes that begin like one are one: faces and edges, and map faces where nobody mapped it."""
    boxes = spheres = exact = 0
    cube = build_box((1.0, 1.0, 1.0), (1, 1, 1), mapped=True)
    for name, mesh in stored_meshes(corpus_files, EDITABLE_MESH):
        faces = mesh.faces
        if len(faces) == 12 and len(mesh.positions) == 8 and faces[0].tolist() == [0, 2, 3]:
            boxes += 1
            assert np.array_equal(faces, cube.faces), name
            assert np.array_equal(mesh.edge_visible, cube.edge_visible), name
            if 1 in mesh.maps and len(mesh.maps[1].vertices) == 12:
                assert np.array_equal(mesh.maps[1].corners, cube.maps[1].corners), name
                assert np.array_equal(mesh.maps[1].vertices, cube.maps[1].vertices), name
        segments = {(s // 2 - 1) * s + 2: s for s in range(8, 100, 2)}.get(len(mesh.positions))
        if segments and faces[:2].tolist() == [[0, 1, 2], [0, 2, 3]]:
            ball = build_sphere(float(mesh.positions[0, 2]), segments, mapped=True)
            if len(ball.faces) != len(faces) or not np.array_equal(ball.faces, faces):
                continue
            spheres += 1
            assert np.array_equal(ball.edge_visible, mesh.edge_visible), name
            exact += int(np.array_equal(ball.positions, mesh.positions))
            if 1 in mesh.maps and len(mesh.maps[1].vertices) == len(ball.maps[1].vertices):
                assert np.array_equal(mesh.maps[1].vertices, ball.maps[1].vertices), name
                assert np.array_equal(mesh.maps[1].corners, ball.maps[1].corners), name
    assert boxes == 23
    assert spheres >= 6
    assert exact >= 1


@pytest.mark.slow
def test_collapsed_polygon_boxes(corpus_files: tuple[Path, ...]) -> None:
    cube = polygon_form(BOX, build_box((1.0, 1.0, 1.0), (1, 1, 1), mapped=True))
    count = 0
    for name, mesh in stored_meshes(corpus_files, EDITABLE_POLY):
        if len(mesh.positions) == 8 and mesh.corners[:4].tolist() == [0, 2, 3, 1]:
            if mesh.polygon_count != 6:
                continue
            count += 1
            assert np.array_equal(mesh.corners, cube.corners), name
            assert np.array_equal(mesh.triangles, cube.triangles), name
            assert np.array_equal(mesh.maps[1].corners, cube.maps[1].corners), name
            assert np.array_equal(mesh.maps[1].vertices, cube.maps[1].vertices), name
    assert count == 18


# --- all of them ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_primitive_is_evaluated(corpus_files: tuple[Path, ...]) -> None:
    pytest.importorskip("manifold3d", reason="Booleans need the package manifold3d")
    made: Counter[tuple[int, int]] = Counter()
    for path in corpus_files:
        scene_file = maxsidecar.open(path)
        evaluator = Evaluator(scene_file.scene)
        for obj in scene_file.scene:
            class_id = key(obj)
            # Class ids are unique within a superclass only.
            if class_id not in MADE or obj.superclass != GEOMETRY:
                continue
            mesh = mesh_of(evaluator.object(obj))
            made[class_id] += 1
            assert np.isfinite(mesh.positions).all(), (path, obj.index)
            assert len(mesh.faces), (path, obj.index)
    assert made.total() >= 500
    assert set(made) == MADE
