"""From keyframe controllers to keyed tracks, as the plug-in writes them.

Times are ticks / 4800.  Tangents of vectors are per second, those of numbers and scales stay per
tick; rotations are stored with negated w, which is the negative of the usual quaternion; TCB turns
have their angle negated.  A track lasts as long as its controller says, which need not be from the
first to the last key: its range is never locked to them (measured: all 294 tracks of the corpus
that the plug-in wrote).  (spec: nel-export-rules, section 5; pipeline-max-design, section 10b)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.nel.serial.classes import track as tracks
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.bodies import FOREVER, NEVER
from maxsidecar.scene.controllers.key_flags import STALE_TURN, TangentType, out_type
from maxsidecar.scene.controllers.keyed import BezierColor, KeyedController, TCBRotation
from maxsidecar.scene.controllers.other import OnOff
from maxsidecar.scene.controllers.rotations import quaternion_to_matrix

__all__ = ["TICKS_PER_SECOND", "Level", "boolean_track", "keyed_track", "seconds"]

TICKS_PER_SECOND: Final = 4800.0
_LOOP: Final = 3

_Keys = npt.NDArray[np.void]
#: A factor on values, by time in ticks.
Level = Callable[[int], float]
#: Which controllers give which tracks.  Those of places and scales do for one another.
_ACCEPTED: Final = {
    "float": ("float",),
    "position": ("position", "point3", "scale"),
    "rotation": ("rotation",),
    "scale": ("position", "point3", "scale"),
    "color": ("position", "point3"),
}
_TRACKS: Final[dict[tuple[str, str], type[Serial]]] = {
    ("float", "linear"): tracks.CTrackKeyFramerLinearFloat,
    ("float", "bezier"): tracks.CTrackKeyFramerBezierFloat,
    ("float", "tcb"): tracks.CTrackKeyFramerTCBFloat,
    ("position", "linear"): tracks.CTrackKeyFramerLinearVector,
    ("position", "bezier"): tracks.CTrackKeyFramerBezierVector,
    ("position", "tcb"): tracks.CTrackKeyFramerTCBVector,
    ("scale", "linear"): tracks.CTrackKeyFramerLinearVector,
    ("scale", "bezier"): tracks.CTrackKeyFramerBezierVector,
    ("scale", "tcb"): tracks.CTrackKeyFramerTCBVector,
    ("rotation", "linear"): tracks.CTrackKeyFramerLinearQuat,
    ("rotation", "bezier"): tracks.CTrackKeyFramerBezierQuat,
    ("rotation", "tcb"): tracks.CTrackKeyFramerTCBQuat,
    ("color", "linear"): tracks.CTrackKeyFramerLinearRGBA,
    ("color", "bezier"): tracks.CTrackKeyFramerBezierRGBA,
    ("color", "tcb"): tracks.CTrackKeyFramerTCBRGBA,
}


def seconds(ticks: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return times in seconds."""
    return np.asarray(ticks).astype(np.float32) / np.float32(TICKS_PER_SECOND)


def keyed_track(
    controller: Controller | None, kind: str, level: Level | None = None
) -> Serial | None:
    """Return the track of a controller; ``None`` where it has no keys that the game knows.

    Args:
        controller: The controller, or ``None`` for an empty slot.
        kind: What is wanted: ``float``, ``position``, ``rotation``, ``scale`` or ``color``.
        level: Factor on the values of colours.

    Raises:
        DecodeError: The keys are not stored as is known, or no finite numbers.
    """
    if not isinstance(controller, KeyedController) or controller.kind not in _ACCEPTED[kind]:
        return None
    if isinstance(controller, BezierColor):
        return None  # the plug-in takes colours from points and places only
    keys = controller.keys
    if keys is None or not len(keys):
        return None
    names = keys.dtype.names or ()
    family = "tcb" if "tension" in names else "bezier" if _is_bezier(names) else "linear"
    made = _TRACKS[kind, family]
    rows = np.zeros(len(keys), _dtype(made))
    rows["time"] = seconds(keys["time"])
    values = _values(controller, keys, family)
    levels = None if level is None else np.array([level(int(time)) for time in keys["time"]])
    with np.errstate(over="ignore", invalid="ignore"):
        if kind == "color" and family == "linear":
            rows["value"] = _bytes(values, levels)
        else:
            rows["value"] = values if levels is None else values * levels[:, None]
        if family == "tcb":
            for name in ("tension", "continuity", "bias"):
                rows[name] = keys[name]
            rows["ease_to"], rows["ease_from"] = keys["ease_in"], keys["ease_out"]
        elif family == "bezier" and "in_tan" in (rows.dtype.names or ()):
            factor = TICKS_PER_SECOND if controller.kind in ("position", "point3") else 1.0
            for ours, theirs in (("in_tan", "in_tangent"), ("out_tan", "out_tangent")):
                rows[ours] = keys[theirs].astype(np.float64) * factor
            rows["step"] = [out_type(int(flags)) == TangentType.STEP for flags in keys["flags"]]
    if not all(np.isfinite(rows[name]).all() for name in rows.dtype.names or ()):
        raise DecodeError("a key has numbers that are not finite", controller.where)
    # A map of times: of keys at the same time the first one counts.
    _, first = np.unique(rows["time"], return_index=True)
    begin, end = seconds(_span(controller, keys)).tolist()
    loop = controller.out_of_range[1] == _LOOP
    return made(
        keys=rows[first], range_lock=False, range_begin=begin, range_end=end, loop_mode=loop
    )


def _bytes(
    values: npt.NDArray[np.float64], levels: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.uint8]:
    """Return linear colours as bytes: 0 to 1 cast as it is, so that all but 1 is black."""
    out = np.full((len(values), 4), 255, np.int64)
    out[:, :3] = np.trunc(np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)).astype(np.int64)
    out &= 255
    if levels is not None:
        share = np.trunc(np.clip(levels, 0.0, 1.0) * 255.0).astype(np.int64)
        out = out * share[:, None] >> 8
    return out.astype(np.uint8)


def _is_bezier(names: tuple[str, ...]) -> bool:
    return "in_tangent" in names or "in_control" in names


def _dtype(made: Any) -> np.dtype[Any]:
    keys: _Keys = made().keys
    return keys.dtype


def _values(controller: KeyedController, keys: _Keys, family: str) -> npt.NDArray[np.float64]:
    if controller.kind == "rotation":
        if family == "tcb" and isinstance(controller, TCBRotation):
            return _turns(controller, keys) * [1.0, 1.0, 1.0, -1.0]
        return keys["value"].astype(np.float64) * [1.0, 1.0, 1.0, -1.0]
    values = keys["value"].astype(np.float64)
    if controller.kind == "scale":
        # The scale along the axes of the node: the diagonal of the stretch in its turned frame.
        frame = quaternion_to_matrix(keys["axis"].astype(np.float64))
        out: npt.NDArray[np.float64] = np.einsum("kij,kj,kij->ki", frame, values, frame)
        plain = ~np.any(keys["axis"][:, :3], axis=1)
        return np.where(plain[:, None], values, out)
    return values


def _turns(controller: TCBRotation, keys: _Keys) -> npt.NDArray[np.float64]:
    """Return axis and angle of each key.

    A first key that is marked as stale has the angle of its quaternion, by the arc sine of its
    vector, or by the arc cosine of w where that is negative (spec: section 10b).
    """
    turns = controller.turns()
    x, y, z, w = keys["value"][0].astype(np.float64).tolist()
    length = float(np.sqrt(x * x + y * y + z * z))
    if keys["flags"][0] & STALE_TURN and length > 0.0:
        half = np.arccos(min(-w, 1.0)) if w < 0.0 else np.arcsin(min(length, 1.0))
        turns[0, 3] = 2.0 * half
    return turns


def _span(controller: KeyedController, keys: _Keys) -> tuple[int, int]:
    """Return first and last tick of the controller's own range, else of its keys."""
    start, end = controller.body.key_range
    if (start, end) in (FOREVER, NEVER) or end < start:
        return int(keys["time"].min()), int(keys["time"].max())
    return start, end


def boolean_track(controller: Controller | None) -> Serial | None:
    """Return the track of a switch; ``None`` where the controller has no keys for one.

    An On/Off controller gives a key for each time at which it switches; two switches at one time
    undo each other.  Keys of numbers switch it on where they are above 0.  (NeL's public sources:
    the plug-in asks any controller for its value at its keys; that it turns numbers over is for
    tracks that it never makes.)

    Raises:
        DecodeError: The keys are not stored as is known.
    """
    if isinstance(controller, OnOff):
        switches, times = np.unique(np.array(controller.switches, np.int64), return_counts=True)
        values = (np.cumsum(times) + bool(controller.state)) % 2
        span = (int(switches[0]), int(switches[-1])) if len(switches) else (0, 0)
        return _switches(switches, values, span)
    keys = controller.keys if isinstance(controller, KeyedController) else None
    if not isinstance(controller, KeyedController) or controller.kind != "float":
        return None
    if keys is None or not len(keys):
        return None
    times, first = np.unique(keys["time"], return_index=True)
    on = keys["value"][first] > 0.0
    loop = controller.out_of_range[1] == _LOOP
    return _switches(times, on, _span(controller, keys), loop=loop)


def _switches(
    ticks: npt.NDArray[np.int64],
    values: npt.NDArray[Any],
    span: tuple[int, int],
    *,
    loop: bool = False,
) -> Serial:
    rows = np.zeros(len(ticks), _dtype(tracks.CTrackKeyFramerConstBool))
    rows["time"] = seconds(ticks)
    rows["value"] = values
    begin, end = seconds(span).tolist()
    return tracks.CTrackKeyFramerConstBool(
        keys=rows, range_lock=False, range_begin=begin, range_end=end, loop_mode=loop
    )
