"""Edit Poly: MeshSmooth around the selected vertices (docs/format/edit-poly.md, section 4)."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import Faces, PolyWork

__all__: list[str] = []

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_SMOOTHNESS, _BY_SMOOTHING, _BY_MATERIAL = 16, 17, 18
_UNPROVED: Final = "no file proves the order of faces of a partial MeshSmooth"


@operation(27)
def mesh_smooth(work: PolyWork, op: Operation) -> None:
    """Divide the faces at selected vertices, and the edges that begin there."""
    chosen = op.chosen(len(work.positions), "vertices")
    if op.real(_SMOOTHNESS) != 1.0:
        raise NotSupportedError(f"its smoothness is {op.real(_SMOOTHNESS):g}")
    if op.integer(_BY_SMOOTHING) or op.integer(_BY_MATERIAL):
        raise NotSupportedError("it keeps smoothing groups or materials apart")
    if not chosen.any():
        return
    faces = work.faces
    owner = faces.owner
    touched = np.zeros(len(faces.degrees), np.bool_)
    touched[owner[chosen[faces.corners]]] = True
    split: Bits = chosen[work.ends[:, 0]] | chosen[work.ends[:, 1]]
    centres, middles = _new_vertices(work, chosen, touched, split)
    rows = np.nonzero(touched[owner])[0]
    pieces = _Pieces(work, rows, faces.previous, chosen[faces.corners], split)
    new = pieces.build(centres, middles)
    count = len(faces.degrees)
    kept = np.nonzero(~touched)[0]
    slots = work.slots if work.slots is not None else np.arange(count, dtype=np.int64)
    total = count + work.dead
    work.faces = Faces.joined([faces.take(kept), work.cut_anew(new)])
    # Faces that were divided stay as dead ones until something takes them out.
    work.slots = np.append(slots[kept], total + np.arange(len(new.degrees)))
    work.dead += int(touched.sum())
    work.notes[_UNPROVED] = None
    work.finish()
    work.number_edges()


def _new_vertices(work: PolyWork, chosen: Bits, touched: Bits, split: Bits) -> tuple[Ints, Ints]:
    """Add a vertex for each divided face, then for each divided edge; move the selected ones.

    Returns:
        (p,) vertex of each face and (e,) of each edge, -1 for none.
    """
    faces, points = work.faces, work.positions.astype(np.float64)
    owner = faces.owner
    sums = np.zeros((len(faces.degrees), 3))
    np.add.at(sums, owner, points[faces.corners])
    centre = sums / np.maximum(faces.degrees, 1)[:, None]
    ends = points[work.ends]
    around, uses = np.zeros((len(ends), 3)), np.zeros(len(ends))
    np.add.at(around, faces.sides, centre[owner])
    np.add.at(uses, faces.sides, 1)
    middle = ends.mean(axis=1)
    inner = (uses == 2)[:, None]
    middle = np.where(inner, (ends.sum(axis=1) + around) / 4, middle)
    moved = work.positions.copy()
    moved[chosen] = _moved(work, points, centre, uses)[chosen]
    work.positions = moved
    centres = np.full(len(touched), -1, np.int64)
    centres[touched] = work.new_vertices(centre[touched])
    middles = np.full(len(split), -1, np.int64)
    middles[split] = work.new_vertices(middle[split])
    return centres, middles


def _moved(work: PolyWork, points: F64, centre: F64, uses: npt.NDArray[np.float64]) -> F64:
    """Return where all vertices would go: the rule of Catmull and Clark."""
    faces, count = work.faces, len(points)
    mean, valence = np.zeros((count, 3)), np.zeros(count)
    np.add.at(mean, faces.corners, centre[faces.owner])
    np.add.at(valence, faces.corners, 1)
    rim = uses != 2
    halves, edges = np.zeros((count, 3)), np.zeros(count)
    outer, outers = np.zeros((count, 3)), np.zeros(count)
    middle = points[work.ends].mean(axis=1)
    for end in (0, 1):
        np.add.at(halves, work.ends[:, end], middle)
        np.add.at(edges, work.ends[:, end], 1)
        np.add.at(outer, work.ends[rim, end], middle[rim])
        np.add.at(outers, work.ends[rim, end], 1)
    n = np.maximum(valence, 1)[:, None]
    inside = (mean / n + 2 * halves / np.maximum(edges, 1)[:, None] + (n - 3) * points) / n
    at_rim = points / 2 + outer / 4
    out: F64 = np.where((outers == 2)[:, None], at_rim, inside)
    return np.where((outers > 0)[:, None] & (outers != 2)[:, None], points, out)


class _Pieces:
    """What divided faces become: quads at selected corners, triangles at the others.

    Args:
        work: The mesh; its new vertices are there already.
        rows: Corners of the divided faces.
        previous: (c,) corner before each.
        selected: (c,) whether its vertex is selected.
        split: (e,) divided edges.
    """

    def __init__(
        self, work: PolyWork, rows: Ints, previous: Ints, selected: Bits, split: Bits
    ) -> None:
        faces = work.faces
        self.work, self.faces, self.previous = work, faces, previous
        out, back = split[faces.sides], split[faces.sides[previous]]
        groups = [
            rows[selected[rows]],
            rows[~selected[rows] & back[rows]],
            rows[~selected[rows] & out[rows]],
            rows[~out[rows]],
        ]
        self.rows = np.concatenate(groups)
        self.kinds = np.repeat(np.arange(4), [len(group) for group in groups])
        order = np.lexsort((self.kinds, self.rows))
        self.rows, self.kinds = self.rows[order], self.kinds[order]
        edges = np.nonzero(split)[0]
        self.second = np.full(len(split), -1, np.int64)
        self.second[edges] = work.new_edges(len(edges))
        # From the middle of the face to those of its sides, and to corners that stay.
        self.to_side = np.full(len(faces.corners), -1, np.int64)
        sides = rows[out[rows]]
        self.to_side[sides] = work.new_edges(len(sides))
        self.to_corner = np.full(len(faces.corners), -1, np.int64)
        corners = rows[~selected[rows]]
        self.to_corner[corners] = work.new_edges(len(corners))

    def _half(self, edges: Ints, vertices: Ints) -> Ints:
        out: Ints = np.where(self.work.ends[edges, 0] == vertices, edges, self.second[edges])
        return out

    def build(self, centres: Ints, middles: Ints) -> Faces:
        """Return the new faces."""
        faces, rows = self.faces, self.rows
        before, after = self.previous[rows], faces.following[rows]
        owner = faces.owner[rows]
        vertex, side, back = faces.corners[rows], faces.sides[rows], faces.sides[before]
        own, other = self._half(side, vertex), self._half(back, vertex)
        to_side, to_back = self.to_side[rows], self.to_side[before]
        spoke = self.to_corner[rows]
        none = np.full(len(rows), -1, np.int64)
        corners = self._choose(
            [vertex, middles[side], centres[owner], middles[back]],
            [middles[back], vertex, centres[owner], none],
            [vertex, middles[side], centres[owner], none],
            [vertex, faces.corners[after], centres[owner], none],
        )
        edges = self._choose(
            [own, to_side, to_back, other],
            [other, spoke, to_back, none],
            [own, to_side, spoke, none],
            [side, self.to_corner[after], spoke, none],
        )
        used = corners >= 0
        maps = {}
        for key, values in faces.maps.items():
            maps[key] = self._map(key, values, before, after)[used]
        return Faces(
            used.sum(axis=1),
            corners[used],
            edges[used],
            np.ones(int(used.sum()), np.bool_),
            maps,
            faces.materials[owner],
            faces.smoothing[owner],
            np.zeros((0, 2), np.int64),
        )

    def _choose(self, *forms: list[Ints]) -> Ints:
        """Return (n, 4) numbers, for each piece those of its kind."""
        table = np.stack([np.stack(form, axis=1) for form in forms])
        out: Ints = table[self.kinds, np.arange(len(self.kinds))]
        return out

    def _map(self, key: int, values: Ints, before: Ints, after: Ints) -> Ints:
        faces, work, rows = self.faces, self.work, self.rows
        vertices = work.maps[key].astype(np.float64)
        corner = vertices[values]
        sums = np.zeros((len(faces.degrees), 3))
        np.add.at(sums, faces.owner, corner)
        centre = work.new_map_vertices(key, sums / np.maximum(faces.degrees, 1)[:, None])
        middle = work.new_map_vertices(key, (corner + corner[faces.following]) / 2)
        own, mid, last = values[rows], middle[rows], middle[before]
        centres, none = centre[faces.owner[rows]], np.full(len(rows), -1, np.int64)
        return self._choose(
            [own, mid, centres, last],
            [last, own, centres, none],
            [own, mid, centres, none],
            [own, values[after], centres, none],
        )
