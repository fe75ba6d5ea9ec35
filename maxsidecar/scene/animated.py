"""Values of an object at a time: constants as they are, animated ones through their controller."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, SupportsFloat

from maxsidecar.errors import DecodeError, EditError, shorten
from maxsidecar.scene.objects import SceneObject

if TYPE_CHECKING:
    from maxsidecar.scene.params.parameter import Parameter

__all__ = ["number_at", "numbers_at", "parameter_of", "value_at"]


def value_at(parameter: Parameter | None, time: int = 0) -> Any:
    """Return what a parameter is at a time.

    A controller that cannot be evaluated gives its stored value, see
    :attr:`maxsidecar.scene.controllers.Controller.reason`.

    Args:
        parameter: The parameter; of a table only constant values are given.
        time: Ticks (1/4800 s).

    Returns:
        The value as :attr:`Parameter.value` gives it; of a controller a ``float``, or a tuple of
        floats; ``None`` without a parameter, or when its controller is of no known kind.

    Raises:
        EditError: The time is no finite number.
        DecodeError: The parameter or its controller cannot be read.
    """
    _check_time(time)
    if parameter is None:
        return None
    # Not imported before, since listing the nodes of a scene needs no parameters.
    from maxsidecar.scene.params.tab import TabParameter

    if isinstance(parameter, TabParameter) or not parameter.controlled:
        return parameter.value
    from maxsidecar.scene.controllers.base import Controller

    controller = parameter.controller
    if not isinstance(controller, Controller):
        return None
    found = controller.evaluate(time)
    return float(found) if found.ndim == 0 else tuple(float(number) for number in found)


def _check_time(time: object) -> None:
    """Refuse what is no time, also where nothing changes with it."""
    if type(time) is int:
        return  # as nearly always, and the check below takes longer than many a value
    try:
        # Not only Python's own numbers: numpy has others.
        good = isinstance(time, SupportsFloat) and isfinite(float(time))
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise EditError("a time must be a finite number", expected="ticks", found=shorten(time))


def parameter_of(obj: SceneObject, *names: str) -> Parameter | None:
    """Return the parameter with the first of some names that the object has.

    Raises:
        DecodeError: The object's reference list cannot be read.
    """
    from maxsidecar.scene.params.access import find_parameter

    blocks = obj.param_blocks
    found = (find_parameter(blocks, name) for name in names)
    return next((parameter for parameter in found if parameter is not None), None)


def number_at(obj: SceneObject, name: str, time: int = 0) -> float | None:
    """Return a parameter that is a number, ``None`` when there is no such parameter.

    Raises:
        DecodeError: It cannot be read, or is no number.
    """
    value = value_at(parameter_of(obj, name), time)
    if value is None:
        return None
    if not isinstance(value, int | float):
        raise DecodeError(f"{name} is no number", obj.where, found=type(value).__name__)
    return float(value)


def numbers_at(obj: SceneObject, name: str, time: int = 0) -> tuple[float, ...] | None:
    """Return a parameter that is a colour or a vector, ``None`` when there is no such parameter.

    Raises:
        DecodeError: It cannot be read, or is neither.
    """
    value = value_at(parameter_of(obj, name), time)
    if value is None:
        return None
    if not isinstance(value, tuple) or not all(isinstance(n, int | float) for n in value):
        raise DecodeError(f"{name} is no colour", obj.where, found=type(value).__name__)
    return value
