"""Shapes made of scenes against those that NeL's own 3ds Max plug-in made of them.

(spec: nel-pairs, nel-street)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.nel.serial import read_file
from maxsidecar.nel.serial.classes.other_shapes import CSegRemanenceShape
from maxsidecar.nel.serial.dump import to_plain
from maxsidecar.nel.shape import ShapeOptions, ShapeResult, export_shape
from maxsidecar.nel.shape.mesh_build import MeshBuild
from maxsidecar.nel.shape.vertex_program import add_tangents
from maxsidecar.scene.geometry.normals import Weighting
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import object_offset

NORMAL = 2e-7


@dataclass(frozen=True)
class Row:
    """A node, the shape that was made of it, and how near ours comes.

    Attributes:
        scene: The scene.
        node: Name of the node.
        shape: What the plug-in made of it.
        weighting: How its 3ds Max weighs face normals.
        moved: Vertices whose position is not bit-equal.
        position: Largest difference of positions.
        folded: Vertices whose normals differ by more than ``normal``: where faces are folded back,
            so that their normals cancel out and rounding decides.
        normal: Largest difference of the other normals.
        uv: Largest difference of coordinates.
        strips: Whether the faces of a material are in the order of the exporter before 2004.
        box: Largest difference of centre and size of the bounding box.
    """

    scene: str
    node: str
    shape: str
    weighting: Weighting = "angle"
    moved: int = 0
    position: float = 0.0
    folded: int = 0
    normal: float = NORMAL
    uv: float = 0.0
    strips: bool = False
    box: float = 0.0


MTP = "mtp-target"
TARGET, FLAT = f"{MTP}/1f98a6dd__snow_target_50", "snow_target_50_flat"
FUNNEL, TORUS = f"{MTP}/52131831__snow_funnel", f"{MTP}/33456309__snow_torus"
ISLAND, WATER = f"{MTP}/83092977__snow_island", f"{MTP}/1bc40f9f__water_light"
ROWS = (
    Row("neloid/24b633bf__block", "Box01", "neloid/3d7d32b5__block"),
    Row(TARGET, "Score50", f"{MTP}/a9624e80__snow_target_50"),
    Row(TARGET, "Score50", f"{MTP}/c4d05e24__snow_target_50", "unit"),
    Row(f"{MTP}/5097d926__{FLAT}", FLAT, f"{MTP}/e6ed33f3__{FLAT}", folded=17),
    Row(f"{MTP}/5097d926__{FLAT}", FLAT, f"{MTP}/3a6a6006__{FLAT}", folded=17),
    Row(f"{MTP}/792863e8__{FLAT}", FLAT, f"{MTP}/6a2b48db__{FLAT}", folded=17),
    Row(f"{MTP}/004d7a8f__{FLAT}", "Score50", f"{MTP}/6a2b48db__{FLAT}", folded=17),
    Row(
        f"{MTP}/c7940fbe__entity_pingoo_open", "Ping_Ball_fly",
        f"{MTP}/9afac756__entity_pingoo_open", "unit", strips=True,
    ),
    Row(
        f"{MTP}/f9f37e6d__entity_pingoo_open", "Ping_Ball_fly",
        f"{MTP}/9afac756__entity_pingoo_open", "unit", strips=True,
    ),
    Row(FUNNEL, "Tube01", f"{MTP}/753b661d__snow_funnel", moved=38, position=1.3e-7),
    Row(FUNNEL, "Tube01", f"{MTP}/1635b2d3__snow_funnel", moved=38, position=1.3e-7),
    Row(TORUS, "Torus01", f"{MTP}/00a4a7dc__snow_torus"),
    Row(TORUS, "Torus01", f"{MTP}/8644df8e__snow_torus"),
    Row(
        ISLAND, "GeoSphere01", f"{MTP}/0dac96bc__snow_island", moved=357, position=1e-6,
        normal=1.3e-6, uv=6e-8, box=1e-6,
    ),
    Row(
        ISLAND, "GeoSphere01", f"{MTP}/23e74fa9__snow_island", "unit", moved=380, position=1e-6,
        normal=1.3e-6, uv=6e-8, box=1e-6,
    ),
    Row(WATER, "water_light", f"{MTP}/62f705ee__water_light", uv=1.6e-5),
)  # fmt: skip


def exported(corpus: Path, row: Row) -> tuple[ShapeResult, Any]:
    folder = corpus / "nel-pairs"
    scene_file = maxsidecar.open(folder / f"{row.scene}.max")
    (node,) = scene_file.nodes.find(row.node)
    result = export_shape(scene_file, node, ShapeOptions(weighting=row.weighting))
    return result, read_file(folder / f"{row.shape}.shape").content


def faces_of(shape: Any) -> dict[int, npt.NDArray[np.uint32]]:
    """Return the triangles by material."""
    passes = [rdr for block in shape.geom.matrix_blocks for rdr in block.rdr_passes]
    return {rdr.material_id: rdr.primitives.triangles for rdr in passes}


def turned(faces: npt.NDArray[np.uint32]) -> list[tuple[int, ...]]:
    """Return triangles with their smallest vertex in front, sorted."""
    rows = [
        min((a, b, c), (b, c, a), (c, a, b)) for a, b, c in faces.tolist()
    ]  # fmt: skip
    return sorted(rows)


def gap(ours: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the largest difference of each row."""
    return np.asarray(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max(axis=1))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.scene}-{row.shape}".replace("/", "-"))
def test_vertices_and_faces_are_those_of_the_plug_in(corpus: Path, row: Row) -> None:
    result, theirs = exported(corpus, row)
    assert result.reason == ""
    ours = result.shape
    mine, reference = ours.geom.vertex_buffer, theirs.geom.vertex_buffer
    slots = reference.vertices.dtype.names
    assert mine.vertices.dtype.names == slots
    assert len(mine.vertices) == len(reference.vertices)
    position = gap(mine.vertices["position"], reference.vertices["position"])
    assert int((position > 0).sum()) == row.moved
    assert position.max() <= row.position
    normal = gap(mine.vertices["normal"], reference.vertices["normal"])
    assert int((normal > row.normal).sum()) == row.folded
    for slot in slots[2:]:
        assert gap(mine.vertices[slot], reference.vertices[slot]).max() <= row.uv
    faces, wanted = faces_of(ours), faces_of(theirs)
    assert list(faces) == list(wanted)
    for material, own in faces.items():
        if row.strips:
            assert turned(own) == turned(wanted[material])
        else:
            assert np.array_equal(own, wanted[material])
    for part in ("center", "half_size"):
        difference = np.subtract(getattr(ours.geom.bbox, part), getattr(theirs.geom.bbox, part))
        assert np.abs(difference).max() <= row.box


def test_block_is_the_same_file(corpus: Path) -> None:
    """The matrix ids of a mesh without skin are uninitialised; here they happen to be zeros."""
    result, theirs = exported(corpus, ROWS[0])
    assert result.file is not None
    path = corpus / "nel-pairs" / f"{ROWS[0].shape}.shape"
    data = result.file.to_bytes()
    assert data == path.read_bytes()
    assert not theirs.geom.matrix_blocks[0].matrix_ids.any()
    assert theirs.geom.matrix_blocks[0].num_matrices == 0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.scene}-{row.shape}".replace("/", "-"))
def test_materials_and_placement_are_those_of_the_plug_in(corpus: Path, row: Row) -> None:
    result, theirs = exported(corpus, row)
    ours = result.shape.base
    base = theirs.base
    for name in ("default_pos", "default_rot_quat", "default_scale", "dist_max", "lightable"):
        assert getattr(ours, name) == getattr(base, name), name
    assert ours.auto_anim == base.auto_anim
    assert len(ours.materials) == len(base.materials)
    for own, wanted in zip(ours.materials, base.materials, strict=True):
        for name in (
            "shader", "flags", "src_blend", "dst_blend", "z_function", "z_bias", "color",
            "emissive", "ambient", "diffuse", "shininess", "alpha_test_threshold",
        ):  # fmt: skip
            assert getattr(own, name) == getattr(wanted, name), name
        # Exporters of then computed with more digits, and 4.9999996 became 5.
        difference = np.subtract(own.specular, wanted.specular)
        assert np.abs(difference).max() <= (0 if base.version == 9 else 1)
        for mine, stage in zip(own.stages, wanted.stages, strict=True):
            names = [getattr(s.texture, "file_name", None) for s in (mine, stage)]
            assert names[0] == names[1]
            if wanted.version == 9:
                assert to_plain(mine.env) == to_plain(stage.env)


SPHERES = {
    1: "cf6f30b9", 2: "955297e6", 3: "6ac1ac77", 4: "4f747933", 5: "ca84dfdb", 6: "956be054",
    7: "21592ce8", 8: "544a25b3",
}  # fmt: skip


@pytest.mark.parametrize("number", SPHERES)
def test_spheres_of_the_street(corpus: Path, number: int) -> None:
    row = Row(
        "opennel_svn/e599c832__street",
        f"Sphere0{number}",
        f"opennel_svn/{SPHERES[number]}__sphere0{number}",
        "unit",
    )
    result, theirs = exported(corpus, row)
    ours = result.shape
    mine, reference = ours.geom.vertex_buffer.vertices, theirs.geom.vertex_buffer.vertices
    assert len(mine) == len(reference) == 114
    assert gap(mine["position"], reference["position"]).max() <= 1e-6
    assert gap(mine["normal"], reference["normal"]).max() <= NORMAL
    # The faces are in the order of the strip builder of 2001.
    assert turned(faces_of(ours)[0]) == turned(faces_of(theirs)[0])
    assert ours.base.default_pos == theirs.base.default_pos
    assert ours.base.default_rot_quat == theirs.base.default_rot_quat
    assert str(ours.base.default_rot_quat) == "(-0.0, -0.0, -0.0, -1.0)"


def volume(shape: Any) -> float:
    """Return the volume within a closed mesh."""
    points = shape.geom.vertex_buffer.vertices["position"].astype(np.float64)
    a, b, c = (points[faces_of(shape)[0]][:, corner] for corner in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def test_the_house_of_the_street(corpus: Path) -> None:
    """3ds Max computed its Boolean with other faces; space and outline agree."""
    row = Row("opennel_svn/e599c832__street", "Box02", "opennel_svn/2153c328__box02")
    result, theirs = exported(corpus, row)
    ours = result.shape
    assert any("Boolean" in note for note in result.notes)
    for part in ("center", "half_size"):
        mine, reference = getattr(ours.geom.bbox, part), getattr(theirs.geom.bbox, part)
        assert np.abs(np.subtract(mine, reference)).max() < 2e-4
    assert volume(ours) == pytest.approx(volume(theirs), rel=1e-4)
    assert ours.base.default_pos == theirs.base.default_pos


def test_tangents_are_those_of_a_real_shape(corpus: Path) -> None:
    """The horse has its tangents as a second set of coordinates, of three numbers."""
    geom = read_file(corpus / "nel" / "shape" / "25ce64e9__horse.shape").content.geom
    vertices = geom.vertex_buffer.vertices
    faces = np.concatenate(
        [rdr.primitives.triangles for block in geom.matrix_blocks for rdr in block.rdr_passes]
    ).astype(np.int64)
    positions, number = np.unique(vertices["position"], axis=0, return_inverse=True)
    build = MeshBuild(
        positions.astype(np.float32),
        number.reshape(-1)[faces].astype(np.int32),
        np.zeros(len(faces), np.int32),
        vertices["normal"][faces],
        {0: vertices["uv0"][faces]},
    )
    assert add_tangents(build)
    assert np.abs(build.uvs[1] - vertices["uv1"][faces]).max() <= 2e-6


def test_skinned_meshes_keep_the_limit_of_matrices(corpus: Path) -> None:
    """A real skin, by Physique on a biped, in a shape of several blocks."""
    scenes = sorted((corpus / "max").rglob("*Walk_Russian blue.max"))
    scene_file = maxsidecar.open(scenes[0])
    (node,) = scene_file.nodes.find("Object04")
    geom = export_shape(scene_file, node).shape.geom
    vertices = geom.vertex_buffer.vertices
    assert geom.skinned
    assert geom.vertex_buffer.header.preferred_memory == 0
    assert len(geom.matrix_blocks) > 1
    for block in geom.matrix_blocks:
        assert 0 < block.num_matrices <= 15
        ids = block.matrix_ids[: block.num_matrices].tolist()
        names = [geom.bone_names[number] for number in ids]
        assert len(set(names)) == len(names)
        used = np.unique(np.concatenate([r.primitives.indices for r in block.rdr_passes]))
        assert vertices["palette_skin"][used].max() < block.num_matrices
    assert np.abs(vertices["weight"].sum(axis=1) - 1).max() < 1e-6
    assert (np.diff(vertices["weight"], axis=1) <= 0).all()
    bones = {child.name for _, child in scene_file.nodes.walk()}
    assert set(geom.bone_names) <= bones


def test_a_curve_of_a_real_scene_becomes_a_trail(corpus: Path) -> None:
    scene_file, node, curve = first_curve(corpus)
    flags = {prop.name: prop for prop in PROPERTIES}
    node.appdata.edit(flags["USE_REMANENCE"], True)
    node.appdata.edit(flags["REMANENCE_SLICE_NUMBER"], 16)
    shape = export_shape(scene_file, node).shape
    assert isinstance(shape, CSegRemanenceShape)
    assert shape.num_slices == 16
    assert shape.slice_time == pytest.approx(0.02)
    spline = curve.splines[0]
    points = np.concatenate([spline.points, spline.points[: spline.closed]])
    assert len(shape.corners) == len(points)
    offset = object_offset(node)
    moved = points.astype(np.float64) @ offset[:3, :3] + offset[3, :3]
    assert np.abs(shape.corners - moved).max() < 1e-6 * max(np.abs(moved).max(), 1.0)


def first_curve(corpus: Path) -> tuple[maxsidecar.MaxFile, Node, Shape]:
    """Return the first node of the corpus that shows one curve and has no material."""
    for path in sorted((corpus / "pairs").rglob("*.max")) + sorted((corpus / "max").rglob("*.max")):
        try:
            scene_file = maxsidecar.open(path)
        except MaxSidecarError:
            continue
        for node in scene_file.nodes.values():
            base = node.base_object
            if base is None or base.superclass != 0x40 or node.material is not None:
                continue
            curve = node.evaluate_mesh().geometry
            if isinstance(curve, Shape) and len(curve.splines) == 1:
                return scene_file, node, curve
    raise AssertionError("no curve found")
