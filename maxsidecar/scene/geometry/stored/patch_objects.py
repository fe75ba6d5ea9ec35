"""Generators of objects that hold patches."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.controllers.base import Point3Controller
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.stored.patch_read import read_patch
from maxsidecar.scene.geometry.stored.patch_views import (
    EDITABLE_PATCH_ID,
    RPO_ID,
    NelPatchObject,
    StoredPatch,
)
from maxsidecar.scene.objects import SceneObject

__all__ = ["DIVISION", "stored_patch"]

#: What every divided patch says.
DIVISION: Final = "no file proves how 3ds Max divides patches, nor in how many steps"


@generator(EDITABLE_PATCH_ID, RPO_ID)
def stored_patch(obj: SceneObject, call: GeneratorCall) -> PatchMesh:
    """Return the patches of an Editable Patch, or of NeL's patch object."""
    source = obj.patch_source() if isinstance(obj, StoredPatch) else None
    if source is None:
        raise NotSupportedError("the object holds no patches")
    patch = read_patch(source, call.approximate)
    if isinstance(obj, NelPatchObject):
        patch.nel = obj.nel
        call.approximate("the patches are divided evenly, not by their tiles as NeL does")
    if any(isinstance(obj.reference(slot), Point3Controller) for slot in obj.references):
        call.leave_out("points have controllers, and it is not known which point has which")
    call.approximate(DIVISION)
    return patch
