"""The animations of an export: all of the exported time, and the clips that the scene names.

Time 0 is the first frame of the range.  ``extras`` of an animation say which ticks and frames it
stands for.  (Measured: so do the files that 3ds Max's own exporter wrote.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.clips import Clip, notes_of, read_clips
from maxsidecar.gltf.export.controllers import report_controllers
from maxsidecar.gltf.export.families import Families
from maxsidecar.gltf.export.frame import Frame
from maxsidecar.gltf.export.motion import Motion, Mover, Movers, controller_of
from maxsidecar.gltf.export.pointers import Target
from maxsidecar.gltf.export.sampling import Clock, most_samples
from maxsidecar.gltf.export.tracks import Track
from maxsidecar.gltf.export.views import TURN
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import LookAt
from maxsidecar.scene.time_range import read_time_range

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.objects import SceneObject

__all__ = ["add_animation", "clock_of"]

Array = npt.NDArray[np.float64]

_UNTURNED = (0.0, 0.0, 0.0, 1.0)
#: The first tick that scenes can store.
_EARLIEST = -(2.0**31)
#: How far numbers of the rest pose may be from the first key and be called the same.
_SAME = 1e-6


def clock_of(export: Export) -> Clock:
    """Return which part of the scene's time is exported, and how.

    Raises:
        EditError: The options ask for frames that no scene has.
    """
    found = read_time_range(export.scene_file)
    options = export.options
    start, end = float(found.start), float(found.end)
    if options.range is not None:
        start, end = (frame * found.ticks_per_frame for frame in sorted(options.range))
        if not (start >= _EARLIEST and end <= -_EARLIEST):
            raise EditError("no such range of frames", found=options.range)
    step = 1.0 if options.sample is None else options.sample
    if not 0.0 < step < inf:
        raise EditError("no such number of frames between samples", found=options.sample)
    return Clock(start, end, found.ticks_per_frame, step, options.sample is not None)


def add_animation(export: Export) -> None:
    """Write what moves into the document, and what does not come over into the report.

    Raises:
        EditError: The options ask for frames that no scene has.
    """
    if not export.options.animation:
        return
    clock = clock_of(export)
    movers = Movers(export, list(_movers(export)))
    clock = replace(clock, most=most_samples(movers.count))
    clips = _clips(export, clock)
    motions = [movers.motion(clock), *(movers.motion(_cut(clock, clip)) for clip in clips)]
    report_controllers(export, motions[0], movers)
    moving = _moving(export, movers, motions)
    if not moving:
        return
    name = export.scene_file.path.stem if export.scene_file.path else ""
    names = [name or "animation", *(clip.name for clip in clips)]
    for motion, title in zip(motions, names, strict=True):
        animation = _animation(export, movers, motion, moving)
        if animation.channels:
            animation.name = title
            animation.extras = _extras(export, motion.clock)
            export.document.animations.append(animation)
    whole = export.document.animations[0].extras
    if clips:
        whole["clips"] = [{"name": c.name, "start": c.start, "end": c.end} for c in clips]
    notes = _notes(export, movers.families)
    if notes:
        whole["notes"] = notes


def _targets(
    export: Export, movers: Movers, motion: Motion
) -> Iterator[tuple[model.Node | Target, list[Track]]]:
    """Yield what moves in the export, with its tracks."""
    for index, tracks in motion.tracks.items():
        yield export.nodes[index], tracks
    for item, tracks in zip(movers.pointed, motion.pointed, strict=True):
        yield item.target, tracks


def _moving(export: Export, movers: Movers, motions: list[Motion]) -> set[tuple[int, str]]:
    """Return what moves in any of some pieces of time, or stands elsewhere than at rest.

    Every animation has keys of all of it, since what has none would show its rest pose.
    """
    return {
        (id(target), track.path)
        for motion in motions
        for target, tracks in _targets(export, movers, motion)
        for track in tracks
        if not track.constant or (isinstance(target, model.Node) and not _at_rest(track, target))
    }


def _animation(
    export: Export, movers: Movers, motion: Motion, moving: set[tuple[int, str]]
) -> model.Animation:
    """Return the channels of a piece of time."""
    animation = model.Animation()
    times: dict[bytes, npt.NDArray[np.float32]] = {}
    for target, tracks in _targets(export, movers, motion):
        for track in tracks:
            if (id(target), track.path) in moving:
                animation.channels.append(_channel(target, track, motion, times))
    return animation


def _clips(export: Export, clock: Clock) -> list[Clip]:
    """Return the clips that become animations of their own; none where a range is asked for."""
    if export.options.range is not None:
        return []
    clips = read_clips(export.scene_file.scene)
    # One clip of the whole range would be the same animation twice.
    return [clip for clip in clips if (clip.start, clip.end) != (clock.start, clock.end)]


def _cut(clock: Clock, clip: Clip) -> Clock:
    return replace(clock, start=float(clip.start), end=float(clip.end))


def _movers(export: Export) -> list[Mover]:
    """Return the nodes that can be evaluated."""
    above = {id(child): index for index, node in export.nodes.items() for child in node.children}
    out: list[Mover] = []
    for index, scene_node in export.scene_nodes.items():
        controller = controller_of(scene_node)
        node = export.nodes.get(index)
        if node is None or controller is None or not _evaluates(controller):
            continue
        if index in export.rest:
            continue
        up = above.get(id(node))
        ancestor = None if up is None else export.scene_nodes[up]
        parent = scene_node.parent
        direct = (
            parent is scene_node.scene.nodes.root or parent is None
            if ancestor is None
            else parent is not None and parent.index == ancestor.index
        )
        own = TURN if index in export.turned else _UNTURNED
        back = TURN if index in export.turned_back else _UNTURNED
        frame = Frame(export.scale, own, back)
        out.append(Mover(scene_node, node, controller, frame, ancestor, direct))
    return out


def _evaluates(controller: Controller) -> bool:
    try:
        # Without its target, a look-at still moves.
        return controller.obstacle is None or isinstance(controller, LookAt)
    except MaxSidecarError:
        return False


def _at_rest(track: Track, node: model.Node) -> bool:
    """Return whether a constant track is what the node has anyway."""
    rest = {
        "translation": node.translation,
        "rotation": node.rotation,
        "scale": node.scale,
        "weights": node.weights or (node.mesh.weights if node.mesh else []),
    }.get(track.path)
    value, own = track.values[0], np.asarray(rest, np.float64)
    if rest is None or own.shape != value.shape:
        return False
    if track.path == "rotation":
        own = own if own @ value >= 0 else -own
    size = max(1.0, float(np.abs(own).max()))
    return bool(np.all(np.abs(value - own) <= _SAME * size))


def _channel(
    target: model.Node | Target,
    track: Track,
    motion: Motion,
    times: dict[bytes, npt.NDArray[np.float32]],
) -> model.Channel:
    seconds, values = track.written(motion.clock)
    # Channels with equal times share one accessor.
    seconds = times.setdefault(seconds.tobytes(), seconds)
    return model.Channel(target, track.path, seconds, values, track.interpolation)


def _extras(export: Export, clock: Clock) -> dict[str, Any]:
    """Return which part of the scene's time an animation is."""
    rate = read_time_range(export.scene_file).frame_rate
    return {
        "start_tick": round(clock.start),
        "end_tick": round(clock.end),
        "start_frame": clock.start / clock.ticks_per_frame,
        "end_frame": clock.end / clock.ticks_per_frame,
        "frame_rate": rate,
    }


def _notes(export: Export, families: Families) -> list[dict[str, Any]]:
    """Return the notes of all exported nodes and their controllers."""
    objects: list[tuple[str, SceneObject]] = []
    for node in export.scene_nodes.values():
        key = export.id_of(node)
        objects.append((key, node))
        controller = controller_of(node)
        if controller is not None:
            objects += [(key, item) for item in families.below(controller)]
    notes, problems = notes_of(objects)
    for problem in problems:
        export.report.left_out("controller", "", "", "Note Track", problem)
    return notes
