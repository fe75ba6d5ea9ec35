"""Commands on damaged files: one line of error or a result, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fuzz.bases import authored_bases, corpus_bases, small_bases
from tests.fuzz.mutate import Base, mutate
from tests.unit.cli.conftest import Runner

FEW, MANY = 60, 400
COMMANDS = (
    ("info",),
    ("info", "--json"),
    ("tree", "--all"),
    ("tree", "--json"),
    ("text",),
    ("text", "--full"),
    ("get",),
    ("check", "--jobs", "0", "--json"),
)


def _case(base: Base, seed: int, run: Runner, folder: Path) -> dict[str, int]:
    path = folder / "damaged.max"
    path.write_bytes(mutate(base, seed)[1])
    codes: dict[str, int] = {}
    for command in COMMANDS:
        # An exception that the command line does not expect ends the test here.
        ran = run(*command, str(path))
        codes[" ".join(command)] = ran.code
        assert "Traceback" not in ran.err
        if "--json" in command:
            for line in ran.lines:
                json.loads(line)
        elif command[0] != "text":
            assert all(line.isprintable() for line in ran.lines)
    assert codes["text"] == codes["text --full"] == 0
    assert codes["info"] == codes["info --json"]
    ran = run("diff", str(path), str(folder / "sound.max"))
    assert ran.code in (0, 1)
    return codes


def _cases(seeds: range, run: Runner, folder: Path) -> None:
    bases = (*small_bases(), authored_bases()[0])
    (folder / "sound.max").write_bytes(bases[0].data)
    failed = passed = 0
    for seed in seeds:
        codes = _case(bases[seed % len(bases)], seed, run, folder)
        failed += codes["check --jobs 0 --json"]
        passed += not codes["tree --json"]
    # The damage must be real, and often leave something to show.
    assert failed > len(seeds) // 4
    assert passed > len(seeds) // 4


def test_damaged_files(run: Runner, tmp_path: Path) -> None:
    _cases(range(FEW), run, tmp_path)


@pytest.mark.slow
def test_more_damaged_files(run: Runner, tmp_path: Path) -> None:
    _cases(range(FEW, MANY), run, tmp_path)


@pytest.mark.slow
@pytest.mark.corpus
def test_damaged_real_files(run: Runner, tmp_path: Path) -> None:
    bases = corpus_bases()
    if not bases:
        pytest.skip("no real scenes")
    (tmp_path / "sound.max").write_bytes(bases[0].data)
    for seed in range(2 * len(bases)):
        _case(bases[seed % len(bases)], seed, run, tmp_path)
