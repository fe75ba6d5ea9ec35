"""Patches divided into triangles: known surfaces, shared sides, maps, edge flags."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.patch import PatchMap, PatchMesh
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from tests.support.patches import Builder, areas, square


def record(made: Builder, steps: int = 2) -> PatchMesh:
    """Return the patches of a builder without any chunks."""
    count = len(made.patches)
    corners, handles, interiors = (np.full((count, n), -1, np.int32) for n in (4, 8, 4))
    for number, patch in enumerate(made.patches):
        for table, numbers in zip((corners, handles, interiors), patch[:3], strict=True):
            table[number, : len(numbers)] = numbers
    return PatchMesh(
        np.array(made.vertices, np.float32).reshape(-1, 3),
        np.array(made.vectors, np.float32).reshape(-1, 3),
        corners,
        handles,
        interiors,
        np.array([patch[3] for patch in made.patches], np.uint32),
        np.array([patch[4] >> 16 for patch in made.patches], np.int32),
        np.array([bool(patch[4] & 4) for patch in made.patches]),
        steps=steps,
    )


def triangle() -> Builder:
    made = Builder()
    made.flat(*[made.point(place) for place in ((0, 0, 0), (4, 0, 0), (0, 4, 0))])
    return made


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_a_flat_quadrilateral_is_an_even_grid(steps: int) -> None:
    patch = record(square(), steps)
    mesh, parts = patch.to_mesh(), steps + 1
    assert len(mesh.positions) == (parts + 1) ** 2
    assert len(mesh.faces) == 2 * parts**2
    np.testing.assert_allclose(areas(patch), 4.5 / parts**2, rtol=1e-5)
    grid = {(round(x * parts / 3, 4), round(y * parts / 3, 4)) for x, y, _ in mesh.positions}
    assert grid == {(float(x), float(y)) for x in range(parts + 1) for y in range(parts + 1)}


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_a_flat_triangle_is_an_even_grid(steps: int) -> None:
    patch = record(triangle(), steps)
    mesh, parts = patch.to_mesh(), steps + 1
    assert len(mesh.positions) == (parts + 1) * (parts + 2) // 2
    assert len(mesh.faces) == parts**2
    np.testing.assert_allclose(areas(patch), 8 / parts**2, rtol=1e-5)


def test_the_surface_of_a_quadrilateral_is_bicubic() -> None:
    # z = u³ v: control points of u³ are 0, 0, 0, 1, those of v are 0, 1/3, 2/3, 1.
    made = square()
    high = {2: 1 / 3, 3: 2 / 3}
    for handle in range(8):
        x, y, _ = made.vectors[handle]
        made.vectors[handle] = (x, y, high.get(handle, 0.0))
    made.vertices[2] = (3, 3, 1)
    # Handles of cd (4, 5) and da (6, 7), and interior points, are at u < 1: all zero.
    mesh = record(made, 4).to_mesh()
    u, v = mesh.positions[:, 0] / 3, mesh.positions[:, 1] / 3
    np.testing.assert_allclose(mesh.positions[:, 2], u**3 * v, atol=1e-6)
    assert mesh.positions[:, 2].max() == 1


def test_the_surface_of_a_triangle_has_degree_four() -> None:
    # z = v³ where v is the share of b: of the cubic control points only b's is not zero, and the
    # raised interior points are zero.
    made = triangle()
    made.vertices[1] = (4, 0, 1)
    mesh = record(made, 5).to_mesh()
    np.testing.assert_allclose(mesh.positions[:, 2], (mesh.positions[:, 0] / 4) ** 3, atol=1e-6)
    # z = 12 v² w u is the control point next to b alone.
    made = triangle()
    x, y, _ = made.vectors[7]
    made.vectors[7] = (x, y, 1)
    mesh = record(made, 5).to_mesh()
    v, w = mesh.positions[:, 0] / 4, mesh.positions[:, 1] / 4
    np.testing.assert_allclose(mesh.positions[:, 2], 12 * v * v * w * (1 - v - w), atol=1e-6)


def test_patches_share_the_points_of_common_sides() -> None:
    made = square()
    far = [made.point(place) for place in ((6, 0, 0), (6, 3, 0))]
    side = made.patches[0][1][2:4]  # bc, which the neighbour has the other way round
    made.flat(2, 1, *far, handles={0: side[::-1]})
    top = made.point((3, 6, 0))
    made.flat(3, 2, top, handles={0: made.patches[0][1][4:6][::-1]})
    patch = record(made, 2)
    mesh = patch.to_mesh()
    # 16 of the first, 12 of the second, 10 of the triangle less its side of 4.
    assert len(mesh.positions) == 16 + 12 + 6
    assert len(np.unique(mesh.positions, axis=0)) == len(mesh.positions)
    assert len(mesh.faces) == 18 + 18 + 9
    found = areas(patch)
    assert np.all(found > 0)
    np.testing.assert_allclose(found.sum(), 9 + 9 + 4.5, rtol=1e-5)


def test_sides_with_other_handles_are_not_shared() -> None:
    made = square()
    far = [made.point(place) for place in ((6, 3, 0), (6, 0, 0))]
    made.flat(1, far[1], far[0], 2)
    assert len(record(made, 2).to_mesh().positions) == 16 + 14


def test_groups_ids_and_edge_flags() -> None:
    made = square(7 << 16 | 1)
    patch = record(made, 1)
    mesh = patch.to_mesh()
    assert mesh.smoothing.tolist() == [1] * 8
    assert mesh.material_ids.tolist() == [7] * 8
    # Two of three edges of each triangle belong to cells.
    assert mesh.edge_visible.reshape(-1, 3).sum(axis=1).tolist() == [2] * 8
    patch.show_interior = False
    shown = patch.to_mesh().edge_visible.reshape(-1, 3)
    assert shown.sum() == 8
    rim = record(triangle(), 2)
    rim.show_interior = False
    assert rim.to_mesh().edge_visible.sum() == 9


def test_linear_maps_and_maps_with_handles() -> None:
    patch = record(square(), 2)
    none = np.full((1, 8), -1, np.int32)
    corners = np.array([[0, 1, 2, 3]], np.int32)
    uv = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float32)
    patch.maps[1] = PatchMap(uv, corners, none, none[:, :4])
    mesh = patch.to_mesh()
    at = mesh.maps[1].vertices[mesh.maps[1].corners]
    np.testing.assert_allclose(at, mesh.positions[mesh.corners] / 3, atol=1e-6)
    # Handles all at their corner: u is 3t² - 2t³, unless the patch says that its maps are linear.
    handles = np.array([[0, 1, 1, 2, 2, 3, 3, 0]], np.int32)
    patch.maps[1] = PatchMap(uv, corners, handles, corners)
    mesh = patch.to_mesh()
    t = mesh.positions[mesh.corners] / 3
    at = mesh.maps[1].vertices[mesh.maps[1].corners]
    np.testing.assert_allclose(at, t * t * (3 - 2 * t), atol=1e-6)
    patch.linear_maps[:] = True
    mesh = patch.to_mesh()
    at = mesh.maps[1].vertices[mesh.maps[1].corners]
    np.testing.assert_allclose(at, t, atol=1e-6)


@pytest.mark.parametrize("steps", [-1, 101])
def test_steps_that_nobody_can_set(steps: int) -> None:
    with pytest.raises(NotSupportedError, match="steps"):
        record(square(), steps).to_mesh()


def test_too_many_triangles() -> None:
    made = square()
    made.patches *= 200
    with pytest.raises(NotSupportedError, match="triangles"):
        record(made, 100).to_mesh()


def test_too_many_maps() -> None:
    patch = record(square(), 100)
    table = patch.corners * 0
    for channel in range(400):
        patch.maps[channel] = PatchMap(patch.vertices, table, patch.handles * 0, table)
    with pytest.raises(NotSupportedError, match="400 maps"):
        patch.to_mesh()


def test_no_patches() -> None:
    mesh = record(Builder()).to_mesh()
    assert len(mesh.positions) == len(mesh.faces) == 0


@pytest.mark.parametrize("made", [square(), triangle()])
def test_places_that_are_no_numbers_stay_so(made: Builder) -> None:
    patch = record(made, 3)
    patch.vectors[-1] = np.inf
    patch.vertices[0] = np.nan
    positions = patch.to_mesh().positions
    assert np.isnan(positions[0]).all()
    assert np.isfinite(positions[1]).all()
