"""The neutral record of patches: Bezier surfaces with three or four sides.

Numbers of control points are those of the public SDK documentation (class ``Patch``): corners a,
b, c, d run counter-clockwise; handles are ab, ba, bc, cb and so on, two for each side, the first
one next to the corner where the side begins; each corner has an interior point next to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.geometry.stored.rpo import NelPatchMesh

__all__ = ["DEFAULT_STEPS", "PatchMap", "PatchMesh"]

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.bool_]

#: Steps that 3ds Max starts with.
DEFAULT_STEPS: Final = 5


@dataclass(slots=True)
class PatchMap:
    """Texture coordinates, or colours, of patches, with control points of their own.

    Attributes:
        vertices: (m, 3) float32.
        corners: (p, 4) int32: for each corner an index into ``vertices``, -1 for the fourth one
            of a triangle.
        handles: (p, 8) int32, -1 where there is none; a patch that lacks any is linear.
        interiors: (p, 4) int32, likewise.
    """

    vertices: F32
    corners: I32
    handles: I32
    interiors: I32


@dataclass(slots=True)
class PatchMesh:
    """Patches in object space, in units of the scene.

    Attributes:
        vertices: (v, 3) float32: what the corners are at.
        vectors: (w, 3) float32: handles and interior points, as absolute positions.
        corners: (p, 4) int32: indices into ``vertices``, -1 for the fourth one of a triangle.
        handles: (p, 8) int32: indices into ``vectors``; the last two are -1 for a triangle.
        interiors: (p, 4) int32: indices into ``vectors``; the last one is -1 for a triangle.
        smoothing: (p,) uint32: smoothing groups.
        material_ids: (p,) int32, from 0.
        linear_maps: (p,) bool: whether maps are linear from corner to corner.
        maps: Map channels by number, as those of a :class:`Mesh`.
        steps: Points between the two ends of a side when it is divided.
        render_steps: The same for renders; ``None`` when it is not known.
        show_interior: Whether edges inside of patches are shown.
        nel: What NeL keeps for each patch and vertex; ``None`` for patches of 3ds Max.
    """

    vertices: F32
    vectors: F32
    corners: I32
    handles: I32
    interiors: I32
    smoothing: U32
    material_ids: I32
    linear_maps: Bits
    maps: dict[int, PatchMap] = field(default_factory=dict)
    steps: int = DEFAULT_STEPS
    render_steps: int | None = None
    show_interior: bool = True
    nel: NelPatchMesh | None = None

    @property
    def patch_count(self) -> int:
        """Number of patches."""
        return len(self.corners)

    @property
    def quads(self) -> Bits:
        """(p,) bool: whether a patch has four sides."""
        return self.corners[:, 3] >= 0

    def to_mesh(self) -> Mesh:
        """Return the patches, each side divided into ``steps + 1`` parts.

        The surface is that of 3ds Max by its public documentation; the order of vertices and faces,
        and which diagonal divides a cell, no file proves.

        Raises:
            NotSupportedError: There are too many steps or patches.
        """
        from maxsidecar.scene.geometry.patch_division import divided

        return divided(self)
