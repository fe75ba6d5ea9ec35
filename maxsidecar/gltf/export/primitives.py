"""A mesh of the scene as glTF primitives: one for each material, with welded vertices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import TURN
from maxsidecar.gltf.export.channels import texture_channels
from maxsidecar.gltf.export.tangents import tangents
from maxsidecar.gltf.export.welding import weld
from maxsidecar.scene.geometry.mesh import ALPHA, COLOR, ILLUMINATION
from maxsidecar.scene.geometry.normals import triangle_normals

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["Built", "build_primitives", "line_primitive"]

Array = npt.NDArray[Any]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

#: Products of such coordinates and a node's matrix still fit into 32-bit floats.
_FARTHEST: Final = 1e18
#: How far squares of lengths may be from 1.
_UNIT: Final = 1e-5
_BAD_POINTS: Final = "coordinates that are no numbers, or far too large, went to the origin"
_BAD_MAPS: Final = "texture coordinates or colours that are no numbers became 0"


@dataclass(slots=True)
class Built:
    """Primitives of a mesh.

    Attributes:
        primitives: One for each material, by the lowest of its material ids; behind them those
            for backs of faces that have a material of their own.
        vertices: For each of them (n,) int32: the scene mesh's vertex of each vertex.
        corners: For each of them (i,): for each index the place among the corners of the scene
            mesh's triangles.
        groups: For each material id that is used, ascending, the number of its primitive.
        reasons: What is not as the scene has it.
    """

    primitives: list[model.Primitive] = field(default_factory=list)
    vertices: list[npt.NDArray[np.int32]] = field(default_factory=list)
    corners: list[npt.NDArray[np.int64]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def build_primitives(
    mesh: Mesh,
    to_gltf: F64,
    material: Callable[[int], model.Material | None],
    *,
    back: Callable[[int], model.Material | None] | None = None,
    numbered: bool = True,
) -> Built:
    """Return the primitives of a mesh whose indices are sound.

    Args:
        mesh: The mesh, in object space.
        to_gltf: (4, 4) row-vector matrix to the space of the glTF node.
        material: Gives the material for a material id.
        back: Gives the material for the backs of faces with a material id, if they have one.
        numbered: Whether vertices carry the numbers of the mesh's own ones, where they differ.
    """
    built = Built()
    corners = mesh.triangles.reshape(-1)
    columns: dict[str, F32] = {"NORMAL": _normals(mesh, to_gltf)}
    columns |= _maps(mesh, corners, built.reasons)
    positions = _positions(mesh, to_gltf, built.reasons)
    vertices = mesh.corners[corners]
    ids = mesh.material_ids[mesh.triangle_polygons]
    order = np.array([2, 1, 0] if np.linalg.det(to_gltf[:3, :3]) < 0 else [0, 1, 2])
    used_ids = np.unique(ids)
    found = [(material(n), None if back is None else back(n)) for n in used_ids.tolist()]
    # Ids with one material, such as those of a box, are one primitive.
    known = list({(id(front), id(behind)): (front, behind) for front, behind in found}.values())
    built.groups = [known.index(pair) for pair in found]
    group = np.array(built.groups, np.int64)[np.searchsorted(used_ids, ids)]
    for number, (painted, _) in enumerate(known):
        chosen = np.flatnonzero(group == number)
        # What was counter-clockwise no longer is, where a mirroring offset is in the vertices.
        rows = (3 * chosen[:, None] + order).reshape(-1)
        own, used = columns, vertices
        if len(known) > 1 or order[0]:
            own = {name: column[rows] for name, column in columns.items()}
            used = vertices[rows]
        coordinates = _for_normals(painted, own)
        if coordinates is not None:
            directions = tangents(positions[used], own["NORMAL"], coordinates, used)
            own = {**own, "TANGENT": directions}
        first, inverse = weld(used, list(own.values()))
        source = used[first].astype(np.int32)
        attributes: dict[str, Array] = {"POSITION": positions[source]}
        attributes |= {name: _fitting(name, column[first]) for name, column in own.items()}
        if numbered and not (
            len(source) == len(mesh.positions) and bool((np.diff(source) == 1).all())
        ):
            attributes["_VERTEX"] = source.astype(np.float32)
        built.primitives.append(
            model.Primitive(
                attributes,
                inverse.astype(np.uint32),
                painted,
            )
        )
        built.vertices.append(source)
        built.corners.append(rows)
    for number, (_, behind) in enumerate(known):
        if behind is not None:
            built.primitives.append(_turned_round(built.primitives[number], behind))
            built.vertices.append(built.vertices[number])
            rows = built.corners[number].reshape(-1, 3)[:, ::-1]
            built.corners.append(np.ascontiguousarray(rows).reshape(-1))
    return built


def _turned_round(front: model.Primitive, material: model.Material) -> model.Primitive:
    """Return the same triangles, seen from behind."""
    attributes = {**front.attributes, "NORMAL": -front.attributes["NORMAL"]}
    if "TANGENT" in attributes:
        # What is up in the picture stays, and so does the direction of u.
        attributes["TANGENT"] = attributes["TANGENT"] * np.array([1, 1, 1, -1], np.float32)
    indices = front.indices
    if indices is not None:
        indices = np.ascontiguousarray(indices.reshape(-1, 3)[:, ::-1]).reshape(-1)
    extras = {**front.extras, "max_back": True}
    return model.Primitive(attributes, indices, material, extras=extras)


def _for_normals(material: model.Material | None, columns: dict[str, F32]) -> F32 | None:
    """Return the texture coordinates that a material's picture of normals lies on."""
    info = None if material is None else material.normal_texture
    return None if info is None else columns.get(f"TEXCOORD_{info.tex_coord}")


def line_primitive(pieces: F64, to_gltf: F64) -> model.Primitive:
    """Return straight pieces of curves, (n, 2, 3), as lines."""
    points = pieces.reshape(-1, 3) @ to_gltf[:3, :3] + to_gltf[3, :3]
    rows = points.astype(np.float32)
    first, inverse = weld(np.zeros(len(rows), np.int32), [rows])
    return model.Primitive({"POSITION": rows[first]}, inverse.astype(np.uint32), mode=model.LINES)


def _positions(mesh: Mesh, to_gltf: F64, reasons: list[str]) -> F32:
    source = mesh.positions.astype(np.float64)
    bad = ~(np.abs(source) <= _FARTHEST)
    if bad.any():
        source[bad] = 0.0
    with np.errstate(all="ignore"):
        placed = source @ to_gltf[:3, :3] + to_gltf[3, :3]
    beyond = ~(np.abs(placed) <= _FARTHEST)
    if beyond.any():
        placed[beyond] = 0.0
    if bad.any() or beyond.any():
        reasons.append(_BAD_POINTS)
    return placed.astype(np.float32)


def _normals(mesh: Mesh, to_gltf: F64) -> F32:
    """Return the normals of the triangles' corners, (3 t, 3), of length 1."""
    stored = triangle_normals(mesh).reshape(-1, 3)
    x, y, z = linear = to_gltf[:3, :3]
    plain = linear[0, 0] > 0 and np.array_equal(linear, TURN * linear[0, 0])
    # Normals that somebody set have the length that the file says.
    with np.errstate(all="ignore"):
        off = np.abs(np.einsum("ij,ij->i", stored, stored) - 1.0)
    if plain and (off <= _UNIT).all():
        # Only the axes change: no number is computed anew.
        return np.stack([stored[:, 0], stored[:, 2], -stored[:, 1]], axis=-1)
    found = stored.astype(np.float64)
    with np.errstate(all="ignore"):
        # The transposed inverse without a division, so that it exists for flat matrices, too.
        around = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)])
        around *= np.sign(np.linalg.det(to_gltf[:3, :3])) or 1.0
        found = found @ (around / (np.abs(around).max() or 1.0))
        length = np.sqrt(np.einsum("ij,ij->i", found, found))
        bad = ~((length > 1e-12) & np.isfinite(length))
        found /= np.where(bad, 1.0, length)[:, None]
    found[bad] = 0.0, 1.0, 0.0
    return found.astype(np.float32)


def _maps(mesh: Mesh, corners: Array, reasons: list[str]) -> dict[str, F32]:
    """Return texture coordinates and colours of the triangles' corners by attribute name."""
    out: dict[str, F32] = {}
    for position, number in enumerate(texture_channels(mesh)):
        values = _values(mesh, number, corners, reasons)
        flat = values[:, :2].copy()
        flat[:, 1] = 1.0 - flat[:, 1]
        out[f"TEXCOORD_{position}"] = flat
        if np.any(values[:, 2]):
            out[f"_W_{position}"] = values[:, 2].copy()
    if COLOR in mesh.maps or ALPHA in mesh.maps:
        colors = np.ones((len(corners), 3), np.float32)
        if COLOR in mesh.maps:
            colors = _values(mesh, COLOR, corners, reasons)
        if ALPHA in mesh.maps:
            alpha = _values(mesh, ALPHA, corners, reasons)[:, :1]
            colors = np.concatenate([colors, alpha], axis=1)
        out["COLOR_0"] = np.clip(colors, 0.0, 1.0)
    if ILLUMINATION in mesh.maps:
        out["_ILLUMINATION"] = _values(mesh, ILLUMINATION, corners, reasons)[:, 0].copy()
    return out


def _values(mesh: Mesh, number: int, corners: Array, reasons: list[str]) -> F32:
    channel = mesh.maps[number]
    vertices = channel.vertices
    if not np.isfinite(vertices).all():
        vertices = np.where(np.isfinite(vertices), vertices, np.float32(0))
        if _BAD_MAPS not in reasons:
            reasons.append(_BAD_MAPS)
    out: F32 = vertices[channel.corners[corners]]
    return out


def _fitting(name: str, column: F32) -> Array:
    """Return colours as bytes where that is exactly what they are."""
    if name != "COLOR_0":
        return column
    levels = np.rint(column * np.float32(255))
    exact = np.array_equal((levels / 255).astype(np.float32), column)
    return levels.astype(np.uint8) if exact else column
