"""A scene as the plug-in's front ends see it: nodes in order, sorts of nodes, meshes, places.

Scripts go through collections such as ``geometry`` and ``lights``, which list nodes of the tree
from the top down (spec: nel-export-rules, section 2).  What is hidden or frozen is exported all
the same: the front ends unhide everything first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.nel.flags import Flags
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.objects import SceneObject

__all__ = ["CAMERA", "GEOMETRY", "HELPER", "LIGHT", "OTHER", "SHAPE", "SceneView"]

GEOMETRY: Final = "geometry"
SHAPE: Final = "shape"
LIGHT: Final = "light"
CAMERA: Final = "camera"
HELPER: Final = "helper"
OTHER: Final = "other"

_KINDS: Final = {0x10: GEOMETRY, 0x20: CAMERA, 0x30: LIGHT, 0x40: SHAPE, 0x50: HELPER}
_DELEGATES: Final = frozenset({0x10, 0x40})
#: Classes of the geometry superclass that have no surface: targets of cameras and lights.
_NO_SURFACE: Final = frozenset({0x1020})
_PATCHES: Final = (0x368C679F, 0x711C22EE)
_PARTICLES: Final = 0x58CE2893
_PACS: Final = {(0x7F374277, 0x5D3971DF): "box", (0x62A56810, 0x4B3D601C): "cylinder"}
_DUMMY: Final = 0x876234
#: What the flag says of nodes that do not help visibility.
_NO_ACCELERATOR: Final = ("0", "32")


class SceneView:
    """One scene, looked at by several processes; what is worked out is kept.

    Args:
        scene_file: The scene.
        only: Storage indices of the nodes to look at, in the order of a selection; ``None`` for
            all, in the order of the tree.

    Attributes:
        file: The scene file.
        time: Ticks at which the scene was saved, where the plug-in exports it.
        start: Where nodes are at time 0, which is where instances are.
        known_flags: The export flags that were read, by storage index.
    """

    def __init__(self, scene_file: MaxFile, only: tuple[int, ...] | None = None) -> None:
        """List the nodes.

        Raises:
            EditError: A node of ``only`` is not in the scene.
        """
        self.file = scene_file
        self.scene = scene_file.scene
        self.time = read_time_range(scene_file).current
        self.evaluator = Evaluator(self.scene, self.time)
        self._pose = Pose(self.scene, self.time)
        self.start = self._pose if self.time == 0 else Pose(self.scene, 0)
        tree = [node for _, node in self.scene.nodes.walk() if not isinstance(node, RootNode)]
        if only is None:
            self.nodes = tree
        else:
            known = {node.index: node for node in tree}
            missing = [index for index in only if index not in known]
            if missing:
                raise EditError("there is no such node", found=missing[0])
            self.nodes = [known[index] for index in only]
        #: Every node of the scene, for relations that a selection does not change.
        self.all_nodes = tree
        #: What processes worked out and keep for others, by who did.
        self.kept: dict[str, Any] = {}
        self.known_flags: dict[int, Flags] = {}
        self._kinds: dict[int, str] = {}
        self._problems: dict[int, list[str]] = {}
        self._bases: dict[int, SceneObject | None] = {}
        self._steps: dict[int, tuple[tuple[int, ...], Node | None]] = {}

    def name(self, node: Node) -> str:
        """Return a node's name; empty where it cannot be read, which is told."""
        try:
            return str(node.name)
        except MaxSidecarError as error:
            self.tell(node, f"the name cannot be read: {error.message}")
            return ""

    def flags(self, obj: SceneObject) -> Flags:
        """Return the export flags of a node or object."""
        found = self.known_flags.get(obj.index)
        if found is None:
            found = self.known_flags[obj.index] = Flags(obj)
        return found

    def tell(self, node: Node, problem: str) -> None:
        """Note what is wrong with a node, for the report."""
        known = self._problems.setdefault(node.index, [])
        if problem not in known:
            known.append(problem)

    def problems(self, node: Node) -> list[str]:
        """Return what was found to be wrong with a node so far."""
        flags = self.known_flags.get(node.index)
        return [*(flags.problems if flags is not None else ()), *self._problems.get(node.index, ())]

    def base(self, node: Node) -> SceneObject | None:
        """Return the object at the bottom of a node's stack, ``None`` where there is none."""
        if node.index not in self._bases:
            found = None
            try:
                found = node.base_object
            except MaxSidecarError as error:
                self.tell(node, f"the object cannot be read: {error.message}")
            self._bases[node.index] = found
        return self._bases[node.index]

    def class_id(self, node: Node) -> tuple[int, int] | None:
        """Return the class of a node's base object."""
        base = self.base(node)
        class_id = None if base is None else base.class_id
        return None if class_id is None else (class_id.a, class_id.b)

    def kind(self, node: Node) -> str:
        """Return which collection has a node, as :data:`GEOMETRY`.

        A shape with a modifier that makes a mesh of it is geometry.
        """
        kind = self._kinds.get(node.index)
        if kind is None:
            base = self.base(node)
            kind = OTHER if base is None else _KINDS.get(base.superclass or 0, OTHER)
            if kind == SHAPE and base is not node.reference(1):
                made = self.evaluate(node).geometry
                kind = GEOMETRY if isinstance(made, Mesh) else SHAPE
            self._kinds[node.index] = kind
        return kind

    def of_kinds(self, *kinds: str) -> Iterator[Node]:
        """Yield the nodes of some collections, one collection after the other."""
        for kind in kinds:
            for node in self.nodes:
                if self.kind(node) == kind:
                    yield node

    def is_particles(self, node: Node) -> bool:
        """Return whether a node stands for a particle system."""
        class_id = self.class_id(node)
        return class_id is not None and class_id[0] == _PARTICLES

    def is_patches(self, node: Node) -> bool:
        """Return whether a node is a patch of the landscape."""
        return self.class_id(node) == _PATCHES

    def is_dummy(self, node: Node) -> bool:
        """Return whether a node is a dummy."""
        class_id = self.class_id(node)
        return class_id is not None and class_id[0] == _DUMMY

    def pacs(self, node: Node) -> str | None:
        """Return ``"box"`` or ``"cylinder"`` for a collision primitive."""
        class_id = self.class_id(node)
        return None if class_id is None else _PACS.get(class_id)

    def accelerator(self, node: Node) -> int:
        """Return what a node is for visibility: 0 nothing, 1 a portal, 2 a cluster, 3 neither."""
        return self.flags(node).integer("ACCEL") & 3

    def accelerates(self, node: Node) -> bool:
        """Return whether the scripts take a node for a help of visibility, which has no mesh.

        They compare the text: anything but nothing, or parting into clusters alone.
        """
        flags = self.flags(node)
        return "ACCEL" in flags and flags.text("ACCEL") not in _NO_ACCELERATOR

    def has_surface(self, node: Node) -> bool:
        """Return whether 3ds Max can make triangles of a node's object."""
        class_id = self.class_id(node)
        if class_id is None or class_id[0] in _NO_SURFACE:
            return False
        return self.kind(node) in (GEOMETRY, SHAPE)

    def evaluate(self, node: Node) -> Evaluation:
        """Return what a node shows; of a scripted object what the object below it shows."""
        found = self.evaluator.node(node)
        if found.geometry is not None:
            return found
        stood_on = self.delegate(node)
        if stood_on is None or node.reference(1) is not self.base(node):
            return found
        return self.evaluator.object(stood_on)

    def delegate(self, node: Node) -> SceneObject | None:
        """Return the object that a scripted object extends, ``None`` for other objects."""
        base = self.base(node)
        if base is None or base.superclass not in _DELEGATES:
            return None
        try:
            for slot in sorted(base.references):
                found = base.reference(slot)
                if found is not None and found.superclass in _DELEGATES:
                    return found
        except MaxSidecarError as error:
            self.tell(node, f"the object cannot be read: {error.message}")
        return None

    def mesh(self, node: Node) -> Mesh | None:
        """Return a node's mesh in object space, ``None`` where there is none."""
        return self.evaluate(node).mesh

    def mesh_notes(self, node: Node) -> list[str]:
        """Return what could not be evaluated of a node, or not exactly."""
        return [
            f"{entry.class_name}: {entry.reason}" + (" (approximate)" if entry.approximate else "")
            for entry in self.evaluate(node).skipped
        ]

    def world_positions(self, node: Node, mesh: Mesh) -> npt.NDArray[np.float32]:
        """Return a mesh's vertices in the world, shape (v, 3), at the time of the scene."""
        matrix = self._pose.full(self._pose.object(node))
        with np.errstate(all="ignore"):
            moved = mesh.positions.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
            return moved.astype(np.float32)

    def world(self, node: Node) -> npt.NDArray[np.float64]:
        """Return a node's matrix to the world, (4, 4), at the time of the scene."""
        return self._pose.full(self._pose.world(node))

    def pose_notes(self, node: Node) -> list[str]:
        """Return what is in doubt about where a node is."""
        found: list[str] = []
        seen: set[int] = set()
        # Mostly there is nothing to look for, however deep the tree.
        here: Node | None = node if self._pose.problems else None
        while here is not None and here.index not in seen:
            seen.add(here.index)
            indices, here = self._step_up(here)
            found += [
                self._pose.problems[index] for index in indices if index in self._pose.problems
            ]
        return [f"its place is uncertain: {text}" for text in found if text]

    def _step_up(self, node: Node) -> tuple[tuple[int, ...], Node | None]:
        """Return the indices of a node and its controller, and what the node hangs on."""
        step = self._steps.get(node.index)
        if step is None:
            indices: tuple[int, ...] = (node.index,)
            try:
                controller = node.controller
            except MaxSidecarError:
                controller = None
            if controller is not None:
                indices = node.index, controller.index
            step = self._steps[node.index] = indices, node.parent
        return step
