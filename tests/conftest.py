"""Fixtures that every test folder shares: the corpus of real scenes, and hypothesis profiles."""

from __future__ import annotations

import csv
import importlib.util
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent
# Tests import helpers that they share as ``tests.…``, from whatever folder pytest is started.
if str(REPOSITORY) not in sys.path:
    sys.path.insert(0, str(REPOSITORY))

from tests.support import workers  # noqa: E402
from tests.support.validator import Validator, install  # noqa: E402

CORPUS_VARIABLE = "MAXSIDECAR_CORPUS"
CORPUS_FIXTURES = frozenset({"corpus", "corpus_files", "max_file"})
#: Where tests marked ``alone`` are.
ALONE = REPOSITORY / "tests" / "unit" / "batch"

# Shared machines stall at random, so no profile has a deadline: timing is the benchmarks' business.
settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "fuzz", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def corpus_folder() -> Path:
    """The folder where real scenes would be; it may not exist."""
    named = os.environ.get(CORPUS_VARIABLE)
    return Path(named).resolve() if named else REPOSITORY.parent / "shared" / "corpus"


def corpus_problem() -> str | None:
    """Why the corpus cannot be used, or ``None`` when it can."""
    folder = corpus_folder()
    if folder.is_dir():
        return None
    origin = "named by" if os.environ.get(CORPUS_VARIABLE) else "the default; set"
    return f"no real scenes: {folder} ({origin} {CORPUS_VARIABLE}) is not a folder"


@lru_cache(maxsize=1)
def corpus_scenes() -> tuple[Path, ...]:
    """All real scenes, sorted: the manifest's rows of a scene kind, else every ``.max`` file.

    The manifest also lists files that only look like scenes; those are left out.
    """
    folder = corpus_folder()
    if not folder.is_dir():
        return ()
    manifest = folder / "MANIFEST.tsv"
    if not manifest.is_file():
        return tuple(sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".max"))
    with manifest.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    # The manifest may list a file twice.
    named = {r["path"] for r in rows if r["kind"] != "look-alike"}
    return tuple(sorted(folder / name for name in named if name.lower().endswith(".max")))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the corpus; skips the test when there is none."""
    problem = corpus_problem()
    if problem:
        pytest.skip(problem)
    return corpus_folder()


@pytest.fixture(scope="session")
def corpus_files(corpus: Path) -> tuple[Path, ...]:
    """Every real scene of the corpus."""
    return corpus_scenes()


@pytest.fixture(scope="session")
def built_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample scene, made once; do not write to it."""
    script = REPOSITORY / "examples" / "make_sample.py"
    spec = importlib.util.spec_from_file_location("make_sample", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = tmp_path_factory.mktemp("sample") / "sample.max"
    path.write_bytes(module.make_sample())
    return path


@pytest.fixture(scope="session")
def gltf_validator() -> Iterator[Validator]:
    """Khronos' glTF validator; the test is skipped where there is no Node.js to run it with."""
    problem = install()
    if problem is not None:
        pytest.skip(problem)
    validator = Validator()
    yield validator
    validator.close()


@pytest.fixture
def sample_scene(built_sample: Path, tmp_path: Path) -> Path:
    """A copy of the sample scene, made from nothing, that the test may change."""
    return Path(shutil.copy(built_sample, tmp_path / "sample.max"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """How many processes ``-n auto`` is; pytest-xdist asks."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None
    return workers.workers(workers.cores(), workers.memory())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with the argument ``max_file`` once for each real scene."""
    if "max_file" not in metafunc.fixturenames:
        return
    problem = corpus_problem()
    if problem:
        metafunc.parametrize(
            "max_file", [pytest.param(None, marks=pytest.mark.skip(reason=problem), id="no-corpus")]
        )
        return
    folder = corpus_folder()
    scenes = corpus_scenes()
    metafunc.parametrize("max_file", scenes, ids=[p.relative_to(folder).as_posix() for p in scenes])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the corpus, so that ``-m "not corpus"`` leaves it out.

    Tests marked ``alone`` must be where the Makefile looks for them.
    """
    for item in items:
        if item.get_closest_marker("alone") and not item.path.is_relative_to(ALONE):
            raise pytest.UsageError(f"{item.nodeid} is marked alone, but is not in {ALONE}")
        if CORPUS_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.corpus)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests did not run, and why, so that a green run hides nothing."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.getreports("skipped"):
        # Place, line and reason of what was skipped.
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        reasons[str(reason).removeprefix("Skipped: ")] += 1
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped: {number} ({reason})", yellow=True)
