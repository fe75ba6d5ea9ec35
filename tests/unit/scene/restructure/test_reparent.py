"""Another parent for nodes, on scenes made from nothing."""

from __future__ import annotations

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.node import RootNode
from tests.support.village import assert_sound, node, tree, village


def test_a_parent_in_front_is_only_a_number() -> None:
    file = village()
    scene = file.scene
    lamp = node(scene, "lamp")
    lamp.reparent(node(scene, "door"))
    assert scene.edited_objects() == [lamp]
    assert node(assert_sound(file), "lamp").parent is not None
    assert tree(scene)[-2:] == [(3, "lamp"), (1, "tree")]
    lamp.reparent(scene.nodes.root)  # type: ignore[arg-type]
    assert not file.edited


def test_a_parent_behind_makes_the_branch_move() -> None:
    file = village()
    scene = file.scene
    house, lamp = node(scene, "house"), node(scene, "lamp")
    shown = [node(scene, name).object for name in ("house", "door", "knob")]
    house.reparent(lamp)
    expected = [(0, ""), (1, "tree"), (1, "lamp"), (2, "house"), (3, "door"), (4, "knob")]
    assert tree(scene) == expected
    assert [node(scene, name).object for name in ("house", "door", "knob")] == shown
    assert len(restructure.gaps(scene)) == 3
    again = assert_sound(file)
    assert tree(again) == expected
    restructure.close_gaps(scene)
    assert tree(assert_sound(file)) == expected


def test_no_node_hangs_below_itself() -> None:
    file, other = village(), village()
    scene = file.scene
    house = node(scene, "house")
    root = scene.nodes.root
    assert isinstance(root, RootNode)
    for moved, parent in (
        (house, house),
        (house, node(scene, "knob")),
        (root, house),
        (house, node(other.scene, "lamp")),
    ):
        with pytest.raises(EditError):
            restructure.reparent(moved, parent)
    assert not file.edited
