"""Nodes that look along an axis, and what hangs on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import matrices_to_gltf
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.views import (
    Views,
    turned_rotations,
    turned_scales,
    turned_translations,
)
from tests.support.gltf import matrix


def export_of(nodes: dict[int, model.Node]) -> Export:
    """An export that has only nodes."""
    nothing: Any = None
    return Export(nothing, Options(), 1.0, nothing, nodes=nodes)


def local(node: model.Node) -> npt.NDArray[np.float64]:
    return matrix(np.array(node.translation), np.array(node.rotation), np.array(node.scale))


def parts() -> tuple[model.Node, model.Node]:
    """A parent with unequal scales and a child, both turned by some angle."""
    turn = (0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214)
    child = model.Node(name="child", translation=(1.0, 2.0, 3.0), rotation=turn, scale=(1, 2, 3))
    parent = model.Node(
        name="camera", translation=(4, 5, 6), rotation=(0, 0.6, 0, 0.8), scale=(2, 3, 5)
    )
    parent.children.append(child)
    return parent, child


def test_the_node_looks_where_the_scene_node_looks() -> None:
    # In 3ds Max: at (1, 2, 3), looking along the world's +Y, with +Z up (row vectors).
    scene_matrix = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [1, 2, 3, 1]], float)
    assert (np.array([0, 0, -1, 0]) @ scene_matrix).tolist() == [0, 1, 0, 0]
    changed = matrices_to_gltf(scene_matrix, 1.0).T
    node = model.Node(translation=tuple(changed[:3, 3]))
    # Rows are those of a rotation by 0 degrees: the change of basis undoes the camera's tilt.
    assert np.allclose(
        changed[:3, :3],
        matrix(np.zeros(3), np.array([0.5**0.5, 0, 0, 0.5**0.5]), np.ones(3))[:3, :3],
    )
    node.rotation = (0.5**0.5, 0.0, 0.0, 0.5**0.5)
    found = Views(export_of({7: node})).holder(7, "camera")
    assert found is node
    # The world's +Y of 3ds Max is -Z in glTF, its +Z is +Y.
    assert np.allclose(local(node) @ [0, 0, -1, 0], [0, 0, -1, 0])
    assert np.allclose(local(node) @ [0, 1, 0, 0], [0, 1, 0, 0])
    assert node.translation == (1.0, 3.0, -2.0)


def test_nothing_below_a_turned_node_moves() -> None:
    parent, child = parts()
    before = local(parent) @ local(child)
    export = export_of({3: parent, 4: child})
    Views(export).holder(3, "light")
    assert np.allclose(local(parent) @ local(child), before)
    assert (export.turned, export.turned_back) == ({3}, {4})


def test_two_things_on_one_node_turn_it_once() -> None:
    parent, _ = parts()
    views = Views(export_of({3: parent}))
    views.holder(3, "light")
    after = local(parent)
    views.holder(3, "camera")
    assert np.array_equal(local(parent), after)


def test_keys_are_turned_as_the_nodes_are() -> None:
    parent, child = parts()
    untouched = parts()
    export = export_of({3: parent, 4: child})
    Views(export).holder(3, "camera")
    for index, node, original in ((3, parent, untouched[0]), (4, child, untouched[1])):
        moves = turned_translations(export, index, [original.translation] * 2)
        turns = turned_rotations(export, index, [original.rotation] * 2)
        scales = turned_scales(export, index, [original.scale] * 2)
        assert np.allclose(moves, [node.translation] * 2)
        assert np.allclose(turns, [node.rotation] * 2)
        assert np.allclose(scales, [node.scale] * 2)


def test_a_light_on_a_light() -> None:
    parent, child = parts()
    before = local(parent) @ local(child)
    export = export_of({3: parent, 4: child})
    views = Views(export)
    views.holder(4, "light")
    views.holder(3, "light")
    after = local(parent) @ local(child)
    # The child's own -Z is what was its -Y, wherever its parent is turned to.
    assert np.allclose(after @ [0, 0, -1, 0], before @ [0, -1, 0, 0])
    assert np.allclose(after[:, 3], before[:, 3])
    _, original = parts()
    assert np.allclose(turned_rotations(export, 4, original.rotation), child.rotation)
    assert np.allclose(turned_scales(export, 4, original.scale), child.scale)


@pytest.mark.parametrize("kind", ["mesh", "joint"])
def test_what_has_a_mesh_or_is_a_joint_stays(kind: str) -> None:
    parent, child = parts()
    before = local(parent)
    nodes = {3: parent, 4: child}
    if kind == "mesh":
        parent.mesh = model.Mesh()
    else:
        child.skin = model.Skin([parent], np.eye(4, dtype=np.float32)[None])
    export = export_of(nodes)
    found = Views(export).holder(3, "camera")
    assert found is parent.children[-1]
    assert found.name == "camera camera"
    assert np.array_equal(local(parent), before)
    assert np.allclose(local(found) @ [0, 0, -1, 0], [0, -1, 0, 0])
    assert export.turned == set()
