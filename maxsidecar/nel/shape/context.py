"""What the export of one node shares: evaluated geometry, transforms, flags, options, notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.flags import Flags
from maxsidecar.nel.shape.result import ShapeOptions
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.transform import Pose, object_offset

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["SceneContext", "ShapeContext", "class_key"]


class SceneContext:
    """What all nodes of a scene share.

    Args:
        scene: The scene.
        time: Ticks (1/4800 s) of the export.
        options: How shapes are exported.

    Attributes:
        known_flags: The flags that were read, by storage index; other exports of the scene may
            share them.
    """

    def __init__(self, scene: Scene, time: int, options: ShapeOptions) -> None:
        """Nothing is evaluated yet."""
        self.scene, self.time, self.options = scene, time, options
        self.evaluator = Evaluator(scene, time)
        self.pose = Pose(scene, time)
        self.known_flags: dict[int, Flags] = {}

    def flags(self, node: Node) -> Flags:
        """Return the export flags of a node."""
        if node.index not in self.known_flags:
            self.known_flags[node.index] = Flags(node)
        return self.known_flags[node.index]


class ShapeContext:
    """The export of one node.

    Attributes:
        shared: What all nodes of the scene share.
        node: The node.
        flags: Its export flags.
        notes: What differs from what the scene shows.
    """

    def __init__(self, shared: SceneContext, node: Node, notes: list[str] | None = None) -> None:
        """Read the flags of the node."""
        self.shared, self.node = shared, node
        self.flags = shared.flags(node)
        self.notes: list[str] = [] if notes is None else notes

    @property
    def time(self) -> int:
        """Ticks (1/4800 s) of the export."""
        return self.shared.time

    @property
    def options(self) -> ShapeOptions:
        """How shapes are exported."""
        return self.shared.options

    def evaluate(self) -> Evaluation:
        """Return what the node shows; what was left out is noted once."""
        evaluation = self.shared.evaluator.node(self.node)
        for skipped in evaluation.skipped:
            text = f"{skipped.class_name}: {skipped.reason}"
            if text not in self.notes:
                self.notes.append(text)
        return evaluation

    def mesh(self) -> Mesh | None:
        """Return the mesh of the node in object space."""
        return self.evaluate().mesh

    def offset(self) -> npt.NDArray[np.float64]:
        """Return the matrix from the object to the node: its pivot."""
        return object_offset(self.node)

    def modifiers(self) -> Iterator[tuple[DerivedObject, SceneObject]]:
        """Yield the modifiers of the node from the top down, each with its stack."""
        obj, seen = self.node.object, set[int]()
        while isinstance(obj, DerivedObject) and obj.index not in seen:
            seen.add(obj.index)
            for found in obj.modifiers:
                if found is not None:
                    yield obj, found
            obj = obj.stands_on


def class_key(obj: SceneObject | None) -> tuple[int, int] | None:
    """Return the class id of an object as two numbers."""
    own = None if obj is None else obj.class_id
    return None if own is None else (own.a, own.b)
