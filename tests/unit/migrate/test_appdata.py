"""AppData by id: renamed, retyped, moved, dropped."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from maxsidecar.migrate.appdata import KeyPattern
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import MigrationError, get
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile

OWNER = "0badc0de-12345678/1020"
KEY = AppDataKey.parse(f"{OWNER}/7")
OTHER = AppDataKey.parse(f"{OWNER}/9")

Entries = list[tuple[AppDataKey, bytes]]


def scene(*on_node: tuple[AppDataKey, bytes], on_object: Entries | None = None) -> MaxFile:
    """Two nodes that show one box; the first has AppData, and maybe the box."""
    builder = SceneBuilder(title="AppData")
    box = builder.add_box(1.0, 1.0, 1.0)
    node = builder.add_node("a", box)
    builder.add_node("b", box)
    for key, value in on_node:
        builder.add_appdata(node, key, value)
    for key, value in on_object or ():
        builder.add_appdata(box, key, value)
    return MaxFile(builder.to_bytes())


def migrate(scene_file: MaxFile, **options: object) -> Log:
    migration = get("appdata")
    log = Log()
    migration.prepare(migration.complete(options))(scene_file, log)
    return log


def entries(scene_file: MaxFile) -> dict[str, Entries]:
    """AppData of the nodes and of the box."""
    node, other = (scene_file.nodes.find(name)[0] for name in "ab")
    assert node.base_object is not None
    found = {"a": node, "b": other, "box": node.base_object}
    return {name: [tuple(item) for item in obj.appdata] for name, obj in found.items()}  # type: ignore[misc]


def problems(log: Log) -> list[str]:
    return [str(entry) for entry in log if entry.kind == "problem"]


def test_rename_keeps_values_and_their_order() -> None:
    scene_file = scene((KEY, b"1\0"), (AppDataKey(1, 2, 3, 4), b"x"), (KEY, b"2\0"))
    log = migrate(scene_file, rename=[[str(KEY), str(OTHER)]])
    assert entries(scene_file)["a"] == [
        (AppDataKey(1, 2, 3, 4), b"x"), (OTHER, b"1\0"), (OTHER, b"2\0"),
    ]  # fmt: skip
    assert [(e.text, e.old, e.new) for e in log] == [("AppData key", str(KEY), str(OTHER))]
    assert not migrate(scene_file, rename=[[str(KEY), str(OTHER)]]).entries


def test_rename_of_an_owner_keeps_the_numbers() -> None:
    scene_file = scene((KEY, b"1\0"), (OTHER, b"2\0"))
    migrate(scene_file, rename=[[f"{OWNER}/*", "1-2/3/*"]])
    assert entries(scene_file)["a"] == [
        (AppDataKey(1, 2, 3, 7), b"1\0"), (AppDataKey(1, 2, 3, 9), b"2\0"),
    ]  # fmt: skip


def test_rename_never_replaces() -> None:
    scene_file = scene((KEY, b"1\0"), (OTHER, b"2\0"))
    log = migrate(scene_file, rename=[[str(KEY), str(OTHER)]])
    assert problems(log) == [
        f"a (Node {scene_file.nodes.find('a')[0].index}): problem: "
        f"AppData {KEY} stays: there is a {OTHER} already"
    ]
    assert not scene_file.edited


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("float", "int", b"1.0\0", b"1\0"),
        ("int", "float", b"007\0", b"7\0"),
        ("int", "bool", b"1\0", b"1\0"),
        ("text", "int", b"+12\0", b"12\0"),
        ("text", "float", b"1,5\0", b"1.5\0"),
        ("int", "i32", b"-2\0", b"\xfe\xff\xff\xff"),
        ("float", "f32", b"0.5\0", b"\0\0\0\x3f"),
        ("i32", "text", b"\x2a\0\0\0", b"42\0"),
        ("f32", "float", b"\0\0\x80\x3e", b"0.25\0"),
        ("bool", "i32", b"1\0", b"\1\0\0\0"),
    ],
)
def test_retype(old: str, new: str, before: bytes, after: bytes) -> None:
    scene_file = scene((KEY, before))
    rule = [[str(KEY), old, new]]
    assert not problems(migrate(scene_file, retype=rule))
    assert entries(scene_file)["a"] == [(KEY, after)]
    again = migrate(scene_file, retype=rule)
    assert not again.entries
    assert entries(scene_file)["a"] == [(KEY, after)]


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("float", "int", b"1.5\0"),
        ("int", "bool", b"2\0"),
        ("text", "int", b"many\0"),
        ("int", "float", b"no number"),
        ("text", "i32", b"99999999999\0"),
        ("i32", "text", b"123"),
        ("f32", "int", b"\0\0\xc0\x7f"),
        ("f32", "i32", b"\0\0\x80\x4f"),
        # "0.5" has four bytes as well.
        ("f32", "float", b"\0\0\0\x3f"),
        # 3224115 as four bytes is the text "321", which a second run would take for a number.
        ("int", "i32", b"3224115\0"),
    ],
)
def test_what_cannot_be_retyped_stays(old: str, new: str, value: bytes) -> None:
    scene_file = scene((KEY, value))
    log = migrate(scene_file, retype=[[str(KEY), old, new]])
    (told,) = problems(log)
    assert f"AppData {KEY} stays: " in told
    assert not scene_file.edited


def test_drop() -> None:
    scene_file = scene((KEY, b"1\0"), (OTHER, b"2\0"), (KEY, b"3\0"), on_object=[(KEY, b"4")])
    log = migrate(scene_file, drop=[str(KEY)])
    assert entries(scene_file) == {"a": [(OTHER, b"2\0")], "b": [], "box": []}
    # The box stands in front of its nodes.
    assert [entry.old for entry in log] == [b"4".hex(), b"1\0".hex(), b"3\0".hex()]
    migrate(scene_file, drop=[f"{OWNER}/*"])
    assert entries(scene_file)["a"] == []


def test_move_to_the_object_and_back() -> None:
    scene_file = scene((KEY, b"1\0"), (OTHER, b"2\0"))
    migrate(scene_file, move=[[str(KEY), "object"]])
    assert entries(scene_file) == {"a": [(OTHER, b"2\0")], "b": [], "box": [(KEY, b"1\0")]}
    assert not migrate(scene_file, move=[[str(KEY), "object"]]).entries
    migrate(scene_file, move=[[str(KEY), "node"]])
    assert entries(scene_file) == {
        "a": [(OTHER, b"2\0"), (KEY, b"1\0")], "b": [(KEY, b"1\0")], "box": [],
    }  # fmt: skip


def test_move_never_replaces_another_value() -> None:
    scene_file = scene((KEY, b"1\0"), on_object=[(KEY, b"2\0")])
    log = migrate(scene_file, move=[[str(KEY), "object"]])
    assert "has another value" in problems(log)[0]
    assert not scene_file.edited
    same = scene((KEY, b"1\0"), on_object=[(KEY, b"1\0")])
    assert not problems(migrate(same, move=[[str(KEY), "object"]]))
    assert entries(same) == {"a": [], "b": [], "box": [(KEY, b"1\0")]}


def test_what_nothing_shows_cannot_be_moved() -> None:
    scene_file = scene()
    material = next(iter(scene_file.scene.of_superclass(0x10F0)))
    material.appdata.set(KEY, b"1\0")
    log = migrate(scene_file, move=[[str(KEY), "node"]])
    assert "nothing is there" in problems(log)[0]
    assert material.appdata.get(KEY) == b"1\0"


def test_keys_have_names() -> None:
    from maxsidecar import plugins

    plugins.load()
    assert str(KeyPattern.parse("nel.lod.dist_max").key).startswith("04d64858-16d1751d/1020/")
    assert KeyPattern.parse("appdata.1-2/3/4").key == AppDataKey(1, 2, 3, 4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drop": ["x"]},
        {"drop": ["1-2/3"]},
        {"drop": ["1-2/3/99999999999"]},
        {"rename": [["1-2/3/*", "1-2/3/4"]]},
        {"retype": [["1-2/3/4", "int", "string"]]},
        {"move": [["1-2/3/4", "root"]]},
    ],
)
def test_wrong_options(options: Mapping[str, object]) -> None:
    migration = get("appdata")
    with pytest.raises(MigrationError):
        migration.prepare(migration.complete(options))
