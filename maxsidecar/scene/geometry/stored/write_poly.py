"""Writing a changed mesh into the chunks of an Editable Poly.

Only chunks whose content changes are rewritten.  While polygons and edges stay as they are, so do
dead ones; otherwise dead ones go, and the lists that say which edges and faces a vertex has are
made anew.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.edges import EdgeList, edge_list
from maxsidecar.scene.geometry.edit import Origins
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.stored import ragged_arrays as ragged
from maxsidecar.scene.geometry.stored import ragged_records as records
from maxsidecar.scene.geometry.stored import read_poly as poly
from maxsidecar.scene.geometry.stored.children import Children
from maxsidecar.scene.geometry.stored.early_faces import early_face_records
from maxsidecar.scene.geometry.stored.read_poly import read_poly, read_polygons
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.stored.write_common import (
    check_mesh,
    floats_body,
    origins_pair,
    remap,
    same,
    same_normals,
)
from maxsidecar.scene.geometry.stored.write_edges import EdgeWriter, adjacency_body
from maxsidecar.scene.geometry.stored.write_maps import put_maps
from maxsidecar.scene.geometry.stored.write_normals import normals_body
from maxsidecar.scene.geometry.stored.write_weights import put_weights
from maxsidecar.scene.geometry.triangulate import diagonals_of

__all__ = ["write_poly"]

Bits: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]

_ORDER: Final = (
    *(0x0150, 0x0140, 0x0130, 0x0100, 0x010A, 0x0108, 0x011A, 0x0110, 0x0114, 0x0118, 0x0200),
    *(0x0210, 0x0240, 0x0250, 0x0120, 0x0124, 0x0128, 0x012B, 0x0300, 0x0310, 0x0320, 0x0330),
)
_MAP_SLOTS, _ADJACENCY, _VERTEX_SLOTS = 0x0120, 0x0310, 0x0200
_GROUP: Final = {poly.CHANNEL: b"", poly.MAP_VERTICES: b"", poly.MAP_FACES: b""}
_USUAL_SLOTS: Final = 2
#: What a vertex weighs that nobody gave a weight: soft selection, weight.
_NO_WEIGHT: Final = {poly.SOFT_SELECTION: 0.0, 1: 1.0}


def write_poly(container: Chunk, mesh: Mesh, version: int, origins: Origins | None = None) -> bool:
    """Put a mesh into a container.

    Args:
        container: The container of the old mesh.
        mesh: The new mesh.
        version: Scene root id.
        origins: Where vertices and polygons come from.

    Returns:
        Whether anything changed.

    Raises:
        EditError: The mesh does not fit, or cannot be stored here; nothing is changed then.
        DecodeError: The old mesh is not stored as is known.
    """
    where = container.where
    check_mesh(mesh, where)
    if np.any(mesh.degrees < 3):
        raise EditError("a polygon needs three corners", where, found=int(mesh.degrees.min()))
    old = read_poly(container)
    vertex_from, face_from = origins_pair(
        origins, mesh, len(old.positions), old.polygon_count, where
    )
    writer = _Writer(container, old, mesh, version)
    if writer.fits_in_place(vertex_from, face_from):
        writer.keep()
    else:
        writer.renew(vertex_from, face_from)
    before = container.owner.revision
    writer.children.write()
    return container.owner.revision != before


def _in_order(*origins: Ints) -> bool:
    return all(bool(np.array_equal(numbers, np.arange(len(numbers)))) for numbers in origins)


def _some(bits: Bits | None, count: int) -> Bits:
    return np.zeros(count, bool) if bits is None else bits


def _set(flags: U32, bit: int, on: Bits) -> U32:
    """Return flags with a bit set or not."""
    out: U32 = np.where(on, flags | np.uint32(bit), flags & ~np.uint32(bit)).astype(np.uint32)
    return out


class _Writer:
    """Changes the children of a container."""

    def __init__(self, container: Chunk, old: Mesh, mesh: Mesh, version: int) -> None:
        self.children = Children(container, _ORDER)
        self.stored = read_polygons(container)
        self.old = old
        self.mesh = mesh
        self.version = version
        self.early = poly.FACE_CHUNK not in self.stored.chunks
        self.edges = EdgeWriter(self.children, self.stored, old, mesh, early=self.early)

    def fits_in_place(self, vertex_from: Ints, face_from: Ints) -> bool:
        """Return whether vertices, edges and polygons are those that are stored."""
        old, mesh = self.old, self.mesh
        if not (
            same(old.corners, mesh.corners)
            and same(old.starts, mesh.starts)
            and len(old.positions) == len(mesh.positions)
            and _in_order(vertex_from, face_from)
        ):
            return False
        a, b = old.edges, mesh.edges
        if a is not None and b is not None and not same(a.vertices, b.vertices):
            return False
        if np.all(self.stored.faces.alive):
            return True
        # What a new channel, or new normals, hold for a dead face is not known.
        return set(mesh.maps) <= set(old.maps) and (mesh.normals is None or self._same_normals())

    def _same_normals(self) -> bool:
        """Return whether explicit and computed normals are those that are stored."""
        old, mesh = self.old, self.mesh
        return (
            same(old.corners, mesh.corners)
            and same(old.starts, mesh.starts)
            and same(old.positions, mesh.positions)
            and same(old.smoothing, mesh.smoothing)
            and same_normals(old, mesh)
        )

    def keep(self) -> None:
        """Write what changed of a mesh whose vertices, edges and polygons are the same."""
        stored, mesh, old = self.stored, self.mesh, self.old
        vertices = records.Components(stored.vertices.flags.copy(), stored.vertices.values.copy())
        living = vertices.alive
        vertices.values[living] = mesh.positions
        count = len(mesh.positions)
        selected = _some(mesh.selection.vertices, count)
        if not same(_some(old.selection.vertices, count), selected):
            vertices.flags[living] = _set(vertices.flags[living], poly.SELECTED, selected)
        self.children.put(poly.VERTEX_CHUNK, ragged.encode_vertices(vertices))
        self._put_faces(self._kept_faces(), None)
        self.edges.keep()
        alive = stored.faces.alive
        self._put_maps(alive)
        self._put_vertex_weights(np.arange(count), living)
        self._put_level()
        self._put_normals()

    def renew(self, vertex_from: Ints, face_from: Ints) -> None:
        """Write a mesh with other vertices, edges or polygons, without what was dead."""
        stored, mesh = self.stored, self.mesh
        edges = edge_list(mesh)
        if np.any(edges.of_corner < 0):
            raise EditError(
                "the edges of the mesh are not those of its polygons",
                self.children.container.where,
                expected="an edge for each side, or None to number them anew",
            )
        living = stored.vertices.alive
        flags = remap(stored.vertices.flags[living], vertex_from, 0)
        flags = _set(flags, poly.SELECTED, _some(mesh.selection.vertices, len(flags)))
        vertices = records.Components(flags, mesh.positions)
        self.children.put(poly.VERTEX_CHUNK, ragged.encode_vertices(vertices))
        flags = remap(stored.faces.flags[stored.faces.alive], face_from, 0)
        flags = _set(flags, poly.SELECTED, _some(mesh.selection.polygons, len(flags)))
        self._put_faces(self._new_faces(flags), edges)
        self.edges.renew(edges, vertex_from)
        self._put_maps(None)
        self._put_vertex_weights(vertex_from, living)
        if self.children.find(_ADJACENCY) is not None:
            self.children.put(_ADJACENCY, adjacency_body(mesh, edges))
        self._put_level()
        self._put_normals()

    def _diagonals(self) -> npt.NDArray[np.uint32]:
        mesh = self.mesh
        pairs, sound = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
        if not np.all(sound):
            raise EditError(
                "the triangles of a polygon do not divide it",
                self.children.container.where,
                found=f"polygon {int(np.argmin(sound))}",
            )
        return pairs.astype(np.uint32)

    def _kept_faces(self) -> records.FaceRecords:
        """Return the records of polygons that are the same, dead ones included."""
        faces, mesh, old = self.stored.faces, self.mesh, self.old
        alive = faces.alive
        flags, materials = faces.flags.copy(), faces.materials.copy()
        smoothing = faces.smoothing.copy()
        selected = _some(mesh.selection.polygons, mesh.polygon_count)
        if not same(_some(old.selection.polygons, mesh.polygon_count), selected):
            flags[alive] = _set(flags[alive], poly.SELECTED, selected)
        materials[alive] = mesh.material_ids
        smoothing[alive] = mesh.smoothing
        pairs, present = faces.diagonals, faces.present
        if not same(old.triangles, mesh.triangles):
            full = np.maximum(faces.degrees - 3, 0)
            pairs = np.zeros((int(full.sum()), 2), np.uint32)
            at = np.cumsum(full) - full
            pairs[ragged_index(at[alive], full[alive])] = self._diagonals()
            present = present | np.where(full > 0, records.HAS_DIAGONALS, 0).astype(np.uint16)
        needed = records.present_bits(np.zeros_like(faces.degrees), flags, materials, smoothing)
        return records.FaceRecords(
            faces.degrees, faces.vertices, present | needed, flags, materials, smoothing, pairs
        )

    def _new_faces(self, flags: U32) -> records.FaceRecords:
        mesh = self.mesh
        degrees, materials = mesh.degrees.astype(np.int64), mesh.material_ids.astype(np.uint16)
        present = records.present_bits(degrees, flags, materials, mesh.smoothing)
        vertices, pairs = mesh.corners.astype(np.uint32), self._diagonals()
        return records.FaceRecords(
            degrees, vertices, present, flags, materials, mesh.smoothing, pairs
        )

    def _put_faces(self, faces: records.FaceRecords, edges: EdgeList | None) -> None:
        children, stored, mesh = self.children, self.stored, self.mesh
        if not self.early:
            children.put(poly.FACE_CHUNK, ragged.encode_faces(faces))
            return
        visible, selected = mesh.edge_visible, _some(mesh.selection.corners, len(mesh.corners))
        unchanged = edges is None and faces == stored.faces
        if unchanged and same(stored.visible, visible) and same(stored.selected, selected):
            return
        if not np.all(faces.alive):
            raise EditError("a mesh with dead faces in this form is read-only")
        children.put(poly.EARLY_FACE_COUNT, len(faces.degrees).to_bytes(4, "little"))
        for chunk_id in (poly.EARLY_FACE, poly.EARLY_FACE_BODY):
            children.remove(chunk_id)
        place = children.place(poly.EARLY_FACE)
        children.items[place:place] = [
            children.new(chunk_id, body, container=container)
            for chunk_id, body, container in early_face_records(
                faces, visible, selected, self.version, children.form
            )
        ]

    def _put_maps(self, alive: Bits | None) -> None:
        stored, mesh = self.stored, self.mesh
        degrees = mesh.degrees.astype(np.int64)

        def bodies(channel: int, mapping: MapChannel) -> dict[int, bytes]:
            lists = records.Lists(degrees, mapping.corners.astype(np.uint32))
            if alive is not None and channel in stored.maps:
                # The lists of dead faces stay.
                before = stored.maps[channel][1]
                at = np.cumsum(before.lengths) - before.lengths
                items = before.items.copy()
                items[ragged_index(at[alive], before.lengths[alive])] = lists.items
                lists = records.Lists(before.lengths, items)
            return {
                poly.MAP_VERTICES: floats_body(mapping.vertices),
                poly.MAP_FACES: ragged.encode_lists(lists),
            }

        put_maps(self.children, _GROUP, self.old.maps, mesh.maps, bodies, anew=alive is None)
        child = self.children.find(_MAP_SLOTS)
        slots = int.from_bytes(child.body, "little") if child is not None else _USUAL_SLOTS
        needed = max(mesh.maps, default=-1) + 1
        if needed > slots:
            self.children.put(_MAP_SLOTS, needed.to_bytes(4, "little"))

    def _put_vertex_weights(self, vertex_from: Ints, living: Bits) -> None:
        """Write soft selection; weights of vertices follow them."""
        old, new = self.old.selection.weights, self.mesh.selection.weights
        kept = _in_order(vertex_from) and len(vertex_from) == len(self.old.positions)
        if kept and same(old, new):
            return
        values = {
            slot: remap(weights.values[living], vertex_from, _NO_WEIGHT.get(slot, 0.0))
            for slot, weights in self.stored.weights[0].items()
            if len(weights.values) == len(living)
        }
        values.pop(poly.SOFT_SELECTION, None)
        if new is not None:
            values[poly.SOFT_SELECTION] = new
        if kept and not np.all(living):
            values = {
                slot: _spread(part, living, _NO_WEIGHT.get(slot, 0.0))
                for slot, part in values.items()
            }
        put_weights(self.children, _VERTEX_SLOTS, poly.VERTEX_WEIGHTS, values)

    def _put_level(self) -> None:
        if self.old.selection.level == self.mesh.selection.level:
            return
        levels = {name: number for number, name in poly.SELECTION_LEVELS.items()}
        level = levels.get(self.mesh.selection.level)
        if level is None:
            raise EditError("no such selection level", found=self.mesh.selection.level)
        self.children.put(poly.LEVEL, level.to_bytes(4, "little"))

    def _put_normals(self) -> None:
        mesh, children = self.mesh, self.children
        if self._same_normals():
            return
        if mesh.normals is None or not np.any(mesh.normals.corners >= 0):
            children.remove(poly.NORMALS)
            return
        child = children.find(poly.NORMALS)
        before = None if child is None else child.body
        body = normals_body(mesh, before, self.version, children.form)
        children.put(poly.NORMALS, body, container=True)


def _spread(
    values: npt.NDArray[np.float32], living: Bits, default: float
) -> npt.NDArray[np.float32]:
    out = np.full(len(living), default, np.float32)
    out[living] = values
    return out
