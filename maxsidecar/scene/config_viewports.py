"""Viewports that ``Config`` remembers.

Up to root id 2014 the leaves lie directly in one container; later files have viewport tabs with
the same leaves (measured on the corpus, docs/format/streams.md section 5).
"""

from __future__ import annotations

from typing import Final

from maxsidecar.io.fields import I32, U32, UTF16, Record, f32, i32, record_codec, u32
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkList, ChunkView

__all__ = ["VIEW_TYPES", "Pane", "ViewportLayout", "ViewportTabs", "Viewports"]

#: Names of the view types, by their matrices.
VIEW_TYPES: Final = {
    0: "left",
    1: "right",
    2: "top",
    3: "bottom",
    4: "front",
    5: "back",
    6: "orthographic",
    7: "perspective",
    8: "camera",
}


class Pane(Record):
    """What one viewport pane looks at."""

    orthographic: int = u32(doc="1 for a parallel projection")
    type: int = u32(doc="view type, see VIEW_TYPES")
    xx: float = f32(doc="view matrix, first row")
    xy: float = f32()
    xz: float = f32()
    yx: float = f32(doc="view matrix, second row")
    yy: float = f32()
    yz: float = f32()
    zx: float = f32(doc="view matrix, third row")
    zy: float = f32()
    zz: float = f32()
    tx: float = f32(doc="view matrix, offset")
    ty: float = f32()
    tz: float = f32()
    zoom: float = f32(doc="zoom of a parallel view, field of view in radians of a perspective")
    focal_distance: float = f32(doc="focal distance in scene units")
    reserved_a: int = u32()
    reserved_b: int = u32()
    reserved_c: int = u32()
    camera: int = i32(doc="scene object index of the camera node of a camera view, else 0")

    @property
    def matrix(self) -> tuple[float, ...]:
        """The 12 numbers of the view matrix: three rows and the offset."""
        values: list[float] = [getattr(self, name) for name in _MATRIX]
        return tuple(values)


_MATRIX = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz", "tx", "ty", "tz")
_PANE = record_codec(Pane)


class ViewportLayout(ChunkView):
    """Up to four panes."""

    __slots__ = ()
    name = ChunkField(0x4670, UTF16, doc="name of the tab", default="")
    active_pane = ChunkField(0x2820, I32, doc="number of the active pane, -1 for none (likely)")
    pane0 = ChunkField(0x2810, _PANE, doc="first pane")
    pane1 = ChunkField(0x2811, _PANE, doc="second pane")
    pane2 = ChunkField(0x2812, _PANE, doc="third pane")
    pane3 = ChunkField(0x2813, _PANE, doc="fourth pane")
    background0 = ChunkField(0x2876, UTF16, doc="background: a path, or an asset GUID from 2010")
    background1 = ChunkField(0x2877, UTF16, doc="background of the second pane")
    background2 = ChunkField(0x2878, UTF16, doc="background of the third pane")
    background3 = ChunkField(0x2879, UTF16, doc="background of the fourth pane")

    @property
    def panes(self) -> list[Pane]:
        """The panes that are there, in order."""
        panes: list[Pane | None] = [self.pane0, self.pane1, self.pane2, self.pane3]
        return [pane for pane in panes if pane is not None]


class ViewportTabs(ChunkView):
    """The viewport tabs of files from root id 2017."""

    __slots__ = ()
    active = ChunkField(0x8210, U32, doc="number of the active tab")
    tabs = ChunkList(0x8220, ViewportLayout)


class Viewports(ViewportLayout):
    """All viewports: the panes of older files, or the tabs of newer ones."""

    __slots__ = ()
    tabs = ChunkChild(0x8200, ViewportTabs)

    @property
    def layouts(self) -> list[ViewportLayout]:
        """The layouts of either form; an older file has one."""
        tabs = self.tabs
        return tabs.tabs if tabs is not None else [self]
