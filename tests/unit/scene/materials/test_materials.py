"""Materials and maps made by hand."""

from __future__ import annotations

from struct import pack
from uuid import UUID

import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.materials import (
    BitmapMap,
    Map,
    Material,
    MultiMaterial,
    PhysicalMaterial,
    ScriptedMaterial,
    StandardMaterial,
    Texmaps,
    UVCoordinates,
)
from tests.support.blocks import (
    BOOLEAN,
    COLOR,
    FLOAT,
    FRGBA,
    INTEGER,
    MATERIAL,
    PERCENT,
    STRING,
    TAB,
    TEXTURE,
    new_block,
    old_block,
)
from tests.support.scenes import SceneMaker, f32, u32

STANDARD = (2, 0, 0xC00)
MULTI = (0x200, 0, 0xC00)
PHYSICAL = (0x3D6B1CEC, 0xDEADC001, 0xC00)
BLINN = (0x38, 0, 0x10B0)
BITMAP = (0x240, 0, 0xC10)
TEXMAPS = (0x1200, 0, 0x1080)
NEL = (0x64C75FEC, 0x222B9EB9, 0xC00)


def head(name: str, chunk_id: int = 0x4000) -> ChunkTree:
    return (
        chunk_id,
        [(0x4001, name.encode("utf-16-le")), (0x4020, u32(0)), (0x4030, f32(0, 0, 0, 1))],
    )


def test_multi_ids_and_empty_slots() -> None:
    maker = SceneMaker()
    a, b = maker.add(STANDARD, [head("a")]), maker.add(STANDARD, [head("b")])
    values = {
        0: (MATERIAL | TAB, [a, None, b]),
        1: (BOOLEAN | TAB, [1, 1, 0]),
        2: (STRING | TAB, ["first", "", ""]),
        3: (INTEGER | TAB, [4, 0, 9]),
    }
    block = new_block(maker, MULTI, values)
    index = maker.add(MULTI, [head("m"), (0x4002, u32(3)), (0x4005, b"")], [block, a, None, b])
    multi = maker.scene()[index]
    assert isinstance(multi, MultiMaterial)
    found = multi.sub_materials
    assert [(s.slot, s.id, s.material and s.material.index) for s in found] == [
        (0, 4, a),
        (1, 0, None),
        (2, 9, b),
    ]
    assert [s.name for s in found] == ["first", "", ""]
    assert [s.on for s in found] == [True, True, False]
    assert multi.for_id(9) is multi.scene[b]
    assert multi.for_id(0) is None
    assert multi.for_id(1) is None


def test_multi_of_release_3_counts_slots() -> None:
    maker = SceneMaker()
    a = maker.add(STANDARD)
    values = {
        0: (MATERIAL | TAB, [None, a]),
        1: (BOOLEAN | TAB, [1, 1]),
        2: (STRING | TAB, ["", ""]),
    }
    index = maker.add(MULTI, [head("m")], [new_block(maker, MULTI, values)])
    multi = maker.scene()[index]
    assert [(s.id, s.material is not None) for s in multi.sub_materials] == [  # type: ignore[attr-defined]
        (0, False),
        (1, True),
    ]


def test_multi_without_a_block_is_bounded_by_its_slots() -> None:
    maker = SceneMaker()
    a = maker.add(STANDARD)
    index = maker.add(MULTI, [head("m"), (0x4002, u32(0xFFFFFFFF))], [None, a])
    multi = maker.scene()[index]
    assert isinstance(multi, MultiMaterial)
    assert [(s.id, s.material is None) for s in multi.sub_materials] == [(0, True), (1, False)]


def test_multi_with_tables_of_two_lengths() -> None:
    maker = SceneMaker()
    values = {0: (MATERIAL | TAB, [None, None]), 3: (INTEGER | TAB, [0])}
    index = maker.add(MULTI, [head("m")], [new_block(maker, MULTI, values)])
    multi = maker.scene()[index]
    assert isinstance(multi, MultiMaterial)
    with pytest.raises(DecodeError, match="material_ids"):
        _ = multi.sub_materials


def standard(shader: tuple[int, int, int], names: dict[int, str]) -> StandardMaterial:
    maker = SceneMaker()
    bitmap = maker.add(BITMAP, [head("picture")])
    colors = {
        1: (COLOR, (0.5, 0.25, 1.0)),
        2: (COLOR, (1.0, 1.0, 1.0)),
        6: (BOOLEAN, 0),
        7: (PERCENT, 0.5),
        9: (PERCENT, 0.75),
        10: (PERCENT, 0.125),
    }
    light = maker.add(shader, [(0x5300, u32(2))], [new_block(maker, shader, colors)])
    slots: list[int | None] = [None] * 24
    slots[1] = slots[8] = bitmap
    maps = {
        0: (BOOLEAN | TAB, [int(i == 8) for i in range(24)]),
        1: (TEXTURE | TAB, slots),
        2: (PERCENT | TAB, [0.5 if i == 8 else 1.0 for i in range(24)]),
    }
    aliases = [(name, 1, position) for position, name in names.items()]
    blocks = [
        new_block(maker, STANDARD, {2: (BOOLEAN, 1)}, 0),
        new_block(maker, STANDARD, {1: (PERCENT, 0.5)}, 1),
        new_block(maker, STANDARD, maps, 3, aliases),
    ]
    index = maker.add(STANDARD, [head("s"), (0x5300, u32(13))], [None, maker.add(TEXMAPS), light,
                                                                *blocks])  # fmt: skip
    found = maker.scene()[index]
    assert isinstance(found, StandardMaterial)
    return found


def test_standard() -> None:
    found = standard(BLINN, {1: "diffuseMap", 8: "selfIllumMap"})
    assert found.name == "s"
    assert found.base_color() == (0.5, 0.25, 1.0)
    assert found.opacity() == 0.5
    assert found.two_sided is True
    assert found.emission() == (0.25, 0.125, 0.5)
    assert (found.specular_level(), found.glossiness()) == (0.75, 0.125)
    assert found.specular_color() == (1.0, 1.0, 1.0)
    assert (found.roughness(), found.metalness()) == (None, None)
    maps = found.maps
    assert list(maps) == ["diffuse", "self_illum"]
    assert (maps["self_illum"].on, maps["self_illum"].amount) == (True, 0.5)
    assert (maps["diffuse"].on, maps["diffuse"].amount) == (False, 1.0)
    assert isinstance(maps["diffuse"].map, BitmapMap)


def test_map_slots_without_names_have_numbers() -> None:
    assert list(standard(BLINN, {}).maps) == ["maps[1]", "maps[8]"]


def test_standard_of_the_first_releases() -> None:
    maker = SceneMaker(0x2001)
    bitmap = maker.add(BITMAP)
    references: list[int | None] = [None] * 24
    references[3] = references[19] = bitmap
    references[18] = maker.number(0.75)
    texmaps = maker.add(
        (0x1200, 0, 0x100), [(0x5003, u32(2)), (0x5101, f32(0.5)), (0x5108, f32(0.3))], references
    )
    block = old_block(maker, [(0.0, 0.0, 0.0), (1.0, 0.5, 0.0), (1.0, 1.0, 1.0), 0.25, 0.75, 0.5,
                              0.125, 0.0, (1.0, 1.0, 1.0), 1.0, 1.5])  # fmt: skip
    index = maker.add(STANDARD, [head("old"), (0x5004, u32(2))], [block, texmaps])
    found = maker.scene()[index]
    assert isinstance(found, StandardMaterial)
    assert found.base_color() == (1.0, 0.5, 0.0)
    assert found.opacity() == 0.125
    assert (found.glossiness(), found.specular_level()) == (0.25, 0.75)
    assert found.two_sided is None
    assert found.emission() == (0.5, 0.25, 0.0)
    maps = found.maps
    assert list(maps) == ["diffuse", "reflection"]
    slot = maps["diffuse"]
    assert (slot.map.index, slot.on, slot.amount) == (bitmap, True, 0.5)
    assert (maps["reflection"].on, maps["reflection"].amount) == (False, 0.75)
    container = found.texmaps
    assert isinstance(container, Texmaps)
    assert container.amounts.keys() == {1, 8}
    names = [name for _, name, _ in container.typed_leaves() if name.startswith("amounts")]
    assert names == ["amounts[1]", "amounts[8]"]


def test_map_slots_below_zero_are_no_slots() -> None:
    maker = SceneMaker(0x2001)
    bitmap = maker.add(BITMAP)
    pairs = u32(24) + pack("<4i", -1, bitmap, 3, bitmap)
    texmaps = maker.add((0x1200, 0, 0x100), [(0x2035, pairs)])
    index = maker.add(STANDARD, [head("odd")], [None, texmaps])
    found = maker.scene()[index]
    assert isinstance(found, StandardMaterial)
    assert list(found.maps) == ["diffuse"]


def test_physical() -> None:
    maker = SceneMaker()
    bitmap = maker.add(BITMAP)
    values = {
        2: (FRGBA, (1.0, 0.5, 0.25, 1.0)),
        4: (FLOAT, 0.25),
        5: (BOOLEAN, 1),
        6: (FLOAT, 0.5),
        30: (FLOAT, 0.75),
        50: (FLOAT, 2.0),
        51: (FRGBA, (0.5, 0.0, 0.0, 1.0)),
        101: (TEXTURE, bitmap),
        130: (TEXTURE, None),
        151: (BOOLEAN, 0),
        251: (TEXTURE, bitmap),
    }
    index = maker.add(PHYSICAL, [head("p", 0x0100)], [new_block(maker, PHYSICAL, values)])
    found = maker.scene()[index]
    assert isinstance(found, PhysicalMaterial)
    assert found.name == "p"
    assert found.base_color() == (1.0, 0.5, 0.25)
    assert found.roughness() == 0.75
    assert found.metalness() == 0.5
    assert found.opacity() == 0.25
    assert found.emission() == (1.0, 0.0, 0.0)
    assert [(s.name, s.on) for s in found.maps.values()] == [("base_color", False)]


def test_unknown_material_shows_what_a_block_shows() -> None:
    maker = SceneMaker()
    kind = (0x9999, 0x8888, 0xC00)
    inner, bitmap = maker.add(STANDARD), maker.add(BITMAP)
    values = {7: (FLOAT, 0.5), 9: (MATERIAL, inner), 11: (TEXTURE, bitmap)}
    index = maker.add(kind, [head("u", 0x1100)], [new_block(maker, kind, values)])
    found = maker.scene()[index]
    assert type(found) is Material
    assert found.name == "u"
    assert found.base_color() is None
    assert found.two_sided is None
    assert found.parameters["0#7"].value == 0.5
    assert [s.material for s in found.sub_materials] == [found.scene[inner]]
    assert found.maps["0#11"].map.index == bitmap


def test_scripted_material_asks_its_delegate() -> None:
    maker = SceneMaker(0x2001)
    block = old_block(maker, [(0.0, 0.0, 0.0), (1.0, 0.5, 0.0), (1.0, 1.0, 1.0), 0.25, 0.75, 0.5,
                              0.125, 0.0, (1.0, 1.0, 1.0), 1.0, 1.5])  # fmt: skip
    delegate = maker.add(STANDARD, [head("inside")], [block])
    flat = head("outside")[1]
    assert isinstance(flat, list)
    index = maker.add(NEL, [(0x0010, u32(11, 8)), *flat], [delegate])
    found = maker.scene()[index]
    assert isinstance(found, ScriptedMaterial)
    assert found.name == "outside"
    assert found.base_color() == (1.0, 0.5, 0.0)
    names = [name for _, name, _ in found.typed_leaves()]
    assert "head.name" in names


def test_materials_derived_from_one_another_in_a_circle() -> None:
    maker = SceneMaker()
    first = len(maker.objects)
    maker.add(NEL, [], [first + 1])
    maker.add(NEL, [], [first])
    found = maker.scene()[first]
    assert isinstance(found, ScriptedMaterial)
    assert found.base_color() is None
    assert found.maps == {}


def bitmap_info(chunk_id: int, path: str) -> ChunkTree:
    size = pack("<HHff", 64, 32, 1.0, 2.2) + bytes(58)
    return (chunk_id, [(0x1201, size), (0x1230, path.encode("utf-16-le"))])


def test_bitmap_paths() -> None:
    maker = SceneMaker()
    old = maker.add(BITMAP, [head("old"), bitmap_info(0x5010, "c:\\old.bmp"), (0x5003, u32(3))])
    named = new_block(maker, BITMAP, {11: (INTEGER, 1), 16: (STRING, "by name.tga")})
    by_name = maker.add(BITMAP, [head("named")], [named])
    none = maker.add(BITMAP, [head("none")])
    scene = maker.scene()
    first, second, third = scene[old], scene[by_name], scene[none]
    assert isinstance(first, BitmapMap)
    assert isinstance(second, BitmapMap)
    assert isinstance(third, BitmapMap)
    assert (first.path, first.alpha_source) == ("c:\\old.bmp", "none")
    assert first.bitmap is not None
    assert first.bitmap.head is not None
    assert (first.bitmap.head.width, first.bitmap.head.height) == (64, 32)
    assert (second.path, second.alpha_source) == ("by name.tga", "rgb")
    assert (third.path, third.alpha_source, third.asset) == (None, None, None)


def test_bitmap_id_without_a_table() -> None:
    guid = UUID("00112233-4455-6677-8899-aabbccddeeff")
    maker = SceneMaker()
    link: ChunkTree = (0x1260, [(0x0002, guid.bytes_le)])
    index = maker.add(BITMAP, [(0x5010, [link])])
    found = maker.scene()[index]
    assert isinstance(found, BitmapMap)
    assert found.asset_id == guid
    assert found.asset is None
    assert found.path is None


def test_bitmap_crop() -> None:
    maker = SceneMaker()
    values = {0: (FLOAT, 0.25), 1: (FLOAT, 0.5), 2: (FLOAT, 0.5), 3: (FLOAT, 0.25)}
    cut = new_block(maker, BITMAP, {**values, 6: (BOOLEAN, 1), 7: (INTEGER, 0)})
    whole = new_block(maker, BITMAP, {**values, 6: (BOOLEAN, 0)})
    indices = [maker.add(BITMAP, [], [block]) for block in (cut, whole)]
    scene = maker.scene()
    first, second = (scene[i] for i in indices)
    assert isinstance(first, BitmapMap)
    assert isinstance(second, BitmapMap)
    crop = first.crop()
    assert crop is not None
    assert (crop.u, crop.v, crop.width, crop.height, crop.place) == (0.25, 0.5, 0.5, 0.25, False)
    assert second.crop() is None


def test_coordinates() -> None:
    maker = SceneMaker()
    block = old_block(maker, [0.25, 0.5, 2.0, 3.0, 0.0, 0.0, 1.5, 1.0, 1.0, 1.0, 1, 0.0, 0.0])
    uv = maker.add((0x100, 0, 0xC20), [(0x9002, u32(0x50000002)), (0x900B, u32(2))], [block])
    checker = maker.add((0x200, 0, 0xC10), [head("c"), (0x1010, b"")], [uv])
    found = maker.scene()[checker]
    assert isinstance(found, Map)
    place = found.coordinates
    assert isinstance(place, UVCoordinates)
    assert place.offset() == (0.25, 0.5)
    assert place.tiling() == (2.0, 3.0)
    assert place.angle() == 1.5
    assert place.repeats == (False, True)
    assert place.map_channel == 2
    assert found.output is None
    assert "chunk_1010" in [name for _, name, _ in found.typed_leaves()]


def test_multi_whose_materials_are_in_its_references_alone() -> None:
    maker = SceneMaker()
    a = maker.add(STANDARD, [head("a")])
    values = {
        0: (MATERIAL | TAB, [None, None]),
        1: (BOOLEAN | TAB, [1, 1]),
        2: (STRING | TAB, ["", ""]),
    }
    block = new_block(maker, MULTI, values)
    index = maker.add(MULTI, [head("m")], [block, None, a])
    multi = maker.scene()[index]
    assert isinstance(multi, MultiMaterial)
    assert [s.material and s.material.index for s in multi.sub_materials] == [None, a]
