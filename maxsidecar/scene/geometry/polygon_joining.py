"""Which triangles become which polygon, and how holes are joined to the outline.

3ds Max takes hidden edges out one by one, in the order of their numbers: the polygon on the first
side of an edge stays, with its number, corners, material and smoothing groups, and the other one
goes (measured on a mesh of 2,064 triangles: later selections count on the numbers of two polygons
that were not made from their first triangles).  An edge that has the same polygon on both sides by
then stays where it leads to a hole, so that outline and hole are one ring; else it lies inside, and
goes with its vertex.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["join_triangles", "split_fans"]

Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]


def join_triangles(
    mesh: Mesh, twins: npt.NDArray[np.integer], joined: Bits, *, bridges: bool
) -> Ints:
    """Return for each triangle the one whose polygon it becomes part of.

    Args:
        mesh: A mesh of triangles.
        twins: Corners on the other side of its sides.
        joined: (c,) sides over which triangles are joined; those that join a hole to the outline
            are taken out, where they are wanted.
        bridges: Whether they are.
    """
    sides = np.nonzero(joined)[0]
    sides = sides[twins[sides] > sides]
    following = mesh.corners[mesh.next_corners]
    ends = np.stack([mesh.corners[sides], following[sides]], axis=1)
    outline = np.zeros(len(mesh.positions), np.bool_)
    outline[mesh.corners[~joined]] = True
    outline[following[~joined]] = True
    polygon = mesh.corner_polygons
    pairs = np.stack([polygon[sides], polygon[twins[sides]]], axis=1)
    labels, stay = _join(mesh.polygon_count, pairs, ends, outline)
    if bridges:
        joined[sides[stay]] = False
        joined[twins[sides[stay]]] = False
    return labels


def _join(
    count: int, pairs: npt.NDArray[np.integer], ends: npt.NDArray[np.integer], outline: Bits
) -> tuple[Ints, Bits]:
    """Join triangles over hidden edges.

    Args:
        count: Number of triangles.
        pairs: (e, 2) the triangles on the first and on the second side of each hidden edge, in the
            order of their numbers.
        ends: (e, 2) vertices of these edges.
        outline: (v,) vertices of edges that are not hidden.

    Returns:
        (count,) for each triangle the one whose polygon it became part of; (e,) edges that stay,
        because they join a hole to the outline.
    """
    labels = np.arange(count, dtype=np.int64)
    one, other = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    stay = np.zeros(len(one), np.bool_)
    uses = np.bincount(one, minlength=count) + np.bincount(other, minlength=count)
    # Two triangles on their own need no order.
    lone = (uses[one] == 1) & (uses[other] == 1)
    labels[other[lone]] = one[lone]
    rest = np.nonzero(~lone)[0]
    if not len(rest):
        return labels, stay
    parent = dict.fromkeys(np.concatenate([one[rest], other[rest]]).tolist(), -1)
    closing = []
    for edge, a, b in zip(rest.tolist(), one[rest].tolist(), other[rest].tolist(), strict=True):
        first, second = _find(parent, a), _find(parent, b)
        if first == second:
            closing.append(edge)
        else:
            parent[second] = first
    members = list(parent)
    labels[members] = [_find(parent, triangle) for triangle in members]
    if closing:
        chosen = np.array(closing, np.int64)
        stay[chosen] = _bridges(ends[chosen], outline)
    return labels, stay


def _find(parent: dict[int, int], triangle: int) -> int:
    """Return the triangle that stands for a polygon; the way there gets shorter."""
    while (above := parent[triangle]) >= 0:
        further = parent[above]
        if further >= 0:
            parent[triangle] = further
        triangle = above
    return triangle


def _bridges(ends: npt.NDArray[np.integer], outline: Bits) -> Bits:
    """Return which edges are left when those that end inside of a polygon are taken away."""
    at: dict[int, list[int]] = {}
    rows = ends.tolist()
    for edge, (a, b) in enumerate(rows):
        at.setdefault(a, []).append(edge)
        at.setdefault(b, []).append(edge)
    left = [True] * len(rows)
    degree = {vertex: len(edges) for vertex, edges in at.items()}
    inside = {vertex for vertex in at if not outline[vertex]}
    loose = [vertex for vertex in inside if degree[vertex] == 1]
    while loose:
        vertex = loose.pop()
        for edge in at[vertex]:
            if not left[edge]:
                continue
            left[edge] = False
            a, b = rows[edge]
            far = b if a == vertex else a
            degree[far] -= 1
            if far in inside and degree[far] == 1:
                loose.append(far)
    return np.array(left, np.bool_)


def split_fans(mesh: Mesh, twins: npt.NDArray[np.integer]) -> Mesh:
    """Give vertices where several fans of triangles meet one vertex more for each further fan.

    A polygon mesh of 3ds Max has one fan at each vertex; the new vertices come behind all others
    (measured on the same mesh: eight vertices have two fans, and the first operation counts eight
    more than there are).

    Args:
        mesh: A mesh of triangles.
        twins: Corners on the other side of its sides.
    """
    fan = _fans(mesh, twins)
    heads = np.nonzero(fan == np.arange(len(fan)))[0]
    at = mesh.corners[heads]
    if not np.any(np.bincount(at) > 1):
        return mesh
    first = np.full(len(fan), len(fan), np.int64)  # the lowest corner of each fan
    np.minimum.at(first, fan, np.arange(len(fan)))
    order = heads[np.lexsort((first[heads], at))]
    vertices = mesh.corners[order]
    further = np.append(False, vertices[1:] == vertices[:-1])
    count = len(mesh.positions)
    number = np.full(len(fan), -1, np.int64)
    number[order[further]] = count + np.arange(np.count_nonzero(further))
    corners = np.where(number[fan] >= 0, number[fan], mesh.corners).astype(np.int32)
    source = np.append(np.arange(count), vertices[further])
    old = mesh.selection
    selection = replace(
        old,
        vertices=None if old.vertices is None else old.vertices[source],
        weights=None if old.weights is None else old.weights[source],
    )
    return replace(mesh, positions=mesh.positions[source], corners=corners, selection=selection)


def _fans(mesh: Mesh, twins: npt.NDArray[np.integer]) -> Ints:
    """Return for each corner one of the corners of its fan, the same for all of them."""
    place = np.arange(len(twins), dtype=np.int64)
    # Around the vertex, to the corner of the next triangle; the last of an open fan stays.
    step = np.where(twins >= 0, mesh.next_corners[twins], place).astype(np.int64)
    lowest, jump = place, step
    for _ in range(int(np.bincount(mesh.corners).max(initial=1)).bit_length()):
        lowest, jump = np.minimum(lowest, lowest[jump]), jump[jump]
    out: Ints = np.where(step[jump] == jump, jump, lowest)
    return out
