"""Neutral records as glTF: what readers of other formats hand over.

Everything is turned from Z up to Y up; lengths are metres already.  Materials are simple: a colour,
transparency, and the names of textures in ``extras``, as pictures of games are seldom PNG or JPEG.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import TURN, points_to_gltf
from maxsidecar.scene.controllers.rotations import continuous, matrix_to_quaternion
from maxsidecar.scene.records import BoneRecord, MaterialRecord, MeshRecord, ModelRecord

__all__ = ["document_of"]

F64 = npt.NDArray[np.float64]

#: Column matrix: from Z up to Y up.
_UP: Final = TURN.T
#: Larger numbers, and what is none, stand for no place.
_LARGEST: Final = 1e30
#: Bones that one message names.
_MOST_NAMES: Final = 5
_BENT: Final = "bones are not shown exactly: stretched along axes of others, or damaged"
_MODES: Final[dict[str, model.AlphaMode]] = {"opaque": "OPAQUE", "mask": "MASK", "blend": "BLEND"}


def document_of(record: ModelRecord) -> model.Document:
    """Return the document of a model.

    What cannot be said in glTF is added to the notes of the record.

    Args:
        record: The model.
    """
    document = model.Document(name=record.name)
    with np.errstate(all="ignore"):
        _fill(document, record)
    return document


def _fill(document: model.Document, record: ModelRecord) -> None:
    joints, roots = _joints(record.bones, record.notes)
    document.roots += roots
    node: model.Node | None = None
    if record.mesh is not None:
        node = _mesh_node(record, joints)
        document.roots.append(node)
    targets = joints
    if not joints and node is not None:
        targets = [node]
    if record.motion is not None and targets:
        document.animations.append(_animation(record, targets))


def _joints(bones: list[BoneRecord], notes: list[str]) -> tuple[list[model.Node], list[model.Node]]:
    """Return the nodes of bones in the pose that meshes are bound in, and those on top."""
    worlds = [_up(_inverse(bone.inverse_bind)) for bone in bones]
    nodes: list[model.Node] = []
    roots: list[model.Node] = []
    bent = 0
    for bone, world in zip(bones, worlds, strict=True):
        local = world if bone.parent < 0 else _inverse(worlds[bone.parent]) @ world
        position, turn, scale, exact = _parts(local[None])
        bent += not exact
        node = model.Node(bone.name, _three(position[0]), _four(turn[0]), _three(scale[0]))
        nodes.append(node)
        (roots if bone.parent < 0 else nodes[bone.parent].children).append(node)
    if bent:
        notes.append(f"{bent} {_BENT}")
    return nodes, roots


def _mesh_node(record: ModelRecord, joints: list[model.Node]) -> model.Node:
    mesh = record.mesh
    if mesh is None:  # the caller has looked
        return model.Node(record.name)
    skinned = mesh.bones is not None and bool(joints)
    node = model.Node(record.name or "mesh")
    if not any(len(part.triangles) for part in mesh.parts):
        record.notes.append("the mesh has no faces")
        return node
    if mesh.bones is not None and not joints:
        record.notes.append("bones move the mesh, and there is no skeleton")
    node.mesh = _mesh(mesh, record, skinned=skinned)
    if skinned:
        matrices = [_up(bone.inverse_bind) for bone in record.bones]
        node.skin = model.Skin(joints, np.array(matrices, np.float32))
        return node
    place = mesh.place
    x, y, z = place.position
    node.translation = (x, z, -y)
    qx, qy, qz, qw = place.rotation
    node.rotation = (qx, qz, -qy, qw)
    sx, sy, sz = place.scale
    node.scale = (sx, sz, sy)
    return node


def _mesh(mesh: MeshRecord, record: ModelRecord, *, skinned: bool) -> model.Mesh:
    attributes: dict[str, npt.NDArray[np.generic]] = {
        "POSITION": points_to_gltf(mesh.positions).astype(np.float32)
    }
    if mesh.normals is not None:
        attributes["NORMAL"] = _normals(mesh.normals)
    for number, uv in enumerate(mesh.uvs):
        attributes[f"TEXCOORD_{number}"] = uv.astype(np.float32)
    if mesh.colors is not None:
        attributes["COLOR_0"] = _linear_colors(mesh.colors)
    if skinned and mesh.bones is not None and mesh.weights is not None:
        joints, weights = _influences(mesh.bones, mesh.weights, mesh.bone_names, record)
        attributes["JOINTS_0"], attributes["WEIGHTS_0"] = joints, weights
    materials = [_material(material) for material in mesh.materials]
    out = model.Mesh(name=record.name)
    for part in mesh.parts:
        if not len(part.triangles):
            continue
        look = materials[part.material] if 0 <= part.material < len(materials) else None
        indices = part.triangles.reshape(-1).astype(np.uint32)
        out.primitives.append(model.Primitive(attributes, indices, look))
    return out


def _normals(normals: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    turned = points_to_gltf(normals)
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    up = np.array([0.0, 1.0, 0.0])
    return np.where(length > 0.0, turned / np.where(length > 0.0, length, 1.0), up).astype(
        np.float32
    )


def _linear_colors(colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    out = colors.astype(np.float64) / 255
    out[:, :3] = _linear(out[:, :3])
    return out.astype(np.float32)


def _linear(shown: F64) -> F64:
    """Return colours as shown as amounts of light."""
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)


def _influences(
    bones: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    names: list[str],
    record: ModelRecord,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float32]]:
    """Return joints and weights of the vertices, (v, 4) each.

    Bones that the skeleton does not have become its first.  A joint that a vertex then has twice
    is joined, as glTF has each once only, with 0 for what has no weight.
    """
    places = {bone.name: number for number, bone in enumerate(record.bones)}
    missing = [name for name in names if name not in places]
    if missing:
        listed = ", ".join(missing[:_MOST_NAMES])
        more = len(missing) - _MOST_NAMES
        listed += f" and {more} more" if more > 0 else ""
        record.notes.append(f"the skeleton lacks bones of the mesh: {listed}")
    table = np.array([places.get(name, 0) for name in names], np.uint16)
    joints: npt.NDArray[np.uint16] = table[bones]
    kept = weights.astype(np.float32)
    for later in range(1, joints.shape[1]):
        for first in range(later):
            same = (joints[:, later] == joints[:, first]) & (kept[:, later] > 0.0)
            same &= kept[:, first] > 0.0
            kept[same, first] += kept[same, later]
            kept[same, later] = 0.0
    joints[kept == 0.0] = 0
    return joints, kept


def _material(material: MaterialRecord) -> model.Material:
    red, green, blue = _linear(np.array(material.color[:3])).tolist()
    out = model.Material(
        name=material.name,
        base_color=(red, green, blue, material.color[3]),
        metallic=0.0,
        alpha_mode=_MODES[material.blending],
        alpha_cutoff=min(max(material.cutoff, 0.0), 1.0),
        double_sided=material.double_sided,
    )
    if material.textures:
        out.extras["textures"] = list(material.textures)
    if not material.lit:
        out.extensions["KHR_materials_unlit"] = {}
    return out


def _animation(record: ModelRecord, nodes: list[model.Node]) -> model.Animation:
    motion = record.motion
    out = model.Animation(name=record.name)
    if motion is None:  # the caller has looked
        return out
    out.name = motion.name or record.name
    times = (motion.times - min(float(motion.times[0]), 0.0)).astype(np.float32)
    worlds = [_up(matrices) for matrices in motion.matrices]
    parents = [bone.parent for bone in record.bones] or [-1]
    bent = 0
    for node, parent, world in zip(nodes, parents, worlds, strict=False):
        local = world if parent < 0 else _inverse(worlds[parent]) @ world
        position, turn, scale, exact = _parts(local)
        bent += not exact
        values = {"translation": position, "rotation": continuous(turn), "scale": scale}
        for path, rows in values.items():
            steady = bool(np.all(np.abs(rows - rows[:1]) < 1e-7))
            kept = slice(0, 1) if steady else slice(None)
            channel = model.Channel(node, path, times[kept], rows[kept].astype(np.float32))
            out.channels.append(channel)
    if bent:
        record.notes.append(f"{bent} {_BENT}")
    return out


def _up(matrices: F64) -> F64:
    """Return column matrices, (..., 4, 4), in glTF's space."""
    turn = np.eye(4)
    turn[:3, :3] = _UP
    out: F64 = turn @ matrices @ turn.T
    return out


def _inverse(matrices: F64) -> F64:
    """Return inverses; flat matrices are taken for those without a turn."""
    volume = np.abs(np.linalg.det(matrices[..., :3, :3]))
    solid = (volume > 1e-30) & (np.abs(matrices) < _LARGEST).all(axis=(-2, -1))
    safe = np.where(solid[..., None, None], matrices, np.eye(4))
    return np.linalg.inv(safe)


def _parts(matrices: F64) -> tuple[F64, F64, F64, bool]:
    """Return translations, rotations and scales of (k, 4, 4), and whether they say it all."""
    sound = np.asarray((np.abs(matrices) < _LARGEST).all(axis=(1, 2)))
    matrices = np.where(sound[:, None, None], matrices, np.eye(4))
    linear = matrices[:, :3, :3]
    mirror = np.where(np.linalg.det(linear) < 0.0, -1.0, 1.0)
    left, sizes, right = np.linalg.svd(linear * mirror[:, None, None])
    turn = left @ right
    odd = np.linalg.det(turn) < 0.0
    if odd.any():
        left[odd, :, 2] *= -1.0
        turn = left @ right
    stretch = np.swapaxes(right, 1, 2) @ (sizes[:, :, None] * right)
    scale = np.einsum("kii->ki", stretch) * mirror[:, None]
    beside = stretch - np.einsum("kii->ki", stretch)[:, :, None] * np.eye(3)
    exact = bool(
        np.abs(beside).max(initial=0.0) <= 1e-4 * max(np.abs(sizes).max(initial=0.0), 1e-9)
    )
    quaternions = matrix_to_quaternion(np.swapaxes(turn, 1, 2))
    return matrices[:, :3, 3], quaternions, scale, exact and bool(sound.all())


def _three(values: F64) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _four(values: F64) -> tuple[float, float, float, float]:
    x, y, z, w = (float(value) for value in values)
    return x, y, z, w
