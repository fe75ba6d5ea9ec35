"""Unwrap UVW: map vertices and faces that replace a map channel (docs/format/modifiers.md).

Since 2010 they belong to the object that is unwrapped, before that to the modifier itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import U32, Codec
from maxsidecar.io.views import ChunkField, ChunkView
from maxsidecar.scene.controllers.base import Point3Controller
from maxsidecar.scene.derived import ModifierContext
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.late_codec import LateRecords
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier, local_container
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.modifiers import unwrap_records as records

__all__ = [
    "EARLY_FACES",
    "EARLY_VERTICES",
    "FACES",
    "UNWRAP_UVW",
    "VERTICES",
    "UnwrapUVW",
    "nothing_selected",
]

UNWRAP_UVW: Final = (0x2DF2E3A, 0x72BA4E1F)
#: Reference slot of the controller of map vertex 0, in files that keep the map on the modifier.
_FIRST_CONTROLLER: Final = 11


_RECORDS: Final = "maxsidecar.scene.modifiers.unwrap_records"

#: Leaf 0860 of the local data.
VERTICES: Final[Codec[records.UnwrapVertices]] = LateRecords("map vertices", _RECORDS, "vertices")
#: Leaf 0870 of the local data.
FACES: Final[Codec[records.UnwrapFaces]] = LateRecords("faces", _RECORDS, "faces")
#: Leaf 0270 of the modifier.
EARLY_VERTICES: Final[Codec[records.UnwrapVertices]] = LateRecords(
    "map vertices", _RECORDS, "early_vertices"
)
#: Leaf 0310 of the modifier.
EARLY_FACES: Final[Codec[records.UnwrapFaces]] = LateRecords("faces", _RECORDS, "early_faces")

#: Ids and codecs of map vertices and faces.
_EARLY: Final = (0x0270, 0x0310, EARLY_VERTICES, EARLY_FACES)
_LATE: Final = (0x0860, 0x0870, VERTICES, FACES)
#: Those of the first releases, which no file at hand has (public samples of the 3ds Max SDK).
_FIRST: Final = (
    0x0110,
    0x0280,
    Rows("map vertices", "f", 3, counted=False),
    Rows("faces", "I", 19, counted=False),
)
#: Number of map vertices in early files, and which are selected.
_COUNT: Final = 0x0100
_SELECTED: Final = 0x0120
#: Which map edges are selected, since 2010.
_SELECTED_EDGES: Final = 0x0810
_BITS: Final = 0x2700

_SETTINGS: Final = """
    0100:vertex_count=u32 0120:selected_vertices@bits 0130=f32 0140=f32 0150=f32 0160=f32 0170=u32
    0180=u32 0190=u32 0200=u32 0210=u32 0220=u32 0230:face_count=u32 0250=u32 0260:channel=u32
    0290=u32x6 0300=mark 0320:point_count=u32 0340=u32 0350=u32 0360=i32x11 0370=u32 0380=mark
    0390=f32 0400=u32 0410=u32x2 0420=u32x5 0430=u32x5 0440=u32 0450=u32x2 0460=u32 0470=f32x2
    0480=u32x2 0490=u32 0500=u32 0510=u32 0520=u32x5 0530=u32 0540=u32 0550=u32x2 0560=u32x3
    0570=u32x2 0580=u32 0590=u32 0600=u32 0610=u32x2 0620@bits 0630=u32 0640=u32x2 0650=u32x2
    0660=u32 0670=u32x6 0680=u32 0690=u32 0700=u32x2 0710=u32 0730=u32 0740=u32 0750=u32 0760=u32
    0780:first_late_slot=u32 0790=u32 0830=u32x6 0840=f32x2 0850=u32 0891=u32 0920=u32 0940=u8x6
    0950=u32 1000=u32 1020=u32 1030=f32 1040=u32 1050=u32 1060=u32
"""


def _settings() -> Layout:
    layout = Layout.read(_SETTINGS, COMMON)
    layout.leaves |= {
        0x0270: ("map_vertices", EARLY_VERTICES),
        0x0310: ("faces", EARLY_FACES),
        0x0330: ("points", Rows("points", "f", 3, counted=False)),
        _FIRST[0]: ("first_map_vertices", _FIRST[2]),
        _FIRST[1]: ("first_faces", _FIRST[3]),
    }
    return layout


def _local() -> Layout:
    layout = Layout.read(
        "0120:selected_vertices@bits 0880:selected_points@bits 0810:selected_edges@bits"
        " 0800:selected_point_edges@bits 0820:selected_faces@bits 0210:early_selected_faces@bits"
        " 0770=mark",
        COMMON,
    )
    layout.leaves |= {
        0x0330: ("points", Rows("points", "f", 3)),
        0x0860: ("map_vertices", VERTICES),
        0x0870: ("faces", FACES),
        0x0930: ("groups", Rows("groups", "i", 1)),
    }
    return layout


def nothing_selected(count: int, version: int) -> bytes:
    """Return a bit array without any bit set, as the release of a Scene root id writes it."""
    import numpy as np

    from maxsidecar.scene.geometry.stored.write_common import bits_body

    return bits_body(np.zeros(count, np.bool_), version)


def _selection_sizes(
    vertices: records.UnwrapVertices, faces: records.UnwrapFaces, *, early: bool
) -> dict[int, int]:
    """Return how many bits the selections have that depend on the map, by chunk."""
    from maxsidecar.scene.modifiers.unwrap_records import edge_count

    out = {_SELECTED: len(vertices.flags)}
    return out if early else {**out, _SELECTED_EDGES: edge_count(faces.degrees, faces.corners)}


@register(superclass=0x810, class_id=UNWRAP_UVW)
class UnwrapUVW(LocalModifier):
    """Texture coordinates made by hand."""

    __slots__ = ()
    layout = _settings()
    local = _local()
    channel = ChunkField(0x0260, U32, default=0, doc="0 map channel 1, 1 vertex colours, else it")

    @property
    def map_channel(self) -> int:
        """Number of the map channel that it replaces: 0 colour, from 1 texture coordinates.

        Raises:
            DecodeError: The chunk is no number.
        """
        channel = self.channel
        return {0: 1, 1: 0}.get(channel, channel)

    def read_map(
        self, context: ModifierContext | None
    ) -> tuple[records.UnwrapVertices, records.UnwrapFaces] | None:
        """Return map vertices and faces; ``None`` where nothing was edited.

        Args:
            context: What belongs to the modifier on an object.

        Raises:
            DecodeError: They are not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.leaves import decode

        holder = self._holder(context)
        if holder is None:
            return self._first_map()
        first, second, vertex_codec, face_codec = _EARLY if holder is self else _LATE
        vertices, faces = holder.find(first), holder.find(second)
        if vertices is None or faces is None:
            return None
        return decode(vertices, vertex_codec), decode(faces, face_codec)

    def _first_map(self) -> tuple[records.UnwrapVertices, records.UnwrapFaces] | None:
        from maxsidecar.scene.geometry.stored.leaves import decode
        from maxsidecar.scene.modifiers.unwrap_records import UnwrapVertices, first_faces

        first, second, vertex_codec, face_codec = _FIRST
        vertices, faces = self.find(first), self.find(second)
        if vertices is None or faces is None:
            return None
        places = decode(vertices, vertex_codec).array
        return UnwrapVertices.of(places, early=True), first_faces(decode(faces, face_codec).array)

    def write_map(
        self,
        context: ModifierContext | None,
        vertices: records.UnwrapVertices,
        faces: records.UnwrapFaces,
    ) -> None:
        """Put a changed map in place of the stored one.

        The faces keep their number and their corners; the number of map vertices is free.  Which
        map vertices and map edges are selected is forgotten when their number changes.

        Args:
            context: What belongs to the modifier on an object.
            vertices: The map vertices; without ``controllers`` in early files.
            faces: The faces.

        Raises:
            EditError: The map does not fit, or there is none; nothing is changed then.
            DecodeError: The stored one is not stored as is known.
        """
        from maxsidecar.scene.finite import check_finite_rows

        holder = self._holder(context)
        before = None if holder is None else self.read_map(context)
        if holder is None or before is None:
            raise EditError("no map is stored here", self.where)
        early = holder is self
        first, second, vertex_codec, face_codec = _EARLY if early else _LATE
        self._check(before, vertices, faces, early)
        for what in ("coordinates", "weights"):
            new, old = getattr(vertices, what), getattr(before[0], what)
            check_finite_rows(f"{what} of map vertex", new, old)
        bodies = {first: vertex_codec.encode(vertices), second: face_codec.encode(faces)}
        for chunk_id, codec in ((first, vertex_codec), (second, face_codec)):
            chunk = holder.find(chunk_id)
            if chunk is not None:
                codec.verified(chunk.data)
        count = len(vertices.flags)
        if early:
            bodies[_COUNT] = U32.encode(count)
        for chunk_id, body in bodies.items():
            chunk = holder.find(chunk_id)
            if chunk is not None and bytes(chunk.data) != body:
                chunk.replace(body)
        sizes = _selection_sizes(vertices, faces, early=early)
        for chunk_id, size in sizes.items():
            selected = holder.find(chunk_id)
            leaf = selected.find(_BITS) if selected is not None and selected.container else None
            if leaf is not None and int.from_bytes(leaf.data[:4], "little") != size:
                leaf.replace(nothing_selected(size, self.scene.version))

    def _holder(self, context: ModifierContext | None) -> ChunkView | None:
        """Return the chunks that hold the map: those of the modifier in early files."""
        local = None if context is None else local_container(context.container())
        if local is not None and local.find(_LATE[0]) is not None:
            return ChunkView(local.owner, local)
        return self if self.find(_EARLY[0]) is not None else None

    @property
    def vertex_controllers(self) -> dict[int, Point3Controller]:
        """Controllers of map vertices by number, in early files; they say where those are.

        Raises:
            DecodeError: The reference list has an impossible size.
        """
        if self.find(_EARLY[0]) is None:
            return {}
        # Not by `reference`, which reads the whole list of references each time.
        scene = self.scene
        found = {
            slot - _FIRST_CONTROLLER: scene[index]
            for slot, index in self.references.items()
            if slot >= _FIRST_CONTROLLER and index < len(scene)
        }
        return {vertex: obj for vertex, obj in found.items() if isinstance(obj, Point3Controller)}

    def _check(
        self,
        before: tuple[records.UnwrapVertices, records.UnwrapFaces],
        vertices: records.UnwrapVertices,
        faces: records.UnwrapFaces,
        early: bool,
    ) -> None:
        """Refuse a map that does not fit the object, or that would have no effect."""
        if list(before[1].degrees) != list(faces.degrees):
            raise EditError("the faces must keep their number and corners", self.where)
        count = len(vertices.flags)
        if len(faces.corners) and int(faces.corners.max()) >= count:
            raise EditError(
                "a corner of a map vertex that is not there",
                self.where,
                expected=f"less than {count}",
                found=int(faces.corners.max()),
            )
        controlled = self.vertex_controllers if early else {}
        if not controlled:
            return
        if count != len(before[0].flags):
            raise EditError("map vertices have controllers, so they keep their number", self.where)
        for vertex in controlled:
            if vertex < count and any(
                before[0].coordinates[vertex] != vertices.coordinates[vertex]
            ):
                raise EditError(f"map vertex {vertex} is where its controller says", self.where)
