"""A small seeded set of damaged files; ``make fuzz`` runs many more."""

from __future__ import annotations

import random

import pytest

from maxsidecar.errors import CompressionError, LimitError
from maxsidecar.io.compression import unpack
from maxsidecar.scene.maxfile import MaxFile
from tests.fuzz.bases import authored_bases, corpus_bases, small_bases
from tests.fuzz.exercise import exercise
from tests.fuzz.mutate import WEIGHTS, Base, bomb, mutate
from tests.fuzz.run import Tally, pick, run_case

CASES = 600


def test_sound_files_let_themselves_be_used() -> None:
    for base in (*small_bases(), *authored_bases()):
        outcome = exercise(base.data)
        assert (outcome.opened, outcome.edited, outcome.applied) == (2, 1, 1), base.name
        assert not outcome.errors, base.name


def test_damaged_files_give_errors_only_of_our_own() -> None:
    groups = {"small": list(small_bases()), "sample": list(authored_bases()), "real": []}
    tally = Tally()
    for seed in range(CASES):
        run_case(pick(groups, seed), seed, tally)
    assert not tally.findings, tally.findings[0]
    # The damage must be real, and still leave files that can be worked with.
    assert tally.refused > CASES // 3
    assert tally.edited > CASES // 4
    assert len(tally.damages) >= len(WEIGHTS) - 1


@pytest.mark.corpus
def test_damaged_real_files() -> None:
    bases = corpus_bases()
    if not bases:
        pytest.skip("no real scenes")
    tally = Tally()
    for seed in range(4 * len(bases)):
        run_case(bases[seed % len(bases)], seed, tally)
    assert not tally.findings, tally.findings[0]


def test_same_seed_gives_the_same_file() -> None:
    base = small_bases()[0]
    for seed in range(50):
        assert mutate(base, seed) == mutate(Base(base.name, base.data), seed)


@pytest.mark.slow
@pytest.mark.parametrize("base", small_bases(), ids=lambda base: base.name)
def test_bombs_are_stopped(base: Base) -> None:
    data = bomb(base, random.Random(1))
    assert len(data) < 4 << 20
    errors = exercise(data).errors
    assert any(isinstance(error, LimitError) for error in errors)


def test_a_stream_that_cannot_be_unpacked_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    base = next(base for base in small_bases() if base.name == "small-gzip")
    stored = next(stream for stream in base.streams if stream.name == "Config")
    data = bytearray(base.data)
    place = stored.at(40)
    assert place is not None
    data[place] ^= 0xFF
    file = MaxFile(bytes(data))
    tried: list[str] = []

    def counted(path: str, raw: memoryview) -> object:
        tried.append(path)
        return unpack(path, raw)

    monkeypatch.setattr("maxsidecar.scene.stream.unpack", counted)
    messages = set()
    for _ in range(3):
        with pytest.raises(CompressionError) as caught:
            _ = file.streams["Config"].data
        messages.add(str(caught.value))
    assert tried == ["Config"]
    assert len(messages) == 1
    assert "Config" in messages.pop()
