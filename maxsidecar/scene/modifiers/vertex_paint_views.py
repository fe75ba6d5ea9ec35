"""Modifiers that colour vertices (docs/format/modifiers.md, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["VERTEX_COLORS", "VERTEX_TREE_PAINT", "VertexColors", "VertexTreePaint"]

VERTEX_COLORS: Final = (0x104170CC, 0x66373204)
VERTEX_TREE_PAINT: Final = (0x40C7005E, 0x2A95082C)
_FACE: Final = 0x0120
#: Bytes of the colours of a face: three corners of three floats.
_FACE_SIZE: Final = 36


@register(superclass=0x810, class_id=VERTEX_COLORS)
class VertexColors(LaidOut):
    """Colours for each corner of each triangle, on the modifier itself."""

    __slots__ = ()
    layout = Layout.read("0120:colors=f32x9")

    def read_colors(self) -> npt.NDArray[np.float32]:
        """Return red, green and blue from 0 to 1, (faces, 3, 3).

        Raises:
            DecodeError: A face has another number of colours.
        """
        import numpy as np

        parts = [bytes(chunk.data) for chunk in self.chunks() if chunk.id == _FACE]
        if any(len(part) != _FACE_SIZE for part in parts):
            raise DecodeError("a face with another number of colours", self.where)
        return np.frombuffer(b"".join(parts), "<f4").reshape(-1, 3, 3).astype(np.float32)


def _tree_local() -> Layout:
    layout = Layout.read("0100:version=u32", COMMON)
    layout.leaves[0x0120] = "colors", Rows("colours", "I", 1)
    return layout


@register(superclass=0x810, class_id=VERTEX_TREE_PAINT)
class VertexTreePaint(LocalModifier):
    """NeL's weights of wind on trees, as colours of vertices."""

    __slots__ = ()
    layout = Layout.read("0100:version=u32")
    local = _tree_local()
