"""Evaluation of objects: a base object, then its modifiers from the bottom of the stack up.

One small module for each class registers a function here, by class id::

    @generator((0x10, 0))  # of geometry; shapes and helpers name their superclass
    def box(obj, call):
        "Return the mesh of a Box."

    @modifier((0xF8614, 0))
    def normal(geometry, call):
        "Flip or unify the faces."

What cannot be evaluated is left out and reported: the geometry below it is used instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.derived import DerivedObject, ModifierContext
from maxsidecar.scene.geometry.mesh import Mesh

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.patch import PatchMesh
    from maxsidecar.scene.geometry.spline import Shape
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.scene import Scene

__all__ = [
    "Evaluation",
    "Evaluator",
    "GeneratorCall",
    "Geometry",
    "ModifierCall",
    "NotSupportedError",
    "Skipped",
    "generator",
    "modifier",
]

#: What flows up a stack.
Geometry: TypeAlias = "Mesh | Shape | PatchMesh"

G = TypeVar("G", bound=Callable[..., Any])

#: Packages whose modules register; all of them are imported at the first evaluation.
_PACKAGES: Final = (
    "maxsidecar.scene.geometry.stored",
    "maxsidecar.scene.geometry.primitives",
    "maxsidecar.scene.geometry.shapes",
    "maxsidecar.scene.modifiers",
)
#: Cameras, lights, helpers, systems and space warps: nothing of them is ever rendered.
_WITHOUT_MESH: Final = frozenset({0x20, 0x30, 0x50, 0x60, 0x830})
_GEOMETRY: Final = 0x10
#: Modifiers of objects and of the world.
_MODIFIERS: Final = frozenset({0x810, 0x820})
#: Deepest chain of derived objects and operands that is followed.
_MAX_DEPTH: Final = 64

#: By superclass and class id, as numbers of classes are those of others in other superclasses.
_generators: dict[tuple[int | None, tuple[int, int]], Generator] = {}
_modifiers: dict[tuple[int, int], Modifier] = {}


class NotSupportedError(Exception):
    """Raised by a generator or modifier that cannot do what its object asks for.

    Never leaves this package: the evaluator reports it as :class:`Skipped`.
    """


@dataclass(frozen=True, slots=True)
class Skipped:
    """A base object or modifier that was not evaluated.

    Attributes:
        index: Storage index of the object.
        class_name: Its class as the file calls it.
        reason: Why.
        approximate: Whether it was evaluated, but not exactly as 3ds Max does.
    """

    index: int
    class_name: str
    reason: str
    approximate: bool = False


@dataclass(slots=True)
class Evaluation:
    """What an object looks like.

    Attributes:
        geometry: The geometry on top of the stack; ``None`` when there is none.
        skipped: What was left out, from the bottom up.
        applied: Storage indices of the modifiers that were evaluated, from the bottom up.
        owner: The object that looks so.
    """

    geometry: Geometry | None = None
    skipped: list[Skipped] = field(default_factory=list)
    applied: list[int] = field(default_factory=list)
    owner: SceneObject | None = field(default=None, repr=False, compare=False)
    _surface: tuple[Geometry, Mesh | None] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @property
    def complete(self) -> bool:
        """Whether everything was evaluated."""
        return not any(not entry.approximate for entry in self.skipped)

    @property
    def mesh(self) -> Mesh | None:
        """The geometry as a mesh, as 3ds Max makes it where it needs one; made once.

        Shapes that are set to be rendered are tubes, closed curves of others are filled; ``None``
        when all curves are open.
        """
        geometry = self.geometry
        if geometry is None or isinstance(geometry, Mesh):
            return geometry
        if self._surface is None or self._surface[0] is not geometry:
            try:
                with np.errstate(all="ignore"):
                    mesh = geometry.to_mesh()
            except NotSupportedError as error:
                mesh = None
                index, name = (
                    (-1, "?")
                    if self.owner is None
                    else (
                        self.owner.index,
                        self.owner.class_name,
                    )
                )
                self.skipped.append(Skipped(index, name, str(error)))
            self._surface = geometry, mesh
        return self._surface[1]


@dataclass(slots=True)
class GeneratorCall:
    """What a generator may ask for.

    Attributes:
        evaluator: The evaluation that is going on: its scene and time, and other objects.
        evaluation: Where :meth:`approximate` notes.
    """

    evaluator: Evaluator
    evaluation: Evaluation
    obj: SceneObject

    @property
    def time(self) -> int:
        """Time in ticks."""
        return self.evaluator.time

    def leave_out(self, reason: str) -> None:
        """Report that a part of what the object does is not evaluated."""
        self.evaluation.skipped.append(Skipped(self.obj.index, self.obj.class_name, reason))

    def approximate(self, reason: str) -> None:
        """Report that the result is not exactly that of 3ds Max."""
        note = Skipped(self.obj.index, self.obj.class_name, reason, approximate=True)
        self.evaluation.skipped.append(note)


@dataclass(slots=True)
class ModifierCall(GeneratorCall):
    """What a modifier may ask for.

    Attributes:
        context: What belongs to it on this very object; ``None`` when the file has none.
        derived: The stack that it is in.
        slot: Its reference slot in the stack.
    """

    context: ModifierContext | None
    derived: DerivedObject
    slot: int

    def convert(self, geometry: Geometry) -> Mesh:
        """Return the geometry as a mesh.

        Raises:
            NotSupportedError: It has no surface.
        """
        if isinstance(geometry, Mesh):
            return geometry
        mesh = geometry.to_mesh()
        if mesh is None:
            raise NotSupportedError("it needs a surface, and there are only splines below it")
        return mesh


#: Makes the geometry of a base object; ``None`` for one that has none, such as a dummy.
Generator: TypeAlias = Callable[["SceneObject", GeneratorCall], "Geometry | None"]
#: Makes new geometry of what is below; must not change the arrays it is given.
Modifier: TypeAlias = Callable[["Geometry", ModifierCall], "Geometry"]


def generator(*class_ids: tuple[int, int], superclass: int = _GEOMETRY) -> Callable[[G], G]:
    """Function decorator: evaluates base objects of these classes of a superclass."""

    def add(function: G) -> G:
        _generators.update({(superclass, class_id): function for class_id in class_ids})
        return function

    return add


def modifier(*class_ids: tuple[int, int]) -> Callable[[G], G]:
    """Function decorator: evaluates modifiers of these classes."""

    def add(function: G) -> G:
        _modifiers.update(dict.fromkeys(class_ids, function))
        return function

    return add


@cache
def _load() -> None:
    for name in _PACKAGES:
        package = import_module(name)
        for module in iter_modules(package.__path__, f"{name}."):
            import_module(module.name)


def _class_key(obj: SceneObject) -> tuple[int, int] | None:
    class_id = obj.class_id
    return None if class_id is None else (class_id.a, class_id.b)


class Evaluator:
    """Evaluates objects of a scene at one time; each object once.

    Args:
        scene: The scene.
        time: Ticks (1/4800 s).
    """

    def __init__(self, scene: Scene, time: int = 0) -> None:
        """Nothing is evaluated yet."""
        _load()
        self.scene = scene
        self.time = time
        self._done: dict[int, Evaluation] = {}
        self._active: set[int] = set()

    def node(self, node: Node) -> Evaluation:
        """Return what a node shows, in object space: its object offset is not applied."""
        try:
            obj = node.object
        except MaxSidecarError as error:
            return self._fail(Evaluation(), node, str(error))
        return Evaluation() if obj is None else self.object(obj)

    def object(self, obj: SceneObject) -> Evaluation:
        """Return what an object gives: a base object, or a stack of modifiers."""
        done = self._done.get(obj.index)
        if done is not None:
            return done
        if obj.index in self._active or len(self._active) >= _MAX_DEPTH:
            return self._fail(Evaluation(), obj, "it stands on itself, or too deep")
        self._active.add(obj.index)
        try:
            evaluation = self._stack(obj) if isinstance(obj, DerivedObject) else self._base(obj)
        finally:
            self._active.discard(obj.index)
        evaluation.owner = obj
        self._done[obj.index] = evaluation
        return evaluation

    def below(self, derived: DerivedObject, slot: int) -> Evaluation:
        """Return what the modifier in a reference slot gets: what the stack gives below it.

        Args:
            derived: The stack.
            slot: Reference slot of the modifier; -1 for what the whole stack gives.
        """
        return self._stack(derived, slot)

    def _fail(self, evaluation: Evaluation, obj: SceneObject, reason: str) -> Evaluation:
        evaluation.skipped.append(Skipped(obj.index, obj.class_name, reason))
        return evaluation

    def _base(self, obj: SceneObject) -> Evaluation:
        evaluation = Evaluation()
        key = _class_key(obj)
        function = None if key is None else _generators.get((obj.superclass, key))
        if function is None:
            if obj.superclass in _WITHOUT_MESH:
                return evaluation
            return self._fail(evaluation, obj, "no evaluation is known for this class")
        try:
            # Numbers in a file may be anything; generators look at what comes of them.
            with np.errstate(all="ignore"):
                evaluation.geometry = function(obj, GeneratorCall(self, evaluation, obj))
        except (NotSupportedError, MaxSidecarError) as error:
            self._fail(evaluation, obj, str(error))
        return evaluation

    def _stack(self, derived: DerivedObject, top: int = -1) -> Evaluation:
        evaluation = Evaluation()
        try:
            below, modifiers, contexts = derived.stands_on, derived.modifiers, derived.contexts
        except MaxSidecarError as error:
            return self._fail(evaluation, derived, str(error))
        if below is None:
            return self._fail(evaluation, derived, "it stands on nothing")
        base = self.object(below)
        evaluation.geometry = base.geometry
        evaluation.skipped += base.skipped
        evaluation.applied += base.applied
        self._modify(evaluation, derived, modifiers, contexts, range(len(modifiers) - 1, top, -1))
        return evaluation

    def above(self, derived: DerivedObject, slot: int, geometry: Geometry) -> Evaluation:
        """Return what the modifiers above a reference slot of a stack make of some geometry.

        Args:
            derived: The stack.
            slot: Reference slot of the modifier that gives the geometry; the number of its
                modifiers for what the stack stands on.
            geometry: What comes into the modifier above it.
        """
        evaluation = Evaluation(geometry, owner=derived)
        try:
            modifiers, contexts = derived.modifiers, derived.contexts
        except MaxSidecarError as error:
            return self._fail(evaluation, derived, str(error))
        slots = range(min(slot, len(modifiers)) - 1, -1, -1)
        self._modify(evaluation, derived, modifiers, contexts, slots)
        return evaluation

    def _modify(
        self,
        evaluation: Evaluation,
        derived: DerivedObject,
        modifiers: Sequence[SceneObject | None],
        contexts: Sequence[ModifierContext],
        slots: Iterable[int],
    ) -> None:
        paired = len(contexts) == len(modifiers)
        for slot in slots:
            modifier_object = modifiers[slot]
            if modifier_object is None or evaluation.geometry is None:
                continue
            context = contexts[slot] if paired else None
            call = ModifierCall(self, evaluation, modifier_object, context, derived, slot)
            self._apply(modifier_object, call)

    def _apply(self, obj: SceneObject, call: ModifierCall) -> None:
        evaluation = call.evaluation
        key = _class_key(obj) if obj.superclass in _MODIFIERS else None
        function = None if key is None else _modifiers.get(key)
        try:
            if is_off(obj):
                return
            head = obj.modifier_switches
            if head is not None and head.off_in_part is not None:
                call.approximate("it is off in viewports or in renders; it is taken as on")
            if function is None:
                raise NotSupportedError("no evaluation is known for this class")
            geometry = evaluation.geometry
            if geometry is not None:
                with np.errstate(all="ignore"):
                    evaluation.geometry = function(geometry, call)
            evaluation.applied.append(obj.index)
        except (NotSupportedError, MaxSidecarError) as error:
            self._fail(evaluation, obj, str(error))


def is_off(obj: SceneObject) -> bool:
    """Whether a modifier is switched off.

    Raises:
        DecodeError: Its head cannot be read.
    """
    head = obj.modifier_switches
    return head is not None and head.off is not None
