"""From a material that was read to one of glTF: its values, textures and extensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.look_values import Look
from maxsidecar.gltf.export.material_maps import Surface, read_surface
from maxsidecar.gltf.export.textures import Made, Textures
from maxsidecar.scene.materials import Material

__all__ = ["Surfaces"]

_WHITE: Final = (1.0, 1.0, 1.0)


class Surfaces:
    """Reads materials and makes those of glTF."""

    def __init__(self, export: Export) -> None:
        """Nothing is read yet."""
        self._export = export
        self._textures = Textures(export)

    def read(self, material: Material) -> Surface:
        """Return a material, read with its maps, and report it."""
        return read_surface(self._export, self._textures, material)

    def material(self, surface: Surface, tex_coords: Mapping[int, int | None]) -> model.Material:
        """Return the glTF material for a mesh.

        Args:
            surface: The material.
            tex_coords: Number of the ``TEXCOORD_n`` by map channel; ``None`` where the mesh has no
                such channel: textures on it are left out.
        """
        look = surface.look
        infos: dict[str, model.TextureInfo] = {}
        for key, made in surface.made.items():
            number = tex_coords.get(made.source.placing.channel)
            if number is None:
                continue
            transform = dict(made.source.placing.transform) or None
            infos[key] = model.TextureInfo(made.texture, number, 1.0, transform)
        normal = infos.get("normalTexture")
        if normal is not None:
            normal.scale = surface.normal_scale
        emissive, strength = _emissive(look.emissive)
        out = model.Material(
            name=surface.name,
            base_color=(*look.color, look.alpha),
            base_color_texture=infos.get("baseColorTexture"),
            metallic=look.metallic,
            roughness=look.roughness,
            metallic_roughness_texture=infos.get("metallicRoughnessTexture"),
            normal_texture=normal,
            occlusion_texture=infos.get("occlusionTexture"),
            emissive=emissive,
            emissive_texture=infos.get("emissiveTexture"),
            double_sided=look.two_sided,
            extras=dict(surface.extras),
        )
        _set_alpha(out, look, surface.made.get("baseColorTexture"))
        out.extensions = _extensions(look, strength, infos)
        return out


def _set_alpha(out: model.Material, look: Look, base: Made | None) -> None:
    picture = base.alpha if base is not None and out.base_color_texture is not None else "none"
    if look.alpha_mode == "MASK" or (look.alpha_mode is None and picture == "binary"):
        out.alpha_mode = "MASK"
        out.alpha_cutoff = look.alpha_cutoff
    elif look.alpha_mode == "BLEND" or (look.alpha_mode is None and picture == "gradual"):
        out.alpha_mode = "BLEND"
    if look.alpha_mode is None and look.alpha < 1.0:
        out.alpha_mode = "BLEND"


def _emissive(color: tuple[float, float, float]) -> tuple[tuple[float, float, float], float]:
    """Return a colour of at most 1, and the strength that makes it the given one."""
    strength = max(*color, 1.0)
    red, green, blue = (part / strength for part in color)
    return (red, green, blue), strength


def _extensions(
    look: Look, strength: float, infos: Mapping[str, model.TextureInfo]
) -> dict[str, dict[str, Any]]:
    """Return the extensions that a look needs, by name."""
    if look.unlit:
        return {"KHR_materials_unlit": {}}
    out: dict[str, dict[str, Any]] = {}

    def add(name: str, *values: tuple[str, Any, Any]) -> None:
        found = {key: _plain(value) for key, value, default in values if value != default}
        for key, info in infos.items():
            extension, _, place = key.partition(".")
            if extension == name and place:
                found[place] = info
        if found:
            out[f"KHR_materials_{name}"] = found

    specular = 1.0 if look.specular is None else look.specular
    color = look.specular_color if look.specular is not None else _WHITE
    # Of what reflects nothing the colour of reflections says nothing.
    color = color if specular > 0.0 else _WHITE
    add("specular", ("specularFactor", specular, 1.0), ("specularColorFactor", color, _WHITE))
    add("ior", ("ior", look.ior, None))
    add("transmission", ("transmissionFactor", look.transmission, 0.0))
    if look.clearcoat > 0.0:
        roughness = look.clearcoat_roughness
        add(
            "clearcoat",
            ("clearcoatFactor", look.clearcoat, 0.0),
            ("clearcoatRoughnessFactor", roughness, 0.0),
        )
    if max(look.sheen) > 0.0:
        add(
            "sheen",
            ("sheenColorFactor", look.sheen, None),
            ("sheenRoughnessFactor", look.sheen_roughness, 0.0),
        )
    add("emissive_strength", ("emissiveStrength", strength, 1.0))
    return out


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
