"""Keys of the weights of morph targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf.export.families import Families
from maxsidecar.gltf.export.sampling import Clock
from maxsidecar.gltf.export.tracks import Track, cubic_track, curves_of, thinned
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.curves import Constant, Curve

if TYPE_CHECKING:
    from maxsidecar.gltf.export.morphs import ExportedMorph

__all__ = ["weight_controllers", "weight_track"]

Array = npt.NDArray[np.float64]


def weight_controllers(morph: ExportedMorph) -> Iterator[Controller]:
    """Yield the controllers of the channels that move anything, each once."""
    seen: set[int] = set()
    for part in morph.targets:
        for channel in part.channels:
            found = channel.controller
            if found is not None and channel.active and found.index not in seen:
                seen.add(found.index)
                yield found


def weight_track(morph: ExportedMorph, clock: Clock, families: Families) -> Track | None:
    """Return the keys of all weights of a mesh; ``None`` where none has two.

    Args:
        morph: How the mesh's targets came about.
        clock: What is exported.
        families: What controllers are put together from.
    """
    controllers = list(weight_controllers(morph))
    times = {id(t): t for item in controllers for t in families.times(item)}
    if not times:
        return None
    if not clock.forced:
        found = _curves(morph)
        if found is not None:
            curves, factors = found
            track = cubic_track("weights", curves, clock, lambda values: values * factors)
            if track is not None:
                return track
    ticks = clock.samples(times.values())
    values = np.asarray(morph.weights(ticks))
    reason = "sampled: glTF has no such curves, or not between several shapes of a channel"
    return thinned("weights", ticks, values, clock, reason)


def _curves(morph: ExportedMorph) -> tuple[list[Curve], Array] | None:
    """Return percents as curves and what makes weights of them; ``None`` where that is not all."""
    curves: list[Curve] = []
    factors: list[float] = []
    for part in morph.targets:
        for channel in part.channels:
            if len(channel.targets) != 1 or (channel.limits is not None and channel.active):
                return None
            if not channel.active:
                curves.append(Constant(np.zeros(1)))
            elif channel.controller is None:
                curves.append(Constant(np.array([channel.percent])))
            else:
                found = curves_of(channel.controller, "float")
                if found is None:
                    return None
                curves += found
            factors.append(1.0 / channel.targets[0].percent)
    chosen = np.flatnonzero(morph.kept)
    return [curves[i] for i in chosen], np.array(factors)[chosen]
