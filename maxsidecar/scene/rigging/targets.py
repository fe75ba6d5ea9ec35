"""What parameters of a rig's parts point at."""

from __future__ import annotations

from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.parameter import Parameter

__all__ = ["block_target", "block_targets", "first_block"]


def first_block(obj: SceneObject) -> ParamBlockBase | None:
    """Return the parameter block in reference slot 0 of an object.

    Raises:
        DecodeError: The reference list cannot be read.
    """
    found = obj.reference(0)
    return found if isinstance(found, ParamBlockBase) else None


def _parameter(obj: SceneObject, number: int) -> Parameter | None:
    block = first_block(obj)
    return None if block is None else block.get(number)


def block_target(obj: SceneObject, number: int) -> SceneObject | None:
    """Return the object that a parameter points at, in either form of doing so.

    CAT keeps links to other parts as references, and as controllers of what is called a number.

    Args:
        obj: The part.
        number: Id of the parameter in the block in slot 0.

    Raises:
        DecodeError: The block cannot be read.
    """
    parameter = _parameter(obj, number)
    return None if parameter is None else parameter.target or parameter.controller


def block_targets(obj: SceneObject, number: int) -> list[SceneObject | None]:
    """Return the objects that a table points at; ``None`` for an empty place.

    Args:
        obj: The part.
        number: Id of the parameter in the block in slot 0.

    Raises:
        DecodeError: The block cannot be read.
    """
    parameter = _parameter(obj, number)
    if parameter is None or not parameter.is_tab:
        return []
    return list(getattr(parameter, "targets", ()))
