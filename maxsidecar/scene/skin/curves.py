"""How far the curves that Physique bends a mesh along are from straight links.

Facts: docs/format/skin.md, section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.skin.arrays import LinkWeights
from maxsidecar.scene.skin.joints import physique_tree
from maxsidecar.scene.skin.physique_views import Physique

__all__ = ["spline_difference"]

F64: TypeAlias = npt.NDArray[np.float64]


def spline_difference(
    lists: Sequence[LinkWeights], mesh_bind: F64, physique: Physique, places: F64 | None
) -> float | None:
    """Return how far the curves of Physique are beside its straight links, over the mesh's size.

    A vertex that bends along a link has a place along its curve and a distance from it; the same
    two measured from the straight link differ by so much, for 95 of 100 influences.

    Args:
        lists: Of each vertex.
        mesh_bind: (4, 4): from the mesh to the world when it was attached.
        physique: The modifier.
        places: (v, 3) the vertices, in the mesh's space.

    Returns:
        A number, or ``None`` where nothing bends along a curve.

    Raises:
        DecodeError: The tree is not stored as is known.
    """
    counts = np.array([len(value.words) for value in lists], np.int64)
    if places is None or len(places) != len(counts) or not counts.sum():
        return None
    words = np.concatenate([value.words for value in lists])
    numbers = np.ascontiguousarray(words[:, 0]).view("<i4").astype(np.int64)
    along, away = np.ascontiguousarray(words[:, 1:3]).view("<f4").astype(np.float64).T
    tree, binds = physique_tree(physique)
    starts = np.array([-1 if place is None else place.parent for place in tree], np.int64)
    known = np.array([matrix is not None for matrix in binds], np.bool_)
    origins = np.array([np.zeros(3) if m is None else m[3, :3] for m in binds]).reshape(-1, 3)
    end = np.clip(numbers, 0, max(len(tree) - 1, 0))
    start = starts[end]
    usable = (numbers > 0) & (numbers < len(tree)) & (start >= 0) & (start < len(tree))
    start = np.where(usable, start, 0)
    usable &= known[end] & known[start]
    axis = origins[end] - origins[start]
    length = np.linalg.norm(axis, axis=1)
    usable &= length > 0
    if not usable.any():
        return None
    # Numbers of a damaged file may be none; they tell nothing.
    with np.errstate(all="ignore"):
        world = places @ mesh_bind[:3, :3] + mesh_bind[3, :3]
        offset = np.repeat(world, counts, axis=0)[usable] - origins[start[usable]]
        axis = axis[usable] / length[usable, None]
        straight = np.einsum("ei,ei->e", offset, axis)
        radius = np.linalg.norm(offset - straight[:, None] * axis, axis=1)
        apart = np.hypot(straight - along[usable] * length[usable], radius - away[usable])
        size = float(np.linalg.norm(np.ptp(world, axis=0)))
        apart = apart[np.isfinite(apart)]
        return float(np.percentile(apart, 95)) / size if size > 0 and len(apart) else None
