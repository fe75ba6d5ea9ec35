"""A small scene to change the structure of, and what is asked of it."""

from __future__ import annotations

from pathlib import Path

from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import NewClass, Plugin, SceneBuilder
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
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
