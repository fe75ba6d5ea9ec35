"""Copies of nodes and objects, on scenes made from nothing."""

from __future__ import annotations

from pathlib import Path
from struct import unpack

import olefile
import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.restructure.graph import subtree
from tests.support.village import KEY, assert_sound, node, tree, village


def test_a_copy_has_its_own_parts_and_shares_the_layer() -> None:
    file = village()
    scene = file.scene
    house, count = node(scene, "house"), len(scene)
    bodies = [bytes(obj.data.data) for obj in scene][:-1]
    handles = {found.handle for found in scene.nodes.values()}
    copy = house.clone(name="annex", parent=node(scene, "lamp"))
    assert [bytes(obj.data.data) for obj in scene][: count - 1] == bodies
    assert copy.parent is node(scene, "lamp")
    names = [scene.nodes[i].name for i in sorted(subtree(scene, [copy]))]
    assert names == ["annex", "door", "knob"]
    assert copy.controller is not house.controller
    assert copy.object is not house.object
    assert copy.layer is house.layer
    new = {scene.nodes[i].handle for i in subtree(scene, [copy])}
    assert len(new) == 3
    assert not new & handles
    # The box is the tree's as well, so the copy of the door gets one of its own, with its block.
    door = copy.children[0]
    assert door.object is not None
    assert door.object is not node(scene, "tree").object
    assert door.object.parameters["length"].value == 1.0
    assert_sound(file)


def test_an_instance_shows_the_same_object() -> None:
    file = village()
    lamp = node(file.scene, "lamp")
    copy = restructure.clone_node(lamp, instance=True)
    assert copy.object is lamp.object
    assert copy.controller is not lamp.controller
    assert copy.appdata.get(KEY) == b"on"
    assert copy.name == "lamp"
    assert_sound(file)


def test_a_copy_without_children_and_a_copy_of_an_object() -> None:
    file = village()
    scene = file.scene
    house = node(scene, "house")
    copy = restructure.clone_node(house, children=False)
    assert copy.children == []
    box = node(scene, "tree").object
    assert box is not None
    own = restructure.clone(box)
    restructure.set_reference(node(scene, "tree"), 1, own)
    assert node(scene, "tree").object is own
    assert own.references[0] != box.references[0]
    assert_sound(file)
    for obj in (scene[-1], house, scene.nodes.root):
        assert obj is not None
        with pytest.raises(EditError):
            restructure.clone(obj)
    with pytest.raises(EditError, match="root"):
        restructure.clone_node(scene.nodes.root)  # type: ignore[arg-type]


def test_delete_and_copy_back() -> None:
    file = village()
    scene = file.scene
    before = tree(scene)
    copy = node(scene, "lamp").clone()
    scene.nodes.find("lamp")[0].delete()
    restructure.close_gaps(scene)
    assert tree(scene) == before
    assert copy.user_properties == {"bright": "yes"}
    assert_sound(file)


def walk(data: bytes) -> int:
    """Count the chunks of a stream with 32-bit headers; every size must fit to the byte."""
    count, levels = 0, [(0, len(data))]
    while levels:
        at, end = levels.pop()
        while at < end:
            _, size = unpack("<HI", data[at : at + 6])
            length = size & 0x7FFFFFFF
            assert 6 <= length <= end - at
            if size >> 31:
                levels.append((at + 6, at + length))
            count += 1
            at += length
    return count


def test_a_scene_from_nothing_with_keys_and_copies_opens_elsewhere(tmp_path: Path) -> None:
    builder = SceneBuilder()
    transform = builder.add_transform((1, 2, 3))
    builder.add_node("mover", builder.add_sphere(2), transform=transform)
    builder.add_node("goner", builder.add_box(1, 1, 1))
    file = MaxFile(builder.to_bytes())
    mover = node(file.scene, "mover")
    position = mover.controller.reference(0) if mover.controller is not None else None
    track = position.reference(0) if position is not None else None
    assert isinstance(track, KeyedController)
    keys = track.new_keys(2)
    keys["time"], keys["value"] = [0, 4800], [1, 5]
    track.keys = keys
    copy = mover.clone(name="follower", parent=mover)
    node(file.scene, "goner").delete()
    restructure.close_gaps(file.scene)
    assert_sound(file)
    path = file.save(tmp_path / "from nothing.max")
    with olefile.OleFileIO(path) as compound:
        scene = compound.openstream("Scene").read()
        directory = compound.openstream("ClassDirectory3").read()
    assert walk(scene) > walk(directory) > 0
    moved = node(MaxFile(path.read_bytes()).scene, "follower")
    # Parent and child both move from 1 to 5 along x, and stay at 2 and 3.
    assert moved.world_matrix(4800)[3, :3].tolist() == [10, 4, 6]
    assert copy.world_matrix(0)[3, :3].tolist() == [2, 4, 6]


def test_a_material_is_copied_when_it_is_asked_for() -> None:
    builder = SceneBuilder()
    red = builder.add_standard_material("red", diffuse=(1.0, 0.0, 0.0))
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0), material=red)
    scene = MaxFile(builder.to_bytes()).scene
    material = scene[red]
    copy = restructure.clone(material)
    assert copy.index != material.index
    assert copy.class_id == material.class_id
    assert copy.name == material.name == "red"  # type: ignore[attr-defined]
    # Its parts are its own.
    assert not set(copy.references.values()) & set(material.references.values())
