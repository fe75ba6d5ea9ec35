"""Keys of what has no node of its own in glTF, by ``KHR_animation_pointer``.

Lights (colour, intensity, cone), cameras (angle of view) and materials (colour and alpha, where no
texture or other map gives them) are sampled: what glTF wants of them follows from several
parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite, pi
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.cameras import picture_aspect
from maxsidecar.gltf.export.families import Families
from maxsidecar.gltf.export.lights import light_at
from maxsidecar.gltf.export.looks import read_look
from maxsidecar.gltf.export.sampling import Clock
from maxsidecar.gltf.export.tracks import Track, thinned
from maxsidecar.scene.cameras import Camera, vertical_fov
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.lights import Light
from maxsidecar.scene.materials import Material, StandardMaterial

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.objects import SceneObject

__all__ = ["Pointed", "pointed"]

Array: TypeAlias = npt.NDArray[np.float64]
Target: TypeAlias = model.Light | model.Camera | model.Material
#: Values by pointer, at one tick.
Values: TypeAlias = dict[str, tuple[float, ...]]

_COLOR: Final = "/pbrMetallicRoughness/baseColorFactor"
#: How far the colour of a material's parameters may be from the exported one.
_SAME: Final = 1e-6
#: Samples of one thing: parameters are read one by one.
_MOST: Final = 5_000


@dataclass(slots=True)
class Pointed:
    """A light, camera or material with keys.

    Attributes:
        target: It, in the export.
        source: It, in the scene.
        name: Of its node, or its own.
        id: Of its node, or its own.
        controllers: What moves it.
        at: Gives its values at a tick.
    """

    target: Target
    source: SceneObject
    name: str
    id: str
    controllers: list[Controller]
    at: Callable[[int], Values]

    def tracks(self, clock: Clock, families: Families) -> list[Track]:
        """Return its keys in a piece of time.

        Raises:
            DecodeError: A parameter cannot be read.
        """
        times = {id(t): t for item in self.controllers for t in families.times(item)}
        # Parameters are asked for at whole ticks.
        ticks = np.unique(np.round(clock.samples(times.values())))
        if len(ticks) > _MOST:
            ticks = ticks[np.unique(np.linspace(0, len(ticks) - 1, _MOST).astype(np.intp))]
        rows = [self.at(int(tick)) for tick in ticks]
        out: list[Track] = []
        for path, first in rows[0].items():
            values: Array = np.array([row.get(path, first) for row in rows], np.float64)
            reason = "sampled: glTF counts in other terms than its parameters"
            found = thinned(path, ticks, values, clock, reason)
            if found is not None:
                out.append(found)
        return out


def pointed(export: Export, families: Families) -> Iterator[Pointed]:
    """Yield the exported lights, cameras and materials that have keys, each once."""
    seen: set[int] = set()
    for index, node in export.scene_nodes.items():
        for holder in _holders(export, index):
            target = holder.light or holder.camera
            if target is None or id(target) in seen:
                continue
            seen.add(id(target))
            try:
                source = node.base_object
            except MaxSidecarError:
                continue  # told where the light or camera itself is exported
            controllers = _moving(source, families)
            at = _values(export, source, target)
            if source is not None and controllers and at is not None:
                yield Pointed(target, source, holder.name, export.id_of(node), controllers, at)
    # Only what is written can be pointed at.
    used = {
        id(primitive.material)
        for made in export.meshes.values()
        for primitive in made.mesh.primitives
    }
    for index, material in export.materials.items():
        if id(material) not in used:
            continue
        source = export.scene_file.scene[index]
        controllers = _moving(source, families)
        if isinstance(source, Material) and controllers and id(material) not in seen:
            seen.add(id(material))
            at = _material(source, material, export.time)
            if at is not None:
                yield Pointed(
                    material, source, material.name, export.id_of(source), controllers, at
                )


def _holders(export: Export, index: int) -> list[model.Node]:
    """Return a node and those below it that are there for its light or camera only."""
    node = export.nodes[index]
    return [node, *(child for child in node.children if child.light or child.camera)]


def _moving(obj: SceneObject | None, families: Families) -> list[Controller]:
    """Return the controllers of an object's parameters, if any of them has keys."""
    if obj is None:
        return []
    try:
        # The colours of a Standard material are parameters of its shader.
        shader = obj.shader if isinstance(obj, StandardMaterial) else None
        found = [
            parameter.controller
            for holder in ([obj] if shader is None else [obj, shader])
            for block in holder.param_blocks
            for parameter in block
            if parameter.controlled
        ]
    except MaxSidecarError:
        return []  # told where the object itself is exported
    out = [item for item in found if isinstance(item, Controller)]
    return out if any(families.times(item) for item in out) else []


def _values(
    export: Export, source: SceneObject | None, target: model.Light | model.Camera
) -> Callable[[int], Values] | None:
    if isinstance(source, Camera) and isinstance(target, model.Camera):
        return _camera(source, picture_aspect(export))
    if isinstance(source, Light) and isinstance(target, model.Light):
        return _light(source, export.scale)
    return None


def _camera(camera: Camera, aspect: float) -> Callable[[int], Values]:
    def at(tick: int) -> Values:
        fov = camera.fov(tick)
        if fov is None or not isfinite(fov) or not 0.0 < fov < pi:
            return {}
        return {"/perspective/yfov": (vertical_fov(fov, aspect),)}

    return at


def _light(light: Light, scale: float) -> Callable[[int], Values]:
    def at(tick: int) -> Values:
        found = light_at(light, tick, scale)
        if found is None:
            return {}
        made = found[0]
        out: Values = {"/color": made.color, "/intensity": (made.intensity,)}
        if made.range is not None:
            out["/range"] = (made.range,)
        if made.kind == "spot":
            out["/spot/innerConeAngle"] = (made.inner_cone_angle,)
            out["/spot/outerConeAngle"] = (made.outer_cone_angle,)
        return out

    return at


def _material(
    source: Material, target: model.Material, time: int
) -> Callable[[int], Values] | None:
    def at(tick: int) -> Values:
        look = read_look(source, tick)
        return {_COLOR: (*look.color, look.alpha)}

    now = at(time)[_COLOR]
    if np.abs(np.subtract(now, target.base_color)).max() > _SAME:
        return None
    return at
