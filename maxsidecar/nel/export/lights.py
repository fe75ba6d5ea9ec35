"""Point lights of an instance group.

(Spec: nel-export-rules, section 6; what stands in the fields of lights that have no such thing,
such as the direction of an omni light, is measured on 214 lights of the corpus.)
"""

from __future__ import annotations

from itertools import groupby
from math import pi
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.animation.extras import animated_light
from maxsidecar.nel.serial.classes.point_light import (
    CPointLight,
    CPointLightGroup,
    CPointLightNamed,
    CPointLightNamedArray,
)
from maxsidecar.scene.lights import StandardLight
from maxsidecar.scene.targets import target_of

if TYPE_CHECKING:
    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.serial.kinds import Rgba, Vec3
    from maxsidecar.scene.node import Node

__all__ = ["point_light", "sorted_lights"]

_POINT, _SPOT, _AMBIENT = 0, 1, 2
_BLACK: Final = (0, 0, 0, 255)
_NO_ATTENUATION: Final = 10.0


def point_light(view: SceneView, node: Node) -> tuple[CPointLightNamed | None, str, bool]:
    """Return the light of a node.

    Args:
        view: The scene.
        node: A node of the light collection.

    Returns:
        The light, or ``None``; why there is none; and whether it is the sun.

    Raises:
        MaxSidecarError: It cannot be read.
    """
    flags = view.flags(node)
    light = view.base(node)
    if not isinstance(light, StandardLight):
        return None, "it is no omni, spot or direct light", False
    if light.shape == "direct":
        sun = flags.integer("EXPORT_AS_SUN_LIGHT") == 1
        reason = "it is the sun" if sun else "direct lights are exported as the sun only"
        return None, f"{reason} (EXPORT_AS_SUN_LIGHT)", sun
    if flags.integer("EXPORT_REALTIME_LIGHT") != 1:
        return None, "EXPORT_REALTIME_LIGHT is off", False
    found = light.color(view.time)
    if found is None or len(found) < 3:
        raise MaxSidecarError("the light's colour is not known")
    color = _color(found)
    world = view.world(node)
    made = CPointLight(position=_vector(world[3, :3]))
    made.spot_direction, made.spot_angle_begin, made.spot_angle_end = (
        (0.0, 1.0, 0.0),
        pi / 4,
        pi / 2,
    )
    made.ambient, made.diffuse, made.specular = _BLACK, color, color
    if light.ambient_only:
        made.type = _AMBIENT
        made.add_ambient_with_sun = flags.integer("REALTIME_AMBIENT_ADD_SUN") == 1
        made.ambient, made.diffuse, made.specular = color, _BLACK, _BLACK
    elif light.shape == "spot":
        made.type = _SPOT
        made.spot_direction = _direction(view, node, world)
        made.spot_angle_begin = (light.hotspot(view.time) or 0.0) * pi / 360
        made.spot_angle_end = (light.falloff(view.time) or 0.0) * pi / 360
    made.attenuation_begin = made.attenuation_end = _NO_ATTENUATION
    if light.use_far_attenuation:
        distances = light.attenuation(view.time)
        made.attenuation_begin = distances.get("far_start", _NO_ATTENUATION)
        made.attenuation_end = distances.get("far_end", _NO_ATTENUATION)
    named = CPointLightNamed(
        light=made,
        animated_light=animated_light(flags),
        default_ambient=made.ambient,
        default_diffuse=made.diffuse,
        default_specular=made.specular,
        light_group=max(flags.integer("LM_LIGHT_GROUP"), 0),
    )
    return named, "", False


def sorted_lights(lights: list[CPointLightNamed]) -> CPointLightNamedArray:
    """Return the list of lights: by name of the animation, then by group, with the runs of each."""

    def key(light: CPointLightNamed) -> tuple[bytes, int]:
        return light.animated_light.encode("utf-8", "surrogateescape"), light.light_group

    ordered = sorted(lights, key=key)
    out = CPointLightNamedArray(point_lights=ordered)
    start = 0
    for _, run in groupby(ordered, key):
        members = list(run)
        out.groups.append(
            CPointLightGroup(
                animated_light=members[0].animated_light,
                light_group=members[0].light_group,
                start_id=start,
                end_id=start + len(members),
            )
        )
        start += len(members)
    return out


def _color(color: tuple[float, ...]) -> Rgba:
    """Return a colour in bytes, cut down and not rounded, as the plug-in does."""
    red, green, blue = (int(min(max(255 * part, 0.0), 255.0)) for part in color[:3])
    return red, green, blue, 255


def _vector(values: np.ndarray) -> Vec3:
    x, y, z = (float(value) for value in values.astype(np.float32))
    return x, y, z


def _direction(view: SceneView, node: Node, world: np.ndarray) -> Vec3:
    """Return where a light shines: to its target, else along its -Z."""
    try:
        target = target_of(node)
    except MaxSidecarError:
        target = None
    way = -world[2, :3] if target is None else view.world(target)[3, :3] - world[3, :3]
    length = float(np.linalg.norm(way))
    return _vector(way / length if length > 0.0 else way)
