"""Where a node is, as keys that can be edited: position, rotation, scale and pivot.

The numbers are those that the node's transform controller stores, relative to the parent, in units
of the scene.  What has keys, or is computed by another kind of controller, is shown as a text that
cannot be edited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.scene.biped.sizes import size_name
from maxsidecar.scene.biped.system import BipedController
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import PRS, EulerXYZ, LookAt, TripleController
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.controllers.layouts import KeyTable
from maxsidecar.scene.node import Node, Rotation, Scaling, Vector
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.numbers import degrees, exact, from_euler, radians, single, to_euler
from maxsidecar.sidecar.optional import Field, FixedText, NotANumber
from maxsidecar.sidecar.paths import KeyPath

__all__ = ["animation_text", "key_count", "transform_fields"]

_GROUP: Final = "transform"
_KEYED: Final = "its controller gives this value: change the keys in 3ds Max"
_NO_AXIS: Final = (0.0, 0.0, 0.0, 1.0)

Numbers = tuple[float, ...]


def key_count(controller: SceneObject) -> int:
    """Return how many keys a controller and those below it have; damaged tables count as none."""
    count, seen, stack = 0, set(), [controller]
    while stack:
        part = stack.pop()
        if part.index in seen or not isinstance(part, Controller):
            continue
        seen.add(part.index)
        try:
            stack += part.parts()
            body = part.body if isinstance(part, KeyedController) else None
            table = body.table() if body is not None else None
            chunk = body.find(table.chunk_id) if body is not None and table is not None else None
        except MaxSidecarError:
            continue
        if chunk is not None and table is not None and isinstance(table.codec, KeyTable):
            count += len(chunk.data) // table.codec.layout.size
    return count


def animation_text(controller: SceneObject) -> str:
    """Return what is shown in place of a value that a controller gives."""
    count = key_count(controller)
    keys = f"{count} key{'' if count == 1 else 's'}, " if count else ""
    return f"animated: {keys}{controller.class_name}"


def usual(stored: Sequence[float]) -> Numbers:
    """Turn a stored quaternion into the usual one, or back; zeros keep their sign."""
    return tuple(n if n == 0.0 or i == 3 else -n for i, n in enumerate(stored))


class NumbersField:
    """Some numbers of 32 bits that stand together.

    The sign of a zero means nothing here and is not shown: a zero that stays one keeps its sign.

    Attributes:
        name: Last key of the path, for messages.
        holders: The objects whose bytes hold them.
        place: Tells them from all other values of the scene.
        stored: The numbers as they are stored; quaternions in the usual convention.
    """

    def __init__(
        self,
        name: str,
        holders: list[SceneObject],
        stored: Numbers,
        store: Callable[[Numbers], None],
    ) -> None:
        """Keep what is stored, and how other numbers are."""
        self.name = name
        self.holders = holders
        self.place = (holders[0].index, name)
        self.stored = stored
        self._store = store

    #: A new zero, with the sign that 3ds Max stores most.
    zero: ClassVar[float] = 0.0

    @property
    def shown(self) -> Any:
        """The numbers as shortest decimals."""
        return self._show(self.stored)

    def _numbers(self, value: Any, *counts: int) -> Numbers:
        expected = " or ".join(map(str, counts)) + " numbers"
        if not isinstance(value, list | tuple) or len(value) not in counts:
            raise EditError(f"{self.name}: wrong type", expected=expected, found=shorten(value))
        for number in value:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise EditError(
                    f"{self.name}: wrong type", expected=expected, found=shorten(number)
                )
        return tuple(map(_float, value))

    def _stored_form(self, value: Any) -> Numbers:
        """Return what is stored for a value."""
        return self._zeros(map(self._single, self._numbers(value, len(self.stored))))

    def _zeros(self, numbers: Iterable[float]) -> Numbers:
        """Return numbers whose zeros have the sign that is stored, or that of new ones."""
        return tuple(
            n if n != 0.0 else old if old == 0.0 else self.zero
            for n, old in zip(numbers, self.stored, strict=True)
        )

    def _single(self, value: float) -> float:
        found = single(value)
        if found is None:
            raise EditError(f"{self.name}: out of range", expected="32 bits", found=shorten(value))
        return found

    def _show(self, stored: Numbers) -> Any:
        # A sum with 0.0 is no -0.0.
        return [exact(n) + 0.0 for n in stored]

    def check(self, value: Any) -> Any:
        """Return the numbers as they would be shown."""
        return self._show(self._stored_form(value))

    def write(self, value: Any) -> None:
        """Store other numbers."""
        self._store(self._stored_form(value))


class QuaternionField(NumbersField):
    """A rotation that is stored as a quaternion.

    It is shown in degrees about x, then y, then z, where exactly the stored numbers come of that;
    else as x, y, z, w.  Both can be written.
    """

    zero = -0.0

    def _show(self, stored: Numbers) -> Any:
        angles = to_euler(stored)
        for digits in range(1, 8):
            # A sum with 0.0 is no -0.0.
            short = [float(f"{angle:.{digits}g}") + 0.0 for angle in angles]
            short = [0.0 if abs(angle) < 1e-4 else angle for angle in short]
            if [single(n) for n in from_euler(short)] == list(stored):
                return short
        return [exact(n) + 0.0 for n in stored]

    def _stored_form(self, value: Any) -> Numbers:
        numbers = self._numbers(value, 3, 4)
        if len(numbers) == 3:
            for number in numbers:
                self._single(number)
            numbers = from_euler(numbers)
        elif not any(numbers):
            raise EditError(f"{self.name}: no rotation", found=shorten(value))
        return self._zeros(map(self._single, numbers))


class PivotField(QuaternionField):
    """The same for the pivot, whose new zeros are positive."""

    zero = 0.0


class AnglesField(NumbersField):
    """A rotation that is stored as three angles, in radians; shown in degrees."""

    def _show(self, stored: Numbers) -> Any:
        angles = [degrees(n) for n in stored]
        return [None if angle is None else angle + 0.0 for angle in angles]

    def _stored_form(self, value: Any) -> Numbers:
        numbers = [radians(n) for n in self._numbers(value, 3)]
        if None in numbers:
            raise EditError(f"{self.name}: out of range", found=shorten(value))
        return self._zeros(n for n in numbers if n is not None)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise EditError("the number is too large", found=shorten(value)) from None


def _same(left: Sequence[float | None], right: Sequence[float]) -> bool:
    """Return whether numbers are the same to the bit, the sign of zero included."""
    return all(a == b and str(a) == str(b) for a, b in zip(left, right, strict=True))


# --- controllers ---------------------------------------------------------------------------------


def _constant(controller: Controller | None, kind: str) -> bool:
    """Return whether a controller holds one value for all times, which can be changed."""
    return (
        isinstance(controller, KeyedController) and controller.kind == kind and controller.constant
    )


def _set(controller: KeyedController, stored: Numbers) -> None:
    """Change the value of a controller without keys; quaternions as they are stored."""
    if controller.kind in ("rotation", "scale"):
        # Zeros change their sign here and back again.
        stored = (*stored[:-4], *(-n for n in stored[-4:-1]), stored[-1])
    controller.set_value(stored if len(stored) > 1 else stored[0])


def _triple(controller: TripleController) -> tuple[list[KeyedController], Numbers] | None:
    """Return the controllers of three axes and their values, if all are constant."""
    axes = [controller.part(slot) for slot in range(3)]
    found = [
        axis for axis in axes if isinstance(axis, KeyedController) and _constant(axis, "float")
    ]
    if len(found) != 3 or len({axis.index for axis in found}) != 3:
        return None
    return found, tuple(axis.stored[0] for axis in found)


def _store_triple(axes: list[KeyedController]) -> Callable[[Numbers], None]:
    def store(values: Numbers) -> None:
        for axis, value in zip(axes, values, strict=True):
            if not _same([axis.stored[0]], [value]):
                _set(axis, (value,))

    return store


def _parts(name: str, controller: Controller) -> Iterator[tuple[str, Field]]:
    """Yield the keys of one controller of position, rotation or scale."""
    if isinstance(controller, TripleController) and controller.obstacle is None:
        axes = _triple(controller)
        plain = not isinstance(controller, EulerXYZ) or controller.axis_order == 0
        if axes is not None and plain and controller.kind == name:
            kind = AnglesField if name == "rotation" else NumbersField
            yield _shown(name, kind(name, [controller, *axes[0]], axes[1], _store_triple(axes[0])))
            return
    elif isinstance(controller, KeyedController) and _constant(controller, name):
        stored = _numbers(controller)
        if name == "rotation":
            yield _shown(
                name,
                QuaternionField(
                    name, [controller], usual(stored), lambda new: _set(controller, usual(new))
                ),
            )
        elif name == "scale":
            yield from _scale(
                name, [controller], stored, lambda new: _set(controller, new), plain="scale_axis"
            )
        else:
            yield _shown(
                name, NumbersField(name, [controller], stored, lambda new: _set(controller, new))
            )
        return
    yield name, FixedText(animation_text(controller), f"{name}: {_KEYED}", controller)


def _numbers(controller: KeyedController) -> Numbers:
    value = controller.body.value
    return value if isinstance(value, tuple) else (value,)


def _scale(
    name: str,
    holders: list[SceneObject],
    stored: Numbers,
    store: Callable[[Numbers], None],
    plain: str,
) -> Iterator[tuple[str, Field]]:
    """Yield the factors, and the frame in which they apply where it is turned."""
    factors, axis = stored[:3], stored[3:]
    yield _shown(name, NumbersField(name, holders, factors, lambda new: store((*new, *axis))))
    if axis != _NO_AXIS:
        yield _shown(
            plain,
            QuaternionField(
                plain, holders, usual(axis), lambda new: store((*factors, *usual(new)))
            ),
        )


def _shown(name: str, field: NumbersField) -> tuple[str, Field]:
    """Return a field, as a text where it holds what a sidecar cannot show."""
    value = field.shown
    if all(n is not None and single(n) is not None for n in value) and field.check(value) == value:
        return name, field
    return name, NotANumber(field)


def transform_fields(node: Node) -> dict[KeyPath, Field]:
    """Return the keys of ``transform`` of a node.

    Raises:
        MaxSidecarError: Its references cannot be read.
    """
    out: dict[KeyPath, Field] = {}
    controller = node.controller
    found: Iterator[tuple[str, Field]]
    if isinstance(controller, PRS | LookAt):
        slots = {"position": 0, "rotation": 1, "scale": 2}
        if isinstance(controller, LookAt):
            slots = {"position": 1, "scale": 3}
        for name, slot in slots.items():
            part = controller.part(slot)
            if part is None:
                continue
            found = _guarded(name, lambda name=name, part=part: list(_parts(name, part)))  # type: ignore[misc]
            out |= {(_GROUP, key): field for key, field in found}
        if isinstance(controller, LookAt):
            text = FixedText("looks at its target", f"rotation: {_KEYED}")
            out[_GROUP, "rotation"] = text
    elif controller is not None:
        text = FixedText(animation_text(controller), f"transform: {_KEYED}", controller)
        out[_GROUP, "controller"] = text
    found = _guarded("pivot", lambda: list(_pivot(node)))
    return out | {(_GROUP, key): field for key, field in found}


def _guarded(name: str, read: Callable[[], list[tuple[str, Field]]]) -> Iterator[tuple[str, Field]]:
    """Yield what can be read; what cannot is shown as such."""
    try:
        yield from read()
    except MaxSidecarError as error:
        text = f"cannot be read: {error.message}"
        yield name, FixedText(text, f"{name} {text}")


def _pivot(node: Node) -> Iterator[tuple[str, Field]]:
    """Yield the offset from the node to its object: what 3ds Max calls the pivot."""
    move, turn, scale = node.offset_position, node.offset_rotation, node.offset_scale
    if move is not None:

        def set_position(new: Numbers) -> None:
            node.offset_position = Vector(x=new[0], y=new[1], z=new[2])

        name = "pivot_position"
        yield _shown(name, NumbersField(name, [node], (move.x, move.y, move.z), set_position))
    if turn is not None:

        def set_rotation(new: Numbers) -> None:
            x, y, z, w = usual(new)
            node.offset_rotation = Rotation(x=x, y=y, z=z, w=w)

        name = "pivot_rotation"
        stored = usual((turn.x, turn.y, turn.z, turn.w))
        yield _shown(name, PivotField(name, [node], stored, set_rotation))
    if scale is not None:

        def set_scale(new: Numbers) -> None:
            names = ("x", "y", "z", "axis_x", "axis_y", "axis_z", "axis_w")
            node.offset_scale = Scaling(**dict(zip(names, new, strict=True)))

        numbers = (scale.x, scale.y, scale.z)
        size = _biped_size(node)
        if size is not None:
            text = FixedText([exact(n) + 0.0 for n in numbers], f"pivot_scale: {size}", node)
            yield "pivot_scale", text
            return
        axis = (scale.axis_x, scale.axis_y, scale.axis_z, scale.axis_w)
        yield from _scale(
            "pivot_scale", [node], (*numbers, *axis), set_scale, plain="pivot_scale_axis"
        )


def _biped_size(node: Node) -> str | None:
    """Return where the size of a bone of a biped is changed: its system has the same numbers."""
    controller = node.controller
    if not isinstance(controller, BipedController):
        return None
    try:
        system, role = controller.system, controller.role
        if system is None or role is None:
            return None
        name = size_name(system.rig.structure, role)
    except MaxSidecarError:
        return None
    return None if name is None else f"change biped.size.{name} of the centre of mass"
