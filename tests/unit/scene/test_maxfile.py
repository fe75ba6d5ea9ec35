"""An opened file: closing, lenient reading, streams that are replaced, and limits."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

import maxsidecar
from maxsidecar.errors import EditError, LimitError, MaxSidecarError, SaveError
from maxsidecar.io.chunks import encode_header
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import rebuild
from maxsidecar.io.headers import MAX_SIBLINGS, scan
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import WireColor
from maxsidecar.scene.roundtrip import check_file

SUMMARY = "\x05SummaryInformation"


def with_stream(path: Path, name: str, data: bytes) -> bytes:
    return rebuild(CompoundFile.open(path.read_bytes()), {name: data})


def test_a_closed_file_says_so(sample_scene: Path) -> None:
    with maxsidecar.open(sample_scene) as file:
        file.nodes.find("house")[0].set_flag("hidden", True)
        assert file.edited
    for use in (lambda: file.scene, lambda: file.edited, file.save, file.to_bytes):
        with pytest.raises(EditError, match="closed"):
            use()


def test_the_tree_follows_edits(sample_scene: Path) -> None:
    file = maxsidecar.open(sample_scene)
    house = file.nodes.find("house")[0]
    door = next(n for n in file.nodes.values() if n.name == "door")
    assert door.parent is house
    root = file.nodes.root
    assert root is not None
    link = door.parent_link
    assert link is not None
    door.parent_link = link.replace(parent=root.index)
    door.name = "gate"
    assert door.parent is root
    assert door in root.children
    assert door not in house.children
    assert file.nodes.find("GATE") == [door]
    assert file.nodes.find("door") == []


def test_one_damaged_name_hides_no_other_node(sample_scene: Path) -> None:
    file = maxsidecar.open(sample_scene)
    house = file.nodes.find("house")[0]
    chunk = house.find(0x0962)
    assert chunk is not None
    chunk.replace(b"odd")
    assert [n.name for n in file.nodes.find("door")] == ["door"]
    assert any("UTF-16" in str(problem) for problem in file.problems())


def test_the_end_of_a_damaged_class_directory(sample_scene: Path) -> None:
    directory = maxsidecar.open(sample_scene).streams["ClassDirectory3"].data
    data = with_stream(sample_scene, "ClassDirectory3", bytes(directory) + b"\1\2\3")
    file = MaxFile(data)
    assert [n.name for n in file.nodes.find("house")] == ["house"]
    assert file.classes is file.classes
    assert len([p for p in file.problems() if p.where.stream == "ClassDirectory3"]) == 1
    with pytest.raises(MaxSidecarError, match="ClassDirectory3"):
        _ = MaxFile(data, lenient=False).scene


def test_replaced_streams_are_seen_and_saved(sample_scene: Path) -> None:
    file = maxsidecar.open(sample_scene)
    stream = file.streams[SUMMARY]
    old = bytes(stream.data)
    _ = stream.chunks
    stream.replace(b"hello")
    assert stream.edited
    assert stream.content == b"hello"
    _ = stream.chunks
    assert stream.edited
    assert MaxFile(file.to_bytes()).streams[SUMMARY].data == b"hello"
    stream.replace(old)
    assert not file.edited
    with pytest.raises(EditError, match="no chunks"):
        file.streams["Config"].replace(b"hello")


def test_names_that_no_file_can_have(sample_scene: Path) -> None:
    with pytest.raises(MaxSidecarError):
        maxsidecar.open("a\0b.max")
    with pytest.raises(SaveError):
        maxsidecar.open(sample_scene).save("a\0b.max")


def test_many_empty_chunks_in_few_bytes(sample_scene: Path) -> None:
    body = encode_header(1, 0, False) * (MAX_SIBLINGS + 1)
    with pytest.raises(LimitError, match="side by side"):
        scan(body, 0, len(body))
    scene = encode_header(0x2029, len(body), True) + body
    packed = b"\xff\xff" + zstandard.ZstdCompressor(level=1).compress(scene)
    assert len(packed) < 5000
    data = with_stream(sample_scene, "Scene", b"")
    data = rebuild(CompoundFile.open(data), {"Scene": None, "Scene_Compressed": packed})
    with pytest.raises(LimitError):
        _ = MaxFile(data).scene


def test_lines_of_user_properties(sample_scene: Path) -> None:
    file = maxsidecar.open(sample_scene)
    node = file.nodes.find("door")[0]
    node.user_properties_text = "a = 1\u2028still 1\r\nb = 2\x852\nc=3\rd = 4"
    assert node.user_properties == {"a": "1\u2028still 1", "b": "2\x852", "c": "3", "d": "4"}


def test_the_key_value_lines_cannot_be_assigned_to(sample_scene: Path) -> None:
    node = maxsidecar.open(sample_scene).nodes.find("house")[0]
    assert dict(node.user_properties) == {"material": "brick", "floors": "2"}
    with pytest.raises(TypeError):
        node.user_properties["floors"] = "3"  # type: ignore[index]


def test_flags_by_name(sample_scene: Path) -> None:
    node = maxsidecar.open(sample_scene).nodes.find("house")[0]
    with pytest.raises(EditError, match="hidden, frozen"):
        node.flag("hiden")
    with pytest.raises(EditError, match="no such flag"):
        node.set_flag("hiden", True)
    with pytest.raises(EditError, match="True or False"):
        node.set_flag("hidden", "x")  # type: ignore[arg-type]
    with pytest.raises(EditError, match="read-only"):
        node.set_flag("renderable", False)


def test_wire_colors(sample_scene: Path) -> None:
    node = maxsidecar.open(sample_scene).nodes.find("house")[0]
    node.wire_color = WireColor.parse("#FF8000")
    assert str(node.wire_color) == "#ff8000"
    chunk = node.find(0x0974)
    assert chunk is not None
    assert bytes(chunk.data) == b"\xff\x80\x00\x00"
    with pytest.raises(EditError, match="#rrggbb"):
        WireColor.parse("orange")


def test_bytes_behind_the_root_are_a_problem(sample_scene: Path) -> None:
    scene = bytearray(maxsidecar.open(sample_scene).streams["Scene"].data)
    root = maxsidecar.open(sample_scene).scene
    _, start, _, end, _, _ = root.span(len(root) - 1)
    size = int.from_bytes(scene[2:6], "little") - (end - start)
    scene[2:6] = size.to_bytes(4, "little")
    file = MaxFile(with_stream(sample_scene, "Scene", bytes(scene)))
    assert len(file.scene) == len(root) - 1
    (problem,) = file.problems()
    assert "behind the root" in str(problem)
    assert problem.found == end - start
    with pytest.raises(MaxSidecarError, match="behind the root"):
        _ = MaxFile(with_stream(sample_scene, "Scene", bytes(scene)), lenient=False).scene


def test_devices_are_refused() -> None:
    zero = Path("/dev/zero")
    if not zero.is_char_device():
        pytest.skip("no such device here")
    with pytest.raises(MaxSidecarError, match="device"):
        maxsidecar.open(zero)


def test_a_file_beyond_the_memory(sample_scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise MemoryError

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(LimitError, match="too large"):
        maxsidecar.open(sample_scene)
    assert check_file(sample_scene).problems == [
        f"{sample_scene}: the file is too large for the memory"
    ]


def test_a_sealed_file_is_not_saved(sample_scene: Path, tmp_path: Path) -> None:
    before = sample_scene.read_bytes()
    with maxsidecar.open(sample_scene) as scene_file:
        scene_file.nodes.find("house")[0].name = "barn"
        with scene_file.sealed("not now"):
            with pytest.raises(EditError, match=r"sample\.max: not now"):
                scene_file.save()
            with pytest.raises(EditError, match="not now"):
                scene_file.save(tmp_path / "other.max")
        assert sample_scene.read_bytes() == before
        assert not (tmp_path / "other.max").exists()
        scene_file.save()
    assert sample_scene.read_bytes() != before
