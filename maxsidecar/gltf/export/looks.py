"""What a material looks like, in the terms of glTF but without any texture.

Each class of 3ds Max stores other values; :data:`_READERS` says which of them are which.  Colours
are linear, and written as they are stored (measured on 26 materials of 3ds Max's own exporter).
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.look_values import Look, roughness_of_glossiness
from maxsidecar.scene.animated import number_at, numbers_at, parameter_of, value_at
from maxsidecar.scene.materials import (
    ArchDesignMaterial,
    CoronaPhysicalMaterial,
    GltfMaterial,
    Material,
    MetalRoughMaterial,
    OpenPbrMaterial,
    PhysicalMaterial,
    RaytraceMaterial,
    ScriptedMaterial,
    StandardMaterial,
    StandardSurfaceMaterial,
    VRayMaterial,
)
from maxsidecar.scene.materials.values import Color
from maxsidecar.scene.objects import SceneObject

__all__ = ["read_look"]

_WHITE: Final = (1.0, 1.0, 1.0)
#: Blinn and Phong, which differ in little more than name.
_PLAIN_SHADERS: Final = frozenset({0x37, 0x38})
_ADDITIVE: Final = 2
_STANDARD_FLAGS: Final = (
    ("wire", "it is not drawn as wires"),
    ("face_map", "its maps lie on the mesh, not on each face"),
    ("faceted", "it is not faceted"),
)
_MATTE_SHADOW: Final = (0x260, 0)
#: What KHR_materials_unlit advises for those who do not know it.
_UNLIT_ROUGHNESS: Final = 0.9


class _Reader:
    """Reads values of one material; what is damaged, or no number, counts as not stored."""

    def __init__(self, material: Material, time: int, look: Look) -> None:
        self.material, self.time, self.look = material, time, look

    def __call__(self, read: Callable[[int], Any]) -> Any:
        return self._tried(lambda: read(self.time))

    def number(self, name: str, default: float = 0.0, obj: SceneObject | None = None) -> float:
        value = self._tried(lambda: number_at(obj or self.material, name, self.time))
        return default if value is None else value

    def color(self, name: str) -> Color | None:
        value = self._tried(lambda: numbers_at(self.material, name, self.time))
        return None if value is None or len(value) < 3 else (value[0], value[1], value[2])

    def value(self, name: str) -> Any:
        return self._tried(lambda: value_at(parameter_of(self.material, name), self.time))

    def _tried(self, read: Callable[[], Any]) -> Any:
        try:
            found = read()
        except MaxSidecarError as error:
            self.look.because(f"a value cannot be read: {error.message}")
            return None
        parts = found if isinstance(found, tuple) else (found,)
        if any(isinstance(part, float) and not isfinite(part) for part in parts):
            self.look.because("a value is no number")
            return None
        return found


def read_look(material: Material, time: int = 0) -> Look:
    """Return what a material looks like at a time."""
    look = Look()
    read = _Reader(material, time, look)
    _read_common(read, look)
    for kinds, reader in _READERS:
        if isinstance(material, kinds):
            reader(read, look)
            break
    else:
        _read_unknown(read, look)
    if look.transmission > 0.0 and not read.value("thin_walled"):
        look.because("light goes straight through it, as through a thin wall")
    if _is_unlit(material):
        look.unlit = True
    if look.unlit:
        look.metallic, look.roughness = 0.0, _UNLIT_ROUGHNESS
        look.specular, look.ior = None, None
    look.limit()
    return look


def _read_common(read: _Reader, look: Look) -> None:
    """Read what all classes have a neutral word for."""
    material = read.material
    color = read(material.base_color)
    if color is not None:
        look.color = color
    for name in ("roughness", "metalness"):
        value = read(getattr(material, name))
        if value is not None:
            setattr(look, "metallic" if name == "metalness" else name, value)
    emission = read(material.emission)
    if emission is not None:
        look.emissive = emission
    try:
        look.two_sided = bool(material.two_sided)
    except MaxSidecarError as error:
        look.because(f"a value cannot be read: {error.message}")


def _read_standard(read: _Reader, look: Look) -> None:
    _read_highlights(read, look)
    opacity = read(read.material.opacity)
    look.alpha = 1.0 if opacity is None else opacity
    shader = read.material.shader if isinstance(read.material, StandardMaterial) else None
    if shader is not None and (shader.class_id is None or shader.class_id.a not in _PLAIN_SHADERS):
        look.because(f"its shader, {shader.class_name}, is written as Blinn")
    for name, reason in _STANDARD_FLAGS:
        if read.value(name):
            look.because(reason)
    if read.value("opacity_type") == _ADDITIVE:
        look.because("what is behind it shines through it added to it")
    if read.number("opacity_falloff") > 0.0:
        look.because("its opacity is another one at its edges")


def _read_highlights(read: _Reader, look: Look) -> None:
    """Read level, colour and glossiness of highlights, of shaders that know no roughness."""
    material = read.material
    glossiness = read(material.glossiness)
    if glossiness is not None:
        look.roughness = roughness_of_glossiness(glossiness)
    level = read(material.specular_level)
    if level is not None:
        look.specular = level
        if level > 0.0:
            look.because("its highlights are those of a roughness")
    color = read(material.specular_color)
    if color is not None:
        look.specular_color = color


def _read_raytrace(read: _Reader, look: Look) -> None:
    _read_highlights(read, look)
    _transmit(read, look)
    look.because("its reflections are left out")


def _read_physical(read: _Reader, look: Look) -> None:
    _weigh(look, read.number("base_weight", 1.0))
    _read_specular(read, look)
    opacity = read(read.material.opacity)
    transparency = 0.0 if opacity is None else 1.0 - opacity
    if transparency >= 1.0:
        # An alpha of 0 would take its reflections away, too.
        look.transmission = 1.0
    elif transparency > 0.0:
        look.alpha = 1.0 - transparency
        look.because("its transparency is an alpha, without refraction")
    look.clearcoat = read.number("coating_weight")
    rough = read.number("coating_roughness")
    look.clearcoat_roughness = 1 - rough if read.value("coating_roughness_inverted") else rough
    _sheen(look, read.number("sheen"), read.color("sheen_color"), read.number("sheen_roughness"))
    if read.number("anisotropy", 1.0) != 1.0:
        look.because("its highlights are round")
    if read.number("scattering") > 0.0:
        look.because("its subsurface scattering is left out")


def _read_arch(read: _Reader, look: Look) -> None:
    _weigh(look, read.number("diffuse_weight", 1.0))
    _read_specular(read, look)
    look.ior = None if not read.value("brdf_fresnel") else look.ior
    _transmit(read, look)


def _read_open_pbr(read: _Reader, look: Look) -> None:
    _weigh(look, read.number("base_weight", 1.0))
    _read_specular(read, look)
    _transmit(read, look)
    look.clearcoat = read.number("coat_weight")
    look.clearcoat_roughness = read.number("coat_roughness")
    _sheen(
        look, read.number("fuzz_weight"), read.color("fuzz_color"), read.number("fuzz_roughness")
    )
    if read.number("subsurface_weight") > 0.0:
        look.because("its subsurface scattering is left out")


def _read_vray(read: _Reader, look: Look) -> None:
    color = read(read.material.specular_color)
    if color is not None:
        strength = max(color)
        look.specular = strength
        if strength > 0.0:
            red, green, blue = color
            look.specular_color = (red / strength, green / strength, blue / strength)
    look.ior = read(read.material.ior)
    _transmit(read, look)
    look.clearcoat = read.number("coat_amount")
    look.clearcoat_roughness = 1.0 - read.number("coat_glossiness", 1.0)
    _say_unproven(look)


def _read_arnold(read: _Reader, look: Look) -> None:
    _weigh(look, read.number("base", 1.0))
    _read_specular(read, look)
    opacity = read(read.material.opacity)
    look.alpha = 1.0 if opacity is None else opacity
    look.transmission = read.number("transmission")
    _say_unproven(look)


def _read_corona(read: _Reader, look: Look) -> None:
    _weigh(look, read.number("base_level", 1.0))
    look.ior = read(read.material.ior)
    opacity = read(read.material.opacity)
    look.alpha = 1.0 if opacity is None else opacity
    look.transmission = read.number("refraction_amount")
    look.clearcoat = read.number("clearcoat_amount")
    look.clearcoat_roughness = read.number("clearcoat_roughness")
    rough = read.number("sheen_roughness")
    _sheen(look, read.number("sheen_amount"), read.color("sheen_color"), rough)
    look.because("whether it stores roughness or glossiness is not known")
    _say_unproven(look)


def _read_gltf(read: _Reader, look: Look) -> None:
    stored = read.value("base_color")
    if isinstance(stored, tuple) and len(stored) == 4:
        look.alpha = stored[3]
    mode = read.value("alpha_mode")
    look.alpha_mode = {0: "OPAQUE", 1: "MASK", 2: "BLEND"}.get(mode) if mode is not None else None
    look.alpha_cutoff = read.number("alpha_cutoff", 0.5)
    _say_unproven(look)


def _read_metal_rough(read: _Reader, look: Look) -> None:
    _say_unproven(look)


def _read_scripted(read: _Reader, look: Look) -> None:
    """Read the material that it is derived from, and what a NeL material says itself."""
    material = read.material
    delegate = material.delegate if isinstance(material, ScriptedMaterial) else None
    if isinstance(delegate, StandardMaterial):
        _read_standard(_Reader(delegate, read.time, look), look)
    color, alpha = read.color("cDiffuse"), read.value("pOpacity")
    if color is not None:
        look.color = color
    if isinstance(alpha, float):
        look.alpha = alpha if alpha <= 1.0 else alpha / 100
    if isinstance(level := read.value("pSpecularLevel"), float):
        look.specular = level
    if read.value("bTwoSided"):
        look.two_sided = True
    if read.value("bUnlighted") or read.value("bLightMap"):
        look.unlit = True
    tested, blended = read.value("bAlphaTest"), read.value("bAlphaBlend")
    if blended:
        look.alpha_mode = "BLEND"
    elif tested:
        look.alpha_mode = "MASK"
    elif blended is not None and tested is not None:
        look.alpha_mode = "OPAQUE"


def _read_unknown(read: _Reader, look: Look) -> None:
    if read.material.is_instance(0xC00, _MATTE_SHADOW):
        look.alpha = 0.0
        look.because("it is not seen, and glTF cannot let the background show through")
        return
    look.because("what this class of materials stores is not known")


def _read_specular(read: _Reader, look: Look) -> None:
    """Read weight and colour of reflections, and the index of refraction."""
    material = read.material
    weight, color = read(material.specular_level), read(material.specular_color)
    look.specular = weight
    if color is not None:
        look.specular_color = color
    look.ior = read(material.ior)


def _transmit(read: _Reader, look: Look) -> None:
    opacity = read(read.material.opacity)
    if opacity is not None:
        look.transmission = 1.0 - opacity


def _weigh(look: Look, weight: float) -> None:
    red, green, blue = look.color
    look.color = (red * weight, green * weight, blue * weight)


def _sheen(look: Look, weight: float, color: Color | None, roughness: float) -> None:
    red, green, blue = color or _WHITE
    look.sheen = (red * weight, green * weight, blue * weight)
    look.sheen_roughness = roughness


def _say_unproven(look: Look) -> None:
    look.because("its values are read as public lists say, unproven")


def _is_unlit(material: Material) -> bool:
    """Return whether a custom attribute says that no light falls on it.

    The attribute of 3ds Max's exporter is ``babylonUnlit`` (measured on 4 materials).
    """
    try:
        for attribute in material.custom_attributes:
            for name, parameter in attribute.parameters.items():
                if name.casefold().endswith("unlit") and value_at(parameter) is True:
                    return True
    except MaxSidecarError:
        return False
    return False


_READERS: Final[tuple[tuple[type[Material], Callable[[_Reader, Look], None]], ...]] = (
    (StandardMaterial, _read_standard),
    (PhysicalMaterial, _read_physical),
    (ScriptedMaterial, _read_scripted),
    (ArchDesignMaterial, _read_arch),
    (OpenPbrMaterial, _read_open_pbr),
    (RaytraceMaterial, _read_raytrace),
    (VRayMaterial, _read_vray),
    (StandardSurfaceMaterial, _read_arnold),
    (CoronaPhysicalMaterial, _read_corona),
    (GltfMaterial, _read_gltf),
    (MetalRoughMaterial, _read_metal_rough),
)
