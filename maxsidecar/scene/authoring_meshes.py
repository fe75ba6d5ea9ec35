"""Editable Mesh objects of new scenes.

Layout: chunks of the nine Editable Meshes with root id 2009 in the corpus; those of a mesh without
mapping are measured on the releases before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_checks import items, numbers, whole
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass, Plugin, pack_values
from maxsidecar.scene.authoring_store import ObjectStore

__all__ = ["EDITABLE_MESH", "POINT_CONTROLLER", "Face", "MeshBuilder", "Point"]

#: Three coordinates.
Point: TypeAlias = Sequence[float]
#: Three indices, counter-clockwise seen from outside.
Face: TypeAlias = Sequence[int]

EDITABLE_MESH: Final = NewClass(
    "Editable Mesh", 0xE44F10B3, 0, 0x10, Plugin("Editable mesh object (Discreet)", "update1.dlo")
)
POINT_CONTROLLER: Final = NewClass("Master Point Controller", 0x0D9C20FF, 0, 0x9010)

#: Valid for ever, five times.
_ALWAYS: Final = pack_values("ii", -0x80000000, 0x7FFFFFFF)
#: Flag of every face of that release; its meaning is open.
_FACE: Final = 0x40
_ALL_EDGES: Final = 7
_DISPLAY_SCALE: Final = 20.0


class MeshBuilder(ObjectStore):
    """Adds meshes."""

    def add_mesh(
        self,
        vertices: Sequence[Point],
        faces: Sequence[Face],
        *,
        material_ids: Sequence[int] | None = None,
        smoothing: Sequence[int] | None = None,
        edge_flags: Sequence[int] | None = None,
        uv: tuple[Sequence[Point], Sequence[Face]] | None = None,
    ) -> int:
        """Add an Editable Mesh of triangles; return its storage index.

        Args:
            vertices: Points in object space, 3 numbers each.
            faces: For each triangle three indices into the vertices, counter-clockwise seen from
                outside.
            material_ids: For each face its material id, from 0; ``None`` for 0.
            smoothing: For each face its smoothing groups, one bit each; ``None`` for a flat mesh.
            edge_flags: For each face which edges are visible: bit 0 from corner 0 to 1, bit 1 from
                1 to 2, bit 2 from 2 to 0; ``None`` for all.
            uv: Points of map channel 1, with 2 or 3 numbers each, and three indices into them for
                each face.

        Raises:
            EditError: An index leads nowhere, a list has another length than the faces, or a
                number does not fit.
        """
        vertices, faces = items(vertices, "the vertices"), items(faces, "the faces")
        count = len(faces)
        ids = _per_face("material ids", material_ids, 0, 0xFFFF, count)
        groups = _per_face("smoothing groups", smoothing, 0, 0xFFFFFFFF, count)
        edges = _per_face("edge flags", edge_flags, _ALL_EDGES, _ALL_EDGES, count)
        corners = _triangles(faces, len(vertices))
        records = b"".join(
            pack_values("5I", *corner, group, number << 16 | _FACE | edge)
            for corner, group, number, edge in zip(corners, groups, ids, edges, strict=True)
        )
        mesh: list[ChunkTree] = [
            (0x0906, pack_values("I", 0x202)),
            (0x0908, pack_values("f", _DISPLAY_SCALE)),
            (0x0914, _points(vertices)),
            (0x0912, pack_values("I", count) + records),
            (0x0924, bytes(4)),
            (0x0928, bytes(4)),
            (0x092A, pack_values("I", 1)),
        ]
        if uv is not None:
            pair = items(uv, "mapping")
            if len(pair) != 2:
                raise EditError("mapping: points and faces", expected=2, found=len(pair))
            mesh += _mapping(items(pair[0], "mapping"), items(pair[1], "mapping"), count)
        controller = self.add_object(POINT_CONTROLLER)
        return self.add_object(EDITABLE_MESH, _object(mesh), [controller])


def _per_face(
    what: str, values: Sequence[int] | None, default: int, top: int, count: int
) -> Sequence[int]:
    """Return a number for each face."""
    if values is None:
        return [default] * count
    found = items(values, what)
    if len(found) != count:
        raise EditError(f"{what}: one for each face", expected=count, found=len(found))
    return [whole(value, what, 0, top) for value in found]


def _triangles(faces: Sequence[Face], points: int) -> list[tuple[int, ...]]:
    """Return the corners of faces after checking them."""
    out: list[tuple[int, ...]] = []
    for face in faces:
        corners = items(face, "a face")
        if len(corners) != 3:
            raise EditError("a face needs three corners", expected=3, found=len(corners))
        out.append(tuple(whole(corner, "a corner", 0, points - 1) for corner in corners))
    return out


def _points(points: Sequence[Point], least: int = 3) -> bytes:
    """Return a counted list of points; one of two numbers gets a third, 0."""
    out = [pack_values("I", len(points))]
    for point in points:
        row = numbers(point, "a point", *range(least, 4))
        out.append(pack_values("3f", *row, *[0.0] * (3 - len(row))))
    return b"".join(out)


def _mapping(points: Sequence[Point], faces: Sequence[Face], count: int) -> list[ChunkTree]:
    """Return map channel 1."""
    if len(faces) != count:
        raise EditError("mapping: one face for each face", expected=count, found=len(faces))
    corners = b"".join(pack_values("3I", *face) for face in _triangles(faces, len(points)))
    return [
        (0x0959, pack_values("i", 1)),
        (0x2398, pack_values("I", 1)),
        (0x2394, _points(points, 2)),
        (0x2396, pack_values("I", count) + corners),
    ]


def _object(mesh: Sequence[ChunkTree]) -> list[ChunkTree]:
    """Return an Editable Mesh around its mesh: state of the editor, then displacement settings."""
    editor = {
        0x4020: bytes(4),
        0x4024: pack_values("f", _DISPLAY_SCALE),
        **{number: bytes(4) for number in (0x4025, 0x4026, 0x402C, 0x402D, 0x4030, 0x4034, 0x4038)},
        0x403B: pack_values("I", 1),
    }
    numbers = {0x3010: 10.0, 0x3017: 20.0, 0x3012: 20.0, 0x3013: 0.0}
    displacement = {
        0x300D: 5, 0x300E: 2, 0x300F: 2, 0x3014: 2, 0x3015: 3,
        **numbers,
        0x3016: 1, 0x301C: 0, 0x3019: 0, 0x301A: 2, 0x301D: 20000, 0x301B: 0, 0x301E: 1,
    }  # fmt: skip
    return [
        *editor.items(),
        (0x0900, _ALWAYS * 5 + pack_values("I", 0xFFFFFFFF)),
        (0x08FE, mesh),
        (
            0x0901,
            [
                (chunk_id, pack_values("f" if chunk_id in numbers else "I", value))
                for chunk_id, value in displacement.items()
            ],
        ),
        (0x0902, bytes(4)),
        (0x0904, pack_values("I", 1)),
        (0x0903, bytes(4)),
    ]
