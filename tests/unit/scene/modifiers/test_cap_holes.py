"""Cap Holes; expected values are arithmetic on small open meshes."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.cap_holes import CAP_HOLES, border_loops
from tests.support.blocks import old_block
from tests.support.mesh_invariants import broken_rules
from tests.support.scenes import SceneMaker
from tests.support.stacks import EDITABLE_MESH, EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import polygons, square_poly, tri_chunks

#: An octagonal cone without its base: apex 8.
RING = [(float(np.cos(n * np.pi / 4)), float(np.sin(n * np.pi / 4)), 0.0) for n in range(8)]
CONE = [*RING, (0.0, 0.0, 1.0)]
SIDES = [(n, (n + 1) % 8, 8) for n in range(8)]


def chunks(
    points: list[tuple[float, float, float]], faces: list[tuple[int, int, int]]
) -> list[ChunkTree]:
    return tri_chunks(points, faces, smoothing=[2] * len(faces), flags=[7] * len(faces))


def capped(
    points: list[tuple[float, float, float]],
    faces: list[tuple[int, int, int]],
    values: tuple[int, ...] = (1, 1, 1),
) -> Stack:
    maker = SceneMaker()
    layer = Layer(CAP_HOLES, references=[old_block(maker, list(values))])
    return Stack([layer], chunks(points, faces), EDITABLE_MESH, maker)


def test_a_border_runs_against_its_sides_and_starts_at_the_end_of_the_first() -> None:
    mesh = Mesh.of_triangles(CONE, SIDES)
    sides, lengths = border_loops(mesh)
    assert lengths.tolist() == [8]
    # The side of triangle 0 goes from 0 to 1: the cap begins at 1, then 0, 7, 6 ...
    assert mesh.corners[sides].tolist() == [1, 0, 7, 6, 5, 4, 3, 2]


def test_every_second_corner_is_cut_off_again_and_again() -> None:
    mesh = capped(CONE, SIDES).mesh()
    ring = [1, 0, 7, 6, 5, 4, 3, 2]
    local = [[ring.index(v) for v in face] for face in polygons(mesh)[8:]]
    first = [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 0]]
    assert local[:4] == first
    assert sorted(map(sorted, local[4:])) in (
        [[0, 2, 4], [0, 4, 6]],
        [[0, 2, 6], [2, 4, 6]],
    )
    assert len(mesh.positions) == 9
    assert mesh.edge_visible[24:].all()
    hidden = capped(CONE, SIDES, (1, 1, 0)).mesh()
    assert int((~hidden.edge_visible).sum()) == 10


def test_a_cap_is_smoothed_with_what_is_around_it() -> None:
    mesh = capped(CONE, SIDES).mesh()
    assert set(mesh.smoothing[8:].tolist()) == {2}
    alone = capped(CONE, SIDES, (0, 0, 1))
    assert alone.reasons() == [
        "no file proves which smoothing group a cap gets that is not smoothed in"
    ]
    found = alone.evaluation().mesh
    assert found is not None
    assert set(found.smoothing[8:].tolist()) == {0}


def test_a_closed_mesh_stays_as_it_is() -> None:
    faces = [*SIDES, *[(0, n + 1, n) for n in range(1, 7)]]
    assert polygons(capped(CONE, faces).mesh()) == faces


def test_a_polygon_mesh_gets_polygons() -> None:
    maker = SceneMaker()
    layer = Layer(CAP_HOLES, references=[old_block(maker, [1, 1, 1])])
    mesh = Stack([layer], square_poly(), EDITABLE_POLY, maker).mesh()
    # A quad and a triangle that share an edge have one border of five sides.
    assert [len(p) for p in polygons(mesh)] == [4, 3, 5]
    ring = polygons(mesh)[2]
    assert sorted(ring) == [0, 1, 2, 3, 4]
    assert border_loops(mesh)[1].tolist() == []


def test_borders_that_touch_at_a_vertex_are_two() -> None:
    # Two triangles that share vertex 2 only.
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0), (1, 2, 0)]
    sides, lengths = border_loops(Mesh.of_triangles(points, [(0, 1, 2), (2, 3, 4)]))
    assert lengths.tolist() == [3, 3]
    assert sides.tolist() == [1, 0, 2, 4, 3, 5]


@pytest.mark.parametrize("faces", [[], [(0, 0, 0)], [(0, 1, 1)]])
def test_degenerate_meshes_do_no_harm(faces: list[tuple[int, int, int]]) -> None:
    sides, lengths = border_loops(Mesh.of_triangles(CONE, np.array(faces).reshape(-1, 3)))
    assert int(lengths.sum()) == len(sides)


def test_caps_of_all_shapes_are_cut_together() -> None:
    # Cones without a base, of three to nine sides, round or with a notch; tips come last.
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    sizes = [*range(3, 10), *range(4, 10)]
    for number, size in enumerate(sizes):
        first = len(points)
        for corner in range(size):
            angle = 2 * np.pi * corner / size
            radius = 0.1 if number > 6 and corner == 1 else 1.0
            points.append((3 * number + radius * np.cos(angle), radius * np.sin(angle), 0.0))
        points.append((3.0 * number, 0.0, 1.0))
        faces += [(first + n, first + (n + 1) % size, first + size) for n in range(size)]
    mesh = capped(points, faces).mesh()
    assert broken_rules(mesh) == []
    assert mesh.polygon_count == sum(sizes) + sum(size - 2 for size in sizes)
    # Caps look down, and no triangle of theirs is turned.
    a, b, c = mesh.positions.astype(np.float64)[mesh.faces[sum(sizes) :]].transpose(1, 0, 2)
    assert np.all(np.cross(b - a, c - a)[:, 2] < 1e-6)


@pytest.mark.parametrize("bad", [float("inf"), float("nan"), 3e38])
def test_places_that_are_no_numbers_do_no_harm(bad: float) -> None:
    mesh = capped([(bad, 0.0, 0.0), *CONE[1:]], SIDES).mesh()
    assert broken_rules(mesh) == []
    assert mesh.polygon_count == 8 + 6
