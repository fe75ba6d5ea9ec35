"""Changing the sizes of a biped's bones: what 3ds Max calls scaling in figure mode.

A size is written everywhere it is stored (:mod:`maxsidecar.scene.biped.sizes`); one that is not the
same everywhere is read-only.  Bones below move along.  Poses, where digits and chains attach, nubs,
and how a mesh is bound stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.sizes import (
    DYNAMICS,
    BoneSize,
    Spot,
    sizes_of,
    table_lengths,
)
from maxsidecar.scene.biped.structure import LEGS, Array
from maxsidecar.scene.biped.system import BipedController, BipedSystem, Rig
from maxsidecar.scene.biped.values import Slots, Stored, body_of, put

if TYPE_CHECKING:
    from maxsidecar.scene.node import Node

__all__ = [
    "BoneSize",
    "bone_size",
    "bone_sizes",
    "checked_size",
    "set_bone_size",
    "size_of",
    "why_read_only",
    "write_size",
]

_LEAST: Final = 1e-6
_MOST: Final = 1e6
_AXES: Final = ("length", "y", "z")


def bone_sizes(system: BipedSystem) -> dict[str, BoneSize]:
    """Return where the sizes of the bones are stored, by name.

    Raises:
        DecodeError: The system is not stored as is known.
    """
    rig = system.rig
    nodes: dict[Role, list[Node]] = {}
    for node in system.scene.nodes.values():
        try:
            controller = node.controller
            if isinstance(controller, BipedController) and controller.system is system:
                role = controller.role
                if role is not None:
                    nodes.setdefault(role, []).append(node)
        except MaxSidecarError:
            continue
    out = {}
    stored = _Numbers(rig)
    for size in sizes_of(rig.structure):
        if _fits(stored, size):
            size.nodes = nodes.get(size.role, [])
            out[size.name] = size
    return out


def size_of(rig: Rig, size: BoneSize) -> Stored:
    """Return length, y and z, (3,)."""
    return _size(_Numbers(rig), size)


def bone_size(system: BipedSystem, name: str) -> list[float]:
    """Return the size of a bone: its length, and what it measures along its y and z axes.

    Of the pelvis it is what it measures along x, y and z; z is how far the hips are apart.

    Args:
        system: The system object.
        name: One of :func:`bone_sizes`.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: There is no such bone.
    """
    found: list[float] = size_of(system.rig, bone_sizes(system)[name]).astype(float).tolist()
    return found


def set_bone_size(system: BipedSystem, name: str, numbers: Sequence[float]) -> None:
    """Change the size of a bone, everywhere it is stored; see :func:`bone_size`.

    Args:
        system: The system object.
        name: One of :func:`bone_sizes`.
        numbers: Length, y and z, in units of the scene.

    Raises:
        DecodeError: The system is not stored as is known.
        EditError: The numbers do not fit, or what is stored does not agree.
        KeyError: There is no such bone.
    """
    write_size(system, bone_sizes(system)[name], numbers)


def write_size(system: BipedSystem, size: BoneSize, numbers: Sequence[float]) -> None:
    """Change a size that :func:`bone_sizes` returned.

    Raises:
        EditError: The numbers do not fit, or what is stored does not agree.
    """
    rig = system.rig
    old = size_of(rig, size)
    new = checked_size(size, numbers, old)
    reason = why_read_only(rig, size)
    if reason is not None:
        raise EditError(reason)
    stored = _Numbers(rig)
    adding, before = _adding(stored, size), _leg(stored, size)
    changes: dict[tuple[int, int], float] = {}
    for number, was, spots in zip(new, old, size.spots, strict=True):
        for spot in spots if number != was else ():
            changes[spot.chunk, spot.at] = float(number) * spot.share
    if adding is not None:
        lengths = [
            changes.get((LEGS, at), number) for at, number in zip(size.leg, before, strict=True)
        ]
        changes[DYNAMICS, 2] = float(adding(np.array(lengths, np.float32)))
    put(
        rig.sets.live,
        [
            (Slots.of(chunk, at), np.array([[number]], np.float32))
            for (chunk, at), number in changes.items()
        ],
    )
    for node in size.nodes:
        scale = node.offset_scale
        if scale is not None:
            x, y, z = map(float, new)
            node.offset_scale = scale.replace(x=x, y=y, z=z)


def checked_size(size: BoneSize, numbers: Any, stored: Stored) -> Stored:
    """Return new numbers as they are stored, (3,); what stays as it was is not looked at.

    Raises:
        EditError: The numbers do not fit.
    """
    expected = "3 numbers: length, y and z, in units of the scene"
    name = size.name
    if isinstance(numbers, str) or not isinstance(numbers, Sequence | np.ndarray):
        raise EditError(f"{name}: wrong type", expected=expected, found=shorten(numbers))
    if len(numbers) != 3:
        raise EditError(f"{name}: wrong count", expected=expected, found=len(numbers))
    out = stored.copy()
    for axis, number in enumerate(numbers):
        if isinstance(number, bool) or not isinstance(number, int | float | np.floating):
            raise EditError(f"{name}: wrong type", expected=expected, found=shorten(number))
        # An integer may be too large for any float.
        with np.errstate(over="ignore"):
            new = np.float32(float(number) if -1e300 < number < 1e300 else math.inf)
        if new != stored[axis] and not _LEAST <= float(new) <= _MOST:
            raise EditError(
                f"{name}: out of range",
                expected=f"{_LEAST:g} to {_MOST:g} for {_AXES[axis]}",
                found=shorten(number),
            )
        out[axis] = new
    return out


# --- what is stored ------------------------------------------------------------------------------


class _Numbers:
    """The numbers of chunks, each read once."""

    def __init__(self, rig: Rig) -> None:
        self._live = rig.sets.live
        self._read: dict[int, Array] = {}

    def __getitem__(self, chunk: int) -> Array:
        if chunk not in self._read:
            body = body_of(self._live, chunk)
            # Counts among the numbers may look like signalling NaNs.
            with np.errstate(invalid="ignore"):
                numbers = np.frombuffer(body[: len(body) // 4 * 4], "<f4").astype(np.float64)
            self._read[chunk] = numbers
        return self._read[chunk]

    def at(self, spot: Spot) -> np.float32:
        """Return what is stored somewhere as the number of a size."""
        return np.float32(self[spot.chunk][spot.at] / spot.share)


def _size(stored: _Numbers, size: BoneSize) -> Stored:
    return np.array([stored.at(spots[0]) for spots in size.spots], np.float32)


def _fits(stored: _Numbers, size: BoneSize) -> bool:
    """Return whether the chunks hold the size; what 00ca repeats may be absent."""
    for spots in size.spots:
        there = [spot for spot in spots if spot.at < len(stored[spot.chunk])]
        if any(spot.chunk != DYNAMICS for spot in spots if spot not in there):
            return False
        spots[:] = there
    return True


def why_read_only(rig: Rig, size: BoneSize) -> str | None:
    """Return why a size cannot be written; ``None`` where it can."""
    stored = _Numbers(rig)
    for chunk, expected in table_lengths(rig.structure).items():
        used = any(spot.chunk == chunk for spots in size.spots for spot in spots)
        found = len(stored[chunk])
        if used and found != expected:
            return f"{size.name}: {chunk:04x} has {found} numbers, {expected} were expected"
    if size.role == Role("pelvis") and len(stored[LEGS]) and not rig.structure.legs:
        return f"{size.name}: the legs, which hold the distance of the hips as well, cannot be read"
    numbers = _size(stored, size)
    if not np.isfinite(numbers).all():
        return f"{size.name}: the size is no finite number"
    for axis, spots in enumerate(size.spots):
        if any(stored.at(spot) != numbers[axis] for spot in spots):
            chunks = ", ".join(f"{spot.chunk:04x}" for spot in spots)
            return f"{size.name}: {_AXES[axis]} is not the same everywhere ({chunks})"
    for node in size.nodes:
        scale = node.offset_scale
        if scale is not None and [scale.x, scale.y, scale.z] != numbers.tolist():
            return f"{size.name}: the object offset of {shorten(node.name)} has another scale"
    if size.leg and len(stored[DYNAMICS]) > 2 and _adding(stored, size) is None:
        return f"{size.name}: the length of the leg in {DYNAMICS:04x} is not that of its bones"
    return None


def _leg(stored: _Numbers, size: BoneSize) -> list[float]:
    return [float(stored[LEGS][at]) for at in size.leg]


def _adding(stored: _Numbers, size: BoneSize) -> Callable[[Stored], np.float32] | None:
    """Return how the dynamics' length of the leg comes of its bones; ``None`` where it does not.

    With a horse link no file is known: both ways to add are tried.
    """
    if not size.leg or len(stored[DYNAMICS]) <= 2:
        return None
    lengths = np.array(_leg(stored, size), np.float32)
    for count in (2, len(size.leg)):

        def add(numbers: Stored, count: int = count) -> np.float32:
            total = np.float32(0.0)
            for number in numbers[:count]:
                total = np.float32(total + number)
            return total

        if add(lengths) == np.float32(stored[DYNAMICS][2]):
            return add
    return None
