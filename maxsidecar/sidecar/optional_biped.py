"""Bipeds: what a rig consists of, and when its keys are, below its centre of mass.

Numbers of links and lengths are for information: changing one needs tables of the biped whose
layout is not proved (docs/format/biped.md).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from maxsidecar.errors import EditError, shorten
from maxsidecar.scene.biped.edit import (
    PARAMETERS,
    key_parameters,
    key_times,
    set_key_parameters,
    set_key_times,
)
from maxsidecar.scene.biped.structure import Structure
from maxsidecar.scene.biped.system import BipedBody, BipedSystem, Rig
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.numbers import exact, single
from maxsidecar.sidecar.optional import Field, FixedText
from maxsidecar.sidecar.paths import KeyPath

__all__ = ["biped_fields"]

_HEAD: Final = "biped"
_FIXED: Final = "{}: the figure of a biped cannot be changed yet, only its keys can be moved"


class KeyNumbers:
    """One number of each key of a track."""

    def __init__(
        self,
        name: str,
        system: BipedSystem,
        shown: list[Any],
        store: Callable[[list[Any]], None],
        single_value: Callable[[Any], Any],
    ) -> None:
        """Keep what is stored, and how other numbers are."""
        self.name = name
        self.shown: Any = shown
        self.holders: list[SceneObject] = [system]
        self.place = (system.index, name)
        self._store = store
        self._single = single_value

    def check(self, value: Any) -> Any:
        """Return the numbers; they are tried on the scene when they are written."""
        if not isinstance(value, list | tuple) or len(value) != len(self.shown):
            expected = f"{len(self.shown)} numbers"
            raise EditError(f"{self.name}: wrong type", expected=expected, found=shorten(value))
        return [self._single(number) for number in value]

    def write(self, value: Any) -> None:
        """Store other numbers."""
        self._store(list(value))


class KeyTimes(KeyNumbers):
    """The times of the keys of a track."""

    def check(self, value: Any) -> Any:
        """Return the times, which ascend; files may have equal ones."""
        times = super().check(value)
        if any(later < earlier for earlier, later in pairwise(times)):
            raise EditError(f"{self.name}: times must ascend", found=shorten(times))
        return times


def biped_fields(obj: SceneObject) -> dict[KeyPath, Field]:
    """Return the values of the group ``biped``; only nodes of a centre of mass have any.

    Raises:
        MaxSidecarError: The biped cannot be read.
    """
    controller = obj.controller if isinstance(obj, Node) else None
    system = controller.system if isinstance(controller, BipedBody) else None
    if system is None:
        return {}
    rig = system.rig
    out: dict[KeyPath, Field] = {}
    for name, value in _structure(rig.structure).items():
        path = (_HEAD, *name.split("."))
        out[path] = FixedText(value, _FIXED.format(name.rpartition(".")[2]))
    if rig.problems:
        note = "unreadable: it says which keys are not shown, for information"
        out[(_HEAD, "unreadable")] = FixedText(list(rig.problems), note)
    for track in rig.tracks:
        out.update(_keys(system, rig, track))
    return out


def _structure(structure: Structure) -> dict[str, Any]:
    arms, legs = structure.arms, structure.legs
    out: dict[str, Any] = {
        "head_length": exact(structure.head_length),
        "links.spine": structure.spine.links,
        "links.neck": structure.neck.links,
        "links.tail": structure.tail.links,
        "links.leg": structure.leg_links,
    }
    for number, chain in enumerate(structure.ponytails, 1):
        out[f"links.ponytail_{number}"] = chain.links
    if arms:
        out["links.fingers"] = [len(digit.lengths) for digit in arms[0].digits]
    if legs:
        out["links.toes"] = [len(digit.lengths) for digit in legs[0].digits]
    return out


def _keys(system: BipedSystem, rig: Rig, track: str) -> dict[KeyPath, Field]:
    head = (_HEAD, "keys", track.replace(" ", "_"))
    label = ".".join(head[1:])
    out: dict[KeyPath, Field] = {
        (*head, "times"): KeyTimes(
            f"{label}.times",
            system,
            key_times(system, track),
            lambda value: set_key_times(system, track, value),
            _tick,
        )
    }
    for name in PARAMETERS:
        shown = key_parameters(system, track, name)
        out[(*head, name)] = KeyNumbers(
            f"{label}.{name}",
            system,
            [exact(number) for number in shown],
            lambda value, name=name: set_key_parameters(system, track, name, value),  # type: ignore[misc]
            _number,
        )
    return out


def _tick(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise EditError("times are whole ticks of 1/4800 s", found=shorten(value))
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EditError("wrong type", expected="numbers from 0 to 50", found=shorten(value))
    rounded = single(float(value))
    if rounded is None or not 0.0 <= rounded <= 50.0:
        raise EditError("out of range", expected="numbers from 0 to 50", found=shorten(value))
    return exact(rounded)
