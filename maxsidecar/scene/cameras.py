"""Cameras: target and free ones, the physical camera.

Statuses and proofs are in docs/format/lights-cameras.md.  Cameras look along the -Z axis of their
node, +Y is up.  Values that can be animated take a time in ticks (1/4800 s).
"""

from __future__ import annotations

from math import atan, hypot, radians, tan
from typing import Final

from maxsidecar.io.fields import MARK
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.animated import number_at
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register
from maxsidecar.scene.targets import target_of

__all__ = ["Camera", "PhysicalCamera", "StandardCamera", "target_distance", "vertical_fov"]

CAMERA: Final = 0x20


@register(superclass=CAMERA)
class Camera(SceneObject):
    """Any camera."""

    __slots__ = ()

    def fov(self, time: int = 0) -> float | None:
        """Return the horizontal angle of view in radians; ``None`` when not known.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def clipping(self, time: int = 0) -> tuple[float, float] | None:
        """Return near and far plane, in units of the file; ``None`` when not known.

        Raises:
            DecodeError: They cannot be read.
        """
        near, far = number_at(self, "near_clip", time), number_at(self, "far_clip", time)
        return None if near is None or far is None else (near, far)


class StandardCamera(Camera):
    """A target camera or a free camera."""

    __slots__ = ()
    has_target = ChunkField(0x2682, MARK, default=False, doc="there on all target cameras")
    chunk_2684 = ChunkField(0x2684, MARK, default=False, doc="open")
    chunk_2686 = ChunkField(0x2686, MARK, default=False, doc="open; display of ranges (likely)")
    clip_manually = ChunkField(0x2688, MARK, default=False, doc="the planes are used (likely)")
    chunk_268a = ChunkField(0x268A, MARK, default=False, doc="open")
    chunk_268c = ChunkField(0x268C, MARK, default=False, doc="open")

    def fov(self, time: int = 0) -> float | None:
        """Return the horizontal angle of view in radians.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "fov", time)

    def stored_target_distance(self, time: int = 0) -> float | None:
        """Return the target distance, in units of the file; stale on target cameras.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "target_distance", time)


for _a in (0x1001, 0x1002):
    register(superclass=CAMERA, class_id=(_a, 0))(StandardCamera)


@register(superclass=CAMERA, class_id=(0x46697218, 0x28E8008D))
class PhysicalCamera(Camera):
    """A physical camera."""

    __slots__ = ()

    def fov(self, time: int = 0) -> float | None:
        """Return the angle of view in radians.

        The stored angle, in degrees, is the horizontal one (likely: in the one scene that has the
        camera it is within 0.01 degrees of 2 atan(w / 2 f), for film width w, focal length f).

        Raises:
            DecodeError: It cannot be read.
        """
        angle = number_at(self, "fov", time)
        return None if angle is None else radians(angle)

    def focal_length(self, time: int = 0) -> float | None:
        """Return the focal length in millimetres."""
        return number_at(self, "focal_length", time)

    def film_width(self, time: int = 0) -> float | None:
        """Return the width of the film in millimetres."""
        return number_at(self, "film_width", time)


def vertical_fov(fov: float, aspect: float) -> float:
    """Return the vertical angle of view.

    Args:
        fov: Horizontal angle in radians.
        aspect: Width of the picture through its height.

    Returns:
        Radians (measured: ``yfov`` of 6 exported cameras, at 640 x 480).
    """
    return 2 * atan(tan(fov / 2) / aspect)


def target_distance(node: Node, time: int = 0) -> float | None:
    """Return how far the target of a camera's node is, in units of the file.

    With a target node it is the distance to it in the world; else the distance that the camera
    stores; ``None`` when there is neither.

    Raises:
        DecodeError: What it depends on cannot be read.
    """
    target = target_of(node)
    if target is not None:
        here, there = node.world_matrix(time)[3], target.world_matrix(time)[3]
        return hypot(*(float(there[i]) - float(here[i]) for i in range(3)))
    camera = node.base_object
    return camera.stored_target_distance(time) if isinstance(camera, StandardCamera) else None
