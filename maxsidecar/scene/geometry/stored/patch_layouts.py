"""Chunks of stored patches (docs/format/patch.md)."""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import I32, U32, Codec, wrong_size
from maxsidecar.io.fields import Record, i32, record_codec, u8
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.geometry.stored.layouts import TESSELLATION, TRI_MESH
from maxsidecar.scene.geometry.stored.rpo import NelPatchCodec
from maxsidecar.scene.geometry.stored.tables import Rows, Table
from maxsidecar.scene.layouts import COMMON, Layout

__all__ = [
    "EDITABLE_PATCH",
    "LOCAL_PATCH",
    "MAPPER",
    "PATCH_MESH",
    "RPO",
    "TILE_SETTINGS",
    "ChannelRows",
    "ChannelTable",
    "Mapper",
    "MapperCodec",
    "TileSettings",
]

_COUNTED: Final = {
    # What lies at a vertex; which of the last two are patches is open.
    0x0BE0: (0x0406, 0x0410, 0x041A),
    0x0BCC: (0x0406,),
    0x0BD2: (0x03F2,),
}


class ChannelTable:
    """Rows of one map channel.

    Attributes:
        channel: Number of the channel.
        table: The rows.
    """

    __slots__ = ("channel", "table")

    def __init__(self, channel: int, table: Table) -> None:
        """Take the rows."""
        self.channel = channel
        self.table = table

    def __eq__(self, other: object) -> bool:
        """Compare the stored form."""
        return (
            isinstance(other, ChannelTable)
            and self.channel == other.channel
            and self.table == other.table
        )

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash((self.channel, self.table))

    def __str__(self) -> str:
        """Return channel, number and digest."""
        return f"channel {self.channel}, {self.table}"

    def text_rows(self) -> Any:
        """Yield each row as text."""
        return self.table.text_rows()


class ChannelRows(Codec[ChannelTable]):
    """``i32 channel``, then rows.

    Args:
        rows: How the rows are stored.
    """

    def __init__(self, rows: Rows) -> None:
        """Choose the rows."""
        self.rows = rows
        self.kind = rows.kind

    def decode(self, data: Buffer) -> ChannelTable:
        """Return channel and rows.

        Raises:
            DecodeError: The bytes are no such thing.
        """
        if len(data) < 4:
            raise wrong_size(self.kind, "at least 4", len(data))
        return ChannelTable(I32.decode(data[:4]), self.rows.decode(data[4:]))

    def encode(self, value: object) -> bytes:
        """Return the bytes.

        Raises:
            EditError: It is no such thing.
        """
        if not isinstance(value, ChannelTable):
            raise EditError(f"not {self.kind}", found=type(value).__name__)
        return I32.encode(value.channel) + self.rows.encode(value.table)

    def schema(self) -> dict[str, Any]:
        """Return the schema of channel and rows."""
        properties = {"channel": I32.schema(), "rows": self.rows.schema()}
        return {"type": "object", "properties": properties}


class Mapper:
    """Where points of the patches below a modifier come in its result, and how they move.

    Attributes:
        vertices: (n, 8) int32 rows: whether the place was stored, number in the result or -1,
            then the place and the move as the bits of three floats each.
        vectors: (m, 8) int32, likewise for handles and interior points.
    """

    __slots__ = ("vectors", "vertices")

    def __init__(self, vertices: Table, vectors: Table) -> None:
        """Take the rows."""
        self.vertices = vertices
        self.vectors = vectors

    def __eq__(self, other: object) -> bool:
        """Compare the stored form."""
        return (
            isinstance(other, Mapper)
            and self.vertices == other.vertices
            and self.vectors == other.vectors
        )

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash((self.vertices, self.vectors))

    def __str__(self) -> str:
        """Return the numbers."""
        return f"{self.vertices}; {self.vectors}"


class MapperCodec(Codec[Mapper]):
    """``u32`` number of vertices and their records, then the same for vectors."""

    kind = "moved points"
    _rows = Rows("moved points", "i", 8)

    def decode(self, data: Buffer) -> Mapper:
        """Return the records.

        Raises:
            DecodeError: The counts do not fit the size.
        """
        if len(data) < 8:
            raise wrong_size(self.kind, "at least 8", len(data))
        end = 4 + 32 * U32.decode(data[:4])
        if end > len(data) - 4:
            raise DecodeError("more moved points than bytes", expected=len(data), found=end + 4)
        return Mapper(self._rows.decode(data[:end]), self._rows.decode(data[end:]))

    def encode(self, value: object) -> bytes:
        """Return the bytes.

        Raises:
            EditError: It is no such thing.
        """
        if not isinstance(value, Mapper):
            raise EditError("not moved points", found=type(value).__name__)
        return self._rows.encode(value.vertices) + self._rows.encode(value.vectors)

    def schema(self) -> dict[str, Any]:
        """Return the schema of two lists of rows."""
        return {"type": "array", "items": self._rows.schema()}


class TileSettings(Record):
    """How NeL's tiles are shown, without anything between the numbers."""

    mode: int = u8(doc="whether tiles are shown")
    level: int = i32(doc="how finely tiles are divided")
    keep_mapping: int = u8(doc="whether channel 1 is left to 3ds Max")


MAPPER: Final = MapperCodec()
TILE_SETTINGS: Final = record_codec(TileSettings)


def _patch_mesh() -> Layout:
    layout = Layout.read(
        "0bd6:vertex_count=i32 0bc2:vector_count=i32 0bd1:edge_count=i32 0bea:patch_count=i32"
        " 0c94:map_slots=i32"
        " 0be0:vertex{ 03e8:position=f32x3 03fc:flags=u32 }"
        " 0bcc:vector{ 03e8:position=f32x3 03fc:flags=u32 0410:vertex=i32 }"
        " 0bd2:edge{ 03e8:ends=i32x4 }"
        " 0bf4:patch{ 03e8:corner_count=i32 03f2:corners=i32s 03fc:handles=i32s"
        " 0406:interiors=i32s 0410:smoothing=u32 041a:flags=u32 0424:type=i32 042e:edges=i32s }"
    )
    names = {0x0406: "vectors", 0x03F2: "patches", 0x0410: "around_0410", 0x041A: "around_041a"}
    for element, lists in _COUNTED.items():
        for leaf in lists:
            name = "patches" if element == 0x0BCC else names[leaf]
            layout.containers[element][1].leaves[leaf] = name, Rows("numbers", "i", 1)
    layout.leaves |= {
        0x0C80: ("map_patches", ChannelRows(Rows("map patches", "i", 16, counted=False))),
        0x0C8A: ("map_vertices", ChannelRows(Rows("map vertices", "f", 3))),
    }
    return layout


#: The patches: 08fe of an Editable Patch, 1140 in the local data of Edit Patch.
PATCH_MESH: Final = _patch_mesh()
EDITABLE_PATCH: Final = Layout.read("08fe:patches@patches", {**COMMON, "patches": PATCH_MESH})


def _rpo() -> Layout:
    """Return the chunks of a NeL patch object: NeL's own, the patches, a mesh made of them."""
    layout = Layout()
    for part in (TRI_MESH, PATCH_MESH):
        layout.leaves |= part.leaves
        layout.containers |= part.containers
    layout.leaves[0x08FD] = "nel", NelPatchCodec(inner_version=True)
    return layout


RPO: Final = _rpo()


def _local() -> Layout:
    inner = Layout.read(
        "1015:flags=u32 1020:steps=i32x2 1030:display=u32x2 1110:tessellated_normals=u32x2"
        " 1120:tessellated_weld=u32x2 1150:render_steps=i32 1160:show_interior=u32"
        " 1070:view_tessellation@tessellation 1080:render_tessellation@tessellation"
        " 1090:displacement_tessellation@tessellation 1140:patches@patches"
        " 4002:transition=i32 4003:include_meshes=u8",
        {**COMMON, "tessellation": TESSELLATION, "patches": PATCH_MESH},
    )
    mapper = Layout()
    mapper.leaves[0x1000] = "points", MAPPER
    inner.containers[0x1130] = "moves", mapper
    inner.leaves[0x4000] = "tiles", TILE_SETTINGS
    inner.leaves[0x4001] = "nel", NelPatchCodec()
    layout = Layout()
    layout.containers[0x1000] = "edited", inner
    return layout


#: What Edit Patch and its relatives keep on an object.
LOCAL_PATCH: Final = _local()
