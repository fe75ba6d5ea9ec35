"""Animations (``.anim``): ``Bip01`` and what asks for it, as tracks by name.

(spec: nel-export-rules, sections 2 and 5.)
"""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.nel.animation.collect import Collector
from maxsidecar.nel.export.registry import (
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Stage,
    Step,
    register,
)
from maxsidecar.nel.export.skeletons import ROOT
from maxsidecar.nel.serial.classes.animation import CAnimation
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.scene.node import Node

__all__ = ["animation_of", "export"]


def export(job: Job) -> Iterator[Step]:
    """Yield the animation of the scene, if anything in it is to be exported."""
    view = job.view
    wanted: list[Node] = []
    for node in view.nodes:
        if view.name(node).lower() == ROOT and not wanted:
            wanted.insert(0, node)
        elif view.flags(node).is_one("EXPORT_NODE_ANIMATION"):
            wanted.append(node)
        else:
            yield LeftOut(node, "it is not Bip01, and EXPORT_NODE_ANIMATION is not set")
    if not wanted:
        return
    animation, notes = animation_of(job, wanted)
    if not animation.tracks:
        for node in wanted:
            reasons = notes.get(node.index, ["neither it nor what hangs on it has keys"])
            yield Failure(node, "; ".join(reasons))
        return
    file = NelFile("anim", animation)
    yield Product(job.stem, ".anim", file, wanted, (), notes, lower=False)


def animation_of(job: Job, nodes: list[Node]) -> tuple[CAnimation, dict[int, list[str]]]:
    """Return the animation of some nodes and all below them, and notes by storage index."""
    view = job.view
    collector = Collector(view)
    for node in nodes:
        flags = view.flags(node)
        prefix = ""
        if flags.is_one("ANIM_PREFIXE_NAME"):
            prefix = f"{flags.text('INSTANCE_NAME') or view.name(node)}."
        collector.add(node, prefix, scene=False)
    names = list(collector.tracks)
    made = CAnimation(
        id_by_name={name: names.index(name) for name in sorted(names)},
        tracks=list(collector.tracks.values()),
    )
    return made, collector.notes


register(
    Process(
        "anim",
        "animations",
        export,
        Stage(
            "anim", (("AnimSourceDirectories", "AnimExportDirectory"),), "AnimTagExportDirectory"
        ),
    )
)
