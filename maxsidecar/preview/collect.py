"""What there is to see in a scene: nodes in the order of the tree, meshes, what is missing.

Nodes that show the same object share one mesh.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import LimitError, MaxSidecarError
from maxsidecar.preview.surfaces import Surface, Surfaces
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.describe_nodes import NodeReader
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator, NotSupportedError
from maxsidecar.scene.geometry.shapes.outlines import outlines
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.skin.rest import rest_matrices
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject

__all__ = ["Missing", "Shown", "ShownNode", "collect"]

Lines = npt.NDArray[np.float32]

#: What nodes without a mesh are, by superclass of their base object.
_KINDS: Final = {0x20: "camera", 0x30: "light", 0x40: "shape", 0x50: "helper"}
_NOWHERE: Final = "its place in the world is no number, or far too large"
_BAD_FACES: Final = "faces use vertices that are not there"
_BAD_POINTS: Final = (
    "vertices whose coordinates are no numbers, or far too large, went to the origin"
)
#: Products of such a coordinate and such a matrix still fit into 32-bit floats.
_FARTHEST: Final = 1e18
#: Controllers of controllers that are asked about the place of a node.
_DEEPEST: Final = 4


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is not shown, or not exactly as 3ds Max shows it.

    Attributes:
        node: Position in ``Shown.nodes``.
        class_name: Class of what is missing, as the file calls it.
        reason: Why.
        approximate: Whether it is shown, but not exactly.
    """

    node: int
    class_name: str
    reason: str
    approximate: bool = False


@dataclass(slots=True)
class ShownNode:
    """A node.

    Attributes:
        index: Storage index.
        id: Its id as people are shown it.
        name: Its name; may hold anything.
        class_name: Class of the base object.
        kind: ``"mesh"``, ``"camera"``, ``"light"``, ``"helper"``, ``"shape"`` or ``"other"``.
        parent: Position of the parent in the list, -1 for none.
        hidden: Whether it is hidden in the scene.
        world: (4, 4) float64 row-vector matrix from the geometry to the world, for nodes without
            a mesh from the node; ``None`` where it could not be computed.
        color: Wire colour, red, green, blue from 0 to 1.
        material: Name of its material; empty when it has none.
        mesh: Position in ``Shown.meshes``.
        surfaces: What faces look like, by material id, for all ids of the mesh.
        lines: Position in ``Shown.lines``, of a shape that is not rendered.
    """

    index: int
    id: str
    name: str
    class_name: str
    kind: str
    parent: int
    hidden: bool
    world: npt.NDArray[np.float64] | None
    color: tuple[float, float, float]
    material: str = ""
    mesh: int | None = None
    surfaces: dict[int, Surface] = field(default_factory=dict)
    lines: int | None = None


@dataclass(slots=True)
class Shown:
    """What there is to see.

    Attributes:
        nodes: From the top down, children behind their parents.
        meshes: The meshes that they share.
        lines: The curves that they share: pieces as (n, 2, 3) float32.
        missing: What is not shown as it is.
        problems: Damage that was found on the way.
    """

    nodes: list[ShownNode] = field(default_factory=list)
    meshes: list[Mesh] = field(default_factory=list)
    lines: list[Lines] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    problems: list[MaxSidecarError] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether everything was evaluated, exactly or not."""
        return all(entry.approximate for entry in self.missing)

    def with_mesh(self, *, hidden: bool = False) -> list[tuple[ShownNode, Mesh]]:
        """Return the nodes whose mesh can be placed.

        Args:
            hidden: Whether hidden nodes are wanted, too.
        """
        return [
            (node, self.meshes[node.mesh])
            for node in self.nodes
            if node.mesh is not None and node.world is not None and (hidden or not node.hidden)
        ]

    def with_lines(self, *, hidden: bool = False) -> list[tuple[ShownNode, Lines]]:
        """Return the nodes whose curves can be placed."""
        return [
            (node, self.lines[node.lines])
            for node in self.nodes
            if node.lines is not None and node.world is not None and (hidden or not node.hidden)
        ]


def collect(
    scene_file: MaxFile,
    time: int = 0,
    *,
    only: Iterable[Node] | None = None,
    curves: bool = False,
    most_bytes: int | None = None,
) -> Shown:
    """Evaluate what a scene shows.

    Args:
        scene_file: The scene.
        time: Ticks (1/4800 s).
        only: Evaluate these nodes only; the others are listed without their meshes.
        curves: Show the curves of shapes that are not rendered, as viewports do; else closed
            ones are filled, as 3ds Max does it where it needs a mesh.
        most_bytes: Bytes that positions and triangles of all meshes may take.

    Raises:
        LimitError: They take more.
    """
    return _Collector(scene_file, time, curves, most_bytes).run(only)


class _Collector:
    def __init__(
        self, scene_file: MaxFile, time: int, curves: bool, most_bytes: int | None
    ) -> None:
        scene = scene_file.scene
        self.scene_file = scene_file
        self.shown = Shown()
        self.evaluator = Evaluator(scene, time)
        # Bones that a rig or solver poses are shown in the mesh that was bound to them.
        self.rest = rest_matrices(scene, time)
        self.pose = Pose(scene, time, self.rest.matrices)
        self.reader = NodeReader()
        self.surfaces = Surfaces(self.reader.attempt, time)
        self.ids = NodeIds(scene)
        self.curves = curves
        self.left = most_bytes
        self.lines: dict[int, int | None] = {}
        self.meshes: dict[int, int | None] = {}
        self.told: set[Missing] = set()

    def run(self, only: Iterable[Node] | None) -> Shown:
        wanted = None if only is None else {node.index for node in only}
        nodes = self.scene_file.nodes
        self.pose.prepare(nodes.values())
        above: list[int] = []
        for depth, node in nodes.walk():
            del above[depth:]
            place = len(self.shown.nodes)
            parent = above[-1] if above else -1
            above.append(place)
            self.shown.nodes.append(self._node(node, parent))
            if wanted is None or node.index in wanted:
                self._look(node, place)
        self.shown.problems = self.reader.attempt.problems
        return self.shown

    def _node(self, node: Node, parent: int) -> ShownNode:
        attempt = self.reader.attempt
        base = attempt.get(node, "base_object") or node
        color = attempt.get(node, "wire_color")
        material = attempt.get(node, "material")
        world = self.pose.world(node)[0]
        return ShownNode(
            index=node.index,
            id=self.ids.key(node),
            name=self.reader.name(node),
            class_name=base.class_name,
            kind=_KINDS.get(base.superclass or 0, "other"),
            parent=parent,
            hidden=bool(attempt(node.flag, "hidden")),
            world=world if _near(world).all() else None,
            color=(0.6, 0.6, 0.6) if color is None else _rgb(color.red, color.green, color.blue),
            material="" if material is None else attempt.get(material, "name") or "",
        )

    def _look(self, node: Node, place: int) -> None:
        evaluation = self.evaluator.node(node)
        shown = self.shown.nodes[place]
        shape = evaluation.geometry
        if self.curves and isinstance(shape, Shape) and shape.rendering is None:
            shown.lines = self._lines(node, shape, place)
        else:
            shown.mesh = self._mesh(node, evaluation, place)
        # Making the mesh may have added to it.
        for entry in evaluation.skipped:
            self._miss(place, entry.class_name, entry.reason, entry.approximate)
        if shown.mesh is not None or shown.lines is not None:
            world = self.pose.object(node)[0]
            shown.world = world if _near(world).all() else None
        if shown.world is None:
            self._miss(place, shown.class_name, _NOWHERE)
        self._doubt(node, place)
        if shown.mesh is None:
            return
        shown.kind = "mesh"
        ids = np.unique(self.shown.meshes[shown.mesh].material_ids).tolist()
        shown.surfaces = self.surfaces.of(node, ids, shown.color)

    def _doubt(self, node: Node, place: int) -> None:
        """Tell why a node need not be where it is shown."""
        if node.index in self.rest.matrices:
            reason, pose = self.rest.reasons[node.index], self.rest.poses[node.index]
            controller = self.reader.attempt.get(node, "controller")
            class_name = (
                self.shown.nodes[place].class_name if controller is None else controller.class_name
            )
            self._miss(place, class_name, f"its place: {reason}; the node stands {pose}", True)
            return
        doubts = self.pose.problems
        if not doubts:
            return
        waiting: list[tuple[int, SceneObject | None]] = [(0, node)]
        for depth, obj in waiting:
            if obj is None:
                continue
            if doubts.get(obj.index):
                self._miss(place, obj.class_name, f"its place: {doubts[obj.index]}", True)
            if depth < _DEEPEST:
                slots = (0,) if depth == 0 else self.reader.attempt.get(obj, "references") or ()
                parts = [self.reader.attempt(obj.reference, slot) for slot in slots]
                waiting += [(depth + 1, part) for part in parts if isinstance(part, Controller)]

    def _miss(self, place: int, class_name: str, reason: str, approximate: bool = False) -> None:
        entry = Missing(place, class_name, reason, approximate)
        # Operands of one object, for example, may all have one reason.
        if entry not in self.told:
            self.told.add(entry)
            self.shown.missing.append(entry)

    def _lines(self, node: Node, shape: Shape, place: int) -> int | None:
        """Return the number of the curves that a node shows."""
        obj = self.reader.attempt.get(node, "object")
        if obj is None:
            return None
        if obj.index not in self.lines:
            self.lines[obj.index] = None
            try:
                pieces = _pieces(shape)
            except NotSupportedError as error:
                self._miss(place, obj.class_name, str(error))
                return None
            if len(pieces):
                self._take(pieces.nbytes)
                self.lines[obj.index] = len(self.shown.lines)
                self.shown.lines.append(pieces)
        return self.lines[obj.index]

    def _take(self, size: int) -> None:
        if self.left is not None:
            self.left -= size
            if self.left < 0:
                raise LimitError("the meshes of the scene take more memory than is allowed")

    def _mesh(self, node: Node, evaluation: Evaluation, place: int) -> int | None:
        """Return the number of the mesh that a node shows."""
        obj = self.reader.attempt.get(node, "object")
        if obj is None:
            return None
        if obj.index in self.meshes:
            return self.meshes[obj.index]
        mesh = evaluation.mesh
        if mesh is None or not len(mesh.triangles):
            self.meshes[obj.index] = None
            return None
        self._take(mesh.positions.nbytes + mesh.triangles.nbytes)
        if not _sound(mesh):
            self._miss(place, obj.class_name, _BAD_FACES)
            self.meshes[obj.index] = None
            return None
        good = _near(mesh.positions)
        if not np.all(good):
            mesh = mesh.with_positions(np.where(good, mesh.positions, np.float32(0)))
            self._miss(place, obj.class_name, _BAD_POINTS, True)
        self.meshes[obj.index] = len(self.shown.meshes)
        self.shown.meshes.append(mesh)
        return self.meshes[obj.index]


def _pieces(shape: Shape) -> Lines:
    """Return the straight pieces that the curves of a shape are drawn with."""
    parts = []
    for line in outlines(shape):
        points = line.points
        if line.closed:
            points = np.concatenate([points, points[:1]])
        parts.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate(parts).astype(np.float32) if parts else np.empty((0, 2, 3), np.float32)


def _near(numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether numbers can be worked with; comparisons with what is no number are false."""
    return np.asarray(np.abs(numbers) <= _FARTHEST, np.bool_)


def _sound(mesh: Mesh) -> bool:
    """Whether faces use vertices, and map vertices, that there are."""
    pairs = [(mesh.corners, len(mesh.positions)), (mesh.triangles, len(mesh.corners))]
    pairs += [(channel.corners, len(channel.vertices)) for channel in mesh.maps.values()]
    return all(
        not used.size or (int(used.min()) >= 0 and int(used.max()) < count) for used, count in pairs
    )


def _rgb(red: int, green: int, blue: int) -> tuple[float, float, float]:
    return red / 255, green / 255, blue / 255
