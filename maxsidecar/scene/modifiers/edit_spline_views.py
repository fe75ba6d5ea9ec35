"""Edit Spline: the splines as it made them, and what it did (docs/format/shapes.md, section 7)."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.shapes.shape_views import BEZIER, RecordsCodec
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

__all__ = ["EDITED", "EDIT_SPLINE", "MOVES", "OPERATION", "OPERATIONS", "RESULT", "EditSpline"]

EDIT_SPLINE: Final = (0x60, 0)
#: In the local data: everything, then what was done, and the splines that came out.
EDITED, OPERATIONS, RESULT = 0x1000, 0x1030, 0x1040
#: One thing that was done.
OPERATION: Final = 0x1010
#: Points of all splines that were moved: of each knot the incoming handle, itself, the outgoing.
MOVES: Final = RecordsCodec(
    "moves",
    (("spline", "<i4"), ("point", "<i4"), ("offset", "<f4", 3), ("flags", "<i4")),
    24,
    counted=True,
)


def _local() -> Layout:
    layout = Layout.read(
        "1000:edited{ 1020=u32 1030:operations{ 1000:count=u32 1010:operation{ 1010=u32 } }"
        " 1040:result@bezier }",
        {**COMMON, "bezier": BEZIER},
    )
    operation = layout.containers[EDITED][1].containers[OPERATIONS][1].containers[OPERATION][1]
    operation.leaves[0x1010] = "moves", MOVES
    return layout


@register(superclass=0x810, class_id=EDIT_SPLINE)
class EditSpline(LocalModifier):
    """Splines that were edited by hand."""

    __slots__ = ()
    layout = Layout.read(
        "1001=u16 1010=u32x2 1020=u32 1030=f32x2 1031=u32 1032=u32 1100=f32 1110=u32x6"
    )
    local = _local()
