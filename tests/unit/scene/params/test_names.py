"""Names of parameters: the tables, and the source text of attributes."""

from __future__ import annotations

import time

import pytest

from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.params import names
from maxsidecar.scene.params.names import Status, all_names, names_of_block, names_of_old_block
from maxsidecar.scene.params.script_source import declared_parameters
from tests.support.blocks import (
    BOOLEAN,
    FLOAT,
    FRGBA,
    INTEGER,
    MATERIAL,
    PERCENT,
    STRING,
    TAB,
    TEXTURE,
    new_block,
)
from tests.support.scenes import SceneMaker


def test_every_line_names_each_id_once() -> None:
    table = all_names()
    assert len(table) > 150
    for key, block in table.items():
        assert block.names, key
        assert len(set(block.names.values())) == len(block.names), block
        assert block.status.keys() == block.names.keys()
        assert block.title


def test_place_and_number_of_parameters() -> None:
    uv = ClassId(0x100)
    new = names_of_old_block(uv, 0xC20, 0, 13)
    old = names_of_old_block(uv, 0xC20, 0, 11)
    assert new is not None
    assert old is not None
    assert (new.names[4], old.names[4]) == ("u_angle", "w_angle")
    assert names_of_old_block(uv, 0xC20, 0, 12) is None
    assert names_of_old_block(uv, 0xC20, 1, 13) is None
    assert names_of_old_block(uv, 0xC30, 0, 13) is None
    channel = names_of_old_block(ClassId(0x17BB6854, 0xA5CBA2A3), 0x810, 57, 1)
    assert channel is not None
    assert channel.names == {0: "percent"}
    box = names_of_block(ClassId(0x10), 0x10, 2, 7)
    assert box is not None
    assert [box.names[i] for i in range(3)] == ["length", "width", "height"]
    assert (box.status[0], box.status[6]) == (Status.MEASURED, Status.DOCUMENTED)
    # What is only guessed has no name.
    plane = names_of_block(ClassId(0x81F1DFC, 0x77566F65), 0x10, 2, 7)
    assert plane is not None
    assert 4 not in plane.names


def test_more_names_can_be_added() -> None:
    lines = "1/2/c00 Own; b1n2 s3; first! - third\n    7=eighth*\n# a comment\n"
    names.add_names(lines)
    try:
        found = names_of_block(ClassId(1, 2), 0xC00, 1, 2)
        assert found is not None
        assert found.names == {0: "first", 2: "third", 7: "eighth"}
        assert found.status[7] is Status.NAMED
        assert names_of_block(ClassId(1, 2), 0xC00, 1, 3) is None
        assert names_of_old_block(ClassId(1, 2), 0xC00, 3, 99) is not None
    finally:
        all_names.cache_clear()


@pytest.mark.parametrize(
    "line",
    [
        "1/2/3 a; x1; name",
        "1/2/3 a; b1; Name",
        "1/2 a; b1; name",
        "a",
        "1/2/3 a; b1; name; x",
        "1/2/3 a; b1; name; ff",
        "1/2/3 a; b1; name other; f",
        "1/2/3 a; b1; name; f; f",
    ],
)
def test_lines_that_are_wrong(line: str) -> None:
    with pytest.raises(ValueError, match=r"not a|invalid literal|unpack"):
        names.add_names(line)


def test_a_line_with_types_names_only_blocks_that_have_them() -> None:
    """Ids mean other things in other releases, and unproven lists must not name by chance."""
    owner = (1, 2, 0xC00)
    names.add_names("1/2/c00 Own; b0; tint level - map maps kinds; c f . t T .")
    good = {0: (FRGBA, (0, 0, 0, 1)), 1: (PERCENT, 0.5), 2: (STRING, "x"), 3: (TEXTURE, None)}
    try:
        maker = SceneMaker()
        blocks = [
            new_block(maker, owner, good | {4: (TEXTURE | TAB, [None]), 5: (INTEGER, 1)}),
            new_block(maker, owner, {1: (FLOAT, 1.0), 9: (BOOLEAN, 1)}),
            new_block(maker, owner, good | {1: (INTEGER, 1)}),
            new_block(maker, owner, good | {4: (TEXTURE, None)}),
            new_block(maker, owner, good | {3: (MATERIAL, None)}),
        ]
        scene = maker.scene()
        found = [scene[index].names for index in blocks]  # type: ignore[attr-defined]
    finally:
        all_names.cache_clear()
    assert found == [
        {0: "tint", 1: "level", 3: "map", 4: "maps", 5: "kinds"},
        {1: "level"},
        {},
        {},
        {},
    ]


def test_maps_of_public_lists_are_told_by_arithmetic() -> None:
    """OpenPBR: map = value + 499, switch = map + 100; VRayMtl: switch + 50, amount + 100."""
    openpbr = names_of_block(ClassId(0xF1551E33, 0x37FB1337), 0xC00, 0, 129)
    vray = names_of_block(ClassId(0x37BF3F2F, 0x7034695C), 0xC00, 4, 60)
    assert openpbr is not None
    assert vray is not None
    for number in range(1, 37):
        name = openpbr.names[number]
        assert openpbr.names[number + 499] == f"{name}_map"
        assert openpbr.names[number + 599] == f"{name}_map_on"
    for number in range(100, 120):
        name = vray.names[number]
        assert name.endswith("_map")
        assert vray.names[number + 50] == f"{name}_on"
        assert vray.names[number + 100] == f"{name}_multiplier"


SOURCE = """
-- parameters commented ( no type:#float )
attributes "Any (" version:0 attribID:#(0x1, 0x2)
(
    /* parameters no ( a type:#float ) */
    Parameters main rollout:params
    (
        first Type:#FLOAT UI:'first' Default:-1.5 second type:#integer default:(color 1 2 3)
        'third one' default:#none type:#string ui:(a, b)
        on first set val do ( second type:#x )
        tab type:#floatTab tabSize:3
            tabSizeVariable:true
        text type:#string default:"parameters x ( y type:#z )"
    )
    rollout params "Parameters" ( spinner 'first' "First" type:#float )
    parameters other ( a type:#node id:4 b type:#node c id:9 type:#node )
)
"""


def test_declarations_in_source_text() -> None:
    assert declared_parameters(SOURCE) == [
        {0: "first", 1: "second", 2: "third one", 3: "tab", 4: "text"},
        {4: "a", 1: "b", 9: "c"},
    ]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "parameters",
        "parameters x",
        "parameters (",
        "parameters x ( a type:",
        "(" * 1000,
        'parameters x ( a type:#b default:"',
        "parameters x ( a type:#b /* ",
        "parameters x ) a type:#b",
    ],
)
def test_broken_source_text(source: str) -> None:
    for block in declared_parameters(source):
        assert set(block.values()) <= {"a"}


def test_long_source_text_takes_no_long_time() -> None:
    start = time.process_time()
    for part in ("parameters x ( ", '"', "'", "/* ", "a type:#b ", "-"):
        declared_parameters(part * 20000)
    assert time.process_time() - start < 5
