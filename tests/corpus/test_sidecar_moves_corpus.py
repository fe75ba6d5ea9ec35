"""Edits of real scenes reach the objects that were meant, wherever those stand since."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from maxsidecar import MaxFile
from maxsidecar.scene.restructure.renumber import renumber
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.objects import find_object
from maxsidecar.sidecar.update import updated_text
from tests.corpus.test_sidecar_groups_corpus import choose, fields_of, with_values

ALL = Options(all=True, include=frozenset(OPTIONAL_GROUPS))


def edits_follow(path: Path) -> tuple[int, int]:
    """Shuffle all objects; returns how many edits arrived, and how many were refused."""
    data = path.read_bytes()
    pick = random.Random(path.name)
    with MaxFile(data, path) as scene_file:
        scene = scene_file.scene
        document = parse(extract(scene_file, path.name, ALL).encode())
        edits = choose(fields_of(scene_file, document), pick)
        labels = Labels(scene)
        numbers = {t.here: find_object(t, labels, document).index for t in document.tables}
        text = with_values(document, edits)
        # The Scene object is always the last one.
        order = list(range(len(scene) - 1))
        pick.shuffle(order)
        order.append(len(scene) - 1)
        renumber(scene, order)
        moved = scene_file.to_bytes()
    now = {index: place for place, index in enumerate(order)}
    with MaxFile(moved, path) as scene_file:
        plan = make_plan(scene_file, parse(text.encode()))
        wanted = {(now[numbers[kind, label]], path) for kind, label, path in edits}
        arrived = {(change.obj.index, change.path) for change in plan.changes}
        assert arrived - wanted == set()
        assert plan.conflicts == []
        assert all("cannot be told" in p.message for p in plan.problems)
        # What nobody edited is only called otherwise, or dropped and listed again.
        text = updated_text(document, scene_file, ALL)
        again = parse(text.encode())
        assert make_plan(scene_file, again).ok
        assert len(again.tables) == len(document.tables)
        return len(arrived), len(wanted) - len(arrived)


def test_edits_follow_in_a_sample(corpus_files: tuple[Path, ...]) -> None:
    small = sorted((f for f in corpus_files if f.stat().st_size < 400_000), key=lambda f: f.name)
    found = [edits_follow(path) for path in small[5::14]]
    assert sum(arrived for arrived, _ in found) > 50
    assert sum(refused for _, refused in found) == 0


@pytest.mark.slow
def test_edits_follow_in_every_scene(max_file: Path) -> None:
    edits_follow(max_file)
