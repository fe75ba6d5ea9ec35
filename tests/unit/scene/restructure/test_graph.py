"""Who holds whom is read once, and after an edit only where something changed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from maxsidecar.scene import restructure
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure import graph, renumber
from maxsidecar.scene.restructure.graph import Graph
from maxsidecar.scene.scene import Scene
from tests.support.village import OTHER, node, village


def fresh(scene: Scene) -> Graph:
    """The graph of the bytes as they would be saved, of a scene that knows nothing yet."""
    again = Scene(scene.encode(), scene.classes, [])
    return Graph.of(again)


def assert_as_if_new(scene: Scene) -> None:
    kept, new = Graph.of(scene), fresh(scene)
    assert kept.holds == new.holds
    for index in range(len(scene)):
        assert kept.owners(index) == new.owners(index)
        assert kept.holders(index) == new.holders(index)
        assert kept.holder(index) == new.holder(index)


def test_it_follows_every_kind_of_change() -> None:
    scene = village().scene
    assert_as_if_new(scene)
    copy = node(scene, "house").clone(name="annex")
    assert_as_if_new(scene)
    changes = restructure.Transaction(scene)
    node(scene, "tree").delete()
    assert_as_if_new(scene)
    changes.undo()
    assert_as_if_new(scene)
    node(scene, "tree").delete()
    copy.reparent(node(scene, "lamp"))
    restructure.close_gaps(scene)
    assert_as_if_new(scene)
    restructure.set_reference(node(scene, "lamp"), 1, copy.object)
    restructure.add_object(scene, OTHER, (), [copy])
    assert_as_if_new(scene)


def test_only_what_changed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = village().scene
    read: list[SceneObject] = []
    real = graph._read

    def counted(obj: SceneObject) -> object:
        read.append(obj)
        return real(obj)

    monkeypatch.setattr(graph, "_read", counted)
    Graph.of(scene)
    assert read == list(scene)
    read.clear()
    Graph.of(scene)
    assert read == []
    lamp = node(scene, "lamp")
    lamp.name = "sun"
    Graph.of(scene)
    assert read == [lamp]
    read.clear()
    count = len(scene)
    lamp.clone()
    Graph.of(scene)
    # The new objects; nobody else was written, for nothing names the Scene object here.
    assert read == list(scene)[count - 1 : -1]


def test_indices_outside_the_scene_are_left_out() -> None:
    scene = village().scene
    lamp = node(scene, "lamp")
    made = restructure.add_object(scene, OTHER, (), [lamp, lamp])
    made.dense_references = (lamp.index, len(scene))
    assert [held.index for held in Graph.of(scene).holds[made.index]] == [lamp.index]


def test_an_index_counts_as_soon_as_the_scene_is_long_enough() -> None:
    scene = village().scene
    lamp = node(scene, "lamp")
    made = restructure.add_object(scene, OTHER, (), [lamp, lamp])
    made.dense_references = (lamp.index, len(scene) + 3)
    wild = len(scene) + 3
    Graph.of(scene).owners(0)
    while len(scene) <= wild:
        restructure.add_object(scene, OTHER)
        assert_as_if_new(scene)
    assert Graph.of(scene).owners(wild) == [made.index]


def test_a_copy_looks_into_as_many_objects_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = village().scene
    lamp = node(scene, "lamp")
    looked: list[int] = []
    for module in (graph, import_module("maxsidecar.scene.restructure.clone"), renumber):

        def counted(obj: SceneObject, real: Callable[..., object] = module.places_of) -> object:
            looked.append(obj.index)
            return real(obj)

        monkeypatch.setattr(module, "places_of", counted)
    lamp.clone()
    lamp.clone()
    efforts = []
    for _ in range(30):
        looked.clear()
        lamp.clone()
        efforts.append(len(looked))
    assert efforts == [efforts[0]] * 30
    assert efforts[0] < 30
