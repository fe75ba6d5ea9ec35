"""Controllers: objects that give a value for every time.

Every controller answers :meth:`Controller.evaluate`.  One whose formula is not known says so in
:attr:`Controller.reason` and gives the value that is stored with it, or the neutral value of its
kind where nothing is stored.  So does one that is damaged in part, or set in a way that no file
proves: it gives what can be computed, and the reason why that need not be right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.controllers.sampling import FloatArray, Times

__all__ = [
    "NEUTRAL",
    "Controller",
    "FloatController",
    "Point3Controller",
    "Point4Controller",
    "PositionController",
    "RotationController",
    "ScaleController",
    "TransformController",
]

T = TypeVar("T")

#: Neutral value by kind: what a controller gives that neither evaluates nor stores a value.
#: Rotations are x, y, z, w; scales are three factors and the rotation of the scale frame;
#: transforms are the rows of a row-vector matrix.
NEUTRAL: Final[dict[str, tuple[float, ...]]] = {
    "float": (0.0,),
    "point3": (0.0, 0.0, 0.0),
    "point4": (0.0, 0.0, 0.0, 0.0),
    "position": (0.0, 0.0, 0.0),
    "rotation": (0.0, 0.0, 0.0, 1.0),
    "scale": (1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    "transform": (1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0),
}

#: Why classes are not evaluated, by the first half of the class id.
_REASONS: Final[dict[int, str]] = {
    0x6B147369: "biped sub-animation",
    0x0E6F5815: "inverse kinematics: posed by a solver",
    0x78724378: "inverse kinematics: posed by a solver",
    0x18D026A1: "CAT rig layer",
    0x1ADF2684: "CAT rig",
    0x1F781BE7: "CAT rig",
    0x485A734C: "CAT rig",
    0x542E413E: "CAT rig",
    0x4EDF6DDE: "CAT rig",
    0x6E341CBA: "CAT rig",
    0x1CBB1D2F: "CAT rig",
    0x68C00456: "CAT rig",
    0x71AF1A7D: "CAT rig",
    0x022D5030: "CAT rig",
    0x40585238: "CAT rig layer",
    0x72ED43DC: "CAT rig layer",
    0x265E07A8: "CAT rig",
    0x498702E6: "script: never run",
    0x498702E7: "wired to another parameter by an expression",
    0x7C8F3A2A: "script: never run",
    0x87A6DF27: "procedural noise",
    0x17127E3E: "limits another controller by parameters that are not decoded",
}


class Controller(SceneObject):
    """Any controller; also the fallback for controller classes that nothing is known of.

    Attributes:
        kind: What it gives, a key of :data:`NEUTRAL`.
    """

    __slots__ = ("_cache",)
    _cache: tuple[int, dict[str, Any]]
    kind: ClassVar[str] = "float"
    #: Whether the class is known well enough to be evaluated.
    known: ClassVar[bool] = False
    #: Reference slots of the controllers that it puts together.
    slots: ClassVar[tuple[int, ...]] = ()

    @property
    def width(self) -> int:
        """Numbers in one value."""
        return len(NEUTRAL[self.kind])

    @property
    def reason(self) -> str | None:
        """Why its value is not known for sure; ``None`` when it is.

        The first that is found of :attr:`own_reason` of it and of the controllers below it.
        """
        seen: set[int] = set()
        stack: list[Controller] = [self]
        while stack:
            controller = stack.pop()
            if controller.index in seen:
                continue
            seen.add(controller.index)
            try:
                own = controller.own_reason
                stack += controller.parts()
            except MaxSidecarError as error:
                own = f"damaged: {error.message}"
            if own is not None:
                name = controller.class_name
                return own if controller is self else f"{name} {controller.index}: {own}"
        return None

    @property
    def evaluable(self) -> bool:
        """Whether its value is known for sure at every time; else see :attr:`reason`."""
        return self.reason is None

    @property
    def own_reason(self) -> str | None:
        """Why the value of this very controller is not known for sure, whatever hangs below it."""
        return self.obstacle or self.doubt

    @property
    def obstacle(self) -> str | None:
        """Why nothing can be computed, so that the stored value is given; ``None`` when it can."""
        if self.known:
            return None
        class_id = self.class_id
        return _REASONS.get(class_id.a if class_id else 0, "unknown controller class")

    @property
    def doubt(self) -> str | None:
        """Why the computed value need not be right: damage in part, or settings that are open.

        It is given all the same.
        """
        return self.lost_part

    @property
    def lost_part(self) -> str | None:
        """Which of its slots leads to something else than a controller; ``None`` when none does.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        faults = (self.slot_fault(slot) for slot in self.part_slots())
        return next((fault for fault in faults if fault is not None), None)

    def part_slots(self) -> Iterable[int]:
        """Return the reference slots in which it expects controllers."""
        return self.slots

    def parts(self) -> Iterator[Controller]:
        """Yield the controllers that this one puts together.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        yield from filter(None, map(self.part, self.part_slots()))

    def part(self, slot: int) -> Controller | None:
        """Return the controller in a reference slot.

        ``None`` for an empty slot, and for one that leads elsewhere: :meth:`slot_fault` tells.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        slots: dict[int, int] = self.cached("slots", lambda: self.references)
        index = slots.get(slot)
        if index is None or index >= len(self.scene):
            return None
        found = self.scene[index]
        return found if isinstance(found, Controller) else None

    def slot_fault(self, slot: int) -> str | None:
        """Return what is wrong with a reference slot that must hold a controller or nothing.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        slots: dict[int, int] = self.cached("slots", lambda: self.references)
        index = slots.get(slot)
        if index is None:
            return None
        if index >= len(self.scene):
            return f"slot {slot} leads to no object: {index} of {len(self.scene)}"
        found = self.scene[index]
        if isinstance(found, Controller):
            return None
        return f"slot {slot} leads to no controller, but to {found.class_name} {index}"

    @property
    def stored(self) -> tuple[float, ...]:
        """The value stored with the controller, in the form that :meth:`evaluate` gives.

        Raises:
            DecodeError: It is not stored as is known.
        """
        return NEUTRAL[self.kind]

    def evaluate(self, time: Times = 0) -> FloatArray:
        """Return the value at one time or at many.

        Args:
            time: Ticks (1/4800 s): a number, or an array of shape (T,).

        Returns:
            float64 of shape (w,), or (T, w) for an array of times.  Floats have no last axis.
            Points and positions have w = 3.  Rotations are quaternions x, y, z, w in the usual
            convention (that of glTF; files store the conjugate), continuous along the times.
            Scales have w = 7: three factors, then the rotation of the scale frame.  Transforms
            are 4x4 row-vector matrices relative to the parent, of shape (4, 4) or (T, 4, 4).
        """
        from maxsidecar.scene.controllers.sampling import evaluate

        return evaluate(self, time)

    def kept(self) -> dict[str, Any]:
        """Return what was computed from the object as it is now; empty after an edit."""
        revision = self.data.revision
        cache: tuple[int, dict[str, Any]] | None = getattr(self, "_cache", None)
        if cache is None or cache[0] != revision:
            cache = self._cache = (revision, {})
        return cache[1]

    def cached(self, key: str, make: Callable[[], T]) -> T:
        """Return what ``make()`` gives, kept until the object is edited."""
        store = self.kept()
        if key not in store:
            store[key] = make()
        found: T = store[key]
        return found


@register(superclass=0x9003)
class FloatController(Controller):
    """Gives a number."""

    __slots__ = ()
    kind = "float"


@register(superclass=0x9005)
class Point3Controller(Controller):
    """Gives three numbers, or a colour."""

    __slots__ = ()
    kind = "point3"


@register(superclass=0x9008)
class TransformController(Controller):
    """Gives the transform of a node."""

    __slots__ = ()
    kind = "transform"


@register(superclass=0x900B)
class PositionController(Controller):
    """Gives a position."""

    __slots__ = ()
    kind = "position"


@register(superclass=0x900C)
class RotationController(Controller):
    """Gives a rotation."""

    __slots__ = ()
    kind = "rotation"


@register(superclass=0x900D)
class ScaleController(Controller):
    """Gives scale factors and the frame in which they apply."""

    __slots__ = ()
    kind = "scale"


@register(superclass=0x9012)
class Point4Controller(Controller):
    """Gives four numbers."""

    __slots__ = ()
    kind = "point4"
