"""Flares, water, waves, trails and particle systems of scenes made from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.serial import NelFile, read_bytes
from maxsidecar.nel.serial.classes.other_shapes import (
    CFlareShape,
    CWaterShape,
    CWaveMakerShape,
)
from maxsidecar.nel.serial.classes.particle_system import CParticleSystemShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.nel.serial.classes.texture import CTextureBlend, CTextureBump
from maxsidecar.nel.shape import ShapeOptions, ShapeResult
from maxsidecar.nel.shape.water import convex_hull
from tests.support.nel_shape_scenes import FLARE, PARTICLES, WAVE_MAKER, ShapeScene

QUAD = [(0, 0, 0), (4, 0, 0), (4, 2, 0), (0, 2, 0)]
FACES = [(0, 1, 2), (0, 2, 3)]


def written(result: ShapeResult) -> Any:
    """Return the shape as it is read from the file that is written."""
    assert result.file is not None, result.reason
    return read_bytes(result.file.to_bytes()).content


def test_flare(tmp_path: Path) -> None:
    scene = ShapeScene()
    disc = scene.scripted_object(
        FLARE, 57, flareUsed0=True, texFileName0=r"C:\maps\halo.tga", size0=2.5, pos0=0.25,
        flareUsed1=False, texFileName1="other.tga", size1=3.0, ColorParam=(0.999, 0.5, 0.0),
        PersistenceParam=0.5, Spacing=1.5, Attenuable=True, AttenuationRange=40.0,
        FirstFlareKeepSize=True, HasDazzle=True, DazzleColor=(0.0, 1.0, 0.0),
        DazzleAttenuationRange=7.0, MaxViewDist=300.0, MaxViewDistRatio=0.75,
        occlusionTestMesh="d:/shapes/wall.shape", scaleWhenDisappear=True, sizeDisappear=2.0,
        angleDisappear=45.0, lookAtMode=False,
    )  # fmt: skip
    scene.flag(scene.add_node("node", disc), LOD_DIST_MAX="250.5")
    shape = written(scene.exported(tmp_path))
    assert isinstance(shape, CFlareShape)
    assert shape.color == (254, 127, 0, 255)
    assert (shape.persistence, shape.spacing) == (0.5, 1.5)
    assert (shape.attenuable, shape.attenuation_range) == (True, 40.0)
    assert shape.first_flare_keep_size
    assert shape.dazzle_color == (0, 255, 0, 255)
    assert shape.dazzle_attenuation_range == 7.0
    assert (shape.max_view_dist, shape.max_view_dist_ratio) == (300.0, 0.75)
    assert shape.dist_max == 250.5
    assert shape.occlusion_test_mesh == "wall.shape"
    assert (shape.scale_when_disappear, shape.size_disappear) == (True, 2.0)
    assert (shape.angle_disappear, shape.look_at) == (45.0, False)
    first, second = shape.flares[:2]
    assert first.texture is not None
    assert first.texture.file_name == "halo.tga"  # type: ignore[attr-defined]
    assert (first.size, first.relative_pos) == (2.5, 0.25)
    assert (second.texture, second.size) == (None, 3.0)


def test_untouched_flare_has_no_ranges(tmp_path: Path) -> None:
    scene = ShapeScene()
    scene.add_node("node", scene.scripted_object(FLARE, 57, Attenuable=False, HasDazzle=False))
    shape = written(scene.exported(tmp_path))
    assert not shape.attenuable
    assert not shape.has_dazzle
    assert shape.dist_max == 1000.0


def test_wave_maker_is_as_the_plug_in_writes_it(tmp_path: Path) -> None:
    scene = ShapeScene()
    maker = scene.scripted_object(
        WAVE_MAKER, 5, period=2.0, intensity=0.5, radius=9.0, poolID=4, impulsionMode=False
    )
    scene.add_node("node", maker)
    result = scene.exported(tmp_path)
    shape = written(result)
    assert isinstance(shape, CWaveMakerShape)
    assert (shape.period, shape.intensity, shape.impulsion_mode) == (2.0, 0.5, False)
    assert (shape.radius, shape.pool_id) == (3.0, 0)
    assert any("radius 9 and pool 4" in note for note in result.notes)


def water_scene(**values: Any) -> ShapeScene:
    scene = ShapeScene()
    maps = {
        f"tTexture_{slot}": scene.add_bitmap_map(f"{name}.tga", (1, 1))
        for slot, name in {1: "sky", 2: "night", 5: "ripples", 6: "waves", 7: "colors"}.items()
    }
    switches = {f"bEnableSlot_{slot}": 1 for slot in (1, 2, 5, 6, 7)}
    given = {"bWater": 1, "iShaderType": 6, "iWaterPoolID": 3, "fWaterHeightFactor": 0.5}
    given |= {"bEnableWaterSplash": 1, "fBumpUScale": 0.25, "fDisplaceMapVSpeed": 0.125}
    material = scene.nel_material("pool", **{**maps, **switches, **given, **values})
    points = [*QUAD, (2, 1, 0)]
    faces = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    mapped = ([(x / 4, y / 2, 0) for x, y, _ in points], faces)
    mesh = scene.add_mesh(points, faces, uv=mapped)
    place = scene.add_transform((10, 20, 30))
    scene.add_node("node", mesh, material=material, transform=place)
    return scene


def test_water(tmp_path: Path) -> None:
    shape = written(water_scene().exported(tmp_path))
    assert isinstance(shape, CWaterShape)
    corners = {tuple(row) for row in shape.poly.vertices.tolist()}
    assert corners == {(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0)}
    assert shape.water_pool_id == 3
    assert shape.wave_height_factor == 0.5
    assert shape.default_pos == (10.0, 20.0, 30.0)
    assert isinstance(shape.env_map0, CTextureBlend)
    names = [t.file_name for t in shape.env_map0.textures]  # type: ignore[union-attr]
    assert names == ["sky.tga", "night.tga"]
    assert shape.env_map1 is None
    assert isinstance(shape.height_map0, CTextureBump)
    assert isinstance(shape.height_map1, CTextureBump)
    heights = [m.height_map.file_name for m in (shape.height_map0, shape.height_map1)]  # type: ignore[union-attr]
    assert heights == ["waves.tga", "ripples.tga"]
    assert shape.height_map_scale1[0] == 0.25
    assert shape.height_map_speed0[1] == 0.125
    assert shape.splash_enabled
    # From places to coordinates: u = x / 4, and v runs down.
    columns = (
        shape.color_map_matrix_column0, shape.color_map_matrix_column1, shape.color_map_matrix_pos,
    )  # fmt: skip
    assert np.array(columns) == pytest.approx(np.array([(0.25, 0), (0, -0.5), (0, 1)]), abs=1e-6)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"bEnableSlot_5": 0}, "5 is missing"),
        ({"tTexture_6": None}, "6 is missing"),
    ],
)
def test_water_without_its_textures_is_refused(
    tmp_path: Path, values: dict[str, Any], reason: str
) -> None:
    result = water_scene(**values).exported(tmp_path)
    assert result.file is None
    assert reason in result.reason


def test_hull_leaves_out_what_is_within() -> None:
    points = np.array([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2), (1, 1), (0, 0)], float)
    hull = convex_hull(points)
    assert sorted(map(tuple, hull.tolist())) == [(0, 0), (0, 2), (2, 0), (2, 2)]
    following = np.roll(hull, -1, axis=0)
    # Counter-clockwise: a positive area.
    assert (hull[:, 0] * following[:, 1] - hull[:, 1] * following[:, 0]).sum() == 8


def test_trail_needs_a_curve_and_one_material(tmp_path: Path) -> None:
    scene = ShapeScene()
    mesh = scene.add_mesh(QUAD, FACES)
    scene.flag(scene.add_node("node", mesh), USE_REMANENCE=1)
    assert scene.exported(tmp_path).reason == "a trail needs a curve"
    scene = ShapeScene()
    slots = [(0, scene.add_standard_material("a"), ""), (1, scene.add_standard_material("b"), "")]
    material = scene.add_multi_material("both", slots)
    node = scene.add_node("node", scene.add_mesh(QUAD, FACES), material=material)
    scene.flag(node, USE_REMANENCE=1)
    assert scene.exported(tmp_path).reason == "a trail needs a single material"


def particle_file(folder: Path) -> None:
    shape = CParticleSystemShape(stream=b"\1\2\3", default_pos=(9.0, 9.0, 9.0))
    NelFile("ps", CShapeStream(shape=shape)).save(folder / "smoke.ps")


def test_particles_are_placed_as_their_node(tmp_path: Path) -> None:
    particle_file(tmp_path)
    scene = ShapeScene()
    system = scene.scripted_object(PARTICLES, 6, ps_file_name=r"W:\fx\Smoke.ps")
    scene.add_node("node", system, transform=scene.add_transform((1, 2, 3)))
    result = scene.exported(tmp_path, options=ShapeOptions(particle_folders=(tmp_path,)))
    shape = written(result)
    assert isinstance(shape, CParticleSystemShape)
    assert shape.default_pos == (1.0, 2.0, 3.0)
    assert shape.stream == b"\1\2\3"


def test_particles_that_are_nowhere_are_told(tmp_path: Path) -> None:
    scene = ShapeScene()
    scene.add_node("node", scene.scripted_object(PARTICLES, 6, ps_file_name="smoke.ps"))
    result = scene.exported(tmp_path, options=ShapeOptions(particle_folders=(tmp_path,)))
    assert result.file is None
    assert "smoke.ps is in none of the folders" in result.reason
