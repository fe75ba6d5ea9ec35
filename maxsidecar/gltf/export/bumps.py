"""Bump maps: glTF has pictures of normals, and no heights.

3ds Max takes green as pointing down in a picture of normals unless it is flipped (documented), and
glTF as pointing up.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.drawing import looks_like_normals
from maxsidecar.gltf.export.sources import NORMAL_BUMP
from maxsidecar.gltf.export.textures import Made, Textures
from maxsidecar.scene.animated import number_at, value_at
from maxsidecar.scene.materials import GltfMaterial, Map, MapSlot, Material

__all__ = ["normal_texture"]

_HEIGHTS: Final = "it is a map of heights, and glTF has only pictures of normals"
#: Parameters of Normal Bump behind its method: red and green turned round, both exchanged (likely).
_FLIP_RED, _FLIP_GREEN, _SWAP = "0#7", "0#8", "0#9"


def normal_texture(
    textures: Textures, material: Material, slot: MapSlot, name: str, key: str
) -> tuple[Made, float] | None:
    """Return the texture of normals of a material, and its strength.

    Args:
        textures: Textures of the export.
        material: The material.
        slot: The slot of the bump map.
        name: Name of the material, for the report.
        key: Id of the material, for the report.
    """
    found = slot.map
    if isinstance(found, Map) and found.is_instance(0xC10, NORMAL_BUMP):
        return _normal_bump(textures, found, slot.amount, name, key)
    source = textures.source(slot, name, key)
    if source is None:
        return None
    try:
        if not isinstance(material, GltfMaterial) and not looks_like_normals(source):
            textures.leave_out(source.found, name, key, _HEIGHTS)
            return None
        made = textures.plain(source)
    except MaxSidecarError as error:
        textures.leave_out(source.found, name, key, error.message)
        return None
    # 3ds Max's own exporter writes such a picture as it is, at full strength (measured on 1).
    textures.tell(
        source, name, key, "" if isinstance(material, GltfMaterial) else "it holds normals"
    )
    return made, 1.0


def _normal_bump(
    textures: Textures, found: Map, amount: float | None, name: str, key: str
) -> tuple[Made, float] | None:
    try:
        maps = found.maps
        normal, heights = maps.get("normal_map", maps.get("normal")), maps.get("bump")
        strength = number_at(found, "normal_multiplier")
        flips = [_flag(found, parameter) for parameter in (_FLIP_RED, _FLIP_GREEN, _SWAP)]
    except MaxSidecarError as error:
        textures.leave_out(found, name, key, error.message)
        return None
    if heights is not None and heights.on is not False:
        textures.leave_out(heights.map, name, key, _HEIGHTS)
    if normal is None or normal.on is False:
        return None
    source = textures.source(normal, name, key)
    if source is None:
        return None
    red, green, swapped = flips
    try:
        made = textures.normals(source, red, not green, swapped)
    except MaxSidecarError as error:
        textures.leave_out(source.found, name, key, error.message)
        return None
    textures.tell(source, name, key)
    scale = (1.0 if strength is None else strength) * (1.0 if amount is None else amount)
    return made, scale if isfinite(scale) else 1.0


def _flag(found: Map, name: str) -> bool:
    parameter: Any = found.parameters.get(name)
    return bool(value_at(parameter)) if parameter is not None else False
