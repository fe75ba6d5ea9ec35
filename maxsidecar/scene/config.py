"""Config: settings of the program that are saved with the scene.

Layouts are measured on the corpus (docs/format/streams.md section 5); names marked *likely* fit
every file, but nothing independent proves them.  Two parts are left alone on purpose: the old
render settings ``20d0``, which are stale in every file (the real ones are in ``Scene``), and the
registration data in ``2130``, see :mod:`maxsidecar.scene.private`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Final

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Buffer, Chunk, ChunkData
from maxsidecar.io.fields import F32, I32, Codec, Record, f32, i32, record_codec, u32
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView, TypedLeaf
from maxsidecar.scene.config_viewports import Viewports
from maxsidecar.scene.config_windows import (
    MaterialExplorers,
    SceneExplorers,
    SchematicViews,
    TrackViews,
)
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.script_store import ScriptedClass, ScriptStore
from maxsidecar.scene.stream_views import StreamView, register_stream

__all__ = [
    "TICKS_PER_SECOND",
    "Config",
    "GammaSettings",
    "GridSettings",
    "SnapSettings",
    "TimeSettings",
    "UtilityData",
]

#: Time in scenes counts in ticks.
TICKS_PER_SECOND: Final = 4800

_SCRIPTS: Final = 0x2180
_UTILITIES: Final = 0x21A0
_UTILITY_CLASS: Final = 0x1A00
_UTILITY_DATA: Final = 0x1A02


class TimeSettings(ChunkView):
    """Frame rate, active range and current time."""

    __slots__ = ()
    frame_rate = ChunkField(0x10, I32, doc="frames per second")
    display_format = ChunkField(0x20, I32, doc="how times are displayed (likely)")
    real_time = ChunkField(0x30, I32, doc="playback in real time (likely)")
    active_viewport_only = ChunkField(0x40, I32, doc="playback in one viewport (likely)")
    start = ChunkField(0x50, I32, doc="start of the active range, in ticks")
    end = ChunkField(0x60, I32, doc="end of the active range, in ticks")
    current = ChunkField(0x70, I32, doc="current time, in ticks")

    @property
    def ticks_per_frame(self) -> float:
        """Ticks of one frame; whole for every frame rate of the corpus.

        Raises:
            DecodeError: The frame rate is not positive.
        """
        rate = self.frame_rate
        if rate is None or rate <= 0:
            raise DecodeError("the frame rate is not positive", self.where, found=rate)
        return TICKS_PER_SECOND / rate


class GridSettings(Record):
    """The home grid (likely)."""

    spacing: float = f32(doc="distance of grid lines in scene units")
    major_lines: int = i32(doc="every n-th line is a major one")
    extent: int = i32(doc="open; 1 in all files")


@dataclass(frozen=True, slots=True)
class SnapSettings:
    """Snap settings (likely).

    Attributes:
        angle: Angle snap in degrees.
        percent: Percent snap.
        options: The numbers behind them, 8 to 10 of them depending on the release; open.
    """

    angle: float
    percent: float
    options: tuple[int, ...]


class _SnapCodec(Codec[SnapSettings]):
    kind = "snap settings"
    _head = Struct("<ff")

    def decode(self, data: Buffer) -> SnapSettings:
        if len(data) < 8 or len(data) % 4:
            raise DecodeError("snap settings have the wrong size", found=len(data))
        tail = Struct(f"<{len(data) // 4 - 2}i")
        angle, percent = self._head.unpack_from(data)
        return SnapSettings(angle, percent, tail.unpack_from(data, 8))

    def encode(self, value: SnapSettings) -> bytes:
        for item in value.options:
            I32.check(item)
        numbers = Struct(f"<{len(value.options)}i").pack(*value.options)
        return F32.encode(value.angle) + F32.encode(value.percent) + numbers


class DrawingAids(ChunkView):
    """Grid and snaps."""

    __slots__ = ()
    grid = ChunkField(0x100, record_codec(GridSettings), doc="the home grid")
    snap = ChunkField(0x200, _SnapCodec(), doc="angle and percent snap")


class GammaSettings(Record):
    """Gamma correction (likely)."""

    enabled: int = u32(doc="whether it is on")
    display: float = f32(default=1.0, doc="gamma of the display")
    files: float = f32(default=1.0, doc="gamma of bitmap files")


class Gamma(ChunkView):
    """Gamma correction and other preferences."""

    __slots__ = ()
    settings = ChunkField(0x100, record_codec(GammaSettings), doc="gamma correction")


@dataclass(frozen=True, slots=True)
class UtilityData:
    """What one utility plug-in keeps in the scene.

    Attributes:
        class_id: Class of the plug-in.
        data: Its container, or the leaf without bytes that stands for an empty one; ``None`` in
            older files that only list the class.
    """

    class_id: ClassId
    data: Chunk | None


class UtilityClass(Record):
    """Which utility plug-in the data behind it belongs to."""

    class_a: int = u32(doc="first half of the class id")
    class_b: int = u32(doc="second half of the class id")


_UTILITY = record_codec(UtilityClass)


@register_stream("Config")
class Config(StreamView):
    """Settings of the program that are saved with the scene.

    Attributes:
        encoding: Python codec of 8-bit text; :attr:`MaxFile.config` sets that of the file.
    """

    __slots__ = ("encoding",)
    drawing_aids = ChunkChild(0x20E0, DrawingAids)
    track_views = ChunkChild(0x20A0, TrackViews)
    scene_explorers = ChunkChild(0x20A5, SceneExplorers)
    material_explorers = ChunkChild(0x20A6, MaterialExplorers)
    schematic_views = ChunkChild(0x2190, SchematicViews)
    time = ChunkChild(0x20B0, TimeSettings)
    viewports = ChunkChild(0x2080, Viewports)
    gamma = ChunkChild(0x2160, Gamma)

    def __init__(self, data: ChunkData) -> None:
        """Look at the stream."""
        super().__init__(data)
        self.encoding = "cp1252"

    @property
    def scripts(self) -> ScriptStore | None:
        """Global variables and scripted classes, ``None`` where there are none."""
        chunk = self.find(_SCRIPTS)
        if chunk is None or not chunk.container:
            return None
        return ScriptStore(self.data, chunk, self.encoding)

    def scripted_classes(self) -> list[ScriptedClass]:
        """Return the definitions of scripted classes: parameter blocks and their names."""
        scripts = self.scripts
        return scripts.classes if scripts is not None else []

    def utilities(self) -> list[UtilityData]:
        """Return what utility plug-ins keep in the scene, in stored order.

        Raises:
            DecodeError: A class id has another size.
        """
        out: list[UtilityData] = []
        for chunk in self._utility_chunks():
            if chunk.id == _UTILITY_CLASS:
                header = _UTILITY.decode(chunk.data)
                out.append(UtilityData(ClassId(header.class_a, header.class_b), None))
            elif chunk.id == _UTILITY_DATA and out and out[-1].data is None:
                out[-1] = UtilityData(out[-1].class_id, chunk)
        return out

    def _utility_chunks(self) -> Iterator[Chunk]:
        chunk = self.find(_UTILITIES)
        return chunk.chunks() if chunk is not None and chunk.container else iter(())

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves, the scripts and the utility class ids."""
        yield from super().typed_leaves(prefix)
        scripts = self.scripts
        if scripts is not None:
            yield from scripts.typed_leaves(f"{prefix}scripts.")
        for chunk in self._utility_chunks():
            if chunk.id == _UTILITY_CLASS and not chunk.container:
                yield chunk, f"{prefix}utilities[{chunk.position}]", _UTILITY
