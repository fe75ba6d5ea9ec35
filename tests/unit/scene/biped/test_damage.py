"""Systems of every release with damaged records: bones, or an error of ours; never a warning."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import DecodeError
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import MOST, read_structure
from maxsidecar.scene.biped.system import BipedMember, BipedSystem
from maxsidecar.scene.biped.tracks import read_tracks
from maxsidecar.scene.transform import Pose
from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import extract_file
from tests.support.biped_layouts import RELEASES
from tests.support.biped_leaves import Leaf
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import Rig, plain_neck, random_rig, split_calves, without_arms
from tests.support.biped_scene import BipedScene

TIMES = np.array([-(2.0**31), -1e4, 0.0, 80.0, 160.0, 333.3, 1600.0, 4800.0, 1e6, 2.0**31 - 1])
#: Integers and floats at their ends, and counts that are nearly right.
WILD = [
    bytes.fromhex(word)
    for word in (
        "ffffff7f", "0000c07f", "0000807f", "000080ff", "ffffffff", "00000080", "ffff7f7f",
        "00000000", "01000000", "03000000", "04000000", "40000000", "00ca9a3b", "feffff7f",
    )
]  # fmt: skip
#: Records that decide most: counts of links, marks between the sets, links to other rigs.
DECISIVE = (0x0100, 0x0108, 0x0190, 0x0141, 0x0104, 0x0112, 0x0260)
#: More bones than this need more links than parts may have.
MOST_BONES = 30 * MOST


def made(choice: random.Random, release: str) -> list[tuple[int, bytes]]:
    """Return a sound system of a release."""
    rig: Rig = random_rig(choice.randrange(4))
    if not RELEASES[release].neck_matrix:
        rig = plain_neck(rig)
    rig = split_calves(rig) if choice.random() < 0.3 else rig
    rig = without_arms(rig) if choice.random() < 0.1 else rig
    more = [rig] if choice.random() < 0.2 else []
    width = choice.choice([10, 10, 26, 44])
    return system_chunks(RELEASES[release], rig, clipboard=more, layers=more, time_width=width)


def damaged(choice: random.Random, data: bytes) -> bytes:
    """Return other bytes of a record."""
    kind = choice.choice(["cut", "words", "words", "words", "noise", "longer", "count", "column"])
    if kind == "cut" or len(data) < 4:
        return data[: choice.randrange(len(data) + 1)]
    if kind == "noise":
        return choice.randbytes(len(data))
    if kind == "longer":
        return data + choice.randbytes(4 * choice.randrange(1, 2000))
    out, words = bytearray(data), len(data) // 4
    step = choice.randrange(1, 12)
    places = {
        "count": [0],
        "column": list(range(choice.randrange(step), words, step)),
        "words": [choice.randrange(words) for _ in range(choice.choice([1, 2, 5, 30]))],
    }[kind]
    word = choice.choice(WILD)
    for place in places:
        out[4 * place : 4 * place + 4] = choice.choice(WILD) if kind == "words" else word
    return bytes(out)


def damage(choice: random.Random, chunks: list[tuple[int, bytes]]) -> None:
    """Change some records, or leave them out, repeat them or put them elsewhere."""
    for _ in range(choice.choice([1, 1, 2, 4])):
        kind, at = choice.random(), choice.randrange(len(chunks))
        if kind < 0.75:
            chunks[at] = chunks[at][0], damaged(choice, chunks[at][1])
        elif kind < 0.85:
            del chunks[at]
        elif kind < 0.92:
            chunks.insert(choice.randrange(len(chunks)), chunks[at])
        else:
            data = choice.randbytes(4 * choice.randrange(20))
            chunks.insert(choice.randrange(len(chunks)), (choice.choice(DECISIVE), data))


def evaluate(chunks: list[tuple[int, bytes]]) -> bool:
    """Return whether there are bones, in the figure and in motion."""
    leaves: Any = [Leaf(id_, data) for id_, data in chunks]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            sets = split_sets(leaves)
            structure = read_structure(sets.live, sets.common)
            tracks, _ = read_tracks(structure, sets.live)
            # As scenes do: places that are no numbers are found, and told, afterwards.
            with np.errstate(all="ignore"):
                moving = posture_at(structure, sets.live, sets.common, tracks, TIMES)
                still = figure_posture(structure, sets.live)
                placed = bones_of(structure, moving), bones_of(structure, still)
        except DecodeError:
            return False
    for bones, rows in zip(placed, (len(TIMES), 1), strict=True):
        assert 0 < len(bones) < MOST_BONES
        for role, frame in bones.items():
            assert frame.turn.shape[1:] == (3, 3), role
            assert frame.place.shape[1:] == (3,), role
            assert {len(frame.turn), len(frame.place)} <= {1, rows}, role
    return True


@pytest.mark.parametrize(("seed", "count"), [(1, 12), pytest.param(2, 150, marks=pytest.mark.slow)])
def test_damaged_records(seed: int, count: int) -> None:
    choice = random.Random(seed)
    found = []
    for _ in range(count):
        chunks = made(choice, choice.choice(sorted(RELEASES)))
        damage(choice, chunks)
        found.append(evaluate(chunks))
    assert any(found)


@pytest.mark.parametrize(("seed", "count"), [(3, 3), pytest.param(4, 25, marks=pytest.mark.slow)])
def test_damaged_systems_in_scenes(tmp_path: Path, seed: int, count: int) -> None:
    """One rig hangs on any bone of the other one, and the sidecar is written as well."""
    choice = random.Random(seed)
    placed, told = 0, 0
    for _ in range(count):
        release = choice.choice(sorted(RELEASES))
        chunks, scene = made(choice, release), BipedScene()
        damage(choice, chunks)
        rig = random_rig(5)
        rig = rig if RELEASES[release].neck_matrix else plain_neck(rig)
        nodes = scene.laid_out(RELEASES[release], rig, chunks=chunks)
        above = choice.choice([None, *nodes.values()])
        scene.laid_out(RELEASES[release], rig, prefix="other ", parent=above)
        path = tmp_path / "rig.max"
        path.write_bytes(scene.to_bytes())
        with maxsidecar.open(path) as scene_file, warnings.catch_warnings():
            warnings.simplefilter("error")
            for figure in (True, False):
                pose = Pose(scene_file.scene, TIMES, figure=figure)
                for node in scene_file.nodes.values():
                    assert np.isfinite(pose.world(node)).all(), node.name
                    assert np.isfinite(pose.local(node)).all(), node.name
                    controller = node.controller
                    if not isinstance(controller, BipedMember):
                        continue
                    if controller.obstacle is None:
                        placed += 1
                    else:
                        assert pose.problems[controller.index]
                        told += 1
            options = Options(include=frozenset({"biped"}))
            extract_file(path, options=options, fresh=True, schema=False)
    assert placed
    assert told or count < 10


def test_the_layout_of_1997_is_kept(tmp_path: Path) -> None:
    """No bone is placed, each says why, and nothing of the file changes."""
    rig = random_rig(6)
    sizes = {0x0069: 69, 0x006A: 69}
    chunks = [
        (id_, bytes(8 * sizes[id_]) if id_ in sizes else data)
        for id_, data in system_chunks(RELEASES["4.2"], plain_neck(rig))
        if id_ != 0x0108
    ]
    scene = BipedScene()
    scene.laid_out(RELEASES["4.2"], rig, chunks=chunks)
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    with maxsidecar.open(path) as scene_file:
        system = next(item for item in scene_file.scene if isinstance(item, BipedSystem))
        with pytest.raises(DecodeError, match="1997"):
            _ = system.rig
        assert [(c.id, bytes(c.data)) for c in system.chunks()] == chunks
        for figure in (True, False):
            pose = Pose(scene_file.scene, TIMES, figure=figure)
            for node in scene_file.nodes.values():
                controller = node.controller
                if isinstance(controller, BipedMember):
                    assert np.array_equal(pose.world(node)[0], np.eye(4))
                    assert "as in 1997" in pose.problems[controller.index]
    options = Options(include=frozenset({"biped"}))
    text = extract_file(path, options=options).path.read_text(encoding="utf-8")
    assert "biped cannot be read: the biped is stored as in 1997" in text
    four = [(0x0069, bytes(8 * 71)), (0x006A, bytes(8 * 69))]
    leaves: Any = [Leaf(*chunk) for chunk in [(0x0190, b""), *four, (0x0141, b"")]]
    with pytest.raises(DecodeError, match="1997"):
        read_structure(split_sets(leaves).live, {})
