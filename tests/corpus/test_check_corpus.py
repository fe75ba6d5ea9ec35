"""Every real scene passes the round-trip gate and can be shown as text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from maxsidecar import plugins
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.private import PRIVATE_CHUNKS
from maxsidecar.scene.roundtrip import CheckResult, check_file
from maxsidecar.sidecar.diff import compare
from maxsidecar.sidecar.text import file_lines
from tests.conftest import corpus_folder, corpus_scenes


@cache
def checked(path: Path) -> CheckResult:
    """Check each scene once for all tests."""
    plugins.load()
    return check_file(path)


def test_round_trip(max_file: Path) -> None:
    result = checked(max_file)
    assert (result.status, result.problems) == ("ok", [])
    assert 0 < result.typed_objects <= result.objects
    assert 0 < result.typed_bytes <= result.scene_bytes


def test_counts_of_the_whole_corpus(corpus_files: tuple[Path, ...]) -> None:
    if len(corpus_files) != 141:
        pytest.skip("another corpus")
    results = [checked(path) for path in corpus_files]
    # Counted by the notes in docs/format: releases by root id, compressed saves.
    assert sum(result.compressed for result in results) == 6
    releases = [result.release for result in results]
    assert {name: releases.count(name) for name in ("R1/R2", "3", "7", "2010", "2026")} == {
        "R1/R2": 1, "3": 4, "7": 11, "2010": 7, "2026": 1
    }  # fmt: skip


def test_look_alikes(corpus: Path) -> None:
    scenes = set(corpus_scenes())
    others = [p for p in sorted(corpus.rglob("*.max")) if p not in scenes]
    for path in others:
        result = checked(path)
        assert result.status == "not-max", path
        assert len(result.problems) == 1
    if corpus == corpus_folder() and len(scenes) == 141:
        assert [p.name for p in others] == ["alien1.max"]


@pytest.mark.slow
def test_text_shows_the_scene_without_private_data(max_file: Path) -> None:
    data = max_file.read_bytes()
    lines = list(file_lines(data))
    assert all(line.isprintable() for line in lines)
    assert not [line for line in lines if "!! " in line]
    text = "\n".join(lines)
    scene_file = MaxFile(data, max_file)
    for secret in _private(scene_file):
        for start in range(0, len(secret) - 8, 4):
            assert secret[start : start + 8].hex() not in text
    headings = sum(line.startswith("[") for line in lines)
    assert headings > len(scene_file.scene)


def _private(scene_file: MaxFile) -> list[bytes]:
    config = scene_file.streams["Config"].chunks
    found: list[bytes] = []
    pending: list[tuple[tuple[int, ...], Chunk]] = [((), chunk) for chunk in config.chunks()]
    while pending:
        outer, chunk = pending.pop()
        ids = outer if chunk.open else (*outer, chunk.id)
        if ("Config", ids) in PRIVATE_CHUNKS:
            # Runs of zeros are no secret and stand everywhere.
            found.append(bytes(chunk.data).strip(b"\0"))
        elif chunk.container:
            pending += [(ids, inner) for inner in chunk.chunks()]
    return found


@pytest.mark.slow
def test_a_scene_equals_itself(max_file: Path) -> None:
    data = max_file.read_bytes()
    assert not list(compare(MaxFile(data), MaxFile(data)))
