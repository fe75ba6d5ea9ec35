"""Lights, as ``KHR_lights_punctual`` has them.

Of the old lights the multiplier becomes the intensity, as 3ds Max's own exporter does it (measured
on 5 lights, from 1 to 100 000): candela for points and spots, lux for directional lights.
Photometric lights store candela.  Colours are linear, as they are stored.  glTF has no light of all
of the sky, and all of its points and spots fade with the square of the distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, pi, radians
from typing import Any, Final, Literal

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.views import Views
from maxsidecar.scene.animated import number_at, numbers_at, parameter_of, value_at
from maxsidecar.scene.lights import Light, PhotometricLight, Skylight, StandardLight
from maxsidecar.scene.node import Node
from maxsidecar.scene.targets import target_of

__all__ = ["add_lights", "light_at"]

Kind = Literal["point", "spot", "directional"]

_KINDS: Final[Mapping[str, Kind]] = {"omni": "point", "spot": "spot", "direct": "directional"}
#: Least difference between the angles of a cone: glTF wants the inner one to be smaller.
_ANGLE: Final = 1e-4
_SPOTLIGHT, _WEB, _DIFFUSE = 1, 2, 3


@dataclass(slots=True)
class _Values:
    """A light as far as its class tells.

    Attributes:
        range: In units of the scene.
        cone: Inner and outer half angle in radians.
        reasons: What glTF cannot say.
    """

    kind: Kind
    color: tuple[float, ...] | None
    intensity: float | None
    on: bool | None
    range: float | None = None
    cone: tuple[float, float] | None = None
    reasons: list[str] = field(default_factory=list)


def add_lights(export: Export) -> None:
    """Give every exported node that shows a light a glTF light."""
    if not export.options.lights:
        return
    found = [
        (index, node, light)
        for index, node in export.scene_nodes.items()
        if index not in export.bare and (light := _light_of(node)) is not None
    ]
    if not found:
        return
    views = Views(export)
    known: dict[int, tuple[model.Light, str]] = {}
    for index, node, light in found:
        target = export.nodes[index]
        line = ("light", target.name, export.id_of(node), light.class_name)
        try:
            made = known.get(light.index) or _light(export, node, light)
            extras = _extras(export, light)
            looked_at = target_of(node)
        except MaxSidecarError as error:
            export.report.left_out(*line, str(error))
            continue
        if made is None:
            # The node's own id and class stay.
            target.extras = {**extras, **target.extras}
            export.report.left_out(*line, _why_not(light))
            continue
        if light.index not in known:
            made[0].extras = extras
            known[light.index] = made
        if looked_at is not None:
            target.extras["max_target_id"] = export.id_of(looked_at)
        views.holder(index, "light").light = made[0]
        if made[1]:
            export.report.approximated(*line, made[1])
        else:
            export.report.converted(*line)


def _light_of(node: Node) -> Light | None:
    try:
        found = node.base_object
    except MaxSidecarError:
        return None  # what the node shows is reported where its mesh is looked for
    return found if isinstance(found, Light) else None


def _why_not(light: Light) -> str:
    if isinstance(light, Skylight):
        return "glTF has no light of all of the sky; its values are kept with the node"
    return "what this class of lights stores is not known"


def _light(export: Export, node: Node, light: Light) -> tuple[model.Light, str] | None:
    """Return the light, and why it is not simply converted."""
    found = light_at(light, export.time, export.scale)
    if found is not None:
        found[0].name = export.nodes[node.index].name
    return found


def light_at(light: Light, time: int, scale: float) -> tuple[model.Light, str] | None:
    """Return a light as it is at a time, and why it is not simply converted.

    Args:
        light: The light.
        time: Ticks.
        scale: Metres in a unit of the scene.

    Returns:
        The light without a name; ``None`` for classes that glTF has no light for.

    Raises:
        DecodeError: It cannot be read.
    """
    if isinstance(light, PhotometricLight):
        values = _photometric(light, time)
    elif isinstance(light, StandardLight):
        values = _standard(light, time)
    else:
        return None
    reasons = values.reasons
    color, intensity = _color(values, reasons)
    made = model.Light(kind=values.kind, color=color, intensity=intensity)
    if values.kind != "directional" and values.range is not None:
        far = values.range * scale
        made.range = far if isfinite(far) and far > 0.0 else None
    if values.kind == "spot":
        inner, outer = values.cone or (0.0, pi / 4)
        made.outer_cone_angle = min(max(outer, 2 * _ANGLE), pi / 2)
        made.inner_cone_angle = min(max(inner, 0.0), made.outer_cone_angle - _ANGLE)
    return made, "; ".join(reasons)


def _color(values: _Values, reasons: list[str]) -> tuple[tuple[float, float, float], float]:
    """Return a colour of at most 1 and an intensity of at least 0."""
    if values.color is None or values.intensity is None:
        reasons.append("its colour or brightness is not known")
    stored = (*(values.color or (1.0, 1.0, 1.0)), 0.0, 0.0, 0.0)[:3]
    red, green, blue = (max(part, 0.0) if isfinite(part) else 0.0 for part in stored)
    intensity = 1.0 if values.intensity is None else values.intensity
    peak = max(red, green, blue)
    if peak > 1.0:
        red, green, blue, intensity = red / peak, green / peak, blue / peak, intensity * peak
    if values.on is False:
        reasons.append("it is switched off, so its intensity is 0")
        intensity = 0.0
    elif not isfinite(intensity) or intensity < 0.0:
        reasons.append("it takes light away, so its intensity is 0")
        intensity = 0.0
    return (red, green, blue), intensity


def _standard(light: StandardLight, time: int) -> _Values:
    shape = light.shape
    values = _Values(_KINDS[shape or "omni"], light.color(time), light.multiplier(time), light.on)
    if values.kind != "directional":
        values.reasons.append("in glTF it fades with the square of the distance")
        if light.use_far_attenuation:
            values.range = light.attenuation(time).get("far_end")
    if light.ambient_only:
        values.reasons.append("it is for ambient light only")
    values.cone = light.cone(time)
    return values


def _photometric(light: PhotometricLight, time: int) -> _Values:
    """Return candela and filter colour; whatever it shines from is a point here."""
    shape = value_at(parameter_of(light, "distribution"))
    on = value_at(parameter_of(light, "on"))
    intensity = number_at(light, "intensity", time)
    dimmer = number_at(light, "dimmer", time)
    if intensity is not None and dimmer is not None and value_at(parameter_of(light, "use_dimmer")):
        intensity *= dimmer / 100
    values = _Values(
        "spot" if shape == _SPOTLIGHT else "point",
        numbers_at(light, "filter_color", time),
        intensity,
        None if on is None else bool(on),
    )
    if values.kind == "spot":
        inner, outer = number_at(light, "hotspot", time), number_at(light, "falloff", time)
        if inner is not None and outer is not None:
            values.cone = radians(min(inner, outer)) / 2, radians(outer) / 2
    values.reasons.append("it shines from a point; from what shape 3ds Max lets it is not known")
    if shape in (_WEB, _DIFFUSE):
        values.reasons.append("it does not shine alike into all directions")
    if value_at(parameter_of(light, "use_kelvin")):
        values.reasons.append("the colour of its temperature is left out")
    if value_at(parameter_of(light, "use_far_attenuation")):
        values.range = number_at(light, "far_end", time)
    return values


def _extras(export: Export, light: Light) -> dict[str, Any]:
    """Return what glTF has no place for."""
    out: dict[str, Any] = {"max_id": export.id_of(light), "max_class": light.class_name}
    on, multiplier = light.on, light.multiplier(export.time)
    if on is not None:
        out["max_on"] = on
    if multiplier is not None and isfinite(multiplier):
        out["max_multiplier"] = multiplier
    if isinstance(light, StandardLight):
        out["max_casts_shadows"] = light.casts_shadows
        out["max_use_far_attenuation"] = bool(light.use_far_attenuation)
        numbers = light.attenuation(export.time)
        for name, value in (
            ("hotspot", light.hotspot(export.time)),
            ("falloff", light.falloff(export.time)),
        ):
            if value is not None:
                numbers[name] = value
        out.update((f"max_{name}", value) for name, value in numbers.items() if isfinite(value))
    elif isinstance(light, PhotometricLight):
        for name in ("kelvin", "use_kelvin", "web_file", "distribution"):
            value = value_at(parameter_of(light, name))
            if isinstance(value, str | bool | int) or (
                isinstance(value, float) and isfinite(value)
            ):
                out[f"max_{name}"] = value
    elif (color := light.color(export.time)) is not None and all(isfinite(part) for part in color):
        out["max_color"] = list(color)
    return out
