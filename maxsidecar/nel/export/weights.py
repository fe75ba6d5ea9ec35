"""Skeleton weights (``.swt``): how much the tracks of a node count in an animation.

Nodes with EXPORT_SWT give three entries of the same weight (spec: nel-export-rules, section 7; the
files of the corpus have them in this order).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maxsidecar.nel.export.registry import Job, LeftOut, Process, Product, Stage, Step, register
from maxsidecar.nel.serial.classes.skeleton_weight import CSkeletonWeight, CSkeletonWeightNode
from maxsidecar.nel.serial.formats import NelFile

__all__ = ["export"]

_TRACKS: Final = ("rotquat", "pos", "scale")


def export(job: Job) -> Iterator[Step]:
    """Yield the scene's file of weights; none where no node asks for it."""
    weights = CSkeletonWeight()
    nodes = []
    for node in job.view.nodes:
        flags = job.view.flags(node)
        if not flags.on("EXPORT_SWT"):
            yield LeftOut(node, "EXPORT_SWT is not set")
            continue
        weight = flags.number("SWT_WEIGHT")
        name = job.view.name(node)
        weights.elements += [
            CSkeletonWeightNode(name=f"{name}.{track}", weight=weight) for track in _TRACKS
        ]
        nodes.append(node)
    if nodes:
        yield Product(job.stem, ".swt", NelFile("swt", weights), nodes, lower=False)


register(
    Process(
        "swt",
        "weights of an animation's tracks",
        export,
        Stage("swt", (("SwtSourceDirectories", "SwtExportDirectory"),)),
    )
)
