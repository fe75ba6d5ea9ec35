"""Boolean compound objects, computed: the file stores operands and their places, but no result.

(notes/primitives-modifiers 5: operations and placement are verified on a game export of seven
nested Booleans; the order of vertices and the triangles of 3ds Max's own result are not known.)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.primitives.topology import Maps
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.transform import Pose

__all__ = ["BOOLEAN", "boolean", "combine"]

BOOLEAN: Final = (0x51DB4F2F, 0x1C596B1A)

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

#: Reference slots: operands, and where each of them stands.
_OPERANDS: Final = (0, 1)
_PLACES: Final = (2, 3)
UNION, INTERSECTION, A_MINUS_B, B_MINUS_A = range(4)
#: Cosine above which two triangles are in one plane.
_FLAT: Final = 0.99999
#: Distance from a plane, as a share of the size, and of map coordinates, that counts as none.
_NEAR: Final = 1e-6
_NEAR_MAP: Final = 1e-4


@generator(BOOLEAN)
def boolean(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the computed result of a Boolean."""
    operation = int(Values(obj, call).number("operation"))
    if operation not in range(4):
        raise NotSupportedError(f"its operation {operation} is not known")
    operands = [_operand(obj, slot, call) for slot in _OPERANDS]
    result = combine(operands[0], operands[1], operation)
    call.approximate("computed: the file stores no result, and 3ds Max orders vertices otherwise")
    return result


def _operand(obj: SceneObject, slot: int, call: GeneratorCall) -> Mesh:
    """Return an operand in the space of the result."""
    name = "AB"[slot]
    below = obj.reference(slot)
    if below is None:
        raise NotSupportedError(f"its operand {name} is missing")
    evaluation = call.evaluator.object(below)
    call.evaluation.skipped.extend(evaluation.skipped)
    mesh = evaluation.mesh
    if mesh is None:
        raise NotSupportedError(f"its operand {name} has no surface")
    controller = obj.reference(_PLACES[slot])
    if not isinstance(controller, Controller):
        return to_triangles(mesh)
    matrix = Pose(obj.scene, call.time).controller_matrix(controller).reshape(-1, 4, 4)[0]
    with np.errstate(all="ignore"):
        moved = mesh.positions.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
    if not np.isfinite(moved).all():
        raise NotSupportedError(f"its operand {name} stands nowhere")
    mesh = to_triangles(mesh.with_positions(moved.astype(np.float32)))
    return _mirrored(mesh) if np.linalg.det(matrix[:3, :3]) < 0.0 else mesh


def _mirrored(mesh: Mesh) -> Mesh:
    """Return a mesh of triangles with the corners of each face the other way around."""
    order = np.arange(len(mesh.corners)).reshape(-1, 3)[:, [0, 2, 1]].reshape(-1)
    maps = {n: MapChannel(c.vertices, c.corners[order]) for n, c in mesh.maps.items()}
    faces = mesh.corners[order].reshape(-1, 3)
    flags = mesh.edge_visible.reshape(-1, 3)[:, ::-1] @ np.array([1, 2, 4])
    return Mesh.of_triangles(
        mesh.positions,
        faces,
        smoothing=mesh.smoothing,
        material_ids=mesh.material_ids,
        edge_flags=flags,
        maps={n: (c.vertices, c.corners.reshape(-1, 3)) for n, c in maps.items()},
    )


def combine(a: Mesh, b: Mesh, operation: int) -> Mesh:
    """Return the union, intersection or difference of two closed meshes of triangles.

    Faces keep smoothing groups, material ids and map coordinates of the operand that they come
    from; a map channel that only one operand has is 0 on the other.

    Args:
        a: First operand.
        b: Second operand.
        operation: 0 union, 1 intersection, 2 A - B, 3 B - A.

    Raises:
        NotSupportedError: An operand is not closed, or the package ``manifold3d`` is missing.
    """
    try:
        library: Any = import_module("manifold3d")
    except ImportError as error:
        raise NotSupportedError("it is computed by the package 'manifold3d'") from error
    check_triangles(len(a.triangles) + len(b.triangles))
    operands = (a, b)
    mark = int(library.Manifold.reserve_ids(2))
    first, second = (_solid(library, mesh, mark + k, "AB"[k]) for k, mesh in enumerate(operands))
    if operation == UNION:
        made = first + second
    elif operation == INTERSECTION:
        made = first ^ second
    elif operation == A_MINUS_B:
        made = first - second
    else:
        made = second - first
    found = made.to_mesh64()
    positions = np.array(found.vert_properties, np.float64)[:, :3]
    faces = np.array(found.tri_verts, np.int64).reshape(-1, 3)
    owner, source = _sources(found, mark)
    return _result(operands, positions, faces, owner, source)


def _solid(library: Any, mesh: Mesh, mark: int, name: str) -> Any:
    """Return an operand as a solid that remembers its triangles, under a mark of its own."""
    # Vertices at the same place are one; boxes that were cut and welded come that way.
    places, number = np.unique(mesh.positions.astype(np.float64), axis=0, return_inverse=True)
    faces = number.reshape(-1)[mesh.faces].reshape(-1, 3)
    proper = (
        (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    )
    solid = library.Manifold(
        library.Mesh64(
            vert_properties=np.ascontiguousarray(places),
            tri_verts=np.ascontiguousarray(faces[proper], np.uint64),
            run_index=np.array([0, 3 * np.count_nonzero(proper)], np.uint64),
            run_original_id=np.array([mark], np.uint32),
            face_id=_planes(mesh)[proper].astype(np.uint64),
        )
    )
    status = solid.status()
    if status != library.Error.NoError:
        reason = getattr(status, "name", str(status))
        raise NotSupportedError(f"its operand {name} is not a closed surface ({reason})")
    return solid


def _planes(mesh: Mesh) -> I64:
    """Return for each triangle the largest one of its plane, which stands for all of them.

    Triangles belong together over hidden edges, when they are in one plane and the same linear map
    gives the coordinates of both; so the result has no vertices where only they meet.
    """
    p = mesh.positions.astype(np.float64)[mesh.faces]
    cross = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    area = np.linalg.norm(cross, axis=1)
    normal = cross / np.where(area > 0.0, area, 1.0)[:, None]
    twins = twin_corners(mesh)
    corner = np.flatnonzero((twins >= 0) & ~mesh.edge_visible & ~mesh.edge_visible[twins])
    corner = corner[corner < twins[corner]]
    a, b = corner // 3, twins[corner] // 3
    size = float(np.ptp(mesh.positions, axis=0).max(initial=0.0))
    far = np.abs(np.sum((p[b] - p[a, :1]) * normal[a][:, None], axis=2)).max(axis=1, initial=0.0)
    same = (
        (area[a] > 0.0)
        & (far <= _NEAR * size)
        & (np.sum(normal[a] * normal[b], axis=1) > 0.0)
        & (mesh.smoothing[a] == mesh.smoothing[b])
        & (mesh.material_ids[a] == mesh.material_ids[b])
    )
    for channel in mesh.maps.values():
        values = channel.vertices[channel.corners].reshape(-1, 3, 3).astype(np.float64)
        off = np.abs(_weights(p[b], p[a]) @ values[a] - values[b])
        same &= off.reshape(len(a), 9).max(axis=1, initial=0.0) <= _NEAR_MAP
    label = _joined(a[same], b[same], len(p))
    order = np.lexsort((area, label))
    last = np.append(label[order][1:] != label[order][:-1], True) if len(order) else order > 0
    largest = np.zeros(len(p), np.int64)
    largest[label[order][last]] = order[last]
    return largest[label]


def _joined(a: I64, b: I64, count: int) -> I64:
    """Return the lowest number that each number is connected with by pairs."""
    label = np.arange(count)
    while True:
        low = np.minimum(label[a], label[b])
        if np.array_equal(low, label[a]) and np.array_equal(low, label[b]):
            return label
        np.minimum.at(label, label[a], low)
        np.minimum.at(label, label[b], low)
        label = label[label]


def _sources(found: Any, mark: int) -> tuple[I64, I64]:
    """Return for each triangle of the result the operand and the triangle that it was part of."""
    sizes = np.diff(np.array(found.run_index).astype(np.int64)).astype(np.int64) // 3
    owners = np.array(found.run_original_id, np.int64)[: len(sizes)] - mark
    return np.repeat(owners, sizes), np.array(found.face_id, np.int64)


def _result(
    operands: tuple[Mesh, Mesh], positions: F64, faces: I64, owner: I64, source: I64
) -> Mesh:
    smoothing = np.zeros(len(faces), np.uint32)
    materials = np.zeros(len(faces), np.int32)
    for number, mesh in enumerate(operands):
        mine = owner == number
        smoothing[mine] = mesh.smoothing[source[mine]]
        materials[mine] = mesh.material_ids[source[mine]]
    channels = {number for mesh in operands for number in mesh.maps}
    maps: Maps = {
        channel: _mapping(operands, channel, positions, faces, owner, source)
        for channel in sorted(channels)
    }
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=smoothing,
        material_ids=materials,
        edge_flags=_edges(positions, faces, owner, smoothing, materials),
        maps=maps,
    )


def _edges(
    positions: F64,
    faces: I64,
    owner: I64,
    smoothing: npt.NDArray[np.uint32],
    materials: npt.NDArray[np.int32],
) -> I64:
    """Return edge flags: an edge inside a plane of one operand is hidden."""
    p = positions[faces]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    length = np.linalg.norm(normal, axis=1)[:, None]
    normal = normal / np.where(length > 0.0, length, 1.0)
    start, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    size = len(positions)
    key, twin = start * size + end, end * size + start
    order = np.argsort(key)
    place = np.minimum(np.searchsorted(key[order], twin), max(len(key) - 1, 0))
    other = order[place] if len(key) else place
    paired = key[other] == twin if len(key) else np.zeros(0, bool)
    mine, theirs = np.arange(len(key)) // 3, other // 3
    same = (
        paired
        & (owner[mine] == owner[theirs])
        & (smoothing[mine] == smoothing[theirs])
        & (materials[mine] == materials[theirs])
        & (np.sum(normal[mine] * normal[theirs], axis=1) > _FLAT)
    )
    flags: I64 = (~same).reshape(-1, 3) @ np.array([1, 2, 4])
    return flags


def _mapping(
    operands: tuple[Mesh, Mesh],
    channel: int,
    positions: F64,
    faces: I64,
    owner: I64,
    source: I64,
) -> tuple[npt.NDArray[np.float32], I64]:
    """Return a map channel: on each corner what its source triangle has at that point."""
    values = np.zeros((len(faces), 3, 3))
    for number, mesh in enumerate(operands):
        mine = owner == number
        stored = mesh.maps.get(channel)
        if stored is None or not mine.any():
            continue
        corner = mesh.triangles[source[mine]]
        triangle = mesh.positions[mesh.corners[corner]].astype(np.float64)
        weights = _weights(positions[faces[mine]], triangle)
        values[mine] = weights @ stored.vertices[stored.corners[corner]].astype(np.float64)
    flat = values.reshape(-1, 3).astype(np.float32)
    vertices, found = np.unique(flat, axis=0, return_inverse=True)
    return vertices, found.reshape(-1, 3)


def _weights(points: F64, triangle: F64) -> F64:
    """Return (n, 3, 3): barycentric weights of three points in each triangle."""
    origin = triangle[:, :1]
    u, v = triangle[:, 1] - origin[:, 0], triangle[:, 2] - origin[:, 0]
    uu, uv, vv = (np.sum(a * b, axis=1)[:, None] for a, b in ((u, u), (u, v), (v, v)))
    offset = points - origin
    pu, pv = np.sum(offset * u[:, None], axis=2), np.sum(offset * v[:, None], axis=2)
    area = uu * vv - uv * uv
    area = np.where(area > 0.0, area, 1.0)
    b, c = (vv * pu - uv * pv) / area, (uu * pv - uv * pu) / area
    return np.stack([1.0 - b - c, b, c], axis=2)
