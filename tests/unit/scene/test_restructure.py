"""Adding, copying, deleting and moving objects, on scenes made from nothing."""

from __future__ import annotations

from pathlib import Path
from struct import Struct, pack, unpack

import olefile
import pytest

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.io.chunks import encode_header
from maxsidecar.scene import restructure
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import NewClass, Plugin, SceneBuilder
from maxsidecar.scene.authoring_chunks import ChunkTree, encode_chunks
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.restructure.audited import is_audited
from maxsidecar.scene.restructure.graph import subtree
from maxsidecar.scene.restructure.hidden import suspects
from maxsidecar.scene.roundtrip import check_bytes
from maxsidecar.scene.scene import Scene

KEY = AppDataKey(1, 2, 3, 4)
OTHER = NewClass("Other", 0x1234, 0x5678, 0x200, Plugin("Others", "other.dlo"))


def village() -> MaxFile:
    """A house with a door and a knob, a tree that shows the door's box, and a lamp."""
    builder = SceneBuilder()
    box = builder.add_box(1, 2, 3)
    house = builder.add_node("house", builder.add_dummy(5))
    door = builder.add_node("door", box, parent=house)
    builder.add_node("knob", builder.add_sphere(1), parent=door)
    builder.add_node("tree", box)
    lamp = builder.add_node("lamp", builder.add_dummy(1), user_properties={"bright": "yes"})
    builder.add_appdata(lamp, KEY, b"on")
    return MaxFile(builder.to_bytes())


def node(scene: Scene, name: str) -> Node:
    (found,) = scene.nodes.find(name)
    return found


def tree(scene: Scene) -> list[tuple[int, str]]:
    return [(depth, found.name) for depth, found in scene.nodes.walk()]


def assert_sound(file: MaxFile) -> Scene:
    """Save, check and open again; a parent stands in front of its child, the Scene is last."""
    data = file.to_bytes()
    result = check_bytes(data, Path("memory.max"))
    assert result.problems == []
    scene = MaxFile(data).scene
    assert scene[-1].class_id == ClassId(0x2222)
    for found in scene.nodes.values():
        if found.parent_link is not None:
            assert found.parent_link.parent < found.index
            assert isinstance(scene[found.parent_link.parent], Node)
    return scene


# --- the list ------------------------------------------------------------------------------------


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


# --- adding --------------------------------------------------------------------------------------


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


# --- deleting ------------------------------------------------------------------------------------


def test_a_node_goes_with_all_below_it_and_with_what_only_they_use() -> None:
    file = village()
    scene = file.scene
    stay = [node(scene, name) for name in ("tree", "lamp")]
    bodies = {obj.index: bytes(obj.data.data) for obj in scene}
    box = node(scene, "tree").object
    # Three nodes with a transform each (PRS, 2 lists of 3 floats, scale), a dummy, a sphere and
    # its block; the box stays, since the tree shows it.
    gone = 3 * (1 + 1 + 2 + 6 + 1) + 1 + 2
    assert node(scene, "house").delete() == gone
    assert tree(scene) == [(0, ""), (1, "tree"), (1, "lamp")]
    assert len(restructure.gaps(scene)) == gone
    # Nothing was renumbered, so nothing else was written.
    for obj in scene:
        if obj.index not in restructure.gaps(scene):
            assert bytes(obj.data.data) == bodies[obj.index]
    again = assert_sound(file)
    assert again.node(stay[1].index).appdata.get(KEY) == b"on"
    assert again.node(stay[0].index).object is not None
    assert again[again.node(stay[0].index).references[1]].index == (box.index if box else None)


def test_closing_the_gaps_renumbers_what_is_behind_them() -> None:
    file = village()
    scene = file.scene
    lamp, count = node(scene, "lamp"), len(scene)
    parts = [lamp.reference(0), lamp.reference(1), lamp.reference(6)]
    gone = node(scene, "house").delete()
    assert restructure.close_gaps(scene) == gone
    assert restructure.gaps(scene) == []
    assert restructure.close_gaps(scene) == 0
    assert len(scene) == count - gone
    assert [lamp.reference(0), lamp.reference(1), lamp.reference(6)] == parts
    again = assert_sound(file)
    found = node(again, "lamp")
    assert found.user_properties == {"bright": "yes"}
    assert [found.reference(slot).class_name for slot in (0, 1, 6)] == [  # type: ignore[union-attr]
        part.class_name for part in parts if part is not None
    ]


def test_what_was_added_last_leaves_no_trace() -> None:
    file = village()
    data = file.to_bytes()
    box = NewClass("Box", 0x10, 0, 0x10)
    new = [restructure.add_object(file.scene, box, [(0x0100, b"\1")]) for _ in range(3)]
    assert file.scene.delete(new) == 3
    assert not file.edited
    copy = node(file.scene, "house").clone()
    assert file.to_bytes() != data
    copy.delete()
    assert not file.edited
    assert file.to_bytes() == data


def test_a_reference_to_what_goes_becomes_empty() -> None:
    file = village()
    scene = file.scene
    dense = restructure.add_object(scene, OTHER, (), [node(scene, "lamp"), node(scene, "tree")])
    sparse = restructure.add_object(scene, OTHER, (), {4: node(scene, "lamp")})
    node(scene, "lamp").delete()
    assert dense.dense_references == (-1, node(scene, "tree").index)
    assert sparse.sparse_references == (2, {})
    assert_sound(file)


def test_what_others_cannot_do_without_stays() -> None:
    file = village()
    scene = file.scene
    shown = node(scene, "tree").object
    root = scene.nodes.root
    assert shown is not None
    assert root is not None
    for obj in (shown, root, scene[-1], node(scene, "lamp").layer, scene[0]):
        assert obj is not None
        with pytest.raises(EditError):
            scene.delete([obj])
        assert not file.edited
    other = village().scene
    with pytest.raises(EditError, match="not an object"):
        scene.delete([other[3]])


def test_a_modifier_leaves_its_stack() -> None:
    builder = SceneBuilder()
    modifier = NewClass("Bend", 0x10, 0, 0x810)
    first, second = (builder.add_object(modifier, [(0x0001, bytes([n]))]) for n in (1, 2))
    box = builder.add_box(1, 1, 1)
    contexts: list[ChunkTree] = [
        (0x2500, [(0x2511, bytes(24)), (0x2513, pack("<I", n))]) for n in (1, 2)
    ]
    stack = builder.add_object(
        NewClass("Derived", 0x29263A68, 0x405F22F5, 0x1F0),
        [*contexts, (0x2501, b"")],
        [first, second, box],
    )
    builder.add_node("bent", stack)
    file = MaxFile(builder.to_bytes())
    scene = file.scene
    # The builder knows no modifier stacks: give the object the id that says what it is.
    order: list[int | NewObject] = list(range(len(scene)))
    order[stack] = NewObject(0x2032, bytes(scene[stack].data.data))
    scene.rearrange(order)
    assert scene.delete([scene[first]]) == 1
    derived = scene[stack]
    assert derived.dense_references == (second, box)
    left = [chunk for chunk in derived.chunks() if chunk.id == 0x2500]
    assert [bytes(list(chunk.chunks())[1].data) for chunk in left] == [pack("<I", 2)]
    with pytest.raises(EditError, match="cannot do without"):
        scene.delete([scene[box]])


# --- copying -------------------------------------------------------------------------------------


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


# --- moving --------------------------------------------------------------------------------------


def test_a_parent_in_front_is_only_a_number() -> None:
    file = village()
    scene = file.scene
    lamp = node(scene, "lamp")
    lamp.reparent(node(scene, "door"))
    assert scene.edited_objects() == [lamp]
    assert node(assert_sound(file), "lamp").parent is not None
    assert tree(scene)[-2:] == [(3, "lamp"), (1, "tree")]
    lamp.reparent(scene.nodes.root)  # type: ignore[arg-type]
    assert not file.edited


def test_a_parent_behind_makes_the_branch_move() -> None:
    file = village()
    scene = file.scene
    house, lamp = node(scene, "house"), node(scene, "lamp")
    shown = [node(scene, name).object for name in ("house", "door", "knob")]
    house.reparent(lamp)
    expected = [(0, ""), (1, "tree"), (1, "lamp"), (2, "house"), (3, "door"), (4, "knob")]
    assert tree(scene) == expected
    assert [node(scene, name).object for name in ("house", "door", "knob")] == shown
    assert len(restructure.gaps(scene)) == 3
    again = assert_sound(file)
    assert tree(again) == expected
    restructure.close_gaps(scene)
    assert tree(assert_sound(file)) == expected


def test_no_node_hangs_below_itself() -> None:
    file, other = village(), village()
    scene = file.scene
    house = node(scene, "house")
    root = scene.nodes.root
    assert isinstance(root, RootNode)
    for moved, parent in (
        (house, house),
        (house, node(scene, "knob")),
        (root, house),
        (house, node(other.scene, "lamp")),
    ):
        with pytest.raises(EditError):
            restructure.reparent(moved, parent)
    assert not file.edited


# --- numbers in places that nobody declares ------------------------------------------------------


def test_an_undeclared_number_keeps_objects_from_being_renumbered() -> None:
    file = village()
    scene = file.scene
    lamp, house = node(scene, "lamp"), node(scene, "house")
    hidden = restructure.add_object(scene, OTHER, [(0x0100, b"?" + pack("<i", lamp.index))])
    assert list(suspects(scene, [lamp.index])) == [hidden]
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


# --- other streams -------------------------------------------------------------------------------


def camera_scene() -> tuple[MaxFile, Node]:
    """A scene whose fourth viewport looks through the node "eye"; the Track View shows two rows."""
    file = village()
    eye = node(file.scene, "lamp")
    config = file.streams["Config"].chunks
    viewports = config.find(0x2080)
    pane = viewports.find(0x2813) if viewports is not None else None
    assert pane is not None
    body = bytearray(pane.data)
    body[4:8], body[76:80] = pack("<i", 8), pack("<i", eye.index)
    pane.replace(bytes(body))
    rows = encode_chunks(
        [
            (0x0110, [(0x0360, pack("<3i", len(file.scene) - 1, 0, 1))]),
            (0x0110, [(0x0340, pack("<3i", eye.index, eye.references[0], 2))]),
        ]
    )
    tracks = config.find(0x20A0)
    assert tracks is not None
    tracks.replace(encode_header(0x0100, 4, False) + pack("<I", 2) + rows)
    again = MaxFile(file.to_bytes())
    return again, node(again.scene, "lamp")


def stored_config(file: MaxFile) -> tuple[tuple[int, int], list[tuple[int, ...]]]:
    config = MaxFile(file.to_bytes()).streams["Config"].chunks
    viewports, tracks = config.find(0x2080), config.find(0x20A0)
    assert viewports is not None
    assert tracks is not None
    pane = viewports.find(0x2813)
    assert pane is not None
    number = Struct("<i")
    view = (number.unpack_from(pane.data, 4)[0], number.unpack_from(pane.data, 76)[0])
    rows = [leaf for window in tracks.chunks() if window.container for leaf in window.chunks()]
    return view, [unpack("<3i", leaf.data) for leaf in rows]


def test_config_follows_what_is_renumbered() -> None:
    file, eye = camera_scene()
    scene = file.scene
    node(scene, "house").delete()
    restructure.close_gaps(scene)
    view, rows = stored_config(file)
    assert view == (8, eye.index)
    assert rows == [(len(scene) - 1, 0, 1), (eye.index, eye.references[0], 2)]


def test_a_viewport_without_its_camera_becomes_a_perspective_view() -> None:
    file, eye = camera_scene()
    eye.delete()
    view, rows = stored_config(file)
    assert view == (7, 0)
    assert rows == [(len(file.scene) - 1, 0, 1), (-1, -1, 2)]


def test_appending_moves_the_scene_object_in_config() -> None:
    file, _ = camera_scene()
    restructure.add_object(file.scene, OTHER, [(1, b"x")])
    assert stored_config(file)[1][0] == (len(file.scene) - 1, 0, 1)


# --- all or nothing, and hostile scenes ----------------------------------------------------------


def test_a_transaction_brings_back_objects_classes_and_streams() -> None:
    file = village()
    data = file.to_bytes()
    scene = file.scene
    count, classes = len(scene), scene.classes
    changes = restructure.Transaction(scene)
    restructure.add_object(scene, OTHER, [(1, b"x")])
    node(scene, "house").delete()
    node(scene, "lamp").name = "sun"
    restructure.close_gaps(scene)
    changes.undo()
    assert not file.edited
    assert (len(scene), scene.classes) == (count, classes)
    assert file.to_bytes() == data
    assert tree(scene)[1] == (1, "house")
    node(scene, "house").delete()
    assert_sound(file)


def hostile(references: dict[int, list[int]], parents: dict[int, int]) -> Scene:
    """A scene with references and parents that no program writes."""
    file = village()
    scene = file.scene
    for index, numbers in references.items():
        body = encode_chunks([(0x2034, pack(f"<{len(numbers)}i", *numbers))])
        scene[index].data.replace_all(body)
    for index, parent in parents.items():
        chunk = scene.node(index).find(0x0960)
        assert chunk is not None
        chunk.replace(pack("<iI", parent, 0))
    return MaxFile(file.to_bytes()).scene


def test_cycles_and_wild_numbers_end_in_our_errors() -> None:
    plain = village().scene
    house, door, lamp = (node(plain, name).index for name in ("house", "door", "lamp"))
    everything = len(plain) + 5
    cases: list[tuple[dict[int, list[int]], dict[int, int]]] = [
        ({10: [10], 11: [12], 12: [11]}, {}),
        ({10: [everything, 2**31 - 1, -(2**31), len(plain) - 1]}, {}),
        ({}, {house: door}),
        ({}, {house: house}),
        ({}, {house: lamp, lamp: house}),
        ({}, {house: everything, lamp: -5}),
        ({0: list(range(len(plain)))}, {}),
    ]
    for references, parents in cases:
        for name in ("house", "door", "lamp"):
            for change in ("delete", "clone", "reparent", "close"):
                scene = hostile(references, parents)
                target = node(scene, name)
                root = scene.nodes.root
                assert root is not None
                try:
                    if change == "delete":
                        target.delete()
                    elif change == "clone":
                        target.clone()
                    elif change == "reparent":
                        target.reparent(node(scene, "tree"))
                    else:
                        restructure.close_gaps(scene)
                except MaxSidecarError:
                    assert not scene.edited
                else:
                    Scene(scene.encode(), scene.classes, [], lenient=False)


def test_reference_lists_of_impossible_size_are_refused() -> None:
    file = village()
    scene = file.scene
    scene[12].data.replace_all(encode_chunks([(0x2035, b"12345")]))
    before = scene.encode()
    for name in ("house", "lamp"):
        with pytest.raises(MaxSidecarError):
            node(scene, name).delete()
        with pytest.raises(MaxSidecarError):
            node(scene, name).clone()
    assert scene.encode() == before


# --- from nothing --------------------------------------------------------------------------------


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
