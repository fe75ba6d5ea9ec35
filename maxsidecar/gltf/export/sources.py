"""From the map in a slot of a material to a picture file, and what is done with it.

Pictures are what glTF has; of maps that calculate or mix colours only those are followed that show
one picture, with what else they do to it told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.pictures import Picture
from maxsidecar.gltf.export.placing import Placing, placing_of
from maxsidecar.gltf.export.search import PICTURES
from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials import BitmapMap, Map, MapSlot
from maxsidecar.scene.materials.bitmap import Crop
from maxsidecar.scene.materials.values import Color, color_at
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.types import Kind

__all__ = ["NORMAL_BUMP", "Source", "follow"]

#: Deepest chain of maps in maps that is followed.
_DEEPEST: Final = 8
NORMAL_BUMP: Final = (0x243E22C6, 0x63F6A014)
_MASK: Final = (0x220, 0)
_MULTIPLY: Final = (0x290, 0)
_OUTPUT: Final = (0x2B0, 0)
_MIX: Final = (0x230, 0)
_COMPOSITE: Final = (0x280, 0)
_MAP_CLASSES: Final = 0xC10
_ONE: Final = (1.0, 1.0, 1.0)


@dataclass(slots=True, eq=False)
class Source:
    """A picture that a map shows.

    Attributes:
        found: The map that names the picture.
        path: Path as the scene has it.
        placing: Where it lies.
        alpha_source: ``image``, ``rgb`` or ``none``: where its alpha comes from.
        alpha_is_value: Whether the alpha is its value where one number is wanted.
        crop: The part of it that is used.
        factor: Colour that it is multiplied with.
        reasons: What is not as in 3ds Max.
        picture: The file, when it was found and read.
    """

    found: Map
    path: str
    placing: Placing
    alpha_source: str = "image"
    alpha_is_value: bool = False
    crop: Crop | None = None
    factor: Color = _ONE
    reasons: list[str] = field(default_factory=list)
    picture: Picture | None = None


def follow(slot: MapSlot | SceneObject, time: int = 0) -> tuple[Source | None, str]:
    """Return the picture that a map shows, or ``None`` and why there is none.

    Args:
        slot: The map, or the slot that it is in.
        time: Ticks.
    """
    found: SceneObject | None = slot.map if isinstance(slot, MapSlot) else slot
    factor = _ONE
    reasons: list[str] = []
    try:
        for _ in range(_DEEPEST):
            if not isinstance(found, Map):
                return None, "a map of no known kind"
            path = _path(found)
            if path is not None:
                return _source(found, path, factor, reasons, time)
            inner, color, reason = _inner(found, time)
            if inner is None:
                return None, reason
            if color is not None and all(isfinite(part) for part in color):
                factor = (factor[0] * color[0], factor[1] * color[1], factor[2] * color[2])
            reasons += [reason] if reason else []
            found = inner
    except MaxSidecarError as error:
        return None, str(error)
    return None, "maps in maps in maps"


def _source(
    found: Map, path: str, factor: Color, reasons: list[str], time: int
) -> tuple[Source | None, str]:
    placing = placing_of(found, time)
    if placing is None:
        return None, "it lies on the surroundings or in space, not on the surface"
    if placing.reason:
        reasons = [*reasons, placing.reason]
    source = Source(found, path, placing, factor=factor, reasons=reasons)
    if isinstance(found, BitmapMap):
        source.alpha_source = found.alpha_source or "image"
        source.alpha_is_value = value_at(parameter_of(found, "mono_output")) == 1
        source.crop = found.crop(time)
    output = found.output
    level = output.level(time) if output is not None else None
    if level is not None and isfinite(level) and level != 1.0:
        source.factor = (factor[0] * level, factor[1] * level, factor[2] * level)
    return source, ""


def _path(found: Map) -> str | None:
    """Return the path of the picture of a map that shows one."""
    if isinstance(found, BitmapMap):
        return found.path or ""
    for parameter in found.parameters.values():
        if parameter.kind is Kind.REFERENCE or parameter.controlled:
            continue
        value = parameter.value
        if isinstance(value, str) and value.casefold().endswith(PICTURES):
            return value
    return None


def _is(found: Map, class_id: tuple[int, int]) -> bool:
    return found.is_instance(_MAP_CLASSES, class_id)


def _inner(found: Map, time: int) -> tuple[SceneObject | None, Color | None, str]:
    """Return the map that another map mostly shows, what it is multiplied with, and a reason."""
    maps = found.maps
    name = found.class_name
    if _is(found, _OUTPUT) and "map" in maps:
        return maps["map"].map, None, f"what {name} does to its colours is left out"
    if _is(found, _MASK) and "map" in maps:
        return maps["map"].map, None, f"the mask of {name} is left out"
    if _is(found, _MULTIPLY):
        return _multiplied(found, maps, time)
    if _is(found, _MIX):
        amount = number_at(found, "mix_amount", time) or 0.0
        wanted = maps.get("map2" if amount >= 0.5 else "map1")
        if wanted is not None:
            return wanted.map, None, f"of {name} only one map is shown"
    if _is(found, _COMPOSITE) and maps:
        return next(iter(maps.values())).map, None, f"of {name} only the lowest layer is shown"
    return None, None, f"{name} is calculated; glTF has only pictures"


def _multiplied(
    found: Map, maps: Mapping[str, MapSlot], time: int
) -> tuple[SceneObject | None, Color | None, str]:
    """Return one map of RGB Multiply with the colour of the other (measured on an export)."""
    used = {name: slot for name, slot in maps.items() if slot.on is not False}
    for name, other in (("map1", "color2"), ("map2", "color1")):
        if name in used:
            both = len(used) > 1
            reason = f"of the maps of {found.class_name} only the first is shown" if both else ""
            return used[name].map, None if both else color_at(found, other, time), reason
    return None, None, f"{found.class_name} shows no map"
