"""How much of a scene's geometry is evaluated, node by node.

A node bears a mesh when 3ds Max can make triangles of what it shows:

*geometry*: its base object is a geometric object or a patch, whatever its modifiers make of it;

*surface of curves*: its base object is a shape, and modifiers, its set-up for rendering or closed
curves give it faces.

Shapes that stay open curves, dummies, cameras, lights and helpers bear none.  A shape of which
something is not evaluated counts as one that bears a mesh, since nobody knows that it does not.

*exact*: the base object and every modifier are evaluated, and nothing is noted;

*approximate*: everything is evaluated, but something is not proved to be as in 3ds Max;

*in part*: at least one modifier is left out, and the geometry below it is used;

*nothing*: the base object is not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.pipeline import Evaluator, Skipped

if TYPE_CHECKING:
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.scene import Scene

__all__ = ["APPROXIMATE", "EXACT", "IN_PART", "NOTHING", "STATES", "NodeGeometry", "survey"]

EXACT: Final = "exact"
APPROXIMATE: Final = "approximate"
IN_PART: Final = "in part"
NOTHING: Final = "nothing"
#: All states, the best one first.
STATES: Final = (EXACT, APPROXIMATE, IN_PART, NOTHING)

_SHAPE: Final = 0x40
#: Most objects that stand on one another.
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class NodeGeometry:
    """How a node that bears a mesh is evaluated.

    Attributes:
        node: Its name.
        base: Class of its base object, as the file calls it.
        base_id: Its class id, such as ``"10/0"``; empty when the base object cannot be read.
        of_curves: Whether the mesh is the surface of a shape.
        state: One of :data:`STATES`.
        left_out: What is not evaluated, from the bottom up.
        notes: What is evaluated, but not proved to be as in 3ds Max.
    """

    node: str
    base: str
    base_id: str
    of_curves: bool
    state: str
    left_out: tuple[Skipped, ...]
    notes: tuple[Skipped, ...]

    @property
    def supported(self) -> bool:
        """Whether the base object and every modifier are evaluated."""
        return self.state in (EXACT, APPROXIMATE)


def survey(scene: Scene, time: int = 0) -> Iterator[NodeGeometry]:
    """Yield how the nodes of a scene that bear a mesh are evaluated, in their stored order.

    Args:
        scene: The scene.
        time: Ticks.
    """
    evaluator = Evaluator(scene, time)
    for node in scene.nodes.values():
        found = _survey_node(evaluator, node)
        if found is not None:
            yield found


def _survey_node(evaluator: Evaluator, node: Node) -> NodeGeometry | None:
    evaluation = evaluator.node(node)
    mesh = evaluation.mesh  # made now, as it may be reported that it cannot be
    left_out = tuple(entry for entry in evaluation.skipped if not entry.approximate)
    notes = tuple(entry for entry in evaluation.skipped if entry.approximate)
    base = _base(node)
    of_curves = base is not None and base.superclass == _SHAPE
    if mesh is None and not left_out:
        return None
    if evaluation.geometry is None:
        state = NOTHING
    elif left_out:
        state = IN_PART
    else:
        state = APPROXIMATE if notes else EXACT
    name = "?" if base is None else base.class_name
    class_id = "" if base is None or base.class_id is None else str(base.class_id)
    return NodeGeometry(node.name, name, class_id, of_curves, state, left_out, notes)


def _base(node: Node) -> SceneObject | None:
    """Return the base object of a node's stack."""
    try:
        obj = node.object
        for _ in range(_MAX_DEPTH):
            if not isinstance(obj, DerivedObject):
                return obj
            obj = obj.stands_on
    except MaxSidecarError:
        return None
    return None
