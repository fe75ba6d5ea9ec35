"""The classes that polymorphic pointers name, found when a file first asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from maxsidecar.nel.serial.declare import Serial

__all__ = ["CLASS_MODULES", "all_classes", "find_class"]

#: Modules of ``maxsidecar.nel.serial.classes``.
CLASS_MODULES: Final = (
    "basic",
    "texture",
    "material",
    "buffers",
    "mesh_base",
    "mesh",
    "mesh_mrm",
    "mesh_mrm_skinned",
    "mesh_multi_lod",
    "other_shapes",
    "particle_system",
    "skeleton",
    "skeleton_weight",
    "streams",
)


@cache
def _classes() -> dict[str, type[Serial]]:
    """Import every module of classes; return the classes by their name in the game."""
    found: dict[str, type[Serial]] = {}
    for name in CLASS_MODULES:
        module = import_module(f"maxsidecar.nel.serial.classes.{name}")
        for cls in _declared(module.__dict__, module.__name__):
            if found.setdefault(cls.nel_name, cls) is not cls:
                raise TypeError(f"{cls.nel_name} is declared twice")
    return found


def _declared(names: dict[str, object], module: str) -> Iterator[type[Serial]]:
    from maxsidecar.nel.serial.declare import Serial

    for item in names.values():
        if isinstance(item, type) and issubclass(item, Serial) and item.__module__ == module:
            yield item


def find_class(name: str) -> type[Serial] | None:
    """Return the class that a polymorphic pointer names, or ``None`` when there is none."""
    cls = _classes().get(name)
    return cls if cls is not None and cls.bases else None


def all_classes() -> tuple[type[Serial], ...]:
    """Return every declared class, in the order of the declarations."""
    return tuple(_classes().values())
