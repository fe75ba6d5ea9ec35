"""Which Python class shows which scene class: exact class, else superclass, else raw.

Keyed on class id and superclass id, never on names, which are localised (spec: max-format-facts).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassInfo
    from maxsidecar.scene.objects import SceneObject

__all__ = ["register", "view_class"]

C = TypeVar("C", bound="type[SceneObject]")

_exact: dict[tuple[int, int, int], type[SceneObject]] = {}
_by_superclass: dict[int, type[SceneObject]] = {}


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
    exact = _exact.get((info.class_id.a, info.class_id.b, info.superclass))
    return exact or _by_superclass.get(info.superclass, fallback)
