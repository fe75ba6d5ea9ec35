"""Values and maps of material classes in neutral words; numbers by arithmetic on what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import pytest

from maxsidecar.scene.materials import (
    CompositeMaterial,
    MapRole,
    Material,
    MaterialBase,
    ShellMaterial,
    StandardMaterial,
)
from tests.support.blocks import (
    BOOLEAN,
    COLOR,
    FLOAT,
    FRGBA,
    INTEGER,
    MATERIAL,
    PERCENT,
    TAB,
    TEXTURE,
    new_block,
    old_block,
)
from tests.support.scenes import SceneMaker, u32
from tests.unit.scene.materials.test_materials import BITMAP, BLINN, NEL, STANDARD, TEXMAPS, head

Values: TypeAlias = Mapping[int, tuple[int, object]]
Kind: TypeAlias = tuple[int, int, int]

PHYSICAL = (0x3D6B1CEC, 0xDEADC001, 0xC00)
ARCH_DESIGN = (0x70B05735, 0x4A163654, 0xC00)
OPENPBR = (0xF1551E33, 0x37FB1337, 0xC00)
VRAY = (0x37BF3F2F, 0x7034695C, 0xC00)
GLTF = (0x38420192, 0x45FE4E1B, 0xC00)
ARNOLD = (0x7E73161F, 0x62F74B4C, 0xC00)
CORONA = (0x6912AB89, 0x87151720, 0xC00)
RAYTRACE = (0x27190FF4, 0x329B106E, 0xC00)
TINT = (0.5, 0.25, 0.75)
RGBA = (FRGBA, (*TINT, 1.0))
RGB = (COLOR, TINT)


def material(kind: Kind, *blocks: tuple[int, Values]) -> Material:
    """Return a material with blocks of some ids; every texture slot that is set holds a bitmap."""
    maker = SceneMaker()
    bitmap = maker.add(BITMAP, [head("picture")])

    def stored(values: Values) -> Values:
        return {n: (t, bitmap if t == TEXTURE else value) for n, (t, value) in values.items()}

    built = [new_block(maker, kind, stored(values), number) for number, values in blocks]
    index = maker.add(kind, [head("m")], built)
    found = maker.scene()[index]
    assert isinstance(found, Material)
    return found


def values_of(found: Material) -> dict[str, object]:
    names = (
        "base_color", "opacity", "roughness", "metalness", "specular_color", "specular_level",
        "glossiness", "ior", "emission",
    )  # fmt: skip
    said = {name: getattr(found, name)() for name in names} | {"two_sided": found.two_sided}
    return {name: value for name, value in said.items() if value is not None}


HALF = tuple(number / 2 for number in TINT)

#: Class, blocks, what they say: factors and amounts are 0.5 and 0.25, colours are ``TINT``.
CASES: dict[str, tuple[Kind, list[tuple[int, Values]], dict[str, object]]] = {
    "physical": (
        PHYSICAL,
        [(0, {2: RGBA, 3: (FLOAT, 0.5), 4: (FLOAT, 0.25), 6: (FLOAT, 1.0), 10: RGBA,
              30: (FLOAT, 0.25), 33: (FLOAT, 1.5), 50: (FLOAT, 0.5), 51: RGBA})],
        {"base_color": TINT, "specular_level": 0.5, "roughness": 0.25, "metalness": 1.0,
         "specular_color": TINT, "opacity": 0.75, "ior": 1.5, "emission": HALF},
    ),
    "arch & design": (
        ARCH_DESIGN,
        [(0, {0: RGBA, 5: RGBA, 6: (FLOAT, 0.75), 10: (BOOLEAN, 1), 11: (FLOAT, 0.5),
              19: (FLOAT, 25.0), 20: (FLOAT, 0.25)})],
        {"base_color": TINT, "specular_color": TINT, "glossiness": 0.75, "roughness": 0.25,
         "metalness": 1.0, "specular_level": 0.5, "ior": 25.0, "opacity": 0.75},
    ),
    "openpbr": (
        OPENPBR,
        [(0, {2: RGBA, 3: (FLOAT, 0.5), 5: (FLOAT, 0.25), 6: RGBA, 7: (FLOAT, 0.125),
              9: (FLOAT, 1.5), 10: (FLOAT, 0.25), 31: (FLOAT, 0.5), 32: RGBA})],
        {"base_color": TINT, "metalness": 0.5, "specular_level": 0.25, "specular_color": TINT,
         "roughness": 0.125, "ior": 1.5, "opacity": 0.75, "emission": HALF},
    ),
    "vray with glossiness": (
        VRAY,
        [(1, {1: RGBA, 2: RGBA, 3: (FLOAT, 0.75), 5: RGBA, 9: (FLOAT, 1.5), 81: RGBA,
              83: (FLOAT, 0.5), 91: (FLOAT, 0.25), 89: (BOOLEAN, 0)}), (2, {13: (BOOLEAN, 1)})],
        {"base_color": TINT, "specular_color": TINT, "glossiness": 0.75, "roughness": 0.25,
         "opacity": 0.5, "ior": 1.5, "emission": HALF, "metalness": 0.25, "two_sided": True},
    ),
    "vray with roughness": (
        VRAY,
        [(1, {3: (FLOAT, 0.75), 89: (BOOLEAN, 1)})],
        {"roughness": 0.75},
    ),
    "gltf": (
        GLTF,
        [(0, {0: RGBA, 5: (FLOAT, 0.5), 7: (FLOAT, 0.25), 13: RGB, 15: (BOOLEAN, 1)})],
        {"base_color": TINT, "metalness": 0.5, "roughness": 0.25, "emission": TINT,
         "two_sided": True},
    ),
    "arnold": (
        ARNOLD,
        [(1, {3: RGBA, 9: (FLOAT, 0.5), 12: RGBA, 15: (FLOAT, 0.25), 18: (FLOAT, 1.5),
              27: (FLOAT, 1.0), 117: (FLOAT, 0.5), 120: RGBA, 123: RGBA})],
        {"base_color": TINT, "specular_level": 0.5, "specular_color": TINT, "roughness": 0.25,
         "ior": 1.5, "metalness": 1.0, "emission": HALF, "opacity": 0.5},
    ),
    "corona physical": (
        CORONA,
        [(0, {101: RGBA, 122: (FLOAT, 0.25), 131: (FLOAT, 0.5), 171: (FLOAT, 1.5), 331: RGBA,
              332: (FLOAT, 0.5)})],
        {"base_color": TINT, "opacity": 0.25, "ior": 1.5, "emission": HALF},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    kind, blocks, expected = CASES[case]
    assert values_of(material(kind, *blocks)) == expected


#: Class, block, how much further than its map the id of a switch is, role by id of the map.
MAPS: dict[str, tuple[Kind, int, int | None, dict[int, MapRole]]] = {
    "physical": (PHYSICAL, 0, 50, {101: "base_color", 102: "specular_level",
                                   103: "specular_color", 104: "roughness", 105: "metalness",
                                   109: "transparency", 117: "emission", 130: "bump",
                                   132: "displacement", 133: "opacity"}),
    "arch & design": (ARCH_DESIGN, 0, 30, {120: "base_color", 122: "specular_color",
                                           123: "glossiness", 137: "bump", 138: "displacement",
                                           139: "opacity", 143: "emission"}),
    "openpbr": (OPENPBR, 0, 100, {501: "base_color", 502: "metalness", 504: "specular_level",
                                  505: "specular_color", 506: "roughness", 509: "transparency",
                                  531: "emission", 580: "bump", 582: "displacement",
                                  587: "opacity"}),
    "vray": (VRAY, 4, 50, {100: "base_color", 101: "specular_color", 102: "transparency",
                           103: "bump", 104: "glossiness", 106: "displacement", 112: "opacity",
                           117: "emission", 119: "metalness"}),
    "arnold": (ARNOLD, 1, -1, {5: "base_color", 11: "specular_level", 14: "specular_color",
                               17: "roughness", 29: "metalness", 32: "transparency",
                               122: "emission", 125: "opacity"}),
    "gltf": (GLTF, 0, None, {1: "base_color", 3: "opacity", 6: "metalness", 8: "roughness",
                             10: "bump", 12: "ambient_occlusion", 14: "emission"}),
    "corona physical": (CORONA, 0, 1, {103: "base_color", 123: "opacity", 192: "transparency",
                                       333: "emission", 351: "bump", 325: "displacement",
                                       411: "metalness"}),
}  # fmt: skip


@pytest.mark.parametrize("case", MAPS)
def test_the_map_for_each_role(case: str) -> None:
    kind, block, switch, roles = MAPS[case]
    for number, role in roles.items():
        values: dict[int, tuple[int, object]] = {number: (TEXTURE, None)}
        if switch is not None:
            values[number + switch] = (BOOLEAN, 0)
        found = material(kind, (block, values))
        slot = found.map_for(role)
        assert slot is not None, (case, role)
        assert slot.on is (None if switch is None else False)
        assert [other for other in roles.values() if other != role and found.map_for(other)] == []


def test_the_map_of_inverted_roughness_is_one_of_glossiness() -> None:
    rough = {4: (FLOAT, 0.25), 104: (TEXTURE, None)}
    plain, turned = (material(PHYSICAL, (0, {**rough, 5: (BOOLEAN, on)})) for on in (0, 1))
    slots = [found.map_for("roughness") is not None for found in (plain, turned)]
    assert slots == [True, False]
    assert turned.map_for("glossiness") is not None
    stored = material(VRAY, (1, {89: (BOOLEAN, 1)}), (4, {104: (TEXTURE, None)}))
    assert stored.map_for("roughness") is not None
    assert stored.map_for("glossiness") is None


def test_a_class_that_is_not_known_says_nothing() -> None:
    found = material((0x9999, 0x8888, 0xC00), (0, {0: RGBA, 1: (TEXTURE, None)}))
    assert values_of(found) == {}
    assert found.map_for("base_color") is None


def raytrace(*, by_color: bool) -> Material:
    maker = SceneMaker()
    on = by_color
    values: list[float | tuple[float, ...] | int | None] = [
        TINT, 1.0, on, TINT, TINT, 1.0, 0, TINT, 0.5, on, TINT, 0.25, on, 1.5, TINT, 0.4, 0.5,
    ]  # fmt: skip
    block = old_block(maker, values)
    index = maker.add(RAYTRACE, [head("r")], [block])
    found = maker.scene()[index]
    assert isinstance(found, Material)
    return found


@pytest.mark.parametrize("by_color", [False, True])
def test_raytrace(by_color: bool) -> None:
    """Luminosity and transparency are a colour, or an amount (of the diffuse colour)."""
    found = values_of(raytrace(by_color=by_color))
    assert found.pop("glossiness") == pytest.approx(0.4)
    assert found == {
        "base_color": TINT,
        "specular_color": TINT,
        "specular_level": 0.5,
        "ior": 1.5,
        "opacity": 0.5 if by_color else 0.75,
        "emission": TINT if by_color else HALF,
    }


#: Shader, block, what is expected of the material.
SHADERS: dict[str, tuple[int, Values]] = {
    "oren-nayar": (0x2857F421, {1: RGB, 2: RGB, 3: RGB, 4: (PERCENT, 0.5), 5: (PERCENT, 0.25),
                                6: (PERCENT, 0.75), 13: (BOOLEAN, 0)}),
    "anisotropic": (0x2857F460, {1: RGB, 2: RGB, 3: RGB, 6: (PERCENT, 0.5), 7: (PERCENT, 0.25),
                                 5: (PERCENT, 0.75), 14: (BOOLEAN, 0)}),
    "multi-layer": (0x2857F470, {1: RGB, 6: RGB, 2: RGB, 3: (PERCENT, 0.5), 8: (PERCENT, 0.25),
                                 7: (PERCENT, 0.75), 19: (BOOLEAN, 0)}),
    "translucent": (0x2857F480, {1: RGB, 2: RGB, 3: RGB, 4: (PERCENT, 0.5), 5: (PERCENT, 0.25),
                                 6: (PERCENT, 0.75), 14: (BOOLEAN, 0)}),
}  # fmt: skip


def shaded(shader: Kind, values: Values) -> StandardMaterial:
    maker = SceneMaker()
    light = maker.add(shader, [], [new_block(maker, shader, values)])
    index = maker.add(STANDARD, [head("s")], [None, maker.add(TEXMAPS), light])
    found = maker.scene()[index]
    assert isinstance(found, StandardMaterial)
    return found


@pytest.mark.parametrize("case", SHADERS)
def test_standard_with_other_shaders(case: str) -> None:
    class_a, values = SHADERS[case]
    found = values_of(shaded((class_a, 0, 0x10B0), values))
    assert found == {
        "base_color": TINT,
        "specular_color": TINT,
        "specular_level": 0.75,
        "glossiness": 0.25,
        "emission": HALF,
    }


def test_strauss_has_one_colour_and_metalness() -> None:
    shader = (0x2857F450, 0, 0x10B0)
    found = shaded(shader, {0: RGB, 1: (PERCENT, 0.25), 2: (PERCENT, 0.5)})
    assert values_of(found) == {"base_color": TINT, "glossiness": 0.25, "metalness": 0.5}


@pytest.mark.parametrize(("flags", "expected"), [(0x820, False), (0x828, True)])
def test_two_sided_of_the_first_releases_is_a_flag(flags: int, expected: bool) -> None:
    maker = SceneMaker(0x2001)
    index = maker.add(STANDARD, [head("old"), (0x5000, u32(flags))])
    found = maker.scene()[index]
    assert isinstance(found, StandardMaterial)
    assert found.two_sided is expected


def with_materials(kind: Kind, values: Values) -> Material:
    """Return a material of materials; number n in its block is a Standard material called n."""
    maker = SceneMaker()
    inside = [maker.add(STANDARD, [head(str(n))]) for n in range(3)]

    def stored(entry: tuple[int, Any]) -> tuple[int, object]:
        kind_of, value = entry
        if kind_of == MATERIAL:
            return kind_of, inside[value]
        if kind_of == MATERIAL | TAB:
            return kind_of, [None if n is None else inside[n] for n in value]
        return entry

    block = new_block(maker, kind, {number: stored(entry) for number, entry in values.items()})
    index = maker.add(kind, [head("m")], [block])
    found = maker.scene()[index]
    assert isinstance(found, Material)
    return found


def slots_of(found: Material) -> list[tuple[int | str, str | None, bool | None]]:
    return [
        (s.slot, s.material.name if isinstance(s.material, MaterialBase) else None, s.on)
        for s in found.sub_materials
    ]


def test_materials_of_two_materials() -> None:
    two = {0: (MATERIAL, 0), 1: (MATERIAL, 1), 2: (BOOLEAN, 1), 3: (BOOLEAN, 0)}
    top = with_materials((0x100, 0, 0xC00), two)
    assert slots_of(top) == [("top_material", "0", True), ("bottom_material", "1", False)]
    double = with_materials((0x210, 0, 0xC00), two)
    assert slots_of(double) == [("front_material", "0", True), ("back_material", "1", False)]
    assert double.two_sided is False
    blend = with_materials(
        (0x250, 0, 0xC00), {5: (MATERIAL, 1), 6: (MATERIAL, 2), 8: (BOOLEAN, 0), 9: (BOOLEAN, 1)}
    )
    assert slots_of(blend) == [("material1", "1", False), ("material2", "2", True)]


@pytest.mark.parametrize(
    ("switches", "expected"),
    [([0, 1], [None, False, True]), ([1, 0, 1], [True, False, True]), ([], [None, None, None])],
)
def test_composite_has_a_base_without_a_switch(
    switches: list[int], expected: list[bool | None]
) -> None:
    kind = (0x61DC0CD7, 0x13640AF6, 0xC00)
    values = {0: (MATERIAL | TAB, [0, None, 2]), 2: (BOOLEAN | TAB, switches)}
    found = with_materials(kind, values)
    assert isinstance(found, CompositeMaterial)
    names = ["0", None, "2"]
    assert slots_of(found) == list(zip(range(3), names, expected, strict=True))


@pytest.mark.parametrize(("which", "expected"), [(0, "1"), (1, "2"), (7, None)])
def test_shell_tells_what_is_rendered(which: int, expected: str | None) -> None:
    values = {1: (INTEGER, which), 2: (MATERIAL, 1), 3: (MATERIAL, 2)}
    found = with_materials((0x255, 0, 0xC00), values)
    assert isinstance(found, ShellMaterial)
    rendered = found.rendered
    assert (rendered.name if isinstance(rendered, Material) else None) == expected


def test_a_scripted_material_says_all_that_its_delegate_says() -> None:
    maker = SceneMaker()
    values = CASES["physical"][1][0][1]
    bitmap = maker.add(BITMAP)
    block = new_block(maker, PHYSICAL, {**values, 101: (TEXTURE, bitmap)})
    delegate = maker.add(PHYSICAL, [head("inside", 0x0100)], [block])
    index = maker.add(NEL, [], [delegate])
    found = maker.scene()[index]
    assert isinstance(found, Material)
    assert values_of(found) == CASES["physical"][2]
    slot = found.map_for("base_color")
    assert slot is not None
    assert slot.map.index == bitmap


# --- two slots of one name --------------------------------------------------------------------


def test_two_slots_of_one_name_are_two_maps() -> None:
    """Aliases are text of the file: nothing keeps them apart."""
    maker = SceneMaker()
    bitmaps = [maker.add(BITMAP, [head(str(n))]) for n in range(4)]
    maps = {1: (TEXTURE | TAB, [*bitmaps, None])}
    aliases = [("diffuseMap", 1, 0), ("diffuseMap", 1, 1), ("bumpMap", 1, 2), ("bump_Map", 1, 3)]
    block = new_block(maker, STANDARD, maps, 3, aliases)
    light = maker.add(BLINN)
    index = maker.add(STANDARD, [head("s")], [None, None, light, block])
    kind = (0x9999, 0x8888, 0xC00)
    same = [("some_map", 1, 0), ("some", 1, 1), ("some", 1, 2), ("1", 1, 3)]
    other = maker.add(kind, [head("u")], [new_block(maker, kind, maps, 0, same)])
    scene = maker.scene()
    for number, labels in (
        (index, ["diffuse", "maps[1]", "bump", "bump_"]),
        (other, ["some", "0#1[1]", "0#1[2]", "1"]),
    ):
        found = scene[number]
        assert isinstance(found, Material)
        assert [slot.map.index for slot in found.maps.values()] == bitmaps
        assert list(found.maps) == labels
        assert [slot.name for slot in found.maps.values()] == labels


def test_strength_of_a_map_is_that_of_its_parameter() -> None:
    values = {130: (TEXTURE, None), 180: (BOOLEAN, 1), 230: (FLOAT, 0.25)}
    slot = material(PHYSICAL, (0, values)).map_for("bump")
    assert slot is not None
    assert (slot.on, slot.amount) == (True, 0.25)


def test_strength_of_a_map_that_a_controller_gives() -> None:
    maker = SceneMaker()
    bitmap = maker.add(BITMAP)
    maps = {1: (TEXTURE | TAB, [bitmap, bitmap]), 2: (PERCENT | TAB, [0.5, None])}
    aliases = [("diffuseMap", 1, 0), ("bumpMap", 1, 1)]
    block = new_block(maker, STANDARD, maps, 3, aliases, [maker.number(0.75)])
    index = maker.add(STANDARD, [head("s")], [None, None, maker.add(BLINN), block])
    bump = {230: (FLOAT, None), 130: (TEXTURE, bitmap)}
    other = new_block(maker, PHYSICAL, bump, controllers=[maker.number(0.25)])
    physical = maker.add(PHYSICAL, [head("p", 0x0100)], [other])
    scene = maker.scene()
    found, second = scene[index], scene[physical]
    assert isinstance(found, StandardMaterial)
    assert isinstance(second, Material)
    assert [slot.amount for slot in found.maps.values()] == [0.5, 0.75]
    assert [slot.amount for slot in second.maps.values()] == [0.25]
