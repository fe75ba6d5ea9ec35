"""Scenes whose objects only stand in another order are equal; other targets of links are not."""

from __future__ import annotations

import random
from struct import pack

import pytest

from maxsidecar.scene import restructure
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.renumber import renumber
from maxsidecar.sidecar.diff import Difference, compare
from maxsidecar.sidecar.diff_indices import object_indices
from tests.fuzz.bases import authored_bases
from tests.support.village import OTHER, node, village
from tests.unit.scene.restructure.test_config_places import camera_scene

CURVES = NewClass("Curve Control", 0x14585773, 0x483A7DCF, 0x100)
STANDARD = NewClass("Standard", 0x2, 0, 0xC00)
BIPED = NewClass("Biped", 0x9155, 0, 0x60)
LAYER_FLOAT = NewClass("LayerFloat", 0x72ED43DC, 0x3EC96A0A, 0x9003)
BONE = NewClass("CATBoneSegTrans", 0x1ADF2684, 0x2E3B60D2, 0x9008)


def shuffled(data: bytes, seed: int) -> MaxFile:
    """The scene with all objects but nodes and the last one in another order."""
    scene_file = MaxFile(data)
    scene = scene_file.scene
    free = [obj.index for obj in scene if not isinstance(obj, Node)][:-1]
    mixed = free[:]
    random.Random(seed).shuffle(mixed)
    order = list(range(len(scene)))
    for place, index in zip(free, mixed, strict=True):
        order[place] = index
    renumber(scene, order)
    return MaxFile(scene_file.to_bytes())


def linked(new: NewClass, chunks: list[ChunkTree]) -> bytes:
    """A scene with an object of a class, which nothing but a plain object leads to."""
    scene_file = village()
    made = restructure.add_object(scene_file.scene, new, chunks)
    restructure.add_object(scene_file.scene, OTHER, [], [made])
    return scene_file.to_bytes()


def targets() -> tuple[int, int]:
    """Two objects of one class that the scene has: the boxes of two nodes."""
    scene = village().scene
    found = [node(scene, name).object for name in ("house", "lamp")]
    assert all(found)
    a, b = (obj.index for obj in found if obj is not None)
    return a, b


A, B = targets()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_objects_does_not_count(seed: int) -> None:
    data = authored_bases()[0].data
    moved = shuffled(data, seed)
    assert moved.to_bytes() != data
    assert list(compare(MaxFile(data), moved)) == []
    assert list(compare(moved, MaxFile(data))) == []


# The chunks are those of docs/format/references.md.
KINDS: list[tuple[NewClass, str, list[ChunkTree], list[ChunkTree]]] = [
    (CURVES, "044c", [(0x044C, pack("<i", A))], [(0x044C, pack("<i", B))]),
    (
        STANDARD,
        "4000/4010",
        [(0x4000, [(0x4001, b"m\0"), (0x4010, pack("<i", A))])],
        [(0x4000, [(0x4001, b"m\0"), (0x4010, pack("<i", B))])],
    ),
    (BIPED, "0110[1]", [(0x0110, pack("<2i", A, A))], [(0x0110, pack("<2i", A, B))]),
    (LAYER_FLOAT, "0007", [(0x0007, pack("<i", A))], [(0x0007, pack("<i", B))]),
    (
        BONE,
        "0000/000c",
        [(0x0000, [(0x000C, pack("<i", A))])],
        [(0x0000, [(0x000C, pack("<i", B))])],
    ),
]


@pytest.mark.parametrize(("new", "field", "old", "other"), KINDS, ids=lambda v: str(v)[:20])
def test_links_are_compared_by_where_they_lead(
    new: NewClass, field: str, old: list[ChunkTree], other: list[ChunkTree]
) -> None:
    data = linked(new, old)
    for seed in range(3):
        moved = shuffled(data, seed)
        assert list(compare(MaxFile(data), moved)) == []
    found = list(compare(MaxFile(data), shuffled(linked(new, other), 1)))
    assert [(d.change, d.field) for d in found] == [("changed", field)]
    assert found[0].old is not None
    assert found[0].new is not None
    assert found[0].old.startswith('"Dummy"')
    assert found[0].old != found[0].new
    assert new.name in found[0].name


def test_what_else_a_leaf_holds_is_compared() -> None:
    """The flags behind a node's parent are no index."""
    scene_file = village()
    child = node(scene_file.scene, "door")
    (parent,) = object_indices(child).held["0960"]
    assert parent == node(scene_file.scene, "house").index
    before = bytes(object_indices(child).data)
    child.set_flag("hidden", True)
    assert bytes(object_indices(child).data) != before


def test_a_layout_that_is_not_known_holds_no_index() -> None:
    scene = village().scene
    made = restructure.add_object(scene, CURVES, [(0x044C, pack("<3h", 1, 2, 3))])
    found = object_indices(made)
    assert found.held == {}
    assert bytes(found.data) == bytes(made.data.data)


def settings(edit: int | None = None) -> MaxFile:
    scene_file, _ = camera_scene()
    config = scene_file.streams["Config"].chunks
    pane = config.find(0x2080)
    pane = pane.find(0x2813) if pane is not None else None
    assert pane is not None
    if edit is not None:
        pane.replace(bytes(pane.data[:76]) + pack("<i", edit))
    return MaxFile(scene_file.to_bytes())


def test_settings_are_compared_by_the_objects_that_they_name() -> None:
    data = settings().to_bytes()
    assert list(compare(MaxFile(data), shuffled(data, 3))) == []
    other = node(settings().scene, "tree").index
    found: list[Difference] = list(compare(MaxFile(data), settings(other)))
    assert [(d.kind, d.name) for d in found] == [("stream", "Config")]
    assert "2080/2813" in found[0].field


def test_objects_without_owners_are_matched_by_what_they_hold() -> None:
    scene_file = village()
    for number in range(4):
        restructure.add_object(scene_file.scene, OTHER, [(1, pack("<i", number))])
    data = scene_file.to_bytes()
    assert list(compare(MaxFile(data), shuffled(data, 5))) == []


def boxes(scene_file: MaxFile) -> list[SceneObject]:
    return [obj for obj in scene_file.scene if obj.class_name == "Box"]


def test_an_edit_is_found_in_another_order() -> None:
    data = village().to_bytes()
    moved = shuffled(data, 4)
    (box,) = boxes(moved)
    block = box.reference(0)
    assert block is not None
    box.parameters["length"].set(9.0)
    found = list(compare(MaxFile(data), moved))
    assert [(d.field, d.old, d.new) for d in found] == [("parameters.length", "1.0", "9.0")]
