"""Numbers of 32 bits as decimals, and angles."""

from __future__ import annotations

import math
from struct import pack, unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.sidecar.numbers import degrees, exact, from_euler, radians, single, to_euler

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def stored(value: float) -> float:
    return float(unpack("<f", pack("<f", value))[0])


@pytest.mark.parametrize("text", ["0.1", "73.84185", "1e-07", "-7.1883287", "250.0", "1e+30"])
def test_decimals_come_back_as_they_were_written(text: str) -> None:
    assert exact(stored(float(text))) == float(text)


@given(FLOATS)
def test_the_shown_number_is_stored_as_the_same_bits(value: float) -> None:
    shown = exact(value)
    assert pack("<f", shown) == pack("<f", value)
    assert len(repr(shown)) <= len(repr(value))


@given(st.floats(-100, 100, width=32))
def test_degrees_come_back_as_the_same_radians(value: float) -> None:
    shown = degrees(value)
    assert shown is not None
    found = radians(shown)
    assert found is not None
    assert pack("<f", found) == pack("<f", value)


def test_a_right_angle_is_ninety_degrees() -> None:
    assert degrees(stored(math.pi / 2)) == 90.0
    assert degrees(stored(-math.pi / 4)) == -45.0


def test_what_does_not_fit_is_none() -> None:
    assert single(1e39) is None
    assert single(math.inf) is None
    assert degrees(math.nan) is None


@pytest.mark.parametrize(
    ("angles", "half"),
    [
        ([90, 0, 0], (math.sqrt(0.5), 0, 0, math.sqrt(0.5))),
        ([0, 180, 0], (0, 1, 0, 0)),
        ([0, 0, 60], (0, 0, 0.5, math.sqrt(0.75))),
        # Turned about x first, then about z: the product z · x of the two quaternions.
        ([90, 0, 90], (0.5, 0.5, 0.5, 0.5)),
    ],
)
def test_angles_turn_about_x_then_y_then_z(angles: list[float], half: tuple[float, ...]) -> None:
    assert from_euler(angles) == pytest.approx(half, abs=1e-12)


@given(st.tuples(*[st.floats(-179, 179), st.floats(-89, 89), st.floats(-179, 179)]))
def test_angles_are_found_again(angles: tuple[float, float, float]) -> None:
    assert to_euler(from_euler(angles)) == pytest.approx(angles, abs=1e-6)


@pytest.mark.parametrize("y", [90.0, -90.0])
def test_upright_turns_keep_their_meaning(y: float) -> None:
    quaternion = from_euler([30.0, y, 0.0])
    again = from_euler(to_euler(quaternion))
    assert again == pytest.approx(quaternion, abs=1e-7)
