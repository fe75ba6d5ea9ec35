"""Clusters and portals of an instance group, from meshes in the world.

(Spec: nel-export-rules, section 6, and what the game's sources say of ``CCluster`` and ``CPortal``;
measured on street.ig of the corpus.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import LimitError
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.shape.corners import bounding_box

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["PRECISION", "Volume", "flat", "inside", "polygon", "volume"]

#: Metres; both classes of the game have it.
PRECISION: Final = 0.005
#: Clusters and portals are boxes and the like; more than this is no such thing, and slow.
_MOST_PLANES: Final = 1024
_MOST_FACES: Final = 512


@dataclass(frozen=True, slots=True)
class Volume:
    """What makes a cluster.

    Attributes:
        planes: (p, 4) float32: a, b, c, d with the normal outwards.
        box: Box around the faces that gave planes.
        outside: How many faces lie outside a plane, so that the volume is not convex.
        flat: How many faces have no area and gave nothing.
    """

    planes: npt.NDArray[np.float32]
    box: CAABBox
    outside: int
    flat: int


def volume(points: npt.NDArray[np.float32], faces: npt.NDArray[np.int32]) -> Volume:
    """Return the convex volume that faces enclose.

    One face after the other gives its plane, unless all its corners are on a plane that is there
    already, or outside one.

    Args:
        points: (v, 3) float32, in the world.
        faces: (t, 3): vertices.

    Raises:
        LimitError: There are too many planes.
    """
    corners = points[faces].astype(np.float64)
    with np.errstate(all="ignore"):
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        good = np.isfinite(length) & (length > 0.0)
        normals = normals[good] / length[good, None]
    corners = corners[good]
    without = np.zeros(len(corners), bool)
    left = np.arange(len(corners))
    planes: list[npt.NDArray[np.float64]] = []
    used: list[int] = []
    outside = 0
    while len(left):
        first = int(left[0])
        if without[first]:
            outside += 1
            left = left[1:]
            continue
        if len(planes) == _MOST_PLANES:
            message = "the cluster has too many sides"
            raise LimitError(message, expected=f"up to {_MOST_PLANES} planes")
        normal = normals[first]
        plane = np.append(normal, -(normal @ corners[first, 0]))
        planes.append(plane)
        used.append(first)
        distance = corners[left] @ plane[:3] + plane[3]
        without[left] |= (distance > PRECISION).all(axis=1)
        on = (np.abs(distance) < PRECISION).all(axis=1)
        on[0] = True
        left = left[~on]
    center, half = bounding_box(corners[used].reshape(-1, 3).astype(np.float32))
    return Volume(
        np.array(planes, np.float32).reshape(-1, 4),
        CAABBox(center=center, half_size=half),
        outside,
        int(len(good) - good.sum()),
    )


def inside(
    planes: npt.NDArray[np.float32], points: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_]:
    """Return which points are in a volume, within the precision: (n,) bool."""
    if not len(planes):
        return np.ones(len(points), bool)
    kept = np.ones(len(points), bool)
    for plane in planes.astype(np.float64):
        with np.errstate(all="ignore"):
            kept &= ~(points.astype(np.float64) @ plane[:3] + plane[3] > PRECISION)
    return kept


def polygon(faces: npt.NDArray[np.int32]) -> list[int]:
    """Return the vertices around a flat mesh, in the order in which the plug-in finds them.

    It starts with the first face, and puts the third vertex of each further face between the two
    that it shares; faces that touch nothing are left out.

    Args:
        faces: (t, 3): vertices.

    Raises:
        LimitError: There are too many faces.
    """
    if len(faces) > _MOST_FACES:
        message = "the portal has too many faces"
        raise LimitError(message, expected=f"up to {_MOST_FACES}", found=len(faces))
    if not len(faces):
        return []
    around = [int(vertex) for vertex in faces[0]]
    waiting = [[int(vertex) for vertex in face] for face in faces[1:]]
    grown = True
    while grown:
        grown = False
        for number, face in enumerate(waiting):
            place = _shared(around, face)
            if place is not None:
                at, vertex = place
                around.insert(at, vertex)
                del waiting[number]
                grown = True
                break
    return around


def _shared(around: list[int], face: list[int]) -> tuple[int, int] | None:
    """Return where the third vertex of a face goes, ``None`` where it shares no edge."""
    for corner in range(3):
        one, two, third = face[corner], face[(corner + 1) % 3], face[(corner + 2) % 3]
        for place, vertex in enumerate(around):
            following = around[(place + 1) % len(around)]
            if (vertex, following) in ((one, two), (two, one)):
                return place + 1, third
    return None


def flat(points: npt.NDArray[np.float32]) -> bool:
    """Return whether a polygon is flat within the precision, and has three corners."""
    if len(points) < 3:
        return False
    p = points.astype(np.float64)
    with np.errstate(all="ignore"):
        normal = np.cross(p[1] - p[0], p[2] - p[0])
        normal = normal / np.linalg.norm(normal)
        return bool((np.abs((p - p[0]) @ normal) <= PRECISION).all())
