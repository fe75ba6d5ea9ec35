"""Weights of list controllers: parameter 0 of the list's parameter block.

It is a table with one number per entry (measured; docs/format/controllers.md section 5).
Parameter 1 says whether the entries are averaged; it is 0 in all files.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.errors import DecodeError
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.objects import SceneObject

__all__ = ["MAX_ENTRIES", "averages", "list_weights"]

#: More entries than any list has.
MAX_ENTRIES: Final = 10_000


def list_weights(block: SceneObject | None, count: int) -> list[float | Controller]:
    """Return the weight of each entry: a number, or the controller that animates it.

    Args:
        block: The list's parameter block; ``None`` means that every weight is 1.
        count: Number of entries.

    Raises:
        DecodeError: The block has no such table, or one of another length.
    """
    from maxsidecar.scene.params import ParamBlock2, TabParameter

    if block is None:
        return [1.0] * count
    table = block.get(0) if isinstance(block, ParamBlock2) else None
    if not isinstance(table, TabParameter):
        raise DecodeError("a list has no weights where they are expected", block.where)
    if len(table) != count:
        raise DecodeError(
            "a list has another number of weights", block.where, expected=count, found=len(table)
        )
    out: list[float | Controller] = []
    for value, controller in zip(table.value, table.controllers, strict=True):
        if isinstance(controller, Controller):
            out.append(controller)
        elif isinstance(value, int | float):
            out.append(float(value))
        else:
            raise DecodeError("a list has a weight that is no number", block.where)
    return out


def averages(block: SceneObject | None) -> bool:
    """Return whether a list averages its entries, or might at some time.

    Args:
        block: The list's parameter block; ``None`` means that it does not.

    Raises:
        DecodeError: The parameter cannot be read.
    """
    from maxsidecar.scene.params import ParamBlock2

    parameter = block.get(1) if isinstance(block, ParamBlock2) else None
    return parameter is not None and (parameter.controlled or bool(parameter.value))
