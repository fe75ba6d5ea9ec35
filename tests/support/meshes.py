"""A decoder of Editable Meshes from the facts about the format, on its own."""

from __future__ import annotations

from struct import iter_unpack, unpack_from
from typing import NamedTuple

from maxsidecar.scene.objects import SceneObject

Numbers = tuple[float, ...]
Corners = tuple[int, ...]


class Mesh(NamedTuple):
    """A triangle mesh; ``maps`` are points and faces by map channel."""

    vertices: list[Numbers]
    faces: list[Corners]
    smoothing: list[int]
    material_ids: list[int]
    flags: list[int]
    maps: dict[int, tuple[list[Numbers], list[Corners]]]


def _rows(data: bytes, layout: str, size: int) -> list[tuple[float, ...]]:
    (count,) = unpack_from("<I", data)
    assert len(data) == 4 + size * count
    return list(iter_unpack("<" + layout, data[4:]))


def decode_mesh(obj: SceneObject) -> Mesh:
    """Read chunk 08fe: 0914 vertices, 0912 faces, and 0959 2398 2394 2396 for each channel."""
    body = next(chunk for chunk in obj.data.chunks() if chunk.id == 0x08FE)
    mesh = Mesh([], [], [], [], [], {})
    channel, points = 0, list[Numbers]()
    for chunk in body.chunks():
        if chunk.container:
            continue
        data = bytes(chunk.data)
        if chunk.id == 0x0914:
            mesh.vertices.extend(_rows(data, "3f", 12))
        elif chunk.id == 0x0912:
            for row in iter_unpack("<5I", data[4:]):
                mesh.faces.append(row[:3])
                mesh.smoothing.append(row[3])
                mesh.flags.append(row[4] & 0xFFFF)
                mesh.material_ids.append(row[4] >> 16)
            assert len(mesh.faces) == unpack_from("<I", data)[0]
        elif chunk.id == 0x0959:
            (channel,) = unpack_from("<i", data)
        elif chunk.id == 0x2394:
            points = _rows(data, "3f", 12)
        elif chunk.id == 0x2396:
            faces = list(iter_unpack("<3I", data[4:]))
            assert len(data) == 4 + 12 * unpack_from("<I", data)[0]
            mesh.maps[channel] = points, faces
    return mesh
