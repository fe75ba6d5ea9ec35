"""The classes that polymorphic pointers name, found when a file first asks for them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from maxsidecar.nel.serial.declare import Serial

__all__ = ["CLASS_MODULES", "all_classes", "classes_by_module", "find_class"]

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
    "point_light",
    "instance_group",
    "zone",
    "vegetable",
    "track",
    "animation",
    "lod_character",
    "collision_mesh",
    "collision_primitive",
    "skeleton",
    "skeleton_weight",
    "streams",
)


@cache
def classes_by_module() -> tuple[tuple[str, tuple[type[Serial], ...]], ...]:
    """Return the docstring of every module of classes, and its classes as they are declared."""
    from maxsidecar.nel.serial.declare import Serial

    found: list[tuple[str, tuple[type[Serial], ...]]] = []
    for name in CLASS_MODULES:
        module = import_module(f"maxsidecar.nel.serial.classes.{name}")
        classes = [
            item
            for item in vars(module).values()
            if isinstance(item, type)
            and issubclass(item, Serial)
            and item.__module__ == module.__name__
        ]
        found.append((module.__doc__ or name, tuple(classes)))
    return tuple(found)


@cache
def _classes() -> dict[str, type[Serial]]:
    """Return every class by its name in the game."""
    found: dict[str, type[Serial]] = {}
    for _, classes in classes_by_module():
        for cls in classes:
            if found.setdefault(cls.nel_name, cls) is not cls:
                raise TypeError(f"{cls.nel_name} is declared twice")
    return found


def find_class(name: str) -> type[Serial] | None:
    """Return the class that a polymorphic pointer names, or ``None`` when there is none."""
    cls = _classes().get(name)
    return cls if cls is not None and cls.bases else None


def all_classes() -> tuple[type[Serial], ...]:
    """Return every declared class, in the order of the declarations."""
    return tuple(_classes().values())
