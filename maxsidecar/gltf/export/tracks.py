"""What moves a node, as keys of glTF: translation, rotation and scale.

A node whose transform is put together from position, rotation and scale gets the keys of each of
them; one that looks at another, takes only a part of its parent's transform, or is scaled along
turned axes, is sampled as a whole, relative to its parent in the export.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.families import Families, compiled
from maxsidecar.gltf.export.frame import Frame
from maxsidecar.gltf.export.hermite import between_keys, exact, inner_curve
from maxsidecar.gltf.export.sampling import (
    Clock,
    Values,
    drop_lines,
    is_constant,
    smooth_turns,
    to_parts,
)
from maxsidecar.gltf.model import Interpolation
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import ListController, TripleController
from maxsidecar.scene.controllers.curves import Constant, Curve, Extended, Scales, Spherical
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.controllers.rotations import conjugate

__all__ = [
    "Track",
    "cubic_track",
    "curves_of",
    "matrix_tracks",
    "part_track",
    "straight_scale",
    "thinned",
]

Array = npt.NDArray[np.float64]
#: A path of glTF, or a pointer below what moves.
Path = str

_KINDS: Final[dict[str, Path]] = {
    "position": "translation",
    "rotation": "rotation",
    "scale": "scale",
}
#: Products of such numbers still fit into 32-bit floats.
_FARTHEST: Final = 1e18
#: How deep curves may be put together from others.
_MAX_DEPTH: Final = 8


@dataclass(slots=True)
class Track:
    """Keys of one property of a node, in glTF's terms but for the time.

    Attributes:
        path: What moves.
        ticks: (k,) ascending.
        values: (k, w), or (3 k, w) of a ``CUBICSPLINE``.
        sampled: Why there are samples instead of the scene's own keys; empty if there are not.
    """

    path: Path
    ticks: Array
    values: Array
    interpolation: Interpolation = "LINEAR"
    sampled: str = ""

    @property
    def constant(self) -> bool:
        """Whether nothing moves; what does has more than one key."""
        return len(self.ticks) < 2

    @property
    def sound(self) -> bool:
        """Whether all values can be written."""
        return bool((np.abs(self.values) <= _FARTHEST).all())

    def written(self, clock: Clock) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return times in seconds and values as they are written.

        Far from the start 32 bits tell apart no frames; of keys at one time the first is written.
        """
        seconds, values = clock.seconds(self.ticks), self.values.astype(np.float32)
        later = np.diff(seconds, prepend=-1.0) > 0.0
        if later.all():
            return seconds, values
        rows = 3 if self.interpolation == "CUBICSPLINE" else 1
        return seconds[later], values[np.repeat(later, rows)]


def part_track(
    controller: Controller,
    kind: str,
    frame: Frame,
    clock: Clock,
    families: Families,
    sampler: Values,
) -> Track | None:
    """Return the keys of a node's position, rotation or scale; ``None`` without movement.

    Args:
        controller: It.
        kind: What it is to give: ``position``, ``rotation`` or ``scale``.
        frame: How numbers are changed.
        clock: What is exported.
        families: What controllers are put together from.
        sampler: Of the times of :meth:`Clock.samples`; only used if keys do not do.

    Returns:
        The keys; of one row where nothing moves in the exported time but does elsewhere.

    """
    path = _KINDS[kind]
    below = families.below(controller)
    if not families.times(controller) and all(_still(item) for item in below):
        return None
    change = {
        "position": frame.positions,
        "rotation": frame.rotations,
        "scale": frame.scales,
    }[kind]
    if not clock.forced:
        found = _turns(controller, clock) if kind == "rotation" else None
        if found is not None:
            ticks, values = found
            return _settled(Track(path, ticks, smooth_turns(change(values))))
        curves = None if kind == "rotation" else curves_of(controller, kind)
        track = None if curves is None else cubic_track(path, curves, clock, change)
        if track is not None:
            return track
    ticks = sampler.times
    with np.errstate(all="ignore"):
        sampled = np.asarray(sampler.value(controller, kind))
    if len(sampled) == 1:
        return None
    if kind == "scale":
        sampled = sampled[:, :3]
    values = change(sampled)
    return thinned(path, ticks, values, clock, _reason(below, kind))


def cubic_track(
    path: Path, curves: Sequence[Curve], clock: Clock, change: Callable[[Array], Array]
) -> Track | None:
    """Return curves side by side as keys that say exactly the same; ``None`` if none do.

    Args:
        path: What moves.
        curves: The curves.
        clock: What is exported.
        change: Makes numbers of glTF from values and from slopes; linear.
    """
    keys = exact(curves, clock.start, clock.end)
    if keys is None:
        return None
    hermite, interpolation = keys
    hermite.values = change(hermite.values)
    hermite.arrive, hermite.leave = change(hermite.arrive), change(hermite.leave)
    values = hermite.packed() if interpolation == "CUBICSPLINE" else hermite.values
    return _settled(Track(path, hermite.ticks, values, interpolation))


def _settled(track: Track) -> Track:
    """Return a track of one key where nothing moves."""
    cubic = track.interpolation == "CUBICSPLINE"
    values = track.values[1::3] if cubic else track.values
    slopes = np.delete(track.values, np.s_[1::3], axis=0) if cubic else np.zeros(0)
    if slopes.any() or not is_constant(values):
        return track
    row = 1 if cubic else 0
    return Track(track.path, track.ticks[:1], track.values[row : row + 1], "LINEAR", track.sampled)


def thinned(path: Path, ticks: Array, values: Array, clock: Clock, reason: str) -> Track | None:
    """Return sampled values without the keys that say nothing; ``None`` without movement."""
    rotation, reason = path == "rotation", reason + clock.note
    if rotation:
        values = smooth_turns(values)
    if is_constant(values):
        return Track(path, ticks[:1], values[:1], "LINEAR", reason)
    if not clock.forced:
        chosen = drop_lines(ticks, values, rotation)
        ticks, values = ticks[chosen], values[chosen]
    return Track(path, ticks, values, "LINEAR", reason)


def matrix_tracks(
    local: Array,
    ticks: Array,
    frame: Frame,
    clock: Clock,
    like: tuple[float, float, float],
    reason: str,
) -> tuple[list[Track], bool]:
    """Return the keys of a node that is sampled as a whole, and whether that is all it does.

    Args:
        local: Row-vector matrices below the parent, (k, 4, 4).
        ticks: (k,).
        frame: How they are changed.
        clock: What is exported.
        like: The node's scale factors, whose signs are kept.
        reason: Why it is sampled.

    Returns:
        Tracks of what moves, and whether no shear was lost.
    """
    translation, rotation, scale, whole = to_parts(frame.matrices(local), like)
    found = [
        thinned("translation", ticks, translation, clock, reason),
        thinned("rotation", ticks, rotation, clock, reason),
        thinned("scale", ticks, scale, clock, reason),
    ]
    return [track for track in found if track is not None], whole


def straight_scale(controller: Controller | None, sampler: Values) -> bool:
    """Return whether scale factors apply along the node's own axes, or all are the same."""
    if controller is None or controller.kind != "scale":
        return True
    values = np.asarray(sampler.value(controller, "scale"))
    uneven = np.ptp(values[:, :3], axis=1) > 1e-6 * np.abs(values[:, :3]).max(axis=1, initial=0.0)
    turned = np.abs(values[:, 3:6]).max(axis=1, initial=0.0) > 1e-6
    return not bool(np.any(uneven & turned))


def _still(controller: Controller) -> bool:
    """Return whether a controller by itself does not move: its keys, if any, are looked at."""
    try:
        if isinstance(controller, KeyedController) or controller.obstacle is not None:
            return True
    except MaxSidecarError:
        return True
    # Lists, axes and what is put together otherwise move only with their parts.
    return isinstance(controller, TripleController | ListController)


def _turns(controller: Controller, clock: Clock) -> tuple[Array, Array] | None:
    """Return ticks and quaternions of a rotation that goes on arcs from key to key."""
    controller = _alone(controller)
    if not isinstance(controller, KeyedController) or controller.kind != "rotation":
        return None
    try:
        curve = inner_curve(compiled(controller), clock.start, clock.end)
    except MaxSidecarError:
        return None
    if not isinstance(curve, Spherical) or curve.controls is not None or curve.eases is not None:
        return None
    ticks = between_keys([curve.segments.times], clock.start, clock.end)
    with np.errstate(all="ignore"):
        return ticks, conjugate(curve.sample(ticks))


def curves_of(controller: Controller | None, kind: str, depth: int = 0) -> list[Curve] | None:
    """Return what a controller gives as curves side by side; ``None`` where it is none.

    Args:
        controller: It; ``None`` gives the value of an empty slot.
        kind: What it is to give: ``float``, ``position`` or ``scale``, of which the factors count.
        depth: How deep it lies in others.
    """
    missing = {"float": (0.0,), "position": (0.0, 0.0, 0.0), "scale": (1.0, 1.0, 1.0)}[kind]
    if controller is None:
        return [Constant(np.array(missing))]
    controller = _alone(controller)
    if controller.kind != kind or depth > _MAX_DEPTH:
        return None
    width = len(missing)
    try:
        if controller.obstacle is not None:
            return [Constant(np.array(controller.stored[:width], np.float64))]
        if isinstance(controller, KeyedController):
            return _keyed_curves(compiled(controller), width)
        if isinstance(controller, TripleController):
            out: list[Curve] = []
            for slot in range(3):
                part = controller.part(slot)
                if part is None:
                    out.append(Constant(np.array([controller.missing])))
                    continue
                found = curves_of(part, "float", depth + 1)
                if found is None:
                    return None
                out += found
            return out
    except MaxSidecarError:
        return None
    return None


def _keyed_curves(curve: Curve, width: int) -> list[Curve]:
    if isinstance(curve, Constant):
        return [Constant(curve.value[:width])]
    if isinstance(curve, Extended) and isinstance(curve.curve, Scales):
        span = int(curve.start), int(curve.end)
        return [Extended(curve.curve.factors, span, curve.before, curve.after)]
    return [curve.factors if isinstance(curve, Scales) else curve]


def _alone(controller: Controller) -> Controller:
    """Return the one entry of a list that counts, if it counts in full; else the controller."""
    for _ in range(_MAX_DEPTH):
        if not isinstance(controller, ListController):
            break
        try:
            weighted = list(zip(controller.entries(), controller.weights(), strict=True))
        except MaxSidecarError:
            break
        live = [(e, w) for e, w in weighted if e is not None and w != 0.0]
        if len(live) != 1 or live[0][1] != 1.0:
            break
        only = live[0][0]
        if only.kind != controller.kind:
            break
        controller = only
    return controller


def _reason(below: Sequence[Controller], kind: str) -> str:
    """Say why a controller was sampled."""
    top = below[0]
    names = {item.class_name for item in below if isinstance(item, KeyedController)}
    if kind == "rotation":
        return f"sampled: glTF has no turns of {top.class_name}"
    return f"sampled: glTF has no such curves ({', '.join(sorted(names)) or top.class_name})"
