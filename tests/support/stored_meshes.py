"""Editable Meshes and Editable Polys made of chunks, without a file around them."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.stored.mesh_views import EditableMesh, EditablePoly, StoredMesh
from tests.support.scenes import SceneMaker, f32, u32

TRI, POLY = (0xE44F10B3, 0, 0x10), (0x1BF8338D, 0x192F6098, 0x10)

S = TypeVar("S", bound=StoredMesh)


def counted(rows: bytes, size: int) -> bytes:
    return u32(len(rows) // size) + rows


def bits(text: str, *, octets: bool = False) -> bytes:
    """Return the body of a bit array: a text of 0 and 1, the first bit first."""
    data = bytes(
        sum((char == "1") << number for number, char in enumerate(text[at : at + 8]))
        for at in range(0, len(text), 8)
    )
    return u32(len(text)) + data + (b"" if octets else bytes(-len(data) % 4))


def points(*rows: Sequence[float]) -> bytes:
    return counted(b"".join(f32(*row) for row in rows), 12)


#: A square of two triangles, and another triangle at its side.
SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 1)]
SQUARE_FACES = [(0, 1, 2), (2, 3, 0), (1, 4, 2)]


def tri_chunks(
    vertices: Sequence[Sequence[float]] = SQUARE,
    faces: Sequence[Sequence[int]] = SQUARE_FACES,
    *,
    smoothing: Sequence[int] = (1, 1, 2),
    flags: Sequence[int] = (3, 0x43, 0x1000F),
    more: Sequence[ChunkTree] = (),
) -> list[ChunkTree]:
    """Return the chunks of a triangle mesh, in the order that files have."""
    rows = [(*f, s, w) for f, s, w in zip(faces, smoothing, flags, strict=True)]
    return [
        (0x0906, u32(0x202)),
        (0x0908, f32(20)),
        (0x0914, points(*vertices)),
        (0x0912, counted(b"".join(u32(*row) for row in rows), 20)),
        (0x0924, b"\0\0\xcd\xcd"),
        (0x0928, u32(0)),
        (0x092A, u32(1)),
        *more,
    ]


def map_chunks(
    channel: int, vertices: Sequence[Sequence[float]], faces: Sequence[Sequence[int]]
) -> list[ChunkTree]:
    """Return the chunks of a map channel of a triangle mesh."""
    return [
        (0x0959, pack("<i", channel)),
        (0x2398, u32(1)),
        (0x2394, points(*vertices)),
        (0x2396, counted(b"".join(u32(*face) for face in faces), 12)),
    ]


def face(vertices: Sequence[int], **parts: Sequence[int] | int) -> bytes:
    """Return a face record; parts are ``flags``, ``material``, ``smoothing``, ``diagonals``."""
    out, present = b"", 0
    for bit, name in ((1, "flags"), (8, "material"), (16, "smoothing"), (32, "diagonals")):
        value = parts.get(name)
        if value is not None:
            present |= bit
            numbers = (value,) if isinstance(value, int) else value
            out += pack("<H", *numbers) if name == "material" else u32(*numbers)
    return u32(len(vertices), *vertices) + pack("<H", present) + out


def poly_chunks(
    vertices: Sequence[bytes],
    edges: Sequence[bytes],
    faces: Sequence[bytes],
    more: Sequence[ChunkTree] = (),
) -> list[ChunkTree]:
    """Return the chunks of a polygon mesh made of records."""
    return [
        (0x0150, u32(3)),
        (0x0140, u32(0)),
        (0x0130, u32(0)),
        (0x0100, u32(len(vertices)) + b"".join(vertices)),
        (0x010A, u32(len(edges)) + b"".join(edges)),
        (0x011A, u32(len(faces)) + b"".join(faces)),
        (0x0120, u32(2)),
        *more,
    ]


def vertex(x: float, y: float, z: float, flags: int = 0) -> bytes:
    return u32(flags) + f32(x, y, z)


def edge(a: int, b: int, flags: int = 0) -> bytes:
    return u32(flags, a, b)


DEAD = u32(2)


def square_poly(more: Sequence[ChunkTree] = ()) -> list[ChunkTree]:
    """Return a quad and a triangle, with a dead vertex, edge and face among them."""
    return poly_chunks(
        [vertex(*SQUARE[0]), DEAD, *[vertex(*point) for point in SQUARE[1:]]],
        [edge(0, 2), edge(2, 3), DEAD, edge(3, 4), edge(4, 0, 1), edge(2, 5), edge(5, 3)],
        [
            face((0, 2, 3, 4), smoothing=1, diagonals=(2, 0)),
            face((), flags=2),
            face((2, 5, 3), flags=1, material=7),
        ],
        more,
    )


#: Map vertices.
UV = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]


def normals(specified: Sequence[bytes | None]) -> list[ChunkTree]:
    """Return explicit normals of triangles: for each face its marks, or ``None``."""
    faces: list[ChunkTree] = []
    for number, marks in enumerate(specified):
        inner: list[ChunkTree] = [(0x0200, u32(1, 0, 1))]
        if marks is not None:
            inner.append((0x0210, marks))
        faces += [(0x0124, u32(number)), (0x0128, inner)]
    vectors = points((0, 0, 1), (0, 1, 0))
    return [
        (
            0x23A0,
            [
                (0x0100, u32(11)),
                (0x0110, vectors),
                (0x0114, [(0x2700, bits("11"))]),
                (0x0120, u32(len(specified))),
                *faces,
            ],
        )
    ]


def early_face(number: int, vertices: Sequence[int], **parts: bytes) -> list[ChunkTree]:
    """Return the two chunks of a face of release 4 or 5."""
    inner: list[ChunkTree] = [
        (0x0100, u32(0)),
        (0x0110, u32(len(vertices), *vertices)),
        (0x0118, [(0x2700, bits("1" * len(vertices)))]),
        (0x0114, [(0x2700, bits("1" + "0" * (len(vertices) - 1)))]),
    ]
    ids = {"material": 0x0130, "smoothing": 0x0140, "diagonals": 0x0160}
    inner += [(ids[name], data) for name, data in parts.items()]
    return [(0x0114, u32(number)), (0x0118, inner)]


def early_poly() -> list[ChunkTree]:
    """Return the quad and the triangle as release 4 writes them."""
    chunks = poly_chunks([], [], [])
    vertices = u32(5) + b"".join(u32(0) + f32(*point) for point in SQUARE)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 2)]
    edges = b"".join(u32(0, a, b, 0, 0, 0xFFFFFFFF) for a, b in pairs)
    replaced: dict[int, list[ChunkTree]] = {
        0x0100: [(0x0100, vertices)],
        0x010A: [(0x0108, u32(6) + edges)],
        0x011A: [
            (0x0110, u32(2)),
            *early_face(0, (0, 1, 2, 3), material=b"\2\0", smoothing=u32(1), diagonals=u32(1, 3)),
            *early_face(1, (1, 4, 2)),
        ],
    }
    return [new for chunk in chunks for new in replaced.get(chunk[0], [chunk])]


def stored(
    kind: type[S],
    chunks: Sequence[ChunkTree],
    version: int = 0x2012,
    extra: Sequence[ChunkTree] = (),
) -> S:
    """Return an object that holds a mesh."""
    maker = SceneMaker(version)
    index = maker.add(TRI if kind is EditableMesh else POLY, [*extra, (0x08FE, chunks)])
    obj = maker.scene()[index]
    assert isinstance(obj, kind)
    return obj


def leaves(obj: StoredMesh) -> dict[int, bytes]:
    """Return the bodies of the mesh's chunks by id; of several with an id the last."""
    container = obj.mesh_container()
    assert container is not None
    return {chunk.id: bytes(chunk.data) for chunk in container.chunks()}


def read(obj: StoredMesh) -> Mesh:
    mesh = obj.read_mesh()
    assert mesh is not None
    return mesh


def polygons(mesh: Mesh) -> list[tuple[int, ...]]:
    return [tuple(map(int, part)) for part in np.split(mesh.corners, mesh.starts[1:-1])]


def rows(array: npt.NDArray[np.generic]) -> list[tuple[object, ...]]:
    return [tuple(row) for row in array.tolist()]


__all__ = ["EditableMesh", "EditablePoly"]
