"""Edit Poly on meshes with many of something, or with edges that no face uses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.geometry.mesh import Edges, Mesh
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.modifiers import edit_poly
from maxsidecar.scene.modifiers.edit_poly_records import Operation
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork
from tests.support.mesh_invariants import broken_rules

CAP, SMOOTH, CHAMFER, CONNECT, REMOVE, RELAX = 9, 27, 34, 44, 50, 80


def grid(side: int) -> Mesh:
    """Return squares of length 1, ``side`` times ``side``."""
    number = np.arange(side * side)
    low = number // side * (side + 1) + number % side
    corners = np.stack([low, low + 1, low + side + 2, low + side + 1], axis=1)
    vertex = np.arange((side + 1) ** 2)
    points = np.stack([vertex % (side + 1), vertex // (side + 1), 0 * vertex], axis=1)
    return polygon_mesh(points, corners.reshape(-1), np.arange(0, 4 * side * side + 1, 4))


def apart(count: int) -> Mesh:
    """Return squares that do not touch."""
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float64)
    points = square + 2.0 * np.arange(count)[:, None, None] * np.array([1.0, 0.0, 0.0])
    return polygon_mesh(points, np.arange(4 * count), np.arange(0, 4 * count + 1, 4))


def loose_edge(mesh: Mesh) -> Mesh:
    """Put an edge that no face uses in front of the others."""
    count = len(mesh.positions)
    assert mesh.edges is not None
    mesh.positions = np.append(mesh.positions, np.ones((2, 3), np.float32), axis=0)
    ends = np.concatenate([[(count, count + 1)], mesh.edges.vertices])
    mesh.edges = Edges(ends.astype(np.int32))
    return mesh


def words(**values: float | int) -> dict[int, npt.NDArray[np.uint32]]:
    kinds = {int: np.int32, float: np.float32}
    return {
        int(name[1:]): np.array([value], kinds[type(value)]).view(np.uint32)
        for name, value in values.items()
    }


def done(mesh: Mesh, *operations: Operation) -> Mesh:
    work = PolyWork.of(mesh)
    for operation in operations:
        edit_poly._apply(work, operation)
    out = work.mesh()
    assert broken_rules(out) == []
    return out


def rings(mesh: Mesh) -> list[list[int]]:
    return [part.tolist() for part in np.split(mesh.corners, mesh.starts[1:-1])]


def all_bits(count: int) -> npt.NDArray[np.bool_]:
    return np.ones(count, np.bool_)


def test_caps_keep_their_edges_where_others_go() -> None:
    mesh = loose_edge(apart(3))
    work = PolyWork.of(mesh)
    edit_poly._apply(work, Operation(CAP, selection=all_bits(13)))
    # A loose edge goes; each square shares its four edges with its cap.
    assert work.counts == (14, 12, 6)
    assert np.array_equal(np.bincount(work.faces.sides), np.full(12, 2))
    assert np.array_equal(np.sort(work.faces.sides[:12]), np.sort(work.faces.sides[12:]))


def test_each_of_many_borders_is_capped() -> None:
    mesh = apart(400)
    out = done(mesh, Operation(CAP, selection=all_bits(1600)))
    assert rings(out)[:400] == rings(mesh)
    assert [sorted(ring) for ring in rings(out)[400:]] == [sorted(ring) for ring in rings(mesh)]


def test_many_faces_are_cut_at_once() -> None:
    side = 30
    vertex = np.arange((side + 1) ** 2)
    # Every other vertex: two across from one another in each square.
    chosen = (vertex % (side + 1) + vertex // (side + 1)) % 2 == 0
    out = done(grid(side), Operation(CONNECT, selection=chosen))
    assert out.polygon_count == 2 * side * side
    assert np.all(out.degrees == 3)


def test_edges_without_faces_are_not_chamfered() -> None:
    mesh = loose_edge(grid(2))
    chosen = np.arange(13) == 0
    out = done(mesh, Operation(CHAMFER, selection=chosen, parameters=words(p35=0.1)))
    assert rings(out) == rings(mesh)


def test_edges_around_a_vertex_are_removed() -> None:
    count = 3000
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    rim = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    ring = np.stack([0 * angle, 1 + np.arange(count), 1 + (1 + np.arange(count)) % count], axis=1)
    mesh = polygon_mesh([(0, 0, 0), *rim], ring.reshape(-1), np.arange(0, 3 * count + 1, 3))
    work = PolyWork.of(mesh)
    spokes = np.nonzero((work.ends == 0).any(axis=1))[0]
    chosen = np.isin(np.arange(len(work.ends)), spokes[1:])
    out = done(mesh, Operation(REMOVE, selection=chosen))
    # One face, whose ring goes in along the edge that stays and out again.
    assert out.degrees.tolist() == [count + 2]


def test_relaxing_for_hours_is_refused() -> None:
    relax = Operation(RELAX, parameters=words(p72=0.5, p73=10_000, p74=0, p75=0))
    with pytest.raises(NotSupportedError, match="more than 300000000 steps"):
        done(grid(25), relax)


def test_faces_beside_divided_ones_have_no_known_numbers() -> None:
    corner = np.arange(9) == 0
    smooth = Operation(SMOOTH, selection=corner, parameters=words(p16=1.0, p17=0, p18=0))
    work = PolyWork.of(grid(2))
    edit_poly._apply(work, smooth)
    assert work.dead == 1
    # Its border would be closed by a face whose number the dead one shifts, or not.
    cap = Operation(CAP, selection=all_bits(len(work.ends)))
    work.unsure[:] = False
    with pytest.raises(NotSupportedError, match="beside those that were divided"):
        edit_poly._apply(work, cap)
