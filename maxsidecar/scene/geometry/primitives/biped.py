"""Limbs of bipeds, whose shapes are in no file (docs/format/geometry-coverage.md)."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.objects import SceneObject

__all__ = ["BIPED_OBJECT", "limb"]

BIPED_OBJECT: Final = (0x9125, 0)


@generator(BIPED_OBJECT)
def limb(obj: SceneObject, call: GeneratorCall) -> None:
    """Leave it out: what a file says of a limb is its kind, its size and two shares.

    Raises:
        NotSupportedError: Always.
    """
    raise NotSupportedError("no file holds the shape of a biped's limb")
