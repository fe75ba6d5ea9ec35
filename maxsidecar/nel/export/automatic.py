"""Animations that shapes play by themselves: one file for each node that asks for it.

(spec: nel-export-rules, section 2, the second loop of the script for shapes.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.export.animations import animation_of
from maxsidecar.nel.export.registry import AUTOMATIC, Failure, Job, Product, Step
from maxsidecar.nel.serial.formats import NelFile

__all__ = ["automatic_animations"]

_FLAG: Final = "AUTOMATIC_ANIMATION"
#: Flags that keep a node out.
_AGAINST: Final = ("DONTEXPORT", "COLLISION", "COLLISION_EXTERIOR")


def automatic_animations(job: Job) -> Iterator[Step]:
    """Yield the animation of each node with the flag; particle systems are among them."""
    view = job.view
    for node in view.nodes:
        flags = view.flags(node)
        if _FLAG not in flags or flags.text(_FLAG) == "0":
            continue
        against = any(flags.is_one(flag) for flag in _AGAINST)
        if against or view.accelerates(node) or view.pacs(node):
            continue
        try:
            made = animation_of(job, [node])
        except MaxSidecarError as error:
            yield Failure(node, f"its animation: {error.message}")
            continue
        notes = made.reasons(node)
        if not made.animation.tracks:
            yield Failure(node, "; ".join([f"{_FLAG} is set, but nothing moves", *notes]))
            continue
        yield Product(
            view.name(node),
            ".anim",
            NelFile("anim", made.animation),
            [node],
            notes,
            lower=False,
            folder=AUTOMATIC,
        )
