"""Writing a changed mesh into the chunks of an Editable Mesh.

Only chunks whose content changes are rewritten; what depends on the numbers of vertices and faces
follows, or is dropped where 3ds Max makes it anew.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.edit import Origins
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.stored import read_tri as tri
from maxsidecar.scene.geometry.stored.children import Children
from maxsidecar.scene.geometry.stored.leaves import bits_of
from maxsidecar.scene.geometry.stored.tables import WeightsCodec
from maxsidecar.scene.geometry.stored.write_common import (
    bits_body,
    check_mesh,
    floats_body,
    origins_pair,
    remap,
    same,
    same_map,
    same_normals,
)
from maxsidecar.scene.geometry.stored.write_maps import put_maps
from maxsidecar.scene.geometry.stored.write_normals import normals_body

__all__ = ["write_tri"]

Ints: TypeAlias = npt.NDArray[np.int64]

_ORDER: Final = (
    *(0x0906, 0x0908, 0x0914, 0x0912, 0x0916, 0x0918, 0x0938, 0x0942, 0x0924, 0x0928, 0x092A),
    *(0x092C, 0x092D, 0x092E, 0x094C, 0x0956, 0x0959, 0x2398, 0x2394, 0x2396, 0x0952, 0x0953),
    *(0x23A4, 0x23A0, 0x23A2),
)
_MAP_FLAGS, _MAP_SLOTS, _HIDDEN = 0x2398, 0x0956, 0x094C
_WEIGHT_SLOTS, _WEIGHTS, _BITS = 0x0952, 0x0953, 0x2700
#: Leaves of a map channel, with what a new one holds.
_GROUP: Final = {
    tri.CHANNEL: b"",
    _MAP_FLAGS: b"\1\0\0\0",
    tri.MAP_VERTICES: b"",
    tri.MAP_FACES: b"",
}
_EDGES: Final = 7
#: Map channels that exist without being said, 0 and 1.
_USUAL_SLOTS: Final = 2
#: Before this Scene root id channels are stored in another way, and only one of them is known.
_CHANNELS: Final = 0x2006
#: Weight of a vertex that has none.
_NO_WEIGHT: Final = 1.0


def write_tri(container: Chunk, mesh: Mesh, version: int, origins: Origins | None = None) -> bool:
    """Put a mesh into a container.

    Args:
        container: The container of the old mesh.
        mesh: The new mesh, triangles only.
        version: Scene root id.
        origins: Where vertices and faces come from.

    Returns:
        Whether anything changed.

    Raises:
        EditError: The mesh does not fit, or cannot be stored here; nothing is changed then.
        DecodeError: The old mesh is not stored as is known.
    """
    where = container.where
    check_mesh(mesh, where)
    if mesh.is_polygons or np.any(mesh.degrees != 3):
        raise EditError("an Editable Mesh holds triangles", where, expected="triangles")
    old = tri.read_tri(container)
    children = Children(container, _ORDER)
    vertex_from, face_from = origins_pair(
        origins, mesh, len(old.positions), old.polygon_count, where
    )
    if not same(old.positions, mesh.positions):
        children.put(tri.VERTICES, floats_body(mesh.positions))
    _put_faces(children, mesh, face_from)
    _put_maps(children, old, mesh, version)
    _put_selection(children, old, mesh, version)
    _put_hidden(children, old, vertex_from, version)
    _put_weights(children, old, vertex_from)
    _put_normals(children, old, mesh, version)
    before = container.owner.revision
    children.write()
    return container.owner.revision != before


def _put_faces(children: Children, mesh: Mesh, face_from: Ints) -> None:
    child = children.find(tri.FACES)
    stored = np.frombuffer(child.body if child else b"\0\0\0\0", "<u4", offset=4).reshape(-1, 5)
    kept = remap(stored[:, 4] & np.uint32(0xFFFF & ~_EDGES), face_from, 0)
    shown = mesh.edge_visible.reshape(-1, 3).astype(np.uint32)
    rows = np.empty((mesh.polygon_count, 5), "<u4")
    rows[:, :3] = mesh.corners.reshape(-1, 3)
    rows[:, 3] = mesh.smoothing
    rows[:, 4] = kept | shown[:, 0] | shown[:, 1] << 1 | shown[:, 2] << 2
    rows[:, 4] |= mesh.material_ids.astype(np.uint32) << 16
    children.put(tri.FACES, len(rows).to_bytes(4, "little") + rows.tobytes())


def _faces_body(mapping: MapChannel) -> bytes:
    rows = np.ascontiguousarray(mapping.corners, "<u4")
    return (len(rows) // 3).to_bytes(4, "little") + rows.tobytes()


def _map_bodies(channel: int, mapping: MapChannel) -> dict[int, bytes]:
    return {
        tri.MAP_VERTICES: floats_body(mapping.vertices),
        tri.MAP_FACES: _faces_body(mapping),
    }


def _put_maps(children: Children, old: Mesh, mesh: Mesh, version: int) -> None:
    early = {
        channel: (vertices, faces)
        for (vertices, channel), faces in zip(
            tri.EARLY_MAPS.items(), tri.EARLY_MAP_FACES, strict=True
        )
        if children.find(vertices) is not None
    }
    for channel, (vertices, faces) in early.items():
        mapping = mesh.maps.get(channel)
        if mapping is None:
            if channel in old.maps:
                children.remove(vertices)
                children.remove(faces)
        elif not same_map(old.maps.get(channel), mapping):
            child = children.find(faces)
            body = _faces_body(mapping)
            counted = child is not None and len(child.body) % 12 == 4
            children.put(vertices, floats_body(mapping.vertices))
            children.put(faces, body if counted else body[4:])
    before = {channel: mapping for channel, mapping in old.maps.items() if channel not in early}
    after = {channel: mapping for channel, mapping in mesh.maps.items() if channel not in early}
    if set(after) - set(before) and version < _CHANNELS:
        raise EditError(
            "how scenes of this release store a new map channel is not known",
            children.container.where,
            found=sorted(set(after) - set(before)),
        )
    put_maps(children, _GROUP, before, after, _map_bodies)
    child = children.find(_MAP_SLOTS)
    stored = int.from_bytes(child.body, "little") if child is not None else _USUAL_SLOTS
    slots = max(mesh.maps, default=0) + 1
    if slots > stored:
        children.put(_MAP_SLOTS, slots.to_bytes(4, "little"))


def _put_bits(
    children: Children, chunk_id: int, bits: npt.NDArray[np.bool_] | None, version: int
) -> None:
    """Write a bit array, or take it out where nothing is set."""
    if bits is None or not np.any(bits):
        children.remove(chunk_id)
        return
    inner = children.new(_BITS, bits_body(bits, version))
    children.put(chunk_id, b"".join(inner.encode()), container=True)


def _put_selection(children: Children, old: Mesh, mesh: Mesh, version: int) -> None:
    before, after = old.selection, mesh.selection
    if before.level != after.level:
        levels = {name: number for number, name in tri.SELECTION_LEVELS.items()}
        if after.level not in levels:
            raise EditError("no such selection level", found=after.level)
        children.put(tri.LEVEL, levels[after.level].to_bytes(4, "little"))
    for chunk_id, was, now, count in (
        (tri.SELECTED_VERTICES, before.vertices, after.vertices, len(mesh.positions)),
        (tri.SELECTED_FACES, before.polygons, after.polygons, mesh.polygon_count),
        (tri.SELECTED_EDGES, before.corners, after.corners, len(mesh.corners)),
    ):
        none = np.zeros(count, bool)
        if not same(none if was is None else was, none if now is None else now):
            _put_bits(children, chunk_id, now, version)


def _put_hidden(children: Children, old: Mesh, vertex_from: Ints, version: int) -> None:
    child = children.find(_HIDDEN)
    if child is None or _unchanged(vertex_from, len(old.positions)):
        return
    leaf = children.container.find(_HIDDEN)
    bits = None if leaf is None else bits_of(leaf, len(old.positions))
    _put_bits(children, _HIDDEN, None if bits is None else remap(bits, vertex_from, False), version)


def _unchanged(origins: Ints, count: int) -> bool:
    return len(origins) == count and bool(np.array_equal(origins, np.arange(count)))


def _put_weights(children: Children, old: Mesh, vertex_from: Ints) -> None:
    if _unchanged(vertex_from, len(old.positions)):
        return
    codec = WeightsCodec()
    for child in children.items:
        if child.id == _WEIGHTS:
            value: Any = codec.decode(child.body)
            if len(value.values) == len(old.positions):
                value.values = remap(value.values, vertex_from, _NO_WEIGHT)
                child.body, child.raw = codec.encode(value), None


def _put_normals(children: Children, old: Mesh, mesh: Mesh, version: int) -> None:
    shape_same = (
        same(old.positions, mesh.positions)
        and same(old.corners, mesh.corners)
        and same(old.smoothing, mesh.smoothing)
    )
    if shape_same and same_normals(old, mesh):
        return
    if mesh.normals is None or not np.any(mesh.normals.corners >= 0):
        children.remove(tri.NORMALS)
        return
    child = children.find(tri.NORMALS)
    body = normals_body(mesh, None if child is None else child.body, version, children.form)
    children.put(tri.NORMALS, body, container=True)
