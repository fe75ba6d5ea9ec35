"""Textures and where they lie, from maps made by hand."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from maxsidecar.nel.serial.classes.texture import CTextureCube, CTextureFile, CTextureMultiFile
from maxsidecar.nel.shape.material_state import MaterialInfo, lit_material
from maxsidecar.nel.shape.materials import MaterialSet
from maxsidecar.nel.shape.mesh_build import build_mesh
from maxsidecar.nel.shape.textures import Channel, Texture, cube_of, texture_of
from maxsidecar.scene.geometry.mesh import Mesh
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, STRING, new_block, old_block
from tests.support.scenes import SceneMaker, u32

BITMAP, COORDINATES = (0x240, 0, 0xC10), (0x100, 0, 0xC20)
CHECKER = (0x200, 0, 0xC10)
SET = (0x5A8003F9, 0x43E0955, 0xC10)
BOTH_REPEAT = 3


def placed(
    maker: SceneMaker,
    offset: tuple[float, float] = (0.0, 0.0),
    tiling: tuple[float, float] = (1.0, 1.0),
    angle: float = 0.0,
    flags: int = BOTH_REPEAT,
    channel: int = 1,
) -> int:
    """Add coordinates: shift, repetition and turn."""
    numbers = [*offset, *tiling, 0.0, 0.0, angle, 1.0, 1.0, 1.0, 1, 0.0, 0.0]
    block = old_block(maker, numbers)
    return maker.add(COORDINATES, [(0x9002, u32(flags)), (0x900B, u32(channel))], [block])


def bitmap(maker: SceneMaker, coordinates: int, name: str = r"D:\maps\a.tga", **crop: float) -> int:
    values: dict[int, tuple[int, object]] = {16: (STRING, name)}
    for number, key in enumerate(("u", "v", "width", "height")):
        values[number] = FLOAT, crop.get(key, 0.0)
    values[6] = BOOLEAN, int(bool(crop))
    values[7] = INTEGER, 0
    return maker.add(BITMAP, [], [coordinates, new_block(maker, BITMAP, values)])


def made(maker: SceneMaker, index: int) -> tuple[Texture | None, Channel, list[str]]:
    notes: list[str] = []
    texture, channel = texture_of(maker.scene()[index], 0, notes)
    return texture, channel, notes


def coordinates(channel: Channel, *, keep: bool = False) -> list[list[float]]:
    """Return the coordinates of a face at (0, 0), (1, 0), (0, 1) with a texture."""
    mesh = Mesh.of_triangles(
        np.eye(3), [[0, 1, 2]], maps={1: ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])}
    )
    info = MaterialInfo("m", [channel], {0: 0}, texture_matrix=keep)
    materials = MaterialSet([lit_material()], [info], [0, *[None] * 7])
    rows: list[list[float]] = build_mesh(mesh, materials, np.eye(4), "angle").uvs[0][0].tolist()
    return rows


def test_picture_in_a_file() -> None:
    maker = SceneMaker()
    texture, channel, notes = made(maker, bitmap(maker, placed(maker, channel=3)))
    assert isinstance(texture, CTextureFile)
    assert texture.file_name == "a.tga"
    assert (texture.base.wrap_s, texture.base.wrap_t) == (0, 0)
    assert texture.base.min_filter == 5
    assert (channel.number, channel.matrix, notes) == (3, None, [])


@pytest.mark.parametrize(("flags", "wraps"), [(0, (1, 1)), (1, (0, 1)), (2, (1, 0))])
def test_picture_that_does_not_repeat(flags: int, wraps: tuple[int, int]) -> None:
    maker = SceneMaker()
    texture, _, _ = made(maker, bitmap(maker, placed(maker, flags=flags)))
    assert texture is not None
    assert (texture.base.wrap_s, texture.base.wrap_t) == wraps


def test_coordinates_run_down() -> None:
    assert coordinates(Channel(1)) == [[0, 1], [1, 1], [0, 0]]


def test_shift_and_repetition_are_about_the_middle() -> None:
    maker = SceneMaker()
    place = placed(maker, (0.25, 0.0), (2.0, 1.0))
    _, channel, _ = made(maker, bitmap(maker, place))
    # (u - 0.25 - 0.5) · 2 + 0.5
    assert coordinates(channel) == [[-1, 1], [1, 1], [-1, 0]]
    assert coordinates(channel, keep=True) == [[0, 1], [1, 1], [0, 0]]


def test_turn_keeps_the_middle() -> None:
    maker = SceneMaker()
    _, channel, _ = made(maker, bitmap(maker, placed(maker, angle=pi)))
    assert np.array(coordinates(channel)) == pytest.approx(
        np.array([[1, 0], [0, 0], [1, 1]]), abs=1e-6
    )


def test_part_of_a_picture() -> None:
    maker = SceneMaker()
    index = bitmap(maker, placed(maker), u=0.25, v=0.5, width=0.5, height=0.25)
    _, channel, _ = made(maker, index)
    assert channel.crop == (0.25, 0.5, 0.5, 0.25)
    assert coordinates(channel) == [[0.25, 0.75], [0.75, 0.75], [0.25, 0.5]]


def test_set_of_pictures_ends_with_the_last_one() -> None:
    maker = SceneMaker()
    names = ["a.tga", "", r"x\c.tga", "", "", "", "", ""]
    block = new_block(maker, SET, {n: (STRING, name) for n, name in enumerate(names)})
    texture, _, _ = made(maker, maker.add(SET, [], [block]))
    assert isinstance(texture, CTextureMultiFile)
    assert texture.file_names == ["a.tga", "", "c.tga"]


def test_unknown_map_is_told() -> None:
    maker = SceneMaker()
    texture, channel, notes = made(maker, maker.add(CHECKER))
    assert (texture, channel.number) == (None, 1)
    assert len(notes) == 1


def test_one_picture_for_all_sides_of_a_cube() -> None:
    maker = SceneMaker()
    index = bitmap(maker, placed(maker))
    texture, _ = texture_of(maker.scene()[index], 0, [], cube=True)
    assert isinstance(texture, CTextureCube)
    names = [side.file_name for side in texture.sides if isinstance(side, CTextureFile)]
    assert names == ["a.tga"] * 6
    assert len({id(side) for side in texture.sides}) == 6


def test_surroundings_of_one_picture_are_on_the_first_side() -> None:
    maker = SceneMaker()
    index = bitmap(maker, placed(maker))
    cube = cube_of(maker.scene()[index], 0, [])
    assert isinstance(cube.sides[0], CTextureFile)
    assert cube.sides[1:] == [None] * 5
    assert (cube.base.wrap_s, cube.base.wrap_t, cube.base.min_filter) == (1, 1, 3)
