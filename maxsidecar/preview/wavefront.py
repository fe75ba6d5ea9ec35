"""Wavefront OBJ and MTL: polygons, texture coordinates, normals, groups and materials by name.

Coordinates are those of the scene's world, with nine digits, which is what a float32 needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.preview.collect import ShownNode
from maxsidecar.preview.packed import normal_keys
from maxsidecar.preview.placed import cofactors, mirrors, placed
from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.geometry.polygons import to_polygons, to_triangles

if TYPE_CHECKING:
    from maxsidecar.preview.surfaces import Surface
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["Wavefront", "write_obj"]

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Lines that are made at a time.
_LINES: Final = 1 << 15
#: Normals are written with so many decimals.
_DECIMALS: Final = 6
_CHANNEL: Final = 1
_LEAST_CORNERS: Final = 3


@dataclass(slots=True)
class Wavefront:
    """The two files.

    Attributes:
        obj: Pieces of the OBJ file.
        mtl: The MTL file.
    """

    obj: list[bytes] = field(default_factory=list)
    mtl: bytes = b""


def write_obj(
    chosen: Sequence[tuple[ShownNode, Mesh]],
    library: str,
    *,
    triangles: bool = False,
    y_up: bool = False,
) -> Wavefront:
    """Return meshes as OBJ and MTL.

    Args:
        chosen: Nodes that have a place, with their meshes.
        library: Name of the MTL file.
        triangles: Write the triangles that 3ds Max makes of the polygons.
        y_up: Turn Z up to Y up.
    """
    return _Writer(library, triangles, y_up).write(chosen)


class _Names:
    """Names that are one word, none of them twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def word(self, name: str, instead: str) -> str:
        text = "".join(c if c.isprintable() and not c.isspace() else "_" for c in name)
        # Some readers take a number sign anywhere for a comment.
        text = text.replace("#", "_") or instead
        word, number = text, 2
        while word in self._taken:
            word, number = f"{text}_{number}", number + 1
        self._taken.add(word)
        return word


class _Writer:
    def __init__(self, library: str, triangles: bool, y_up: bool) -> None:
        self.triangles, self.y_up = triangles, y_up
        self.out = Wavefront()
        self.groups, self.names = _Names(), _Names()
        self.materials: dict[Surface, str] = {}
        self.base = [1, 1, 1]  # numbers of the next vertex, coordinate and normal
        self._line(f"mtllib {_one_line(library)}")

    def write(self, chosen: Iterable[tuple[ShownNode, Mesh]]) -> Wavefront:
        for node, mesh in chosen:
            self._node(node, to_triangles(mesh) if self.triangles else _polygons(mesh))
        self.out.mtl = "".join(
            _material(surface, name) for surface, name in self.materials.items()
        ).encode("utf-8", "replace")
        return self.out

    def _line(self, text: str) -> None:
        self.out.obj.append(f"{text}\n".encode("utf-8", "replace"))

    def _rows(self, form: str, rows: npt.NDArray[Any]) -> None:
        for begin in range(0, len(rows), _LINES):
            part = rows[begin : begin + _LINES]
            self.out.obj.append((form * len(part) % tuple(part.reshape(-1).tolist())).encode())

    def _node(self, node: ShownNode, mesh: Mesh) -> None:
        name = self.groups.word(node.name, f"node_{node.id.removeprefix('#')}")
        self._line(f"o {name}")
        self._line(f"g {name}")
        world = np.eye(4) if node.world is None else node.world
        self._rows("v %.9g %.9g %.9g\n", self._turned(placed(node, mesh.positions)))
        columns = [mesh.corners.astype(np.int64) + self.base[0]]
        coordinates = 0
        channel = mesh.maps.get(_CHANNEL)
        if channel is not None:
            coordinates = len(channel.vertices)
            self._rows("vt %.9g %.9g\n", np.nan_to_num(channel.vertices[:, :2]))
            columns.append(channel.corners.astype(np.int64) + self.base[1])
        normals, number = self._normals(mesh, world)
        self._rows(f"vn{f' %.{_DECIMALS}f' * 3}\n", normals)
        columns.append(number + self.base[2])
        self._faces(node, mesh, np.stack(columns, axis=1), mirrors(world))
        self.base[0] += len(mesh.positions)
        self.base[1] += coordinates
        self.base[2] += len(normals)

    def _turned(self, rows: F64) -> F64:
        return np.stack([rows[:, 0], rows[:, 2], -rows[:, 1]], axis=1) if self.y_up else rows

    def _normals(self, mesh: Mesh, world: F64) -> tuple[F64, Ints]:
        """Return the normals that occur, and that of each corner."""
        rows = corner_normals(mesh).astype(np.float64) @ cofactors(world)
        length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows = np.nan_to_num(rows / np.where(length > 0, length, 1.0)[:, None])
        whole = np.rint(self._turned(rows) * 10**_DECIMALS).astype(np.int64)
        _, first, number = np.unique(normal_keys(whole), return_index=True, return_inverse=True)
        # Adding 0 takes the sign from what is nothing.
        return whole[first] / 10**_DECIMALS + 0.0, number.reshape(-1).astype(np.int64)

    def _faces(self, node: ShownNode, mesh: Mesh, columns: Ints, inside_out: bool) -> None:
        """Write the polygons, those of one material and smoothing group together."""
        one = " %d/%d/%d" if columns.shape[1] == _LEAST_CORNERS else " %d//%d"
        degrees = mesh.degrees.astype(np.int64)
        smoothing, ids = mesh.smoothing.astype(np.int64), mesh.material_ids.astype(np.int64)
        order = np.lexsort((smoothing, ids))
        order = order[degrees[order] >= _LEAST_CORNERS]
        change = (np.diff(ids[order]) != 0) | (np.diff(smoothing[order]) != 0)
        bounds = [0, *(np.nonzero(change)[0] + 1).tolist(), len(order)]
        material = None
        for begin, end in pairwise(bounds):
            if begin == end:
                continue
            first = order[begin]
            surface = node.surfaces[int(ids[first])]
            if surface != material:
                material = surface
                self._line(f"usemtl {self._material(node, surface)}")
            self._line(f"s {smoothing[first] or 'off'}")
            for at in range(begin, end, _LINES):
                chosen = order[at : min(at + _LINES, end)]
                self._polygons(mesh, chosen, columns, one, inside_out)

    def _polygons(
        self, mesh: Mesh, chosen: Ints, columns: Ints, one: str, inside_out: bool
    ) -> None:
        counts = mesh.degrees[chosen].astype(np.int64)
        starts = np.cumsum(counts) - counts
        local = np.arange(int(counts.sum())) - np.repeat(starts, counts)
        if inside_out:
            local = -local % np.repeat(counts, counts)
        corners = np.repeat(mesh.starts[chosen].astype(np.int64), counts) + local
        forms = {count: f"f{one * count}\n" for count in np.unique(counts).tolist()}
        form = "".join([forms[count] for count in counts.tolist()])
        self.out.obj.append((form % tuple(columns[corners].reshape(-1).tolist())).encode())

    def _material(self, node: ShownNode, surface: Surface) -> str:
        if surface not in self.materials:
            instead = f"material_{surface.index}"
            if surface.index < 0:
                instead = "wire_" + "".join(f"{round(255 * part):02x}" for part in surface.color)
            self.materials[surface] = self.names.word(surface.name, instead)
        return self.materials[surface]


def _polygons(mesh: Mesh) -> Mesh:
    """Return a mesh with its triangles joined over hidden edges, where nothing is lost by that."""
    if mesh.is_polygons:
        return mesh
    twins, following = twin_corners(mesh), mesh.next_corners
    polygon = mesh.corner_polygons
    other = polygon[twins]
    differs = (mesh.material_ids[polygon] != mesh.material_ids[other]) | (
        mesh.smoothing[polygon] != mesh.smoothing[other]
    )
    if mesh.normals is not None:
        number = mesh.normals.corners
        differs |= (number != number[following[twins]]) | (number[following] != number[twins])
    apart = replace(mesh, edge_visible=mesh.edge_visible | ((twins >= 0) & differs))
    return to_polygons(apart, across_seams=False)


def _material(surface: Surface, name: str) -> str:
    red, green, blue = surface.color
    lines = [f"newmtl {name}", f"Kd {red:.6g} {green:.6g} {blue:.6g}", f"d {surface.opacity:.6g}"]
    lines += [f"Pr {surface.roughness:.6g}", f"Pm {surface.metalness:.6g}"]
    if surface.picture:
        lines.append(f"map_Kd {_one_line(surface.picture)}")
    return "\n".join(lines) + "\n\n"


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "_" for c in text)
