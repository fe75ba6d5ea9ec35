"""Box and Plane: values of collapsed primitives and of 3ds Max's own text exports."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.primitives.box import box, build_box
from maxsidecar.scene.geometry.primitives.plane import build_plane, plane
from tests.unit.scene.geometry.primitives.solids import (
    edge_flags,
    evaluate,
    map_faces,
    open_edges,
    volume,
)

# notes/primitives-modifiers 2.1, and an ASE export of a box of 3ds Max 2009.
CUBE_FACES = [
    (0, 2, 3), (3, 1, 0), (4, 5, 7), (7, 6, 4), (0, 1, 5), (5, 4, 0),
    (1, 3, 7), (7, 5, 1), (3, 2, 6), (6, 7, 3), (2, 0, 4), (4, 6, 2),
]  # fmt: skip
CUBE_MAP_FACES = [
    (9, 11, 10), (10, 8, 9), (8, 9, 11), (11, 10, 8), (4, 5, 7), (7, 6, 4),
    (0, 1, 3), (3, 2, 0), (4, 5, 7), (7, 6, 4), (0, 1, 3), (3, 2, 0),
]  # fmt: skip
CUBE_VERTICES = [
    (-2, -1, 0), (2, -1, 0), (-2, 1, 0), (2, 1, 0), (-2, -1, 3), (2, -1, 3), (-2, 1, 3), (2, 1, 3),
]  # fmt: skip


def test_cube_is_that_of_collapsed_boxes() -> None:
    mesh = build_box((4.0, 2.0, 3.0), (1, 1, 1), mapped=True)
    assert mesh.positions.tolist() == [list(map(float, row)) for row in CUBE_VERTICES]
    assert list(map(tuple, mesh.faces.tolist())) == CUBE_FACES
    assert mesh.smoothing.tolist() == [2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64]
    assert mesh.material_ids.tolist() == [1, 1, 0, 0, 4, 4, 3, 3, 5, 5, 2, 2]
    assert set(edge_flags(mesh)) == {3}
    assert list(map(tuple, map_faces(mesh).tolist())) == CUBE_MAP_FACES
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)] * 3
    assert mesh.maps[1].vertices.tolist() == [list(map(float, row)) for row in corners]


def test_negative_height_swaps_the_first_two_corners() -> None:
    mesh = build_box((4.0, 2.0, -3.0), (1, 1, 1))
    assert list(map(tuple, mesh.faces.tolist())) == [(b, a, c) for a, b, c in CUBE_FACES]
    assert set(edge_flags(mesh)) == {5}
    assert volume(mesh) == pytest.approx(24.0)
    # Ids follow where a side looks: the one at z = 0 is on top now.
    assert mesh.material_ids.tolist() == [0, 0, 1, 1, 4, 4, 3, 3, 5, 5, 2, 2]
    assert mesh.smoothing[:2].tolist() == [2, 2]


def test_first_vertices_run_along_x() -> None:
    # Seven segments of the width, one of the length: an Unwrap UVW snapshot of 3ds Max.
    mesh = build_box((7.0, 2.0, 1.0), (7, 1, 1))
    assert mesh.positions[:8, 0].tolist() == [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]
    assert set(mesh.positions[:8, 1].tolist()) == {-1.0}


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 2, 2), (3, 2, 4), (1, 5, 1)])
@pytest.mark.parametrize("height", [5.0, -5.0])
def test_boxes_are_closed(counts: tuple[int, int, int], height: float) -> None:
    nx, ny, nz = counts
    mesh = build_box((3.0, 4.0, height), counts, mapped=True)
    assert len(mesh.positions) == 2 * (nx + 1) * (ny + 1) + 2 * (nx + ny) * (nz - 1)
    assert len(mesh.faces) == 4 * (nx * ny + nx * nz + ny * nz)
    assert open_edges(mesh) == 0
    assert volume(mesh) == pytest.approx(60.0)
    used = mesh.maps[1].vertices[map_faces(mesh)]
    assert used.min() == 0.0
    assert used.max() == pytest.approx(1.0)


def test_inner_rings_start_at_the_corner_and_run_around() -> None:
    mesh = build_box((2.0, 2.0, 2.0), (2, 2, 2))
    ring = mesh.positions[18:26]
    assert ring[:, 2].tolist() == [1.0] * 8
    expected = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    assert list(map(tuple, ring[:, :2].tolist())) == expected


def test_flat_box_maps_its_sides_without_an_area() -> None:
    mesh = build_box((3.0, 4.0, 0.0), (1, 1, 1), mapped=True)
    assert mesh.material_ids.tolist() == [1, 1, 0, 0] + [3] * 8
    assert map_faces(mesh).max() < 12


def test_parameters_of_a_box() -> None:
    mesh, notes = evaluate(
        box,
        width=4.0,
        length=2.0,
        height=3.0,
        width_segments=2,
        length_segments=1,
        height_segments=1,
        generate_uvs=0,
    )
    assert np.ptp(mesh.positions, axis=0).tolist() == [4.0, 2.0, 3.0]
    assert len(mesh.faces) == 20
    assert not mesh.maps
    assert not notes


def test_plane_is_that_of_collapsed_planes() -> None:
    mesh = build_plane((4.0, 2.0), (2, 1), mapped=True)
    assert mesh.positions[:, 0].tolist() == [-2.0, 0.0, 2.0] * 2
    assert mesh.positions[:, 1].tolist() == [-1.0] * 3 + [1.0] * 3
    # a, b, c, d around the first cell are 0, 1, 4, 3: triangles (d, a, c), (b, c, a).
    assert mesh.faces[:2].tolist() == [[3, 0, 4], [1, 4, 0]]
    assert set(edge_flags(mesh)) == {5}
    assert set(mesh.smoothing.tolist()) == {1}
    assert set(mesh.material_ids.tolist()) == {0}
    assert mesh.maps[1].vertices[4].tolist() == [0.5, 1.0, 0.0]
    assert np.array_equal(map_faces(mesh), mesh.faces)


def test_parameters_of_a_plane() -> None:
    mesh, _ = evaluate(plane, width=4.0, length=2.0, width_segments=3, length_segments=2)
    assert np.ptp(mesh.positions, axis=0).tolist() == [4.0, 2.0, 0.0]
    assert len(mesh.positions) == 12
    assert not mesh.maps
