"""Patches made of chunks, and what NeL keeps for them, by the tables of docs/format/patch.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

import numpy as np

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.patch import PatchMesh
from tests.support.scenes import Class, f32, u32

EDITABLE_PATCH: Class = (0x1030, 0, 0x10)
RPO: Class = (0x368C679F, 0x711C22EE, 0x10)
Point = Sequence[float]


def i32(*values: int) -> bytes:
    return pack(f"<{len(values)}i", *values)


def counted(*values: int) -> bytes:
    return i32(len(values), *values)


class Builder:
    """Collects vertices, vectors and patches."""

    def __init__(self) -> None:
        self.vertices: list[Point] = []
        self.vectors: list[Point] = []
        self.patches: list[tuple[list[int], list[int], list[int], int, int]] = []

    def point(self, place: Point) -> int:
        self.vertices.append(place)
        return len(self.vertices) - 1

    def vector(self, place: Point) -> int:
        self.vectors.append(place)
        return len(self.vectors) - 1

    def thirds(self, a: int, b: int) -> list[int]:
        """Return handles that make a side straight."""
        here, there = np.array(self.vertices[a], float), np.array(self.vertices[b], float)
        return [self.vector((2 * here + there) / 3), self.vector((here + 2 * there) / 3)]

    def patch(
        self,
        corners: Sequence[int],
        handles: Sequence[int],
        interiors: Sequence[int],
        smoothing: int = 1,
        flags: int = 1,
    ) -> None:
        self.patches.append((list(corners), list(handles), list(interiors), smoothing, flags))

    def flat(self, *corners: int, handles: Mapping[int, Sequence[int]] | None = None) -> list[int]:
        """Add a patch that is flat and evenly divided; return its handles.

        Sides that ``handles`` names take those.
        """
        size = len(corners)
        out: list[int] = []
        for side in range(size):
            known = (handles or {}).get(side)
            here, there = corners[side], corners[(side + 1) % size]
            out += list(known) if known is not None else self.thirds(here, there)
        places = [np.array(self.vertices[corner], float) for corner in corners]
        inside = []
        for k in range(size):
            if size == 4:
                two = places[(k + 1) % 4] + places[(k + 3) % 4]
                inside.append((4 * places[k] + 2 * two + places[(k + 2) % 4]) / 9)
            else:
                inside.append((places[k] + places[0] + places[1] + places[2]) / 4)
        self.patch(corners, out, [self.vector(place) for place in inside])
        return out

    def chunks(self, more: Sequence[ChunkTree] = (), *, early: bool = False) -> list[ChunkTree]:
        """Return the chunks; ``early`` leaves out what 3ds Max 3 does not write."""
        out: list[ChunkTree] = [(0x0BB9, u32(1)), (0x0BD6, i32(len(self.vertices)))]
        for number, place in enumerate(self.vertices):
            vertex: list[ChunkTree] = [(0x03E8, f32(*place)), (0x03FC, u32(0))]
            if not early:
                # Vertices have various numbers of neighbours.
                vertex += [(0x0406, counted(*range(number % 3))), (0x0410, counted(0))]
                vertex.append((0x041A, counted(0, 1)))
            out.append((0x0BE0, vertex))
        out.append((0x0BC2, i32(len(self.vectors))))
        for place in self.vectors:
            vector: list[ChunkTree] = [(0x03E8, f32(*place)), (0x03FC, u32(0))]
            if not early:
                vector += [(0x0410, i32(-1)), (0x0406, counted(0))]
            out.append((0x0BCC, vector))
        if not early:
            out += [(0x0BD1, i32(1)), (0x0BD2, [(0x03E8, i32(0, 0, 1, 1)), (0x03F2, counted(0))])]
        out.append((0x0BEA, i32(len(self.patches))))
        for corners, handles, interiors, smoothing, flags in self.patches:
            patch: list[ChunkTree] = [
                (0x03E8, i32(len(corners))),
                (0x03F2, i32(*corners)),
                (0x03FC, i32(*handles)),
                (0x0406, i32(*interiors)),
                (0x0410, u32(smoothing)),
                (0x041A, u32(flags)),
            ]
            if not early:
                patch = [(0x0424, i32(4)), *patch, (0x042E, i32(*[0] * len(corners)))]
            out.append((0x0BF4, patch))
        return [*out, *more]


def square(steps_of_flags: int = 1) -> Builder:
    """Return one flat patch, three by three."""
    made = Builder()
    corners = [made.point(place) for place in ((0, 0, 0), (3, 0, 0), (3, 3, 0), (0, 3, 0))]
    made.flat(*corners)
    corners_, handles, interiors, smoothing, _ = made.patches[0]
    made.patches[0] = (corners_, handles, interiors, smoothing, steps_of_flags)
    return made


def map_chunks(
    channel: int, places: Sequence[Point], rows: Sequence[Sequence[int]]
) -> list[ChunkTree]:
    """Return the chunks of a map channel."""
    points = b"".join(f32(*place) for place in places)
    return [
        (0x0C94, i32(2)),
        (0x0C8A, i32(channel) + u32(len(places)) + points),
        (0x0C80, i32(channel) + b"".join(i32(*row) for row in rows)),
    ]


def nel_bytes(
    version: int,
    tiles: Sequence[tuple[int, int]] = ((1, 0),),
    vertices: int = 4,
    trailer: Sequence[int] = (7, 2),
) -> bytes:
    """Return what NeL keeps for patches with so many tiles, each value written by itself."""
    out = u32(version) + i32(len(tiles))
    for number, (u, v) in enumerate(tiles):
        count = (1 << u) * (1 << v)
        out += i32(u, v, count)
        for tile in range(count):
            if version < 3:
                out += i32(5, 6)
                continue
            out += pack("<H", 2)
            if version >= 5:
                out += pack("<H", 0x11)
            if version >= 9:
                out += pack("<B", 3)
            for layer in range(3):
                out += pack("<Bii", 0, 100 * number + 10 * tile + layer, layer)
        colors = ((1 << u) + 1) * ((1 << v) + 1)
        out += i32(colors) + u32(*[0x112233 + c for c in range(colors)])
        if version >= 7:
            out += u32(0, 1, 0, 1)
    out += i32(vertices)
    for vertex in range(vertices):
        out += pack("<B", vertex % 2) + u32(2, 3, 0, *[9] * 5, 2, vertex)
    return out + i32(4) + b"\1\0" + i32(*trailer)


def moved_record(number: int, move: Point, place: Point = (9, 9, 9), stored: int = 1) -> bytes:
    """Return where a point of the patches below comes, and how it moves."""
    return i32(stored, number) + f32(*place) + f32(*move)


def areas(patch: PatchMesh) -> np.ndarray:
    """Return the areas of the triangles, seen from +z."""
    mesh = patch.to_mesh()
    a, b, c = (mesh.positions[mesh.faces[:, k]].astype(float) for k in range(3))
    found: np.ndarray = np.cross(b - a, c - a)[:, 2] / 2
    return found
