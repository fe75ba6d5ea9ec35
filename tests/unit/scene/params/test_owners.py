"""The owner of an old parameter block follows every edit of a reference."""

from __future__ import annotations

from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params import ParamBlock
from maxsidecar.scene.params.owners import find_owner

BLOCK = NewClass("ParamBlock", 8, 0, 8)
OTHER = NewClass("Other", 0x1234, 0x5678, 0x200)


def owner(block: ParamBlock) -> SceneObject | None:
    return block.owner


def test_a_block_that_nobody_held_finds_its_owner_later() -> None:
    builder = SceneBuilder()
    box = builder.add_box(1, 2, 3)
    builder.add_node("box", box)
    scene = MaxFile(builder.to_bytes()).scene
    block = restructure.add_object(scene, BLOCK, [(0x0001, bytes(4))])
    assert isinstance(block, ParamBlock)
    assert owner(block) is None
    assert find_owner(scene, block.index) is None
    restructure.set_reference(scene[box], 0, block)
    assert owner(block) is scene[box]
    other = restructure.add_object(scene, OTHER, (), [None, block])
    restructure.set_reference(scene[box], 0, None)
    assert block.owner_slot == (other, 1)
    restructure.set_reference(other, 1, None)
    assert owner(block) is None


def test_an_object_that_cannot_be_read_is_nobodys_owner() -> None:
    builder = SceneBuilder()
    box = builder.add_box(1, 2, 3)
    builder.add_node("box", box)
    scene = MaxFile(builder.to_bytes()).scene
    damaged = restructure.add_object(scene, OTHER, [(0x2034, b"abc")])
    assert find_owner(scene, scene[box].references[0]) == (box, 0)
    assert find_owner(scene, damaged.index) is None
