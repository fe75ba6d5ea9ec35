"""Writing the edges of an Editable Poly, their weights, and which vertices they belong to."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import EdgeList, edge_list
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.stored import ragged_arrays as ragged
from maxsidecar.scene.geometry.stored import ragged_records as records
from maxsidecar.scene.geometry.stored import read_poly as poly
from maxsidecar.scene.geometry.stored.children import Children
from maxsidecar.scene.geometry.stored.read_poly import StoredPolygons
from maxsidecar.scene.geometry.stored.write_common import remap, same
from maxsidecar.scene.geometry.stored.write_weights import put_weights

__all__ = ["EdgeWriter", "adjacency_body"]

Bits: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]

_SLOTS: Final = 0x0240
#: What an edge weighs that nobody gave a weight: knot, crease.
_NO_WEIGHT: Final = {0: 1.0, poly.CREASE: 0.0}


class EdgeWriter:
    """Changes what the children of a container say of edges."""

    def __init__(
        self, children: Children, stored: StoredPolygons, old: Mesh, mesh: Mesh, *, early: bool
    ) -> None:
        """Look at the old and the new mesh; nothing is changed yet."""
        self.children = children
        self.stored = stored
        self.old = old
        self.mesh = mesh
        self.early = early

    def keep(self) -> None:
        """Write flags and creases of edges that are the same, dead ones included."""
        old, mesh, stored = self.old, self.mesh, self.stored.edges
        if old.edges is None:
            return
        edges = edge_list(old)
        alive = stored.alive
        flags = stored.flags.astype(np.uint32)
        marks = self._marks(mesh, edges) != self._marks(old, edges)
        for row, bit in enumerate((poly.SELECTED, poly.INVISIBLE)):
            changed = np.zeros(len(flags), bool)
            changed[alive] = marks[row]
            flags[changed] ^= np.uint32(bit)
        if np.any(marks):
            self._put(flags, stored.values, edges)
        if mesh.edges is None or same(old.edges.crease, mesh.edges.crease):
            return
        values = self._weights(np.arange(len(alive)), np.ones(len(alive), bool))
        crease = np.zeros(len(alive), np.float32)
        if mesh.edges.crease is not None:
            crease[alive] = mesh.edges.crease
        values[poly.CREASE] = crease
        put_weights(self.children, _SLOTS, poly.EDGE_WEIGHTS, values)

    def renew(self, edges: EdgeList, vertex_from: Ints) -> None:
        """Write other edges; flags and weights follow those that are still there."""
        mesh, stored = self.mesh, self.stored.edges
        edge_from = self._origins(edges, vertex_from)
        flags = remap(stored.flags[stored.alive].astype(np.uint32), edge_from, 0)
        for marks, bit in zip(
            self._marks(mesh, edges), (poly.SELECTED, poly.INVISIBLE), strict=True
        ):
            flags = np.where(marks, flags | np.uint32(bit), flags & ~np.uint32(bit))
        self._put(flags.astype(np.uint32), edges.vertices, edges)
        values = self._weights(edge_from, stored.alive)
        if mesh.edges is not None:
            values.pop(poly.CREASE, None)
            if mesh.edges.crease is not None:
                values[poly.CREASE] = mesh.edges.crease
        put_weights(self.children, _SLOTS, poly.EDGE_WEIGHTS, values)

    def _weights(self, edge_from: Ints, alive: Bits) -> dict[int, npt.NDArray[np.float32]]:
        return {
            slot: remap(weights.values[alive], edge_from, _NO_WEIGHT.get(slot, 0.0))
            for slot, weights in self.stored.weights[1].items()
            if len(weights.values) == len(alive)
        }

    def _marks(self, mesh: Mesh, edges: EdgeList) -> Bits:
        """Return which edges are selected, and which are not visible: (2, e)."""
        used = np.nonzero(edges.corners[:, 0] >= 0)[0]
        corner = edges.corners[used, 0]
        other = np.where(edges.corners[used, 1] >= 0, edges.corners[used, 1], corner)
        out = np.zeros((2, len(edges.vertices)), bool)
        chosen = mesh.selection.corners
        if chosen is not None:
            out[0, used] = chosen[corner] | chosen[other]
        out[1, used] = ~(mesh.edge_visible[corner] & mesh.edge_visible[other])
        return out

    def _origins(self, edges: EdgeList, vertex_from: Ints) -> Ints:
        """Return the number of the living stored edge that each edge was, -1 for none."""
        before = self.old.edges
        if before is None or not len(before.vertices):
            return np.full(len(edges.vertices), -1)
        count = max(1, len(self.old.positions))
        keys = _keys(before.vertices.astype(np.int64), count)
        ends = vertex_from[edges.vertices]
        wanted = _keys(ends, count)
        order = np.argsort(keys, kind="stable")
        place = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
        hit = np.all(ends >= 0, axis=1) & (keys[place] == wanted)
        return np.where(hit, place, -1)

    def _put(self, flags: U32, vertices: npt.NDArray[np.int32] | U32, edges: EdgeList) -> None:
        if not self.early:
            value = records.Components(flags, vertices.astype(np.uint32))
            self.children.put(poly.EDGE_CHUNK, ragged.encode_edges(value))
            return
        polygons = np.append(self.mesh.corner_polygons, np.int32(-1))
        rows = np.empty((len(flags), 6), "<i4")
        rows[:, 0] = flags.view(np.int32)
        rows[:, 1:3] = vertices
        rows[:, 3:5] = polygons[edges.corners]
        rows[:, 5] = -1
        self.children.put(poly.EARLY_EDGES, len(rows).to_bytes(4, "little") + rows.tobytes())


def _keys(pairs: Ints, count: int) -> Ints:
    out: Ints = pairs.min(axis=1) * count + pairs.max(axis=1)
    return out


def adjacency_body(mesh: Mesh, edges: EdgeList) -> bytes:
    """Return leaf 0310: for each vertex its edges, then its polygons, ascending."""
    count = len(mesh.positions)
    numbers = np.arange(len(edges.vertices), dtype=np.int64)
    of_edges = _pairs(edges.vertices.reshape(-1), np.repeat(numbers, 2), len(numbers))
    of_faces = _pairs(mesh.corners, mesh.corner_polygons, mesh.polygon_count)
    vertex = np.concatenate([2 * of_edges[0], 2 * of_faces[0] + 1])
    items = np.concatenate([of_edges[1], of_faces[1]])
    order = np.argsort(vertex, kind="stable")
    lengths = np.bincount(vertex, minlength=2 * count).astype(np.int64)
    return ragged.encode_lists(records.Lists(lengths, items[order].astype(np.uint32)))


def _pairs(
    vertices: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.int64] | npt.NDArray[np.int32],
    top: int,
) -> tuple[Ints, Ints]:
    """Return vertices with the numbers of what they belong to, each pair once, ascending."""
    keys = np.unique(vertices.astype(np.int64) * max(1, top) + numbers)
    return keys // max(1, top), keys % max(1, top)
