"""Values of tracks at any times."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, LimitError
from maxsidecar.nel.records.tracks import range_of, values_at
from maxsidecar.nel.serial.classes import track as tracks
from maxsidecar.nel.serial.declare import Serial


def keyed(cls: type[Serial], *rows: dict[str, Any]) -> Any:
    made: Any = cls()
    keys = np.zeros(len(rows), made.keys.dtype)
    for number, row in enumerate(rows):
        for name, value in row.items():
            keys[name][number] = value
    made.keys = keys
    return made


def about_z(angle: float) -> list[float]:
    return [0.0, 0.0, sin(angle / 2), cos(angle / 2)]


def test_linear_vectors_hold_their_ends() -> None:
    track = keyed(
        tracks.CTrackKeyFramerLinearVector,
        {"time": 1.0, "value": (0, 0, 0)},
        {"time": 3.0, "value": (4, 8, -2)},
    )
    found, note = values_at(track, np.array([0.0, 1.0, 2.0, 3.0, 9.0]))
    assert found.tolist() == [[0, 0, 0], [0, 0, 0], [2, 4, -1], [4, 8, -2], [4, 8, -2]]
    assert not note
    assert range_of(track) == (1.0, 3.0)


def test_keys_need_no_order() -> None:
    track = keyed(
        tracks.CTrackKeyFramerLinearFloat, {"time": 1.0, "value": 5}, {"time": 0.0, "value": 1}
    )
    assert values_at(track, np.array([0.5]))[0].tolist() == [[3.0]]


def test_linear_rotations_turn_the_short_way_whatever_the_sign() -> None:
    end = [-part for part in about_z(pi / 2)]
    track = keyed(
        tracks.CTrackKeyFramerLinearQuat,
        {"time": 0.0, "value": (0, 0, 0, 1)},
        {"time": 1.0, "value": end},
    )
    found, note = values_at(track, np.array([0.5]))
    assert abs(found[0] @ about_z(pi / 4)) == pytest.approx(1.0)
    assert not note


def test_constant_tracks_jump() -> None:
    track = keyed(
        tracks.CTrackKeyFramerConstFloat, {"time": 0.0, "value": 1}, {"time": 1.0, "value": 2}
    )
    assert values_at(track, np.array([0.99, 1.0]))[0].tolist() == [[1.0], [2.0]]


def test_defaults_stay() -> None:
    track = tracks.CTrackDefaultVector(value=(1.0, 2.0, 3.0))
    assert values_at(track, np.zeros(2))[0].tolist() == [[1, 2, 3], [1, 2, 3]]
    assert range_of(track) is None


def test_tcb_rotations_add_up_about_the_axes_of_the_parent() -> None:
    quarter = {"value": (0, 0, 1, pi / 2)}
    track = keyed(
        tracks.CTrackKeyFramerTCBQuat,
        {"time": 0.0, **quarter},
        {"time": 1.0, **quarter},
        {"time": 2.0, "value": (1, 0, 0, pi)},
    )
    found, note = values_at(track, np.array([0.0, 1.0, 2.0]))
    assert abs(found[0] @ about_z(pi / 2)) == pytest.approx(1.0)
    assert abs(found[1] @ about_z(pi)) == pytest.approx(1.0)
    # Half a turn about x after half a turn about z is half a turn about y.
    assert abs(found[2] @ [0, 1, 0, 0]) == pytest.approx(1.0)
    assert "evenly" in note


def test_tcb_vectors_follow_a_straight_line_evenly() -> None:
    """Keys on a line at even times, with no tension and so on: the curve is that line."""
    rows = [{"time": float(n), "value": (n, 2 * n, -n)} for n in range(4)]
    track = keyed(tracks.CTrackKeyFramerTCBVector, *rows)
    times = np.linspace(0, 3, 13)
    found, note = values_at(track, times)
    assert np.allclose(found, times[:, None] * [1, 2, -1], atol=1e-12)
    assert not note


def test_tcb_tension_slows_at_the_keys() -> None:
    rows = [{"time": float(n), "value": (n, 0, 0), "tension": 1.0} for n in range(3)]
    found, _ = values_at(keyed(tracks.CTrackKeyFramerTCBVector, *rows), np.array([0.5, 1.25]))
    # Without tangents the curve is 3 t² - 2 t³.
    assert found[:, 0] == pytest.approx([0.5, 1 + 3 / 16 - 2 / 64])


def test_tcb_ease_slows_the_time() -> None:
    rows = [
        {"time": 0.0, "value": (0, 0, 0), "ease_from": 1.0},
        {"time": 1.0, "value": (1, 0, 0)},
    ]
    found, _ = values_at(keyed(tracks.CTrackKeyFramerTCBVector, *rows), np.array([0.25, 0.5]))
    # All of the way is eased out: the share is t², and two keys make a line.
    assert found[:, 0] == pytest.approx([0.0625, 0.25])


def test_bezier_tangents() -> None:
    rows = [
        {"time": 0.0, "value": (0, 0, 0), "out_tan": (0.5, 0, 0)},
        {"time": 2.0, "value": (1, 0, 0), "in_tan": (0.5, 0, 0), "step": 1},
        {"time": 3.0, "value": (9, 0, 0)},
    ]
    times = np.array([0.5, 1.0, 2.5])
    found, _ = values_at(keyed(tracks.CTrackKeyFramerBezierVector, *rows), times)
    # Half a unit per second on both ends is the line; a step holds.
    assert found[:, 0] == pytest.approx([0.25, 0.5, 1.0])


def test_samples() -> None:
    track = tracks.CTrackSampledVector(keys=np.array([(0, 0, 0), (1, 2, 3)], "<f4"))
    track.common.begin_time, track.common.delta_time = 1.0, 0.5
    track.common.time_blocks.append(
        tracks.CTimeBlock(time_offset=2, times=np.array([0, 4], np.uint8))
    )
    # Frames 2 and 6, from 1 s on.
    assert range_of(track) == (2.0, 4.0)
    assert values_at(track, np.array([3.0]))[0].tolist() == [[0.5, 1.0, 1.5]]


def test_packed_samples() -> None:
    track = tracks.CTrackSampledQuat(keys=np.array([(0, 0, 32767, 0)], tracks.QUAT_PACK))
    track.common.time_blocks.append(tracks.CTimeBlock(times=np.array([0], np.uint8)))
    assert values_at(track, np.zeros(1))[0].tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize(
    ("track", "reason"),
    [
        (tracks.CTrackDefaultBool(), "moves nothing"),
        (tracks.CTrackKeyFramerConstString(), "moves nothing"),
        (tracks.CTrackKeyFramerLinearVector(), "no keys"),
        (keyed(tracks.CTrackKeyFramerLinearFloat, {"time": np.nan, "value": 1}), "times"),
        (keyed(tracks.CTrackKeyFramerLinearFloat, {"time": 0, "value": np.inf}), "finite"),
    ],
)
def test_tracks_without_values(track: Any, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        values_at(track, np.zeros(1))


def test_rotations_that_add_up_are_bounded() -> None:
    track = tracks.CTrackKeyFramerTCBQuat()
    track.keys = np.zeros(100_001, track.keys.dtype)
    with pytest.raises(LimitError, match="too many keys"):
        values_at(track, np.zeros(1))
