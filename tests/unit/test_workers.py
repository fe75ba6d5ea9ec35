"""How many processes the tests get."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workers import cores, memory, workers

GB = 1 << 30


@pytest.mark.parametrize(
    ("cores", "memory", "expected"),
    [
        (2, 24 * GB, 2),
        (2, 3 * GB, 1),
        (2, 1 * GB, 1),
        (16, 10 * GB, 5),
        (64, 512 * GB, 8),
        (4, None, 4),
    ],
)
def test_as_many_as_cores_and_memory_allow(cores: int, memory: int | None, expected: int) -> None:
    assert workers(cores, memory) == expected


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return folder


def test_limits_of_containers(tmp_path: Path) -> None:
    free = cores(tmp_path / "none")
    assert free >= 1
    one = write(tmp_path / "two", cpu_dot_max="50000 100000", memory_dot_max="1000000")
    assert cores(one) == 1
    assert memory(one) == 1_000_000
    old = write(
        tmp_path / "one",
        cpu__cpu_dot_cfs_quota_us="100000",
        cpu__cpu_dot_cfs_period_us="100000",
        memory__memory_dot_limit_in_bytes="2000000",
    )
    assert cores(old) == 1
    assert memory(old) == 2_000_000
    unlimited = write(tmp_path / "free", cpu_dot_max="max 100000", memory_dot_max="max")
    assert cores(unlimited) == free
    assert memory(unlimited) == memory(tmp_path / "none")
