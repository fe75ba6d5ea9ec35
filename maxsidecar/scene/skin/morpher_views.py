"""Morpher: a hundred channels of displacements (docs/format/skin.md)."""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.io.codecs import F32, U32, UTF16
from maxsidecar.io.fields import Record, f32, i32, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkView
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout
from maxsidecar.scene.registry import register

__all__ = [
    "CHANNELS",
    "FIRST_BLOCK",
    "FIRST_CHANNEL",
    "FIRST_PROGRESSIVE",
    "FIRST_TARGET",
    "MORPHER",
    "ChannelSettings",
    "MorphChannel",
    "Morpher",
]

MORPHER: Final = (0x17BB6854, 0xA5CBA2A3)
#: Number of channels, always there, and the chunk of the first.
CHANNELS: Final = 100
FIRST_CHANNEL: Final = 0x0200
#: Reference slots: parameters of channel 0, its target node, its first further target.
FIRST_BLOCK: Final = 1
FIRST_TARGET: Final = 101
FIRST_PROGRESSIVE: Final = 201

_POINTS: Final = Rows("points", "f", 3, counted=False)


class ChannelSettings(Record):
    """Settings of a channel."""

    active: int = u32(default=1, doc="whether it moves anything")
    filled: int = u32(doc="whether it has a target")
    chunk_8: int = u32(doc="open; 0")
    use_limits: int = u32(doc="open; 0; likely: whether its own limits count")
    minimum: float = f32(doc="least percent (likely)")
    maximum: float = f32(default=100.0, doc="most percent (likely)")
    chunk_24: int = i32(default=1, doc="open; 1")


class MorphChannel(ChunkView):
    """One channel."""

    __slots__ = ()
    point_count = ChunkField(0x0101, U32, default=0, doc="number of points; 0: not in use")
    further_targets = ChunkField(0x0180, U32, default=0, doc="progressive targets (likely)")
    name = ChunkField(0x0120, UTF16, default="", doc="name")
    settings = ChunkField(0x0130, record_codec(ChannelSettings), doc="settings")
    points = ChunkField(0x0140, _POINTS, doc="where the target's points are, in the mesh's space")
    deltas = ChunkField(0x0160, _POINTS, doc="displacement of each point for one percent")
    target_percent = ChunkField(0x0182, F32, default=100.0, doc="percent that shows the target")
    tension = ChunkField(0x0183, F32, default=0.5, doc="of the way through further targets")


def _layout() -> Layout:
    layout = Layout.read("0180{ 0001:count=u32 0004=u32 } 0185=u32 0191:channel_count=u32 0195=f32")
    channel = Layout.read(
        "0101:point_count=u32 0110:selection@bits 0120:name=text 0150=u32s"
        " 0180:further_targets=u32 0182:target_percent=f32 0183:tension=f32",
        COMMON,
    )
    settings: Any = record_codec(ChannelSettings)
    channel.leaves |= {
        0x0130: ("settings", settings),
        0x0140: ("points", _POINTS),
        0x0160: ("deltas", _POINTS),
    }
    for number in range(CHANNELS):
        layout.containers[FIRST_CHANNEL + number] = f"channels[{number}]", channel
    return layout


@register(superclass=0x810, class_id=MORPHER)
class Morpher(LaidOut):
    """Moves vertices towards targets."""

    __slots__ = ()
    layout = _layout()

    @property
    def channels(self) -> dict[int, MorphChannel]:
        """The channels that are stored, by number, empty ones included."""
        out: dict[int, MorphChannel] = {}
        for chunk in self.chunks():
            number = chunk.id - FIRST_CHANNEL
            if 0 <= number < CHANNELS and chunk.container:
                out.setdefault(number, MorphChannel(chunk.owner, chunk))
        return out
