"""From the keys of controllers to curves.

The keys of many controllers that store them alike are compiled side by side, as if they were those
of one: a numpy call on a few dozen keys costs far more than its arithmetic.  What comes out between
the last key of one controller and the first of the next is not used, so that a curve is the same,
bit by bit, whatever was compiled beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.curves import (
    Constant,
    Cubic,
    Curve,
    Extended,
    Scales,
    Segments,
    Spherical,
)
from maxsidecar.scene.controllers.handles import bezier_segments, hermite_segments, line_segments
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.controllers.layouts import KeyLayout
from maxsidecar.scene.controllers.rotations import FloatArray

__all__ = ["compile_curve", "compile_together", "tcb_tangents"]

#: Keys that are compiled side by side: enough to share the calls, few enough for the cache.
_TOGETHER: Final = 1 << 13

#: A controller and the bytes of its key table.
_Source: TypeAlias = tuple[KeyedController, memoryview]


def compile_curve(controller: KeyedController) -> Curve:
    """Return the curve of a keyframe controller, of values as stored (rotations conjugated).

    Raises:
        DecodeError: The keys or the value are not stored as is known.
    """
    keys = controller.keys
    if keys is None or not len(keys):
        stored = controller.body.value
        return Constant(np.atleast_1d(np.asarray(stored, np.float64)))
    (curve,) = _Batch(controller.kind, keys, [len(keys)]).curves({})
    return _extended(controller, curve)


def compile_together(controllers: Iterable[Controller]) -> None:
    """Compile the curves of many controllers and of those below them, faster than one by one.

    They are kept with the controllers, where a ``Sampler`` finds them.  Controllers without keys,
    and those that cannot be evaluated, are passed over.
    """
    groups: dict[tuple[str, int], tuple[KeyLayout, list[_Source]]] = {}
    for controller in _keyed(controllers):
        if "curve" in controller.kept() or controller.obstacle is not None:
            continue
        # Sizes and times were checked with the reason.
        table, data = controller.track.table, controller.key_bytes()
        if data and table is not None:
            layout = table.layout
            _, members = groups.setdefault((controller.kind, id(layout)), (layout, []))
            members.append((controller, data))
    known: dict[bytes, Segments] = {}
    for (kind, _), (layout, members) in groups.items():
        for run in _runs(layout, members):
            _compile(kind, layout, run, known)


def _keyed(controllers: Iterable[Controller]) -> Iterator[KeyedController]:
    """Yield the keyframe controllers among some and below them, each once."""
    stack = list(controllers)
    seen: set[int] = set()
    while stack:
        controller = stack.pop()
        if controller.index in seen:
            continue
        seen.add(controller.index)
        if isinstance(controller, KeyedController):
            yield controller
            continue
        try:
            stack += controller.parts()
        except MaxSidecarError:
            continue  # found again, and told, when the controller is evaluated


def _runs(layout: KeyLayout, members: Sequence[_Source]) -> Iterable[Sequence[_Source]]:
    """Yield runs of controllers whose keys are compiled side by side."""
    start = size = 0
    for end, (_, data) in enumerate(members):
        if size and size + len(data) > _TOGETHER * layout.size:
            yield members[start:end]
            start, size = end, 0
        size += len(data)
    yield members[start:]


def _compile(
    kind: str, layout: KeyLayout, members: Sequence[_Source], known: dict[bytes, Segments]
) -> None:
    # A view of the stored bytes in their own layout: nothing is converted that could be lost.
    keys = np.frombuffer(b"".join([data for _, data in members]), layout.dtype())
    counts = [len(data) // layout.size for _, data in members]
    curves = _Batch(kind, keys, counts).curves(known)
    for (controller, _), curve in zip(members, curves, strict=True):
        try:
            extended = _extended(controller, curve)
        except MaxSidecarError:
            continue  # found again, and told, when the controller is evaluated
        controller.kept()["curve"] = extended


def _extended(controller: KeyedController, curve: Curve) -> Curve:
    """Return a curve with the out-of-range types of its controller."""
    if isinstance(curve, Constant):
        return curve
    before, after = controller.out_of_range
    if (before, after) == (1, 1):
        return curve
    span = controller.range
    return curve if span is None else Extended(curve, span, before, after)


class _Batch:
    """The keys of some controllers of one kind and layout, side by side.

    Args:
        kind: What the controllers give.
        keys: Their keys, N together.
        counts: Number of keys of each, at least 1.
    """

    def __init__(self, kind: str, keys: npt.NDArray[np.void], counts: Sequence[int]) -> None:
        """Keep the keys."""
        self.kind = kind
        self.keys = keys
        self.names = keys.dtype.names or ()
        ends = np.cumsum(np.asarray(counts, np.intp))
        self.starts = ends - counts
        self.last = ends - 1
        self.runs = [
            slice(end - count, end) for end, count in zip(ends.tolist(), counts, strict=True)
        ]
        self.values = keys["value"].astype(np.float64).reshape(len(keys), -1)

    def curves(self, known: dict[bytes, Segments]) -> list[Curve]:
        """Return the curve of each controller.

        Args:
            known: Segments by the bytes of the key times, to be filled: controllers with keys at
                the same times share them, so that times are looked up once for all.
        """
        segments = self._segments(known)
        with np.errstate(all="ignore"):
            curves = (
                self._spherical(segments) if self.kind == "rotation" else self._cubics(segments)
            )
        for number, run in enumerate(self.runs):
            if run.stop - run.start == 1:
                curves[number] = Constant(_row(self.keys[run]))
        return curves

    def _segments(self, known: dict[bytes, Segments]) -> list[Segments]:
        times = self.keys["time"].astype(np.float64)
        inverse = np.zeros(len(times))
        steps = np.diff(times)
        np.divide(1.0, steps, out=inverse[:-1], where=steps > 0)
        inverse[self.last] = 0.0
        out: list[Segments] = []
        for run in self.runs:
            key = times[run].tobytes()
            found = known.get(key)
            if found is None:
                found = known[key] = Segments(times[run], inverse[run])
            out.append(found)
        return out

    def _cubics(self, segments: Sequence[Segments]) -> list[Curve]:
        keys, values, names, last = self.keys, self.values, self.names, self.last
        lengths = None
        if "tension" in names:
            coefficients = hermite_segments(values, *self._tangents())
        elif "out_tangent" in names:
            coefficients, lengths = bezier_segments(keys, values)
        else:
            coefficients = line_segments(values)
        powers = np.zeros((4, *values.shape))
        powers[:, :-1] = coefficients
        powers[0, last], powers[1:, last] = values[last], 0.0
        handles: list[FloatArray | None] = [None] * len(self.runs)
        if lengths is not None:
            whole = np.full((len(values), 2, values.shape[1]), np.nan)
            whole[:-1] = lengths
            whole[last] = np.nan
            handles = self._split(whole, np.isfinite(whole))
        eases = self._eases()
        cubics = [
            Cubic(part, powers[:, run], lengths, ease)
            for part, run, lengths, ease in zip(segments, self.runs, handles, eases, strict=True)
        ]
        if "axis" not in names:
            return list(cubics)
        axes = keys["axis"].astype(np.float64)
        return [Scales(cubic, axes[run]) for cubic, run in zip(cubics, self.runs, strict=True)]

    def _tangents(self) -> tuple[FloatArray, FloatArray]:
        """Return the tangents at the first and at the last key of each segment, (N - 1, w)."""
        keys = self.keys
        if "out_tangent" in self.names:
            leave, arrive = keys["out_tangent"][:-1], keys["in_tangent"][1:]
            return leave.astype(np.float64), arrive.astype(np.float64)
        out = np.zeros((2, *self.values.shape))
        for run in self.runs:
            if run.stop - run.start > 1:
                out[:, run.start : run.stop - 1] = tcb_tangents(keys[run])
        return out[0, :-1], out[1, :-1]

    def _spherical(self, segments: Sequence[Segments]) -> list[Curve]:
        keys, values = self.keys, self.values
        controls: FloatArray | None = None
        if "out_control" in self.names:
            controls = np.stack([keys["out_control"][:-1], keys["in_control"][1:]], axis=1)
            controls = controls.astype(np.float64)
        return [
            Spherical(
                part,
                values[run],
                None if controls is None else controls[run.start : run.stop - 1],
                ease,
            )
            for part, run, ease in zip(segments, self.runs, self._eases(), strict=True)
        ]

    def _eases(self) -> list[FloatArray | None]:
        """Return how much each segment eases out of its first and into its last key."""
        if "ease_out" not in self.names:
            return [None] * len(self.runs)
        keys = self.keys
        eases = np.zeros((len(keys), 2))
        eases[:-1, 0], eases[:-1, 1] = keys["ease_out"][:-1], keys["ease_in"][1:]
        eases[self.last] = 0.0
        return self._split(eases, eases != 0.0)

    def _split(self, whole: FloatArray, used: npt.NDArray[np.bool_]) -> list[FloatArray | None]:
        """Return the rows of each controller, ``None`` where none of them is used."""
        rows = used.reshape(len(used), -1).any(axis=1)
        wanted = np.logical_or.reduceat(rows, self.starts).tolist()
        return [whole[run] if some else None for run, some in zip(self.runs, wanted, strict=True)]


def _row(keys: npt.NDArray[np.void]) -> FloatArray:
    """Return the value of the first key, with the axis of scales."""
    value = np.atleast_1d(keys["value"][0].astype(np.float64))
    if "axis" in (keys.dtype.names or ()):
        return np.concatenate([value, keys["axis"][0].astype(np.float64)])
    return value


def tcb_tangents(keys: npt.NDArray[np.void]) -> tuple[FloatArray, FloatArray]:
    """Return the tangents of TCB keys, in value per segment.

    Between two segments they are those of Kochanek and Bartels, weighted by the lengths of the
    segments; at the ends they follow from the neighbour.  (With all parameters 0, the only case
    seen, this equals the tangents stored in the position keys of the corpus.)

    Args:
        keys: At least two keys with the TCB columns.

    Returns:
        Tangents at the first and at the last key of each segment, each (n - 1, w).
    """
    values = keys["value"].astype(np.float64).reshape(len(keys), -1)
    tension, continuity, bias = (
        keys[name].astype(np.float64)[:, None] for name in ("tension", "continuity", "bias")
    )
    steps = np.diff(keys["time"].astype(np.float64))[:, None]
    moves = np.diff(values, axis=0)
    leave, arrive = np.zeros_like(moves), np.zeros_like(moves)
    t, c, b = tension[1:-1], continuity[1:-1], bias[1:-1]
    before, after = moves[:-1], moves[1:]
    total = steps[:-1] + steps[1:]
    total = np.where(total > 0, total, 1.0)
    arrive[:-1] = ((1 + b) * (1 - c) * before + (1 - b) * (1 + c) * after) * (1 - t) / 2
    leave[1:] = ((1 + b) * (1 + c) * before + (1 - b) * (1 - c) * after) * (1 - t) / 2
    arrive[:-1] *= 2 * steps[:-1] / total
    leave[1:] *= 2 * steps[1:] / total
    if len(moves) == 1:
        leave[0] = (1 - tension[0]) * moves[0]
        arrive[0] = (1 - tension[1]) * moves[0]
    else:
        leave[0] = (1 - tension[0]) * (1.5 * moves[0] - 0.5 * arrive[0])
        arrive[-1] = (1 - tension[-1]) * (1.5 * moves[-1] - 0.5 * leave[-1])
    return leave, arrive
