"""The same biped as each release stores it stands and moves the same.

Release 8 is what 3ds Max's own clips prove (docs/format/biped.md); the others are laid out by
`tests/support/biped_layouts.py` from the same numbers, and have to come out where release 8 does.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.errors import DecodeError
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import read_structure
from maxsidecar.scene.biped.system import BipedMember, BipedSystem
from maxsidecar.scene.biped.system import Rig as Read
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import Pose
from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import extract_file
from tests.support import biped_rigs as rigs
from tests.support.biped_layouts import RELEASES
from tests.support.biped_leaves import Leaf
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import Rig, random_rig
from tests.support.biped_scene import BipedScene
from tests.support.biped_solved import check, name_of, solve, storable

Array = npt.NDArray[np.float64]
NAMES = tuple(RELEASES)
#: One of those whose poses and keys have the same sizes.
DISTINCT = ("4.2", "5 to 7", "8", "2008", "2016 to 2019")


def key_times(rig: Rig) -> Array:
    found = np.unique(np.concatenate([keys.ticks for keys in rig.tracks.values()]))
    return np.asarray(np.unique([-160.0, *found, *(found[1:] + found[:-1]) / 2, 1e5]))


def compare(release: str, rig: Rig, **options: Any) -> None:
    """Compare a rig of a release with the same one of release 8, in the figure and in motion."""
    times = key_times(rig)
    ours = system_chunks(RELEASES[release], rig, **options)
    theirs = system_chunks(RELEASES["8"], rig)
    check(solve(ours, times, figure=True), solve(theirs, times, figure=True))
    # Between keys an angle goes another way than the quaternion that turns as much.
    exact = {}
    if RELEASES[release].roll and "pelvis" in rig.tracks:
        for part in ("pelvis", "leg", "toe", "footsteps"):
            exact[part, ""] = np.isin(times, rig.tracks["pelvis"].ticks)
    for side, name in enumerate(rigs.SIDES):
        if RELEASES[release].quaternions and f"{name} arm" in rig.tracks:
            exact["finger", f"{side}"] = np.isin(times, rig.tracks[f"{name} arm"].ticks)
    assert all(rows.any() for rows in exact.values())
    check(solve(ours, times, figure=False), solve(theirs, times, figure=False), exact)


@pytest.mark.parametrize("release", NAMES)
def test_a_rig_of_all_parts(release: str) -> None:
    for seed in range(2):
        compare(release, storable(release, seed))


@pytest.mark.parametrize("release", DISTINCT)
def test_legs_of_four_links(release: str) -> None:
    """The horse link goes on where the calf went."""
    rig = storable(release, 20)
    times = key_times(rig)
    longer = system_chunks(RELEASES[release], rigs.split_calves(rig))
    for figure in (True, False):
        found = solve(longer, times, figure=figure)
        for side in (0, 1):
            upper, lower = found[f"leg {side} 1 0"], found[f"leg {side} 2 0"]
            assert upper[0] == pytest.approx(lower[0], abs=1e-9)
            found[f"leg {side} 2 0"] = found.pop(f"leg {side} 3 0")
        check(found, solve(system_chunks(RELEASES[release], rig), times, figure=figure))


@pytest.mark.parametrize("release", DISTINCT)
def test_a_bent_fourth_link(release: str) -> None:
    """It turns about z by its own angle, which a longer pose does not move."""
    rig = rigs.split_calves(storable(release, 19))
    for _, _, poses in rig.legs:
        poses.plain[:, 1] = 0.3
    found = solve(system_chunks(RELEASES[release], rig), np.zeros(1), figure=True)
    bend = [[np.cos(0.3), -np.sin(0.3), 0], [np.sin(0.3), np.cos(0.3), 0], [0, 0, 1]]
    for side in (0, 1):
        calf, link = found[f"leg {side} 1 0"], found[f"leg {side} 2 0"]
        assert np.abs(calf[0][0].T @ link[0][0] - bend).max() < 1e-6
        foot = link[1][0] + link[0][0] @ [rig.legs[side][0][4], 0, 0]
        assert found[f"leg {side} 3 0"][1][0] == pytest.approx(foot, abs=1e-5)


@pytest.mark.parametrize("release", DISTINCT)
def test_rigs_without_arms(release: str) -> None:
    rig = rigs.without_arms(storable(release, 21))
    compare(release, rig)
    # Whether the records are empty or not there.
    chunks = system_chunks(RELEASES[release], rig)
    shorter = [(id_, data) for id_, data in chunks if id_ not in (0x0010, 0x006A)]
    times = key_times(rig)
    check(solve(shorter, times, figure=False), solve(chunks, times, figure=False))


@pytest.mark.parametrize("release", DISTINCT)
def test_keys_of_some_parts_only(release: str) -> None:
    lost = ("left arm", "right leg", "spine", "head", "pony1", "turn", "vertical", "prop1", "prop2")
    compare(release, rigs.without(storable(release, 22), *lost))


@pytest.mark.parametrize("width", [16, 26, 44])
@pytest.mark.parametrize("release", ["8", "2016 to 2019"])
def test_links_with_keys_of_their_own(release: str, width: int) -> None:
    compare(release, random_rig(23), time_width=width)


@pytest.mark.parametrize("release", DISTINCT)
def test_other_sets_do_not_matter(release: str) -> None:
    rig = storable(release, 24)
    others = [storable(release, 25), rigs.without_arms(storable(release, 26))]
    still = [rigs.without(rig, *rig.tracks)] * 2
    compare(release, rig, clipboard=others, layers=still)


@pytest.mark.parametrize("neck", [1, 2, 5])
@pytest.mark.parametrize("release", DISTINCT)
def test_release_4_is_told_whatever_the_neck_is(release: str, neck: int) -> None:
    """How long the record of a head is depends on the neck."""
    rig = storable(release, 28)
    chain = rigs.Chain(np.ones(neck), rig.chains["neck"].attach, np.zeros((neck, 3)))
    rig = replace(rigs.without(rig, "head"), chains={**rig.chains, "neck": chain})
    leaves: Any = [Leaf(*chunk) for chunk in system_chunks(RELEASES[release], rig)]
    sets = split_sets(leaves)
    structure = read_structure(sets.live, sets.common)
    assert structure.layout.ids == {"4.2": "4", "5 to 7": "5"}.get(release, "8")
    assert structure.neck.links == neck


@pytest.mark.parametrize("release", DISTINCT)
def test_poses_of_sizes_that_are_not_known_are_left_out(release: str) -> None:
    chunks = system_chunks(RELEASES[release], storable(release, 29))
    for lost, gone, kept in ((0x0069, "leg", "arm"), (0x006A, "arm", "leg")):
        leaves: Any = [Leaf(id_, data + b"\0" * 24 * (id_ == lost)) for id_, data in chunks]
        sets = split_sets(leaves)
        structure = read_structure(sets.live, sets.common)
        assert [text.split(":")[0] for text in structure.lost] == [f"{gone}s"]
        parts = {role.part for role in bones_of(structure, figure_posture(structure, sets.live))}
        assert kept in parts
        assert gone not in parts
    leaves = [Leaf(id_, data) for id_, data in chunks if id_ not in (0x0069, 0x006A)]
    sets = split_sets(leaves)
    with pytest.raises(DecodeError, match="size that is not known"):
        read_structure(sets.live, sets.common)


# --- whole scenes


def opened(folder: Path, scene: BipedScene) -> MaxFile:
    path = folder / "rig.max"
    path.write_bytes(scene.to_bytes())
    return maxsidecar.open(path)


def read(scene_file: MaxFile) -> Read:
    return next(item.rig for item in scene_file.scene if isinstance(item, BipedSystem))


def bones(scene_file: MaxFile) -> list[tuple[Node, BipedMember]]:
    found = [(node, node.controller) for node in scene_file.nodes.values()]
    return [(node, held) for node, held in found if isinstance(held, BipedMember)]


@pytest.mark.parametrize("release", NAMES)
def test_nodes_and_sidecars(tmp_path: Path, release: str) -> None:
    """Every bone is where the records say, and the sidecar has the keys of all tracks."""
    rig = storable(release, 30)
    scene = BipedScene()
    scene.laid_out(RELEASES[release], rig)
    scene_file = opened(tmp_path, scene)
    times = key_times(rig)
    chunks = system_chunks(RELEASES[release], rig)
    for figure in (True, False):
        expected = solve(chunks, times, figure=figure)
        pose = Pose(scene_file.scene, times, figure=figure)
        for node, controller in bones(scene_file):
            role = controller.role
            assert role is not None
            assert name_of(*role) == node.name
            assert controller.obstacle is None
            turn, place = expected.pop(node.name)
            world = pose.world(node)
            assert np.abs(np.swapaxes(world[:, :3, :3], 1, 2) - turn).max() < 1e-12
            assert np.abs(world[:, 3, :3] - place).max() < 1e-12
        assert not expected
        assert not (figure and pose.problems)
    assert not read(scene_file).problems
    text = extract_file(
        tmp_path / "rig.max", options=Options(include=frozenset({"biped"}))
    ).path.read_text(encoding="utf-8")
    assert "unreadable" not in text
    for name, keys in rig.tracks.items():
        head = f"[node.com.biped.keys.{name.replace(' ', '_')}]\n"
        block = text.split(head, 1)[1].split("\n[", 1)[0]
        assert f"times = {[int(tick) for tick in keys.ticks]}" in block
    assert "neck = 2" in text


def test_layers_with_keys_are_told(tmp_path: Path) -> None:
    rig = random_rig(27)
    scene = BipedScene()
    scene.laid_out(RELEASES["2016 to 2019"], rig, clipboard=[rig], layers=[rig, rig])
    scene_file = opened(tmp_path, scene)
    told = "keys of 2 layers: left out, only the keys below them count"
    assert read(scene_file).problems == [told]
    assert (len(read(scene_file).sets.clipboard), len(read(scene_file).sets.layers)) == (1, 2)
    for _, controller in bones(scene_file):
        assert told in str(controller.doubt)


def test_modes_of_the_display(tmp_path: Path) -> None:
    """Places follow the keys, whatever the mode."""
    rig = random_rig(31)
    found = []
    for mode in (0, 1, 3):
        scene = BipedScene()
        scene.laid_out(RELEASES["2012"], replace(rig, in_place=(mode, 0)))
        scene_file = opened(tmp_path, scene)
        assert read(scene_file).in_place == mode
        node = bones(scene_file)[0][0]
        found.append(Pose(scene_file.scene, key_times(rig)).world(node))
    assert np.ptp(found[0][:, 3, :2], axis=0).min() > 0.1
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
