"""What nodes show beside plain meshes: curves, tubes, bones, and shapes that are sheared."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, cast

import numpy as np
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.nodes import world_matrix
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose
from tests.support.blocks import FLOAT, new_block, old_block
from tests.support.scenes import BEZIER_SCALE, EULER_XYZ, POSITION_XYZ, PRS, SceneMaker, f32, u32
from tests.support.shapes import HIDDEN, SPLINE, TUBE, square

BONE = (0x28BF6E8D, 0x2ECCA840, 0x10)
METRES = 0.0254


class NoFile:
    """Stands for the file of a scene that has none."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.nodes = scene.nodes
        self.config = None
        self.path = None


def exported(make: SceneMaker, **options: Any) -> Export:
    return build(cast(Any, NoFile(make.scene())), Options(**options))


def mesh_lines(export: Export) -> dict[str, tuple[Outcome, str]]:
    entries = export.report.entries
    return {e.name: (e.outcome, e.reason) for e in entries if e.kind == "mesh"}


def curve(make: SceneMaker, rendering: list[Any]) -> int:
    return make.add(SPLINE, [square()], [old_block(make, rendering)])


def test_curves_are_lines() -> None:
    make = SceneMaker()
    make.node("path", make.transform((1, 0, 0)), object_=curve(make, HIDDEN))
    export = exported(make)
    (node,) = export.nodes.values()
    assert node.mesh is not None
    (primitive,) = node.mesh.primitives
    assert primitive.mode == model.LINES
    assert primitive.indices is not None
    points = primitive.attributes["POSITION"][primitive.indices].reshape(-1, 2, 3)
    corners = [[0, 0, 0], [3, 0, 0], [3, 0, -3], [0, 0, -3]]
    expected = np.array([corners, corners[1:] + corners[:1]]).transpose(1, 0, 2) * METRES
    assert points == pytest.approx(expected, abs=1e-7)
    assert mesh_lines(export)["path"][0] is Outcome.APPROXIMATED
    assert node.mesh.extras["max_id"] == node.extras["max_object"]


def test_curves_that_are_rendered_are_surfaces() -> None:
    make = SceneMaker()
    make.node("tube", make.transform(), object_=curve(make, TUBE))
    (node,) = exported(make).nodes.values()
    assert node.mesh is not None
    assert {primitive.mode for primitive in node.mesh.primitives} == {model.TRIANGLES}


def bone(make: SceneMaker) -> int:
    sizes = {0: (FLOAT, 4.0), 1: (FLOAT, 4.0), 2: (FLOAT, 0.0), 3: (FLOAT, 12.0)}
    return make.add(BONE, [], [new_block(make, BONE, sizes)])


def test_bones_show_nothing_unless_they_are_asked_to() -> None:
    make = SceneMaker()
    make.node("bone", make.transform(), object_=bone(make))
    export = exported(make)
    (node,) = export.nodes.values()
    assert node.mesh is None
    outcome, reason = mesh_lines(export)["bone"]
    assert outcome is Outcome.APPROXIMATED
    assert "bones are nodes" in reason
    assert export.report.complete


def sheared(make: SceneMaker) -> int:
    """A transform that stretches along an axis between X and Y."""
    half = pi / 8
    parts = [
        make.add(POSITION_XYZ, (), [make.number(v) for v in (1, 2, 3)]),
        make.add(EULER_XYZ, [(0x1003, u32(0))], [make.number(v) for v in (0.3, 0.2, 0.1)]),
        make.keyed(BEZIER_SCALE, 0x2505, f32(3, 1, 1, 0, 0, sin(half), cos(half))),
    ]
    return make.add(PRS, [(0x7230, u32(0)), (0x7231, u32(0))], parts)


def world_points(export: Export, index: int) -> Any:
    mesh = export.nodes[index].mesh
    assert mesh is not None
    points = mesh.primitives[0].attributes["POSITION"].astype(float)
    world = world_matrix(export, index)
    return points @ world[:3, :3].T + world[:3, 3]


def test_a_leaf_that_is_sheared_shears_its_mesh() -> None:
    make = SceneMaker()
    index = make.node("leaf", sheared(make), object_=curve(make, HIDDEN))
    scene = make.scene()
    export = build(cast(Any, NoFile(scene)))
    assert index in export.sheared
    matrix = Pose(scene, 0).world(scene.nodes[index])[0] @ change_of_basis(METRES)
    corners = np.array([[0, 0, 0], [3, 0, 0], [3, 3, 0], [0, 3, 0]], float)
    expected = corners @ matrix[:3, :3] + matrix[3, :3]
    assert world_points(export, index) == pytest.approx(expected, abs=1e-6)
    assert all(e.outcome is Outcome.CONVERTED for e in export.report.entries if e.kind == "node")


def test_a_sheared_node_with_others_below_it_is_told() -> None:
    make = SceneMaker()
    top = make.node("top", sheared(make), object_=curve(make, HIDDEN))
    make.node("below", make.transform(), top)
    export = exported(make)
    (entry,) = [e for e in export.report.entries if e.kind == "node" and e.name == "top"]
    assert entry.outcome is Outcome.APPROXIMATED
    assert "sheared" in entry.reason
    x, y, z, w = export.nodes[top].rotation
    assert x * x + y * y + z * z + w * w == pytest.approx(1.0)
