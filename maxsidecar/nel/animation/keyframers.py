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
        for ours, theirs in (
            ("tension", "tension"),
            ("continuity", "continuity"),
            ("bias", "bias"),
        ):
            rows[ours] = keys[theirs]
        rows["ease_to"], rows["ease_from"] = keys["ease_in"], keys["ease_out"]
    elif family == "bezier" and "in_tan" in (rows.dtype.names or ()):
        factor = TICKS_PER_SECOND if kind == "position" else 1.0
        for ours, theirs in (("in_tan", "in_tangent"), ("out_tan", "out_tangent")):
            rows[ours] = keys[theirs].astype(np.float64) * factor
        rows["step"] = [out_type(int(flags)) == TangentType.STEP for flags in keys["flags"]]
    # A map of times: of keys at the same time the first one counts.
    _, first = np.unique(rows["time"], return_index=True)
    begin, end = _range(controller, keys)
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


def _range(controller: KeyedController, keys: _Keys) -> tuple[float, float]:
    span = controller.range
    if span is None or span[1] < span[0]:
        span = int(keys["time"][0]), int(keys["time"][-1])
    begin, end = seconds(span).tolist()
    return begin, end


def boolean_track(controller: Controller | None) -> Serial | None:
    """Return the track of an On/Off controller, one key for each switch."""
    from maxsidecar.scene.controllers.other import OnOff

    if not isinstance(controller, OnOff):
        return None
    switches = sorted(set(controller.switches))
    rows = np.zeros(len(switches), _dtype(tracks.CTrackKeyFramerConstBool))
    rows["time"] = seconds(switches)
    rows["value"] = (np.arange(1, len(switches) + 1) + bool(controller.state)) % 2
    begin, end = seconds((switches[0], switches[-1])).tolist() if switches else (0.0, 0.0)
    return tracks.CTrackKeyFramerConstBool(keys=rows, range_begin=begin, range_end=end)
