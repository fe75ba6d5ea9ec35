"""Edges of meshes in which any number of polygons may meet."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Mesh

_vertex = st.integers(0, 4)


@given(st.lists(st.tuples(_vertex, _vertex, _vertex), max_size=12))
def test_twins_are_matched_in_their_order(faces: list[tuple[int, int, int]]) -> None:
    mesh = Mesh.of_triangles(np.zeros((5, 3), np.float32), np.array(faces, np.int32).reshape(-1, 3))
    sides = [(face[i], face[(i + 1) % 3]) for face in faces for i in range(3)]
    waiting: dict[tuple[int, int], list[int]] = {}
    for number, side in enumerate(sides):
        waiting.setdefault(side, []).append(number)
    expected = [-1] * len(sides)
    for (a, b), numbers in waiting.items():
        if a != b:
            for one, other in zip(numbers, waiting.get((b, a), []), strict=False):
                expected[one] = other
    assert twin_corners(mesh).tolist() == expected
    edges = edge_list(mesh, twin_corners(mesh))
    assert len(edges.vertices) == sum(other < 0 or other > n for n, other in enumerate(expected))
