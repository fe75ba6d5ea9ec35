"""Which material faces have, and what becomes of its maps; pictures are made here."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from maxsidecar.gltf import model
from maxsidecar.gltf.export import pictures
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.materials import Materials, MaterialSlots
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.node import Node
from maxsidecar.scene.node_ids import NodeIds
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
from tests.support.scenes import SceneMaker, u32

STANDARD = (2, 0, 0xC00)
BLINN = (0x38, 0, 0x10B0)
PHYSICAL = (0x3D6B1CEC, 0xDEADC001, 0xC00)
MULTI = (0x200, 0, 0xC00)
DOUBLE_SIDED = (0x210, 0, 0xC00)
BLEND = (0x250, 0, 0xC00)
TOP_BOTTOM = (0x100, 0, 0xC00)
SHELL = (0x255, 0, 0xC00)
COMPOSITE = (0x61DC0CD7, 0x13640AF6, 0xC00)
BITMAP = (0x240, 0, 0xC10)
CHECKER = (0x200, 0, 0xC10)
MULTIPLY = (0x290, 0, 0xC10)
NORMAL_BUMP = (0x243E22C6, 0x63F6A014, 0xC10)
UV = (0x100, 0, 0xC20)

SLOTS = {
    1: "diffuseMap",
    2: "specularMap",
    3: "specularLevelMap",
    4: "glossinessMap",
    5: "selfIllumMap",
    6: "opacityMap",
    8: "bumpMap",
    9: "reflectionMap",
}


class Maker(SceneMaker):
    """A scene of materials and maps."""

    def head(self, name: str) -> Any:
        return (0x4000, [(0x4001, name.encode("utf-16-le"))])

    def bitmap(self, path: str, channel: int = 1, tile: float = 1.0, **values: int) -> int:
        """Add a bitmap; values are ``alpha_source`` and ``mono_output``."""
        numbers = old_block(self, (0.0, 0.0, tile, tile, *[0.0] * 9))
        coordinates = self.add(UV, [(0x9002, u32(3)), (0x900B, u32(channel))], [numbers])
        ids = {"mono_output": 9, "alpha_source": 11}
        stored: dict[int, tuple[int, object]] = {
            ids[name]: (INTEGER, value) for name, value in values.items()
        }
        block = new_block(self, BITMAP, {**stored, 16: (STRING, path)})
        return self.add(BITMAP, [], [block, coordinates])

    def standard(
        self,
        name: str = "",
        maps: Mapping[int, int] | None = None,
        color: tuple[float, ...] = (0.5, 0.25, 0.125),
        opacity: float = 1.0,
        glow: float = 0.0,
    ) -> int:
        shown = {1: (COLOR, color), 7: (PERCENT, glow), 9: (PERCENT, 0.0), 10: (PERCENT, 0.1)}
        shader = self.add(BLINN, [], [new_block(self, BLINN, shown)])
        extended = new_block(self, STANDARD, {1: (PERCENT, opacity)}, 1)
        found = maps or {}
        table = {
            0: (BOOLEAN | TAB, [1] * 24),
            1: (TEXTURE | TAB, [found.get(slot) for slot in range(24)]),
            2: (PERCENT | TAB, [1.0] * 24),
        }
        names = [(text, 1, slot) for slot, text in SLOTS.items()]
        slots = new_block(self, STANDARD, table, 3, names)
        return self.add(STANDARD, [self.head(name)], [None, None, shader, extended, slots])

    def physical(self, name: str, values: Mapping[int, tuple[int, object]]) -> int:
        block = new_block(self, PHYSICAL, values)
        return self.add(PHYSICAL, [self.head(name)], [block])

    def multi(self, subs: list[int | None], ids: list[int]) -> int:
        count = len(subs)
        values = {
            0: (MATERIAL | TAB, subs),
            1: (BOOLEAN | TAB, [1] * count),
            2: (STRING | TAB, [""] * count),
            3: (INTEGER | TAB, ids),
        }
        return self.add(MULTI, [], [new_block(self, MULTI, values), *subs])

    def holder(self, kind: tuple[int, int, int], values: Mapping[int, tuple[int, object]]) -> int:
        return self.add(kind, [], [new_block(self, kind, values)])


class Made:
    """An export of one node with a material."""

    def __init__(
        self,
        maker: Maker,
        material: int | None,
        folder: Path,
        out: Path | None = None,
        **options: Any,
    ) -> None:
        node = maker.add(
            (1, 0, 1), [(0x0962, "node".encode("utf-16-le"))], [None, None, None, material]
        )
        scene = maker.scene()
        stand_in: Any = SimpleNamespace(path=folder / "scene.max", scene=scene)
        self.export = Export(stand_in, Options(**options), 1.0, NodeIds(scene), folder=out)
        found = scene[node]
        assert isinstance(found, Node)
        self.node = found
        self.export.nodes[node] = model.Node("node")
        self.materials = Materials(self.export)

    def slots(self, *channels: int) -> MaterialSlots:
        return self.materials.for_node(self.node, channels or (1,))

    def one(self, *channels: int) -> model.Material:
        found = self.slots(*channels).material(0)
        assert found is not None
        return found

    def lines(self, kind: str) -> list[tuple[str, Outcome, str]]:
        return [(e.name, e.outcome, e.reason) for e in self.export.report.entries if e.kind == kind]


def picture(folder: Path, name: str, *color: int, size: tuple[int, int] = (2, 2)) -> str:
    mode = {1: "L", 3: "RGB", 4: "RGBA"}[len(color)]
    fill: Any = color[0] if len(color) == 1 else color
    Image.new(mode, size, fill).save(folder / name)
    return f"D:\\somewhere\\{name}"


def pixel(info: model.TextureInfo | None) -> list[int]:
    assert info is not None
    assert info.texture.image.data is not None
    with Image.open(BytesIO(info.texture.image.data)) as image:
        found = np.asarray(image.convert("RGBA"))[0, 0].tolist()
    return [int(part) for part in found]


# --- which material --------------------------------------------------------------------------


def test_ids_go_through_the_list_and_then_round(tmp_path: Path) -> None:
    maker = Maker()
    subs: list[int | None] = [maker.standard("a"), None, maker.standard("c")]
    made = Made(maker, maker.multi(subs, [5, 0, 1]), tmp_path)
    slots = made.slots()

    def name(number: int) -> str | None:
        found = slots.material(number)
        return None if found is None else found.name

    # 5, 0 and 1 are in the list; 3 and 4 are not, and count round: places 0 and 1.
    assert [name(n) for n in (5, 0, 1, 3, 4, 8)] == ["a", None, "c", "a", None, "c"]


def test_one_material_is_one_and_the_same(tmp_path: Path) -> None:
    maker = Maker()
    same = maker.standard("a")
    made = Made(maker, maker.multi([same, same, maker.standard("a")], [0, 1, 2]), tmp_path)
    first, second, other = (made.slots().material(n) for n in range(3))
    assert first is second
    assert other is not first
    assert other is not None
    assert first is not None
    assert (first.name, other.name) == ("a", "a")
    assert first.extras["max_id"] != other.extras["max_id"]


def test_a_node_without_a_material_has_none(tmp_path: Path) -> None:
    made = Made(Maker(), None, tmp_path)
    assert made.slots().material(0) is None
    assert made.export.report.entries == []


def test_fronts_and_backs(tmp_path: Path) -> None:
    maker = Maker()
    values = {
        0: (MATERIAL, maker.standard("front")),
        1: (MATERIAL, maker.standard("back")),
        2: (BOOLEAN, 1),
        3: (BOOLEAN, 1),
    }
    slots = Made(maker, maker.holder(DOUBLE_SIDED, values), tmp_path).slots()
    front, back = slots.material(0), slots.back(0)
    assert front is not None
    assert back is not None
    assert (front.name, back.name) == ("front", "back")
    # A plain material has no other one for its backs.
    maker = Maker()
    assert Made(maker, maker.standard("a"), tmp_path).slots().back(0) is None


@pytest.mark.parametrize(
    ("kind", "values", "shown"),
    [
        (BLEND, {0: (FLOAT, 0.25)}, "a"),
        (BLEND, {0: (FLOAT, 0.75)}, "b"),
        (TOP_BOTTOM, {}, "a"),
        (SHELL, {1: (INTEGER, 0)}, "a"),
        (SHELL, {1: (INTEGER, 1)}, "b"),
    ],
)
def test_of_materials_of_two_one_is_shown(
    tmp_path: Path, kind: tuple[int, int, int], values: dict[int, Any], shown: str
) -> None:
    maker = Maker()
    places = {BLEND: (5, 6), TOP_BOTTOM: (0, 1), SHELL: (2, 3)}[kind]
    all_rest: dict[tuple[int, int, int], dict[int, Any]] = {
        BLEND: {1: (FLOAT, 0.3), 2: (FLOAT, 0.7), 3: (BOOLEAN, 0), 4: (INTEGER, 0)},
        TOP_BOTTOM: {2: (BOOLEAN, 1), 3: (BOOLEAN, 1), 4: (FLOAT, 0.0), 5: (FLOAT, 50.0)},
        SHELL: {0: (INTEGER, 0)},
    }
    for place, name in zip(places, "ab", strict=True):
        values = {**values, place: (MATERIAL, maker.standard(name))}
    made = Made(maker, maker.holder(kind, {**all_rest[kind], **values}), tmp_path)
    assert made.one().name == shown
    (line,) = [entry for entry in made.lines("material") if entry[0] != shown]
    assert line[1] is Outcome.APPROXIMATED


def test_composite_shows_its_base(tmp_path: Path) -> None:
    maker = Maker()
    values = {
        0: (MATERIAL | TAB, [maker.standard("base"), maker.standard("over")]),
        1: (INTEGER | TAB, [0]),
        2: (BOOLEAN | TAB, [1]),
        3: (FLOAT | TAB, [1.0]),
    }
    assert Made(maker, maker.holder(COMPOSITE, values), tmp_path).one().name == "base"


def test_materials_that_hold_one_another_end(tmp_path: Path) -> None:
    maker = Maker()
    # Each is a block and the material behind it.
    first, second = len(maker.objects) + 1, len(maker.objects) + 3
    for other in (second, first):
        maker.holder(DOUBLE_SIDED, {0: (MATERIAL, other), 2: (BOOLEAN, 1)})
    made = Made(maker, first, tmp_path)
    assert made.slots().material(0) is None
    ((_, outcome, reason),) = made.lines("material")
    assert (outcome, reason) == (
        Outcome.LEFT_OUT,
        "it holds materials in materials without an end",
    )


# --- maps ------------------------------------------------------------------------------------


def test_a_map_replaces_the_colour(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "wood.png", 10, 20, 30)
    made = Made(maker, maker.standard("a", {1: maker.bitmap(path, tile=2.0)}), tmp_path)
    found = made.one()
    assert found.base_color == (1.0, 1.0, 1.0, 1.0)
    assert pixel(found.base_color_texture) == [10, 20, 30, 255]
    assert found.base_color_texture is not None
    assert found.base_color_texture.transform == {"offset": (-0.5, -0.5), "scale": (2.0, 2.0)}
    image = found.base_color_texture.texture.image
    # The file itself, not another one of the same pixels.
    assert image.data == (tmp_path / "wood.png").read_bytes()
    assert found.extras["max_diffuse_map"] == path
    assert found.extras["max_diffuse_map_class"] == "240,0"
    assert made.lines("texture") == [("a", Outcome.CONVERTED, "")]
    assert found.alpha_mode == "OPAQUE"


def test_channels_are_those_of_the_mesh(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "wood.png", 10, 20, 30)
    made = Made(maker, maker.standard("a", {1: maker.bitmap(path, channel=3)}), tmp_path)
    first = made.one(1, 3).base_color_texture
    assert first is not None
    assert first.tex_coord == 1
    second = made.one(3).base_color_texture
    assert second is not None
    assert (second.tex_coord, second.texture) == (0, first.texture)
    assert made.one(1, 3) is made.one(1, 3)
    assert made.one(1).base_color_texture is None
    assert made.lines("material")[-1][1] is Outcome.APPROXIMATED


def test_what_is_missing_is_told_once_per_file(tmp_path: Path) -> None:
    maker = Maker()
    subs: list[int | None] = [
        maker.standard("a", {1: maker.bitmap(r"D:\Lost.png")}),
        maker.standard("b", {1: maker.bitmap(r"D:\lost.png")}),
    ]
    made = Made(maker, maker.multi(subs, [0, 1]), tmp_path)
    found = [made.slots().material(n) for n in range(2)]
    assert all(m is not None and m.base_color_texture is None for m in found)
    assert made.lines("texture") == [("a", Outcome.LEFT_OUT, r"not found: D:\Lost.png")]


def test_corrupt_pictures_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    maker = Maker()
    made = Made(maker, maker.standard("a", {1: maker.bitmap("bad.png")}), tmp_path)
    assert made.one().base_color_texture is None
    ((_, outcome, reason),) = made.lines("texture")
    assert outcome is Outcome.LEFT_OUT
    assert "damaged" in reason


@pytest.mark.parametrize(
    ("source", "color", "mode", "alpha"),
    [
        (0, (10, 20, 30, 100), "BLEND", 100),
        (0, (10, 20, 30, 0), "MASK", 0),
        (0, (10, 20, 30, 255), "OPAQUE", 255),
        (1, (30, 60, 90, 255), "BLEND", 60),
        (2, (10, 20, 30, 100), "OPAQUE", 100),
    ],
)
def test_alpha_as_the_map_says(
    tmp_path: Path, source: int, color: tuple[int, ...], mode: str, alpha: int
) -> None:
    maker = Maker()
    path = picture(tmp_path, "a.png", *color)
    made = Made(maker, maker.standard("a", {1: maker.bitmap(path, alpha_source=source)}), tmp_path)
    found = made.one()
    assert found.alpha_mode == mode
    assert pixel(found.base_color_texture) == [*color[:3], alpha]


def test_the_alpha_of_a_picture_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[Path] = []
    real = pictures._decode

    def noted(path: Path, data: bytes) -> Any:
        decoded.append(path)
        return real(path, data)

    monkeypatch.setattr(pictures, "_decode", noted)
    maker = Maker()
    path = picture(tmp_path, "a.png", 10, 20, 30, 100)
    subs: list[int | None] = [
        maker.standard(name, {1: maker.bitmap(path, alpha_source=0)}) for name in "abc"
    ]
    slots = Made(maker, maker.multi(subs, [0, 1, 2]), tmp_path).slots()
    modes = [found.alpha_mode for number in range(3) if (found := slots.material(number))]
    assert modes == ["BLEND"] * 3
    assert decoded == [tmp_path / "a.png"]


def test_opacity_blends_without_the_alpha_that_counts_for_nothing(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "a.png", 10, 20, 30, 100)
    material = maker.standard("a", {1: maker.bitmap(path, alpha_source=2)}, opacity=0.5)
    found = Made(maker, material, tmp_path).one()
    assert (found.alpha_mode, found.base_color[3]) == ("BLEND", 0.5)
    assert pixel(found.base_color_texture) == [10, 20, 30, 255]


def test_a_map_of_opacity_is_put_into_the_alpha(tmp_path: Path) -> None:
    maker = Maker()
    colors = maker.bitmap(picture(tmp_path, "a.png", 10, 20, 30))
    opacity = maker.bitmap(picture(tmp_path, "o.png", 51, 51, 51, size=(4, 4)))
    made = Made(maker, maker.standard("a", {1: colors, 6: opacity}, opacity=0.5), tmp_path)
    found = made.one()
    assert pixel(found.base_color_texture) == [10, 20, 30, 51]
    assert (found.alpha_mode, found.base_color[3]) == ("BLEND", 1.0)
    assert {line[1] for line in made.lines("texture")} == {Outcome.APPROXIMATED}


def test_an_opacity_that_is_the_alpha_of_the_picture(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "a.png", 10, 20, 30, 100)
    maps = {1: maker.bitmap(path), 6: maker.bitmap(path, mono_output=1)}
    found = Made(maker, maker.standard("a", maps), tmp_path).one()
    assert found.base_color_texture is not None
    assert found.base_color_texture.texture.image.data == (tmp_path / "a.png").read_bytes()
    assert found.alpha_mode == "BLEND"


def test_opacity_alone_leaves_the_colour(tmp_path: Path) -> None:
    maker = Maker()
    opacity = maker.bitmap(picture(tmp_path, "o.png", 0, 0, 0))
    found = Made(maker, maker.standard("a", {6: opacity}), tmp_path).one()
    assert pixel(found.base_color_texture) == [255, 255, 255, 0]
    assert found.base_color == (0.5, 0.25, 0.125, 1.0)
    assert found.alpha_mode == "MASK"


def test_metalness_and_roughness_are_one_picture(tmp_path: Path) -> None:
    maker = Maker()
    rough = maker.bitmap(picture(tmp_path, "r.png", 90, 90, 90))
    metal = maker.bitmap(picture(tmp_path, "m.png", 30, 30, 30))
    values = {
        4: (FLOAT, 0.25),
        6: (FLOAT, 0.5),
        104: (TEXTURE, rough),
        105: (TEXTURE, metal),
        154: (BOOLEAN, 1),
        155: (BOOLEAN, 1),
    }
    found = Made(maker, maker.physical("a", values), tmp_path).one()
    assert pixel(found.metallic_roughness_texture) == [255, 90, 30, 255]
    assert (found.metallic, found.roughness) == (1.0, 1.0)


def test_one_of_them_keeps_the_value_of_the_other(tmp_path: Path) -> None:
    maker = Maker()
    gloss = maker.bitmap(picture(tmp_path, "g.png", 255, 255, 255))
    values = {
        4: (FLOAT, 0.25),
        5: (BOOLEAN, 1),
        6: (FLOAT, 0.5),
        104: (TEXTURE, gloss),
        154: (BOOLEAN, 1),
    }
    found = Made(maker, maker.physical("a", values), tmp_path).one()
    # Glossiness is stored, so white is smooth.
    assert pixel(found.metallic_roughness_texture) == [255, 0, 255, 255]
    assert (found.metallic, found.roughness) == (0.5, 1.0)


def test_transparency_of_a_physical_material_is_alpha(tmp_path: Path) -> None:
    maker = Maker()
    clear = maker.bitmap(picture(tmp_path, "t.png", 51, 51, 51))
    values = {30: (FLOAT, 1.0), 109: (TEXTURE, clear), 159: (BOOLEAN, 1)}
    found = Made(maker, maker.physical("a", values), tmp_path).one()
    assert pixel(found.base_color_texture) == [255, 255, 255, 204]
    assert "KHR_materials_transmission" not in found.extensions


def test_emission(tmp_path: Path) -> None:
    maker = Maker()
    glow = maker.bitmap(picture(tmp_path, "e.png", 10, 20, 30))
    values = {
        50: (FLOAT, 4.0),
        51: (FRGBA, (1.0, 1.0, 1.0, 1.0)),
        117: (TEXTURE, glow),
        167: (BOOLEAN, 1),
    }
    found = Made(maker, maker.physical("a", values), tmp_path).one()
    assert pixel(found.emissive_texture) == [10, 20, 30, 255]
    assert found.emissive == (1.0, 1.0, 1.0)
    assert found.extensions["KHR_materials_emissive_strength"] == {"emissiveStrength": 4.0}


def test_without_its_picture_nothing_glows(tmp_path: Path) -> None:
    maker = Maker()
    values = {
        50: (FLOAT, 1.0),
        51: (FRGBA, (1.0, 1.0, 1.0, 1.0)),
        117: (TEXTURE, maker.bitmap("lost.png")),
        167: (BOOLEAN, 1),
    }
    assert Made(maker, maker.physical("a", values), tmp_path).one().emissive == (0.0, 0.0, 0.0)


def test_what_glows_by_itself_glows_in_its_colours(tmp_path: Path) -> None:
    maker = Maker()
    maps = {1: maker.bitmap(picture(tmp_path, "a.png", 10, 20, 30))}
    found = Made(maker, maker.standard("a", maps, glow=0.5), tmp_path).one()
    assert found.emissive == (0.5, 0.5, 0.5)
    assert found.emissive_texture is not None
    assert found.base_color_texture is not None
    assert found.emissive_texture.texture is found.base_color_texture.texture


def test_normals_and_heights(tmp_path: Path) -> None:
    maker = Maker()
    normals = maker.bitmap(picture(tmp_path, "n.png", 128, 100, 250))
    heights = maker.bitmap(picture(tmp_path, "h.png", 90, 90, 90))
    values = {
        0: (FLOAT, 0.5),
        1: (FLOAT, 1.0),
        2: (TEXTURE, normals),
        3: (TEXTURE, heights),
        4: (BOOLEAN, 1),
        5: (BOOLEAN, 1),
        6: (INTEGER, 0),
        7: (BOOLEAN, 0),
        8: (BOOLEAN, 0),
        9: (BOOLEAN, 0),
    }
    bump = maker.add(NORMAL_BUMP, [], [new_block(maker, NORMAL_BUMP, values)])
    made = Made(maker, maker.standard("a", {8: bump}), tmp_path)
    found = made.one()
    # Green points down in 3ds Max, unless it is flipped there, and up in glTF.
    assert pixel(found.normal_texture) == [128, 155, 250, 255]
    assert found.normal_texture is not None
    assert found.normal_texture.scale == 0.5
    assert [line[1:] for line in made.lines("texture")] == [
        (Outcome.LEFT_OUT, "it is a map of heights, and glTF has only pictures of normals"),
        (Outcome.CONVERTED, ""),
    ]


def test_a_picture_of_normals_in_the_slot_of_bumps(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "n.png", 128, 100, 250)
    found = Made(maker, maker.standard("a", {8: maker.bitmap(path)}), tmp_path).one()
    assert pixel(found.normal_texture) == [128, 100, 250, 255]
    maker = Maker()
    path = picture(tmp_path, "h.png", 90, 90, 90)
    made = Made(maker, maker.standard("a", {8: maker.bitmap(path)}), tmp_path)
    assert made.one().normal_texture is None
    assert made.lines("texture")[0][1] is Outcome.LEFT_OUT


def test_a_colour_times_a_map(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "a.png", 10, 20, 30)
    values = {
        0: (COLOR, (1.0, 1.0, 1.0)),
        1: (COLOR, (0.0, 0.5, 1.0)),
        2: (TEXTURE, maker.bitmap(path)),
        3: (TEXTURE, None),
        4: (BOOLEAN, 1),
        5: (BOOLEAN, 1),
        6: (INTEGER, 2),
    }
    product = maker.add(MULTIPLY, [], [new_block(maker, MULTIPLY, values)])
    found = Made(maker, maker.standard("a", {1: product}), tmp_path).one()
    assert found.base_color == (0.0, 0.5, 1.0, 1.0)
    assert pixel(found.base_color_texture) == [10, 20, 30, 255]


def test_what_glTF_has_no_place_for(tmp_path: Path) -> None:
    maker = Maker()
    checker = maker.add(CHECKER, [], [])
    mirror = maker.bitmap(picture(tmp_path, "a.png", 1, 2, 3))
    made = Made(maker, maker.standard("a", {1: checker, 9: mirror}), tmp_path)
    found = made.one()
    # What is calculated leaves the colour.
    assert found.base_color == (0.5, 0.25, 0.125, 1.0)
    reasons = [line[2] for line in made.lines("texture")]
    assert reasons == [
        "200,0 is calculated; glTF has only pictures",
        "glTF has no place for a map of reflection",
    ]


def test_specular_maps(tmp_path: Path) -> None:
    maker = Maker()
    maps = {
        2: maker.bitmap(picture(tmp_path, "c.png", 10, 20, 30)),
        3: maker.bitmap(picture(tmp_path, "l.png", 90, 90, 90)),
        4: maker.bitmap(picture(tmp_path, "g.png", 0, 0, 0)),
    }
    found = Made(maker, maker.standard("a", maps), tmp_path).one()
    specular = found.extensions["KHR_materials_specular"]
    assert pixel(specular["specularColorTexture"]) == [10, 20, 30, 255]
    assert pixel(specular["specularTexture"]) == [255, 255, 255, 90]
    assert "specularFactor" not in specular
    # No glossiness at all is all rough.
    assert pixel(found.metallic_roughness_texture) == [255, 255, 255, 255]


# --- files -----------------------------------------------------------------------------------


def test_copied_files_have_safe_names(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "con.png").write_bytes(b"mine")
    (out / "wood.png").write_bytes(b"mine")
    maker = Maker()
    subs: list[int | None] = []
    for number, name in enumerate(("wood.png", "con.png", "a b%&.png", "wood.tga")):
        path = picture(tmp_path, name, number, 20, 30)
        subs.append(maker.standard(name, {1: maker.bitmap(path)}))
    material = maker.multi(subs, list(range(len(subs))))
    made = Made(maker, material, tmp_path, out, textures="copy")
    uris = []
    for number in range(len(subs)):
        found = made.slots().material(number)
        assert found is not None
        assert found.base_color_texture is not None
        image = found.base_color_texture.texture.image
        assert image.data is not None
        uris.append(image.uri)
    # Files that are there are not overwritten, unless they are the same.
    assert uris == ["wood-2.png", "_con.png", "a b__.png", "wood-3.png"]


def test_files_that_are_referred_to(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    maker = Maker()
    subs: list[int | None] = [
        maker.standard("a", {1: maker.bitmap(picture(tmp_path, "a.png", 1, 2, 3))}),
        maker.standard("b", {1: maker.bitmap(picture(tmp_path, "b.tga", 1, 2, 3))}),
    ]
    made = Made(maker, maker.multi(subs, [0, 1]), tmp_path, out, textures="reference")
    infos = []
    for number in range(2):
        found = made.slots().material(number)
        assert found is not None
        assert found.base_color_texture is not None
        infos.append(found.base_color_texture.texture.image)
    assert (infos[0].uri, infos[0].data) == ("../a.png", None)
    # glTF does not know the other format, so it is written anew.
    assert infos[1].uri == "b.png"
    assert infos[1].data is not None


def test_a_file_to_which_no_way_leads_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_way(path: object, start: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    maker = Maker()
    path = picture(tmp_path, "a.png", 1, 2, 3)
    material = maker.standard("a", {1: maker.bitmap(path)})
    monkeypatch.setattr("os.path.relpath", no_way)
    found = Made(maker, material, tmp_path, tmp_path / "out", textures="reference").one()
    assert found.base_color_texture is not None
    image = found.base_color_texture.texture.image
    assert (image.uri, image.data) == ("a.png", (tmp_path / "a.png").read_bytes())


def test_no_textures_at_all(tmp_path: Path) -> None:
    maker = Maker()
    path = picture(tmp_path, "a.png", 1, 2, 3)
    made = Made(maker, maker.standard("a", {1: maker.bitmap(path)}), tmp_path, textures="none")
    assert made.one().base_color_texture is None
    assert made.lines("texture") == []
    assert made.one().extras["max_diffuse_map"] == path


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker()
    subs: list[int | None] = [
        maker.standard("png", {1: maker.bitmap(picture(tmp_path, "a.png", 1, 2, 3, 4))}),
        maker.standard("tga", {1: maker.bitmap(picture(tmp_path, "b.tga", 1, 2, 3))}),
    ]
    monkeypatch.setattr(pictures, "_pillow", lambda: None)
    made = Made(maker, maker.multi(subs, [0, 1]), tmp_path)
    first, second = (made.slots().material(n) for n in range(2))
    assert first is not None
    assert second is not None
    assert first.base_color_texture is not None
    assert first.alpha_mode == "BLEND"
    assert second.base_color_texture is None
    assert "Pillow is missing (pip install maxsidecar[textures])" in made.lines("texture")[-1][2]
