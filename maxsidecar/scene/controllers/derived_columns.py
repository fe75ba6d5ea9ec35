"""Columns of TCB keys that follow from the others, brought up to date when keys change.

* Rotations: the turn since the key before, ``key = before · turn`` in stored quaternions (196 of
  196 keys of the corpus, to 2e-7), and the squad controls.  With all parameters 0 a control is the
  key itself at both ends, else ``q · exp(-(h0 · log(q⁻¹ · next) + h1 · log(q⁻¹ · before)) / 2h)``
  with the ticks h0 before and h1 behind the key, h their sum, and logarithms of the shorter turns
  (90 of 90 keys, to 1.1e-7; in and out are the same).
* Positions: the tangents of :func:`~maxsidecar.scene.controllers.compile.tcb_tangents`.

What a caller gives anew is taken as given, and what did not change keeps its bytes.  Controls and
tangents of keys with other parameters than 0 stay as they are: their formula is open.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers.key_flags import STALE_TURN
from maxsidecar.scene.controllers.layouts import TCB_POSITION, TCB_ROTATION, KeyLayout
from maxsidecar.scene.controllers.rotations import FloatArray, conjugate, multiply

__all__ = ["refreshed", "turn_between"]

_PARAMETERS: Final = ("tension", "continuity", "bias", "ease_in", "ease_out")
_NO_TURN: Final = (1.0, 0.0, 0.0, 0.0)
#: How far a stored turn may be from the quaternions, as one minus a cosine of half an angle.
_ROUNDING: Final = 1e-6
#: What rounding alone makes of no turn, as the sine of half an angle.
_NOISE: Final = 3e-7

Keys = npt.NDArray[np.void]


def refreshed(layout: KeyLayout, keys: Keys, old: Keys | None) -> Keys:
    """Return keys whose derived columns fit their values.

    Args:
        layout: How they are stored.
        keys: The new keys, in that layout, at least one.
        old: The keys before; ``None`` where there were none.
    """
    if layout is not TCB_ROTATION and layout is not TCB_POSITION:
        return keys
    out = keys.copy()
    before = _partners(keys, old)
    with np.errstate(all="ignore"):
        if layout is TCB_ROTATION:
            _turns(out, old, before)
            fresh = _controls(out)
        else:
            fresh = _tangents(out)
    for name, columns in fresh.items():
        for index, column in enumerate(columns):
            if np.isfinite(column).all() and _wanted(name, index, keys, old, before):
                out[name][index] = column
    return out


def _partners(keys: Keys, old: Keys | None) -> list[int | None]:
    """Return which of the old keys each new one was: by position, or by time."""
    if old is None:
        return [None] * len(keys)
    if len(old) == len(keys):
        return list(range(len(keys)))
    by_time = {int(time): index for index, time in reversed(list(enumerate(old["time"])))}
    return [by_time.get(int(time)) for time in keys["time"]]


def _same_row(new: Keys, i: int, old: Keys, j: int, names: tuple[str, ...]) -> bool:
    return all(new[name][i].tobytes() == old[name][j].tobytes() for name in names)


def _wanted(
    name: str, index: int, keys: Keys, old: Keys | None, partners: list[int | None]
) -> bool:
    """Return whether a derived column of a key is to be computed anew."""
    if any(keys[parameter][index] for parameter in _PARAMETERS):
        return False
    partner = partners[index]
    if old is None or partner is None:
        # Numbers of a new key are those of the caller, if it gave any.
        return not keys[name][index].any()
    if not _same_row(keys, index, old, partner, (name,)):
        return False
    # A tangent at an end depends on the second key from it as well.
    reach = 1 if name.endswith("_control") else 2
    return not _same_surroundings(keys, index, old, partner, partners, reach)


def _same_surroundings(
    keys: Keys, index: int, old: Keys, partner: int, partners: list[int | None], reach: int
) -> bool:
    """Return whether a key and those beside it have the values and parameters that they had."""
    for step in range(-reach, reach + 1):
        here, there = index + step, partner + step
        inside = 0 <= here < len(keys)
        if inside is not (0 <= there < len(old)):
            return False
        if not inside:
            continue
        if partners[here] != there or not _same_row(
            keys, here, old, there, ("time", "value", *_PARAMETERS)
        ):
            return False
    return True


# --- rotations -----------------------------------------------------------------------------------


def turn_between(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the turn between stored quaternions: ``after = before · turn`` (measured)."""
    return multiply(conjugate(before), after)


def _turns(keys: Keys, old: Keys | None, partners: list[int | None]) -> None:
    """Put the turn since the key before into each key whose stored one is another, in place."""
    values = keys["value"].astype(np.float64)
    for index, partner in enumerate(partners):
        if old is not None and partner is not None:
            names = ("value", "relative_axis", "relative_angle", "flags")
            same = _same_row(keys, index, old, partner, names)
            if index and same:
                previous = partners[index - 1]
                same = previous == partner - 1 and _same_row(
                    keys, index - 1, old, partner - 1, ("value",)
                )
            if same and bool(index) is bool(partner):
                continue
        turn = values[0] if index == 0 else turn_between(values[index - 1], values[index])
        length = float(np.linalg.norm(turn))
        if not length > 0 or not np.isfinite(length):
            continue
        turn = turn / length
        half = float(keys["relative_angle"][index]) / 2
        axis = keys["relative_axis"][index].astype(np.float64)
        size = float(np.linalg.norm(axis))
        stored = np.append(axis / size if size > 0 else np.full(3, np.nan), 0.0) * np.sin(half)
        stored[3] = np.cos(half)
        stale = int(keys["flags"][index]) & STALE_TURN
        # Of opposite sign are turns that differ by one whole round.
        if not stale and abs(float(stored @ turn)) > 1 - _ROUNDING:
            continue
        sine = float(np.linalg.norm(turn[:3]))
        found = (*(turn[:3] / sine), 2 * np.arctan2(sine, turn[3])) if sine > _NOISE else _NO_TURN
        keys["relative_axis"][index], keys["relative_angle"][index] = found[:3], found[3]
        keys["flags"][index] = int(keys["flags"][index]) & ~STALE_TURN


def _log(q: FloatArray) -> FloatArray:
    """Return half the turn of quaternions as vectors, of the shorter way round: (n, 3)."""
    q = np.where(q[:, 3:] < 0, -q, q)
    length = np.linalg.norm(q[:, :3], axis=1)
    angle = np.arctan2(length, q[:, 3])
    return q[:, :3] * np.where(length > 0, angle / np.where(length > 0, length, 1), 1)[:, None]


def _exp(v: FloatArray) -> FloatArray:
    angle = np.linalg.norm(v, axis=1)
    share = np.where(angle > 0, np.sin(angle) / np.where(angle > 0, angle, 1), 1)
    return np.concatenate([v * share[:, None], np.cos(angle)[:, None]], axis=1)


def _controls(keys: Keys) -> dict[str, FloatArray]:
    """Return the squad controls that follow from values and times; NaN for a key alone."""
    q = keys["value"].astype(np.float64)
    out = q.copy() if len(q) > 1 else np.full_like(q, np.nan)
    if len(q) > 2:
        steps = np.diff(keys["time"].astype(np.float64))
        before, behind = steps[:-1, None], steps[1:, None]
        onward = _log(turn_between(q[1:-1], q[2:]))
        back = _log(turn_between(q[1:-1], q[:-2]))
        total = before + behind
        total = np.where(total > 0, total, 1.0)
        out[1:-1] = multiply(q[1:-1], _exp(-(before * onward + behind * back) / (2 * total)))
    return {"in_control": out, "out_control": out}


# --- positions -----------------------------------------------------------------------------------


def _tangents(keys: Keys) -> dict[str, FloatArray]:
    """Return the tangents that follow from values and times; NaN where a key has no segment."""
    from maxsidecar.scene.controllers.compile import tcb_tangents

    into, out = (np.full((len(keys), 3), np.nan) for _ in range(2))
    if len(keys) > 1:
        out[:-1], into[1:] = tcb_tangents(keys)
    return {"in_tangent": into, "out_tangent": out}
