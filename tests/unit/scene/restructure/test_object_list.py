"""The list of objects, and new ones in it."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.scene import Scene
from tests.support.village import OTHER, assert_sound, node, village


def test_an_order_and_its_reversal_give_the_very_bytes() -> None:
    scene = village().scene
    data = scene.data
    count = len(scene)
    scene.rearrange([*reversed(range(count))])
    assert scene[0].class_id == ClassId(0x2222)
    assert len(scene.encode()) == len(data)
    assert scene.encode() != data
    scene.rearrange([*reversed(range(count))])
    assert not scene.edited
    assert scene.encode() is data


def test_objects_keep_their_bytes_wherever_they_go() -> None:
    scene = village().scene
    objects = list(scene)
    bodies = [bytes(obj.data.data) for obj in objects]
    order = [3, 1, NewObject(scene.chunk_id(1), b""), *range(4, len(scene))]
    added = scene.rearrange(order)
    assert [obj.index for obj in added] == [2]
    again = Scene(scene.encode(), scene.classes, [])
    assert len(again) == len(objects) - 1
    for place, item in enumerate(order):
        if isinstance(item, int):
            assert bytes(again[place].data.data) == bodies[item]
            assert scene[place] is objects[item]
    with pytest.raises(EditError, match="taken out"):
        objects[0].data.replace_all(b"")


@pytest.mark.parametrize("order", [[0, 0], [-1], [10**6], [NewObject(0x10000, b"")]])
def test_an_order_that_is_none_is_refused(order: list[int | NewObject]) -> None:
    scene = village().scene
    with pytest.raises(EditError):
        scene.rearrange(order)
    assert not scene.edited


def test_a_damaged_list_stays_as_it_is() -> None:
    data = bytearray(village().scene.data)
    spans = village().scene
    start = spans.span(len(spans) - 1)[1]
    data[start + 2 : start + 6] = pack("<I", 0x7FFFFFF0)
    scene = Scene(bytes(data), spans.classes, [])
    with pytest.raises(EditError, match="damaged"):
        scene.rearrange(range(len(scene)))


def test_a_new_object_comes_in_front_of_the_last_one() -> None:
    file = village()
    scene = file.scene
    before = list(scene)
    target = node(scene, "lamp")
    new = restructure.add_object(scene, OTHER, [(0x0100, b"hello")], [target, None])
    assert new.index == len(before) - 1
    assert scene[-1] is before[-1]
    assert list(scene)[:-2] == before[:-1]
    assert [obj for obj in scene if obj.edited] == [new]
    again = assert_sound(file)
    found = again[new.index]
    assert (found.class_name, found.dll_name) == ("Other", "other.dlo")
    assert found.references == {0: target.index}
    leaf = found.find(0x0100)
    assert leaf is not None
    assert bytes(leaf.data) == b"hello"


def test_directories_gain_an_entry_once_and_only_where_needed() -> None:
    file = village()
    classes, plugins = list(file.scene.classes), file.scene.directories[1]
    box = next(i for i in classes if i is not None and i.class_id == ClassId(0x10))
    known = NewClass("Otro nombre", 0x10, 0, box.superclass)
    assert restructure.add_object(file.scene, known).info == box
    assert file.scene.classes == classes
    for _ in range(2):
        restructure.add_object(file.scene, OTHER, [(1, b"")])
    assert len(file.scene.classes) == len(classes) + 1
    assert file.scene.directories[1] == [*plugins, "other.dlo"]
    reopened = MaxFile(file.to_bytes())
    assert reopened.classes[:-1] == classes
    assert reopened.classes[-1] == ClassInfo(
        len(classes), "Other", ClassId(0x1234, 0x5678), 0x200, len(plugins)
    )


def test_sparse_references_and_slots() -> None:
    file = village()
    scene = file.scene
    lamp, house = node(scene, "lamp"), node(scene, "house")
    new = restructure.add_object(scene, OTHER, (), {5: lamp, 2: house}, slots=9)
    assert new.sparse_references == (9, {2: house.index, 5: lamp.index})
    restructure.set_reference(new, 3, house)
    restructure.set_reference(new, 2, None)
    assert new.sparse_references == (9, {3: house.index, 5: lamp.index})
    restructure.set_reference(lamp, 1, house.object)
    assert lamp.object is house.object
    dense = restructure.add_object(scene, OTHER, (), [lamp])
    restructure.set_reference(dense, 0, house)
    assert dense.dense_references == (house.index,)
    with pytest.raises(EditError, match="no such slot"):
        restructure.set_reference(dense, 1, house)
    with pytest.raises(EditError, match="no reference list"):
        restructure.set_reference(scene.nodes.root.reference(0) or scene[1], 0, house)  # type: ignore[union-attr]
    with pytest.raises(EditError, match="Scene object"):
        restructure.set_reference(dense, 0, scene[-1])


def test_what_is_not_in_the_scene_cannot_be_referred_to() -> None:
    file, other = village(), village()
    count = len(file.scene)
    with pytest.raises(EditError, match="not an object"):
        restructure.add_object(file.scene, OTHER, (), [other.scene[0]])
    assert len(file.scene) == count
    assert not file.edited
