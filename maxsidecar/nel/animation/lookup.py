"""Looking parameters up by name, in an object first and then in what it is made of.

(NeL's public sources: so the plug-in does, from the top down and in the order of references.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.animated import parameter_of
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.materials.base import MaterialBase
from maxsidecar.scene.materials.standard import Shader
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.parameter import Parameter

__all__ = ["MATRIX_SWITCH", "MOST", "Lookup", "controller_of", "mover_of", "parts_of"]

_MATERIAL, _MAP, _COORDINATES = 0xC00, 0xC10, 0xC20
#: Materials and maps that are looked into at most, from one on.
MOST: Final = 500
#: Parameter of a NeL Material that lets its textures move.
MATRIX_SWITCH: Final = "bExportTextureMatrix"


class Lookup:
    """Looks into materials and maps, and keeps what it finds, since they share parts."""

    def __init__(self) -> None:
        """Nothing is known."""
        #: By name: the first that was found in an object, by its storage index.
        self._known: dict[str, dict[int, Any]] = {}

    def mover(self, obj: SceneObject, name: str) -> Controller | None:
        """Return what moves the parameter of a name, in an object or the first part that has it."""
        found: Controller | None = self._first(obj, name, lambda item: mover_of(item, name))
        return found

    def holder(self, material: SceneObject) -> SceneObject | None:
        """Return the first material that can say whether textures move."""
        found: SceneObject | None = self._first(
            material,
            MATRIX_SWITCH,
            lambda item: item if Values(item).find(MATRIX_SWITCH, "boolean") is not None else None,
        )
        return found

    def _first(self, obj: SceneObject, name: str, look: Callable[[SceneObject], Any]) -> Any:
        """Return the first that is found from the top down, each object looked at once."""
        known = self._known.setdefault(name, {})
        above: dict[int, int | None] = {}
        waiting: list[tuple[SceneObject, int | None]] = [(obj, None)]
        while waiting and len(above) < MOST:
            item, owner = waiting.pop()
            if item.index in above:
                continue
            above[item.index] = owner
            seen = item.index in known
            found = known[item.index] if seen else look(item)
            if found is not None:
                here: int | None = item.index
                while here is not None:
                    known[here] = found
                    here = above[here]
                return found
            if not seen:
                waiting += [(part, item.index) for part in reversed(list(parts_of(item)))]
        known.update(dict.fromkeys(above))
        return None


def mover_of(obj: SceneObject, name: str) -> Controller | None:
    """Return what moves a parameter of an object itself."""
    return controller_of(parameter_of(obj, name))


def controller_of(parameter: Parameter | None) -> Controller | None:
    """Return what moves a parameter."""
    found = None if parameter is None else parameter.controller
    return found if isinstance(found, Controller) else None


def parts_of(obj: SceneObject) -> Iterator[SceneObject]:
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
