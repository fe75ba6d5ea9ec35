"""Material: one material id for the selected faces, else for all."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["MATERIAL", "material"]

MATERIAL: Final = (0xF8612, 0)
_MOST: Final = 0xFFFF


@modifier(MATERIAL)
def material(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the material ids; the parameter counts from 1.

    (Public samples of the 3ds Max SDK.)
    """
    number = min(max(int(Values(call.obj, call).number("material_id")) - 1, 0), _MOST)
    if isinstance(geometry, PatchMesh):
        return replace(geometry, material_ids=np.full(geometry.patch_count, number, np.int32))
    if not isinstance(geometry, Mesh):
        if number:
            call.approximate("material ids of splines are left out")
        return geometry
    chosen = chosen_faces(geometry)
    ids = np.full(geometry.polygon_count, number, np.int32)
    if chosen is not None:
        ids = np.where(chosen, ids, geometry.material_ids).astype(np.int32)
    return replace(geometry, material_ids=ids)
