"""Morph targets: from a node's Morpher to a neutral record (docs/format/skin.md, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.sampling import Times, as_times
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.skin.morpher_views import (
    FIRST_BLOCK,
    FIRST_PROGRESSIVE,
    FIRST_TARGET,
    MorphChannel,
    Morpher,
)
from maxsidecar.scene.skin.stacks import Layer, layers

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.pipeline import Evaluator

__all__ = ["MorphTarget", "MorphTargets", "TargetChannel", "morph_layers", "read_targets"]

F64: TypeAlias = npt.NDArray[np.float64]

#: Deltas are stored for one percent.
_WHOLE: Final = 100.0
#: Further targets that a channel has slots for: 1 + 100 + 100 + 100 * 25 slots up to 2012.
_PROGRESSIVE: Final = 25
_USE_LIMITS, _MINIMUM, _MAXIMUM = 0, 1, 2


@dataclass(slots=True, eq=False)
class MorphTarget:
    """One shape on a channel's way.

    Attributes:
        percent: Value of the channel that shows this shape.
        deltas: (v, 3) float64: displacement of each vertex that comes into the modifier.
        node: The node that shows the shape; ``None`` where it was deleted.
    """

    percent: float
    deltas: F64
    node: Node | None = None


@dataclass(slots=True, eq=False)
class TargetChannel:
    """A channel that is in use.

    Attributes:
        index: Its number, from 0; channels that are not in use leave gaps.
        name: Its name.
        targets: One shape, or several that are passed one after the other, by percent.
        controller: What gives its percent; ``None`` where it does not change.
        percent: The percent where it does not change.
        limits: Least and most percent, or ``None``.
        active: Whether it moves anything.
    """

    index: int
    name: str
    targets: tuple[MorphTarget, ...]
    controller: Controller | None = None
    percent: float = 0.0
    limits: tuple[float, float] | None = None
    active: bool = True

    def percents(self, times: Times) -> F64:
        """Return the percent at times in ticks, (T,)."""
        array, _ = as_times(times)
        if not self.active:
            return np.zeros(len(array))
        if self.controller is None:
            values = np.full(len(array), self.percent)
        else:
            values = np.asarray(self.controller.evaluate(array), np.float64)
        return values if self.limits is None else np.clip(values, *self.limits)

    def weights(self, times: Times) -> F64:
        """Return how much of each target is added at times in ticks, (T, targets).

        One target grows with the percent.  Of several the nearest two share, from the mesh as it
        is at 0 on; 3ds Max goes through them on a curve, which is not decoded.
        """
        values = self.percents(times)
        knots = np.array([0.0, *(target.percent for target in self.targets)])
        place = np.clip(np.searchsorted(knots, values, "right") - 1, 0, len(knots) - 2)
        share = (values - knots[place]) / (knots[place + 1] - knots[place])
        out = np.zeros((len(values), len(knots)))
        rows = np.arange(len(values))
        out[rows, place] = 1.0 - share
        out[rows, place + 1] = share
        return out[:, 1:]


@dataclass(slots=True, eq=False)
class MorphTargets:
    """What a Morpher adds to a mesh.

    Attributes:
        layer: The modifier in its stack.
        channels: Channels in use, by number.
        vertex_count: Vertices that come into the modifier.
        notes: What is not as in 3ds Max.
    """

    layer: Layer
    channels: tuple[TargetChannel, ...]
    vertex_count: int
    notes: tuple[str, ...] = ()

    @property
    def targets(self) -> list[tuple[TargetChannel, MorphTarget]]:
        """Every target of every channel, in the order of :meth:`weights`."""
        return [(channel, target) for channel in self.channels for target in channel.targets]

    def weights(self, times: Times) -> F64:
        """Return how much of each target is added at times in ticks, (T, targets)."""
        array, _ = as_times(times)
        parts = [channel.weights(array) for channel in self.channels]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(array), 0))


def morph_layers(node: Node) -> list[Layer]:
    """Return the Morphers of a node that are not off, from the top down.

    Raises:
        DecodeError: A stack cannot be read.
    """
    found = layers(node.object, lambda obj: isinstance(obj, Morpher))
    return [layer for layer in found if not layer.off]


def read_targets(layer: Layer, mesh: Mesh, evaluator: Evaluator) -> MorphTargets:
    """Return what a Morpher adds to a mesh.

    Args:
        layer: The Morpher in its stack.
        mesh: What comes into it.
        evaluator: Evaluates nodes that show further targets.

    Raises:
        DecodeError: It is not stored as is known.
    """
    morpher = layer.modifier
    if not isinstance(morpher, Morpher):
        raise DecodeError("no Morpher", morpher.where, found=morpher.class_name)
    reader = _Reader(morpher, mesh, evaluator, morpher.references, [])
    limits = reader.limits()
    channels: list[TargetChannel] = []
    for index, stored in morpher.channels.items():
        channel = reader.channel(index, stored, limits)
        if channel is not None:
            channels.append(channel)
    channels.sort(key=lambda channel: channel.index)
    return MorphTargets(layer, tuple(channels), len(mesh.positions), tuple(reader.notes))


@dataclass(slots=True)
class _Reader:
    morpher: Morpher
    mesh: Mesh
    evaluator: Evaluator
    slots: dict[int, int]
    notes: list[str]

    def _object(self, slot: int) -> SceneObject | None:
        index = self.slots.get(slot)
        scene = self.morpher.scene
        return None if index is None or index >= len(scene) else scene[index]

    def limits(self) -> tuple[float, float] | None:
        """Return the limits of all channels."""
        block = self._object(0)
        if not isinstance(block, ParamBlockBase):
            return None
        values = []
        for number in (_USE_LIMITS, _MINIMUM, _MAXIMUM):
            parameter = block.get(number)
            value = None if parameter is None else parameter.value
            values.append(value if isinstance(value, int | float) else None)
        use, least, most = values
        if not use or least is None or most is None or least > most:
            return None
        return float(least), float(most)

    def channel(
        self, index: int, stored: MorphChannel, limits: tuple[float, float] | None
    ) -> TargetChannel | None:
        """Return a channel; ``None`` where it is not in use."""
        count, settings = stored.point_count, stored.settings
        deltas = stored.deltas
        if not count or deltas is None or (settings is not None and not settings.filled):
            return None
        name = stored.name
        if len(deltas) != len(self.mesh.positions):
            self.notes.append(
                f"channel {index} ({name}) is for {len(deltas)} vertices, of "
                f"{len(self.mesh.positions)}: left out"
            )
            return None
        first = deltas.array.astype(np.float64) * _WHOLE
        if not np.isfinite(first).all():
            self.notes.append(f"channel {index} ({name}) has displacements that are no numbers")
            return None
        node = self._object(FIRST_TARGET + index)
        targets = self._targets(index, stored, first, node if isinstance(node, Node) else None)
        controller, percent = self._percent(index)
        active = settings is None or bool(settings.active)
        return TargetChannel(index, name, targets, controller, percent, limits, active)

    def _targets(
        self, index: int, stored: MorphChannel, first: F64, node: Node | None
    ) -> tuple[MorphTarget, ...]:
        further = self._further(index, stored)
        if not further:
            return (MorphTarget(_WHOLE, first, node),)
        total = len(further) + 1
        self.notes.append(
            f"channel {index} ({stored.name}) goes through {total} targets, which no file proves"
        )
        shapes = [(first, node), *further]
        return tuple(
            MorphTarget(_WHOLE * (number + 1) / total, deltas, shown)
            for number, (deltas, shown) in enumerate(shapes)
        )

    def _further(self, index: int, stored: MorphChannel) -> list[tuple[F64, Node | None]]:
        """Return the further targets of a channel, from the nodes that show them."""
        count = min(stored.further_targets, _PROGRESSIVE)
        out: list[tuple[F64, Node | None]] = []
        for number in range(count):
            node = self._object(FIRST_PROGRESSIVE + _PROGRESSIVE * index + number)
            shape = self.evaluator.node(node).mesh if isinstance(node, Node) else None
            if shape is None or len(shape.positions) != len(self.mesh.positions):
                self.notes.append(
                    f"further target {number + 1} of channel {index} ({stored.name}) is not there,"
                    " or has other vertices: left out"
                )
                continue
            deltas = shape.positions.astype(np.float64) - self.mesh.positions
            out.append((deltas, node if isinstance(node, Node) else None))
        return out

    def _percent(self, index: int) -> tuple[Controller | None, float]:
        block = self._object(FIRST_BLOCK + index)
        try:
            parameter = block.get(0) if isinstance(block, ParamBlockBase) else None
            if parameter is None:
                return None, 0.0
            found = parameter.controller
            if isinstance(found, Controller) and found.kind == "float":
                return found, 0.0
            value = parameter.value
        except MaxSidecarError as error:
            self.notes.append(f"the percent of channel {index} cannot be read: {error.message}")
            return None, 0.0
        usable = isinstance(value, int | float) and np.isfinite(value)
        return None, float(value) if usable else 0.0
