"""Scenes with Map Extender modifiers, made from the tables of the notes: none is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.authoring_chunks import ChunkTree, Plugin, encode_chunks
from maxsidecar.scene.authoring_store import _Object
from maxsidecar.scene.directories import OSM_DERIVED
from tests.support.scenes import f32, u32
from tests.support.stored_meshes import bits, square_poly

__all__ = ["MAP_EXTENDER", "UNWRAP", "Layer", "MapExtenderScene", "cache", "encoded"]

Row = Sequence[float]
Face = Sequence[int]
#: A modifier, and its local data.
Layer = tuple[int, Sequence[ChunkTree] | bytes | None]

_DESCRIPTION = "Map extender plug-in - 3DSMax Team - UBI Soft Romania & Daniel Raviart"
MAP_EXTENDER = NewClass(
    "Map Extender", 0x2EC82081, 0x045A6271, 0x810, Plugin(_DESCRIPTION, "mapext198m3.dlm")
)
UNWRAP = NewClass(
    "Unwrap UVW",
    0x2DF2E3A,
    0x72BA4E1F,
    0x810,
    Plugin("Standard modifiers (Discreet)", "uvwunwrap.dlm"),
)
_DERIVED = NewClass("OSM Derived", 0x29263A68, 0x405F22F5, 0x1F0)
_EDITABLE_POLY = NewClass(
    "Editable Poly", 0x1BF8338D, 0x192F6098, 0x10, Plugin("Editable Poly", "epoly.dlo")
)

#: A unit matrix with the flags that contexts have.
_CONTEXT_MATRIX = f32(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0) + u32(0x80000000)


def cache(
    uv: Sequence[Row],
    faces: Sequence[Face],
    channel: int = 1,
    *,
    companions: bool = True,
    extras: bool = False,
    trail: bool = True,
) -> list[ChunkTree]:
    """Return the chunks of a cache, in the order of the files that the notes count.

    Args:
        uv: The map vertices: u, v, w.
        faces: Map vertices of each triangle.
        channel: The map channel.
        companions: What else all caches have, and is of no consequence.
        extras: A second map, which 372 of 2,501 have.
        trail: The last three chunks, which 2,273 have.
    """
    count = len(faces)
    corners = b"".join(u32(*face) for face in faces)
    chunks: list[ChunkTree] = [
        (0x03E8, u32(len(uv))),
        (0x03E9, b"".join(f32(*row) for row in uv)),
        (0x03EA, u32(count)),
        (0x03EB, corners),
    ]
    if companions:
        chunks += [
            (0x03EC, b"\2\0" * count),
            (0x03ED, u32(0)),
            (0x03EE, bytes(range(33))),
            (0x03EF, u32(count) + bytes(16 * count)),
        ]
    if extras:
        chunks += [(0x03F0, u32(1)), (0x03F1, f32(1, 1, 1)), (0x03F2, bytes(12 * count))]
    chunks.append((0x03F3, u32(channel)))
    if companions:
        chunks += [(0x03F5, u32(*[7 << 16] * count)), (0x044C, u32(3100, 198))]
    if companions and trail:
        chunks += [
            (0x03F8, u32(0)),
            (0x03F9, [(0x0001, bytes(4 * count))]),
            (0x03FA, [(0x0001, bytes(20))]),
        ]
    return chunks


def encoded(chunks: Sequence[ChunkTree]) -> bytes:
    """Return a cache as nearly all files have it: a leaf whose bytes are chunks."""
    return encode_chunks(chunks)


class MapExtenderScene(SceneBuilder):
    """A scene of some release with modifier stacks."""

    def __init__(self, root_id: int = 0x2009) -> None:
        super().__init__(title="Map Extender")
        self.root_id = root_id

    def add_map_extender(
        self,
        references: Literal["none", "flat", "sparse"] = "none",
        *,
        to: Sequence[int | None] = (None, None),
    ) -> int:
        """Add a modifier: without references, or in one of the two forms of release 9."""
        chunks: list[ChunkTree] = [(0x39BF, [(0x0100, b"")])]
        if references == "none":
            return self.add_object(MAP_EXTENDER, chunks)
        marks: list[ChunkTree] = [
            (number, [(0x2700, bits("0" * len(to)))]) for number in (0x2048, 0x2049)
        ]
        head: list[ChunkTree] = [(0x2045, u32(0)), (0x2047, [*marks, (0x204A, b"")])]
        if references == "flat":
            return self.add_object(MAP_EXTENDER, [*head, *chunks], list(to))
        held = {slot: index for slot, index in enumerate(to) if index is not None}
        return self.add_object(MAP_EXTENDER, [*head, *chunks], held, slots=len(to))

    def add_stack(
        self,
        base: int,
        layers: Sequence[Layer],
    ) -> int:
        """Add a stack: modifiers with their local data, from the top down, on a base object."""
        contexts: list[ChunkTree] = []
        for _, local in layers:
            inner: list[ChunkTree] = [
                (0x2510, _CONTEXT_MATRIX),
                (0x2511, f32(-1, -1, -1, 1, 1, 1)),
            ]
            if local is not None:
                inner.append((0x2512, local))
            contexts.append((0x2500, [*inner, (0x2513, u32(262400))]))
        references = [*[modifier for modifier, _ in layers], base]
        self._objects.append(_Object(OSM_DERIVED, [*contexts, (0x2501, b"")], references, 2))
        return len(self._objects) - 1

    def add_poly(self) -> int:
        """Add an Editable Poly of a quad and a triangle."""
        return self.add_object(_EDITABLE_POLY, [(0x08FE, square_poly())])

    def class_of(self, index: int) -> NewClass:
        if 0 <= index < len(self._objects) and self._objects[index].class_index == OSM_DERIVED:
            return _DERIVED
        return super().class_of(index)

    def _scene_body(self) -> bytes:
        return u32(self.root_id)[:2] + super()._scene_body()[2:]
