"""Edit Poly: operations that add and take away faces: delete, extrude, inset, detach, attach."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.stored.read_poly import read_poly
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import NEW_MAPS, Faces, PolyWork
from maxsidecar.scene.modifiers.face_sets import components

__all__: list[str] = []

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_ATTACHED: Final = 0x0E00
_GROUP, _LOCAL_NORMALS, _BY_POLYGON = 0, 1, 2


def _delete(work: PolyWork, gone: Bits, op: Operation) -> None:
    before = work.faces.corners
    work.faces = work.faces.take(~gone)
    work.slots, work.dead = None, 0
    work.finish(before if op.integer(26) else None)


@operation(11)
def delete_face(work: PolyWork, op: Operation) -> None:
    """Take faces away."""
    _delete(work, op.chosen(len(work.faces.degrees), "faces"), op)


@operation(10)
def delete_vertex(work: PolyWork, op: Operation) -> None:
    """Take vertices away, with the faces around them."""
    chosen = op.chosen(len(work.positions), "vertices")
    gone = np.zeros(len(work.faces.degrees), np.bool_)
    gone[work.faces.owner[chosen[work.faces.corners]]] = True
    _delete(work, gone, op)


@operation(54)
def delete_edge(work: PolyWork, op: Operation) -> None:
    """Take edges away, with the faces on both sides."""
    chosen = op.chosen_edges(work)
    gone = np.zeros(len(work.faces.degrees), np.bool_)
    gone[work.faces.owner[chosen[work.faces.sides]]] = True
    _delete(work, gone, op)


def normals(work: PolyWork, faces: Faces) -> F64:
    """Return the normals of faces, (p, 3), of twice the length of their areas."""
    points = work.positions.astype(np.float64)[faces.corners]
    crosses = np.cross(points, points[faces.following])
    out = np.zeros((len(faces.degrees), 3))
    np.add.at(out, faces.owner, crosses)
    return out


def unit(vectors: F64) -> F64:
    """Return vectors with length 1; 0 for those that have none."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    out: F64 = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return out


def _clusters(work: PolyWork, chosen: Bits, *, apart: bool) -> tuple[Ints, Bits]:
    """Return the cluster of each face, and which corners have their side on a border of one."""
    faces = work.faces
    owner, twins = faces.owner, work.twins()
    inside = chosen[owner]
    both = inside & (twins >= 0) & inside[twins]
    labels = np.arange(len(faces.degrees), dtype=np.int64)
    if not apart:
        labels = components(len(labels), owner[both], owner[twins[both]])
    inner = both & (labels[owner] == labels[owner[twins]])
    return labels, inside & ~inner


def _along_borders(faces: Faces, labels: Ints, sides: Ints, following: Ints) -> Ints:
    """Return the sides on borders of clusters in order.

    Clusters come by their first face; a border is followed from its edge with the lowest number.
    """
    label = labels[faces.owner[sides]]
    order = sides[np.lexsort((faces.sides[sides], label))].tolist()
    group = labels[faces.owner].tolist()
    corners, after = faces.corners.tolist(), following.tolist()
    at = {(group[side], corners[side]): side for side in order}
    out: dict[int, None] = {}
    for side in order:
        step: int | None = side
        while step is not None and step not in out:
            out[step] = None
            step = at.get((group[step], corners[after[step]]))
    return np.array(list(out), np.int64)


def raise_faces(work: PolyWork, chosen: Bits, *, apart: bool = False) -> tuple[Ints, Ints, Ints]:
    """Cut faces out, and join them to where they were by new faces (docs/format/edit-poly.md).

    Args:
        work: The mesh; the new faces have no extent yet.
        chosen: (p,) faces.
        apart: Whether each face is on its own; else those that share edges stay together.

    Returns:
        The new vertices, the old ones that they are from, and their clusters.
    """
    faces = work.faces
    labels, border = _clusters(work, chosen, apart=apart)
    owner, following = faces.owner, faces.following
    inside = chosen[owner]
    # A vertex is doubled for each cluster that has a border there.
    count = max(1, len(work.positions))
    keys = labels[owner] * count + faces.corners
    at_border = np.unique(np.concatenate([keys[border], keys[following[border]]]))
    rows = np.nonzero(inside & np.isin(keys, at_border))[0]
    used, number = np.unique(keys[rows], return_inverse=True)
    side = _along_borders(faces, labels, np.nonzero(border)[0], following)
    begins = np.searchsorted(used, keys[side])
    order = begins[np.sort(np.unique(begins, return_index=True)[1])]
    rank = np.empty(len(used), np.int64)
    rank[order] = np.arange(len(used))
    source = used[order] % count
    fresh = work.new_vertices(work.positions[source])
    corners = faces.corners.copy()
    corners[rows] = fresh[rank[number.reshape(-1)]]
    after = following[side]
    top, upright = work.new_edges(len(side), known=True), work.new_edges(len(fresh))
    base = len(work.positions) - len(fresh)
    quads = np.stack(
        [faces.corners[side], faces.corners[after], corners[after], corners[side]], axis=1
    )
    sides = np.stack(
        [faces.sides[side], upright[corners[after] - base], top, upright[corners[side] - base]],
        axis=1,
    )
    maps = {}
    for key, values in faces.maps.items():
        maps[key] = np.stack([values[side], values[after], values[after], values[side]], axis=1)
        work.notes[NEW_MAPS] = None
    of_side = owner[side]
    walls = Faces(
        np.full(len(side), 4, np.int64),
        quads.reshape(-1),
        sides.reshape(-1),
        np.ones(4 * len(side), np.bool_),
        {key: values.reshape(-1) for key, values in maps.items()},
        faces.materials[of_side],
        faces.smoothing[of_side],
        np.zeros((len(side), 2), np.int64),
    )
    inner_sides = faces.sides.copy()
    inner_sides[side] = top
    kept = replace(faces, corners=corners, sides=inner_sides)
    work.faces = Faces.joined([kept, walls])
    return fresh, source, used[order] // count


def finish_walls(work: PolyWork, count: int) -> None:
    """Divide the last faces by their shape, which they got in the meantime, and end."""
    first = len(work.faces.degrees) - count
    numbers = np.arange(len(work.faces.degrees))
    walls = work.cut_anew(work.faces.take(numbers[first:]))
    work.faces = Faces.joined([work.faces.take(numbers[:first]), walls])
    work.finish()


@operation(41)
def extrude_face(work: PolyWork, op: Operation) -> None:
    """Move faces along their normals, with new faces around them."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    height, kind = op.real(37), op.integer(36)
    if kind not in (_GROUP, _LOCAL_NORMALS, _BY_POLYGON):
        raise NotSupportedError(f"its type {kind} is not known")
    if not chosen.any():
        return
    before = len(work.faces.degrees)
    raise_faces(work, chosen, apart=kind == _BY_POLYGON)
    push_faces(work, np.nonzero(chosen)[0], height, kind)
    finish_walls(work, len(work.faces.degrees) - before)


def push_faces(work: PolyWork, numbers: Ints, height: float, kind: int) -> None:
    """Move faces that share no vertex with others along their normals."""
    faces = work.faces.take(numbers)
    normal = unit(normals(work, faces))
    count = len(work.positions)
    # Faces that share a vertex now are in the same cluster.
    labels = components(len(numbers) + count, faces.owner, faces.corners + len(numbers))[
        : len(numbers)
    ]
    _, cluster, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    way = np.zeros((count, 3))
    if kind == _LOCAL_NORMALS:
        np.add.at(way, faces.corners, normal[faces.owner])
        way = unit(way)
    else:
        mean = np.zeros((len(sizes), 3))
        np.add.at(mean, cluster.reshape(-1), normal)
        way[faces.corners] = unit(mean)[cluster.reshape(-1)][faces.owner]
    if np.any(sizes > 1):
        work.notes["no file proves which way faces are extruded together"] = None
    work.positions = (work.positions + height * way).astype(np.float32)


@operation(32)
def bevel(work: PolyWork, op: Operation) -> None:
    """Move faces along their normals, and make them smaller or larger, with new faces around."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    kind, height, outline = op.integer(38), op.real(39), op.real(40)
    if kind not in (_GROUP, _LOCAL_NORMALS, _BY_POLYGON):
        raise NotSupportedError(f"its type {kind} is not known")
    if not chosen.any():
        return
    before, numbers = len(work.faces.degrees), np.nonzero(chosen)[0]
    fresh, _, clusters = raise_faces(work, chosen, apart=kind == _BY_POLYGON)
    shrink(work, numbers, fresh, -outline)
    push_faces(work, numbers, height, kind)
    work.notes["no file proves where beveled faces go"] = None
    if len(np.unique(clusters)) < len(numbers):
        work.notes["no file proves how faces are beveled together"] = None
    finish_walls(work, len(work.faces.degrees) - before)


@operation(38)
def inset(work: PolyWork, op: Operation) -> None:
    """Make faces smaller in their plane, with new faces around them."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    kind, amount = op.integer(41), op.real(42)
    if kind not in (0, 1):
        raise NotSupportedError(f"its type {kind} is not known")
    if not chosen.any():
        return
    before = len(work.faces.degrees)
    fresh, _, clusters = raise_faces(work, chosen, apart=kind == 1)
    shrink(work, np.nonzero(chosen)[0], fresh, amount)
    if len(np.unique(clusters)) < int(chosen.sum()):
        work.notes["no file proves how faces are inset together"] = None
    finish_walls(work, len(work.faces.degrees) - before)


def shrink(work: PolyWork, numbers: Ints, fresh: Ints, amount: float) -> None:
    """Move the border of faces inwards, so that its sides are by an amount further in.

    Args:
        work: The mesh.
        numbers: Faces that share no vertex with others.
        fresh: Vertices on their border; the others stay.
        amount: How far.
    """
    faces = work.faces.take(numbers)
    normal = unit(normals(work, faces))[faces.owner]
    points = work.positions.astype(np.float64)
    following = faces.following
    along = unit(points[faces.corners[following]] - points[faces.corners])
    inwards = unit(np.cross(normal, along))
    # Only the outer sides move: each vertex has one that comes and one that goes.
    _, place, uses = np.unique(faces.sides, return_inverse=True, return_counts=True)
    outer = uses[place.reshape(-1)] == 1

    goes, comes = np.zeros((len(points), 3)), np.zeros((len(points), 3))
    np.add.at(goes, faces.corners[outer], inwards[outer])
    np.add.at(comes, faces.corners[following[outer]], inwards[outer])
    # The point that both lines, moved inwards, have in common.
    cosine = (goes[fresh] * comes[fresh]).sum(axis=1, keepdims=True)
    if np.any(cosine < -0.999):
        raise NotSupportedError("faces with corners without an angle")
    way = (goes[fresh] + comes[fresh]) / (1 + cosine)
    moved = work.positions.copy()
    moved[fresh] = (points[fresh] + amount * way).astype(np.float32)
    work.positions = moved


@operation(13)
def detach_face(work: PolyWork, op: Operation) -> None:
    """Give faces vertices of their own."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    if op.as_clone:
        raise NotSupportedError("it detaches a copy")
    if not chosen.any():
        return
    faces = work.faces
    inside = chosen[faces.owner]
    count = len(work.positions)
    shared = np.zeros(count, np.bool_)
    shared[faces.corners[~inside]] = True
    rows = np.nonzero(inside & shared[faces.corners])[0]
    source, number = np.unique(faces.corners[rows], return_inverse=True)
    fresh = work.new_vertices(work.positions[source])
    faces.corners[rows] = fresh[number.reshape(-1)]
    twins = work.twins()
    torn = np.nonzero(inside & (twins >= 0) & ~inside[twins])[0]
    faces.sides[torn] = work.new_edges(len(torn))
    work.finish()


@operation(58)
def attach(work: PolyWork, op: Operation) -> None:
    """Add the stored meshes."""
    if op.data is None:
        raise NotSupportedError("the mesh is not stored")
    for chunk in op.data.chunks():
        if chunk.id != _ATTACHED or not chunk.container:
            continue
        work.spend(len(work.faces.corners) + len(work.ends))
        other = PolyWork.of(read_poly(chunk))
        _attach(work, other)


def _attach(work: PolyWork, other: PolyWork) -> None:
    faces = other.faces
    vertex, edge = len(work.positions), len(work.ends)
    maps: dict[int, Ints] = {}
    for key in sorted({*work.maps, *other.maps}):
        if key not in work.maps:
            work.maps[key] = np.zeros((1, 3), np.float32)
            work.faces.maps[key] = np.zeros(len(work.faces.corners), np.int64)
        found: Any = other.maps.get(key)
        if found is None:
            zero = work.new_map_vertices(key, np.zeros((1, 3)))
            maps[key] = np.full(len(faces.corners), int(zero[0]), np.int64)
        else:
            numbers = work.new_map_vertices(key, found)
            maps[key] = numbers[faces.maps[key]]
    work.positions = np.concatenate([work.positions, other.positions])
    work.add_edges(other.ends + vertex)
    if work.crease is not None or other.crease is not None:
        one = np.zeros(edge, np.float32) if work.crease is None else work.crease
        two = np.zeros(len(other.ends), np.float32) if other.crease is None else other.crease
        work.crease = np.append(one, two)
    added = replace(faces, corners=faces.corners + vertex, sides=faces.sides + edge, maps=maps)
    work.faces = Faces.joined([work.faces, added])
