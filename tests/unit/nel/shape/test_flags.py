"""What the flags of a node change in its shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.mesh import CMeshVPWindTree
from maxsidecar.nel.shape import ShapeOptions, ShapeResult
from maxsidecar.nel.shape.releases import RELEASES
from tests.support.nel_animated import AnimatedScene
from tests.support.nel_shape_scenes import ShapeScene

POINTS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)]
FACES = [(0, 1, 2), (0, 2, 3)]


def exported(folder: Path, options: ShapeOptions | None = None, **flags: Any) -> ShapeResult:
    scene = ShapeScene()
    material = scene.add_standard_material("bark", diffuse=(1.0, 0.5, 0.0))
    node = scene.add_node("node", scene.add_mesh(POINTS, FACES), material=material)
    scene.flag(node, **flags)
    return scene.exported(folder, options=options)


def test_defaults_without_flags(tmp_path: Path) -> None:
    base = exported(tmp_path).shape.base
    assert base.version == 9
    assert base.dist_max == 1000.0
    assert not base.auto_anim
    assert not base.use_lighting_local_attenuation
    assert base.camera_collision == 0
    assert base.animated_materials == {}
    assert base.lightable


@pytest.mark.parametrize(("flag", "value"), [("0", 0), ("1", 1), ("2", 2), ("3", 2), ("9", 2)])
def test_camera_collision(tmp_path: Path, flag: str, value: int) -> None:
    shape = exported(tmp_path, CAMERA_COLLISION_MESH_GENERATION=flag).shape
    assert shape.base.camera_collision == value


def test_distance_animation_and_light(tmp_path: Path) -> None:
    base = exported(
        tmp_path, LOD_DIST_MAX="42,5", AUTOMATIC_ANIMATION=2, USE_LIGHT_LOCAL_ATTENUATION=1
    ).shape.base
    assert base.dist_max == 42.5
    assert base.auto_anim
    assert base.use_lighting_local_attenuation


def test_animated_materials_have_the_scene_s_names(tmp_path: Path) -> None:
    base = exported(tmp_path, EXPORT_ANIMATED_MATERIALS=1).shape.base
    assert list(base.animated_materials) == [0]
    animated = base.animated_materials[0]
    assert animated.name == "bark"
    assert animated.diffuse == (255, 128, 0, 255)
    assert animated.opacity == 1.0
    assert animated.texture == 0x7FFFFFFF


@pytest.mark.parametrize("matrices", [0, 1])
def test_movement_of_textures_without_animation(matrices: int, tmp_path: Path) -> None:
    """What animated materials keep is what the map says; the turn is not among it."""
    scene = AnimatedScene()
    plain, picture = (scene.add_bitmap_map("C:/water.tga", (1, 1)) for _ in range(2))
    block = scene.coordinates_block(picture)
    # Shift, repetition and turn; the last ones first, since each goes in front of those behind it.
    for parameter, value in ((6, 0.5), (3, 3.0), (2, 2.0), (1, -0.5), (0, 0.25)):
        scene.animate(block, parameter, scene.number(t0=value, t480=7.0))
    material = scene.nel_material(
        "sea", tTexture_1=plain, bEnableSlot_1=1, tTexture_2=picture, bEnableSlot_2=1,
        bExportTextureMatrix=matrices,
    )  # fmt: skip
    corners = [(x / 2, y / 2, z) for x, y, z in POINTS]
    mesh = scene.add_mesh(POINTS, FACES, uv=(corners, FACES))
    scene.flag(scene.add_node("node", mesh, material=material), EXPORT_ANIMATED_MATERIALS=1)
    base = scene.exported(tmp_path).shape.base
    still = [
        (part.u_trans, part.v_trans, part.u_scale, part.v_scale)
        for part in base.animated_materials[0].tex_anim_tracks
    ]
    moved = (0.25, -0.5, 2.0, 3.0) if matrices else (0.0, 0.0, 1.0, 1.0)
    expected = [(0.0, 0.0, 1.0, 1.0), moved, (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0)]
    assert still == [pytest.approx(values, abs=1e-6) for values in expected]


def test_tree_in_the_wind(tmp_path: Path) -> None:
    geom = exported(
        tmp_path, VERTEXPROGRAM_ID=1, VPWT_FREQUENCY_1=50, VPWT_FACTOR_1=25, VPWT_DIST_XY_2=100,
        VPWT_BIAS_2=0, VPWT_DIST_SCALE="4.0", VPWT_SPECULAR=1,
    ).shape.geom  # fmt: skip
    tree = geom.vertex_program
    assert isinstance(tree, CMeshVPWindTree)
    assert tree.specular_lighting
    # Sliders are hundredths of the scales, which are 2 unless given.
    assert [level.frequency for level in tree.levels] == pytest.approx([0.2, 1.0, 0.0])
    assert tree.levels[1].frequency_wind_factor == pytest.approx(0.5)
    assert [level.power_xy for level in tree.levels] == pytest.approx([2.0, 0.0, 4.0])
    assert [level.bias for level in tree.levels] == pytest.approx([0.0, 0.0, -2.0])


def test_normals_away_from_a_pivot(tmp_path: Path) -> None:
    scene = ShapeScene()
    mesh = scene.add_mesh(POINTS, FACES, smoothing=[1 << 28, 0])
    node = scene.add_node("node", mesh, transform=scene.add_transform((10, 0, 0)))
    pivot = scene.add_node(
        "pivot", scene.add_dummy(1.0), transform=scene.add_transform((11, 1, -1))
    )
    assert pivot
    scene.flag(node, RADIAL_NORMAL_SM_28="pivot")
    vertices = scene.exported(tmp_path).shape.geom.vertex_buffer.vertices
    # The first face points away from (1, 1, -1); the second one is flat.
    wanted = np.array([(-1, -1, 1), (1, -1, 1), (1, 1, 1)]) / np.sqrt(3)
    assert vertices["normal"][:3] == pytest.approx(wanted, abs=1e-6)
    assert vertices["normal"][3:].tolist() == [[0, 0, 1]] * 3


def test_missing_pivot_is_told(tmp_path: Path) -> None:
    result = exported(tmp_path, RADIAL_NORMAL_SM_29="nowhere")
    assert "the pivot 'nowhere' of smoothing group 30 is missing" in result.notes


def test_other_versions_on_request(tmp_path: Path) -> None:
    result = exported(tmp_path, ShapeOptions(versions={"CMeshBase": 8, "CMaterial": 6}))
    assert result.file is not None
    shape = read_bytes(result.file.to_bytes()).content
    assert shape.base.version == 8
    assert shape.base.materials[0].version == 6
    assert not any("left out" in note for note in result.notes)
    refused = exported(tmp_path, ShapeOptions(versions={"CMeshBase": 77}))
    assert refused.file is None
    assert "77" in refused.reason


def test_what_a_version_has_no_room_for_is_told(tmp_path: Path) -> None:
    options = ShapeOptions(versions={"CMeshBase": 8})
    result = exported(tmp_path, options, CAMERA_COLLISION_MESH_GENERATION=2)
    assert result.notes == ["CMeshBase 8 has no camera_collision: left out"]
    assert result.file is not None
    assert read_bytes(result.file.to_bytes()).content.base.camera_collision == 0


def test_versions_of_recent_sources_change_no_other_byte(tmp_path: Path) -> None:
    usual, recent = (
        exported(tmp_path, ShapeOptions(versions=RELEASES[name])) for name in ("clients", "core4")
    )
    assert usual.file is not None
    assert recent.file is not None
    pairs = zip(usual.file.to_bytes(), recent.file.to_bytes(), strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]] == [(9, 10)]


def test_node_without_surface_has_no_shape(tmp_path: Path) -> None:
    scene = ShapeScene()
    scene.add_node("node", scene.add_dummy(1.0))
    assert scene.exported(tmp_path).reason == "it has no surface"


def test_damaged_flag_counts_as_absent_and_is_told(tmp_path: Path) -> None:
    result = exported(tmp_path, LOD_DIST_MAX=b"12")
    assert result.shape.base.dist_max == 1000.0
    assert any("LOD_DIST_MAX" in note for note in result.notes)


def test_pivot_moves_the_vertices_and_the_place_does_not(tmp_path: Path) -> None:
    scene = ShapeScene()
    place = scene.add_transform((5, 6, 7))
    scene.add_node("node", scene.add_mesh(POINTS, FACES), transform=place)
    shape = scene.exported(tmp_path).shape
    assert shape.base.default_pos == (5.0, 6.0, 7.0)
    assert shape.geom.bbox.center == (1.0, 1.0, 0.0)
    assert shape.geom.bbox.half_size == (1.0, 1.0, 0.0)


def test_levels_of_detail_are_bounded(tmp_path: Path) -> None:
    result = exported(tmp_path, LOD_MRM=1, LOD_NB_LOD=2_000_000_000)
    assert len(result.shape.geom.lods) == 100
    assert any("too many" in note for note in result.notes)


def test_no_levels_of_detail_are_one(tmp_path: Path) -> None:
    geom = exported(tmp_path, LOD_MRM=1, LOD_NB_LOD=0, LOD_DIVISOR=0).shape.geom
    assert len(geom.lods) == 1
    assert geom.max_face_used == geom.min_face_used == 2
