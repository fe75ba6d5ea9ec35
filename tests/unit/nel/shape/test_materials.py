"""Materials of scenes made from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.serial.classes.texture import CTextureCube, CTextureFile
from maxsidecar.nel.shape import ShapeOptions
from tests.support.nel_shape_scenes import ShapeScene

POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
FACES = [(0, 1, 2), (0, 2, 3)]
MAPPED = ([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], FACES)

#: Notes of the last export.
NOTES: list[str] = []

LIT, BLEND, DOUBLE, TEST, ADDRESSING = 0x10, 0x80, 0x100, 0x200, 0x400
Z_WRITE, GENERATED = 0x4, 0x1000


def exported(scene: ShapeScene, material: int, folder: Path, **options: Any) -> Any:
    mesh = scene.add_mesh(POINTS, FACES, uv=MAPPED)
    scene.add_node("node", mesh, material=material)
    result = scene.exported(folder, options=ShapeOptions(**options))
    assert result.file is not None, result.reason
    NOTES[:] = result.notes
    return read_bytes(result.file.to_bytes()).content


def nel(folder: Path, **values: Any) -> CMaterial:
    scene = ShapeScene()
    shape = exported(scene, scene.nel_material("m", iShaderType=1, **values), folder)
    material: CMaterial = shape.base.materials[0]
    return material


def test_untouched_nel_material(tmp_path: Path) -> None:
    material = nel(tmp_path, cDiffuse=(0.5, 0.5, 0.5), pOpacity=1.0)
    assert material.flags == Z_WRITE | LIT
    assert material.diffuse == (128, 128, 128, 255)
    assert material.color == (255, 255, 255, 255)
    assert (material.src_blend, material.dst_blend) == (0, 0)
    assert material.specular == (0, 0, 0, 0)
    assert material.shininess == 4.0


@pytest.mark.parametrize(
    ("values", "flags"),
    [
        ({"bAlphaBlend": 1}, LIT | BLEND),
        ({"bAlphaBlend": 1, "bForceZWrite": 1}, LIT | BLEND | Z_WRITE),
        ({"bAlphaTest": 1}, LIT | TEST | Z_WRITE),
        ({"bForceNoZWrite": 1}, LIT),
        ({"bTwoSided": 1}, LIT | DOUBLE | Z_WRITE),
        ({"bUnlighted": 1}, Z_WRITE),
        ({"bColorVertex": 1}, LIT | Z_WRITE | 0x800),
        ({"bColorVertex": 1, "bUnlighted": 1}, Z_WRITE),
        ({"iTextureShader_2": 3}, LIT | Z_WRITE | ADDRESSING),
    ],
)
def test_flags_of_nel_materials(tmp_path: Path, values: dict[str, int], flags: int) -> None:
    assert nel(tmp_path, **values).flags == flags


def test_unlit_material_has_its_color_in_both_places(tmp_path: Path) -> None:
    material = nel(tmp_path, bUnlighted=1, cDiffuse=(1.0, 0.0, 0.5), pOpacity=0.5)
    assert material.color == material.diffuse == (255, 0, 128, 128)


def test_mixing_of_textures(tmp_path: Path) -> None:
    material = nel(
        tmp_path, iRgbOperation_1=2, iRgbArg0_1=1, iRgbArg1_1=4, iRgbArg2_1=2,
        iAlphaOperation_1=5, iAlphaBlendSource_1=2, iAlphaArg0_1=3, iAlphaArg0Operand_1=4,
        iRgbOperation_2=6, iConstantAlpha_1=77, cConstant_1=(0.0, 1.0, 0.0),
    )  # fmt: skip
    first, second = material.stages[0].env, material.stages[1].env
    # Scripts count from 1; the second and third argument have another list of sources.
    assert (first.rgb_op, first.rgb_source0, first.rgb_source1, first.rgb_source2) == (1, 0, 0, 2)
    assert (first.alpha_op, first.alpha_source0, first.alpha_operand0) == (5, 2, 3)
    assert first.constant == (0, 255, 0, 77)
    assert second.rgb_op == 9


def test_other_shaders_have_no_mixing(tmp_path: Path) -> None:
    scene = ShapeScene()
    material = scene.nel_material("m", iShaderType=5, iRgbOperation_1=4)
    found = exported(scene, material, tmp_path).base.materials[0]
    assert found.shader == 4
    assert found.stages[0].env.rgb_op == 1


def test_textures_share_coordinates_of_a_channel(tmp_path: Path) -> None:
    scene = ShapeScene()
    one, two = (scene.add_bitmap_map(f"C:/{name}.tga", (1, 1)) for name in "ab")
    material = scene.nel_material(
        "m", iShaderType=1, bEnableSlot_1=1, tTexture_1=one, bEnableSlot_2=1, tTexture_2=two
    )
    shape = exported(scene, material, tmp_path)
    stages = shape.base.materials[0].stages
    assert [stage.texture and stage.texture.file_name for stage in stages] == [
        "a.tga", "b.tga", None, None,
    ]  # fmt: skip
    assert shape.geom.vertex_buffer.vertices.dtype.names == ("position", "normal", "uv0")
    assert shape.geom.vertex_buffer.subset.uv_routing == (0, 0, 2, 3, 4, 5, 6, 7)
    assert shape.geom.vertex_buffer.vertices["uv0"].tolist() == [[0, 1], [1, 1], [1, 0], [0, 0]]


def test_disabled_texture_is_left_out(tmp_path: Path) -> None:
    scene = ShapeScene()
    texture = scene.add_bitmap_map("a.tga", (1, 1))
    material = scene.nel_material("m", iShaderType=1, bEnableSlot_1=0, tTexture_1=texture)
    shape = exported(scene, material, tmp_path)
    assert shape.base.materials[0].stages[0].texture is None
    assert shape.geom.vertex_buffer.vertices.dtype.names == ("position", "normal")


def test_generated_coordinates(tmp_path: Path) -> None:
    scene = ShapeScene()
    texture = scene.add_bitmap_map("a.tga", (1, 1))
    material = scene.nel_material(
        "m", iShaderType=1, bEnableSlot_1=1, tTexture_1=texture, bTexGen_1=1
    )
    shape = exported(scene, material, tmp_path)
    assert shape.base.materials[0].flags == LIT | Z_WRITE | GENERATED
    assert "uv0" not in shape.geom.vertex_buffer.vertices.dtype.names


def test_reflection_of_the_specular_shader_is_a_cube(tmp_path: Path) -> None:
    scene = ShapeScene()
    one, two = (scene.add_bitmap_map(f"{name}.tga", (1, 1)) for name in "ab")
    material = scene.nel_material(
        "m", iShaderType=5, bEnableSlot_1=1, tTexture_1=one, bEnableSlot_2=1, tTexture_2=two
    )
    found = exported(scene, material, tmp_path).base.materials[0]
    assert isinstance(found.stages[0].texture, CTextureFile)
    cube = found.stages[1].texture
    assert isinstance(cube, CTextureCube)
    sides: list[Any] = cube.sides
    assert {side.file_name for side in sides} == {"b.tga"}
    assert found.flags & GENERATED << 1


@pytest.mark.parametrize(("wanted", "shader"), [(False, 0), (True, 3)])
def test_light_maps_are_not_computed(tmp_path: Path, wanted: bool, shader: int) -> None:
    scene = ShapeScene()
    material = scene.nel_material("m", iShaderType=4, cDiffuse=(0.0, 0.0, 0.0))
    shape = exported(scene, material, tmp_path, lightmaps=wanted)
    found = shape.base.materials[0]
    assert found.shader == shader
    assert bool(found.flags & LIT) != wanted
    assert any("light maps" in note for note in NOTES) != wanted
    if wanted:
        assert (found.src_blend, found.dst_blend) == (2, 3)
        assert "uv1" in shape.geom.vertex_buffer.vertices.dtype.names


def test_standard_material(tmp_path: Path) -> None:
    scene = ShapeScene()
    texture = scene.add_bitmap_map("a.tga", (1, 1))
    material = scene.add_standard_material(
        "m", diffuse=(1.0, 0.5, 0.0), ambient=(0.0, 0.0, 1.0), specular=(1.0, 1.0, 1.0),
        specular_level=0.5, glossiness=0.5, two_sided=True, diffuse_map=texture,
    )  # fmt: skip
    shape = exported(scene, material, tmp_path)
    found = shape.base.materials[0]
    assert found.flags == Z_WRITE | LIT | DOUBLE
    assert found.color == found.diffuse == (255, 128, 0, 255)
    assert found.ambient == (0, 0, 255, 255)
    assert found.specular == (127, 127, 127, 127)
    assert found.shininess == 128.0
    assert (found.src_blend, found.dst_blend) == (2, 3)
    assert found.stages[0].texture.file_name == "a.tga"


def test_transparent_standard_material_is_tested_not_blended(tmp_path: Path) -> None:
    scene = ShapeScene()
    material = scene.add_standard_material("m", opacity=0.5)
    found = exported(scene, material, tmp_path).base.materials[0]
    assert found.flags == Z_WRITE | LIT | TEST
    assert found.diffuse[3] == 128


def test_material_ids_wrap_around_and_unused_materials_go(tmp_path: Path) -> None:
    scene = ShapeScene()
    names = ("red", "green", "blue")
    colors = ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
    slots = [
        (number, scene.add_standard_material(name, diffuse=color), "")
        for number, (name, color) in enumerate(zip(names, colors, strict=True))
    ]
    multi = scene.add_multi_material("m", slots)
    mesh = scene.add_mesh(POINTS, FACES, material_ids=[5, 1])
    scene.add_node("node", mesh, material=multi)
    result = scene.exported(tmp_path)
    base = result.shape.base
    # Five modulo three is two, blue; red is used by no face.
    assert [m.diffuse[:3] for m in base.materials] == [(0, 255, 0), (0, 0, 255)]
    passes = result.shape.geom.matrix_blocks[0].rdr_passes
    assert [rdr.material_id for rdr in passes] == [0, 1]


def test_node_without_material_is_white(tmp_path: Path) -> None:
    scene = ShapeScene()
    scene.add_node("node", scene.add_mesh(POINTS, FACES))
    result = scene.exported(tmp_path)
    material = result.shape.base.materials[0]
    assert material.flags == Z_WRITE | LIT
    assert material.ambient == material.diffuse == (255, 255, 255, 255)
    assert material.specular == (0, 0, 0, 255)
