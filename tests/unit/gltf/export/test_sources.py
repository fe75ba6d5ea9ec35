"""From a map to the picture that it shows."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from maxsidecar.gltf.export.sources import Source, follow
from tests.support.blocks import (
    BOOLEAN,
    COLOR,
    FLOAT,
    INTEGER,
    STRING,
    TAB,
    TEXTURE,
    new_block,
    old_block,
)
from tests.support.scenes import Class, SceneMaker

BITMAP = (0x240, 0, 0xC10)
MASK = (0x220, 0, 0xC10)
OUTPUT_MAP = (0x2B0, 0, 0xC10)
MIX = (0x230, 0, 0xC10)
MULTIPLY = (0x290, 0, 0xC10)
COMPOSITE = (0x280, 0, 0xC10)
CHECKER = (0x200, 0, 0xC10)
OTHER = (0x1234, 0x5678, 0xC10)
MAP_OUTPUT = (0x100, 0, 0xC40)
UV = (0x100, 0, 0xC20)

Values = Mapping[int, tuple[int, object]]


def add(maker: SceneMaker, kind: Class, values: Values) -> int:
    return maker.add(kind, [], [new_block(maker, kind, values)])


def bitmap(maker: SceneMaker, path: str) -> int:
    return add(maker, BITMAP, {16: (STRING, path)})


def followed(maker: SceneMaker, index: int) -> tuple[Source | None, str]:
    return follow(maker.scene()[index])


def found(maker: SceneMaker, index: int) -> Source:
    source, reason = followed(maker, index)
    assert source is not None, reason
    return source


def test_masks_and_outputs_show_their_map() -> None:
    maker = SceneMaker()
    inner = add(
        maker,
        MASK,
        {
            0: (TEXTURE, bitmap(maker, "a.png")),
            1: (TEXTURE, bitmap(maker, "mask.png")),
            2: (BOOLEAN, 1),
            3: (BOOLEAN, 1),
            4: (BOOLEAN, 0),
        },
    )
    outer = add(maker, OUTPUT_MAP, {0: (TEXTURE, inner), 1: (BOOLEAN, 1)})
    source = found(maker, outer)
    assert source.path == "a.png"
    assert source.reasons == [
        "what 2b0,0 does to its colours is left out",
        "the mask of 220,0 is left out",
    ]


@pytest.mark.parametrize(("amount", "path"), [(0.25, "a.png"), (0.75, "b.png")])
def test_of_a_mix_the_stronger_one_is_shown(amount: float, path: str) -> None:
    maker = SceneMaker()
    values: Values = {
        0: (FLOAT, amount),
        3: (BOOLEAN, 0),
        4: (COLOR, (0.0, 0.0, 0.0)),
        5: (COLOR, (1.0, 1.0, 1.0)),
        6: (TEXTURE, bitmap(maker, "a.png")),
        7: (TEXTURE, bitmap(maker, "b.png")),
        8: (TEXTURE, None),
        9: (BOOLEAN, 1),
        10: (BOOLEAN, 1),
        11: (BOOLEAN, 0),
    }
    assert found(maker, add(maker, MIX, values)).path == path


def test_of_two_maps_that_are_multiplied_the_first_is_shown() -> None:
    maker = SceneMaker()
    values: Values = {
        0: (COLOR, (1.0, 1.0, 1.0)),
        1: (COLOR, (0.5, 0.5, 0.5)),
        2: (TEXTURE, bitmap(maker, "a.png")),
        3: (TEXTURE, bitmap(maker, "b.png")),
        4: (BOOLEAN, 1),
        5: (BOOLEAN, 1),
        6: (INTEGER, 0),
    }
    source = found(maker, add(maker, MULTIPLY, values))
    assert (source.path, source.factor) == ("a.png", (1.0, 1.0, 1.0))
    assert source.reasons == ["of the maps of 290,0 only the first is shown"]


def test_a_map_that_is_switched_off_is_not_multiplied() -> None:
    maker = SceneMaker()
    values: Values = {
        0: (COLOR, (0.25, 0.5, 0.75)),
        1: (COLOR, (1.0, 1.0, 1.0)),
        2: (TEXTURE, bitmap(maker, "a.png")),
        3: (TEXTURE, bitmap(maker, "b.png")),
        4: (BOOLEAN, 0),
        5: (BOOLEAN, 1),
        6: (INTEGER, 0),
    }
    source = found(maker, add(maker, MULTIPLY, values))
    assert (source.path, source.factor, source.reasons) == ("b.png", (0.25, 0.5, 0.75), [])


def test_of_layers_the_lowest_is_shown() -> None:
    maker = SceneMaker()
    layers = [bitmap(maker, "low.png"), bitmap(maker, "high.png")]
    values: Values = {
        5: (INTEGER | TAB, [0, 0]),
        6: (STRING | TAB, ["", ""]),
        8: (FLOAT | TAB, [100.0, 100.0]),
        9: (TEXTURE | TAB, layers),
        10: (TEXTURE | TAB, [None, None]),
    }
    assert found(maker, add(maker, COMPOSITE, values)).path == "low.png"


def test_maps_of_other_classes_that_name_a_picture() -> None:
    maker = SceneMaker()
    source = found(maker, add(maker, OTHER, {3: (STRING, "note"), 4: (STRING, r"C:\x\Sky.TGA")}))
    assert source.path == r"C:\x\Sky.TGA"


def test_what_shows_no_picture() -> None:
    maker = SceneMaker()
    source, reason = followed(maker, add(maker, CHECKER, {0: (FLOAT, 0.0)}))
    assert (source, reason) == (None, "200,0 is calculated; glTF has only pictures")
    empty = maker.add(BITMAP)
    assert found(maker, empty).path == ""
    no_map = maker.add((0x2, 0, 0xC00))
    assert followed(maker, no_map) == (None, "a map of no known kind")


def test_maps_that_hold_one_another_end() -> None:
    maker = SceneMaker()
    first, second = len(maker.objects) + 1, len(maker.objects) + 3
    for other in (second, first):
        add(maker, OUTPUT_MAP, {0: (TEXTURE, other), 1: (BOOLEAN, 1)})
    assert followed(maker, first) == (None, "maps in maps in maps")


@pytest.mark.parametrize("level", [2.0, float("nan"), float("inf")])
def test_the_level_of_the_output_is_a_factor(level: float) -> None:
    maker = SceneMaker()
    output = maker.add(MAP_OUTPUT, [], [old_block(maker, (level, 0.0, 1.0, 1.0))])
    block = new_block(maker, BITMAP, {16: (STRING, "a.png")})
    source = found(maker, maker.add(BITMAP, [], [block, output]))
    expected = level if level == 2.0 else 1.0
    assert source.factor == (expected, expected, expected)
