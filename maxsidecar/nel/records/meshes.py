"""Shapes as mesh records: one level of detail, with materials and bones.

Of meshes with levels of detail it is the finest; of a shape for several distances the nearest.
Indices below the number of geomorphs stand for vertices that slide between two levels (spec:
nel-format-corrections, section 5); at the finest level they are at their first vertex (measured:
with the second one faces of the corpus vanish).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.nel.serial.classes.mesh_mrm import WEDGE_RANGE
from maxsidecar.scene.records import Blending, MaterialRecord, MeshRecord, PartRecord, PlaceRecord

if TYPE_CHECKING:
    from maxsidecar.nel.serial.classes.material import CMaterial

__all__ = ["mesh_of"]

Ints = npt.NDArray[np.int64]

_LIGHTING, _BLEND, _DOUBLE_SIDED, _ALPHA_TEST = 0x10, 0x80, 0x100, 0x200
_STAGES: Final = 8
_NO_GEOMORPHS: Final = np.empty(0, WEDGE_RANGE)
_PACKED_NORMAL, _PACKED_UV, _PACKED_WEIGHT = 32767.0, 8192.0, 255.0


def mesh_of(shape: Any, notes: list[str]) -> MeshRecord:
    """Return the mesh of a shape.

    Args:
        shape: What a ``.shape`` holds.
        notes: Takes what is not shown.

    Raises:
        DecodeError: The shape is no mesh, or its faces name vertices that it does not have.
    """
    kind = type(shape).__name__
    geom = getattr(shape, "geom", None)
    if kind == "CMeshMultiLod":
        geoms = [slot.geom for slot in shape.slots if slot.geom is not None]
        geom = geoms[0] if geoms else None
        if len(geoms) > 1:
            notes.append(f"of {len(geoms)} distances the nearest is shown")
    if geom is None:
        raise DecodeError(f"a {kind} has no mesh")
    readers = {
        "CMeshGeom": _plain,
        "CMeshMRMGeom": _progressive,
        "CMeshMRMSkinnedGeom": _packed,
    }
    reader = readers.get(type(geom).__name__)
    if reader is None:
        raise DecodeError(f"a {type(geom).__name__} is no mesh that is known")
    made = reader(geom, notes)
    base = shape.base
    made.materials = [_material(material, n) for n, material in enumerate(base.materials)]
    made.place = PlaceRecord(base.default_pos, _turn(base.default_rot_quat), base.default_scale)
    _check(made)
    return made


def _turn(rotation: tuple[float, ...]) -> tuple[float, float, float, float]:
    """Return a rotation of length 1; the game's files have negated ones, which turn the same."""
    x, y, z, w = rotation
    length = float(np.linalg.norm(rotation))
    if not np.isfinite(length) or length == 0.0:
        return 0.0, 0.0, 0.0, 1.0
    sign = -1.0 / length if w < 0.0 else 1.0 / length
    return x * sign, y * sign, z * sign, w * sign


def _check(mesh: MeshRecord) -> None:
    count = len(mesh.positions)
    for part in mesh.parts:
        if len(part.triangles) and not 0 <= part.triangles.min() <= part.triangles.max() < count:
            raise DecodeError("a face names a vertex that is not there", expected=f"below {count}")
        if part.material >= len(mesh.materials):
            part.material = -1
    if mesh.bones is not None and len(mesh.bones):
        limit = len(mesh.bone_names)
        if not 0 <= mesh.bones.min() <= mesh.bones.max() < limit:
            raise DecodeError("a vertex names a bone that is not there", expected=f"below {limit}")


def _vertices(vertices: npt.NDArray[np.void]) -> MeshRecord:
    """Return what a vertex buffer has."""
    names = vertices.dtype.names or ()
    if "position" not in names:
        raise DecodeError("the mesh has no positions")
    uvs = [f"uv{stage}" for stage in range(_STAGES) if f"uv{stage}" in names]
    return MeshRecord(
        positions=_rows(vertices["position"], 3),
        normals=_rows(vertices["normal"], 3) if "normal" in names else None,
        uvs=[_rows(vertices[name], 2) for name in uvs],
        colors=np.ascontiguousarray(vertices["color"], np.uint8) if "color" in names else None,
    )


def _rows(values: npt.NDArray[Any], width: int) -> npt.NDArray[np.float32]:
    """Return numbers as rows of a width; what is no finite number becomes 0."""
    rows = np.zeros((len(values), width), np.float32)
    given = values.reshape(len(values), -1)[:, :width]
    rows[:, : given.shape[1]] = given
    rows[~np.isfinite(rows)] = 0.0
    return rows


def _plain(geom: Any, notes: list[str]) -> MeshRecord:
    vertices = geom.vertex_buffer.vertices
    skinned = geom.skinned and {"weight", "palette_skin"} <= set(vertices.dtype.names or ())
    parts: list[PartRecord] = []
    bones: Ints | None = None
    if skinned:
        vertices, bones, parts = _blocks(geom, vertices)
    else:
        for block in geom.matrix_blocks:
            for rdr in block.rdr_passes:
                triangles = _settled(rdr.primitives.triangles, _NO_GEOMORPHS)
                parts.append(PartRecord(triangles, rdr.material_id))
    out = _vertices(vertices)
    out.parts = parts
    if bones is not None:
        weights = vertices["weight"].reshape(len(vertices), -1)
        _set_skin(out, bones, weights, geom.bone_names, notes)
    if geom.morpher.blend_shapes:
        notes.append(f"{len(geom.morpher.blend_shapes)} morph targets are not shown")
    return out


def _blocks(
    geom: Any, vertices: npt.NDArray[np.void]
) -> tuple[npt.NDArray[np.void], Ints, list[PartRecord]]:
    """Return vertices, their bones and the faces of a skinned mesh.

    What a vertex stores are places in the list of its block, so a vertex of two blocks is doubled
    (4 of 855 in a real mesh).
    """
    found: list[npt.NDArray[np.void]] = [vertices[:0]]
    bones: list[Ints] = [np.zeros((0, 4), np.int64)]
    parts: list[PartRecord] = []
    start = 0
    for block in geom.matrix_blocks:
        faces = [rdr.primitives.triangles.astype(np.int64) for rdr in block.rdr_passes]
        if not faces:
            continue
        used, places = np.unique(np.concatenate(faces), return_inverse=True)
        if len(used) and used[-1] >= len(vertices):
            raise DecodeError("a face names a vertex that is not there")
        ids = vertices["palette_skin"][used].astype(np.int64)
        # Entries without weight may hold anything.
        ids[ids >= len(block.matrix_ids)] = 0
        found.append(vertices[used])
        bones.append(block.matrix_ids.astype(np.int64)[ids])
        triangles = (places.reshape(-1, 3) + start).astype(np.int32)
        ends = np.cumsum([len(part) for part in faces])[:-1]
        for rdr, part in zip(block.rdr_passes, np.split(triangles, ends), strict=True):
            parts.append(PartRecord(part, rdr.material_id))
        start += len(used)
    return np.concatenate(found), np.concatenate(bones), parts


def _progressive(geom: Any, notes: list[str]) -> MeshRecord:
    if not geom.lods:
        raise DecodeError("the mesh has no level of detail")
    parts = [lod.subset.vertices for lod in geom.lods]
    vertices = np.concatenate(parts)
    out = _vertices(vertices)
    lod = geom.lods[-1].lod
    if len(geom.lods) > 1:
        notes.append(f"of {len(geom.lods)} levels of detail the finest is shown")
    for rdr in lod.rdr_passes:
        triangles = _settled(rdr.primitives.triangles, lod.geomorphs)
        out.parts.append(PartRecord(triangles, rdr.material_id))
    if geom.skinned:
        skin = geom.skin_weights
        if not len(skin):
            skin = np.concatenate([level.skin_weights for level in geom.lods])
        if len(skin) == len(vertices):
            bones = skin["matrix_id"].astype(np.int64)
            _set_skin(out, bones, skin["weight"], geom.bone_names, notes)
        else:
            notes.append("the weights do not fit the vertices, so bones do not move it")
    if geom.morpher.blend_shapes:
        notes.append(f"{len(geom.morpher.blend_shapes)} morph targets are not shown")
    return out


def _packed(geom: Any, notes: list[str]) -> MeshRecord:
    if not geom.lods:
        raise DecodeError("the mesh has no level of detail")
    vertices = geom.vertex_buffer.vertices
    out = MeshRecord(
        positions=_rows(vertices["position"] * np.float32(geom.vertex_buffer.decompact_scale), 3),
        normals=_rows(vertices["normal"] / np.float32(_PACKED_NORMAL), 3),
        uvs=[_rows(vertices["uv"] / np.float32(_PACKED_UV), 2)],
    )
    lod = geom.lods[-1]
    if len(geom.lods) > 1:
        notes.append(f"of {len(geom.lods)} levels of detail the finest is shown")
    for rdr in lod.rdr_passes:
        if len(rdr.indices) % 3:
            raise DecodeError("not whole triangles", found=len(rdr.indices))
        triangles = _settled(rdr.indices.reshape(-1, 3), lod.geomorphs)
        out.parts.append(PartRecord(triangles, rdr.material_id))
    weights = vertices["skin"]["weight"] / np.float32(_PACKED_WEIGHT)
    bones = vertices["skin"]["matrix"].astype(np.int64)
    _set_skin(out, bones, weights, geom.bone_names, notes)
    return out


def _settled(triangles: npt.NDArray[Any], geomorphs: npt.NDArray[np.void]) -> npt.NDArray[np.int32]:
    """Return triangles with vertices that slide put where they are at the finest level."""
    found = triangles.astype(np.int64)
    sliding = found < len(geomorphs)
    if sliding.any():
        found[sliding] = geomorphs["start"][found[sliding]]
    return np.minimum(found, np.iinfo(np.int32).max).astype(np.int32)


def _set_skin(
    mesh: MeshRecord,
    bones: Ints,
    weights: npt.NDArray[Any],
    names: Sequence[str],
    notes: list[str],
) -> None:
    """Give a mesh its bones; weights are brought to a sum of 1, and those of 0 lead to bone 0."""
    if not names:
        notes.append("the bones have no names, so they do not move the mesh")
        return
    given = np.zeros((len(bones), 4))
    given[:, : weights.shape[1]] = weights
    given[~np.isfinite(given) | (given < 0.0)] = 0.0
    sums = given.sum(axis=1, keepdims=True)
    given[sums[:, 0] == 0.0, 0] = 1.0
    sums = given.sum(axis=1, keepdims=True)
    mesh.weights = (given / sums).astype(np.float32)
    mesh.bones = np.where(given > 0.0, bones, 0).clip(-1, 2**31 - 1).astype(np.int32)
    mesh.bone_names = list(names)


def _material(material: CMaterial, number: int) -> MaterialRecord:
    flags = material.flags
    lit = bool(flags & _LIGHTING)
    blending: Blending = "opaque"
    if flags & _ALPHA_TEST:
        blending = "mask"
    elif flags & _BLEND:
        blending = "blend"
    red, green, blue, alpha = (
        level / 255 for level in (material.diffuse if lit else material.color)
    )
    textures = [_file(stage.texture) for stage in material.stages]
    return MaterialRecord(
        name=f"material {number}",
        color=(red, green, blue, alpha if blending != "opaque" else 1.0),
        textures=tuple(name for name in textures if name),
        double_sided=bool(flags & _DOUBLE_SIDED),
        blending=blending,
        cutoff=float(material.alpha_test_threshold),
        lit=lit,
    )


def _file(texture: Any) -> str:
    """Return the name of a texture's file; of sets, cubes and blends that of the first one."""
    for _ in range(8):
        name = getattr(texture, "file_name", None)
        if isinstance(name, str):
            return name
        names = getattr(texture, "file_names", None)
        if names:
            return str(names[0])
        inner = [getattr(texture, "height_map", None)]
        for field in ("sides", "textures"):
            inner += getattr(texture, field, None) or []
        texture = next((item for item in inner if item is not None), None)
        if texture is None:
            break
    return ""
