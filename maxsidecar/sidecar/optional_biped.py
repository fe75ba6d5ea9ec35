"""Bipeds: what a rig consists of, its figure pose, sizes and keys, below its centre of mass.

Numbers of links are for information: chunks would have to become longer or shorter, and nodes to
come or go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Final

import numpy as np

from maxsidecar.scene.biped import edit_pose, edit_size
from maxsidecar.scene.biped.edit import (
    PARAMETERS,
    key_parameters,
    key_times,
    set_key_parameters,
    set_key_times,
)
from maxsidecar.scene.biped.poses import figure_values, key_values
from maxsidecar.scene.biped.posture import COM_POSE
from maxsidecar.scene.biped.structure import Structure, floats_of
from maxsidecar.scene.biped.system import BipedBody, BipedSystem, Rig
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.biped_values import (
    KeyNumbers,
    KeyTimes,
    Notes,
    PoseField,
    SizeField,
    number,
    tick,
)
from maxsidecar.sidecar.numbers import exact
from maxsidecar.sidecar.optional import Field, FixedText
from maxsidecar.sidecar.paths import KeyPath

__all__ = ["biped_fields", "editing_biped"]

_HEAD: Final = "biped"
_COUNTS: Final = "{}: how many links and digits a biped has cannot be changed"
_LENGTH: Final = "head_length is for information: change the first number of size.head"
_OFFSET: Final = (
    "center_offset: where the centre of mass is from the pelvis cannot be changed, since keys hold "
    "the height of both"
)


def biped_fields(obj: SceneObject) -> dict[KeyPath, Field]:
    """Return the values of the group ``biped``; only nodes of a centre of mass have any.

    Raises:
        MaxSidecarError: The biped cannot be read.
    """
    system = _system_of(obj)
    if system is None:
        return {}
    rig = system.rig
    out: dict[KeyPath, Field] = {
        (_HEAD, "head_length"): FixedText(exact(rig.structure.head_length), _LENGTH)
    }
    if rig.problems:
        note = "unreadable: it says which keys are not shown, for information"
        out[_HEAD, "unreadable"] = FixedText(list(rig.problems), note)
    sizes = edit_size.bone_sizes(system)
    note = "read_only: it says what cannot be changed, for information"
    out[_HEAD, "read_only"] = Notes(lambda: _read_only(rig, sizes), note)
    for name, count in _links(rig.structure).items():
        out[_HEAD, "links", name] = FixedText(count, _COUNTS.format(name))
    offset = floats_of(rig.sets.live.get(COM_POSE))[[0, 2, 1]] * [1.0, -1.0, 1.0]
    if np.isfinite(offset).all() and offset.any():
        shown = [exact(number) + 0.0 for number in offset.tolist()]
        out[_HEAD, "figure", "center_offset"] = FixedText(shown, _OFFSET)
    for name, value in figure_values(rig).items():
        out[_HEAD, "figure", *name.split(".")] = PoseField(system, rig, value, "figure.")
    for name, size in sizes.items():
        out[_HEAD, "size", *name.split(".")] = SizeField(system, rig, size)
    for track in rig.tracks:
        out.update(_keys(system, rig, track))
    return out


@contextmanager
def editing_biped(obj: SceneObject) -> Iterator[dict[KeyPath, Field]]:
    """Give the values of :func:`biped_fields`; what is written is stored at the end, all at once.

    Raises:
        MaxSidecarError: The biped cannot be read, or is read-only.
    """
    system = _system_of(obj)
    with nullcontext() if system is None else system.editing():
        yield biped_fields(obj)


def _system_of(obj: SceneObject) -> BipedSystem | None:
    """Return the system whose centre of mass a node is."""
    controller = obj.controller if isinstance(obj, Node) else None
    return controller.system if isinstance(controller, BipedBody) else None


def _read_only(rig: Rig, sizes: dict[str, edit_size.BoneSize]) -> list[str]:
    """Return what cannot be changed though it is of a kind that can."""
    values = figure_values(rig).values()
    poses = (edit_pose.why_read_only(rig, value) for value in values)
    keys = (
        f"{_label(track)}.{reason}"
        for track in rig.tracks
        for value in key_values(rig, track).values()
        if (reason := edit_pose.why_read_only(rig, value))
    )
    found = [
        *(f"figure.{reason}" for reason in poses if reason),
        *(
            f"size.{reason}"
            for size in sizes.values()
            if (reason := edit_size.why_read_only(rig, size))
        ),
    ]
    return [*found, *keys]


def _label(track: str) -> str:
    """Return the table of a track, below that of its biped."""
    return f"keys.{track.replace(' ', '_')}"


def _links(structure: Structure) -> dict[str, Any]:
    arms, legs = structure.arms, structure.legs
    out: dict[str, Any] = {
        "spine": structure.spine.links,
        "neck": structure.neck.links,
        "tail": structure.tail.links,
        "leg": structure.leg_links,
    }
    for place, chain in enumerate(structure.ponytails, 1):
        out[f"ponytail_{place}"] = chain.links
    if arms:
        out["fingers"] = [len(digit.lengths) for digit in arms[0].digits]
    if legs:
        out["toes"] = [len(digit.lengths) for digit in legs[0].digits]
    return out


def _keys(system: BipedSystem, rig: Rig, track: str) -> dict[KeyPath, Field]:
    label = _label(track)
    head = (_HEAD, *label.split("."))
    out: dict[KeyPath, Field] = {
        (*head, "times"): KeyTimes(
            f"{label}.times",
            system,
            lambda: key_times(system, track),
            lambda value: set_key_times(system, track, value),
            tick,
        )
    }
    for name in PARAMETERS:
        out[(*head, name)] = KeyNumbers(
            f"{label}.{name}",
            system,
            lambda name=name: [exact(n) for n in key_parameters(system, track, name)],  # type: ignore[misc]
            lambda value, name=name: set_key_parameters(system, track, name, value),  # type: ignore[misc]
            number,
        )
    for name, value in key_values(rig, track).items():
        out[(*head, name)] = PoseField(system, rig, value, f"{label}.")
    return out
