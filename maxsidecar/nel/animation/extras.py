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
from maxsidecar.nel.animation.lookup import (
    MATRIX_SWITCH,
    MOST,
    Lookup,
    controller_of,
    mover_of,
    parts_of,
)
from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.lights import Light
from maxsidecar.scene.materials.base import MaterialBase
from maxsidecar.scene.materials.standard import StandardMaterial
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.morpher_views import FIRST_BLOCK, FIRST_TARGET, Morpher
from maxsidecar.scene.skin.stacks import layers

if TYPE_CHECKING:
    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.flags import Flags
    from maxsidecar.scene.objects import SceneObject

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
_CAMERA: Final = 0x20


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
        yield Extra(f"{start}fov", mover_of(base, "fov"), "float")


def _materials(view: SceneView, node: Node, start: str) -> Iterator[Extra]:
    if view.flags(node).on("EXPORT_ANIMATED_MATERIALS"):
        yield from _material(node.material, start)


def _light(view: SceneView, node: Node) -> Iterator[Extra]:
    base, flags = view.base(node), view.flags(node)
    if flags.on("LM_ANIMATED") and isinstance(base, Light):
        name = f"LightmapController.{animated_light(flags)}"
        yield Extra(name, mover_of(base, "color"), "color")


def _particles(view: SceneView, node: Node, start: str) -> Iterator[Extra]:
    base = view.base(node)
    if base is None or not view.is_particles(node):
        return
    values = Values(base)
    for name in _PARTICLES:
        trigger = name == _TRIGGER
        parameter = values.find(name, "boolean" if trigger else "float")
        yield Extra(f"{start}{name}", controller_of(parameter), SWITCH if trigger else "float")


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


def _material(material: SceneObject | None, start: str) -> Iterator[Extra]:
    """Yield the values of a material and of those in it, all with their own name.

    How its textures move comes behind the materials in it.
    """
    lookup, seen = Lookup(), set[int]()
    waiting = [(material, False)]
    while waiting:
        item, looked_into = waiting.pop()
        if not isinstance(item, MaterialBase):
            continue
        own = f"{start}{item.name}."
        if looked_into:
            yield from _textures(lookup, item, own)
        elif item.index not in seen and len(seen) < MOST:
            seen.add(item.index)
            yield from _values(lookup, item, own)
            waiting.append((item, True))
            waiting += [(slot.material, False) for slot in reversed(item.sub_materials)]


def _values(lookup: Lookup, material: MaterialBase, own: str) -> Iterator[Extra]:
    for name, value in _COLORS:
        level = _level(material) if value == "specular" else None
        yield Extra(f"{own}{value}", lookup.mover(material, name), "color", level)
    yield Extra(f"{own}opacity", lookup.mover(material, "opacity"), "float")
    values = Values(material)
    for name, kind in _SCRIPTED:
        yield Extra(f"{own}{name}", controller_of(values.find(name, kind)), UNSEEN)


def _textures(lookup: Lookup, material: MaterialBase, own: str) -> Iterator[Extra]:
    """Yield how the textures of a NeL Material move, or of the first one in a material."""
    holder = lookup.holder(material)
    values = None if holder is None else Values(holder)
    if values is None or not values.on(MATRIX_SWITCH):
        return
    for stage in range(_STAGES):
        texture = values.map(f"tTexture_{stage + 1}")
        if texture is not None and values.on(f"bEnableSlot_{stage + 1}"):
            for name, value in _MOVES:
                yield Extra(f"{own}{value}{stage}", lookup.mover(texture, name), "float")


def _level(material: MaterialBase) -> Level:
    """Return the level of a material's highlights by time."""

    def level(time: int) -> float:
        inner = material if isinstance(material, StandardMaterial) else _standard(material)
        found = None if inner is None else inner.specular_level(time)
        return 1.0 if found is None else found

    return level


def _standard(material: MaterialBase) -> StandardMaterial | None:
    """Return the Standard material that another one is derived from, or has in it."""
    return next((part for part in parts_of(material) if isinstance(part, StandardMaterial)), None)
