"""Sphere and GeoSphere."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, X87
from maxsidecar.scene.geometry.primitives.geosphere import build_geosphere, geosphere
from maxsidecar.scene.geometry.primitives.sphere import build_sphere, sphere
from tests.unit.scene.geometry.primitives.solids import (
    edge_flags,
    evaluate,
    map_faces,
    open_edges,
    volume,
)

CUT = (0.3, 2.0)


def test_sphere_begins_at_the_pole_and_at_plus_y() -> None:
    mesh = build_sphere(2.0, 8)
    assert mesh.positions[0].tolist() == [0.0, 0.0, 2.0]
    assert mesh.positions[-1].tolist() == [0.0, 0.0, -2.0]
    ring = mesh.positions[1:9]
    angles = pi / 2 + 2 * pi * np.arange(8) / 8
    expected = 2.0 * np.sin(pi / 4) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert np.abs(ring[:, :2] - expected).max() < 1e-6
    assert np.abs(ring[:, 2] - 2.0 * np.cos(pi / 4)).max() < 1e-6


def test_faces_of_a_sphere() -> None:
    mesh = build_sphere(1.0, 4, smooth=True)
    assert mesh.faces[:4].tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]]
    mesh = build_sphere(1.0, 6)
    assert mesh.faces[6:8].tolist() == [[1, 7, 8], [1, 8, 2]]
    assert mesh.faces[-1].tolist() == [13, 7, 12]
    assert edge_flags(mesh)[:6].tolist() == [7] * 6
    assert edge_flags(mesh)[6:8].tolist() == [3, 6]
    assert set(mesh.smoothing.tolist()) == {1}
    assert set(mesh.material_ids.tolist()) == {1}
    assert set(build_sphere(1.0, 6, smooth=False).smoothing.tolist()) == {0}


def test_map_of_a_sphere_has_a_row_for_each_pole() -> None:
    # Collapsed spheres: 561 map vertices with 32 segments, 153 with 16.
    assert len(build_sphere(1.0, 32, mapped=True).maps[1].vertices) == 561
    mesh = build_sphere(1.0, 16, mapped=True)
    assert len(mesh.maps[1].vertices) == 153
    assert map_faces(mesh)[0].tolist() == [0, 17, 18]
    assert mesh.maps[1].vertices[0].tolist() == [0.0, 1.0, 0.0]
    assert mesh.maps[1].vertices[18, 0] == pytest.approx(1 / 16)
    assert mesh.maps[1].vertices[18, 1] == pytest.approx(7 / 8)


def test_arithmetic_of_old_and_new_releases_differs_in_the_last_bits() -> None:
    old, new = (build_sphere(10.0, 32, arithmetic=a).positions for a in (X87, SINGLE))
    exact = pi / 2 + 2 * pi * np.arange(32) / 32
    ring = 10.0 * np.sin(2 * pi / 32) * np.cos(exact)
    assert np.abs(old[1:33, 0] - ring).max() < 1e-6
    assert 1e-6 < np.abs(new - old).max() < 4e-5


def test_hemispheres_have_as_many_rows_as_3ds_max() -> None:
    # 576 faces: a hemisphere of 32 segments in a scene whose exporter counted them.
    assert len(build_sphere(1.0, 32, hemisphere=0.5).faces) == 576
    squashed = build_sphere(1.0, 32, hemisphere=0.5, squash=True)
    assert len(squashed.faces) == len(build_sphere(1.0, 32).faces)
    chopped = build_sphere(1.0, 32, hemisphere=0.5)
    assert np.abs(chopped.positions[-33:, 2]).max() < 1e-6
    assert chopped.material_ids[-1] == 0
    standing = build_sphere(2.0, 16, hemisphere=0.25, base_to_pivot=True)
    assert standing.positions[:, 2].min() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("hemisphere", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("squash", [False, True])
@pytest.mark.parametrize("cut", [None, CUT])
def test_spheres_are_closed(
    hemisphere: float, squash: bool, cut: tuple[float, float] | None
) -> None:
    mesh = build_sphere(3.0, 12, hemisphere=hemisphere, squash=squash, cut=cut, mapped=True)
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert len(np.unique(mesh.faces)) == len(mesh.positions)
    assert map_faces(mesh).max() < len(mesh.maps[1].vertices)
    if hemisphere == 0.0 and cut is None:
        assert volume(mesh) == pytest.approx(4 / 3 * pi * 27, rel=0.12)


def test_a_slice_keeps_what_is_outside_of_it() -> None:
    whole, rest = build_sphere(1.0, 48), build_sphere(1.0, 48, cut=(0.0, pi / 2))
    assert volume(rest) / volume(whole) == pytest.approx(0.75, rel=0.01)
    # A slice from 0 to 90 degrees begins at +y, like the sphere, and goes towards -x.
    x, y = rest.positions[:, 0], rest.positions[:, 1]
    assert not np.any((x < -0.1) & (y > 0.1))


def test_parameters_of_a_sphere() -> None:
    mesh, notes = evaluate(sphere, radius=-1.0, segments=3, smooth=0)
    assert not notes
    assert len(mesh.faces) == 8
    assert not mesh.positions.any()
    _, notes = evaluate(sphere, radius=1.0, segments=16, hemisphere=0.5)
    assert not notes
    _, notes = evaluate(sphere, radius=1.0, segments=16, hemisphere=0.5, squash=1)
    assert len(notes) == 1
    _, notes = evaluate(sphere, radius=1.0, segments=16, slice_on=1)
    assert len(notes) == 1


def test_geosphere_is_that_of_a_collapsed_icosahedron() -> None:
    mesh = build_geosphere(1.0, 3)
    assert (len(mesh.positions), len(mesh.faces)) == (92, 180)
    assert np.abs(np.linalg.norm(mesh.positions, axis=1) - 1.0).max() < 1e-6
    corners = mesh.positions[:12]
    assert corners[0].tolist() == [0.0, 0.0, 1.0]
    assert np.abs(corners[1:6, 2] - np.sqrt(0.2)).max() < 1e-6
    assert corners[1, 1] == 0.0
    assert build_geosphere(1.0, 1).faces.tolist() == [
        [0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 1],
        [1, 10, 6], [2, 6, 7], [3, 7, 8], [4, 8, 9], [5, 9, 10],
        [6, 2, 1], [7, 3, 2], [8, 4, 3], [9, 5, 4], [10, 1, 5],
        [11, 7, 6], [11, 8, 7], [11, 9, 8], [11, 10, 9], [11, 6, 10],
    ]  # fmt: skip
    # The first two points of the first edge, at equal angles, then its first face row by row.
    angle = np.arccos(corners[0] @ corners[1]) / 3.0
    assert np.arccos(mesh.positions[12, 2]) == pytest.approx(angle, abs=1e-5)
    assert np.arccos(mesh.positions[13, 2]) == pytest.approx(2 * angle, abs=1e-5)
    assert mesh.faces[0].tolist() == [0, 12, 14]
    assert set(mesh.smoothing.tolist()) == {1}
    assert set(mesh.material_ids.tolist()) == {1}


@pytest.mark.parametrize("base", [0, 1, 2])
@pytest.mark.parametrize("hemisphere", [False, True])
@pytest.mark.parametrize("segments", [1, 2, 5])
def test_geospheres_are_closed(base: int, hemisphere: bool, segments: int) -> None:
    mesh = build_geosphere(2.0, segments, base, hemisphere=hemisphere, mapped=True)
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert len(np.unique(mesh.faces)) == len(mesh.positions)
    if base == 2 and not hemisphere:
        assert len(mesh.positions) == 10 * segments**2 + 2
    if segments == 5 and base:
        share = 0.5 if hemisphere else 1.0
        assert volume(mesh) == pytest.approx(share * 4 / 3 * pi * 8, rel=0.06)


def test_parameters_of_a_geosphere() -> None:
    mesh, notes = evaluate(
        geosphere, radius=2.0, segments=2, base_type=2, base_to_pivot=1, smooth=1
    )
    assert not notes
    assert mesh.positions[:, 2].min() == pytest.approx(0.0, abs=1e-6)
    _, notes = evaluate(geosphere, radius=2.0, segments=2, base_type=2, generate_uvs=1)
    assert not notes
    _, notes = evaluate(
        geosphere, radius=2.0, segments=2, base_type=1, generate_uvs=1, hemisphere=1
    )
    assert len(notes) == 2


def test_map_of_a_geosphere_is_that_of_a_collapsed_one() -> None:
    """Values of an Editable Poly of 2015: 92 vertices, 123 map vertices."""
    mesh = build_geosphere(4.0, 3, mapped=True)
    vertices, faces = mesh.maps[1].vertices, mesh.maps[1].corners.reshape(-1, 3)
    assert len(vertices) == 123
    # The third coordinate is the distance from the middle.
    assert np.abs(vertices[:, 2] - 4.0).max() < 1e-6
    # The last face at a pole keeps its vertex; each has u in the middle of the other two.
    poles = [0, 92, 93, 94, 102, 11, 112, 113, 121, 122]
    assert vertices[poles, 0] == pytest.approx(
        [0.4, 0.6, 0.8, 0.0, 0.2, 0.5, 0.7, -0.1, 0.1, 0.3], abs=1e-6
    )
    # Half a turn is a little more than pi, so u is 0 there and not 1.
    assert vertices[[8, 66, 67, 74, 84], 0] == pytest.approx(np.zeros(5), abs=1e-6)
    # Faces across the seam do not share their vertices.
    assert faces[[18, 19, 144]].tolist() == [[94, 95, 18], [96, 97, 74], [113, 66, 114]]
    assert vertices[95:101, 0] == pytest.approx([-0.1, -0.1, -0.1, -0.1, -0.1, -0.03438], abs=1e-5)
