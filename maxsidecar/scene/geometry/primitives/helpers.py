"""Objects that show no surface: targets, dummies and points."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.objects import SceneObject

__all__ = ["NO_MESH", "no_mesh"]

#: Target, which has the superclass of geometry.
TARGET: Final = (0x1020, 0)
#: Dummy and Point.
HELPERS: Final = ((0x876234, 0), (0x2013, 0))
NO_MESH: Final = (TARGET, *HELPERS)
_HELPER: Final = 0x50


@generator(TARGET)
@generator(*HELPERS, superclass=_HELPER)
def no_mesh(obj: SceneObject, call: GeneratorCall) -> None:
    """Return nothing: it is only a place."""
