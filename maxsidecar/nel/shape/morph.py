"""Morph targets of a mesh (spec: nel-export-rules 3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.serial.classes.mesh import CBlendShape
from maxsidecar.nel.shape.context import class_key
from maxsidecar.nel.shape.mesh_build import MeshBuild
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject

__all__ = ["MORPHER", "Target", "blend_shape", "blend_shapes", "deltas", "fits", "targets_of"]

MORPHER: Final = (0x17BB6854, 0xA5CBA2A3)
_FIRST_TARGET, _CHANNELS = 101, 100
#: Squares of changes that are left out: of positions, normals and tangents, and of the others.
LEAST_LENGTH, LEAST_SQUARE = 0.001**2, 0.0001

F32 = npt.NDArray[np.float32]


@dataclass(slots=True)
class Target:
    """A node whose mesh is a morph target.

    Attributes:
        name: Its name, which animations use.
        node: The node.
    """

    name: str
    node: Node


def targets_of(modifiers: list[SceneObject], notes: list[str]) -> list[Target]:
    """Return the targets of the first Morpher of a stack, in the order of its channels.

    As in the plug-in a channel counts while its node is there, whatever else it stores.

    Args:
        modifiers: The stack from the top down.
        notes: Takes what cannot be read.
    """
    found = next((obj for obj in modifiers if class_key(obj) == MORPHER), None)
    if found is None:
        return []
    out = []
    try:
        slots = found.references
        for slot in range(_FIRST_TARGET, _FIRST_TARGET + _CHANNELS):
            node = found.reference(slot) if slot in slots else None
            if isinstance(node, Node):
                out.append(Target(node.name, node))
    except MaxSidecarError as error:
        notes.append(f"morph targets are left out: {error}")
        return []
    return out


def fits(base: MeshBuild, target: MeshBuild) -> str:
    """Return why a mesh cannot be a target of another one; empty when it can."""
    for what, one, other in (
        ("vertices", base.positions, target.positions),
        ("faces", base.faces, target.faces),
    ):
        if len(one) != len(other):
            return f"it has {len(other)} {what}, the mesh has {len(one)}"
    return ""


def deltas(
    base: MeshBuild,
    target: MeshBuild,
    vertices: npt.NDArray[np.int64],
    tangents: int | None,
) -> dict[str, F32]:
    """Return what a target adds to the vertices of a buffer; changes that are too small are 0.

    Where the corners of a vertex change differently, the last one counts, as in the plug-in.

    Args:
        base: The mesh.
        target: The target, with as many vertices and faces.
        vertices: (3 t,) vertex of each corner.
        tangents: Stage of the coordinates that are tangents, or ``None``.

    Returns:
        Rows for each vertex, by field of :class:`CBlendShape`.
    """
    count = int(vertices.max()) + 1
    moved = target.positions[target.faces] - base.positions[base.faces]
    parts = {
        "delta_pos": (moved, LEAST_LENGTH),
        "delta_norm": (target.normals - base.normals, LEAST_LENGTH),
        "delta_uv": (_uv(base, target, 0), LEAST_SQUARE),
        "delta_color": (_colors(base, target), LEAST_SQUARE),
    }
    if tangents is not None:
        parts["delta_tangent"] = (_uv(base, target, tangents), LEAST_LENGTH)
    out = {}
    for name, (values, least) in parts.items():
        rows = values.reshape(len(vertices), -1).astype(np.float32)
        square = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        large = square > least
        out[name] = np.zeros((count, rows.shape[1]), np.float32)
        out[name][vertices[large]] = rows[large]
    return out


def _uv(base: MeshBuild, target: MeshBuild, stage: int) -> F32:
    own, other = base.uvs.get(stage), target.uvs.get(stage)
    if own is None or other is None or own.shape != other.shape:
        return np.zeros((*base.faces.shape, 3 if stage else 2), np.float32)
    return other - own


def _colors(base: MeshBuild, target: MeshBuild) -> F32:
    if base.colors is None or target.colors is None:
        return np.zeros((*base.faces.shape, 4), np.float32)
    scale = np.float32(255)
    return target.colors.astype(np.float32) / scale - base.colors.astype(np.float32) / scale


def blend_shape(name: str, parts: dict[str, F32]) -> CBlendShape:
    """Return a target of the vertices that change; parts that nothing changes are left out.

    Args:
        name: Its name.
        parts: Changes of all vertices, by field.
    """
    changed = np.zeros(len(parts["delta_pos"]), bool)
    for rows in parts.values():
        changed |= rows.any(axis=1)
    shape = CBlendShape(name=name, vertices=np.nonzero(changed)[0].astype("<u4"))
    for field, rows in parts.items():
        if rows.any():
            setattr(shape, field, rows[changed])
    return shape


def blend_shapes(
    base: MeshBuild,
    vertices: npt.NDArray[np.int64],
    targets: list[tuple[str, MeshBuild]],
    tangents: int | None,
    notes: list[str],
) -> list[CBlendShape]:
    """Return the targets of a mesh.

    Args:
        base: The mesh.
        vertices: (3 t,) vertex of each corner.
        targets: Names and meshes.
        tangents: Stage of the coordinates that are tangents, or ``None``.
        notes: Takes which targets are left out.
    """
    out = []
    for name, target in targets:
        reason = fits(base, target)
        if reason:
            notes.append(f"the morph target {name!r} is left out: {reason}")
            continue
        out.append(blend_shape(name, deltas(base, target, vertices, tangents)))
    return out
