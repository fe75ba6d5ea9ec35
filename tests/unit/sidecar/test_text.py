"""The text form of scenes: complete, stable, and silent about private data."""

from __future__ import annotations

import difflib
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.io.chunks import ChunkData, encode_header
from maxsidecar.io.fields import U32
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.private import may_be_private
from maxsidecar.sidecar.object_names import ObjectNames
from maxsidecar.sidecar.text import file_lines, scene_lines
from maxsidecar.sidecar.text_chunks import MAX_DEPTH, chunk_lines
from maxsidecar.sidecar.text_values import bytes_lines, quoted, show, value_lines
from tests.fuzz.bases import authored_bases, small_bases


def leaf(chunk_id: int, body: bytes) -> bytes:
    return encode_header(chunk_id, len(body), False) + body


def container(chunk_id: int, *children: bytes) -> bytes:
    body = b"".join(children)
    return encode_header(chunk_id, len(body), True) + body


def lines_of(data: bytes, stream: str = "x") -> list[str]:
    return list(chunk_lines(ChunkData(data), {}, stream))


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "undefined"),
        (True, "true"),
        (-3, "-3"),
        (1.0, "1.0"),
        (struct.unpack("<f", struct.pack("<f", 0.1))[0], "0.1"),
        (0.1, "0.1"),
        (float("inf"), "inf"),
        (1e300, "1e+300"),
        ('a"b\\\n\x1b\u202e', '"a\\"b\\\\\\n\\u001B\\u202E"'),
        (b"\x00\xff", "hex:00ff"),
        ((1, "a", (2.5,)), '[1, "a", [2.5]]'),
        ({"a b": 1}, '{"a b" = 1}'),
    ],
)
def test_show(value: object, text: str) -> None:
    assert show(value) == text


@given(st.floats(width=32, allow_nan=False))
def test_floats_are_shown_exactly(value: float) -> None:
    assert struct.pack("<f", float(show(value))) == struct.pack("<f", value)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_different_doubles_that_are_no_singles(a: float, b: float) -> None:
    if a != b:
        assert show(a) != show(b)


@given(st.text(alphabet=st.characters()))
def test_quoted_text_is_one_printable_line(text: str) -> None:
    assert quoted(text).isprintable()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_quoted_text_says_everything(text: str) -> None:
    import tomllib

    # TOML reads the escapes; it has no place for NUL in between, which is escaped too.
    assert tomllib.loads(f"x = {quoted(text)}")["x"] == text


def test_long_values() -> None:
    numbers = tuple(range(1000))
    (short,) = value_lines(numbers)
    assert "1000 values" in short
    assert next(value_lines((*numbers[:-1], 0))) != short
    assert len(list(value_lines(numbers, full=True))) == 1002
    assert list(value_lines("a\nb")) == ["text", '  "a"', '  "b"']
    assert len(list(bytes_lines(bytes(100)))) == 1
    full = list(bytes_lines(bytes(range(100)), full=True))
    assert "".join(x.strip().removeprefix("hex:") for x in full[1:]) == bytes(range(100)).hex()


def test_long_runs_differ_wherever_they_differ() -> None:
    body = bytearray(1000)
    first = list(bytes_lines(bytes(body)))
    body[777] = 1
    assert list(bytes_lines(bytes(body))) != first


# --- chunk trees ---------------------------------------------------------------------------------


def test_tree() -> None:
    data = leaf(0x10, b"\x01\x02") + container(0x20, leaf(0x30, b""), container(0x40))
    assert lines_of(data) == ["0010 = hex:0102", "0020:", "  0030 = hex:", "  0040:"]


def test_known_leaves_by_name() -> None:
    data = ChunkData(leaf(0x10, b"\x05\0\0\0") + leaf(0x11, b"\x05"))
    typed = {0: ("count", U32), 10: ("size", U32)}
    first, second = chunk_lines(data, typed, "x")
    assert first == "0010 count = 5"
    # What does not decode is shown as bytes, with the reason.
    assert second.startswith("0011 size !! ")
    assert second.endswith("= hex:05")


def test_damaged_containers_are_shown_as_bytes() -> None:
    bad = encode_header(0x20, 5, True) + b"\x30\x00\xff\xff\xff"
    reason, raw, after = lines_of(bad + leaf(0x50, b"\x07"))
    assert reason.startswith("0020: !! ")
    assert raw == "0020 = hex:3000ffffff"
    assert after == "0050 = hex:07"


def test_depth_is_bounded() -> None:
    data = leaf(1, b"")
    for _ in range(3000):
        data = container(2, data)
    lines = lines_of(data)
    assert len(lines) < MAX_DEPTH + 5
    assert any("nested too deep" in line for line in lines)


def test_offsets_do_not_matter() -> None:
    tree = container(0x20, leaf(0x30, b"abc"), leaf(0x31, b"def"))
    assert lines_of(leaf(0x10, bytes(50)) + tree)[1:] == lines_of(leaf(0x10, bytes(9)) + tree)[1:]


SECRET = b"\x5asecret\x5a" * 3


@pytest.mark.parametrize(
    "data",
    [
        container(0x2130, container(0x110, leaf(0x300, SECRET))),
        container(0x2130, container(0x110, container(0x300, leaf(1, SECRET)))),
        container(0x2130, leaf(0x110, leaf(0x300, SECRET))),
        leaf(0x2130, container(0x110, leaf(0x300, SECRET))),
        # Containers that cannot be read must not show their bytes either.
        container(0x2130, encode_header(0x110, 30, True) + b"\x00\x03\xff\xff\xff\x00" + SECRET),
    ],
)
def test_private_data_is_never_shown(data: bytes) -> None:
    for full in (False, True):
        text = "\n".join(chunk_lines(ChunkData(data), {}, "Config", full=full))
        assert SECRET[:8].hex() not in text
        assert "private, not shown" in text
    # The same bytes in another stream are no secret.
    assert SECRET[:4].hex() in "\n".join(chunk_lines(ChunkData(data), {}, "Scene", full=True))


def test_private_paths() -> None:
    assert may_be_private("Config", (0x2130, 0x110, 0x300, 5))
    assert may_be_private("Config", (0x2130,))
    assert not may_be_private("Config", (0x2130, 0x120))
    assert not may_be_private("Config", (0x20B0,))


# --- scenes --------------------------------------------------------------------------------------


def changed(edit: Callable[[Node], None], data: bytes | None = None) -> list[str]:
    """Return the lines that an edit of the first node changes, with ``-`` and ``+``."""
    data = authored_bases()[0].data if data is None else data
    scene_file = MaxFile(data)
    edit(next(n for n in scene_file.nodes.values() if n.parent_link is not None))
    old, new = list(file_lines(data)), list(file_lines(scene_file.to_bytes()))
    found = difflib.ndiff(old, new)
    return [line for line in found if line[:2] in ("- ", "+ ")]


@pytest.mark.parametrize("flag", ["hidden", "frozen", "show_frozen_in_gray"])
@pytest.mark.parametrize("number", range(4))
def test_a_flag_is_one_line(flag: str, number: int) -> None:
    def switch(node: Node) -> None:
        node.set_flag(flag, not node.flag(flag))

    removed, added = changed(switch, authored_bases()[number].data)
    assert removed.startswith(f"- flags.{flag} = ")
    assert added.startswith(f"+ flags.{flag} = ")


def test_a_longer_appdata_value_is_one_line() -> None:
    prop = REGISTRY.by_toml_path(("nel", "instance_name"))
    assert prop is not None
    lines = changed(lambda node: node.appdata.set(prop.key, b"x" * 5000 + b"\0"))
    assert len(lines) == 2
    assert all("nel.instance_name" in line for line in lines)


def test_a_new_appdata_entry_is_one_line() -> None:
    key = AppDataKey(1, 2, 3, 4)
    (line,) = changed(lambda node: node.appdata.set(key, b"text\0"))
    assert line == f'+ appdata {key} = "text"'


def test_a_new_name_is_one_line() -> None:
    def rename(node: Node) -> None:
        node.name = "another"

    assert len(changed(rename)) == 2


def test_spelling_of_a_value_shows() -> None:
    prop = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
    assert prop is not None
    removed, added = changed(lambda node: node.appdata.set(prop.key, b"2e2\0"))
    assert removed == "- nel.lod.dist_max = 200.0"
    assert added == '+ nel.lod.dist_max = 200.0 (stored "2e2")'


def test_packing_does_not_matter() -> None:
    plain, gzip = authored_bases()[0].data, authored_bases()[2].data
    lines = list(difflib.ndiff(list(file_lines(plain)), list(file_lines(gzip))))
    different = [line for line in lines if line[:2] in ("- ", "+ ")]
    assert different
    # Only the list of streams tells it, and what the document says of its packing.
    assert all(line[2:].startswith('"') for line in different)


def test_everything_is_there() -> None:
    scene_file = MaxFile(authored_bases()[0].data)
    text = "\n".join(scene_lines(scene_file))
    for node in scene_file.nodes.values():
        assert quoted(node.name) in text
    for info in scene_file.classes:
        assert info is not None
        assert quoted(info.name) in text
    for name in scene_file.streams:
        assert quoted(name) in text
    directory = scene_file.dll_directory
    assert directory is not None
    for entry in directory.entries:
        assert quoted(entry.file_name) in text
    assert text.count("\n[") >= len(scene_file.scene)
    assert "nel.lod.dist_max = 200.0" in text
    assert "!! " not in text


def test_objects_that_are_added_leave_the_others_alone() -> None:
    def scene(extra: bool) -> bytes:
        builder = SceneBuilder(title="x")
        if extra:
            builder.add_box(1.0, 2.0, 3.0)
        for name in ("a", "b"):
            builder.add_node(name, builder.add_dummy(1.0))
        return builder.to_bytes()

    old, new = list(file_lines(scene(False))), list(file_lines(scene(True)))
    removed = [line for line in difflib.ndiff(old, new) if line.startswith("- ")]
    # Totals and the current state of the scene may change; no node, dummy or controller does.
    assert not [line for line in removed if "reference" in line or line.startswith("- [@")]


def test_names_of_objects() -> None:
    builder = SceneBuilder(title="x")
    box = builder.add_box(1.0, 2.0, 3.0)
    first, second = (builder.add_node(name, box) for name in ("a", "b"))
    loose = builder.add_sphere(1.0)
    scene = MaxFile(builder.to_bytes()).scene
    names = ObjectNames(scene)
    handles = [node.handle for node in scene.nodes.values() if node.parent is not None]
    assert [names.name(first), names.name(second)] == [f"@{handle}" for handle in handles]
    # The first node that leads to a shared object names it.
    assert names.name(box) == f'"Box" @{handles[0]}/1'
    assert names.name(loose) == '"Sphere" #1'
    assert names.name(len(scene) - 1) == '"Scene" scene'
    root = scene.nodes.root
    assert root is not None
    assert names.name(root.index) == "@root"
    assert names.name(10**9) == f"(no object {10**9})"
    assert len({names.name(index) for index in range(len(scene))}) == len(scene)


@pytest.mark.parametrize("cut", [0, 100, 600, 5000, 9000])
def test_cut_files(cut: int) -> None:
    lines = list(file_lines(small_bases()[0].data[:cut]))
    assert lines[0].startswith("# maxsidecar text")
    assert any("!! " in line for line in lines)
    assert all(line.isprintable() for line in lines)
