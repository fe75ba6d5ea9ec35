"""What it costs to let an edge of a mesh shrink (spec: nel-export-rules 3.4).

The length of the edge counts, times the curvature at its ends, four times where it crosses a
border between values or materials.  The plug-in takes the curvature from the first faces of the
mesh, as many as a point has faces, and not from the faces of the point: it is done so here too,
since other costs would give other levels than those that artists know.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from maxsidecar.nel.shape.mrm_state import State

__all__ = ["Costs"]

#: Flat surroundings count as this much curvature.
_LEAST_CURVATURE: Final = 0.01
_ACROSS: Final = 4.0
#: Faces whose normals are kept, at least.
_FIRST: Final = 32


class Costs:
    """Costs of edges, and what they depend on; what is known of points is kept.

    Args:
        state: The mesh.
    """

    def __init__(self, state: State) -> None:
        """Nothing is known yet."""
        self.state = state
        self._smooth: dict[int, bool] = {}
        self._places: dict[int, tuple[float, float, float]] = {}
        self._bends: list[float] = []
        self._watched: set[int] = set()

    def forget(self, vertices: set[int]) -> None:
        """Forget what is known of points, since they or their faces changed."""
        for vertex in vertices:
            self._smooth.pop(vertex, None)
            self._places.pop(vertex, None)
        if not self._watched.isdisjoint(vertices):
            self._bends = []

    def of_edge(self, one: int, two: int) -> float:
        """Return what an edge costs."""
        around = self.state.around
        a, b = self._place(one), self._place(two)
        x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
        bend = self._bend(len(around[one])) + self._bend(len(around[two]))
        cost = sqrt(x * x + y * y + z * z) * max(bend, _LEAST_CURVATURE)
        # Along a border it is cheap, unless a patch of one face would go.
        between = not self.is_smooth(one) and not self.is_smooth(two)
        if between and (self._crosses(one, two) or self._in_patch(one, two)):
            cost *= _ACROSS
        return cost

    def _place(self, vertex: int) -> tuple[float, float, float]:
        found = self._places.get(vertex)
        if found is None:
            x, y, z = self.state.points[vertex, :3].tolist()
            found = self._places[vertex] = x, y, z
        return found

    def is_smooth(self, vertex: int) -> bool:
        """Return whether all faces at a point have the same material and the same values there."""
        known = self._smooth.get(vertex)
        if known is None:
            known = self._smooth[vertex] = self._same(self.state.around[vertex], (vertex,))
        return known

    def is_closed(self, vertex: int) -> bool:
        """Return whether the faces at a point go all around it."""
        times: dict[int, int] = {}
        for face in self.state.around[vertex]:
            for other in self.state.faces[face]:
                if other != vertex:
                    times[other] = times.get(other, 0) + 1
        return all(number >= 2 for number in times.values())

    def _same(self, faces: list[int], vertices: tuple[int, ...]) -> bool:
        state = self.state
        if len(faces) < 2:
            return True
        first = faces[0]
        for face in faces[1:]:
            if state.materials[face] != state.materials[first]:
                return False
            for attribute in range(len(state.values)):
                for vertex in vertices:
                    if state.wedge(face, attribute, vertex) != state.wedge(
                        first, attribute, vertex
                    ):
                        return False
        return True

    def _crosses(self, one: int, two: int) -> bool:
        """Return whether the faces at an edge agree, so that the edge is no border itself."""
        return self._same(self.state.at_edge(one, two), (one, two))

    def _in_patch(self, one: int, two: int) -> bool:
        """Return whether a face at an edge has borders all around."""
        for face in self.state.at_edge(one, two):
            a, b, c = self.state.faces[face]
            if not (self._crosses(a, b) or self._crosses(b, c) or self._crosses(c, a)):
                return True
        return False

    def _bend(self, count: int) -> float:
        """Return the mean of 1 - cosine between the first face of the mesh and the next ones."""
        if count < 2:
            return 0.0
        if len(self._bends) < count:
            self._measure(max(count, _FIRST))
        return self._bends[count - 1] / (count - 1)

    def _measure(self, count: int) -> None:
        faces = np.array(self.state.faces[:count], np.int64)
        corners = self.state.points[faces, :3].astype(np.float64)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.where(length > 0, normals / np.where(length > 0, length, 1.0), 0.0)
        bends = 1.0 - normals @ normals[0]
        bends[0] = 0.0
        self._bends = np.cumsum(bends).tolist()
        self._bends += [self._bends[-1]] * (count - len(self._bends))
        self._watched = set(faces.reshape(-1).tolist())
