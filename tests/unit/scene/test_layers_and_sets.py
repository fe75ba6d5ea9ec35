"""Layers, named selection sets and derived objects made by hand."""

from __future__ import annotations

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.layers import Layer, LayerManager, layers
from maxsidecar.scene.selection_sets import SelectionSet, SelectionSets, selection_sets
from tests.support.scenes import SceneMaker, f32, u32

LAYER = (0x7E9858FE, 0x1DBA1DF0, 0x10F0)
MANAGER = (0x0D7374FC, 0x51FF028E, 0x200)


def test_layers_in_the_order_of_the_manager() -> None:
    maker = SceneMaker()
    other = maker.add(LAYER, [(0x1010, b"walls"), (0x1020, u32(0x00100000))])
    default = maker.add(
        LAYER,
        [(0x1010, b"0"), (0x1030, bytes((1, 2, 3, 0))), (0x1060, f32(1, 1) + b"\1")],
    )
    manager = maker.add(
        MANAGER, [(0x1500, u32(1)), (0x1600, u32(1)), (0x1700, b"walls")], [default, other]
    )
    scene = maker.scene()
    assert [layer.name for layer in layers(scene)] == ["0", "walls"]
    found = scene[manager]
    assert isinstance(found, LayerManager)
    assert (found.current, found.current_name, found.current_index) == (1, "walls", None)
    layer = scene[default]
    assert isinstance(layer, Layer)
    assert layer.color == (1, 2, 3, 0)
    assert layer.visibility is not None
    assert layer.visibility.blur == 1


def test_selection_sets() -> None:
    maker = SceneMaker()
    a, b = maker.node("a", None), maker.node("b", None)
    both = maker.add((0x8D51, 0, 0x100), [(0x0100, u32(3)), (0x0110, "Tür".encode("utf-16-le"))],
                     [b, None, a])  # fmt: skip
    empty = maker.add((0x8D51, 0, 0x100), [(0x0100, u32(0)), (0x0110, b"")])
    maker.add((0x8D52, 0, 0x100), [(0x0100, u32(2))], [both, empty])
    found = selection_sets(maker.scene())
    assert [item.name for item in found] == ["Tür", ""]
    assert [node.name for node in found[0].nodes] == ["b", "a"]
    assert found[1].nodes == []


def test_members_and_their_number_are_written_together() -> None:
    maker = SceneMaker()
    a, b = maker.node("a", None), maker.node("b", None)
    first = maker.add((0x8D51, 0, 0x100), [(0x0100, u32(1)), (0x0110, b"")], [a])
    empty = maker.add((0x8D51, 0, 0x100), [(0x0100, u32(0)), (0x0110, b"")])
    both = maker.add((0x8D52, 0, 0x100), [(0x0100, u32(1))], [first])
    scene = maker.scene()
    one, other, sets = scene[first], scene[empty], scene[both]
    assert isinstance(one, SelectionSet)
    assert isinstance(other, SelectionSet)
    assert isinstance(sets, SelectionSets)
    one.nodes = [scene.node(b), scene.node(a)]
    other.nodes = [scene.node(a)]
    sets.sets = [other, one]
    assert (one.count, one.dense_references) == (2, (b, a))
    assert (other.count, other.dense_references) == (1, (a,))
    assert (sets.count, sets.dense_references) == (2, (empty, first))
    assert selection_sets(scene) == [other, one]
    one.nodes = []
    assert (one.count, one.dense_references) == (0, ())
    with pytest.raises(EditError, match="not a Node"):
        one.nodes = [one]  # type: ignore[list-item]
    stranger = SceneMaker()
    alien = stranger.node("c", None)
    with pytest.raises(EditError, match="not an object of this scene"):
        one.nodes = [stranger.scene().node(alien)]
    assert (one.count, one.dense_references) == (0, ())


@pytest.mark.parametrize("counted", [True, False])
def test_a_layer_is_listed_and_counted(counted: bool) -> None:
    maker = SceneMaker()
    default, new = (maker.add(LAYER, [(0x1010, name)]) for name in (b"0", b"walls"))
    count = [(0x1800, u32(1))] if counted else []
    manager = maker.add(MANAGER, [(0x1500, u32(1)), *count], [default])
    scene = maker.scene()
    found, layer = scene[manager], scene[new]
    assert isinstance(found, LayerManager)
    assert isinstance(layer, Layer)
    found.add(layer)
    assert found.dense_references == (default, new)
    assert found.count == (2 if counted else None)
    assert list(found.problems()) == []
    with pytest.raises(EditError, match="listed already"):
        found.add(layer)
    for thing in (None, "walls", new, found):
        with pytest.raises(EditError, match="not a layer"):
            found.add(thing)  # type: ignore[arg-type]


def test_what_leads_elsewhere_is_told() -> None:
    maker = SceneMaker()
    box = maker.add((0x10, 0, 0x10))
    node = maker.node("a", None)
    wrong = maker.add((0x8D51, 0, 0x100), [(0x0100, u32(3))], [box, node])
    listed = maker.add((0x8D52, 0, 0x100), [(0x0100, u32(2))], [wrong, None])
    manager = maker.add(MANAGER, [(0x1800, u32(1))], [node])
    scene = maker.scene()
    expected = {
        wrong: ["reference slot 0 leads to something else", "the number of members is another one"],
        listed: [],
        manager: ["reference slot 0 leads to something else"],
    }
    for index, messages in expected.items():
        assert [problem.message for problem in scene[index].problems()] == messages


def test_no_sets_and_no_layers() -> None:
    scene = SceneMaker().scene()
    assert selection_sets(scene) == []
    assert layers(scene) == []


def test_derived_object() -> None:
    maker = SceneMaker()
    base = maker.add((0x10, 0, 0x10))
    top, low = maker.add((0x95, 0, 0x810)), maker.add((0x96, 0, 0x810))
    matrix = f32(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7) + u32(4)
    contexts = [
        (0x2500, [(0x2511, f32(*[0] * 6)), (0x2513, u32(1))]),
        (0x2500, [(0x2510, matrix), (0x2511, f32(-1, -1, -1, 1, 1, 1)), (0x2513, u32(2))]),
    ]
    stack = maker.add((0x29263A68, 0x405F22F5, 0x1F0), [*contexts, (0x2501, b"")], [top, low, base])
    scene = maker.scene()
    found = scene[stack]
    assert isinstance(found, DerivedObject)
    assert [m.index if m else None for m in found.modifiers] == [top, low]
    assert found.stands_on is scene[base]
    first, second = found.contexts
    assert first.transform is None
    assert second.transform is not None
    assert (second.transform.translation_x, second.transform.flags) == (5.0, 4)
    assert second.box is not None
    assert second.box.max_x == 1.0
    assert sum(1 for _ in found.typed_leaves()) == 7
