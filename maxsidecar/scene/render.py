"""The render environment: settings of production, draft and viewport renders.

Three containers hold the same settings; what most of them mean is open.  Measured on 142 scenes
(docs/format/coverage.md).  Scenes of 1997 keep one set, directly in container 0x0110.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import F32, U32
from maxsidecar.scene.layouts import Layout, register_layouts
from maxsidecar.scene.layouts_scene import SHARED

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["RenderSize", "render_size"]

_SUPERCLASS: Final = 0x1010
_CLASS: Final = (0xEE448B23, 0)
_SETTINGS_OF_ALL: Final = 0x0110
_PRODUCTION: Final = 0x2000

_SETTINGS: Final = """
    0100=u32 0110=u32 0120=u32 0130=u32 0135=u32 0140=u32 0150=u32 0160=u32 0170=u32 0180=u32
    0190:width=u32 0198=u32 0199=u32 0200:height=u32 0210:pixel_aspect=f32 0220=u32 0240=u32
    0290=u32 0310=u32 0320=u32 0330=u32 0338=u32 0340:frames=text 0400:output@bitmap
    0410:device@bitmap 0440=f32 0500=u32 0510=u32 0520=f32 0530=f32 0560=mark 0570=mark 0590=mark
    05b0=u32 05c0:elements{ 1200=u8 1210=raw 1220=u32 1230=u32x5 1240=u32 1250=u8 1260=u8
    1270:output_path=text } 05d0=u8 05e0=u8 0600=raw 0601=raw 0610=u32 0620=u32 0630=mark 0640=u32
    0650=u32 0660=mark 0670=u32 0680=mark 0690=mark
"""

_TABLE: Final = """
ee448b23/0/1010 RenderEnvironment; 0100=u32 2000=u32 0120=u32
    0110{ 2000:production@settings 2100:draft@settings 2300:viewport@settings 2400=u32 2500=u8
    2600=raw @SETTINGS@ }
    6010=u32x3 6000=u32 3000=u32 4001=mark
    7000:color_management{ 7001=u32x2 7010=u8 7011=f32x3 7012:config_path=text 7013=text
    7022=u32x2 7023=u32x9 7024=u8 7025{ 7026{ 2000=text 2001=text 2002=text 2004=text } }
    7027=raw 7028=u8 7029=u8 7100@space 7101@space 7102@space 7103@space 7104@space 7105@space }
""".replace("@SETTINGS@", _SETTINGS.replace("\n", " "))

register_layouts(
    _TABLE,
    {
        **SHARED,
        "settings": Layout.read(_SETTINGS, SHARED),
        "space": Layout.read("1000=u8 1001=text 1002=text"),
    },
)


@dataclass(frozen=True, slots=True)
class RenderSize:
    """The size of production renders.

    Attributes:
        width: Columns.
        height: Rows.
        pixel_aspect: Width of a pixel through its height.
    """

    width: int
    height: int
    pixel_aspect: float

    @property
    def aspect(self) -> float:
        """Width of the picture through its height."""
        return self.width * self.pixel_aspect / self.height


def render_size(scene: Scene) -> RenderSize | None:
    """Return the size of production renders; ``None`` where the scene does not say.

    Scenes of 1997 keep one set of settings for all renders.

    Raises:
        DecodeError: It is stored in another way, or is no size.
        ChunkError: The object is damaged.
    """
    for obj in scene.of_superclass(_SUPERCLASS):
        outer = obj.find(_SETTINGS_OF_ALL) if obj.is_instance(_SUPERCLASS, _CLASS) else None
        if outer is None:
            continue
        settings = outer.find(_PRODUCTION) or outer
        width, height = settings.find(0x0190), settings.find(0x0200)
        if width is None or height is None:
            continue
        aspect = settings.find(0x0210)
        size = RenderSize(
            U32.decode(width.data),
            U32.decode(height.data),
            1.0 if aspect is None else F32.decode(aspect.data),
        )
        if not (size.width and size.height and 0.0 < size.pixel_aspect < float("inf")):
            raise _no_size(width, size)
        return size
    return None


def _no_size(chunk: Chunk, size: RenderSize) -> DecodeError:
    found = f"{size.width} x {size.height}, {size.pixel_aspect}"
    return DecodeError("renders have no size", chunk.where, expected="above 0", found=found)
