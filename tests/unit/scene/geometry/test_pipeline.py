"""Evaluation of objects and stacks: order, what is left out, and what is told of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maxsidecar.scene.geometry import pipeline
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Evaluator,
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.node import Node
from tests.support.scenes import SceneMaker, u32
from tests.support.stored_meshes import SQUARE, TRI, rows, tri_chunks

SHIFT, DOUBLE, REFUSED, UNKNOWN = ((0xF00D, number) for number in range(4))
DERIVED = (0x29263A68, 0x405F22F5, 0x1F0)
OFF = (0x39BF, [(0x0110, b"")])


@pytest.fixture(autouse=True)
def modifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline._load()
    monkeypatch.setattr(pipeline, "_modifiers", dict(pipeline._modifiers))

    @modifier(SHIFT)
    def shift(geometry: Geometry, call: ModifierCall) -> Geometry:
        mesh = call.convert(geometry)
        return mesh.with_positions(mesh.positions + np.float32(1))

    @modifier(DOUBLE)
    def double(geometry: Geometry, call: ModifierCall) -> Geometry:
        call.approximate("twice is not quite enough")
        mesh = call.convert(geometry)
        return replace(mesh, positions=mesh.positions * np.float32(2))

    @modifier(REFUSED)
    def refused(geometry: Geometry, call: ModifierCall) -> Geometry:
        raise NotSupportedError("not today")


def stack(maker: SceneMaker, base: int, *kinds: tuple[int, int], off: int | None = None) -> int:
    """Add a stack; modifiers from the top down."""
    slots = [
        maker.add((*kind, 0x810), [OFF] if number == off else [])
        for number, kind in enumerate(kinds)
    ]
    contexts = [(0x2500, b"") for _ in kinds]
    return maker.add(DERIVED, contexts, [*slots, base])


def positions(mesh: Mesh | None) -> list[tuple[object, ...]]:
    assert mesh is not None
    return rows(mesh.positions)


def test_modifiers_are_evaluated_from_the_bottom_up() -> None:
    maker = SceneMaker()
    base = maker.add(TRI, [(0x08FE, tri_chunks())])
    top = stack(maker, base, DOUBLE, SHIFT)
    scene = maker.scene()
    found = Evaluator(scene).object(scene[top])
    assert positions(found.mesh) == [(2 * x + 2, 2 * y + 2, 2 * z + 2) for x, y, z in SQUARE]
    assert [scene[index].class_id for index in found.applied] == [
        scene[top - 1].class_id,
        scene[top - 2].class_id,
    ]
    (note,) = found.skipped
    assert note.approximate
    assert found.complete


@pytest.mark.parametrize(("kind", "reason"), [(REFUSED, "not today"), (UNKNOWN, "no evaluation")])
def test_what_cannot_be_evaluated_is_left_out(kind: tuple[int, int], reason: str) -> None:
    maker = SceneMaker()
    base = maker.add(TRI, [(0x08FE, tri_chunks())])
    top = stack(maker, base, SHIFT, kind)
    scene = maker.scene()
    found = Evaluator(scene).object(scene[top])
    assert positions(found.mesh) == [(x + 1, y + 1, z + 1) for x, y, z in SQUARE]
    (skipped,) = found.skipped
    assert skipped.reason.startswith(reason)
    assert skipped.index == top - 1
    assert not found.complete


def test_a_modifier_that_is_off_does_nothing() -> None:
    maker = SceneMaker()
    base = maker.add(TRI, [(0x08FE, tri_chunks())])
    top = stack(maker, base, REFUSED, SHIFT, off=0)
    scene = maker.scene()
    found = Evaluator(scene).object(scene[top])
    assert found.complete
    assert len(found.applied) == 1


def test_a_modifier_that_may_be_off_is_told() -> None:
    maker = SceneMaker()
    base = maker.add(TRI, [(0x08FE, tri_chunks())])
    shift = maker.add((*SHIFT, 0x810), [(0x39BF, [(0x0120, b"")])])
    top = maker.add(DERIVED, [(0x2500, b"")], [shift, base])
    found = Evaluator(maker.scene()).object(maker.scene()[top])
    assert positions(found.mesh) == [(x + 1, y + 1, z + 1) for x, y, z in SQUARE]
    (note,) = found.skipped
    assert note.approximate
    assert note.reason.startswith("it is off in viewports or in renders")


def test_classes_of_other_superclasses_are_others() -> None:
    # A Box has the class id 10, and superclass 10; so has a modifier that is none of ours.
    maker = SceneMaker()
    shape = maker.add((0x10, 0, 0x40), [])
    world = maker.add((*SHIFT, 0x1050), [])
    base = maker.add(TRI, [(0x08FE, tri_chunks())])
    top = maker.add(DERIVED, [(0x2500, b"")], [world, base])
    evaluator = Evaluator(maker.scene())
    for index in (shape, top):
        (note,) = evaluator.object(evaluator.scene[index]).skipped
        assert note.reason == "no evaluation is known for this class"


def test_each_object_is_evaluated_once() -> None:
    maker = SceneMaker()
    base = maker.add(TRI, [(0x08FE, tri_chunks())])
    scene = maker.scene()
    evaluator = Evaluator(scene)
    assert evaluator.object(scene[base]) is evaluator.object(scene[base])


def test_a_stack_that_stands_on_itself_is_told() -> None:
    maker = SceneMaker()
    index = len(maker.objects)
    maker.add(DERIVED, [], [index])
    scene = maker.scene()
    found = Evaluator(scene).object(scene[index])
    assert found.geometry is None
    assert not found.complete


def test_a_very_deep_stack_ends() -> None:
    maker = SceneMaker()
    top = maker.add(TRI, [(0x08FE, tri_chunks())])
    for _ in range(200):
        top = maker.add(DERIVED, [], [top])
    scene = maker.scene()
    assert not Evaluator(scene).object(scene[top]).complete


def test_a_damaged_node_is_told() -> None:
    maker = SceneMaker()
    index = maker.add((1, 0, 0x1), [(0x2034, u32(1) + b"\0")])
    scene = maker.scene()
    node = scene[index]
    assert isinstance(node, Node)
    found = node.evaluate_mesh()
    assert found.geometry is None
    (skipped,) = found.skipped
    assert skipped.index == index
