"""Values of controllers at many times at once.

A :class:`Sampler` holds one array of times and remembers what it has computed for them, so that a
controller shared by others is computed once.  It never raises for what is in a file: what cannot
be evaluated gives its stored value, and is noted in :attr:`Sampler.problems`, as is what can be
computed but need not be right.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.scene.controllers.base import NEUTRAL, Controller
from maxsidecar.scene.controllers.compile import compile_curve
from maxsidecar.scene.controllers.composite import (
    EulerXYZ,
    ListController,
    TripleController,
)
from maxsidecar.scene.controllers.curves import Cubic, Place, Segments
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.controllers.other import OnOff
from maxsidecar.scene.controllers.rotations import (
    EULER_ORDERS,
    FloatArray,
    conjugate,
    continuous,
    euler_quaternions,
    multiply,
    normalized,
    slerp,
)

__all__ = ["MAX_DEPTH", "FloatArray", "Sampler", "Times", "as_times", "evaluate"]

Times: TypeAlias = int | float | npt.ArrayLike

#: How deep controllers may be put together; real files need about four levels.
MAX_DEPTH: Final = 32

_IDENTITY: Final = np.array(NEUTRAL["rotation"])


def as_times(time: Times) -> tuple[FloatArray, bool]:
    """Return times as an array of shape (T,), and whether one number was given.

    Raises:
        EditError: It is no number and no array of numbers of one axis.
    """
    try:
        array = np.asarray(time, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise EditError("times must be numbers", expected="ticks") from None
    if array.ndim > 1:
        raise EditError("times must have one axis", expected="(T,)", found=array.shape)
    if not np.isfinite(array).all():
        raise EditError("times must be finite", expected="ticks")
    return np.atleast_1d(array), array.ndim == 0


class Sampler:
    """Values at some times.

    Args:
        times: Ticks, shape (T,), float64.

    Attributes:
        problems: Why a controller's value is not known for sure, by storage index.
    """

    def __init__(self, times: FloatArray) -> None:
        """Keep the times."""
        self.times = times
        self.problems: dict[int, str] = {}
        self._done: dict[int, FloatArray] = {}
        self._active: list[int] = []
        #: Where the times are among the keys looked at last, which others often have as well.
        self._last: tuple[Segments, Place] | None = None

    def value(self, controller: Controller | None, kind: str) -> FloatArray:
        """Return the values of a controller: (T, w), or (1, w) where they do not change.

        Args:
            controller: The controller, or ``None`` for an empty slot.
            kind: What is wanted; a controller of another kind counts as missing.
        """
        neutral = np.array([NEUTRAL[kind]])
        if controller is None:
            return neutral
        if controller.kind != kind:
            self.problems[controller.index] = f"gives a {controller.kind} where a {kind} belongs"
            return neutral
        index = controller.index
        found = self._done.get(index)
        if found is not None:
            return found
        if index in self._active or len(self._active) >= MAX_DEPTH:
            self.problems[index] = "refers to itself, or is nested too deep"
            return neutral
        self._active.append(index)
        try:
            values = self._compute(controller)
        except MaxSidecarError as error:
            self.problems[index] = f"damaged: {error.message}"
            values = neutral
        finally:
            self._active.pop()
        self._done[index] = values
        return values

    def _compute(self, controller: Controller) -> FloatArray:
        reason = controller.obstacle
        note = reason or controller.doubt
        if note is not None:
            self.problems[controller.index] = note
        if isinstance(controller, KeyedController):
            return self._keyed(controller, reason)
        if reason is None:
            if isinstance(controller, EulerXYZ):
                return self._euler(controller)
            if isinstance(controller, ListController):
                return self._list(controller)
            if isinstance(controller, TripleController):
                return self._triple(controller)
            if isinstance(controller, OnOff):
                return controller.sample(self.times)
        return np.array([controller.stored], np.float64)

    def _keyed(self, controller: KeyedController, reason: str | None) -> FloatArray:
        if reason is not None:
            return np.array([controller.stored], np.float64)
        curve = controller.cached("curve", lambda: compile_curve(controller))
        values = self._cubic(curve) if isinstance(curve, Cubic) else curve.sample(self.times)
        if controller.kind == "rotation":
            return conjugate(values)
        if controller.kind == "scale":
            return np.concatenate([values[:, :3], conjugate(values[:, 3:])], axis=1)
        return values

    def _cubic(self, curve: Cubic) -> FloatArray:
        last = self._last
        if last is None or last[0] is not curve.segments:
            last = self._last = curve.segments, curve.segments.find(self.times)
        return curve.at(last[1])

    def columns(self, parts: list[Controller | None], default: float) -> FloatArray:
        """Return the values of float controllers side by side; a missing one gives a default."""
        columns = [
            np.array([[default]]) if part is None else self.value(part, "float") for part in parts
        ]
        rows = max(len(column) for column in columns)
        out = np.empty((len(columns), rows))
        for number, column in enumerate(columns):
            out[number] = column[:, 0]
        return out.T

    def angles(self, controller: EulerXYZ) -> FloatArray:
        """Return the Euler angles in radians, (T, 3) or (1, 3)."""
        return self.columns([controller.part(slot) for slot in range(3)], 0.0)

    def _euler(self, controller: EulerXYZ) -> FloatArray:
        return euler_quaternions(self.angles(controller), EULER_ORDERS[controller.axis_order])

    def _triple(self, controller: TripleController) -> FloatArray:
        parts = [controller.part(slot) for slot in range(3)]
        values = self.columns(parts, controller.missing)
        if controller.kind == "scale":
            axes = np.broadcast_to(_IDENTITY, (len(values), 4))
            return np.concatenate([values, axes], axis=1)
        return values

    def _list(self, controller: ListController) -> FloatArray:
        """Put the entries of a list together, each by its weight.

        (spec; no twin file has a list whose entries do more than one of them alone.)
        """
        kind = controller.kind
        total = np.array([NEUTRAL[kind]])
        for entry, weight in zip(controller.entries(), controller.weights(), strict=True):
            share = self._weight(weight)
            if entry is None or not np.any(share):
                continue
            values = self.value(entry, kind)
            if kind == "rotation":
                total = multiply(total, _partial(values, share))
            elif kind == "scale":
                factors = total[:, :3] * (1.0 + share * (values[:, :3] - 1.0))
                axes = np.broadcast_to(values[:, 3:], (len(factors), 4))
                total = np.concatenate([factors, axes], axis=1)
            else:
                total = total + share * values
        return total

    def _weight(self, weight: float | Controller) -> FloatArray:
        if isinstance(weight, Controller):
            return self.value(weight, "float")
        return np.array([[weight]])


def _partial(rotations: FloatArray, share: FloatArray) -> FloatArray:
    """Return a share of rotations: (T, 4) by (T, 1)."""
    if np.all(share == 1.0):
        return rotations
    rows = max(len(rotations), len(share))
    full = np.broadcast_to(normalized(rotations, NEUTRAL["rotation"]), (rows, 4))
    start = np.broadcast_to(_IDENTITY, (rows, 4))
    return slerp(start, full, np.broadcast_to(share[:, 0], (rows,)), shortest=True)


def evaluate(controller: Controller, time: Times) -> FloatArray:
    """Return the value of one controller; see :meth:`Controller.evaluate`."""
    times, single = as_times(time)
    with np.errstate(all="ignore"):
        if controller.kind == "transform":
            from maxsidecar.scene.transform import Pose

            local: Any = Pose(controller.scene, times).controller_matrix(controller)
            out: FloatArray = np.broadcast_to(local, (len(times), 4, 4))
        else:
            values = Sampler(times).value(controller, controller.kind)
            if controller.kind == "rotation":
                values = continuous(normalized(values, NEUTRAL["rotation"]))
            out = np.broadcast_to(values, (len(times), values.shape[1]))
            if controller.kind == "float":
                out = out[:, 0]
    return np.array(out[0] if single else out)
