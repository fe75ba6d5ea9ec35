"""Materials to JSON, their textures and extensions included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maxsidecar.errors import shorten
from maxsidecar.gltf import model
from maxsidecar.gltf.values import check_json

__all__ = ["material_json", "sampler_json"]

_TRANSFORM: Final = "KHR_texture_transform"
#: What the scale of a texture's use is called, by the end of the key that names the use.
_SCALES: Final = (("normaltexture", "scale"), ("occlusiontexture", "strength"))


def sampler_json(sampler: model.Sampler) -> dict[str, Any]:
    """Return the JSON of a sampler; repeating is what is meant where nothing is said."""
    parts = (
        ("magFilter", sampler.mag_filter, None),
        ("minFilter", sampler.min_filter, None),
        ("wrapS", sampler.wrap_s, 10497),
        ("wrapT", sampler.wrap_t, 10497),
    )
    return {key: value for key, value, plain in parts if value != plain}


def material_json(
    material: model.Material, texture: Callable[[model.Texture], int], extensions: set[str]
) -> dict[str, Any]:
    """Return the JSON of a material, without its name and extras.

    Args:
        material: The material.
        texture: Gives the number of a texture.
        extensions: Takes the names of the extensions that are used.

    Raises:
        SaveError: A value is no finite number, or nothing that JSON can hold.
    """

    def use(key: str, info: model.TextureInfo) -> dict[str, Any]:
        out: dict[str, Any] = {"index": texture(info.texture)}
        if info.tex_coord:
            out["texCoord"] = info.tex_coord
        if info.scale != 1.0:
            for end, name in _SCALES:
                if key.lower().endswith(end):
                    out[name] = float(info.scale)
        if info.transform is not None:
            extensions.add(_TRANSFORM)
            out["extensions"] = {_TRANSFORM: dict(info.transform)}
        return out

    def replaced(values: dict[str, Any]) -> dict[str, Any]:
        return {
            key: use(key, value)
            if isinstance(value, model.TextureInfo)
            else replaced(value)
            if isinstance(value, dict)
            else value
            for key, value in values.items()
        }

    surface: dict[str, Any] = {}
    if tuple(material.base_color) != (1.0, 1.0, 1.0, 1.0):
        surface["baseColorFactor"] = [float(part) for part in material.base_color]
    if material.metallic != 1.0:
        surface["metallicFactor"] = float(material.metallic)
    if material.roughness != 1.0:
        surface["roughnessFactor"] = float(material.roughness)
    out: dict[str, Any] = {}
    for holder, key, info in (
        (surface, "baseColorTexture", material.base_color_texture),
        (surface, "metallicRoughnessTexture", material.metallic_roughness_texture),
        (out, "normalTexture", material.normal_texture),
        (out, "occlusionTexture", material.occlusion_texture),
        (out, "emissiveTexture", material.emissive_texture),
    ):
        if info is not None:
            holder[key] = use(key, info)
    if surface:
        out["pbrMetallicRoughness"] = surface
    if tuple(material.emissive) != (0.0, 0.0, 0.0):
        out["emissiveFactor"] = [float(part) for part in material.emissive]
    if material.alpha_mode != "OPAQUE":
        out["alphaMode"] = material.alpha_mode
    if material.alpha_mode == "MASK" and material.alpha_cutoff != 0.5:
        out["alphaCutoff"] = float(material.alpha_cutoff)
    if material.double_sided:
        out["doubleSided"] = True
    if material.extensions:
        extensions.update(material.extensions)
        out["extensions"] = replaced(material.extensions)
    check_json(out, f"material {shorten(material.name)}")
    return out
