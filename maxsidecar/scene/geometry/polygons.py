"""Triangle meshes to polygon meshes and back, as 3ds Max turns one into the other.

A hidden edge of a triangle mesh is the inside of a polygon: polygons are what is left when all
edges that are hidden on both sides are taken out.  (docs/format/mesh.md, section 7: the polygon
starts with the first corner of its first triangle, and each further corner stands where its
triangle was joined; boxes, planes, spheres and cylinders of the corpus agree.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Edges, ExplicitNormals, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.polygon_joining import join_triangles, split_fans
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.triangulate import (
    default_diagonals,
    distinct_degrees,
    ear_diagonals,
    triangulate,
)

__all__ = ["polygon_mesh", "take_corners", "to_polygons", "to_triangles"]

I32: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_LEAST_SIDES: Final = 3
#: Triangles around a vertex that are looked through one by one.
_USUAL_VALENCE: Final = 32


def take_corners(mesh: Mesh, corners: npt.NDArray[Any]) -> dict[str, Any]:
    """Return what belongs to corners for a choice of them: map channels and explicit normals.

    Args:
        mesh: The mesh.
        corners: (n,) numbers of corners, in the order of the new mesh.

    Returns:
        ``maps`` and ``normals`` of the new mesh.
    """
    maps = {
        number: MapChannel(channel.vertices, channel.corners[corners])
        for number, channel in mesh.maps.items()
    }
    normals = mesh.normals
    if normals is not None:
        normals = ExplicitNormals(normals.vectors, normals.corners[corners])
    return {"maps": maps, "normals": normals}


def polygon_mesh(
    positions: npt.ArrayLike,
    corners: npt.ArrayLike,
    starts: npt.ArrayLike,
    *,
    diagonals: npt.ArrayLike | None = None,
    material_ids: npt.ArrayLike | int = 0,
    smoothing: npt.ArrayLike | int = 0,
    maps: dict[int, MapChannel] | None = None,
    edges: Edges | None = None,
    edge_visible: npt.ArrayLike | None = None,
    normals: ExplicitNormals | None = None,
    selection: Selection | None = None,
) -> Mesh:
    """Return a polygon mesh; its triangles come from the diagonals.

    Args:
        positions: (v, 3).
        corners: (c,) vertex of each corner, polygon after polygon.
        starts: (p + 1,) first corner of each polygon, and ``c`` at the end.
        diagonals: (d, 2) local corners, see :func:`~.triangulate.triangulate`; ``None`` to choose
            them by shape.
        material_ids: (p,) or one number for all.
        smoothing: (p,) or one number for all.
        maps: Map channels.
        edges: Edge list; ``None`` for edges in the order of the polygons.
        edge_visible: (c,) bool; ``None`` for all visible.
        normals: Explicit normals.
        selection: What is selected.
    """
    points = np.ascontiguousarray(positions, np.float32).reshape(-1, 3)
    corner = np.ascontiguousarray(corners, np.int32)
    start = np.ascontiguousarray(starts, np.int32)
    count = len(start) - 1
    if diagonals is None:
        diagonals = default_diagonals(points, corner, start)
    triangles, polygons, _ = triangulate(start, np.asarray(diagonals))
    mesh = Mesh(
        positions=points,
        corners=corner,
        starts=start,
        material_ids=np.broadcast_to(np.asarray(material_ids, np.int32), (count,)).copy(),
        smoothing=np.broadcast_to(np.asarray(smoothing, np.uint32), (count,)).copy(),
        edge_visible=np.ones(len(corner), bool)
        if edge_visible is None
        else np.asarray(edge_visible, bool),
        triangles=triangles,
        triangle_polygons=polygons,
        maps=dict(maps or {}),
        normals=normals,
        edges=edges,
        selection=selection or Selection(),
        is_polygons=True,
    )
    if edges is None:
        mesh.edges = Edges(edge_list(mesh).vertices)
    return mesh


def to_triangles(mesh: Mesh) -> Mesh:
    """Return the mesh as triangles; the edges between the triangles of a polygon are hidden.

    A mesh of triangles is returned as it is.
    """
    if not mesh.is_polygons and np.all(mesh.degrees == 3):
        return mesh
    corners = mesh.triangles.reshape(-1)
    count = len(mesh.triangles)
    following = np.roll(mesh.triangles, -1, axis=1).reshape(-1)
    is_side = mesh.next_corners[corners] == following
    polygons = mesh.triangle_polygons
    selection = mesh.selection
    return replace(
        mesh,
        corners=mesh.corners[corners],
        starts=np.arange(0, 3 * count + 1, 3, dtype=np.int32),
        material_ids=mesh.material_ids[polygons],
        smoothing=mesh.smoothing[polygons],
        edge_visible=is_side & mesh.edge_visible[corners],
        triangles=np.arange(3 * count, dtype=np.int32).reshape(-1, 3),
        triangle_polygons=np.arange(count, dtype=np.int32),
        edges=None,
        selection=replace(
            selection,
            polygons=None if selection.polygons is None else selection.polygons[polygons],
            corners=None if selection.corners is None else is_side & selection.corners[corners],
        ),
        is_polygons=False,
        **take_corners(mesh, corners),
    )


def to_polygons(mesh: Mesh, *, across_seams: bool = True) -> Mesh:
    """Return the mesh as polygons: triangles are joined over edges hidden on both sides.

    Vertices where surfaces meet in a point are one for each surface (:mod:`.polygon_joining`).
    Vertices that lie inside of polygons go.  A hole is joined to the outline by an edge that the
    ring of the polygon follows both ways.  Other sets of triangles that are no disc stay
    triangles.  A mesh of polygons is returned as it is.

    Args:
        mesh: The mesh.
        across_seams: Whether triangles whose map vertices differ along the edge are joined, too,
            as 3ds Max does; where a corner had two map vertices, that of the triangle whose side
            begins there stays.  Without it, sets with holes stay triangles,
            and vertices stay as they are.
    """
    if mesh.is_polygons:
        return mesh
    twins = twin_corners(mesh)
    if across_seams:
        mesh = split_fans(mesh, twins)
    joined = _joined(mesh, twins, across_seams)
    labels = join_triangles(mesh, twins, joined, bridges=across_seams)
    labels, first, ring, starts = _rings(mesh, twins, joined, labels)
    visible = mesh.edge_visible | ((twins >= 0) & mesh.edge_visible[twins])
    out = replace(
        mesh,
        corners=mesh.corners[ring],
        starts=starts.astype(np.int32),
        material_ids=mesh.material_ids[first],
        smoothing=mesh.smoothing[first],
        edge_visible=visible[ring],
        triangles=np.zeros((0, 3), np.int32),
        triangle_polygons=np.zeros(0, np.int32),
        edges=None,
        selection=_selection(mesh, ring, first),
        is_polygons=True,
        **take_corners(mesh, ring),
    )
    diagonals = _kept_diagonals(mesh, out, ring, first, joined, twins, labels)
    out.triangles, out.triangle_polygons, _ = triangulate(starts, diagonals)
    # Edges are numbered before any is taken out.
    edges = edge_list(mesh, twins)
    vertices = edges.vertices[~joined[edges.corners[:, 0]]]
    out.edges = Edges(vertices)
    _drop_inner(mesh, out)
    return out


def _drop_inner(mesh: Mesh, out: Mesh) -> None:
    """Take out vertices that triangles used, and polygons do not."""
    gone = np.zeros(len(mesh.positions), bool)
    gone[mesh.corners] = True
    gone[out.corners] = False
    if not np.any(gone):
        return
    stay = ~gone
    out.positions = mesh.positions[stay]
    number = np.cumsum(stay, dtype=np.int32) - 1
    out.corners = number[out.corners].astype(np.int32)
    if out.edges is not None:
        out.edges = Edges(number[out.edges.vertices].astype(np.int32))
    old = out.selection
    out.selection = replace(
        old,
        vertices=None if old.vertices is None else old.vertices[stay],
        weights=None if old.weights is None else old.weights[stay],
    )


def _selection(mesh: Mesh, ring: Ints, first: Ints) -> Selection:
    old = mesh.selection
    return replace(
        old,
        polygons=None if old.polygons is None else old.polygons[first],
        corners=None if old.corners is None else old.corners[ring],
    )


def _joined(mesh: Mesh, twins: I32, across_seams: bool) -> Bits:
    """Return for each corner whether its side lies inside a polygon."""
    hidden = ~mesh.edge_visible
    inside: Bits = hidden & (twins >= 0) & hidden[twins]
    polygon = mesh.corner_polygons
    inside &= polygon != polygon[twins]
    if not across_seams:
        following = mesh.next_corners
        for channel in mesh.maps.values():
            number = channel.corners
            inside &= (number == number[following[twins]]) & (number[following] == number[twins])
    return inside


def _rings(mesh: Mesh, twins: I32, joined: Bits, labels: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the labels, the first triangle, the corners, and the starts of the polygons.

    The corners are corners of the triangles whose sides are the sides of the polygons.  What
    cannot be joined is taken out of ``joined``.
    """
    count = mesh.polygon_count
    following = mesh.next_corners.astype(np.int64)
    while True:
        outside = np.nonzero(~joined)[0]
        after = np.arange(len(joined), dtype=np.int64)
        after[outside] = _around(following[outside], following, twins, joined)
        cycle, place = _cycles(after, outside)
        # A polygon has one ring of three sides at least; other sets of triangles are left alone.
        label = labels[mesh.corner_polygons]
        rings = np.zeros(count, np.int64)
        heads = outside[cycle[outside] == outside]
        np.add.at(rings, label[heads], 1)
        sides = np.bincount(label[outside], minlength=count)
        wrong = (rings != 1) | (sides < _LEAST_SIDES)
        bad = wrong[label] & joined
        if not np.any(bad):
            break
        joined[bad] = False
        labels = np.where(wrong[labels], np.arange(count), labels)
    first = np.nonzero(labels == np.arange(count))[0]
    # Where the ring begins: at corner 0 of the first triangle, else at its corner 1 or 2, else at
    # its side with the lowest number.
    begin = np.zeros(count, np.int64)
    begin[label[heads]] = heads
    for corner in (2, 1, 0):
        own = mesh.starts[first].astype(np.int64) + corner
        place_of = _around(own, following, twins, joined)
        # Around a vertex inside of a polygon there is no end.
        begin[first] = np.where(joined[place_of], begin[first], place_of)
    return labels, first, *_ordered(cycle, place, outside, begin[first])


def _around(sides: Ints, following: Ints, twins: I32, joined: Bits) -> Ints:
    """Return the first side of a polygon around the vertex where each of some sides begins.

    A side whose vertex has none comes back as some side that is joined.
    """
    sides = sides.copy()
    active = np.nonzero(joined[sides])[0]
    origin = sides[active]
    for _ in range(_USUAL_VALENCE):
        if not len(active):
            return sides
        sides[active] = following[twins[sides[active]]]
        # Back where it began: the vertex lies inside.
        going = joined[sides[active]] & (sides[active] != origin)
        active, origin = active[going], origin[going]
    # Vertices of very many triangles: so many steps at once that every end is reached.
    turn = np.where(joined, following[twins], np.arange(len(joined)))
    for _ in range(len(joined).bit_length()):
        turn = turn[turn]
    sides[active] = turn[sides[active]]
    return sides


def _cycles(after: Ints, outside: Ints) -> tuple[Ints, Ints]:
    """Return the lowest side of the ring of each side in ``outside``, and the steps to there."""
    size = len(after)
    lowest = np.arange(size, dtype=np.int64)
    jump = np.arange(size, dtype=np.int64)
    jump[outside] = after[outside]
    while True:
        least = np.minimum(lowest, lowest[jump])
        if np.array_equal(least, lowest):
            break
        lowest, jump = least, jump[jump]
    # Steps to the lowest side, by doubling: it leads to itself in none.
    head = lowest[outside] == outside
    jump = np.arange(size, dtype=np.int64)
    jump[outside] = after[outside]
    steps = np.zeros(size, np.int64)
    steps[outside] = 1
    heads = outside[head]
    jump[heads] = heads
    steps[heads] = 0
    while True:
        further = steps + steps[jump]
        if np.array_equal(further, steps):
            return lowest, steps
        steps, jump = further, jump[jump]


def _ordered(cycle: Ints, steps: Ints, outside: Ints, begin: Ints) -> tuple[Ints, Ints]:
    """Return the sides ring after ring, each from where it begins, and the starts."""
    number = np.full(len(cycle), -1, np.int64)
    number[cycle[begin]] = np.arange(len(begin))
    ring = number[cycle[outside]]
    lengths = np.bincount(ring, minlength=len(begin))
    starts = np.append(0, np.cumsum(lengths))
    # A side that is k steps in front of the lowest one comes k places before it.
    length = lengths[ring]
    place = (steps[begin][ring] - steps[outside]) % length
    out = np.empty(len(outside), np.int64)
    out[starts[ring] + place] = outside
    return out, starts


def _kept_diagonals(
    mesh: Mesh, out: Mesh, ring: Ints, first: Ints, joined: Bits, twins: I32, labels: Ints
) -> I32:
    """Return diagonals that divide each polygon into the triangles that it was made of.

    Polygons that lost a vertex are divided anew.
    """
    degrees = out.degrees.astype(np.int64)
    counts = np.maximum(degrees - 3, 0)
    at = np.cumsum(counts) - counts
    place = np.full(len(mesh.corners), -1, np.int64)
    place[ring] = np.arange(len(ring)) - np.repeat(out.starts[:-1].astype(np.int64), degrees)
    following = mesh.next_corners.astype(np.int64)
    # Local corner of each corner of the triangles: that of the side it finds around its vertex.
    side = _around(np.arange(len(joined)), following, twins, joined)
    local = place[side]
    owner = np.full(mesh.polygon_count, -1, np.int64)
    owner[first] = np.arange(len(first))
    polygon = owner[labels]
    order = np.argsort(polygon, kind="stable")
    sizes = np.bincount(polygon, minlength=len(first))
    begins = np.cumsum(sizes) - sizes
    triples = np.sort(local.reshape(-1, 3), axis=1)[order]
    done = degrees <= 3
    diagonals = np.zeros((int(counts.sum()), 2), np.int32)
    for degree in distinct_degrees(degrees[~done]):
        chosen = np.nonzero((degrees == degree) & (sizes == degree - 2))[0]
        if not len(chosen):
            continue
        rows = triples[begins[chosen][:, None] + np.arange(degree - 2)]
        pairs, fits = ear_diagonals(rows, int(degree))
        chosen = chosen[fits]
        diagonals[at[chosen][:, None] + np.arange(degree - 3)] = pairs[fits]
        done[chosen] = True
    if not np.all(done):
        anew = np.nonzero(~done)[0]
        kept = ragged_index(out.starts[anew].astype(np.int64), degrees[anew])
        own = default_diagonals(
            out.positions, out.corners[kept], np.append(0, np.cumsum(degrees[anew]))
        )
        diagonals[ragged_index(at[anew], counts[anew])] = own
    return diagonals
