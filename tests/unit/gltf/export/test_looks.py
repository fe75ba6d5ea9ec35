"""What materials of each class look like: values by the documented places of each class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from maxsidecar.gltf.export.look_values import Look, roughness_of_glossiness
from maxsidecar.gltf.export.looks import read_look
from maxsidecar.scene.materials import Material
from tests.support.blocks import BOOLEAN, COLOR, FLOAT, FRGBA, INTEGER, PERCENT, new_block
from tests.support.scenes import SceneMaker

STANDARD = (2, 0, 0xC00)
BLINN = (0x38, 0, 0x10B0)
PHYSICAL = (0x3D6B1CEC, 0xDEADC001, 0xC00)
ARCH = (0x70B05735, 0x4A163654, 0xC00)
OPEN_PBR = (0xF1551E33, 0x37FB1337, 0xC00)
VRAY = (0x37BF3F2F, 0x7034695C, 0xC00)
ARNOLD = (0x7E73161F, 0x62F74B4C, 0xC00)
CORONA = (0x6912AB89, 0x87151720, 0xC00)
GLTF = (0x38420192, 0x45FE4E1B, 0xC00)
METAL_ROUGH = (0xD00F1E00, 0xBE77E500, 0xC00)
MATTE = (0x260, 0, 0xC00)
UNKNOWN = (0x12345678, 0x9ABC, 0xC00)

Values = Mapping[int, tuple[int, Any]]


def look_of(kind: tuple[int, int, int], values: Values, block_id: int = 0) -> Look:
    maker = SceneMaker()
    block = new_block(maker, kind, values, block_id)
    index = maker.add(kind, [], [block])
    found = maker.scene()[index]
    assert isinstance(found, Material)
    return read_look(found)


def standard(shader_values: Values, extended: Values, two_sided: int = 0) -> Look:
    maker = SceneMaker()
    colors = new_block(maker, BLINN, shader_values)
    shader = maker.add(BLINN, [], [colors])
    first = new_block(maker, STANDARD, {2: (BOOLEAN, two_sided)}, 0)
    second = new_block(maker, STANDARD, extended, 1)
    index = maker.add(STANDARD, [], [None, None, shader, first, second])
    found = maker.scene()[index]
    assert isinstance(found, Material)
    return read_look(found)


def test_standard() -> None:
    found = standard(
        {
            1: (COLOR, (0.25, 0.5, 0.75)),
            2: (COLOR, (0.5, 0.5, 0.5)),
            6: (BOOLEAN, 0),
            7: (PERCENT, 0.5),
            9: (PERCENT, 0.75),
            10: (PERCENT, 0.25),
        },
        {1: (PERCENT, 0.5)},
        two_sided=1,
    )
    assert found.color == (0.25, 0.5, 0.75)
    assert (found.alpha, found.metallic, found.two_sided) == (0.5, 0.0, True)
    assert (found.specular, found.specular_color) == (0.75, (0.5, 0.5, 0.5))
    assert found.emissive == (0.125, 0.25, 0.375)
    assert found.reasons == ["its highlights are those of a roughness"]


def test_standard_without_highlights_is_converted() -> None:
    found = standard({1: (COLOR, (1.0, 0.0, 0.0)), 9: (PERCENT, 0.0), 10: (PERCENT, 0.1)}, {})
    assert (found.specular, found.reasons) == (0.0, [])


def test_what_gltf_cannot_say_of_standard_materials() -> None:
    maker = SceneMaker()
    shader = maker.add((0x39, 0, 0x10B0), [], [new_block(maker, (0x39, 0, 0x10B0), {})])
    first = new_block(maker, STANDARD, {1: (BOOLEAN, 1), 3: (BOOLEAN, 1), 4: (BOOLEAN, 1)}, 0)
    second = new_block(maker, STANDARD, {0: (INTEGER, 2), 5: (PERCENT, 0.5)}, 1)
    index = maker.add(STANDARD, [], [None, None, shader, first, second])
    found = maker.scene()[index]
    assert isinstance(found, Material)
    assert read_look(found).reasons == [
        "its shader, 39,0, is written as Blinn",
        "it is not drawn as wires",
        "its maps lie on the mesh, not on each face",
        "it is not faceted",
        "what is behind it shines through it added to it",
        "its opacity is another one at its edges",
    ]


def test_highlights_beyond_all() -> None:
    found = standard({2: (COLOR, (0.5, 0.25, 0.0)), 9: (PERCENT, 4.0)}, {})
    assert (found.specular, found.specular_color) == (1.0, (2.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("glossiness", "roughness"),
    # As 3ds Max's exporter wrote them for materials of one scene.
    [(0.1, 0.450053632), (0.2, 0.3584729), (0.4, 0.2678465), (0.54, 0.231153414)],
)
def test_roughness_of_glossiness(glossiness: float, roughness: float) -> None:
    assert roughness_of_glossiness(glossiness) == pytest.approx(roughness, abs=2e-6)


def test_physical() -> None:
    found = look_of(
        PHYSICAL,
        {
            1: (FLOAT, 0.5),
            2: (FRGBA, (0.5, 1.0, 0.25, 1.0)),
            3: (FLOAT, 0.5),
            4: (FLOAT, 0.25),
            5: (BOOLEAN, 0),
            6: (FLOAT, 0.75),
            10: (FRGBA, (1.0, 0.5, 0.5, 1.0)),
            30: (FLOAT, 0.25),
            33: (FLOAT, 1.75),
            50: (FLOAT, 2.0),
            51: (FRGBA, (1.0, 0.5, 0.0, 1.0)),
            60: (FLOAT, 0.5),
            62: (FLOAT, 0.125),
            63: (BOOLEAN, 1),
            70: (FLOAT, 0.5),
            71: (FRGBA, (1.0, 1.0, 0.5, 1.0)),
            72: (FLOAT, 0.25),
        },
    )
    assert found.color == (0.25, 0.5, 0.125)
    assert (found.roughness, found.metallic) == (0.25, 0.75)
    assert (found.specular, found.specular_color) == (0.5, (1.0, 0.5, 0.5))
    assert (found.alpha, found.transmission, found.ior) == (0.75, 0.0, 1.75)
    assert found.emissive == (2.0, 1.0, 0.0)
    assert (found.clearcoat, found.clearcoat_roughness) == (0.5, 0.875)
    assert (found.sheen, found.sheen_roughness) == ((0.5, 0.5, 0.25), 0.25)


def test_glass_keeps_its_reflections() -> None:
    found = look_of(PHYSICAL, {30: (FLOAT, 1.0)})
    assert (found.alpha, found.transmission) == (1.0, 1.0)
    assert "light goes straight through it, as through a thin wall" in found.reasons
    thin = look_of(PHYSICAL, {30: (FLOAT, 1.0), 37: (BOOLEAN, 1)})
    assert (thin.transmission, thin.reasons) == (1.0, [])


def test_arch_and_design() -> None:
    found = look_of(
        ARCH,
        {
            0: (FRGBA, (0.5, 0.5, 0.5, 1.0)),
            2: (FLOAT, 0.5),
            5: (FRGBA, (1.0, 1.0, 1.0, 1.0)),
            6: (FLOAT, 0.75),
            10: (BOOLEAN, 1),
            11: (FLOAT, 0.5),
            19: (FLOAT, 1.4),
            20: (FLOAT, 0.25),
        },
    )
    assert found.color == (0.25, 0.25, 0.25)
    assert (found.roughness, found.metallic, found.specular) == (0.25, 1.0, 0.5)
    assert (found.transmission, found.ior) == (0.25, None)


def test_open_pbr() -> None:
    # Ids as in the table of names, where they follow one another from 1.
    found = look_of(OPEN_PBR, {1: (FLOAT, 0.5), 2: (FRGBA, (1.0, 0.5, 0.0, 1.0))})
    assert found.color == (0.5, 0.25, 0.0)


def test_vray() -> None:
    found = look_of(
        VRAY,
        {
            1: (COLOR, (0.5, 0.25, 0.125)),
            2: (COLOR, (0.5, 0.25, 0.0)),
            3: (FLOAT, 0.75),
            5: (COLOR, (0.5, 0.5, 0.5)),
            9: (FLOAT, 1.6),
        },
        1,
    )
    assert found.color == (0.5, 0.25, 0.125)
    assert (found.specular, found.specular_color) == (0.5, (1.0, 0.5, 0.0))
    assert (found.roughness, found.transmission) == (0.25, 0.5)
    assert found.ior == pytest.approx(1.6)
    assert "its values are read as public lists say, unproven" in found.reasons


def test_gltf_material() -> None:
    found = look_of(
        GLTF,
        {
            0: (FRGBA, (0.5, 0.25, 0.125, 0.5)),
            2: (INTEGER, 1),
            4: (FLOAT, 0.25),
            5: (FLOAT, 0.5),
            7: (FLOAT, 0.75),
            15: (BOOLEAN, 1),
        },
    )
    assert (found.color, found.alpha) == ((0.5, 0.25, 0.125), 0.5)
    assert (found.alpha_mode, found.alpha_cutoff) == ("MASK", 0.25)
    assert (found.metallic, found.roughness, found.two_sided) == (0.5, 0.75, True)


def test_metal_rough() -> None:
    found = look_of(
        METAL_ROUGH,
        {0: (FRGBA, (0.5, 0.25, 0.125, 1.0)), 2: (FLOAT, 0.5), 4: (FLOAT, 0.75)},
        1,
    )
    assert (found.color, found.metallic, found.roughness) == ((0.5, 0.25, 0.125), 0.5, 0.75)


def test_classes_of_which_nothing_is_known() -> None:
    found = look_of(UNKNOWN, {0: (FLOAT, 1.0)})
    assert found.reasons == ["what this class of materials stores is not known"]
    assert found.color == (0.588, 0.588, 0.588)
    assert look_of(MATTE, {}).alpha == 0.0


def test_values_that_are_no_numbers() -> None:
    found = look_of(PHYSICAL, {4: (FLOAT, float("nan")), 6: (FLOAT, float("inf"))})
    assert "a value is no number" in found.reasons
    assert (0.0 <= found.roughness <= 1.0, found.metallic) == (True, 0.0)


def test_values_out_of_range() -> None:
    found = look_of(PHYSICAL, {2: (FRGBA, (3.0, -1.0, 0.5, 1.0)), 4: (FLOAT, -2.0)})
    assert (found.color, found.roughness) == ((1.0, 0.0, 0.5), 0.0)
