"""Lights: the five old classes, skylights, and whatever else is of the superclass.

Statuses and proofs are in docs/format/lights-cameras.md.  Lights shine along the -Z axis of their
node.  Values that can be animated take a time in ticks (1/4800 s).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import radians
from typing import Final

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.fields import MARK, U16, U32, Array
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.animated import number_at, numbers_at, parameter_of, value_at
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

__all__ = ["Exclusion", "Light", "PhotometricLight", "Skylight", "StandardLight"]

LIGHT: Final = 0x30

#: Shape and whether it has a target, by first half of the class id.
_SHAPES: Final = {
    0x1011: ("omni", False),
    0x1012: ("spot", True),
    0x1013: ("direct", False),
    0x1014: ("spot", False),
    0x1015: ("direct", True),
}


class Exclusion(ChunkView):
    """Nodes that a light leaves out, or is limited to; by node handle."""

    __slots__ = ()
    stored_count = ChunkField(0x03E9, U32, default=0, doc="number of nodes")
    flags = ChunkField(0x03EC, U32, default=0, doc="bit 0: limited to these nodes (likely)")
    stored_handles = ChunkField(0x03EA, Array(U32), default=(), doc="handles of the nodes")

    @property
    def count(self) -> int:
        """The number of nodes."""
        return self.stored_count

    @property
    def handles(self) -> tuple[int, ...]:
        """The handles of the nodes; assigning writes their number as well.

        Raises:
            EditError: This is no list, a handle is out of range, or the list is not stored as is
                known.
        """
        return tuple(self.stored_handles)

    @handles.setter
    def handles(self, handles: Iterable[int]) -> None:
        from maxsidecar.scene.authoring_checks import items

        new = tuple(items(handles, "the handles of nodes"))
        Array(U32).encode(new)
        # Both are looked at before one is written, so that they cannot come to differ.
        for chunk_id in (0x03E9, 0x03EA):
            chunk = self.find(chunk_id)
            if chunk is None or chunk.container or (chunk_id == 0x03E9 and len(chunk.data) != 4):
                raise EditError("the list of nodes is not stored as is known", self.where)
        self.stored_handles = new
        self.stored_count = len(new)

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield a number of nodes that is not that of the handles."""
        if len(self.handles) != self.count:
            yield DecodeError(
                "the number of nodes is another one",
                self.where,
                expected=self.count,
                found=len(self.handles),
            )

    def nodes(self, obj: SceneObject) -> list[Node]:
        """Return the nodes, in stored order; handles of deleted nodes are left out.

        Args:
            obj: The light, or any object of the scene.

        Raises:
            DecodeError: The list cannot be read.
        """
        for problem in self.problems():
            raise problem
        if not self.handles:
            return []
        by_handle: dict[int, Node] = {}
        for node in obj.scene.nodes.values():
            if node.handle is not None:
                by_handle.setdefault(node.handle, node)
        return [by_handle[handle] for handle in self.handles if handle in by_handle]


@register(superclass=LIGHT)
class Light(SceneObject):
    """Any light."""

    __slots__ = ()

    @property
    def shape(self) -> str | None:
        """``"omni"``, ``"spot"``, ``"direct"`` or ``"sky"``; ``None`` when unknown."""
        return None

    @property
    def on(self) -> bool | None:
        """Whether it shines; ``None`` when that is not known."""
        return None

    def color(self, time: int = 0) -> tuple[float, ...] | None:
        """Return red, green, blue from 0 to 1; ``None`` when not known.

        Raises:
            DecodeError: It cannot be read.
        """
        return numbers_at(self, "color", time)

    def multiplier(self, time: int = 0) -> float | None:
        """Return the factor on the colour; ``None`` when not known.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "multiplier", time)


class StandardLight(Light):
    """Omni, spot and direct lights: a parameter block, flags, a shadow generator."""

    __slots__ = ()
    chunk_2560 = ChunkField(0x2560, U16, doc="open; 0")
    chunk_2561 = ChunkField(0x2561, U16, doc="open; 0")
    use_far_attenuation = ChunkField(0x2562, U16, default=0, doc="1: far attenuation is used")
    stored_shadows = ChunkField(0x2570, U16, default=0, doc="1: casts shadows (likely)")
    chunk_2571 = ChunkField(0x2571, U16, doc="open; 0, once 0xffff")
    chunk_2572 = ChunkField(0x2572, U16, doc="open; 0")
    chunk_2573 = ChunkField(0x2573, U16, doc="open; 1, not on omni lights")
    chunk_2575 = ChunkField(0x2575, MARK, doc="open")
    stored_on = ChunkField(0x2580, U16, default=1, doc="1: the light is on (likely)")
    chunk_2590 = ChunkField(0x2590, U16, doc="open; 0")
    chunk_25a0 = ChunkField(0x25A0, U16, doc="open; 0")
    ambient_only = ChunkField(0x2600, MARK, default=False, doc="there: ambient light only")
    chunk_2700 = ChunkField(0x2700, U16, doc="open; 0")
    exclusion = ChunkChild(0x2800, Exclusion, doc="nodes left out, or limited to")

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the exclusion list."""
        yield from self.exclusion.problems() if self.exclusion is not None else ()

    @property
    def shape(self) -> str | None:
        """``"omni"``, ``"spot"`` or ``"direct"``."""
        class_id = self.class_id
        return _SHAPES[class_id.a][0] if class_id is not None else None

    @property
    def targeted(self) -> bool:
        """Whether it is of a class with a target; :func:`~.targets.target_of` gives it."""
        class_id = self.class_id
        return class_id is not None and _SHAPES[class_id.a][1]

    @property
    def on(self) -> bool:
        """Whether it shines (likely)."""
        return bool(self.stored_on)

    @property
    def casts_shadows(self) -> bool:
        """Whether it casts shadows (likely)."""
        return bool(self.stored_shadows)

    @property
    def shadow_generator(self) -> SceneObject | None:
        """The object that makes the shadows: shadow map, ray traced, ..."""
        return self.reference(3)

    def hotspot(self, time: int = 0) -> float | None:
        """Return the width of the full beam: degrees of a spot, length of a direct light."""
        return number_at(self, "hotspot", time)

    def falloff(self, time: int = 0) -> float | None:
        """Return the width where light ends: degrees of a spot, length of a direct light."""
        return number_at(self, "falloff", time)

    def cone(self, time: int = 0) -> tuple[float, float] | None:
        """Return inner and outer half angle of a spot in radians; ``None`` for other lights.

        The outer one is that of glTF: half the falloff (measured on 4 lights).  The inner one is
        never larger.

        Raises:
            DecodeError: They cannot be read.
        """
        if self.shape != "spot":
            return None
        inner, outer = self.hotspot(time), self.falloff(time)
        if inner is None or outer is None:
            return None
        return radians(min(inner, outer)) / 2, radians(outer) / 2

    def attenuation(self, time: int = 0) -> dict[str, float]:
        """Return start and end of near and far attenuation, in units of the file, as stored."""
        names = ("near_start", "near_end", "far_start", "far_end")
        values = {name: number_at(self, name, time) for name in names}
        return {name: value for name, value in values.items() if value is not None}


for _a in _SHAPES:
    register(superclass=LIGHT, class_id=(_a, 0))(StandardLight)


@register(superclass=LIGHT, class_id=(0x7BF61478, 0x522E4705))
class Skylight(Light):
    """Light from all of the sky."""

    __slots__ = ()
    mark = ChunkField(0x1EEE, MARK, doc="always there")

    @property
    def shape(self) -> str:
        """``"sky"``."""
        return "sky"

    @property
    def on(self) -> bool | None:
        """Whether it shines."""
        value = value_at(parameter_of(self, "enabled"))
        return None if value is None else bool(value)


class PhotometricLight(Light):
    """Photometric lights, of several shapes; what is known of them is in their parameters."""

    __slots__ = ()
    chunk_0858 = ChunkField(0x0858, Array(U32), doc="open; nothing or three zeros")
    exclusion = ChunkChild(0x0859, Exclusion, doc="nodes left out, or limited to")
    chunk_0860 = ChunkField(0x0860, MARK, doc="always there")
    chunk_0861 = ChunkField(0x0861, Array(U32, 2), doc="open; a constant")

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the exclusion list."""
        yield from self.exclusion.problems() if self.exclusion is not None else ()


for _class in ((0x7CA93582, 0x1ABB6B32), (0x32375FCC, 0x0B025CF0)):
    register(superclass=LIGHT, class_id=_class)(PhotometricLight)
