"""Numbers in places that nobody declares."""

from __future__ import annotations

from struct import pack, unpack

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.node import Node
from maxsidecar.scene.restructure.audited import is_audited
from maxsidecar.scene.restructure.hidden import suspects
from tests.support.village import OTHER, assert_sound, node, village


def test_an_undeclared_number_keeps_objects_from_being_renumbered() -> None:
    file = village()
    scene = file.scene
    lamp, house = node(scene, "lamp"), node(scene, "house")
    hidden = restructure.add_object(scene, OTHER, [(0x0100, b"?" + pack("<i", lamp.index))])
    assert list(suspects(scene, [lamp.index])) == [(hidden, {lamp.index})]
    assert list(suspects(scene, [lamp.index + 1])) == []
    house.delete()
    before = file.to_bytes()
    with pytest.raises(EditError, match="Other"):
        restructure.close_gaps(scene)
    assert file.to_bytes() == before
    assert restructure.close_gaps(scene, force=True) > 0


def test_a_place_can_be_declared() -> None:
    file = village()
    scene = file.scene
    identity = NewClass("Link", 0x77, 0x78, 0x79)
    place = restructure.LeafIndices((0x0200, 0x0001), offset=2, stride=4, empty=-7)
    restructure.declare(place, superclass=0x79, class_id=(0x77, 0x78))
    lamp, house = node(scene, "lamp"), node(scene, "house")
    body = b"ab" + pack("<3i", lamp.index, -1, house.index)
    link = restructure.add_object(scene, identity, [(0x0200, [(0x0001, body)])])
    assert [held.index for held in place.read(link)] == [lamp.index, house.index]
    house.delete()
    restructure.close_gaps(scene)
    outer = link.find(0x0200)
    leaf = outer.find(0x0001) if outer is not None else None
    assert leaf is not None
    assert unpack("<2s3i", leaf.data) == (b"ab", lamp.index, -1, -7)
    assert_sound(file)


def test_audited_classes_are_keyed_by_all_ids() -> None:
    assert is_audited(ClassInfo(0, "?", ClassId(1), 0x1, -1))
    assert is_audited(ClassInfo(0, "?", ClassId(99, 98), 0x1160, -1))
    assert not is_audited(ClassInfo(0, "?", ClassId(1), 0x2, -1))
    assert not is_audited(None)


def test_what_an_undeclared_number_may_name_is_not_taken_out() -> None:
    file = village()
    scene = file.scene
    lamp = node(scene, "lamp")
    hidden = restructure.add_object(scene, OTHER, [(0x0100, b"?" + pack("<i", lamp.index))])
    before = file.to_bytes()
    with pytest.raises(EditError, match=r"would go .*Other"):
        lamp.delete()
    assert file.to_bytes() == before
    # What goes itself may name whatever it likes.
    assert scene.delete([lamp, hidden]) > 1


def test_a_number_that_somebody_may_hold_is_not_given_to_another_object() -> None:
    file = village()
    scene = file.scene
    # The next object but one gets this number.
    number = len(scene)
    restructure.add_object(scene, OTHER, [(0x0100, b"?" + pack("<i", number))])
    named = restructure.add_object(scene, OTHER, [(0x0100, b"")])
    free = restructure.add_object(scene, OTHER, [(0x0100, b"")])
    assert (named.index, free.index) == (number, number + 1)
    assert scene.delete([named, free], force=True) == 2
    assert restructure.gaps(scene) == [number]
    assert restructure.add_object(scene, OTHER, [(0x0100, b"")]).index == number + 1
    assert_sound(file)


def test_a_gap_that_somebody_may_name_is_closed_by_force_only() -> None:
    scene = village().scene
    number = len(scene)
    restructure.add_object(scene, OTHER, [(0x0100, pack("<i", number))])
    named = restructure.add_object(scene, OTHER, [(0x0100, b"")])
    scene.delete([named], force=True)
    with pytest.raises(EditError, match="Other"):
        restructure.close_gaps(scene)
    assert restructure.close_gaps(scene, force=True) == 1


def test_a_move_leaves_a_number_that_somebody_may_hold() -> None:
    file = village()
    scene = file.scene
    lamp = node(scene, "lamp")
    tree = node(scene, "tree")
    number = lamp.index
    restructure.add_object(scene, OTHER, [(0x0100, pack("<i", number))])
    late = tree.clone(name="late")
    with pytest.raises(EditError, match="renumbered"):
        restructure.reparent(lamp, late)
    restructure.reparent(lamp, late, force=True)
    assert lamp.parent is late
    assert not isinstance(scene[number], Node)
    assert_sound(file)
