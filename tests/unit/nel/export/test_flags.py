"""Export flags as the plug-in's readers see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.export.flags import Flags
from tests.support.nel_scenes import GameScene, viewed


def flags_of(folder: Path, **entries: Any) -> Flags:
    scene = GameScene()
    scene.box_node("node", **entries)
    with viewed(scene, folder) as view:
        return Flags(view.nodes[0])


@pytest.mark.parametrize(
    ("raw", "integer", "number", "one"),
    [
        (b"1\0", 1, 1.0, True),
        (b"01\0", 1, 1.0, False),
        (b" 7\0", 7, 7.0, False),
        (b"-3.5e1x\0", -3, -35.0, False),
        (b"2,5\0", 2, 2.5, False),
        (b"1\0\0\0", 1, 1.0, True),
        (b"\xef\xbb\xbf1\0", 1, 1.0, True),
        (b"99999999999\0", 9, 99999999999.0, False),
        (b"abc\0", 9, 9.0, False),
        (b"\0", 9, 9.0, False),
        (b"1", 9, 9.0, False),
        (b"", 9, 9.0, False),
    ],
)
def test_numbers(raw: bytes, integer: int, number: float, one: bool, tmp_path: Path) -> None:
    flags = flags_of(tmp_path, ACCEL=raw)
    assert flags.integer("ACCEL", 9) == integer
    assert flags.number("ACCEL", 9.0) == number
    assert flags.is_one("ACCEL") is one
    assert "ACCEL" in flags


def test_absent_entries_give_the_default(tmp_path: Path) -> None:
    flags = flags_of(tmp_path)
    assert (flags.integer("ACCEL", 32), flags.text("IGNAME", "x")) == (32, "x")
    assert "ACCEL" not in flags
    assert not flags.problems


def test_text_is_read_in_the_code_page_of_the_scene(tmp_path: Path) -> None:
    flags = flags_of(tmp_path, IGNAME="Café".encode("cp1252") + b"\0")
    assert flags.text("IGNAME") == "Café"


@pytest.mark.parametrize("raw", [b"12", b"many\0"])
def test_what_is_not_understood_is_told(raw: bytes, tmp_path: Path) -> None:
    flags = flags_of(tmp_path, LOD_NAME_COUNT=raw)
    assert flags.integer("LOD_NAME_COUNT", 0) == 0
    assert len(flags.problems) == 1
    assert "LOD_NAME_COUNT" in flags.problems[0]
