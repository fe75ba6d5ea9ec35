"""The Standard material, its shaders and the container of its maps.

Since release 3 its values are in parameter blocks: those of the shader hang on a shader object,
the rest on the material.  R1 and R2 keep all of them in one old block, and the maps in the slots
of the container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from maxsidecar.io.fields import F32, MARK, U32
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView, TypedLeaf
from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials.base import MATERIAL, MapSlot, free_label
from maxsidecar.scene.materials.material import MapRole, Material
from maxsidecar.scene.materials.values import Color, color_at, scaled
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.registry import register

__all__ = ["Sampler", "Shader", "StandardMaterial", "Texmaps"]

#: Map slots of R1 and R2 in the order of the container (likely: as documented, and the amount of 8
#: is the default of bump; only 1 and 9 are used in the one scene there is).
_OLD_SLOTS: Final = (
    "ambient",
    "diffuse",
    "specular",
    "glossiness",
    "specular_level",
    "self_illum",
    "opacity",
    "filter",
    "bump",
    "reflection",
    "refraction",
)
_AMOUNTS: Final = 0x5100
#: Flag of R1 and R2 (documented; set in none of the 40 materials there are).
_TWO_SIDED: Final = 1 << 3
_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Exposure(ChunkView):
    """Exposure control (likely)."""

    __slots__ = ()
    chunk_0322 = ChunkField(0x0322, U32, doc="open; 0")


class Texmaps(SceneObject):
    """The container of the maps of a Standard or Raytrace material.

    Only R1 and R2 keep the maps themselves here (measured: 40 materials of one scene).
    """

    __slots__ = ()
    enabled = ChunkField(0x5003, U32, doc="bit per map: switched on")

    @property
    def maps(self) -> dict[int, SceneObject]:
        """The maps by number of the map slot; map n stands in reference slot 2 n + 1.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        slots = sorted(slot for slot in self.references if slot >= 0 and slot & 1)
        found = {slot // 2: self.reference(slot) for slot in slots}
        return {number: obj for number, obj in found.items() if obj is not None}

    @property
    def amounts(self) -> dict[int, float]:
        """Strength by number of the map slot, as far as it is stored here.

        Raises:
            DecodeError: One is not stored as is known.
        """
        return {
            chunk.id - _AMOUNTS: F32.decode(chunk.data)
            for chunk in self.chunks()
            if _amount(chunk.id) and not chunk.container
        }

    def amount(self, number: int, time: int = 0) -> float:
        """Return the strength of a map: of its controller, in reference slot 2 n, else as stored.

        Raises:
            DecodeError: It cannot be read.
        """
        from maxsidecar.scene.controllers.base import FloatController

        controller = self.reference(number * 2)
        if isinstance(controller, FloatController):
            return float(controller.evaluate(time))
        return self.amounts.get(number, 1.0)

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves and the amounts."""
        yield from super().typed_leaves(prefix)
        for chunk in self.chunks():
            if _amount(chunk.id) and not chunk.container:
                yield chunk, f"{prefix}amounts[{chunk.id - _AMOUNTS}]", F32


def _amount(chunk_id: int) -> bool:
    return _AMOUNTS <= chunk_id < _AMOUNTS + 0x20


for _class, _superclass in (
    ((0x1200, 0), 0x1080),
    ((0x1200, 0), 0x100),
    ((0x3A13795A, 0x3D7F5059), 0x100),
):
    register(superclass=_superclass, class_id=_class)(Texmaps)


@register(superclass=0x10B0)
class Shader(SceneObject):
    """A shader; its block has the colours and strengths of the material."""

    __slots__ = ()
    version = ChunkField(0x5300, U32, doc="2 in all files (likely a version)")
    exposure = ChunkChild(0x5020, Exposure, doc="exposure control (likely)")


@register(superclass=0x1110)
class Sampler(SceneObject):
    """A way of supersampling."""

    __slots__ = ()
    version = ChunkField(0x0200, U32, doc="2 in all files (likely a version)")


@register(superclass=MATERIAL, class_id=(2, 0))
class StandardMaterial(Material):
    """The Standard material."""

    __slots__ = ()
    old_flags = ChunkField(0x5000, U32, doc="flags; bit 3: two-sided (documented); R1, R2")
    old_shading = ChunkField(0x5004, U32, doc="shading model; R1, R2")
    mark_5200 = ChunkField(0x5200, MARK, doc="open; R1, R2")
    version = ChunkField(0x5300, U32, doc="12 or 13: version of the layout (documented)")
    exposure = ChunkChild(0x5600, Exposure, doc="exposure control (likely)")

    #: Slots of all shaders; ``color`` is that of Strauss (likely).
    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("diffuse", "color"),
        "bump": ("bump",),
        "displacement": ("displacement",),
        "emission": ("self_illum",),
        "glossiness": ("glossiness",),
        "metalness": ("metalness",),
        "opacity": ("opacity",),
        "specular_color": ("specular",),
        "specular_level": ("specular_level",),
    }

    @property
    def shader(self) -> Shader | None:
        """The shader object; ``None`` in R1 and R2."""
        found = self.reference(2)
        return found if isinstance(found, Shader) else None

    @property
    def texmaps(self) -> Texmaps | None:
        """The container of the maps."""
        found = self.reference(1)
        return found if isinstance(found, Texmaps) else None

    @property
    def _colors(self) -> SceneObject:
        """The object whose parameters have the colours."""
        return self.shader or self

    @property
    def two_sided(self) -> bool | None:
        """Whether the backs of faces are seen; in R1 and R2 a flag says it (documented)."""
        value = value_at(parameter_of(self, "two_sided"))
        if value is not None:
            return bool(value)
        flags = self.old_flags
        return None if flags is None else bool(flags & _TWO_SIDED)

    def base_color(self, time: int = 0) -> Color | None:
        """Return the diffuse colour; the only colour of a Strauss shader."""
        colors = self._colors
        return color_at(colors, "diffuse", time) or color_at(colors, "color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return the opacity, from 0 to 1."""
        return number_at(self, "opacity", time)

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of highlights."""
        return color_at(self._colors, "specular", time)

    def ambient_color(self, time: int = 0) -> Color | None:
        """Return the colour in shadow."""
        return color_at(self._colors, "ambient", time)

    def specular_level(self, time: int = 0) -> float | None:
        """Return the strength of highlights; 1 is 100 %."""
        name = "specular_level" if self.shader is not None else "shininess_strength"
        return number_at(self._colors, name, time)

    def glossiness(self, time: int = 0) -> float | None:
        """Return how small highlights are, from 0 to 1."""
        name = "glossiness" if self.shader is not None else "shininess"
        return number_at(self._colors, name, time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "ior", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness of a Strauss shader; ``None`` for the others."""
        shader = self.shader
        return number_at(shader, "metalness", time) if shader is not None else None

    def emission(self, time: int = 0) -> Color | None:
        """Return the colour of self-illumination.

        Either it is given as a colour, or as an amount of the diffuse colour (documented).
        """
        colors = self._colors
        if value_at(parameter_of(colors, "use_self_illumination_color")):
            return color_at(colors, "self_illumination_color", time)
        return scaled(self.base_color(time), number_at(colors, "self_illumination", time))

    @property
    def maps(self) -> dict[str, MapSlot]:
        """The maps by slot.

        Which slot is which depends on the shader; the block itself names them.  Slots are called
        ``diffuse``, ``specular_level``, ``self_illum``, ``opacity``, ``bump`` and so on.
        """
        tab = parameter_of(self, "maps")
        if isinstance(tab, TabParameter):
            return self._new_maps(tab)
        texmaps = self.texmaps
        if texmaps is None:
            return {}
        out: dict[str, MapSlot] = {}
        enabled = texmaps.enabled
        for number, found in texmaps.maps.items():
            name = _OLD_SLOTS[number] if number < len(_OLD_SLOTS) else f"maps[{number}]"
            on = None if enabled is None else bool(enabled >> number & 1)
            out[name] = MapSlot(name, found, on, texmaps.amount(number))
        return out

    def _new_maps(self, tab: TabParameter) -> dict[str, MapSlot]:
        enabled, amounts = parameter_of(self, "map_enabled"), parameter_of(self, "map_amounts")
        switches = enabled.value if isinstance(enabled, TabParameter) else ()
        names = tab.value_names
        out: dict[str, MapSlot] = {}
        for position, found in enumerate(tab.targets):
            if found is None:
                continue
            stored = names.get(position)
            place = f"maps[{position}]"
            name = free_label(out, place if stored is None else _slot_name(stored), place)
            on = switches[position] if position < len(switches) else None
            amount = _strength(amounts, position)
            out[name] = MapSlot(name, found, None if on is None else bool(on), amount)
        return out


def _strength(amounts: Parameter | None, position: int) -> float | None:
    """Return the strength of a map, at the start of time when a controller gives it."""
    from maxsidecar.scene.controllers.base import FloatController

    if not isinstance(amounts, TabParameter) or position >= len(amounts):
        return None
    controller = amounts.controllers[position]
    if isinstance(controller, FloatController):
        return float(controller.evaluate(0))
    return float(amounts.value[position])


def _slot_name(stored: str) -> str:
    """Return ``self_illum`` for ``selfIllumMap``."""
    return _WORD.sub("_", stored.removesuffix("Map")).casefold()
