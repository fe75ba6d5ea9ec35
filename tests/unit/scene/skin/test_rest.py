"""Joints whose controllers cannot be evaluated stand as they were bound."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.rest import bind_matrices, obstacle, rest_matrices
from maxsidecar.scene.transform import Pose
from tests.support.scenes import PRS, SceneMaker
from tests.support.skins import about_z, physique_layer, place, skin_layer
from tests.support.stacks import Layer, Stack

#: A transform, and a rotation, of classes that nothing is known of.
UNKNOWN = (0x12345678, 0x1, 0x9008)
UNKNOWN_ROTATION = (0x12345678, 0x2, 0x900C)


def finish(maker: SceneMaker, layer: Layer) -> Scene:
    stack = Stack([layer], maker=maker)
    maker.node("mesh", None, object_=stack.top)
    return maker.scene()


def lists(count: int) -> list[list[tuple[int, float]]]:
    return [[(number, 1.0) for number in range(count)]] * 5


def test_a_joint_stands_to_its_parent_as_both_were_bound() -> None:
    maker = SceneMaker()
    top = maker.node("top", maker.transform((0, 0, 10)))
    joint = maker.node("joint", maker.add(UNKNOWN), top)
    leaf = maker.node("leaf", maker.transform((1, 0, 0)), joint)
    binds = [about_z(90, 5, 0, 0), about_z(90, 5, 2, 0)]
    scene = finish(maker, skin_layer([top, joint], binds, lists(2)))
    rest = rest_matrices(scene)
    assert list(rest.matrices) == [joint]
    assert list(rest.reasons) == [joint]
    assert rest.unknown == {}
    pose = Pose(scene, 0, rest.matrices)
    # Two units along the parent's X axis, which is where the parent is turned to now.
    assert pose.world(scene.nodes[joint])[0] == pytest.approx(place(2, 0, 10), abs=1e-6)
    assert pose.local(scene.nodes[joint])[0] == pytest.approx(place(2, 0, 0), abs=1e-6)
    # What can be evaluated below it is.
    assert pose.world(scene.nodes[leaf])[0] == pytest.approx(place(3, 0, 10), abs=1e-6)


def test_a_joint_below_a_node_that_nothing_was_bound_to_stands_where_it_was_bound() -> None:
    maker = SceneMaker()
    above = maker.node("above", maker.transform((7, 7, 7), (0.1, 0.2, 0.3)))
    first = maker.node("first", maker.add(UNKNOWN), above)
    between = maker.node("between", maker.add(UNKNOWN), first)
    second = maker.node("second", maker.add(UNKNOWN), between)
    binds = [about_z(20, 1, 2, 3), about_z(50, 4, 5, 6)]
    scene = finish(maker, skin_layer([first, second], binds, lists(2)))
    rest = rest_matrices(scene)
    assert sorted(rest.matrices) == [first, second]
    assert list(rest.unknown) == [between]
    pose = Pose(scene, 0, rest.matrices)
    for index, bind in zip((first, second), binds, strict=True):
        assert pose.world(scene.nodes[index])[0] == pytest.approx(bind, abs=1e-5)


def test_physique_tells_as_well() -> None:
    maker = SceneMaker()
    joint = maker.node("joint", maker.add(UNKNOWN))
    layer = physique_layer([(joint, -1, about_z(30, 1, 0, 0))], [[(0, 1.0)]] * 5)
    scene = finish(maker, layer)
    rest = rest_matrices(scene)
    assert rest.matrices[joint] == pytest.approx(about_z(30, 1, 0, 0), abs=1e-6)


def test_the_modifier_with_the_most_joints_counts() -> None:
    maker = SceneMaker()
    one, two = (maker.node(name, maker.add(UNKNOWN)) for name in ("one", "two"))
    small = skin_layer([one], [place(1)], lists(1))
    large = skin_layer([two, one], [place(3), place(2)], lists(2))
    Stack([small], maker=maker)
    scene = finish(maker, large)
    assert bind_matrices(scene)[one][3, 0] == 2


def test_why_a_controller_gives_no_place() -> None:
    maker = SceneMaker()
    rotation = maker.add(UNKNOWN_ROTATION)
    nodes = [
        maker.node("fine", maker.transform()),
        maker.node("none", None),
        maker.node("unknown", maker.add(UNKNOWN)),
        maker.node("part", maker.add(PRS, (), [None, rotation, None])),
    ]
    scene = maker.scene()
    found = [obstacle(scene.nodes[index]) for index in nodes]
    assert found[:3] == [None, None, "unknown controller class"]
    assert found[3] is not None
    assert found[3].endswith("unknown controller class")


def test_a_scene_where_all_is_known_has_none() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    scene = finish(maker, skin_layer([bone], [np.zeros((4, 4)) + np.eye(4)], lists(1)))
    assert rest_matrices(scene).matrices == {}


def test_a_skin_that_cannot_be_read_tells_nothing() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.add(UNKNOWN))
    layer = skin_layer([bone], [place()], lists(1))
    layer.chunks = [chunk for chunk in layer.chunks if chunk[0] != 0x0030]
    rest = rest_matrices(finish(maker, layer))
    assert (rest.matrices, list(rest.unknown)) == ({}, [bone])


def test_a_parent_that_is_flat() -> None:
    maker = SceneMaker()
    flat = maker.node("flat", maker.transform((0, 0, 0), (0, 0, 0), (0, 1, 1)))
    joint = maker.node("joint", maker.add(UNKNOWN), flat)
    rest = rest_matrices(finish(maker, skin_layer([joint], [place(1)], lists(1))))
    assert (rest.matrices, list(rest.unknown)) == ({}, [joint])


@pytest.mark.filterwarnings("error")
def test_a_parent_that_is_nearly_flat() -> None:
    """Undoing its scale leads beyond the largest 32-bit float, which exports could not hold."""
    maker = SceneMaker()
    tiny = maker.node("tiny", maker.transform((0, 0, 0), (0, 0, 0), (1e-30, 1, 1)))
    joint = maker.node("joint", maker.add(UNKNOWN), tiny)
    huge = place(3e38)
    rest = rest_matrices(finish(maker, skin_layer([joint], [huge], lists(1))))
    assert (rest.matrices, list(rest.unknown)) == ({}, [joint])
