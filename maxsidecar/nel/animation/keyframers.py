"""From keyframe controllers to keyed tracks, as the plug-in writes them.

Times are ticks / 4800.  Tangents of vectors are per second, those of numbers and scales stay per
tick; rotations are stored with negated w, which is the negative of the usual quaternion; TCB turns
have their angle negated.  (spec: nel-export-rules, section 5; pipeline-max-design, section 10b)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes import track as tracks
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.key_flags import TangentType, out_type
from maxsidecar.scene.controllers.keyed import KeyedController, TCBRotation
from maxsidecar.scene.controllers.rotations import quaternion_to_matrix

__all__ = ["TICKS_PER_SECOND", "boolean_track", "keyed_track", "seconds"]

TICKS_PER_SECOND: Final = 4800.0
_LOOP: Final = 3
#: Numbers that count as 0 for a switch.
_ZERO: Final = float(np.finfo(np.float32).eps)

_Keys = npt.NDArray[np.void]
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
}


def seconds(ticks: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return times in seconds."""
    return (np.asarray(ticks, np.float64) / TICKS_PER_SECOND).astype(np.float32)


def keyed_track(controller: Controller | None, kind: str) -> Serial | None:
    """Return the track of a controller; ``None`` where it has no keys that the game knows.

    Args:
        controller: The controller, or ``None`` for an empty slot.
        kind: What is wanted: ``float``, ``position``, ``rotation`` or ``scale``.

    Raises:
        DecodeError: The keys are not stored as is known.
    """
    if not isinstance(controller, KeyedController) or controller.kind != kind:
        return None
    keys = controller.keys
    if keys is None or not len(keys):
        return None
    names = keys.dtype.names or ()
    family = "tcb" if "tension" in names else "bezier" if _is_bezier(names) else "linear"
    made = _TRACKS[kind, family]
    rows = np.zeros(len(keys), _dtype(made))
    rows["time"] = seconds(keys["time"])
    rows["value"] = _values(controller, keys, kind, family)
    if family == "tcb":
        for name in ("tension", "continuity", "bias"):
            rows[name] = keys[name]
        rows["ease_to"], rows["ease_from"] = keys["ease_in"], keys["ease_out"]
    elif family == "bezier" and "in_tan" in (rows.dtype.names or ()):
        factor = TICKS_PER_SECOND if kind == "position" else 1.0
        for ours, theirs in (("in_tan", "in_tangent"), ("out_tan", "out_tangent")):
            rows[ours] = keys[theirs].astype(np.float64) * factor
        rows["step"] = [out_type(int(flags)) == TangentType.STEP for flags in keys["flags"]]
    # A map of times: of keys at the same time the first one counts.
    _, first = np.unique(rows["time"], return_index=True)
    begin, end = seconds(_span(controller, keys)).tolist()
    loop = controller.out_of_range[1] == _LOOP
    return made(keys=rows[first], range_begin=begin, range_end=end, loop_mode=loop)


def _is_bezier(names: tuple[str, ...]) -> bool:
    return "in_tangent" in names or "in_control" in names


def _dtype(made: Any) -> np.dtype[Any]:
    keys: _Keys = made().keys
    return keys.dtype


def _values(
    controller: KeyedController, keys: _Keys, kind: str, family: str
) -> npt.NDArray[np.float64]:
    if kind == "rotation":
        if family == "tcb" and isinstance(controller, TCBRotation):
            return controller.turns() * [1.0, 1.0, 1.0, -1.0]
        return keys["value"].astype(np.float64) * [1.0, 1.0, 1.0, -1.0]
    values = keys["value"].astype(np.float64)
    if kind == "scale":
        # The scale along the axes of the node: the diagonal of the stretch in its turned frame.
        frame = quaternion_to_matrix(keys["axis"].astype(np.float64))
        out: npt.NDArray[np.float64] = np.einsum("kij,kj,kij->ki", frame, values, frame)
        plain = ~np.any(keys["axis"][:, :3], axis=1)
        return np.where(plain[:, None], values, out)
    return values


def _span(controller: KeyedController, keys: _Keys) -> tuple[int, int]:
    """Return first and last tick of the controller's own range, else of its keys."""
    span = controller.range
    if span is None or span[1] < span[0]:
        return int(keys["time"].min()), int(keys["time"].max())
    return span


def boolean_track(controller: Controller | None) -> Serial | None:
    """Return the track of a switch; ``None`` where the controller has no keys for one.

    An On/Off controller gives a key for each time at which it switches; two switches at one time
    undo each other.  Keys of numbers give the opposite of what one expects, as in the plug-in: on
    where the number is 0.

    Raises:
        DecodeError: The keys are not stored as is known.
    """
    from maxsidecar.scene.controllers.other import OnOff

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
    zero = np.abs(keys["value"][first].astype(np.float64)) <= _ZERO
    return _switches(times, zero, _span(controller, keys))


def _switches(
    ticks: npt.NDArray[np.int64], values: npt.NDArray[Any], span: tuple[int, int]
) -> Serial:
    rows = np.zeros(len(ticks), _dtype(tracks.CTrackKeyFramerConstBool))
    rows["time"] = seconds(ticks)
    rows["value"] = values
    begin, end = seconds(span).tolist()
    return tracks.CTrackKeyFramerConstBool(keys=rows, range_begin=begin, range_end=end)
