"""Animations (``.anim``): ``Bip01`` and what asks for it, as tracks by name.

(spec: nel-export-rules, sections 2 and 5.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
from maxsidecar.nel.export.skeletons import find_root
from maxsidecar.nel.serial.classes.animation import CAnimation
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.scene.node import Node

__all__ = ["Made", "animation_of", "export"]


def export(job: Job) -> Iterator[Step]:
    """Yield the animation of the scene, if anything in it is to be exported."""
    view = job.view
    root = find_root(view)
    wanted = [] if root is None else [root]
    for node in view.nodes:
        if node is not root and view.flags(node).is_one("EXPORT_NODE_ANIMATION"):
            wanted.append(node)
    made = animation_of(job, wanted)
    inside = {node.index for node in made.nodes}
    for node in view.nodes:
        if node.index not in inside:
            yield LeftOut(node, "no Bip01 is above it, and EXPORT_NODE_ANIMATION is not set")
    if not wanted:
        return
    if not made.animation.tracks:
        for node in wanted:
            nothing = "neither it nor what hangs on it has keys that can be exported"
            yield Failure(node, "; ".join([nothing, *made.reasons(node)]))
        return
    file = NelFile("anim", made.animation)
    yield Product(job.stem, ".anim", file, made.nodes, (), made.notes, lower=False)


@dataclass(frozen=True, slots=True)
class Made:
    """An animation.

    Attributes:
        animation: The tracks.
        nodes: The nodes that were asked for and all below them, each once.
        notes: What is left out or in doubt, by storage index of the node.
    """

    animation: CAnimation
    nodes: list[Node]
    notes: dict[int, list[str]]

    def reasons(self, node: Node) -> list[str]:
        """Return the notes of a node, and each other note with the first node that has it."""
        out = list(self.notes.get(node.index, ()))
        for other in self.nodes:
            for note in self.notes.get(other.index, ()):
                if not any(note in line for line in out):
                    out.append(f"{other.name}: {note}")
        return out


def animation_of(job: Job, nodes: list[Node], *, scene: bool = False) -> Made:
    """Return the animation of some nodes and all below them.

    Args:
        job: The scene.
        nodes: The nodes, in the order of their tracks.
        scene: Whether names begin with the instance name of the node, or its own, as they do in
            animations of scenes; else only those of nodes whose flag says so.
    """
    view = job.view
    collector = Collector(view, frozenset(node.index for node in nodes))
    for node in nodes:
        flags = view.flags(node)
        prefix = ""
        if scene or flags.on("ANIM_PREFIXE_NAME"):
            prefix = f"{flags.text('INSTANCE_NAME') or view.name(node)}."
        collector.add(node, prefix)
    numbers = {name: number for number, name in enumerate(collector.tracks)}
    animation = CAnimation(
        id_by_name=dict(sorted(numbers.items())),
        tracks=list(collector.tracks.values()),
        sss_shapes=collector.shapes,
    )
    return Made(animation, list(collector.nodes.values()), collector.notes)


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
