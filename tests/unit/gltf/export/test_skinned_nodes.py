"""Nodes of skinned meshes, whose places glTF takes no notice of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.skinned_nodes import free_skinned_nodes
from tests.support.gltf_motion import export_of
from tests.support.scenes import SceneMaker


@pytest.fixture
def export() -> Export:
    """A node with a skinned mesh below another one, and a joint beside them."""
    make = SceneMaker()
    top = make.node("top", make.transform((1, 0, 0)))
    make.node("skin", make.transform((0, 2, 0)), top)
    make.node("joint", make.transform())
    out = export_of(make.scene())
    node = named(out)["skin"]
    node.mesh = model.Mesh(name="mesh")
    node.skin = model.Skin([named(out)["joint"]], np.eye(4, dtype=np.float32)[None])
    return out


def named(export: Export) -> dict[str, model.Node]:
    return {node.name: node for node in export.nodes.values()}


def moved(export: Export, path: str) -> model.Animation:
    times, values = np.zeros(1, np.float32), np.zeros((1, 3), np.float32)
    return model.Animation([model.Channel(named(export)["skin"], path, times, values)])


def test_it_becomes_a_root_that_says_where_it_was(export: Export) -> None:
    nodes = named(export)
    free_skinned_nodes(export)
    skin = nodes["skin"]
    assert [node.name for node in export.document.roots] == ["top", "joint", "skin"]
    assert nodes["top"].children == []
    assert (skin.translation, skin.scale) == ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert skin.rotation == (0.0, 0.0, 0.0, 1.0)
    (top,) = (node for node in export.scene_nodes.values() if node.name == "top")
    assert skin.extras["max_parent"] == export.id_of(top)
    assert skin.extras["max_translation"] == pytest.approx([0, 0, -2])
    assert skin.extras["max_rotation"] == pytest.approx([0, 0, 0, 1])
    assert skin.extras["max_scale"] == pytest.approx([1, 1, 1])


def _with_child(export: Export) -> None:
    named(export)["skin"].children.append(model.Node("below"))


def _moving(export: Export) -> None:
    export.document.animations.append(moved(export, "translation"))


def _a_joint(export: Export) -> None:
    nodes = named(export)
    assert nodes["skin"].skin is not None
    nodes["skin"].skin.joints.append(nodes["skin"])


@pytest.mark.parametrize("depends", [_with_child, _moving, _a_joint])
def test_it_stays_where_something_depends_on_its_place(export: Export, depends: Any) -> None:
    depends(export)
    skin = named(export)["skin"]
    free_skinned_nodes(export)
    assert skin in named(export)["top"].children
    assert skin.translation == pytest.approx((0, 0, -2))
    assert skin.extras == {}


def test_weights_that_move_are_no_place(export: Export) -> None:
    export.document.animations.append(moved(export, "weights"))
    free_skinned_nodes(export)
    assert named(export)["skin"] in export.document.roots
