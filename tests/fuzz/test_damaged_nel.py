"""Damaged files of the game: read and written back the same, or refused with our own errors."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.serial.formats import FORMATS, NelFile, read_bytes
from maxsidecar.nel.serial.registry import all_classes
from tests.fuzz.mutate_nel import DAMAGES, mutate_nel
from tests.support.nel import make

CASES = 700
CORPUS_CASES = 8000
#: Of this process; a case takes milliseconds.
SECONDS = 2.0
#: Bytes in memory for each byte of a file, and a base for what is imported meanwhile.
TIMES, BASE = 100, 4 << 20


@lru_cache(maxsize=1)
def authored() -> tuple[tuple[str, bytes], ...]:
    """Files of every format and of every shape class, with random values."""
    found = []
    for cls in all_classes():
        if "IShape" in cls.bases:
            for seed in range(3):
                data = CShapeStream(shape=make(Random(seed), cls)).to_bytes()
                found.append((f"{cls.nel_name}.shape", data))
    for item in FORMATS:
        root: Any = item.root()
        if issubclass(root, Serial) and root is not CShapeStream:
            found.append((f"a{item.suffixes[0]}", make(Random(1), root).to_bytes()))
    return tuple(found)


def use(data: bytes, name: str) -> bool:
    """Read a file; return whether it could be read."""
    start = time.process_time()
    result: NelFile | MaxSidecarError
    try:
        result = read_bytes(data, name)
    except MaxSidecarError as error:
        result = error
    assert time.process_time() - start < SECONDS
    if isinstance(result, NelFile):
        assert result.to_bytes() == data
        return True
    assert result.where.file == name
    assert "\n" not in str(result)
    return False


def damage(bases: Sequence[tuple[str, bytes]], cases: int) -> int:
    read = 0
    for seed in range(cases):
        name, data = bases[(seed // len(DAMAGES)) % len(bases)]
        read += use(mutate_nel(data, seed), name)
    return read


def test_seeded_damage() -> None:
    read = damage(authored(), CASES)
    assert CASES // 20 < read < CASES * 19 // 20


@given(seed=st.integers(min_value=CASES), base=st.integers(0, 1000))
def test_any_damage(seed: int, base: int) -> None:
    name, data = authored()[base % len(authored())]
    use(mutate_nel(data, seed), name)


@pytest.mark.slow
def test_damage_to_real_files(corpus: Path) -> None:
    suffixes = {suffix for item in FORMATS for suffix in item.suffixes}
    paths = [path for path in sorted((corpus / "nel").rglob("*")) if path.suffix in suffixes]
    bases = [(path.name, path.read_bytes()) for path in paths]
    read = damage(bases, CORPUS_CASES)
    assert CORPUS_CASES // 20 < read < CORPUS_CASES * 19 // 20


def test_memory_is_bounded() -> None:
    """Counts and sizes that a file cannot hold allocate nothing."""
    for name, data in authored():
        for at in range(0, min(len(data) - 4, 800), 47):
            broken = data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :]
            tracemalloc.start()
            use(broken, name)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < BASE + TIMES * len(data)
