"""Bipeds in sidecars: what cannot be read is told, and what was edited comes back."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from struct import pack
from typing import Any

import jsonschema
import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import SidecarError
from maxsidecar.scene.biped.system import BipedSystem
from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import apply_file, extract_file
from maxsidecar.sidecar.schema import json_schema
from tests.support.biped_edit import SIZES, keyed
from tests.support.biped_leaves import floats
from tests.support.biped_scene import BipedScene, head_keys

OPTIONS = Options(include=frozenset({"biped"}))


def sidecar_of(folder: Path, records: Mapping[int, bytes]) -> Path:
    scene = BipedScene()
    scene.rig(records)
    path = folder / "rig.max"
    path.write_bytes(scene.to_bytes())
    return Path(extract_file(path, options=OPTIONS).path)


def edit(sidecar: Path, old: str, new: str) -> None:
    text = sidecar.read_text(encoding="utf-8")
    assert text.count(old) == 1
    sidecar.write_text(text.replace(old, new), encoding="utf-8")


def test_tracks_that_cannot_be_read(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, head_keys(320, 0))
    text = sidecar.read_text(encoding="utf-8")
    assert 'unreadable = ["keys of head: the times of the keys do not ascend"]' in text
    edit(sidecar, "unreadable = [", 'unreadable = ["mine", ')
    plan, _ = apply_file(sidecar)
    assert not plan.ok
    assert "for information" in str(plan.problems[0])


def test_a_figure_that_cannot_be_read(tmp_path: Path) -> None:
    text = sidecar_of(tmp_path, {0x006C: b""}).read_text(encoding="utf-8")
    assert "biped cannot be read: the centre of mass is not stored" in text


def test_keys_at_one_time_do_not_keep_others_from_moving(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, head_keys(0, 0, 320))
    scene = tmp_path / "rig.max"
    before = scene.read_bytes()
    edit(sidecar, "times = [0, 0, 320]", "times = [0, 160, 480]")
    plan, _ = apply_file(sidecar)
    assert plan.ok
    assert scene.read_bytes() != before
    edit(sidecar, "times = [0, 160, 480]", "times = [0, 0, 320]")
    plan, _ = apply_file(sidecar)
    assert plan.ok
    assert scene.read_bytes() == before


def test_figure_sizes_and_keys_are_shown_by_bone(tmp_path: Path) -> None:
    text = sidecar_of(tmp_path, SIZES | keyed()).read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text), json_schema())
    table = tomllib.loads(text)["node"]["Bip01"]["biped"]
    assert table["figure"]["position"] == [7.0, -5.0, 20.0]
    assert table["figure"]["right_arm"]["forearm"] == 180.0
    assert table["size"]["left_leg"]["thigh"] == [4.0, 4.1, 4.2]
    assert table["keys"]["turn"]["rotation"] == [[-0.6, 0.0, -0.0, 0.8]] * 3
    assert table["keys"]["vertical"]["height"][1] == [20.015, 20.016]
    assert table["keys"]["left_leg"]["calf"] == pytest.approx(
        np.degrees([0.4, 0.51, 0.62]), rel=1e-6
    )
    # One key is one line.
    assert "rotation = [\n  [-0.6, 0.0, -0.0, 0.8],\n" in text
    assert "center_offset" not in table["figure"]


def test_what_cannot_be_changed_is_listed(tmp_path: Path) -> None:
    """Nodes of the made scene have a scale of 1, which is not the size of their bones."""
    sidecar = sidecar_of(tmp_path, SIZES)
    text = sidecar.read_text(encoding="utf-8")
    listed = tomllib.loads(text)["node"]["Bip01"]["biped"]["read_only"]
    assert [line.partition(":")[0] for line in listed] == [
        "size.pelvis", "size.spine", "size.head", "size.right_arm.finger_0_1"
    ]  # fmt: skip
    edit(sidecar, "head = [0.9, 0.8, 0.7]", "head = [0.9, 0.8, 0.75]")
    plan, _ = apply_file(sidecar)
    assert not plan.ok
    assert "object offset of 'Bip01 Head' has another scale" in str(plan.problems[0])
    edit(sidecar, "head = [0.9, 0.8, 0.75]", "head = [0.9, 0.8, 0.7]")
    edit(sidecar, "read_only = [", "read_only = [  ")
    assert apply_file(sidecar)[0].ok
    edit(sidecar, '"size.pelvis', '"size.Pelvis')
    assert "for information" in str(apply_file(sidecar)[0].problems[0])


EDITS = [
    ("position = [7.0, -5.0, 20.0]", "position = [7.0, -5.5, 20.0]", "figure.position"),
    ("clavicle = [1.0, 1.1, 1.2]", "clavicle = [1.5, 1.1, 1.2]", "size.right_arm.clavicle"),
    ("  [20.015, 20.016],\n", "  [20.5, 20.5],\n", "keys.vertical.height"),
    ("forearm = [5.729578, ", "forearm = [30.0, ", "keys.right_arm.forearm"),
    ("times = [0, 320, 960]", "times = [0, 480, 960]", "keys.horizontal.times"),
]


def test_edits_are_applied_and_undone(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, SIZES | keyed())
    scene = tmp_path / "rig.max"
    before, text = scene.read_bytes(), sidecar.read_text(encoding="utf-8")
    for old, new, _ in EDITS:
        assert old in text
        text = text.replace(old, new, 1)
    sidecar.write_text(text, encoding="utf-8")
    plan, _ = apply_file(sidecar, dry_run=True)
    assert {".".join(change.path[1:]) for change in plan.changes} == {e[2] for e in EDITS}
    assert scene.read_bytes() == before
    assert apply_file(sidecar)[0].ok
    assert scene.read_bytes() != before
    # What was written is what a new sidecar says.
    written = tomllib.loads(sidecar.read_text(encoding="utf-8"))["node"]
    sidecar.unlink()
    extract_file(scene, options=OPTIONS)
    assert tomllib.loads(sidecar.read_text(encoding="utf-8"))["node"] == written
    again = sidecar.read_text(encoding="utf-8")
    for old, new, _ in EDITS:
        again = again.replace(new, old, 1)
    sidecar.write_text(again, encoding="utf-8")
    assert apply_file(sidecar)[0].ok
    assert scene.read_bytes() == before


def test_a_rig_is_not_read_anew_for_each_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = BipedSystem._read

    def counted(system: BipedSystem) -> Any:
        reads.append(system.index)
        return read(system)

    monkeypatch.setattr(BipedSystem, "_read", counted)

    def count(edits: list[tuple[str, str, str]]) -> int:
        folder = tmp_path / str(len(edits))
        folder.mkdir()
        sidecar = sidecar_of(folder, SIZES | keyed())
        for old, new, _ in edits:
            sidecar.write_text(sidecar.read_text("utf-8").replace(old, new, 1), "utf-8")
        reads.clear()
        assert len(apply_file(sidecar)[0].changes) == len(edits)
        return len(reads)

    assert count(EDITS) == count(EDITS[:1]) <= 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tension = [25.0, ", "tension = [50.5, ", "keys.turn.tension: key 1: out of range"),
        ("bias = [25.0, ", "bias = [true, ", "keys.horizontal.bias: key 1: wrong type"),
        ("bias = [25.0, ", "bias = [", "keys.horizontal.bias: keys keep their number"),
        ("times = [0, 320, 960]", "times = [0, 320, 96]", "keys.horizontal.times: key 3: times"),
        ("times = [0, 320, 960]", "times = [0, 320, 2147483648]", "times: key 3: out of range"),
        ("[-0.6, 0.0, -0.0, 0.8],", "[-0.6, 0.0, -0.0, 0.9],", "rotation: key 1: no rotation"),
        ("[-0.6, 0.0, -0.0, 0.8],", "", "keys keep their number"),
        ("position = [7.0, -5.0, 20.0]", "position = [7.0, nan, 20.0]", "out of range"),
        ("position = [7.0, -5.0, 20.0]", "position = 7.0", "wrong type"),
        ("forearm = 180.0", "forearm = [180.0]", "wrong type"),
        ("thigh = [4.0, 4.1, 4.2]", "thigh = [4.0, -4.1, 4.2]", "out of range"),
        ("thigh = [4.0, 4.1, 4.2]", "thigh = [4.0, 4.1]", "wrong count"),
        ("thigh = [4.0, 4.1, 4.2]", "tight = [4.0, 4.1, 4.2]", "unknown key"),
        ("spine = 2\n", "spine = 3\n", "cannot be changed"),
        ("head_length = 0.9", "head_length = 1.0", "size.head"),
    ],
)
def test_wrong_edits_change_nothing(tmp_path: Path, old: str, new: str, message: str) -> None:
    sidecar = sidecar_of(tmp_path, SIZES | keyed())
    scene = tmp_path / "rig.max"
    before = scene.read_bytes()
    text = sidecar.read_text(encoding="utf-8")
    assert old in text
    # A good edit in front of the wrong one.
    text = text.replace("tension = [25.0, ", "tension = [10.0, ", 1)
    sidecar.write_text(text.replace(old, new, 1), encoding="utf-8")
    plan, _ = apply_file(sidecar)
    assert [message in str(problem) for problem in plan.problems] == [True]
    assert "\n" not in plan.problems[0].message
    assert scene.read_bytes() == before


def test_numbers_that_are_none_can_be_replaced(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, {0x0067: pack("<i", 6) + floats(float("nan"), 0, 0, 1, 2, 3)})
    edit(sidecar, 'spine = "not a number"', "spine = [1.0, 2.0, 3.0]")
    assert apply_file(sidecar)[0].ok
    sidecar.unlink()
    extract_file(tmp_path / "rig.max", options=OPTIONS)
    assert "\nspine = [1.0, 2.0, 3.0]\n" in sidecar.read_text(encoding="utf-8")


def test_the_scale_of_a_bone_is_changed_where_its_size_is(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig(SIZES)
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    options = Options(include=frozenset({"biped", "transform"}))
    sidecar = Path(extract_file(path, options=options).path)
    text = sidecar.read_text(encoding="utf-8")
    nodes = tomllib.loads(text)["node"]
    assert nodes["Bip01 Head"]["transform"]["pivot_scale"] == [1.0, 1.0, 1.0]
    start = text.index('[node."Bip01 Head".transform]')
    sidecar.write_text(
        text[:start]
        + text[start:].replace("pivot_scale = [1.0, 1.0, 1.0]", "pivot_scale = [2.0, 1.0, 1.0]", 1),
        encoding="utf-8",
    )
    plan, _ = apply_file(sidecar)
    assert "change biped.size.head of the centre of mass" in str(plan.problems[0])
    # That of a nub is its own.
    start = text.index('[node."Bip01 R Finger0Nub".transform]')
    sidecar.write_text(
        text[:start]
        + text[start:].replace("pivot_scale = [1.0, 1.0, 1.0]", "pivot_scale = [2.0, 1.0, 1.0]", 1),
        encoding="utf-8",
    )
    assert apply_file(sidecar)[0].ok


def test_a_size_and_the_scale_that_is_listed_stay_in_step(tmp_path: Path) -> None:
    scene = BipedScene()
    scene.rig(SIZES)
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    scene_file = maxsidecar.open(path)
    nodes = {node.name: node for node in scene_file.nodes.values()}
    old = nodes["Bip01 Head"].offset_scale
    assert old is not None
    x, y, z = np.array([0.9, 0.8, 0.7], np.float32).astype(float)
    nodes["Bip01 Head"].offset_scale = old.replace(x=x, y=y, z=z)
    scene_file.save()
    options = Options(include=frozenset({"biped", "transform"}))
    sidecar = Path(extract_file(path, options=options).path)
    before = path.read_bytes()
    edit(sidecar, "head = [0.9, 0.8, 0.7]", "head = [1.5, 0.8, 0.7]")
    assert apply_file(sidecar)[0].ok
    text = sidecar.read_text(encoding="utf-8")
    assert "pivot_scale = [1.5, 0.8, 0.7]" in text
    assert "head_length = 1.5" in text
    assert apply_file(sidecar)[0].changes == []
    edit(sidecar, "head = [1.5, 0.8, 0.7]", "head = [0.9, 0.8, 0.7]")
    assert apply_file(sidecar)[0].ok
    assert path.read_bytes() == before


def test_a_new_sidecar_says_what_the_numbers_are(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, SIZES | keyed())
    text = sidecar.read_text(encoding="utf-8")
    for header, note in (
        ("figure", "# position: of the pelvis, in units of the scene"),
        ("size", "# length, then what the bone measures across, in units of the scene"),
        ("keys.horizontal", "# of each key: time in ticks of 1/4800 s"),
        ("keys.vertical", "# height: of the pelvis, of the centre of mass\n"),
    ):
        assert f"[node.Bip01.biped.{header}]\n{note}" in text
    # Once for all keys, and not again where values are edited.
    assert text.count("# of each key: ") == 1
    edit(sidecar, "position = [7.0, -5.0, 20.0]", "position = [7.0, -5.5, 20.0]")
    assert apply_file(sidecar)[0].ok
    again = sidecar.read_text(encoding="utf-8")
    assert again.count("\n# ") == text.count("\n# ")


def test_messages_say_of_which_head_they_are(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, SIZES | keyed())
    text = sidecar.read_text(encoding="utf-8")
    text = text.replace("head = [0.9, 0.8, 0.7]", "head = [0.9, 0.8]", 1)
    parts = text.split("\nhead = [")
    assert len(parts) == 4
    wrong = "\nhead = [".join([parts[0], f'"x", {parts[1]}', *parts[2:3], f"1.0,{parts[3]}"])
    sidecar.write_text(wrong, encoding="utf-8")
    found = [problem.message.partition(": ")[0] for problem in apply_file(sidecar)[0].problems]
    assert found == ["figure.head", "size.head", "keys.head.head"]


@pytest.mark.parametrize("ticks", [(0, 320), (0, 320, 640, 960)])
def test_edits_of_keys_that_became_more_or_less(tmp_path: Path, ticks: tuple[int, ...]) -> None:
    """As when somebody sets a key in the scene while the sidecar waits to be applied."""
    sidecar = sidecar_of(tmp_path, SIZES | keyed())
    text = sidecar.read_text(encoding="utf-8")
    text = text.replace("forearm = [5.729578, ", "forearm = [30.0, ", 1)
    text = text.replace("times = [0, 320, 960]", "times = [0, 480, 960]", 1)
    text = text.replace("  [20.015, 20.016],\n", "  [20.5, 20.5],\n", 1)
    text = text.replace("calf = 180.0", "calf = 150.0", 1)
    sidecar.write_text(text, encoding="utf-8")
    scene = BipedScene()
    scene.rig(SIZES | keyed(ticks))
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    plan, _ = apply_file(sidecar)
    assert len(plan.problems) == 3
    for problem in plan.problems:
        assert "keys keep their number; the scene changed it since" in str(problem)
    with pytest.raises(SidecarError, match="extract --discard takes the scene's value"):
        extract_file(path)
    assert sidecar.read_text(encoding="utf-8") == text
    extract_file(path, discard=True)
    plan, _ = apply_file(sidecar)
    # The edit that fits was kept.
    assert [".".join(change.path) for change in plan.changes] == ["biped.figure.right_leg.calf"]
    assert not plan.problems
    table = tomllib.loads(sidecar.read_text(encoding="utf-8"))["node"]["Bip01"]["biped"]
    assert table["keys"]["horizontal"]["times"] == list(ticks)
    assert len(table["keys"]["right_arm"]["forearm"]) == len(ticks)
