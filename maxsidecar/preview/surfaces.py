"""What faces look like, in the few words that pages, pictures and ``.mtl`` files have for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.scene.materials.material import Material
from maxsidecar.scene.materials.multi import MultiMaterial

if TYPE_CHECKING:
    from maxsidecar.scene.attempts import Attempts
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject

__all__ = ["Surface", "Surfaces"]

Color = tuple[float, float, float]

#: Deepest chain of materials inside of materials that is followed.
_MAX_DEPTH: Final = 8
#: Shown where a map gives the colour: pictures lie beside the scene, and are not read.
_MAPPED: Final = (0.7, 0.7, 0.7)
_ROUGH: Final = 0.7


@dataclass(frozen=True, slots=True)
class Surface:
    """What faces look like.

    Attributes:
        index: Storage index of the material; -1 for the wire colour of a node.
        name: Name of the material; empty for the wire colour.
        color: Red, green, blue from 0 to 1, in the values that the file has.
        opacity: From 0 to 1.
        roughness: From 0 to 1.
        metalness: From 0 to 1.
        picture: Path of the picture for the colour, as the scene stores it; empty without one.
        mapped: Whether a map gives the colour.
    """

    index: int
    name: str
    color: Color
    opacity: float = 1.0
    roughness: float = _ROUGH
    metalness: float = 0.0
    picture: str = ""
    mapped: bool = False

    @property
    def shown_color(self) -> Color:
        """The colour without its map: a neutral grey where the map gives it."""
        return _MAPPED if self.mapped else self.color


class Surfaces:
    """Finds what faces look like; each material is read once.

    Args:
        attempt: Reads, and keeps what could not be read.
        time: Ticks (1/4800 s).
    """

    def __init__(self, attempt: Attempts, time: int = 0) -> None:
        """Nothing is read yet."""
        self._attempt = attempt
        self._time = time
        self._known: dict[int, Surface | None] = {}

    def of(self, node: Node, ids: Iterable[int], color: Color) -> dict[int, Surface]:
        """Return what the faces of a node look like, by material id.

        Args:
            node: The node.
            ids: Material ids of its faces, from 0.
            color: Wire colour: for faces whose material says no colour.
        """
        plain = Surface(-1, "", color)
        material = self._attempt.get(node, "material")
        found = {number: self._surface(self._leaf(material, number)) for number in ids}
        return {number: surface or plain for number, surface in found.items()}

    def _leaf(self, material: SceneObject | None, number: int) -> Material | None:
        """Return the material at the end of a chain of compound ones."""
        for _ in range(_MAX_DEPTH):
            if isinstance(material, MultiMaterial):
                material = self._attempt(material.for_id, number)
                continue
            if not isinstance(material, Material):
                return None
            if self._attempt(material.base_color, self._time) is not None:
                return material
            # Of a blend or the like the first part that there is.
            parts = self._attempt.get(material, "sub_materials") or []
            inner = next((part.material for part in parts if part.material is not None), None)
            if inner is None:
                return material
            material = inner
        return None

    def _surface(self, material: Material | None) -> Surface | None:
        if material is None:
            return None
        if material.index not in self._known:
            self._known[material.index] = self._read(material)
        return self._known[material.index]

    def _read(self, material: Material) -> Surface | None:
        attempt, time = self._attempt, self._time
        color = attempt(material.base_color, time)
        if color is None:
            return None
        slot = attempt(material.map_for, "base_color")
        picture = "" if slot is None else attempt(getattr, slot.map, "path", "")
        return Surface(
            index=material.index,
            name=attempt.get(material, "name") or "",
            color=(_unit(color[0], 0.6), _unit(color[1], 0.6), _unit(color[2], 0.6)),
            opacity=_unit(attempt(material.opacity, time), 1.0),
            roughness=_unit(attempt(material.roughness, time), _ROUGH),
            metalness=_unit(attempt(material.metalness, time), 0.0),
            picture=picture if isinstance(picture, str) else "",
            mapped=slot is not None and slot.on is not False,
        )


def _unit(value: Any, default: float) -> float:
    """Return a number as one from 0 to 1, for colours beyond white and damaged values."""
    # Not a number compares as neither.
    if not isinstance(value, int | float) or not (value >= 0 or value < 0):
        return default
    return min(max(float(value), 0.0), 1.0)
