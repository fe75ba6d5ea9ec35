"""Values of bipeds as a sidecar shows them: poses of figure and keys, sizes, times of keys.

Nothing is read before it is asked for: a rig may have hundreds of keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from maxsidecar.errors import EditError, shorten
from maxsidecar.scene.biped.edit import TICKS
from maxsidecar.scene.biped.edit_pose import store, why_read_only
from maxsidecar.scene.biped.edit_size import (
    BoneSize,
    checked_size,
    size_of,
    write_size,
)
from maxsidecar.scene.biped.edit_size import why_read_only as why_size_read_only
from maxsidecar.scene.biped.system import BipedSystem, Rig
from maxsidecar.scene.biped.values import ANGLES, Stored, Value, checked, read
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.numbers import degrees, exact, single
from maxsidecar.sidecar.optional import NOT_A_NUMBER, FixedText
from maxsidecar.sidecar.toml_text import Rows

__all__ = ["KeyNumbers", "KeyTimes", "Notes", "PoseField", "SizeField", "number", "tick"]


class KeyNumbers:
    """One number of each key of a track."""

    def __init__(
        self,
        name: str,
        system: BipedSystem,
        load: Callable[[], list[Any]],
        store: Callable[[list[Any]], None],
        single_value: Callable[[str, Any], Any],
    ) -> None:
        """Keep how what is stored is read, and how other numbers are stored."""
        self.name = name
        self.holders: list[SceneObject] = [system]
        self.place = (system.index, name)
        self._load = load
        self._store = store
        self._single = single_value

    @property
    def shown(self) -> Any:
        """The numbers."""
        return self._load()

    def check(self, value: Any) -> Any:
        """Return the numbers; what stays as it was is not looked at."""
        old = self.shown
        if not isinstance(value, list | tuple):
            expected = f"{len(old)} numbers"
            raise EditError(f"{self.name}: wrong type", expected=expected, found=shorten(value))
        if len(value) != len(old):
            raise EditError(
                f"{self.name}: keys keep their number", expected=len(old), found=len(value)
            )
        out = []
        for key, (new, stored) in enumerate(zip(value, old, strict=True), 1):
            same = not isinstance(new, bool) and new == stored
            out.append(stored if same else self._single(f"{self.name}: key {key}", new))
        return out

    def write(self, value: Any) -> None:
        """Store other numbers."""
        self._store(list(value))


class KeyTimes(KeyNumbers):
    """The times of the keys of a track."""

    def check(self, value: Any) -> Any:
        """Return the times, which ascend; files may have equal ones."""
        times = super().check(value)
        if any(later < earlier for earlier, later in pairwise(times)):
            key = next(n for n, pair in enumerate(pairwise(times), 2) if pair[1] < pair[0])
            raise EditError(
                f"{self.name}: key {key}: times must ascend",
                expected=f"{times[key - 2]} or more",
                found=times[key - 1],
            )
        return times


def tick(name: str, value: Any) -> int:
    """Return a time."""
    expected = "whole ticks of 1/4800 s"
    if isinstance(value, bool) or not isinstance(value, int):
        raise EditError(f"{name}: wrong type", expected=expected, found=shorten(value))
    if not TICKS[0] <= value <= TICKS[1]:
        expected = f"{TICKS[0]} to {TICKS[1]}"
        raise EditError(f"{name}: out of range", expected=expected, found=shorten(value))
    return value


def number(name: str, value: Any) -> float:
    """Return tension, bias or continuity as it is stored."""
    expected = "numbers from 0 to 50"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EditError(f"{name}: wrong type", expected=expected, found=shorten(value))
    rounded = single(float(value)) if abs(value) <= 50 else None
    if rounded is None or not 0.0 <= rounded <= 50.0:
        raise EditError(f"{name}: out of range", expected=expected, found=shorten(value))
    return exact(rounded)


class PoseField:
    """Some numbers of the figure pose, or of each key of a track.

    Angles are shown in degrees.  Zeros keep their sign: the text has every bit.
    """

    def __init__(self, system: BipedSystem, rig: Rig, value: Value, prefix: str) -> None:
        """Keep where the numbers are; ``prefix`` makes the name one that the biped has once."""
        self.holders: list[SceneObject] = [system]
        self.place = (system.index, prefix + value.name)
        self._rig = rig
        self._value = replace(value, name=prefix + value.name)

    @property
    def shown(self) -> Any:
        """The numbers as shortest decimals: one row for each key, or one alone."""
        stored = read(self._rig.sets.live, self._value)
        return self._show(stored) if np.isfinite(stored).all() else NOT_A_NUMBER

    def _show(self, stored: Stored) -> Any:
        show: Callable[[float], Any] = degrees if self._value.kind == ANGLES else exact
        rows = [[show(number) for number in row] for row in stored.tolist()]
        if self._value.width == 1:
            column = [row[0] for row in rows]
            return column if self._value.keyed else column[0]
        return Rows(rows) if self._value.keyed else rows[0]

    def _rows(self, value: Any) -> list[Any]:
        if not self._value.keyed:
            return [[value] if self._value.width == 1 else value]
        if not isinstance(value, list | tuple):
            name = self._value.name
            raise EditError(f"{name}: wrong type", expected="a list", found=shorten(value))
        return [[item] for item in value] if self._value.width == 1 else list(value)

    def check(self, value: Any) -> Any:
        """Return the numbers as they would be shown."""
        stored = read(self._rig.sets.live, self._value)
        new = checked(self._value, self._rows(value), stored)
        reason = why_read_only(self._rig, self._value)
        if reason is not None and not np.array_equal(new, stored):
            raise EditError(reason)
        return self._show(new)

    def write(self, value: Any) -> None:
        """Store other numbers."""
        store(self._rig, self._value, self._rows(value))


class SizeField:
    """The size of a bone: length, y and z."""

    def __init__(self, system: BipedSystem, rig: Rig, size: BoneSize) -> None:
        """Keep where the numbers are."""
        self.holders: list[SceneObject] = [system, *size.nodes]
        self.place = (system.index, f"size.{size.name}")
        self._system = system
        self._rig = rig
        self._size = replace(size, name=f"size.{size.name}")

    @property
    def shown(self) -> Any:
        """The numbers as shortest decimals."""
        stored = size_of(self._rig, self._size)
        return _decimals(stored) if np.isfinite(stored).all() else NOT_A_NUMBER

    def check(self, value: Any) -> Any:
        """Return the numbers as they would be shown."""
        stored = size_of(self._rig, self._size)
        new = checked_size(self._size, value, stored)
        reason = why_size_read_only(self._rig, self._size)
        if reason is not None and not np.array_equal(new, stored):
            raise EditError(reason)
        return _decimals(new)

    def write(self, value: Any) -> None:
        """Store other numbers."""
        write_size(self._system, self._size, value)


def _decimals(stored: Stored) -> list[float]:
    return [exact(number) for number in stored.tolist()]


class Notes(FixedText):
    """Lines that are found when they are asked for; nothing is shown where there are none."""

    def __init__(self, find: Callable[[], list[str]], reason: str) -> None:
        """Keep how to find them, and why they cannot be edited."""
        super().__init__(None, reason)
        self._find = find

    @property
    def shown(self) -> Any:
        """The lines."""
        return self._find() or None

    @shown.setter
    def shown(self, value: Any) -> None:
        """Take nothing: the lines are found."""
