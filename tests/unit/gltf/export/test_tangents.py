"""Tangents: along u, and on which side the picture's upward direction is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from maxsidecar.gltf.export.tangents import tangents

F32 = npt.NDArray[np.float32]

#: A square in the XY plane as two triangles, seen from +Z.
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
UP = np.tile(np.array([0, 0, 1], np.float32), (6, 1))
VERTICES = np.array([0, 1, 2, 0, 2, 3], np.int32)


def coordinates(u: F32, v_up: F32) -> F32:
    return np.stack([u, 1 - v_up], axis=-1).astype(np.float32)


def test_a_picture_as_it_lies() -> None:
    found = tangents(SQUARE, UP, coordinates(SQUARE[:, 0], SQUARE[:, 1]), VERTICES)
    # u runs along +X; upwards in the picture is +Y, which is normal × tangent.
    assert np.allclose(found, [1, 0, 0, 1])


def test_a_turned_picture() -> None:
    found = tangents(SQUARE, UP, coordinates(SQUARE[:, 1], -SQUARE[:, 0]), VERTICES)
    assert np.allclose(found, [0, 1, 0, 1])


def test_a_mirrored_picture() -> None:
    found = tangents(SQUARE, UP, coordinates(-SQUARE[:, 0], SQUARE[:, 1]), VERTICES)
    # u runs along -X; normal × tangent is -Y, but upwards is +Y.
    assert np.allclose(found, [-1, 0, 0, -1])


def test_a_seam_where_the_picture_is_mirrored() -> None:
    """Two squares side by side that share an edge, its normals and its coordinates."""
    left = SQUARE - np.array([1, 0, 0], np.float32)
    both = np.concatenate([left, SQUARE])
    u = np.abs(both[:, 0])
    vertices = np.array([5, 0, 3, 5, 3, 4, 0, 1, 2, 0, 2, 3], np.int32)
    found = tangents(both, np.tile(UP, (2, 1)), coordinates(u, both[:, 1]), vertices)
    assert np.allclose(found[:6], [-1, 0, 0, -1])
    assert np.allclose(found[6:], [1, 0, 0, 1])


def test_the_mean_is_weighed_by_angles() -> None:
    """Three triangles at a vertex, of 90, 45 and 45 degrees, two of them with another direction."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 1, 0], [-1, 0, 0]], np.float32)
    vertices = np.array([0, 1, 2, 0, 2, 3, 0, 3, 4], np.int32)
    u, v = points[vertices, 0].copy(), points[vertices, 1].copy()
    # In the second and third one the picture is turned: u runs along +Y there.
    u[3:], v[3:] = points[vertices[3:], 1], -points[vertices[3:], 0]
    found = tangents(points[vertices], np.tile(UP, (2, 1))[:9], coordinates(u, v), vertices)
    # At the common vertex both directions count 90 degrees.
    assert np.allclose(found[0], [0.5**0.5, 0.5**0.5, 0, 1])
    assert np.allclose(found[1], [1, 0, 0, 1])


def test_no_area_in_the_picture() -> None:
    found = tangents(SQUARE, UP, np.zeros((6, 2), np.float32), VERTICES)
    assert np.allclose(np.linalg.norm(found[:, :3], axis=1), 1)
    assert np.allclose(found[:, 2], 0)


@given(
    arrays.arrays(
        np.float32, (12, 8), elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False)
    )
)
def test_always_of_length_1_and_across(values: F32) -> None:
    normals = values[:, 3:6] + np.array([0, 0, 1e-3], np.float32)
    length = np.linalg.norm(normals.astype(np.float64), axis=1)
    normals[length < 1e-3] = [0, 0, 1]
    normals = (normals / np.linalg.norm(normals.astype(np.float64), axis=1)[:, None]).astype(
        np.float32
    )
    vertices = np.arange(12, dtype=np.int32) % 5
    found = tangents(values[:, :3], normals, values[:, 6:], vertices)
    assert np.allclose(np.linalg.norm(found[:, :3], axis=1), 1, atol=1e-5)
    assert np.allclose(np.einsum("ij,ij->i", found[:, :3], normals), 0, atol=1e-4)
    assert set(np.abs(found[:, 3]).tolist()) == {1.0}
