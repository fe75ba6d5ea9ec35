"""Damaged scenes to glTF: errors of our own, or files that are valid all the same."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.write import write
from maxsidecar.scene.maxfile import MaxFile
from tests.fuzz.bases import authored_bases, corpus_bases, small_bases
from tests.fuzz.mutate import Base, mutate
from tests.support.validator import Validator

CASES = 80
#: Numbers that are wrong in interesting ways, as floats or as whole numbers.
ODD = [
    *(struct.pack("<f", n) for n in (float("nan"), float("inf"), float("-inf"), 0.0, 1e30, 3.4e38)),
    *(struct.pack("<i", n) for n in (-1, 0, 1, 255, 65536, 2**31 - 1, -(2**31))),
]
#: Pairs that have what the small scenes lack: a skin, morph targets, cameras, lights, animation.
PAIRS = ("AnimatedMeshCameraLight", "AnimatedMorphCube", "ElfRun", "LightOrientation")


def odd_numbers(data: bytes, seed: int) -> bytes:
    """Write odd numbers over some of the numbers of a scene that is not packed."""
    rng = random.Random(seed)
    body = bytes(MaxFile(data).streams["Scene"].data)
    start = data.find(body[:64])
    out = bytearray(data)
    for _ in range(rng.randint(1, 40)):
        # Short runs of the stream lie in the file as they are; longer ones may be scattered.
        place = rng.randrange(len(body) - 8)
        run = body[place : place + 8]
        at = data.find(run, max(start, 0))
        if at >= 0:
            out[at : at + 4] = rng.choice(ODD)
    return bytes(out)


def exported(cases: Iterable[bytes], path: Path, validator: Validator) -> int:
    """Export what can be opened, check every file, and return their number."""
    count = 0
    for data in cases:
        try:
            with MaxFile(data) as scene_file:
                write(build(scene_file).document, path)
        except MaxSidecarError:
            continue
        count += 1
        verdict = validator.check(path)
        assert verdict.errors == []
        assert all(w.startswith("NODE_SKINNED_MESH") for w in verdict.warnings), verdict.warnings
    return count


def test_damaged_files(tmp_path: Path, gltf_validator: Validator) -> None:
    bases = [*small_bases(), *authored_bases()]
    cases = (mutate(bases[seed % len(bases)], seed)[1] for seed in range(CASES))
    assert exported(cases, tmp_path / "a.glb", gltf_validator) > CASES // 3


def test_odd_numbers(tmp_path: Path, gltf_validator: Validator) -> None:
    (base, *_) = authored_bases()
    cases = (odd_numbers(base.data, seed) for seed in range(CASES // 2))
    assert exported(cases, tmp_path / "a.glb", gltf_validator) > CASES // 4


@pytest.mark.slow
@pytest.mark.corpus
def test_damaged_real_files(tmp_path: Path, gltf_validator: Validator) -> None:
    bases = corpus_bases()
    if not bases:
        pytest.skip("no real scenes")
    cases = (mutate(bases[seed % len(bases)], seed)[1] for seed in range(2 * len(bases)))
    assert exported(cases, tmp_path / "a.glb", gltf_validator) > len(bases)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_odd_numbers_in_real_files(
    name: str, corpus: Path, tmp_path: Path, gltf_validator: Validator
) -> None:
    base = Base(name, (corpus / "pairs" / name / "scene.max").read_bytes())
    cases = (odd_numbers(base.data, seed) for seed in range(25))
    assert exported(cases, tmp_path / "a.glb", gltf_validator) > 12
