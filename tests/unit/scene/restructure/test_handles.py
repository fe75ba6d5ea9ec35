"""Node handles in the lists of what lights leave out follow deleted and copied nodes."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass
from maxsidecar.scene.lights import StandardLight
from maxsidecar.scene.scene import Scene
from tests.support.village import assert_sound, node, village

OMNI = NewClass("Omni", 0x1011, 0, 0x30)
RAYTRACE = NewClass("Raytrace", 0x27190FF4, 0x329B106E, 0xC00)
#: Handles are given from 1 on in the order of the nodes: house, door, knob, tree, lamp.
HOUSE, DOOR, TREE, LAMP = 1, 2, 4, 5


def light(scene: Scene, *handles: int, count: int | None = None) -> StandardLight:
    number = len(handles) if count is None else count
    excluded = pack(f"<{len(handles)}I", *handles)
    chunks = [(0x03E9, pack("<I", number)), (0x03EC, pack("<I", 6)), (0x03EA, excluded)]
    made = restructure.add_object(scene, OMNI, [(0x2800, chunks)])
    assert isinstance(made, StandardLight)
    return made


def stored(lamp: StandardLight) -> tuple[int, tuple[int, ...], int]:
    """Count, handles and flags as they are stored."""
    found = lamp.exclusion
    assert found is not None
    return found.count, tuple(found.handles), found.flags


def test_the_handles_of_the_village() -> None:
    scene = village().scene
    names = ("house", "door", "tree", "lamp")
    assert [node(scene, name).handle for name in names] == [HOUSE, DOOR, TREE, LAMP]


def test_a_node_that_goes_leaves_the_lists_and_its_handle_is_not_given_again() -> None:
    file = village()
    scene = file.scene
    omni = light(scene, TREE, LAMP)
    node(scene, "lamp").delete()
    assert stored(omni) == (1, (TREE,), 6)
    assert node(scene, "tree").clone(name="oak").handle == LAMP + 1
    again = assert_sound(file)[omni.index]
    assert isinstance(again, StandardLight)
    assert stored(again) == (1, (TREE,), 6)
    node(scene, "tree").delete()
    assert stored(omni) == (0, (), 6)


@pytest.mark.parametrize(
    ("new", "container"),
    [(OMNI, 0x2800), (NewClass("Free Light", 0x32375FCC, 0xB025CF0, 0x30), 0x0859),
     (RAYTRACE, 0x4001)],
)  # fmt: skip
def test_a_handle_that_a_list_still_holds_goes_to_no_other_node(
    new: NewClass, container: int
) -> None:
    scene = village().scene
    chunks = [(0x03E9, pack("<I", 1)), (0x03EA, pack("<I", 148))]
    restructure.add_object(scene, new, [(container, chunks)])
    assert node(scene, "tree").clone().handle == 149


def test_a_light_that_is_copied_with_its_nodes_leaves_out_the_copies() -> None:
    scene = village().scene
    omni = light(scene, DOOR, TREE)
    house = node(scene, "house")
    restructure.set_reference(house, 1, omni)
    copy = house.clone()
    door = copy.children[0]
    assert isinstance(copy.object, StandardLight)
    assert copy.object is not omni
    assert door.handle not in (None, DOOR)
    assert stored(copy.object) == (2, (door.handle, TREE), 6)
    assert stored(omni) == (2, (DOOR, TREE), 6)


def test_a_list_that_counts_others_is_not_changed() -> None:
    file = village()
    omni = light(file.scene, LAMP, count=7)
    before = file.to_bytes()
    with pytest.raises(EditError, match="counts others"):
        node(file.scene, "lamp").delete()
    assert file.to_bytes() == before
    assert node(file.scene, "tree").delete() > 0
    assert stored(omni) == (7, (LAMP,), 6)
