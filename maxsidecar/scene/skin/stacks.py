"""The modifiers of an object as one list, however many stacks stand on one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from maxsidecar.scene.derived import DerivedObject, ModifierContext
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator, Geometry, is_off
from maxsidecar.scene.objects import SceneObject

__all__ = ["Layer", "layers", "run_above"]

#: Deepest chain of stacks that is followed, as in the evaluation.
_MAX_DEPTH: Final = 64


@dataclass(slots=True, frozen=True)
class Layer:
    """One modifier in a stack.

    Attributes:
        derived: The stack.
        slot: Reference slot of the modifier in it.
        modifier: The modifier.
        context: What belongs to it on this object; ``None`` where the file has none.
    """

    derived: DerivedObject
    slot: int
    modifier: SceneObject
    context: ModifierContext | None

    @property
    def off(self) -> bool:
        """Whether the modifier is switched off.

        Raises:
            DecodeError: Its head cannot be read.
        """
        return is_off(self.modifier)


def _stacks(obj: SceneObject | None) -> Iterator[DerivedObject]:
    """Yield the stacks of an object, from the top down."""
    seen: set[int] = set()
    while isinstance(obj, DerivedObject) and obj.index not in seen and len(seen) < _MAX_DEPTH:
        seen.add(obj.index)
        yield obj
        obj = obj.stands_on


def layers(obj: SceneObject | None, wanted: Callable[[SceneObject], bool]) -> list[Layer]:
    """Return the modifiers of some kind, from the top down.

    Args:
        obj: A base object, or the top of a stack.
        wanted: Whether a modifier is of that kind.

    Raises:
        DecodeError: The list of references of a stack cannot be read.
    """
    out: list[Layer] = []
    for derived in _stacks(obj):
        modifiers, contexts = derived.modifiers, derived.contexts
        paired = len(contexts) == len(modifiers)
        for slot, modifier in enumerate(modifiers):
            if modifier is not None and wanted(modifier):
                context = contexts[slot] if paired else None
                out.append(Layer(derived, slot, modifier, context))
    return out


def run_above(
    evaluator: Evaluator, obj: SceneObject | None, layer: Layer, geometry: Geometry
) -> Evaluation:
    """Return what an object looks like when a modifier of it gives some geometry.

    Args:
        evaluator: Evaluates the modifiers above.
        obj: The top of the stack that the modifier is in.
        layer: The modifier.
        geometry: What it gives.

    Raises:
        DecodeError: The list of references of a stack cannot be read.
    """
    stacks: list[DerivedObject] = []
    for derived in _stacks(obj):
        stacks.append(derived)
        if derived.index == layer.derived.index:
            break
    evaluation = Evaluation(geometry)
    for derived in reversed(stacks):
        slot = layer.slot if derived.index == layer.derived.index else len(derived.modifiers)
        if evaluation.geometry is None:
            break
        above = evaluator.above(derived, slot, evaluation.geometry)
        evaluation.geometry = above.geometry
        evaluation.skipped += above.skipped
        evaluation.applied += above.applied
    return evaluation
