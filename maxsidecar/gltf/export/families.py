"""What controllers are put together from, and when the keys below them are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.compile import compile_curve
from maxsidecar.scene.controllers.curves import Cubic, Curve, Extended, Scales, Spherical
from maxsidecar.scene.controllers.keyed import KeyedController

__all__ = ["Families", "compiled", "part_of"]

Array = npt.NDArray[np.float64]


def compiled(controller: KeyedController) -> Curve:
    """Return a controller's curve, which is kept with it.

    Raises:
        DecodeError: The keys or the value are not stored as is known.
    """
    curve: Curve = controller.cached("curve", lambda: compile_curve(controller))
    return curve


def part_of(controller: Controller, slot: int) -> Controller | None:
    """Return the controller in a slot; ``None`` where there is none that can be read.

    What is wrong is told where the controller itself is reported.
    """
    try:
        return controller.part(slot)
    except MaxSidecarError:
        return None


class Families:
    """Looks once at what hangs below each controller of a scene that is not edited meanwhile."""

    def __init__(self) -> None:
        """Nothing has been looked at."""
        self._below: dict[int, tuple[Controller, ...]] = {}
        self._own: dict[int, Array | None] = {}
        self._times: dict[int, list[Array]] = {}

    def below(self, controller: Controller) -> tuple[Controller, ...]:
        """Return a controller and all that it is put together from, each once, from the top."""
        found = self._below.get(controller.index)
        if found is None:
            found = self._below[controller.index] = tuple(_walk(controller))
        return found

    def own_times(self, controller: Controller) -> Array | None:
        """Return the key times of a controller itself, in ticks; ``None`` if it has not two."""
        index = controller.index
        if index not in self._own:
            self._own[index] = _times(controller)
        return self._own[index]

    def times(self, controller: Controller) -> list[Array]:
        """Return the key times of a controller and of all below it; the same times once."""
        found = self._times.get(controller.index)
        if found is None:
            every = (self.own_times(item) for item in self.below(controller))
            found = list({id(times): times for times in every if times is not None}.values())
            self._times[controller.index] = found
        return found


def _walk(controller: Controller) -> list[Controller]:
    out, stack, seen = [], [controller], set()
    while stack:
        top = stack.pop()
        if top.index in seen:
            continue
        seen.add(top.index)
        out.append(top)
        try:
            stack += reversed(list(top.parts()))
        except MaxSidecarError:
            continue  # told when it is evaluated
    return out


def _times(controller: Controller) -> Array | None:
    if not isinstance(controller, KeyedController):
        return None
    try:
        if controller.obstacle is not None:
            return None
        curve = compiled(controller)
    except MaxSidecarError:
        return None
    inner = curve.curve if isinstance(curve, Extended) else curve
    inner = inner.factors if isinstance(inner, Scales) else inner
    return inner.segments.times if isinstance(inner, Cubic | Spherical) else None
