"""Colours, transforms, names of files and flags."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.shape.colors import byte_of, rgba_of, scaled_rgba, truncated_rgba
from maxsidecar.nel.shape.corners import bounding_box, merge_corners
from maxsidecar.nel.shape.material_state import exponent
from maxsidecar.nel.shape.placement import move_normals, move_points, take_apart
from maxsidecar.nel.shape.textures import base_name
from maxsidecar.nel.shape.vertex_cache import cache_order
from maxsidecar.scene.matrices import compose


def test_colors_are_rounded() -> None:
    assert rgba_of((0.5, 1.0, 0.0), 7) == (128, 255, 0, 7)
    assert rgba_of((1.7, -3.0, 1 / 255)) == (255, 0, 1, 255)
    assert byte_of(0.64) == 163
    assert truncated_rgba((0.999, 0.5, 2.0)) == (254, 127, 255, 255)


def test_specular_level_counts_for_alpha_too() -> None:
    # The values of a real material; 25 × 0.2 is a little less than 5.
    assert scaled_rgba((25, 25, 25, 255), 0.19999998807907104) == (4, 4, 4, 50)


def test_exponent_of_highlights() -> None:
    assert exponent(0.0) == 4.0
    assert exponent(0.09999999403953552) == np.float32(7.9999995)
    assert exponent(1.0) == 4096.0


def test_transform_without_rotation_is_written_with_minus_zeros() -> None:
    found = take_apart(np.eye(4))
    assert str(found.rotation) == "(-0.0, -0.0, -0.0, -1.0)"
    assert found.position == (0.0, 0.0, 0.0)
    assert found.scale == (1.0, 1.0, 1.0)


def test_rotation_and_scale_are_told_apart() -> None:
    half = np.sqrt(0.5)
    turn = np.array([[0.0, 0.0, half, half]])
    scale = np.array([[2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 1.0]])
    found = take_apart(compose(np.array([[5.0, 6.0, 7.0]]), turn, scale)[0])
    assert found.position == (5.0, 6.0, 7.0)
    assert found.rotation == pytest.approx((0.0, 0.0, -half, -half), abs=1e-6)
    assert found.scale == pytest.approx((2.0, 3.0, 4.0), abs=1e-5)


def test_mirrored_transform_has_negative_scale() -> None:
    found = take_apart(np.diag([-1.0, 1.0, 1.0, 1.0]))
    assert np.prod(found.scale) == pytest.approx(-1.0)


def test_flat_transform_has_a_scale_of_zero() -> None:
    found = take_apart(np.diag([1.0, 2.0, 0.0, 1.0]))
    assert found.scale == pytest.approx((1.0, 2.0, 0.0), abs=1e-6)
    assert np.isfinite(found.rotation).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_transform_that_is_not_finite_is_refused(value: float) -> None:
    matrix = np.eye(4)
    matrix[3, 0] = value
    with pytest.raises(DecodeError, match="not finite"):
        take_apart(matrix)


def test_points_and_normals_move_with_the_pivot() -> None:
    points = np.array([[1, 2, 3]], np.float32)
    matrix = np.diag([2.0, 1.0, 1.0, 1.0])
    matrix[3, :3] = 10, 20, 30
    assert move_points(points, matrix).tolist() == [[12, 22, 33]]
    slanted = np.array([[1, 1, 0]], np.float32) / np.sqrt(np.float32(2))
    # A plane x + y = c becomes x / 2 + y = c.
    assert move_normals(slanted, matrix)[0] == pytest.approx(np.array([1, 2, 0]) / np.sqrt(5))


@pytest.mark.parametrize(
    ("path", "name"),
    [("C:\\maps\\wood.tga", "wood.tga"), ("/home/x/wood.tga", "wood.tga"), ("wood.tga", "wood.tga"),
     ("", "")],
)  # fmt: skip
def test_textures_are_named_without_folder(path: str, name: str) -> None:
    assert base_name(path) == name


def test_point_that_changes_nothing_does_not_end_the_rounding() -> None:
    """The last point is within, and still moves a side of the box by a bit."""
    points = np.zeros((10, 3), np.float32)
    points[:, 0] = [-965.98, *[625.91] * 6, -0.28, 625.91, -0.28]
    center, half = points[0], np.zeros(3, np.float32)
    for point in points:
        low, high = np.minimum(center - half, point), np.maximum(center + half, point)
        center = (low + high) / np.float32(2)
        half = high - center
    assert bounding_box(points) == (tuple(center.tolist()), tuple(half.tolist()))


def test_nothing_has_no_box_no_vertices_and_no_order() -> None:
    empty = np.empty((0, 3), np.float32)
    assert bounding_box(empty) == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert [len(part) for part in merge_corners([empty])] == [0, 0]
    assert len(cache_order(np.empty((0, 3), np.int64))) == 0


def test_many_triangles_at_one_vertex_take_no_time_to_speak_of() -> None:
    rim = np.arange(1, 4_001)
    fan = np.stack([np.zeros_like(rim), rim, np.roll(rim, -1)], axis=1)
    assert sorted(cache_order(fan).tolist()) == list(range(len(fan)))
