"""Taking objects out, on scenes made from nothing."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.object_list import NewObject
from tests.support.village import KEY, OTHER, assert_sound, node, tree, village


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
    assert sparse.sparse_references == (5, {})
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
