"""What else of a node moves besides its place: cameras, materials, lights, particles, morphs.

The plug-in takes these of the nodes that are chosen for the export only, not of what hangs on
them.  It looks parameters up by name, in an object first and then in what the object is made of.
(spec: nel-export-rules, section 5; pipeline-max-design, section 10d; which names it asks for, and
that a Multi/Sub-Object has the values of the first material in it: NeL's public sources)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.nel.animation.keyframers import Level
from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.animated import parameter_of
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.lights import Light
from maxsidecar.scene.materials.base import MaterialBase
from maxsidecar.scene.materials.standard import Shader, StandardMaterial
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.morpher_views import FIRST_BLOCK, FIRST_TARGET, Morpher
from maxsidecar.scene.skin.stacks import layers

if TYPE_CHECKING:
    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.flags import Flags
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.params.parameter import Parameter

__all__ = ["SWITCH", "UNSEEN", "Extra", "animated_light", "extras"]

#: Kind of what is on or off.
SWITCH: Final = "switch"
#: Kind of what the plug-in does not look at, so that it has no track.
UNSEEN: Final = "unseen"

#: Names that stand for no animation.
_NO_ANIMATION: Final = frozenset({"Sun", "GlobalLight", "(Use NelLight Modifier)"})
_CHANNELS: Final = 100
_TRIGGER: Final = "PSTrigger"
_PARTICLES: Final = ("PSParam0", "PSParam1", "PSParam2", "PSParam3", _TRIGGER)
#: Values of a material by the name of the parameter, in the order of the plug-in.
_COLORS: Final = (
    ("ambient", "ambient"),
    ("diffuse", "diffuse"),
    ("specular", "specular"),
    ("self_illumination_color", "emissive"),
)
#: The same in a NeL Material's own blocks.
_SCRIPTED: Final = (
    ("cAmbient", "color"),
    ("cDiffuse", "color"),
    ("cSpecular", "color"),
    ("cSelfIllumColor", "color"),
    ("pOpacity", "percent"),
)
#: Texture stages of the game's materials.
_STAGES: Final = 4
_MOVES: Final = (
    ("u_offset", "UTrans"),
    ("v_offset", "VTrans"),
    ("u_tiling", "UScale"),
    ("v_tiling", "VScale"),
    ("w_angle", "WRot"),
)
_CAMERA, _MATERIAL, _MAP, _COORDINATES = 0x20, 0xC00, 0xC10, 0xC20
#: Materials and maps that are looked into at most, from one on.
_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class Extra:
    """Something that may have a track.

    Attributes:
        name: Name of the track.
        controller: What moves it; ``None`` where nothing does.
        kind: ``float``, ``color``, :data:`SWITCH` or :data:`UNSEEN`.
        level: Factor on a colour.
    """

    name: str
    controller: Controller | None
    kind: str
    level: Level | None = None


def extras(view: SceneView, node: Node, start: str) -> list[Iterator[Extra]]:
    """Return what of a node may have tracks besides its place, in the order of the plug-in.

    Each of the iterators may raise ``MaxSidecarError``, and is done then.

    Args:
        view: The scene.
        node: The node.
        start: In front of the names.
    """
    return [
        _camera(view, node, start),
        _materials(view, node, start),
        _light(view, node),
        _particles(view, node, start),
        _morphs(view, node, start),
    ]


def _camera(view: SceneView, node: Node, start: str) -> Iterator[Extra]:
    base = view.base(node)
    if base is not None and base.superclass == _CAMERA:
        yield Extra(f"{start}fov", _controller(base, "fov"), "float")


def _materials(view: SceneView, node: Node, start: str) -> Iterator[Extra]:
    if view.flags(node).on("EXPORT_ANIMATED_MATERIALS"):
        yield from _material(node.material, start, set())


def _light(view: SceneView, node: Node) -> Iterator[Extra]:
    base, flags = view.base(node), view.flags(node)
    if flags.on("LM_ANIMATED") and isinstance(base, Light):
        name = f"LightmapController.{animated_light(flags)}"
        yield Extra(name, _controller(base, "color"), "color")


def _particles(view: SceneView, node: Node, start: str) -> Iterator[Extra]:
    base = view.base(node)
    if base is None or not view.is_particles(node):
        return
    values = Values(base)
    for name in _PARTICLES:
        trigger = name == _TRIGGER
        parameter = values.find(name, "boolean" if trigger else "float")
        yield Extra(f"{start}{name}", _of(parameter), SWITCH if trigger else "float")


def animated_light(flags: Flags) -> str:
    """Return the name of a light's animation; empty for names that stand for none."""
    name = flags.text("LM_ANIMATED_LIGHT")
    return "" if name in _NO_ANIMATION else name


def _morphs(view: SceneView, node: Node, start: str) -> Iterator[Extra]:
    """Yield how far each channel of the first Morpher is on, by the name of its target."""
    found = layers(node.object, lambda obj: isinstance(obj, Morpher))
    if not found:
        return
    morpher = found[0].modifier
    for number in range(_CHANNELS):
        target = view.scene.nodes.get(morpher.references.get(FIRST_TARGET + number, -1))
        settings = morpher.reference(FIRST_BLOCK + number)
        if target is None or settings is None:
            continue
        factor = settings.reference(0)
        controller = factor if isinstance(factor, Controller) else None
        yield Extra(f"{start}{view.name(target)}MorphFactor", controller, "float")


def _material(material: SceneObject | None, start: str, seen: set[int]) -> Iterator[Extra]:
    """Yield the values of a material and of those in it, all with their own name."""
    if not isinstance(material, MaterialBase) or not _is_new(material, seen):
        return
    own = f"{start}{material.name}."
    for name, value in _COLORS:
        level = _level(material) if value == "specular" else None
        yield Extra(f"{own}{value}", _named(material, name), "color", level)
    yield Extra(f"{own}opacity", _named(material, "opacity"), "float")
    values = Values(material)
    for name, kind in _SCRIPTED:
        yield Extra(f"{own}{name}", _of(values.find(name, kind)), UNSEEN)
    for slot in material.sub_materials:
        yield from _material(slot.material, start, seen)
    yield from _textures(material, own)


def _textures(material: MaterialBase, own: str) -> Iterator[Extra]:
    """Yield how the textures of a NeL Material move, or of the first one in a material."""
    holder = _holder(material, set())
    values = None if holder is None else Values(holder)
    if values is None or not values.on("bExportTextureMatrix"):
        return
    for stage in range(_STAGES):
        texture = values.map(f"tTexture_{stage + 1}")
        if texture is not None and values.on(f"bEnableSlot_{stage + 1}"):
            for name, value in _MOVES:
                yield Extra(f"{own}{value}{stage}", _named(texture, name), "float")


def _is_new(obj: SceneObject, seen: set[int]) -> bool:
    """Return whether an object was not looked at yet; very many are not looked at."""
    if obj.index in seen or len(seen) >= _MOST:
        return False
    seen.add(obj.index)
    return True


def _holder(material: SceneObject, seen: set[int]) -> SceneObject | None:
    """Return the first material that can say whether textures move."""
    if not _is_new(material, seen):
        return None
    if Values(material).find("bExportTextureMatrix", "boolean") is not None:
        return material
    inner = (_holder(part, seen) for part in _parts(material))
    return next((found for found in inner if found is not None), None)


def _level(material: MaterialBase) -> Level:
    """Return the level of a material's highlights by time."""

    def level(time: int) -> float:
        inner = material if isinstance(material, StandardMaterial) else _standard(material)
        found = None if inner is None else inner.specular_level(time)
        return 1.0 if found is None else found

    return level


def _standard(material: MaterialBase) -> StandardMaterial | None:
    """Return the Standard material that another one is derived from, or has in it."""
    return next((part for part in _parts(material) if isinstance(part, StandardMaterial)), None)


def _named(obj: SceneObject, name: str, seen: set[int] | None = None) -> Controller | None:
    """Return what moves the parameter of a name, in an object or the first part that has one."""
    seen = set() if seen is None else seen
    if not _is_new(obj, seen):
        return None
    found = _controller(obj, name)
    if found is not None:
        return found
    inner = (_named(part, name, seen) for part in _parts(obj))
    return next((found for found in inner if found is not None), None)


def _controller(obj: SceneObject, name: str) -> Controller | None:
    return _of(parameter_of(obj, name))


def _of(parameter: Parameter | None) -> Controller | None:
    """Return what moves a parameter."""
    found = None if parameter is None else parameter.controller
    return found if isinstance(found, Controller) else None


def _parts(obj: SceneObject) -> Iterator[SceneObject]:
    """Yield what a material or map is made of: not the maps of a material."""
    found: list[SceneObject | None] = []
    wanted: tuple[int, ...] = (_MAP, _COORDINATES)
    if obj.superclass == _MATERIAL:
        wanted = (_MATERIAL,)
        if isinstance(obj, MaterialBase):
            found += [slot.material for slot in obj.sub_materials]
    found += [obj.reference(slot) for slot in sorted(obj.references)]
    for part in found:
        if part is not None and (part.superclass in wanted or isinstance(part, Shader)):
            yield part
