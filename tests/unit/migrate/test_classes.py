"""Another class id for a class of a plug-in."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import EditError
from maxsidecar.migrate.classes import parse_class_id, retarget
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import MigrationError, get
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.authoring_chunks import Plugin
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.maxfile import MaxFile

OLD, NEW = ClassId(0x12345678, 0x9ABCDEF0), ClassId(0x0BADF00D, 0x1)
OWNED = AppDataKey(OLD.a, OLD.b, 0x10, 5)


def scene(
    body: bytes = b"", appdata: bool = False, builtin: bool = False, both: bool = False
) -> MaxFile:
    """A scene with an object of a plug-in."""
    builder = SceneBuilder(title="Classes")
    plugin = None if builtin else Plugin("Old plug-in", "old.dlo")
    kind = NewClass("Old", OLD.a, OLD.b, 0x10, plugin)
    thing = builder.add_object(kind, [(0x0100, body or b"data")])
    builder.add_node("thing", thing)
    if both:
        builder.add_node("other", builder.add_object(NewClass("New", NEW.a, NEW.b, 0x10, plugin)))
    if appdata:
        builder.add_appdata(thing, OWNED, b"1\0")
    return MaxFile(builder.to_bytes())


def again(scene_file: MaxFile) -> MaxFile:
    return MaxFile(scene_file.to_bytes())


def class_of(scene_file: MaxFile) -> tuple[str, str, str]:
    obj = scene_file.nodes.find("thing")[0].object
    assert obj is not None
    assert bytes(obj.find(0x0100).data) == b"data"  # type: ignore[union-attr]
    return str(obj.class_id), obj.class_name, obj.dll_name


def test_identity_changes_and_data_stays() -> None:
    scene_file = scene()
    assert class_of(scene_file) == ("12345678/9abcdef0", "Old", "old.dlo")
    before = {name: bytes(stream.content) for name, stream in scene_file.streams.items()}
    log = Log()
    assert retarget(scene_file, OLD, NEW, log=log)
    assert class_of(again(scene_file)) == ("badf00d/1", "Old", "old.dlo")
    after = {name: bytes(stream.content) for name, stream in again(scene_file).streams.items()}
    assert {name for name in after if after[name] != before[name]} == {"ClassDirectory3"}
    changed = [
        a != b for a, b in zip(before["ClassDirectory3"], after["ClassDirectory3"], strict=True)
    ]
    assert sum(changed) <= 8
    assert [(e.old, e.new) for e in log] == [("12345678/9abcdef0", "badf00d/1")]
    assert not retarget(again(scene_file), OLD, NEW)


def test_name_and_plugin() -> None:
    scene_file = scene()
    plugin = Plugin("New plug-in", "new.dlo")
    assert retarget(scene_file, OLD, NEW, name="New", plugin=plugin)
    assert class_of(again(scene_file)) == ("badf00d/1", "New", "new.dlo")
    assert str(scene_file.scene.classes[-1]) != ""
    # A plug-in that is there already gets no second entry.
    same = scene()
    names = list(same.scene.directories[1])
    assert retarget(same, OLD, NEW, plugin=Plugin("", "OLD.DLO"))
    assert list(same.scene.directories[1]) == names
    assert class_of(again(same))[2] == "old.dlo"


def test_appdata_go_with_the_class_where_that_is_asked_for() -> None:
    scene_file = scene(appdata=True)
    log = Log()
    assert retarget(scene_file, OLD, NEW, log=log)
    assert [entry.kind for entry in log] == ["change", "warning"]
    thing = again(scene_file).nodes.find("thing")[0].object
    assert thing is not None
    assert [item.key for item in thing.appdata] == [OWNED]
    with_them = scene(appdata=True)
    assert retarget(with_them, OLD, NEW, appdata=True)
    thing = again(with_them).nodes.find("thing")[0].object
    assert thing is not None
    assert [tuple(item) for item in thing.appdata] == [(AppDataKey(NEW.a, NEW.b, 0x10, 5), b"1\0")]


def test_what_is_not_safe_is_refused() -> None:
    with pytest.raises(EditError, match="class of 3ds Max itself"):
        retarget(scene(builtin=True), OLD, NEW)
    with pytest.raises(EditError, match="a place that is not known"):
        retarget(scene(body=b"\1" + pack("<II", OLD.a, OLD.b)), OLD, NEW)
    with pytest.raises(EditError, match="has the class badf00d/1 already"):
        retarget(scene(both=True), OLD, NEW)


def test_classes_whose_data_is_known_are_refused() -> None:
    builder = SceneBuilder(title="Box")
    builder.add_node("box", builder.add_box(1, 2, 3))
    scene_file = MaxFile(builder.to_bytes())
    box = scene_file.nodes.find("box")[0].object
    assert box is not None
    assert box.class_id == ClassId(0x10)
    # A Target has a view of its own, and other geometry has not.
    with pytest.raises(EditError, match="not known to be the same"):
        retarget(scene_file, ClassId(0x10), ClassId(0x1020))
    assert not scene_file.edited


def test_options() -> None:
    assert parse_class_id("0x12-0xAB") == ClassId(0x12, 0xAB)
    migration = get("class")
    for options in (
        {"from": "1/2", "to": "x"},
        {"from": "1/2", "to": "1/2"},
        {"from": "1/2", "to": "1/3", "superclass": "zz"},
        {"from": "1/2", "to": "1/3", "description": "no plug-in"},
        {"from": "1/2"},
    ):
        with pytest.raises(MigrationError):
            migration.prepare(migration.complete(options))
    scene_file = scene()
    options = {"from": str(OLD), "to": "1-2", "superclass": "10", "plugin": "n.dlo"}
    migration.prepare(migration.complete(options))(scene_file, Log())
    assert class_of(again(scene_file)) == ("1/2", "Old", "n.dlo")
    other = scene()
    migration.prepare(migration.complete({**options, "superclass": "20"}))(other, Log())
    assert not other.edited
