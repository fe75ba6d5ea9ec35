"""Units of a scene and its time range."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.scene.roundtrip import check_bytes
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.time_range import DEFAULT, TimeRange
from maxsidecar.scene.units import SceneSettings, metres_per_unit, read_unit
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.village import village

SCENE = (0x2222, 0, 0x100)


def with_unit(data: bytes) -> Scene:
    maker = SceneMaker()
    maker.add(SCENE, [(0x8510, u32(4800)), (0x8520, data)])
    return maker.scene()


@pytest.mark.parametrize(
    ("kind", "scale", "metres"),
    [
        (0, 1.0, 0.0254),
        (1, 1.0, 0.3048),
        (2, 1.0, 1609.344),
        (3, 2.0, 0.002),
        (4, 1.0, 0.01),
        (5, 1.0, 1.0),
        (6, 1.0, 1000.0),
    ],
)
def test_units(kind: int, scale: float, metres: float) -> None:
    scene = with_unit(u32(kind) + f32(scale))
    assert metres_per_unit(scene) == pytest.approx(metres, rel=1e-12)
    settings = scene[-1]
    assert isinstance(settings, SceneSettings)
    assert settings.ticks_per_second == 4800
    assert settings.system_unit is not None
    assert settings.system_unit.type == kind


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "wrong size"),
        (u32(7) + f32(1), "unknown unit"),
        (u32(9) + f32(1), "unknown unit"),
        (u32(5) + f32(0), "no length"),
        (u32(5) + f32(-1), "no length"),
        (u32(5) + f32(float("inf")), "no length"),
        (u32(5) + f32(float("nan")), "no length"),
    ],
)
def test_a_unit_that_is_not_understood_is_not_guessed(data: bytes, message: str) -> None:
    scene = with_unit(data)
    for read in (read_unit, metres_per_unit):
        with pytest.raises(DecodeError, match=message) as caught:
            read(scene)
        assert "8520" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "factor"),
    [(9, 1.0), (5, 0.0), (5, float("nan")), (5, -1.0), (5, float("inf"))],
)
def test_the_check_finds_a_unit_that_is_not_understood(kind: int, factor: float) -> None:
    file = village()
    for unit, found in ((u32(kind) + f32(factor), 1), (u32(6) + f32(2.5), 0)):
        chunk = file.scene[-1].find(0x8520)
        assert chunk is not None
        chunk.replace(unit)
        problems = check_bytes(file.to_bytes(), Path("memory.max")).problems
        assert len(problems) == found
        assert all("8520" in problem and "unit" in problem for problem in problems)


def test_no_unit_is_an_inch() -> None:
    scene = SceneMaker().scene()
    assert read_unit(scene) is None
    assert metres_per_unit(scene) == 0.0254


def test_frames_of_a_range() -> None:
    span = TimeRange(start=-160, end=330, frame_rate=30, current=0)
    assert span.ticks_per_frame == 160
    assert span.frame_count == 4
    assert span.frame_times().tolist() == [-160, 0, 160, 320]
    assert DEFAULT.frame_count == 101
    odd = TimeRange(0, 4800, 7, 0)
    assert odd.frame_count == 8
    assert odd.frame_times()[-1] == pytest.approx(4800)
    assert odd.frame_times().dtype == np.float64
