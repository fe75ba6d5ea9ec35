"""What a material says beyond glTF, as extras: its parameters and its maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.extras import object_extras, plain
from maxsidecar.scene.animated import value_at
from maxsidecar.scene.materials import MapSlot, Material, ScriptedMaterial, StandardMaterial
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.types import Kind

__all__ = ["material_extras"]


def material_extras(
    export: Export,
    material: Material,
    name: str,
    maps: Mapping[str, MapSlot],
    paths: Mapping[str, str],
) -> dict[str, Any]:
    """Return id, class, AppData and custom attributes, and parameters and paths of maps.

    Parameters are called ``max_<name>``, the picture in a slot ``max_<slot>_map`` and the class of
    its map ``max_<slot>_map_class``.  Parameters that nothing names are left out.

    Args:
        export: The export.
        material: The material.
        name: Its name.
        maps: Its maps by slot.
        paths: Paths of the pictures that they show, by slot.
    """
    out = object_extras(export, material, name, "material")
    holders: list[SceneObject | None] = [material]
    inner = material.delegate if isinstance(material, ScriptedMaterial) else material
    if inner is not material:
        holders.append(inner)
    if isinstance(inner, StandardMaterial):
        holders.append(inner.shader)
    for holder in holders:
        if holder is not None:
            _add_parameters(out, holder, export.time)
    for slot_name, slot in maps.items():
        key = f"max_{slot_name}_map"
        if slot_name in paths:
            out[key] = paths[slot_name]
        out[f"{key}_class"] = slot.map.class_name
        if slot.on is False:
            out[f"{key}_on"] = False
        if slot.amount is not None and slot.amount != 1.0:
            out[f"{key}_amount"] = plain(slot.amount)
    return out


def _add_parameters(out: dict[str, Any], holder: SceneObject, time: int) -> None:
    try:
        parameters = holder.parameters
    except MaxSidecarError:
        return  # told where its values are read
    for name in parameters:
        if "#" in name or name.removesuffix("_amount").endswith(
            ("_map", "_map_on", "_map_multiplier")
        ):
            continue
        try:
            parameter = parameters[name]
            if parameter.kind is Kind.REFERENCE or parameter.is_tab:
                continue
            value = plain(value_at(parameter, time))
        except MaxSidecarError:
            continue  # told where its values are read
        if value is not None:
            out.setdefault(f"max_{name}", value)
