"""Damaged sidecars: refused with our own errors, or applied so that applying again does nothing."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.extract import extract
from tests.fuzz.bases import authored_bases
from tests.fuzz.exercise_text import exercise_text
from tests.fuzz.mutate_text import mutate_text

CASES = 300


@lru_cache(maxsize=1)
def sample() -> tuple[bytes, str]:
    data = authored_bases()[0].data
    return data, extract(MaxFile(data), "x.max")


def test_seeded_damage() -> None:
    scene, text = sample()
    refused = changed = 0
    for seed in range(CASES):
        outcome = exercise_text(scene, mutate_text(text, seed))
        refused += outcome.refused
        changed += outcome.changes > 0
    assert refused > CASES // 4
    assert changed > CASES // 20


@given(seed=st.integers(min_value=CASES))
def test_any_damage(seed: int) -> None:
    scene, text = sample()
    exercise_text(scene, mutate_text(text, seed))


@given(data=st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    exercise_text(sample()[0], data)


@given(text=st.text(max_size=200))
def test_any_value(text: str) -> None:
    """Whatever text stands in a value, it is stored or refused, never stored otherwise."""
    scene, sidecar = sample()
    quoted = '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"'
    exercise_text(scene, sidecar.replace('"house_01"', quoted).encode("utf-8", "replace"))
