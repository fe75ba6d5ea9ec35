"""Vertex Weld; expected values are counts and means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.select_views import MESH_SELECT
from maxsidecar.scene.modifiers.vertex_weld import VERTEX_WELD, near_pairs
from tests.support.blocks import FLOAT, new_block
from tests.support.cubes import CHART, CORNERS, SIDES, TRIANGLES, cube_polygons, volume_of
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import EDITABLE_MESH, EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import (
    bits,
    edge,
    face,
    map_chunks,
    poly_chunks,
    tri_chunks,
    vertex,
)

Points = Sequence[Sequence[float]]


def stack(
    threshold: float,
    points: Points,
    faces: Sequence[Sequence[int]],
    select: str = "",
) -> Stack:
    count = len(faces)
    chart = map_chunks(1, CHART, [(0, 1, 2)] * count)
    base = tri_chunks(
        points,
        faces,
        smoothing=list(range(1, count + 1)),
        flags=[7 | number << 16 for number in range(count)],
        more=chart,
    )
    return welded(threshold, base, EDITABLE_MESH, select)


def welded(
    threshold: float, base: Sequence[ChunkTree], kind: tuple[int, int, int], select: str = ""
) -> Stack:
    maker = SceneMaker()
    block = new_block(maker, (*VERTEX_WELD, 0x810), {0: (FLOAT, threshold)})
    layers = [Layer(VERTEX_WELD, references=[block])]
    if select:
        local = [(0x0200, [(0x2700, bits(select))])]
        layers.append(Layer(MESH_SELECT, [(0x0100, u32(1))], local=local))
    return Stack(layers, base, kind, maker=maker)


def apart() -> tuple[list[tuple[float, ...]], list[tuple[int, ...]]]:
    """Return a cube whose twelve triangles share no vertex; each is moved by a little."""
    points: list[tuple[float, ...]] = []
    faces: list[tuple[int, ...]] = []
    for number, row in enumerate(TRIANGLES):
        faces.append(tuple(range(len(points), len(points) + 3)))
        points += [tuple(v + 0.001 * (number % 3) for v in CORNERS[corner]) for corner in row]
    return points, faces


def test_a_cube_of_loose_triangles_becomes_whole() -> None:
    points, faces = apart()
    made = stack(0.01, points, faces)
    mesh = made.mesh()
    assert made.reasons() == [UNPROVED]
    assert (len(mesh.positions), mesh.polygon_count) == (8, 12)
    assert not np.any(twin_corners(mesh) < 0)
    assert volume_of(mesh.positions, mesh.faces) == pytest.approx(8, rel=1e-2)
    assert mesh.smoothing.tolist() == list(range(1, 13))
    assert mesh.material_ids.tolist() == list(range(12))
    assert mesh.maps[1].corners.tolist() == [0, 1, 2] * 12
    # Only vertices at the same place are near enough.
    assert len(stack(0.0001, points, faces).mesh().positions) == len(set(points)) < 36


def test_they_meet_in_their_middle() -> None:
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1.2, 0, 0), (2, 0, 0), (2, 1, 0)]
    mesh = stack(0.25, points, [(0, 1, 2), (3, 4, 5)]).mesh()
    expected = [(0, 0, 0), (1.1, 0, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    assert np.allclose(mesh.positions, expected)
    assert mesh.faces.tolist() == [[0, 1, 2], [1, 3, 4]]


def test_faces_without_extent_go() -> None:
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.1, 0, 0)]
    mesh = stack(0.2, points, [(3, 1, 2), (0, 3, 2)]).mesh()
    assert mesh.faces.tolist() == [[0, 1, 2]]
    assert mesh.smoothing.tolist() == [1]
    assert np.allclose(mesh.positions[0], (0.05, 0, 0))


def test_only_selected_vertices() -> None:
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]
    faces = [(0, 1, 2), (3, 4, 5)]
    assert len(stack(0.1, points, faces, "010100").mesh().positions) == 5
    assert len(stack(0.1, points, faces).mesh().positions) == 4
    assert len(stack(0.0, points, faces).mesh().positions) == 4


def test_polygons_join_at_their_borders() -> None:
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    points = [*corners, *((x + 1, y, z) for x, y, z in corners)]
    rings = [(0, 1, 2, 3), (4, 5, 6, 7)]
    base = poly_chunks(
        [vertex(*point) for point in points],
        [edge(r[i], r[(i + 1) % 4]) for r in rings for i in range(4)],
        [face(ring, diagonals=(1, 3)) for ring in rings],
    )
    mesh = welded(0.1, base, EDITABLE_POLY).mesh()
    assert mesh.is_polygons
    assert mesh.corners.tolist() == [0, 1, 2, 3, 1, 4, 5, 2]
    # Both are divided as before.
    assert mesh.faces.tolist() == [[1, 2, 3], [3, 0, 1], [4, 5, 2], [2, 1, 4]]
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 7


def test_a_closed_polygon_mesh_joins_along_edges_only() -> None:
    # Corners of a side are 2 apart along its edges, and 2.83 across.
    assert len(welded(1.9, cube_polygons(), EDITABLE_POLY).mesh().positions) == len(CORNERS)
    assert len(SIDES) == 6
    assert welded(2.1, cube_polygons(), EDITABLE_POLY).mesh().polygon_count == 0


def test_near_pairs_are_those_of_all_distances() -> None:
    points = np.random.default_rng(7).random((400, 3))
    one, other = near_pairs(points, 0.1)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    a, b = np.nonzero(np.triu(distances <= 0.1, 1))
    found = {tuple(sorted(pair)) for pair in zip(one.tolist(), other.tolist(), strict=True)}
    assert len(found) == len(one)
    assert found == set(zip(a.tolist(), b.tolist(), strict=True))


def test_many_equal_places_are_no_trouble() -> None:
    one, other = near_pairs(np.zeros((100_000, 3)), 1.0)
    assert one.tolist() == [0] * 99_999
    assert other.tolist() == list(range(1, 100_000))
    assert len(near_pairs(np.zeros((0, 3)), 1.0)[0]) == 0
    # A distance too small to count cells.
    assert len(near_pairs(np.array([(0.0, 0, 0), (1e9, 0, 0)]), 1e-20)[0]) == 0


def test_too_many_near_places_are_refused() -> None:
    points = np.random.default_rng(7).random((10_000, 3))
    with pytest.raises(NotSupportedError, match="more than 20000000 pairs"):
        near_pairs(points, 10.0)


def test_without_a_threshold() -> None:
    layer = Layer(VERTEX_WELD)
    made = Stack([layer], cube_polygons(), EDITABLE_POLY)
    assert made.reasons() == ["the file does not tell its threshold"]
