"""Which Python class shows which scene class: exact class, else superclass, else raw.

Keyed on class id and superclass id, never on names, which are localised (spec: max-format-facts).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassInfo
    from maxsidecar.scene.objects import SceneObject

__all__ = ["register", "view_class"]

C = TypeVar("C", bound="type[SceneObject]")

_exact: dict[tuple[int, int, int], type[SceneObject]] = {}
_by_superclass: dict[int, type[SceneObject]] = {}

_SCENE: Final = "maxsidecar.scene."
_PARAMETERS: Final = _SCENE + "params"
_CONTROLLERS: Final = _SCENE + "controllers"
_LAYOUTS: Final = _SCENE + "layouts"
_MATERIALS: Final = _SCENE + "materials"
_STORED: Final = _SCENE + "geometry.stored."
_MODIFIERS: Final = _SCENE + "modifiers."
_SKIN: Final = _SCENE + "skin."
_RIGGING: Final = _SCENE + "rigging."

#: Modules that register more views, by superclass; imported when the first object of that
#: superclass is looked at, so that opening a file and listing its nodes does not wait for them.
_deferred: dict[int, tuple[str, ...]] = {
    **dict.fromkeys((0x8, 0x82), (_PARAMETERS,)),
    0x1160: (_PARAMETERS, _LAYOUTS + "_attributes"),
    **dict.fromkeys((0x9005, 0x900B, 0x900D, 0x9012), (_CONTROLLERS,)),
    0x900C: (_CONTROLLERS, _LAYOUTS + "_controllers"),
    0x9003: (
        _CONTROLLERS,
        _LAYOUTS + "_controllers",
        _RIGGING + "cat_controllers",
        _RIGGING + "ik",
    ),
    0x9008: (
        _CONTROLLERS,
        _SCENE + "biped.system",
        _RIGGING + "cat_controllers",
        _RIGGING + "ik",
    ),
    0x200: (_LAYOUTS + "_scene", _RIGGING + "cat_parts"),
    **dict.fromkeys((0xB60, 0xD00, 0xF00, 0x1090, 0x900F, 0x9011), (_LAYOUTS + "_scene",)),
    0x100: (_SCENE + "units", _SCENE + "selection_sets", _MATERIALS, _LAYOUTS + "_scene"),
    0x1010: (_SCENE + "render",),
    0x10: (
        _SCENE + "helpers",
        _STORED + "mesh_views",
        _STORED + "patch_views",
        _LAYOUTS + "_geometry",
        _RIGGING + "cat_parts",
    ),
    0x40: (_SCENE + "geometry.shapes.shape_views",),
    0x60: (_SCENE + "biped.system",),
    0x810: (
        _MODIFIERS + "unwrap_views",
        _MODIFIERS + "select_views",
        _MODIFIERS + "edit_mesh_views",
        _MODIFIERS + "edit_normals_views",
        _MODIFIERS + "edit_spline_views",
        _MODIFIERS + "edit_poly_views",
        _MODIFIERS + "edit_patch_views",
        _MODIFIERS + "map_extender_views",
        _MODIFIERS + "shape_views",
        _MODIFIERS + "vertex_paint_views",
        _SKIN + "skin_views",
        _SKIN + "physique_views",
        _SKIN + "morpher_views",
    ),
    0x50: (_SCENE + "helpers", _RIGGING + "cat_parts", _RIGGING + "ik"),
    0x20: (_SCENE + "cameras",),
    0x30: (_SCENE + "lights",),
    **dict.fromkeys((0xC00, 0xC10, 0xC20, 0xC30, 0xC40), (_MATERIALS,)),
    **dict.fromkeys((0x1080, 0x10B0, 0x1110), (_MATERIALS,)),
    0x1F0: (_SCENE + "derived",),
}


def register(*, superclass: int, class_id: tuple[int, int] | None = None) -> Callable[[C], C]:
    """Class decorator: show objects of this class so.

    Args:
        superclass: Superclass id.
        class_id: Both halves of the class id; ``None`` registers the fallback of the superclass.
    """

    def add(view: C) -> C:
        if class_id is None:
            _by_superclass[superclass] = view
        else:
            _exact[*class_id, superclass] = view
        return view

    return add


def view_class(info: ClassInfo | None, fallback: type[SceneObject]) -> type[SceneObject]:
    """Return the Python class for a scene class, ``fallback`` where nothing is registered."""
    if info is None:
        return fallback
    for module in _deferred.pop(info.superclass, ()):
        import_module(module)
    exact = _exact.get((info.class_id.a, info.class_id.b, info.superclass))
    return exact or _by_superclass.get(info.superclass, fallback)
