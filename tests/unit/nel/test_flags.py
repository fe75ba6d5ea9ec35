"""Export flags as the plug-in's readers see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.nel.export.registry import Job
from maxsidecar.nel.export.shapes import shape_exporter
from maxsidecar.nel.flags import Flags
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
        (b"99999999999\0", 20, 99999999999.0, False),
        (b"abc\0", 20, 20.0, False),
        (b"\0", 20, 20.0, False),
        (b"1", 20, 20.0, False),
        (b"", 20, 20.0, False),
    ],
)
def test_numbers(raw: bytes, integer: int, number: float, one: bool, tmp_path: Path) -> None:
    flags = flags_of(tmp_path, LOD_DIVISOR=raw)
    assert flags.integer("LOD_DIVISOR") == integer
    assert flags.number("LOD_DIVISOR") == number
    assert flags.is_one("LOD_DIVISOR") is one
    assert "LOD_DIVISOR" in flags


#: What nel-export-rules, section 1.2, says that readers assume; choices and bits by their number.
DEFAULTS = {
    "ACCEL": 32, "LOD_NAME_COUNT": 0, "LOD_DIVISOR": 20, "LOD_NB_LOD": 11, "LOD_SKIN_REDUCTION": 1,
    "LOD_BLEND_IN": 1, "EXPORT_REALTIME_LIGHT": 1, "EXPORT_AS_SUN_LIGHT": 0, "COLLISION": 0,
    "VEGETABLE_ALPHA_BLEND": 0, "VEGETABLE_ALPHA_BLEND_OFF_LIGHTED": 0, "VEGETABLE_BEND_CENTER": 0,
    "CAMERA_COLLISION_MESH_GENERATION": 0, "REMANENCE_SLICE_NUMBER": 2, "EXPORT_SWT": 0,
}  # fmt: skip


def test_absent_entries_give_the_default(tmp_path: Path) -> None:
    flags = flags_of(tmp_path)
    assert {name: flags.integer(name) for name in DEFAULTS} == DEFAULTS
    numbers = ("LOD_DIST_MAX", "LOD_BLEND_LENGTH", "VEGETABLE_BEND_FACTOR", "SWT_WEIGHT")
    assert [flags.number(name) for name in numbers] == [1000.0, 5.0, 1.0, 0.0]
    assert flags.text("IGNAME") == ""
    assert "ACCEL" not in flags
    assert not flags.problems


def test_text_is_read_in_the_code_page_of_the_scene(tmp_path: Path) -> None:
    flags = flags_of(tmp_path, IGNAME="Café".encode("cp1252") + b"\0")
    assert flags.text("IGNAME") == "Café"


@pytest.mark.parametrize("raw", [b"12", b"many\0"])
def test_what_is_not_understood_is_told(raw: bytes, tmp_path: Path) -> None:
    flags = flags_of(tmp_path, LOD_NAME_COUNT=raw)
    assert flags.integer("LOD_NAME_COUNT") == 0
    assert len(flags.problems) == 1
    assert "LOD_NAME_COUNT" in flags.problems[0]


def test_every_flag_has_a_default_that_can_be_read(tmp_path: Path) -> None:
    flags = flags_of(tmp_path)
    counted = [prop.name for prop in PROPERTIES if isinstance(prop.default, bool | int)]
    assert len(counted) > 40
    for name in counted:
        assert flags.on(name) is (flags.integer(name) != 0)


def test_one_scene_reads_the_flags_of_a_node_once(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("node", LOD_DIST_MAX=7)
    with viewed(scene, tmp_path) as view:
        node = view.nodes[0]
        exporter = shape_exporter(Job(view, "scene"))
        assert exporter.shared.flags(node) is view.flags(node)
