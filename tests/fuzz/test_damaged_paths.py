"""Paths of damaged scenes: only errors of our own, and never another byte than that of a path."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.paths.assets import asset_users
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.rename import rename_paths
from maxsidecar.migrate.rules.load import parse_rules
from maxsidecar.scene.maxfile import MaxFile
from tests.fuzz.bases import corpus_bases
from tests.fuzz.mutate import Base, mutate
from tests.support.paths import example

CASES = 200
RULES = parse_rules(
    "unproven = true\n[[rule]]\nregex = '^([a-y]):'\nreplace = 'Z:\\was {1}'\n", Path("r.toml")
)


def use(data: bytes) -> int:
    """List and rename; returns how many paths were renamed."""
    try:
        with MaxFile(data) as scene_file:
            found = find_paths(scene_file)
            asset_users(scene_file)
            result = rename_paths(scene_file, RULES)
            saved = scene_file.to_bytes()
    except MaxSidecarError:
        return 0
    if not result.renamed:
        assert saved == data
        return 0
    with MaxFile(saved) as again:
        after = [place.path for place in find_paths(again)]
    assert len(after) == len(found)
    for renaming in result.renamed:
        assert renaming.new in after
    return len(result.renamed)


def test_damaged_scenes_with_every_kind_of_place() -> None:
    base = Base("example", example().to_bytes())
    assert use(base.data) > 20
    renamed = sum(use(mutate(base, seed)[1]) > 0 for seed in range(CASES))
    assert renamed > CASES // 10


def test_damaged_streams() -> None:
    """Bytes changed inside the streams, in a file whose tables stay sound."""
    data = example().to_bytes()
    with MaxFile(data) as sound:
        spans = [
            (data.find(bytes(stream.data)[:200]), len(stream.data))
            for stream in sound.streams.values()
        ]
    renamed = 0
    for seed in range(CASES):
        rng = random.Random(seed)
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5, 40))):
            start, size = rng.choice([span for span in spans if span[0] >= 0])
            at = start + rng.randrange(min(size, len(damaged) - start))
            damaged[at] = rng.choice((0, 0xFF, 0x80, damaged[at] ^ 1 << rng.randrange(8), 0x5C))
        renamed += use(bytes(damaged)) > 0
    assert renamed > CASES // 2


@pytest.mark.corpus
@pytest.mark.slow
def test_damaged_real_scenes() -> None:
    bases = corpus_bases()
    if not bases:
        pytest.skip("no real scenes")
    for seed in range(3 * len(bases)):
        use(mutate(bases[seed % len(bases)], seed)[1])
