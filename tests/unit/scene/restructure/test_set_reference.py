"""What reference slots take, and what is given to functions that is no such thing."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene
from tests.support.village import OTHER, node, village

NODE = NewClass("Node", 1, 0, 1)
Pick = Callable[[Scene], "SceneObject | None"]


def bits_of(scene: Scene) -> bytes:
    return bytes(scene.encode())


def prs(scene: Scene) -> SceneObject:
    found = node(scene, "lamp").controller
    assert found is not None
    return found


#: Slot of the lamp, what is put there, and what the error says.
WRONG: list[tuple[int, Pick, str]] = [
    (1, lambda s: node(s, "lamp"), "slot 1 leads to something else"),
    (1, prs, "slot 1 leads to something else"),
    (1, lambda _: None, "slot 1 is never empty"),
    (0, lambda s: node(s, "lamp").layer, "slot 0 leads to something else"),
    (0, lambda s: prs(s).reference(0), "slot 0 leads to something else"),
    (0, lambda _: None, "slot 0 is never empty"),
    (3, lambda s: node(s, "lamp").object, "slot 3 leads to something else"),
    (6, lambda s: node(s, "lamp").object, "slot 6 leads to something else"),
    (2, lambda s: node(s, "lamp"), "cannot hold itself"),
    (-1, lambda s: node(s, "lamp").object, "a reference slot"),
    (16, lambda s: node(s, "lamp").object, "no such slot"),
    (2**40, lambda s: node(s, "lamp").object, "a reference slot"),
]


@pytest.mark.parametrize(("slot", "pick", "message"), WRONG)
def test_a_node_takes_what_nodes_have(slot: int, pick: Pick, message: str) -> None:
    scene = village().scene
    before = bits_of(scene)
    with pytest.raises(EditError, match=message):
        restructure.set_reference(node(scene, "lamp"), slot, pick(scene))
    assert bits_of(scene) == before


def test_what_fits_is_taken() -> None:
    scene = village().scene
    lamp, house = node(scene, "lamp"), node(scene, "house")
    for slot in (0, 1, 6):
        restructure.set_reference(lamp, slot, house.reference(slot))
        assert lamp.reference(slot) is house.reference(slot)
    restructure.set_reference(lamp, 6, None)
    assert lamp.layer is None
    # A node may watch itself through something between.
    monitor = restructure.add_object(scene, OTHER, (), [lamp])
    restructure.set_reference(lamp, 7, monitor)
    assert lamp.reference(7) is monitor


@pytest.mark.parametrize("slot", [0, 1, 2])
def test_a_transform_keeps_its_three_parts(slot: int) -> None:
    scene = village().scene
    controller = prs(scene)
    with pytest.raises(EditError, match="never empty"):
        restructure.set_reference(controller, slot, None)
    with pytest.raises(EditError, match="something else"):
        restructure.set_reference(controller, slot, controller.reference((slot + 1) % 3))


def test_a_stack_stands_on_an_object_and_not_on_itself() -> None:
    builder = SceneBuilder()
    modifier = builder.add_object(NewClass("Bend", 0x10, 0, 0x810), [(1, b"x")])
    box = builder.add_box(1, 1, 1)
    derived = NewClass("Derived", 0x29263A68, 0x405F22F5, 0x1F0)
    stacks = [
        builder.add_object(derived, [(0x2501, b"")], [modifier, under]) for under in (box, box + 1)
    ]
    builder.add_node("bent", stacks[1])
    scene = MaxFile(builder.to_bytes()).scene
    # The builder knows no modifier stacks: give the objects the id that says what they are.
    order: list[int | NewObject] = list(range(len(scene)))
    for index in stacks:
        order[index] = NewObject(0x2032, bytes(scene[index].data.data))
    scene.rearrange(order)
    low, high = (scene[index] for index in stacks)
    for slot, target in ((0, scene[box]), (1, scene[modifier]), (0, None), (1, None)):
        with pytest.raises(EditError, match=r"something else|never empty"):
            restructure.set_reference(low, slot, target)
    for target in (low, high):
        with pytest.raises(EditError, match="cannot hold itself"):
            restructure.set_reference(low, 1, target)
    restructure.set_reference(high, 1, scene[box])
    assert high.references == {0: modifier, 1: box}


def key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | dict) else value


#: Calls with things that are none.
MISUSE: list[Callable[[Scene, Any], object]] = [
    lambda s, x: node(s, "lamp").clone(parent=x),
    lambda s, x: node(s, "lamp").clone(name=x),
    lambda s, x: node(s, "lamp").reparent(x),
    lambda s, x: s.delete(x),
    lambda s, x: s.delete([x]),
    lambda _, x: restructure.clone(x),
    lambda _, x: restructure.clone_node(x),
    lambda s, x: restructure.reparent(x, node(s, "tree")),
    lambda _, x: restructure.set_reference(x, 0, None),
    lambda s, x: restructure.set_reference(node(s, "lamp"), x, None),
    lambda s, x: restructure.set_reference(node(s, "lamp"), 1, x),
    restructure.add_object,
    lambda s, x: restructure.add_object(s, OTHER, x),
    lambda s, x: restructure.add_object(s, OTHER, [x]),
    lambda s, x: restructure.add_object(s, OTHER, [(x, b"")]),
    lambda s, x: restructure.add_object(s, OTHER, [(1, x)]),
    lambda s, x: restructure.add_object(s, OTHER, (), x),
    lambda s, x: restructure.add_object(s, OTHER, (), [x]),
    lambda s, x: restructure.add_object(s, OTHER, (), {key(x): node(s, "lamp")}),
    lambda s, x: restructure.add_object(s, OTHER, (), {0: x}),
    lambda s, x: restructure.add_object(s, OTHER, (), {0: node(s, "lamp")}, slots=x),
]


@pytest.mark.parametrize("number", range(len(MISUSE)))
def test_misuse_is_an_error_of_ours_and_changes_nothing(number: int) -> None:
    for value in ("x", "a\0", 1.5, -1, 70000, 2**2000, object(), len, [1.5], {-1: 2}, b"\0", True):
        scene = village().scene
        before = bits_of(scene)
        try:
            MISUSE[number](scene, value)
        except EditError:
            assert bits_of(scene) == before
            continue
        # What is taken all the same is something that could be meant.
        assert value in ("x", 70000, b"\0"), value


def test_an_object_of_a_known_class_takes_what_stands_there() -> None:
    scene = village().scene
    lamp = node(scene, "lamp")
    assert lamp.controller is not None
    with pytest.raises(EditError, match="slot 1 leads to something else"):
        restructure.add_object(scene, NODE, (), {0: lamp.controller, 1: lamp})
    body = [(0x0960, pack("<iI", 0, 0))]
    made = restructure.add_object(scene, NODE, body, {0: lamp.controller}, slots=16)
    assert isinstance(made, Node)


def test_a_node_of_another_scene_is_refused() -> None:
    scene, other = village().scene, village().scene
    calls: list[Callable[[], object]] = [
        lambda: restructure.set_reference(node(scene, "lamp"), 1, node(other, "lamp").object),
        lambda: restructure.clone_node(node(scene, "lamp"), parent=node(other, "lamp")),
        lambda: scene.delete([node(other, "lamp")]),
        lambda: node(scene, "lamp").reparent(node(other, "house")),
    ]
    for call in calls:
        with pytest.raises(EditError):
            call()
