"""Values of the game's tracks at any times.

Constant, linear and sampled tracks are exact.  TCB and Bézier tracks of vectors follow the game's
own curves; their rotations are exact at the keys and turn evenly between them, which is told.
(Facts: what the game's sources say of ``CTrackKeyFramer…``; real tracks are linear and TCB.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, LimitError
from maxsidecar.scene.controllers.rotations import continuous, multiply, normalized, slerp

__all__ = ["is_rotation", "range_of", "values_at"]

F64 = npt.NDArray[np.float64]

_NO_TURN: Final = (0.0, 0.0, 0.0, 1.0)
_PACKED: Final = 32767.0
#: Keys of a track whose rotations add up; real ones have some hundreds.
_MOST_TURNS: Final = 100_000
_WIDTHS: Final = {"Float": 1, "Vector": 3, "Quat": 4}


def is_rotation(track: Any) -> bool:
    """Return whether a track gives rotations."""
    return type(track).__name__.endswith("Quat")


def range_of(track: Any) -> tuple[float, float] | None:
    """Return the first and last time of a track in seconds, ``None`` where it has no keys."""
    if _is_default(track):
        return None
    times, _ = _keys(track)
    return (float(times[0]), float(times[-1])) if len(times) else None


def values_at(track: Any, times: F64) -> tuple[F64, str]:
    """Return the values of a track.

    Args:
        track: A track of numbers, vectors or rotations.
        times: (k,) seconds.

    Returns:
        (k, n) float64, rotations of length 1; and what is not exact, or nothing.

    Raises:
        DecodeError: The track gives something else, or has no keys.
        LimitError: It has too many keys.
    """
    width = next((n for end, n in _WIDTHS.items() if type(track).__name__.endswith(end)), None)
    if width is None:
        raise DecodeError(f"a {type(track).__name__} moves nothing")
    if _is_default(track):
        return np.tile(np.reshape(track.value, (1, width)), (len(times), 1)).astype(float), ""
    at, values = _keys(track)
    if not len(at):
        raise DecodeError("the track has no keys")
    if not np.isfinite(values).all():
        raise DecodeError("the track has keys that are no finite numbers")
    name = type(track).__name__
    number = np.clip(np.searchsorted(at, times, "right") - 1, 0, len(at) - 1)
    if "Const" in name or len(at) == 1:
        return values[number], ""
    number = np.minimum(number, len(at) - 2)
    span = at[number + 1] - at[number]
    part = np.clip((times - at[number]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
    if width == 4:
        return _turned(name, values, number, part)
    if "TCB" in name:
        order = np.argsort(track.keys["time"], kind="stable")
        before, after = _tcb_tangents(at, values, track.keys[order])
        part = _eased(part, number, track.keys[order])
        return _hermite(values, after, before, number, part), ""
    if "Bezier" in name:
        order = np.argsort(track.keys["time"], kind="stable")
        return _bezier(values, track.keys[order], number, part, span)
    return values[number] + (values[number + 1] - values[number]) * part[:, None], ""


def _is_default(track: Any) -> bool:
    return type(track).__name__.startswith("CTrackDefault")


def _keys(track: Any) -> tuple[F64, F64]:
    """Return times, ascending, and values of the keys; TCB rotations from the beginning on."""
    name = type(track).__name__
    if "Sampled" in name:
        times, values = _samples(track)
    else:
        keys = track.keys
        if not isinstance(keys, np.ndarray) or not len(keys):
            return np.empty(0), np.empty((0, 1))
        times = keys["time"].astype(np.float64)
        values = keys["value"].astype(np.float64).reshape(len(keys), -1)
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    if not np.isfinite(times).all():
        raise DecodeError("the track has times that are no finite numbers")
    if name == "CTrackKeyFramerTCBQuat":
        values = _added(values)
    return times, values


def _samples(track: Any) -> tuple[F64, F64]:
    old = type(track).__name__ == "CTrackSampledQuat" and track.version == 0
    common = track.common_v0 if old else track.common
    frames = [block.times.astype(np.float64) + block.time_offset for block in common.time_blocks]
    times = np.concatenate(frames) if frames else np.empty(0)
    keys = track.keys
    if keys.dtype.names:
        values = np.stack([keys[name] for name in "xyzw"], axis=1) / _PACKED
    else:
        values = keys.astype(np.float64)
    count = min(len(times), len(values))
    return common.begin_time + times[:count] * common.delta_time, values[:count]


def _added(turns: F64) -> F64:
    """Return rotations of (axis, angle) keys, each relative to the one before."""
    if len(turns) > _MOST_TURNS:
        message = "a track has too many keys"
        raise LimitError(message, expected=f"up to {_MOST_TURNS}", found=len(turns))
    axes = normalized(turns[:, :3], (0.0, 0.0, 1.0))
    half = turns[:, 3:] / 2
    steps = np.concatenate([axes * np.sin(half), np.cos(half)], axis=1)
    out = np.empty_like(steps)
    total = np.array(_NO_TURN)
    # Each depends on the one before; keys are few.
    for number, step in enumerate(steps):
        total = normalized(multiply(step, total), _NO_TURN)
        out[number] = total
    return out


def _turned(name: str, values: F64, number: npt.NDArray[Any], part: F64) -> tuple[F64, str]:
    turns = continuous(normalized(values, _NO_TURN))
    found = slerp(turns[number], turns[number + 1], part, shortest=True)
    curved = "TCB" in name or "Bezier" in name
    note = "rotations turn evenly between keys, where the game curves" if curved else ""
    return normalized(found, _NO_TURN), note


def _hermite(values: F64, out: F64, into: F64, number: npt.NDArray[Any], part: F64) -> F64:
    """Return points of curves from tangents out of a key and into the next one."""
    t = part[:, None]
    t2, t3 = t * t, t * t * t
    rise = 3 * t2 - 2 * t3
    found: F64 = (
        values[number] * (1 - rise)
        + values[number + 1] * rise
        + out[number] * (t3 - 2 * t2 + t)
        + into[number + 1] * (t3 - t2)
    )
    return found


def _bezier(
    values: F64, keys: npt.NDArray[np.void], number: npt.NDArray[Any], part: F64, span: F64
) -> tuple[F64, str]:
    """Return points of curves whose tangents are stored per second."""
    into = keys["in_tan"].astype(np.float64).reshape(values.shape)
    out = keys["out_tan"].astype(np.float64).reshape(values.shape)
    steps = np.zeros_like(values)
    # Tangents of a key differ in length on both sides, by the spans of time there.
    spans = np.zeros(len(values))
    spans[number] = span
    after, before = out * spans[:, None], steps.copy()
    before[1:] = into[1:] * spans[:-1, None]
    found = _hermite(values, after, before, number, part)
    held = keys["step"][number].astype(bool)
    found[held] = values[number[held]]
    return found, "Bézier tangents are taken per second"


def _tcb_tangents(times: F64, values: F64, keys: npt.NDArray[np.void]) -> tuple[F64, F64]:
    """Return the tangents into and out of each key, as the game computes them without a loop."""
    into, out = np.zeros_like(values), np.zeros_like(values)
    tension, continuity, bias = (
        keys[n].astype(float)[:, None] for n in ("tension", "continuity", "bias")
    )
    if len(times) == 2:
        step = values[1] - values[0]
        out[0], into[1] = step * (1 - tension[0]), step * (1 - tension[1])
        return into, out
    before, after = np.diff(times)[:-1, None], np.diff(times)[1:, None]
    middle = np.where(before + after > 0.0, (before + after) / 2, 1.0)
    fp, fn = before / middle, after / middle
    t, c, b = tension[1:-1], continuity[1:-1], bias[1:-1]
    fp, fn = fp + np.abs(c) * (1 - fp), fn + np.abs(c) * (1 - fn)
    tm = 0.5 * (1 - t)
    delta = np.diff(values, axis=0)
    back, forth = delta[:-1], delta[1:]
    into[1:-1] = back * tm * (1 - c) * (1 + b) * fp + forth * tm * (1 + c) * (1 - b) * fp
    out[1:-1] = back * tm * (1 + c) * (1 + b) * fn + forth * tm * (1 - c) * (1 - b) * fn
    out[0] = 0.5 * (1 - tension[0]) * (3 * delta[0] - into[1])
    into[-1] = 0.5 * (1 - tension[-1]) * (3 * delta[-1] - out[-2])
    return into, out


def _eased(part: F64, number: npt.NDArray[Any], keys: npt.NDArray[np.void]) -> F64:
    """Return shares of the way with the time slowed near keys: out of a key, and into the next."""
    first = keys["ease_from"].astype(float)[number]
    last = keys["ease_to"].astype(float)[number + 1]
    total = first + last
    shrink = np.where(total > 1.0, total, 1.0)
    first, last = first / shrink, last / shrink
    k = 1.0 / (2.0 - first - last)
    slow = k * part * part / np.where(first > 0.0, first, 1.0)
    end = 1.0 - k * (1.0 - part) ** 2 / np.where(last > 0.0, last, 1.0)
    eased = np.where(part < first, slow, k * (2.0 * part - first))
    eased = np.where(part > 1.0 - last, end, eased)
    return np.where(total > 0.0, eased, part)
