"""What ``clean`` lists, and what it takes out."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.migrate.infections import known_names, places, reaches_outside
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import get
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder
from maxsidecar.scene.authoring_chunks import encode_chunks
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.restructure import add_object, set_reference
from maxsidecar.scene.script_codecs import ScriptPairsCodec
from maxsidecar.scene.script_types import ScriptName

SCALE_SCRIPT = NewClass("Scale Script", 0x7C8F3A2A, 0x1E954D91, 0x900D)
ATTRIBUTE = NewClass("Mine", 0x11111111, 0x22222222, 0x1160)
KNOWN_SCRIPT = b"global PhysXCrtRbkInfoCleanBeta\r\n[1,1,1]"
UNKNOWN_SCRIPT = b'callbacks.addScript #filePostOpen "x" id:#a\r\n[1,1,1]'
FILE_SCRIPT = b'f = createFile "c:\\x.txt"\r\n[1,1,1]'
PLAIN_SCRIPT = b"[sin time, 1, 1]"


def scene(script: bytes | None = None, *, hidden: bool = True, child: bool = False) -> MaxFile:
    """A scene with a helper, whose scale may come from a script."""
    builder = SceneBuilder(title="Clean")
    builder.add_node("box", builder.add_box(1, 1, 1))
    helper = builder.add_node("  ", builder.add_box(1, 1, 1), look=NodeLook(hidden=hidden))
    if child:
        builder.add_node("below", builder.add_box(1, 1, 1), parent=helper)
    scene_file = MaxFile(builder.to_bytes())
    if script is not None:
        node = scene_file.nodes[helper]
        assert node.controller is not None
        new = add_object(scene_file.scene, SCALE_SCRIPT, [(0x5000, script)], {})
        set_reference(node.controller, 2, new)
    return MaxFile(scene_file.to_bytes())


def clean(scene_file: MaxFile, *kinds: str) -> Log:
    migration = get("clean")
    log = Log()
    options = dict.fromkeys(kinds, True)
    migration.prepare(migration.complete(options))(scene_file, log)
    return log


def names(scene_file: MaxFile) -> list[str]:
    return [node.name for node in MaxFile(scene_file.to_bytes()).nodes.values()][1:]


def kinds(log: Log) -> list[str]:
    return [entry.kind for entry in log]


@pytest.mark.parametrize(
    "script", [KNOWN_SCRIPT, UNKNOWN_SCRIPT, KNOWN_SCRIPT.decode().encode("utf-16-le")]
)
def test_infected_nodes_are_listed_and_go_when_asked_for(script: bytes) -> None:
    scene_file = scene(script)
    log = clean(scene_file)
    (note,) = log.entries
    assert note.kind == "note"
    assert note.text.startswith("--script-nodes would take out: Scale Script ")
    assert not scene_file.edited
    log = clean(scene_file, "script-variables", "empty-appdata")
    assert kinds(log) == ["note"]
    assert not scene_file.edited
    log = clean(scene_file, "script-nodes")
    assert kinds(log) == ["change"]
    assert names(scene_file) == ["box"]
    after = MaxFile(scene_file.to_bytes())
    assert not [obj for obj in after.scene if obj.superclass == 0x900D and obj.find(0x5000)]
    assert script not in bytes(after.streams["Scene"].data)
    assert not clean(after, "script-nodes").entries
    assert not after.edited


def test_scripts_of_single_axes_are_found() -> None:
    scene_file = scene()
    helper = next(node for node in scene_file.nodes.values() if node.name == "  ")
    assert helper.controller is not None
    kind = NewClass("Float Script", 0x498702E6, 0x71F11548, 0x9003)
    script = add_object(scene_file.scene, kind, [(0x5000, KNOWN_SCRIPT)], {})
    axes = NewClass("Position XYZ", 0x118F7E02, 0xFFEE238A, 0x900B)
    position = add_object(scene_file.scene, axes, [(0x7127, b"")], [script, None, None])
    set_reference(helper.controller, 0, position)
    scene_file = MaxFile(scene_file.to_bytes())
    assert kinds(clean(scene_file, "script-nodes")) == ["change"]
    assert names(scene_file) == ["box"]


@pytest.mark.parametrize(
    ("scene_file", "told"),
    [
        (scene(KNOWN_SCRIPT, hidden=False), "not hidden"),
        (scene(KNOWN_SCRIPT, child=True), "has children"),
        (scene(FILE_SCRIPT), "not known to infect"),
    ],
    ids=["visible", "parent", "only writes a file"],
)
def test_what_is_not_sure_is_told_and_stays(scene_file: MaxFile, told: str) -> None:
    log = clean(scene_file, "script-nodes")
    (warning,) = log.entries
    assert warning.kind == "warning"
    assert told in warning.text
    assert not scene_file.edited


def test_a_script_that_only_computes_is_no_finding() -> None:
    scene_file = scene(PLAIN_SCRIPT)
    assert not clean(scene_file, "script-nodes").entries
    assert not scene_file.edited


def test_known_names_elsewhere_are_told() -> None:
    scene_file = scene()
    node = scene_file.nodes.find("box")[0]
    node.user_properties_text = "fn runMainCLEANBETA = 3"
    log = clean(MaxFile(scene_file.to_bytes()), "script-nodes")
    (warning,) = log.entries
    assert (warning.kind, warning.place) == ("warning", f"object {node.index}")


def with_variables(*names: str, classes: bool) -> MaxFile:
    """A scene whose Config has global variables, and maybe a scripted class."""
    scene_file = scene()
    config = scene_file.config
    assert config is not None
    pairs = tuple((ScriptName(name, wide=True), 1) for name in names)
    body = ScriptPairsCodec().encode(pairs)
    chunks = pack("<HI", 0x30, 6 + len(body) | 1 << 31) + body
    if classes:
        inner = encode_chunks([(0x50, pack("<3I", 0x10, 1, 2)), (0x00, b"")])
        chunks += pack("<HI", 0x40, 6 + len(inner) | 1 << 31) + inner
    old = config.find(0x2180)
    position = len(list(config.chunks())) if old is None else old.position
    if old is not None:
        old.remove()
    config.data.insert(config.container(), position, 0x2180, chunks, container=True)
    return MaxFile(scene_file.to_bytes())


def variables(scene_file: MaxFile) -> list[str]:
    config = MaxFile(scene_file.to_bytes()).config
    assert config is not None
    return list(config.scripts.variables) if config.scripts is not None else []


def test_variables() -> None:
    scene_file = with_variables("mine", "CRP_BScript", "other", classes=False)
    assert kinds(clean(scene_file, "script-variables")) == ["change"]
    assert variables(scene_file) == ["mine", "other"]
    assert not clean(MaxFile(scene_file.to_bytes()), "script-variables").entries


@pytest.mark.parametrize("classes", [False, True])
def test_the_last_variable(classes: bool) -> None:
    scene_file = with_variables("CRP_BScript", classes=classes)
    clean(scene_file, "script-variables")
    after = MaxFile(scene_file.to_bytes()).config
    assert after is not None
    chunk = after.find(0x2180)
    assert chunk is not None
    # As in real scenes: an empty store is a leaf, and without variables there is no chunk 30.
    assert chunk.container == classes
    assert [child.id for child in chunk.chunks()] == [0x40] if classes else len(chunk.data) == 0


def test_empty_appdata() -> None:
    scene_file = scene()
    node = scene_file.nodes.find("box")[0]
    node.data.insert(None, 0, APPDATA, pack("<HII", 0x0100, 10, 0), container=True)
    scene_file = MaxFile(scene_file.to_bytes())
    assert kinds(clean(scene_file)) == ["note"]
    assert kinds(clean(scene_file, "empty-appdata")) == ["change"]
    node = scene_file.nodes.find("box")[0]
    assert node.find(APPDATA) is None
    assert scene_file.to_bytes() != b""
    assert not clean(MaxFile(scene_file.to_bytes())).entries


def test_orphaned_attributes() -> None:
    scene_file = scene()
    add_object(scene_file.scene, ATTRIBUTE, [(0x0100, b"abc")], [])
    scene_file = MaxFile(scene_file.to_bytes())
    (note,) = clean(scene_file).entries
    assert "1 custom attributes that nothing refers to: Mine " in note.text
    assert kinds(clean(scene_file, "orphan-attributes")) == ["change"]
    after = MaxFile(scene_file.to_bytes())
    assert not list(after.scene.of_superclass(0x1160))
    assert names(after) == ["box", "  "]
    assert not clean(after, "orphan-attributes").entries


def test_how_scripts_are_told_apart() -> None:
    assert known_names("fn PX_HiddenNodeCleanBETA; cleanbeta") == ["CleanBETA"]
    assert known_names("cleaning the beta") == []
    assert reaches_outside('HiddenDOSCommand "x"') == ["starts programs"]
    assert reaches_outside("a = executed") == []
    assert sorted(places(b"..crp_bscript.." + "CleanAlpha".encode("utf-16-le"))) == [2, 15]
