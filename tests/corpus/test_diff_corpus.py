"""Real scenes whose objects only stand in another order are equal."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from maxsidecar import MaxFile
from maxsidecar.scene.restructure.renumber import renumber
from maxsidecar.sidecar.diff import compare


def order_does_not_count(path: Path) -> None:
    data = path.read_bytes()
    with MaxFile(data, path) as scene_file:
        scene = scene_file.scene
        # The Scene object is always the last one.
        order = list(range(len(scene) - 1))
        random.Random(path.name).shuffle(order)
        order.append(len(scene) - 1)
        renumber(scene, order)
        moved = scene_file.to_bytes()
    assert moved != data
    with MaxFile(data, path) as old, MaxFile(moved, path) as new:
        assert list(compare(old, new)) == []


def test_the_order_of_objects_does_not_count_in_a_sample(corpus_files: tuple[Path, ...]) -> None:
    small = sorted((f for f in corpus_files if f.stat().st_size < 400_000), key=lambda f: f.name)
    assert small
    for path in small[::10]:
        order_does_not_count(path)


@pytest.mark.slow
def test_the_order_of_objects_does_not_count(max_file: Path) -> None:
    order_does_not_count(max_file)
