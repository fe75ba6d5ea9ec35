"""Editable Mesh and Editable Poly: objects that hold a mesh.

Class ids and chunks: docs/format/mesh.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.stored.layouts import EDITABLE_MESH, EDITABLE_POLY, MESH
from maxsidecar.scene.layouts import LaidOut
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["EDITABLE_MESH_ID", "EDITABLE_POLY_ID", "EditableMesh", "EditablePoly", "StoredMesh"]

GEOMETRY: Final = 0x10
EDITABLE_MESH_ID: Final = (0xE44F10B3, 0)
EDITABLE_POLY_ID: Final = (0x1BF8338D, 0x192F6098)


class StoredMesh(LaidOut):
    """An object that holds a mesh."""

    __slots__ = ()

    def mesh_container(self) -> Chunk | None:
        """Return the container of the mesh, ``None`` where there is none."""
        chunk = self.find(MESH)
        return chunk if chunk is not None and chunk.container else None

    def read_mesh(self) -> Mesh | None:
        """Return the mesh as it is stored; ``None`` where there is none.

        Raises:
            DecodeError: It is not stored as is known.
        """
        raise NotImplementedError


@register(superclass=GEOMETRY, class_id=EDITABLE_MESH_ID)
class EditableMesh(StoredMesh):
    """A mesh of triangles."""

    __slots__ = ()
    layout = EDITABLE_MESH

    def read_mesh(self) -> Mesh | None:
        """Return the mesh as it is stored; ``None`` where there is none.

        Raises:
            DecodeError: It is not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.read_tri import read_tri

        chunk = self.mesh_container()
        return None if chunk is None else read_tri(chunk)


@register(superclass=GEOMETRY, class_id=EDITABLE_POLY_ID)
class EditablePoly(StoredMesh):
    """A mesh of polygons."""

    __slots__ = ()
    layout = EDITABLE_POLY

    def read_mesh(self) -> Mesh | None:
        """Return the mesh as it is stored; ``None`` where there is none.

        Dead vertices, edges and faces are left out.

        Raises:
            DecodeError: It is not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.read_poly import read_poly

        chunk = self.mesh_container()
        return None if chunk is None else read_poly(chunk)
