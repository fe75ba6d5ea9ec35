"""Editable Mesh and Editable Poly: objects that hold a mesh.

Class ids and chunks: docs/format/mesh.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.controllers.base import Point3Controller
from maxsidecar.scene.geometry.stored.layouts import (
    BOOLEAN_RESULT,
    EDITABLE_MESH,
    EDITABLE_POLY,
    MESH,
)
from maxsidecar.scene.layouts import LaidOut
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.edit import Origins
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = [
    "EDITABLE_MESH_ID",
    "EDITABLE_POLY_ID",
    "PRO_BOOLEAN_ID",
    "PRO_CUTTER_ID",
    "BooleanResult",
    "EditableMesh",
    "EditablePoly",
    "StoredMesh",
]

GEOMETRY: Final = 0x10
#: Parameters of an Editable Poly, see :attr:`EditablePoly.subdivisions`.
_SUBDIVIDED, _TIMES, _RENDER_TIMES, _OWN_RENDER_TIMES = 23, 25, 27, 29
#: Number of vertices that have a controller.
_POINT_CONTROLLERS: Final = 0x3002
EDITABLE_MESH_ID: Final = (0xE44F10B3, 0)
EDITABLE_POLY_ID: Final = (0x1BF8338D, 0x192F6098)
PRO_BOOLEAN_ID: Final = (0x31CEA620, 0x2257F993)
PRO_CUTTER_ID: Final = (0x1D121A84, 0x64994009)
RESULT: Final = 0x0150


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

    def write_mesh(self, mesh: Mesh, origins: Origins | None = None) -> bool:
        """Put a changed mesh in place of the stored one.

        Only chunks whose content changes are rewritten.  Everything that depends on the numbers of
        vertices and faces follows: hidden and selected ones, weights, normals, edges.

        Args:
            mesh: The new mesh.
            origins: Which stored vertices and polygons the new ones come from, see
                :mod:`maxsidecar.scene.geometry.edit`; ``None``: the same ones where there are as
                many, else all are new.

        Returns:
            Whether anything changed.

        Raises:
            EditError: The mesh does not fit, or cannot be stored here; nothing is changed then.
            DecodeError: The stored mesh is not stored as is known, so it is read-only.
        """
        from maxsidecar.scene.finite import check_finite_mesh

        chunk = self.mesh_container()
        if chunk is None:
            raise EditError("the object holds no mesh", self.where)
        check_finite_mesh(mesh, self.read_mesh)
        count = self.find(_POINT_CONTROLLERS)
        if count is not None and any(count.data):
            self._check_controllers(mesh, origins)
        return self._write(chunk, mesh, origins)

    @property
    def vertex_controllers(self) -> dict[int, Point3Controller]:
        """Controllers of vertices, by number of the vertex; few meshes have any.

        Reference slot n + 1 is the controller of vertex n (16 of 16 hold its position).

        Raises:
            DecodeError: The reference list has an impossible size.
        """
        found = ((slot - 1, self.reference(slot)) for slot in self.references if slot)
        return {vertex: obj for vertex, obj in found if isinstance(obj, Point3Controller)}

    def _check_controllers(self, mesh: Mesh, origins: Origins | None) -> None:
        """Refuse to move vertices that a controller moves, and to renumber vertices."""
        old = self.read_mesh()
        if old is None:
            return
        given = None if origins is None else origins.vertices
        same_number = len(old.positions) == len(mesh.positions)
        if not same_number or (given is not None and list(given) != list(range(len(given)))):
            raise EditError("vertices have controllers, so they cannot be renumbered", self.where)
        for vertex in self.vertex_controllers:
            if vertex < len(old.positions) and any(old.positions[vertex] != mesh.positions[vertex]):
                raise EditError(f"vertex {vertex} is where its controller says", self.where)

    def _write(self, chunk: Chunk, mesh: Mesh, origins: Origins | None) -> bool:
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

    def _write(self, chunk: Chunk, mesh: Mesh, origins: Origins | None) -> bool:
        from maxsidecar.scene.geometry.stored.write_tri import write_tri

        return write_tri(chunk, mesh, self.scene.version, origins)


@register(superclass=GEOMETRY, class_id=EDITABLE_POLY_ID)
class EditablePoly(StoredMesh):
    """A mesh of polygons."""

    __slots__ = ()
    layout = EDITABLE_POLY

    @property
    def subdivisions(self) -> int:
        """How often 3ds Max divides the surface when it renders it; mostly 0.

        Parameter 23 switches it on, 25 says how often, 27 how often in renders where 29 is set
        (likely: order and types of the parameters; two real meshes have it on, 0 times, and are
        not divided in their export).

        Raises:
            DecodeError: The parameters cannot be read.
        """
        from maxsidecar.scene.params.block import ParamBlockBase

        block = self.reference(0)
        if not isinstance(block, ParamBlockBase):
            return 0
        on, usual, render, own = (
            None if found is None else found.value
            for found in map(block.get, (_SUBDIVIDED, _TIMES, _RENDER_TIMES, _OWN_RENDER_TIMES))
        )
        times = (render if own is True else usual) if on is True else 0
        return times if isinstance(times, int) and times > 0 else 0

    def read_mesh(self) -> Mesh | None:
        """Return the mesh as it is stored; ``None`` where there is none.

        Dead vertices, edges and faces are left out.

        Raises:
            DecodeError: It is not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.read_poly import read_poly

        chunk = self.mesh_container()
        return None if chunk is None else read_poly(chunk)

    def _write(self, chunk: Chunk, mesh: Mesh, origins: Origins | None) -> bool:
        from maxsidecar.scene.geometry.stored.write_poly import write_poly

        return write_poly(chunk, mesh, self.scene.version, origins)


@register(superclass=GEOMETRY, class_id=PRO_BOOLEAN_ID)
@register(superclass=GEOMETRY, class_id=PRO_CUTTER_ID)
class BooleanResult(LaidOut):
    """A ProBoolean or ProCutter: operands by reference, and the mesh that came out."""

    __slots__ = ()
    layout = BOOLEAN_RESULT

    def read_mesh(self) -> Mesh | None:
        """Return the result; ``None`` where there is none.

        Raises:
            DecodeError: It is not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.read_tri import read_tri

        chunk = self.find(RESULT)
        return None if chunk is None or not chunk.container else read_tri(chunk)
