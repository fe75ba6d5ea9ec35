"""Nodes that others look at or are bent by are not taken out without a word."""

from __future__ import annotations

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.restructure.dependants import refuse_dependants
from maxsidecar.scene.restructure.graph import Graph
from tests.support.village import assert_sound, node

LOOK_AT = NewClass("Look At", 0x2006, 0, 0x9008)
IK_CHAIN = NewClass("IKChainControl", 0x78724378, 0x8A4FD9, 0x9008)
CONSTRAINT = NewClass("Orientation Constraint", 0x2020, 0, 0x900C)
BLOCK = NewClass("ParamBlock2", 0x82, 0, 0x82)
SKIN = NewClass("Skin", 0x95C723, 0x15666, 0x810)
PHYSIQUE = NewClass("Physique", 0x100, 0, 0x810)
SET = NewClass("NodeNamedSelSet", 0x8D51, 0, 0x100)


def watched(new: NewClass, slot: int, superclass: int = 0x9008) -> MaxFile:
    """A camera whose controller, or a part of it, refers to a target."""
    builder = SceneBuilder()
    target = builder.add_node("aim", builder.add_dummy(1))
    part = builder.add_object(new, (), {slot: target})
    if superclass == 0x900C:
        parts = [builder.add_object(NewClass("P", 0x2008, 0, 0x900B)), part]
        parts.append(builder.add_object(NewClass("S", 0x2010, 0, 0x900D)))
        part = builder.add_object(NewClass("PRS", 0x2005, 0, 0x9008), (), parts)
    builder.add_node("camera", builder.add_dummy(1), transform=part)
    return MaxFile(builder.to_bytes())


@pytest.mark.parametrize(
    ("new", "slot", "superclass"),
    [(LOOK_AT, 0, 0x9008), (IK_CHAIN, 2, 0x9008), (IK_CHAIN, 4, 0x9008), (CONSTRAINT, 1, 0x900C)],
)
def test_the_target_of_a_controller(new: NewClass, slot: int, superclass: int) -> None:
    file = watched(new, slot, superclass)
    scene = file.scene
    aim, camera = node(scene, "aim"), node(scene, "camera")
    before = bytes(scene.encode())
    message = rf"{new.name} \d+ of 'camera' needs 'aim'; force takes them out"
    with pytest.raises(EditError, match=message):
        aim.delete()
    with pytest.raises(EditError, match=message):
        scene.delete([aim])
    assert bytes(scene.encode()) == before
    aim.delete(force=True)
    assert [found.name for found in scene.nodes.values()] == ["", "camera"]
    holder = next(obj for obj in scene if obj.is_instance(new.superclass, (new.a, new.b)))
    assert holder.references == {}
    assert camera.controller is not None
    assert_sound(file)


def test_both_together_go_without_force() -> None:
    file = watched(LOOK_AT, 0)
    scene = file.scene
    scene.delete([node(scene, "aim"), node(scene, "camera")])
    assert len(scene.nodes) == 1


def test_the_camera_goes_without_force() -> None:
    file = watched(LOOK_AT, 0)
    node(file.scene, "camera").delete()
    assert [found.name for found in file.scene.nodes.values()] == ["", "aim"]


def test_a_target_below_a_node_that_goes() -> None:
    builder = SceneBuilder()
    house = builder.add_node("house", builder.add_dummy(1))
    target = builder.add_node("aim", builder.add_dummy(1), parent=house)
    for name in ("one", "two"):
        look = builder.add_object(LOOK_AT, (), {0: target})
        builder.add_node(name, builder.add_dummy(1), transform=look)
    scene = MaxFile(builder.to_bytes()).scene
    with pytest.raises(EditError, match=r"'one' needs 'aim'; Look At \d+ of 'two' needs 'aim'"):
        node(scene, "house").delete()


def test_a_block_of_a_constraint_counts_and_that_of_others_does_not() -> None:
    builder = SceneBuilder()
    target = builder.add_node("aim", builder.add_dummy(1))
    header = (0x0009, bytes(12) + b"\xff" * 4)
    for owner in (CONSTRAINT, NewClass("Thing", 1, 2, 0x200)):
        block = builder.add_object(BLOCK, [header], [target])
        builder.add_object(owner, (), [block])
    scene = MaxFile(builder.to_bytes()).scene
    with pytest.raises(EditError, match=r"^[^;]*ParamBlock2 .* needs 'aim'; force") as caught:
        node(scene, "aim").delete()
    assert str(caught.value).count("needs") == 1


@pytest.mark.parametrize("new", [SKIN, PHYSIQUE])
def test_bones(new: NewClass) -> None:
    builder = SceneBuilder()
    bone = builder.add_node("bone", builder.add_dummy(1))
    builder.add_object(new, (), {3: bone})
    scene = MaxFile(builder.to_bytes()).scene
    with pytest.raises(EditError, match=rf"{new.name} .* needs 'bone'"):
        node(scene, "bone").delete()


def test_sets_and_monitors_do_without() -> None:
    builder = SceneBuilder()
    member = builder.add_node("member", builder.add_dummy(1))
    builder.add_object(SET, (), [member])
    scene = MaxFile(builder.to_bytes()).scene
    node(scene, "member").delete()
    assert len(scene.nodes) == 1


def test_controllers_that_hold_each_other_end_the_search() -> None:
    builder = SceneBuilder()
    target = builder.add_node("aim", builder.add_dummy(1))
    first = builder.add_object(LOOK_AT, (), [target, None])
    second = builder.add_object(LOOK_AT, (), [target, first])
    scene = MaxFile(builder.to_bytes()).scene
    scene[first].dense_references = (target, second)
    with pytest.raises(EditError, match=f"of object {first} needs"):
        refuse_dependants(scene, Graph.of(scene), {target})
