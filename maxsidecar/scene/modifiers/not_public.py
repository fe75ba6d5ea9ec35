"""Modifiers whose class id is public and whose rule is not (docs/format/modifiers-unproved.md).

They say more than that their class is not known; the mesh below them is used.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)

__all__ = ["PATCH_SELECT", "RULES", "not_public", "patch_select"]

#: What of each is not public.
RULES: Final[dict[tuple[int, int], str]] = {
    (0xC4D31, 0): "which edges Optimize takes out is not public",
    (0x36D04FA5, 0x500727B3): "the formula of Melt is not public",
    (0x48C42001, 0x72CC1057): "how Preserve comes near to the original is not public",
    (0x53446, 0x7145): "how HSDS stores what was edited in its levels is not public",
    (0x7F34CC2A, 0): "Delete Patch deletes selected patches, and the selection is not read",
}
PATCH_SELECT: Final = (0x19592732, 0x3407A7A)


@modifier(*RULES)
def not_public(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Tell why it is not evaluated."""
    class_id = call.obj.class_id
    key = (0, 0) if class_id is None else (class_id.a, class_id.b)
    raise NotSupportedError(RULES.get(key, "its rule is not public"))


@modifier(PATCH_SELECT)
def patch_select(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Leave the shape as it is; what it selects is left out."""
    call.approximate("the selection that it makes is left out")
    return geometry
