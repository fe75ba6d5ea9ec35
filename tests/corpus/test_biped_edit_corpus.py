"""Editing bipeds of real scenes: what is stored twice, what moves, and what comes back."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.biped.edit_pose import (
    figure_names,
    figure_value,
    key_pose,
    key_pose_names,
    set_figure_value,
    set_key_pose,
    why_read_only,
)
from maxsidecar.scene.biped.edit_size import (
    bone_size,
    bone_sizes,
    set_bone_size,
)
from maxsidecar.scene.biped.edit_size import why_read_only as why_size_read_only
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.poses import figure_values, key_values
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.sets import RecordSets
from maxsidecar.scene.biped.sizes import sizes_of
from maxsidecar.scene.biped.structure import read_structure
from maxsidecar.scene.biped.system import BipedController, BipedSystem
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.transform import Pose
from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import apply_file, extract_file
from tests.support.biped_edit import system_of

OPTIONS = Options(include=frozenset({"biped"}))
#: One part of each kind; those that a rig lacks are left out.
PARTS = (
    "position", "rotation", "head", "neck", "spine_1", "tail", "ponytail_1",
    "right_arm.clavicle", "left_arm.upper_arm", "right_arm.forearm", "left_arm.hand",
    "right_arm.finger_0", "left_arm.finger_0_1", "right_leg.thigh", "left_leg.calf",
    "right_leg.foot", "left_leg.toe_0", "right_leg.toe_0_1",
)  # fmt: skip
SIZES = ("pelvis", "spine", "neck", "head", "ponytail_1_1", "right_arm.clavicle",
         "left_arm.forearm", "right_arm.finger_0", "right_leg.calf", "left_leg.calf",
         "left_leg.toe_0")  # fmt: skip


@pytest.fixture(scope="module")
def paths(corpus_files: tuple[Path, ...]) -> list[Path]:
    """Every scene with a biped."""
    marked = [path for path in corpus_files if "Biped".encode("utf-16le") in path.read_bytes()]
    return [
        path
        for path in marked
        if any(isinstance(item, BipedSystem) for item in maxsidecar.open(path).scene)
    ]


@pytest.fixture(scope="module")
def scenes(paths: list[Path]) -> list[MaxFile]:
    """Opened once; every test leaves them as they were."""
    assert len(paths) >= 10
    return [maxsidecar.open(path) for path in paths]


def test_sizes_agree_wherever_they_are_stored(scenes: list[MaxFile]) -> None:
    """Live sets with the nodes of their bones, and the clipboards' of other rigs."""
    sets = nodes = 0
    for scene_file in scenes:
        system = system_of(scene_file)
        rig = system.rig
        sizes = bone_sizes(system)
        assert [size.name for size in sizes_of(rig.structure)] == list(sizes)
        for size in sizes.values():
            assert why_size_read_only(rig, size) is None
            nodes += len(size.nodes)
        for live in rig.sets.clipboard:
            structure = read_structure(live, rig.sets.common)
            other = replace(rig, structure=structure, sets=RecordSets(live=live))
            for size in sizes_of(structure):
                assert why_size_read_only(other, size) is None
            for value in figure_values(other).values():
                assert why_read_only(other, value) is None
        sets += 1 + len(rig.sets.clipboard)
    assert sets >= 166
    assert nodes >= 312


def test_every_pose_can_be_changed(scenes: list[MaxFile]) -> None:
    values = 0
    for scene_file in scenes:
        rig = system_of(scene_file).rig
        found = list(figure_values(rig).values())
        for track in rig.tracks:
            assert key_values(rig, track)
            found += key_values(rig, track).values()
        assert not [value.name for value in found if why_read_only(rig, value)]
        values += len(found)
    assert values > 500


def nudged(numbers: list[float]) -> list[float]:
    if len(numbers) == 4:
        # Another rotation.
        return [numbers[1], -numbers[0], numbers[3], -numbers[2]]
    return [number + 1.5 for number in numbers]


def distinct(scenes: list[MaxFile]) -> list[MaxFile]:
    """Return one scene of each rig, that with keys on most tracks."""
    found: dict[tuple[float, ...], MaxFile] = {}
    for scene_file in sorted(scenes, key=lambda scene: len(system_of(scene).rig.tracks)):
        structure = system_of(scene_file).rig.structure
        found[structure.head_length, *structure.spine.lengths] = scene_file
    return list(found.values())


def test_edits_are_read_back_and_undone(scenes: list[MaxFile]) -> None:
    edits = 0
    rigs = distinct(scenes)
    assert len(rigs) == 5
    for number, scene_file in enumerate(rigs):
        system = system_of(scene_file)
        # Every other part, the rest in the next scene.
        some = slice(number % 2, None, 2)
        before = {item.index: bytes(item.data.data) for item in scene_file.scene}
        names, sizes = figure_names(system), bone_sizes(system)
        for name in [part for part in PARTS if part in names][some]:
            old = figure_value(system, name)
            set_figure_value(system, name, nudged(old))
            assert figure_value(system, name) == pytest.approx(nudged(old), rel=1e-6, abs=1e-6)
            set_figure_value(system, name, old)
            edits += 1
        for name in [part for part in SIZES if part in sizes][some]:
            old = bone_size(system, name)
            set_bone_size(system, name, nudged(old))
            assert bone_size(system, name) == pytest.approx(nudged(old), rel=1e-6)
            assert why_size_read_only(system.rig, bone_sizes(system)[name]) is None
            set_bone_size(system, name, old)
            edits += 1
        for track in list(system.rig.tracks)[some]:
            for name in key_pose_names(system, track)[:2]:
                rows = key_pose(system, track, name)
                new = [*rows[:-1], nudged(rows[-1])]
                set_key_pose(system, track, name, new)
                found = key_pose(system, track, name)[-1]
                assert found == pytest.approx(new[-1], rel=1e-6, abs=1e-6)
                set_key_pose(system, track, name, rows)
                edits += 1
        assert {item.index: bytes(item.data.data) for item in scene_file.scene} == before
    assert edits > 80


def postures(system: BipedSystem) -> Iterator[Any]:
    rig = system.rig
    live = rig.sets.live
    yield figure_posture(rig.structure, live)
    track = rig.tracks.get("head")
    times = np.zeros(1) if track is None else track.times
    yield posture_at(rig.structure, live, rig.sets.common, rig.tracks, times)


@pytest.mark.parametrize(
    ("name", "bone", "parts"),
    [
        ("neck", Role("neck"), {"head", "pony1"}),
        ("left_leg.thigh", Role("leg", LEFT, 0), {"leg", "toe"}),
    ],
)
def test_a_longer_bone_moves_what_is_below_it(
    scenes: list[MaxFile], name: str, bone: Role, parts: set[str]
) -> None:
    """By the difference along the bone: in the figure, above the legs also at the times of keys."""
    compared = 0
    for scene_file in scenes:
        system = system_of(scene_file)
        before = [bones_of(system.rig.structure, pose) for pose in postures(system)]
        old = bone_size(system, name)
        longer = float(np.float32(old[0] * 1.25))
        set_bone_size(system, name, [longer, *old[1:]])
        after = [bones_of(system.rig.structure, pose) for pose in postures(system)]
        set_bone_size(system, name, old)
        # A planted foot bends the knee of a longer leg.
        figures = slice(None) if bone.part == "neck" else slice(1)
        for bones, others in zip(before[figures], after[figures], strict=True):
            along = bones[bone].turn @ np.array([longer - old[0], 0.0, 0.0])
            for role, frame in bones.items():
                if role.part == "footsteps":
                    continue
                assert np.array_equal(frame.turn, others[role].turn), role
                below = role.part.removesuffix(" nub") in parts and role.side == bone.side
                below = below and (role.part, role.link) != ("leg", 0)
                away = others[role].place - frame.place
                # A link of a chain slips about its end, which moves its beginning a little.
                near = 2e-3 if bone.part == "neck" else 1e-5
                assert np.abs(away - (along if below else 0.0)).max() < near * longer, role
                compared += below
    assert compared > 40


@pytest.mark.parametrize(
    ("name", "change", "bone", "way"),
    [
        ("spine", [10.0, 0, 0], Role("head"), "back"),
        ("spine", [0, 10.0, 0], Role("head"), "right"),
        ("spine", [0, 0, 10.0], Role("arm", LEFT, 1), "back"),
        ("left_arm.clavicle", [10.0, 0], Role("arm", LEFT, 1), "forward"),
        ("right_arm.clavicle", [0, 10.0], Role("arm", RIGHT, 1), "down"),
        ("right_leg.calf", [-20.0], Role("leg", RIGHT, 2), "back"),
        ("left_arm.forearm", [-20.0], Role("arm", LEFT, 3), "forward"),
    ],
)
def test_angles_turn_as_documented(
    scenes: list[MaxFile], name: str, change: list[float], bone: Role, way: str
) -> None:
    """Figures stand upright and look along -y: their toes are there."""
    ways = {"back": [0, 1, 0], "forward": [0, -1, 0], "right": [-1, 0, 0], "down": [0, 0, -1]}
    for scene_file in distinct(scenes):
        system = system_of(scene_file)

        def bones(system: BipedSystem = system) -> Any:
            rig = system.rig
            return bones_of(rig.structure, figure_posture(rig.structure, rig.sets.live))

        before = bones()
        toes = before[Role("toe", LEFT)].place[0] - before[Role("leg", LEFT, 2)].place[0]
        hips = before[Role("leg", RIGHT, 0)].place[0] - before[Role("leg", LEFT, 0)].place[0]
        assert toes[1] < 0.0
        assert hips[0] < 0.0
        old = figure_value(system, name)
        set_figure_value(system, name, [a + b for a, b in zip(old, change, strict=True)])
        away = bones()[bone].place[0] - before[bone].place[0]
        set_figure_value(system, name, old)
        assert away @ np.array(ways[way]) > 0.5 * np.linalg.norm(away), scene_file


def test_a_prop_moves_in_the_space_that_counts(corpus: Path) -> None:
    """It is held in the right hand; its place in the other spaces stays."""
    path = next((corpus / "max" / "Dx3D-Study").glob("*ani_wait.max"))
    scene_file = maxsidecar.open(path)
    system = system_of(scene_file)
    prop = next(
        node
        for node in scene_file.nodes.values()
        if isinstance(node.controller, BipedController)
        and node.controller.role == Role("prop", digit=0)
    )
    hand = next(
        node
        for node in scene_file.nodes.values()
        if isinstance(node.controller, BipedController)
        and node.controller.role == Role("arm", RIGHT, 3)
    )
    records = system.rig.tracks["prop1"].records.copy()
    before = Pose(scene_file.scene, 0).world(prop)[0]
    (place,) = key_pose(system, "prop1", "position")
    set_key_pose(system, "prop1", "position", [[place[0] + 2.0, *place[1:]]])
    pose = Pose(scene_file.scene, 0)
    away = pose.world(prop)[0][3] - before[3]
    assert away[:3] == pytest.approx(2.0 * pose.world(hand)[0][0, :3], abs=1e-4)
    set_key_pose(system, "prop1", "rotation", [[0.0, 0.0, 0.0, 1.0]])
    turned = Pose(scene_file.scene, 0).world(prop)[0]
    assert turned[:3, :3] == pytest.approx(pose.world(hand)[0][:3, :3], abs=1e-6)
    touched = np.flatnonzero(system.rig.tracks["prop1"].records != records)
    assert set(touched.tolist()) <= {18 + 8, *range(2 + 8, 2 + 12)}


def test_sidecars_without_an_edit_change_nothing(paths: list[Path], tmp_path: Path) -> None:
    for number, path in enumerate(paths):
        scene = tmp_path / f"{number}.max"
        shutil.copyfile(path, scene)
        sidecar = Path(extract_file(scene, options=OPTIONS).path)
        text = sidecar.read_text(encoding="utf-8")
        assert "read_only" not in text
        assert "unreadable" not in text
        plan, _ = apply_file(sidecar)
        assert plan.ok
        assert not plan.changes
        assert scene.read_bytes() == path.read_bytes()


def test_one_edit_of_each_kind(corpus: Path, tmp_path: Path) -> None:
    """Release 5, with ponytails: in the text, and back again."""
    path = next((corpus / "max" / "Dx3D-Study").glob("*Idle_Russian blue.max"))
    scene = tmp_path / "idle.max"
    shutil.copyfile(path, scene)
    sidecar = Path(extract_file(scene, options=OPTIONS).path)
    text = sidecar.read_text(encoding="utf-8")
    biped = tomllib.loads(text)["node"]["Bip01"]["biped"]
    new = text
    for part, old, wanted in (
        (
            "figure.right_arm",
            f"forearm = {biped['figure']['right_arm']['forearm']}",
            "forearm = 90",
        ),
        ("figure", "head = [0.0, ", "head = [-0.0, "),
        ("size.left_leg", "calf = [44.82091,", "calf = [45,"),
        ("keys.head", "times = [0,", "times = [-160,"),
        ("keys.vertical", "  [91.95027, 92.00713],\n", "  [92.0, 92.0],\n"),
        ("keys.pony1", "tension = [25.0,", "tension = [10.0,"),
    ):
        start = new.index(f"[node.Bip01.biped.{part}]")
        assert old in new[start:], part
        new = new[:start] + new[start:].replace(old, wanted, 1)
    sidecar.write_text(new, encoding="utf-8")
    plan, _ = apply_file(sidecar)
    assert plan.ok
    # A zero with the other sign is the same number.
    assert len(plan.changes) == 5
    assert scene.read_bytes() != path.read_bytes()
    assert figure_value(system_of(maxsidecar.open(scene)), "right_arm.forearm") == pytest.approx(
        [90.0], abs=1e-5
    )
    written = tomllib.loads(sidecar.read_text(encoding="utf-8"))["node"]
    sidecar.unlink()
    extract_file(scene, options=OPTIONS)
    assert tomllib.loads(sidecar.read_text(encoding="utf-8"))["node"] == written
    header = sidecar.read_text(encoding="utf-8").index("\n[node")
    base = sidecar.read_text(encoding="utf-8").index("\n[base]")
    again = sidecar.read_text(encoding="utf-8")
    sidecar.write_text(
        again[:header] + text[text.index("\n[node") : text.index("\n[base]")] + again[base:],
        encoding="utf-8",
    )
    assert apply_file(sidecar)[0].ok
    assert scene.read_bytes() == path.read_bytes()
