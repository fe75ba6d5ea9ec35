"""Morph targets of meshes with progressive detail."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.nel.serial.classes.mesh import CBlendShape
from maxsidecar.nel.shape.morph import F32, LEAST_LENGTH, LEAST_SQUARE, blend_shape
from maxsidecar.nel.shape.mrm_chain import Chain

__all__ = ["chain_shapes"]

_BYTE: Final = np.float32(255)
#: Field of a target, and the square of changes that are left out, by slot.
_FIELDS: Final = {
    "position": ("delta_pos", LEAST_LENGTH),
    "normal": ("delta_norm", LEAST_LENGTH),
    "uv0": ("delta_uv", LEAST_SQUARE),
    "color": ("delta_color", LEAST_SQUARE),
}


def chain_shapes(
    targets: list[str], names: list[str], widths: list[int], chain: Chain, tangents: int | None
) -> list[CBlendShape]:
    """Return what targets add to the vertices of all levels.

    Args:
        targets: Names of the targets.
        names: Slots of the columns of the chain.
        widths: Numbers of each column for one mesh.
        chain: All levels, with the targets behind the values of the mesh.
        tangents: Stage of the coordinates that are tangents, or ``None``.
    """
    fields = dict(_FIELDS)
    if tangents is not None:
        fields[f"uv{tangents}"] = "delta_tangent", LEAST_LENGTH
    out = []
    for number, name in enumerate(targets):
        parts: dict[str, F32] = {}
        for slot, rows, width in zip(names, chain.rows, widths, strict=True):
            if slot not in fields:
                continue
            part, least = fields[slot]
            at = width * (number + 1)
            change = rows[:, at : at + width] - rows[:, :width]
            if slot == "color":
                change = change / _BYTE
            square = np.einsum("ij,ij->i", change, change, dtype=np.float64)
            change[~(square > least)] = 0.0
            parts[part] = change[:, :2] if slot == "uv0" else change
        out.append(blend_shape(name, parts))
    return out
