"""PLY, STL and OFF, through ``trimesh`` (the extra ``maxsidecar[mesh]``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.preview.placed import mirrors, placed

if TYPE_CHECKING:
    from maxsidecar.preview.collect import ShownNode
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["MissingPackageError", "write_triangles"]


class MissingPackageError(MaxSidecarError):
    """An optional package is not installed."""


def write_triangles(
    chosen: Sequence[tuple[ShownNode, Mesh]], kind: str, *, y_up: bool = False
) -> bytes:
    """Return the triangles of meshes as one mesh in a file.

    Vertices are shared as in the scene, and keep their order.

    Args:
        chosen: Nodes that have a place, with their meshes.
        kind: ``"ply"``, ``"stl"`` or ``"off"``.
        y_up: Turn Z up to Y up.

    Raises:
        MissingPackageError: trimesh is not installed.
    """
    try:
        import trimesh
    except ImportError:
        raise MissingPackageError(
            f"writing .{kind} needs trimesh: pip install 'maxsidecar[mesh]'"
        ) from None
    points, faces, base = [], [], 0
    for node, mesh in chosen:
        own = placed(node, mesh.positions)
        triangles = mesh.faces.astype(np.int64)
        # In a mirrored node the outside would be inside.
        turned = node.world is not None and mirrors(node.world)
        faces.append((triangles[:, ::-1] if turned else triangles) + base)
        points.append(np.stack([own[:, 0], own[:, 2], -own[:, 1]], axis=1) if y_up else own)
        base += len(own)
    # Processing would merge vertices.
    whole = trimesh.Trimesh(np.concatenate(points), np.concatenate(faces), process=False)
    data = whole.export(file_type=kind)
    return data.encode("ascii") if isinstance(data, str) else bytes(data)
