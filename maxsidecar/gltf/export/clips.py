"""Pieces of time that a scene names, and notes that hang on its objects.

3ds Max itself names no pieces of its time line.  The exporter of Babylon.js keeps them in the text
of the root node: a list of ids, and for each ``id = name;first tick;last tick;…`` (measured on
three scenes and the glTF files made of them).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import read_properties
from maxsidecar.scene.notes import Note, read_notes

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.scene import Scene

__all__ = ["Clip", "notes_of", "read_clips"]

_LIST = "babylonjs_AnimationList"


@dataclass(frozen=True, slots=True)
class Clip:
    """A named piece of the scene's time, in ticks."""

    name: str
    start: int
    end: int


def read_clips(scene: Scene) -> list[Clip]:
    """Return the clips that a scene lists, in order; entries that make no sense are passed over."""
    root = scene.nodes.root
    try:
        text = "" if root is None else root.scene_text
    except MaxSidecarError:
        return []
    properties = read_properties(text)
    out: list[Clip] = []
    for key in properties.get(_LIST, "").split(";"):
        parts = properties.get(key.strip(), "").split(";")
        if len(parts) < 3:
            continue
        try:
            start, end = int(parts[1]), int(parts[2])
        except ValueError:
            continue
        if -(2**31) <= start <= end < 2**31:
            out.append(Clip(parts[0], start, end))
    return out


def notes_of(objects: Iterable[tuple[str, SceneObject]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the notes of some objects in the order of time, and what could not be read.

    Args:
        objects: Objects with the id of the node that they belong to.

    Returns:
        Notes as ``{"node", "tick", "text"}``, and problems in words.
    """
    found: list[tuple[int, str, Note]] = []
    problems: list[str] = []
    for key, obj in objects:
        try:
            found += [(note.time, key, note) for note in read_notes(obj)]
        except MaxSidecarError as error:
            problems.append(f"notes of {obj.class_name} {obj.index}: {error.message}")
    found.sort(key=lambda item: item[0])
    return [{"node": key, "tick": tick, "text": note.text} for tick, key, note in found], problems
