"""Smoothing groups around vertices."""

from __future__ import annotations

from math import cos, radians

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.face_sets import face_normals
from maxsidecar.scene.modifiers.smooth import auto_smooth


@given(st.lists(st.integers(0, 3), min_size=12, max_size=12), st.sampled_from([20.0, 45.0, 80.0]))
def test_faces_share_a_group_where_they_touch_at_a_small_angle(
    heights: list[int], degrees: float
) -> None:
    """A field of 4 by 3 points: faces that touch at a vertex or an edge, in one set of faces."""
    points = [(x, y, heights[4 * y + x]) for y in range(3) for x in range(4)]
    corners = [4 * y + x for y in (0, 1) for x in range(3)]
    faces = [f for c in corners for f in ((c, c + 1, c + 5), (c + 5, c + 4, c))]
    mesh = Mesh.of_triangles(np.array(points, np.float32), np.array(faces, np.int32))
    plain, _ = auto_smooth(mesh, radians(degrees))
    groups, leaks = auto_smooth(mesh, radians(degrees), prevent=True)
    assert leaks == 0
    normals = face_normals(mesh)
    for one, first in enumerate(faces):
        for other, second in enumerate(faces[:one]):
            if set(first) & set(second) and plain[one] == plain[other]:
                near = normals[one] @ normals[other] > cos(radians(degrees))
                assert bool(groups[one] & groups[other]) == near
