"""Export flags of lights and lightmaps.

Numbers and defaults: spec nel-export-rules, section 1.2.
"""

from __future__ import annotations

from maxsidecar.nel.appdata_table import Table
from maxsidecar.scene.appdata_registry import Property
from maxsidecar.scene.appdata_values import BOOL, COLOR, FLOAT, INT, TEXT

__all__ = ["PROPERTIES"]

PROPERTIES: list[Property] = []

# Lights and lightmaps
_LIGHT = Table(PROPERTIES, "light", "ig")
_LIGHT(
    588,
    "EXPORT_REALTIME_LIGHT",
    "export_realtime",
    BOOL,
    True,
    "Export the light for real-time lighting",
)
_LIGHT(
    590,
    "EXPORT_LIGHTMAP_LIGHT",
    "export_lightmap",
    BOOL,
    True,
    "Use the light in lightmaps",
    readers="lightmap",
)
_LIGHT(
    591, "EXPORT_AS_SUN_LIGHT", "sun", BOOL, False, "The light is the sun; directional lights only"
)
_LIGHT(
    672,
    "REALTIME_AMBIENT_ADD_SUN",
    "ambient_add_sun",
    BOOL,
    False,
    "Add the sun's colour to this real-time ambient light",
)
_LIGHT(
    589,
    "USE_LIGHT_LOCAL_ATTENUATION",
    "local_attenuation",
    BOOL,
    False,
    "Use each light's own attenuation on this mesh",
    readers="shape",
)
_LIGHT(
    636,
    "LIGHT_DONT_CAST_SHADOW_INTERIOR",
    "no_shadow_interior",
    BOOL,
    False,
    "Cast no shadow on interiors",
)
_LIGHT(
    637,
    "LIGHT_DONT_CAST_SHADOW_EXTERIOR",
    "no_shadow_exterior",
    BOOL,
    False,
    "Cast no shadow on exteriors",
)
_LIGHT(
    41654685,
    "LM_ANIMATED_LIGHT",
    "animated_light",
    TEXT,
    "",
    "Animation that drives the light; Sun, GlobalLight and (Use NelLight Modifier) count as none",
    readers="ig lightmap",
)
_LIGHT(
    41654686, "LM_ANIMATED", "animated", BOOL, False, "The light is animated", readers="lightmap"
)
_LIGHT(41654687, "LM_LIGHT_GROUP", "group", INT, 0, "Light group", readers="lightmap")

_LIGHTMAP = Table(PROPERTIES, "lightmap", "lightmap")
_LIGHTMAP(
    567, "LUMELSIZEMUL", "lumel_size_mul", FLOAT, 1.0, "Factor of the lumel size on this mesh"
)
_LIGHTMAP(568, "SOFTSHADOW_RADIUS", "soft_shadow_radius", FLOAT, 1.4, "Radius of soft shadows")
_LIGHTMAP(
    569,
    "SOFTSHADOW_CONELENGTH",
    "soft_shadow_cone_length",
    FLOAT,
    15.0,
    "Length of the soft-shadow cone",
)

_LMC = Table(PROPERTIES, "lightmap_compression", "lightmap")
_LMC(
    638,
    "LMC_ENABLED",
    "enabled",
    BOOL,
    False,
    "Compress lightmaps between the colours below",
)
for _i in range(16):
    _LMC(
        639 + _i,
        f"LMC_AMBIENT_{_i}",
        f"ambient_{_i}",
        COLOR,
        [0, 0, 0],
        f"Ambient colour {_i}",
        units="0 to 255",
    )
for _i in range(16):
    _LMC(
        655 + _i,
        f"LMC_DIFFUSE_{_i}",
        f"diffuse_{_i}",
        COLOR,
        [255, 255, 255],
        f"Diffuse colour {_i}",
        units="0 to 255",
    )
