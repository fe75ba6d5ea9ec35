"""A run that is killed damages no file, and goes on as if nothing had been."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

import pytest

from tests.support.interrupted import Kills

ROUNDS = 4


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_at_random_moments(built_sample: Path, tmp_path: Path) -> None:
    source = tmp_path / "source é"
    for number in range(24):
        path = source / f"{number % 4}" / f"{number}.max"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built_sample, path)
    kills = Kills(source, tmp_path / "work")
    kills.prepare()
    rng = random.Random(7)
    for number in range(ROUNDS):
        kills.round(rng, kills=1 + number % 3)
    # Each round checks files, result and undo.
    assert kills.partly >= ROUNDS / 2, "few kills met a run in the middle"
