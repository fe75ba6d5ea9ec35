"""Which joints pull at which vertices, whether Skin or Physique says so: one neutral record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.stacks import Layer

__all__ = ["SkinBinding", "gather", "limited"]

F64: TypeAlias = npt.NDArray[np.float64]
I32: TypeAlias = npt.NDArray[np.int32]


@dataclass(slots=True, eq=False)
class SkinBinding:
    """A mesh bound to joints.

    At time t a vertex is at ``sum(w · (v · mesh_bind · inverse(bind[j]) · world[j](t)))`` in the
    world, wherever the mesh's node is.

    Attributes:
        kind: The modifier that binds.
        layer: The modifier in its stack.
        joints: Nodes, each one once unless it was bound with several matrices.
        bind: (j, 4, 4) row-vector matrices: world matrix of each joint when the mesh was bound.
        mesh_bind: (4, 4): from the vertices to the world when they were bound.
        starts: (v + 1,) int32: first entry of each vertex, and the number of entries at the end.
        joint: (e,) int32: joint of each entry, a vertex has a joint once.
        weight: (e,) float64 above 0; those of a vertex sum to 1.
        loose: Number of vertices that no joint pulls at in the file; they have the mesh's own node
            as a joint, which is the last one.
        notes: What is not as in 3ds Max.
    """

    kind: Literal["Skin", "Physique"]
    layer: Layer
    joints: tuple[Node, ...]
    bind: F64
    mesh_bind: F64
    starts: I32
    joint: I32
    weight: F64
    loose: int = 0
    notes: tuple[str, ...] = ()

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self.starts) - 1

    @property
    def counts(self) -> I32:
        """(v,) int32: number of joints of each vertex."""
        return np.diff(self.starts)

    @property
    def vertex(self) -> I32:
        """(e,) int32: vertex of each entry."""
        return np.repeat(np.arange(self.vertex_count, dtype=np.int32), self.counts)

    def dense(self) -> F64:
        """Return the weights as a table, (v, j) float64."""
        out = np.zeros((self.vertex_count, len(self.joints)))
        out[self.vertex, self.joint] = self.weight
        return out

    def with_entries(
        self, vertex: npt.ArrayLike, joint: npt.ArrayLike, weight: F64, count: int
    ) -> SkinBinding:
        """Return the same joints with other vertices, see :func:`gather`."""
        starts, joints, weights = gather(vertex, joint, weight, count, len(self.joints))
        return replace(self, starts=starts, joint=joints, weight=weights)


def gather(
    vertex: npt.ArrayLike, joint: npt.ArrayLike, weight: npt.ArrayLike, count: int, joints: int
) -> tuple[I32, I32, F64]:
    """Sort entries by vertex, add up those of the same joint, and let each vertex sum to 1.

    Entries that are not above 0 are dropped; so are vertices' lists whose sum is not.

    Args:
        vertex: (e,) vertex of each entry.
        joint: (e,) joint of each entry.
        weight: (e,) weight of each entry.
        count: Number of vertices.
        joints: Number of joints.

    Returns:
        ``starts``, ``joint`` and ``weight`` as in :class:`SkinBinding`, by joint in a vertex.
    """
    weights = np.asarray(weight, np.float64)
    keep = np.isfinite(weights) & (weights > 0)
    vertices = np.asarray(vertex, np.int64)[keep]
    numbers = np.asarray(joint, np.int64)[keep]
    width = max(joints, 1)
    keys, place = np.unique(vertices * width + numbers, return_inverse=True)
    summed = np.bincount(place, weights[keep], len(keys))
    vertices = keys // width
    total = np.bincount(vertices, summed, count)
    starts = np.zeros(count + 1, np.int32)
    starts[1:] = np.cumsum(np.bincount(vertices, minlength=count))
    return starts, (keys % width).astype(np.int32), summed / total[vertices]


def limited(binding: SkinBinding, most: int) -> SkinBinding:
    """Return the binding with no more than so many joints for each vertex: the strongest."""
    counts = binding.counts
    if not len(counts) or int(counts.max()) <= most:
        return binding
    vertex = binding.vertex
    order = np.lexsort((-binding.weight, vertex))
    rank = np.arange(len(order)) - binding.starts[:-1][vertex[order]]
    kept = order[rank < most]
    return binding.with_entries(
        vertex[kept], binding.joint[kept], binding.weight[kept], binding.vertex_count
    )
