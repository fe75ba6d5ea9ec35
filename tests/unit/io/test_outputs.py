"""What may be written over."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from maxsidecar.errors import SaveError
from maxsidecar.io.outputs import check_output, is_same_file

SCENE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "Street é.max"
    path.write_bytes(SCENE)
    return path


def test_the_input_is_refused_under_every_name(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [source, folder / ".." / source.name]
    if sys.platform != "win32":
        (tmp_path / "link").symlink_to(source)
        (tmp_path / "folder link").symlink_to(tmp_path)
        os.link(source, tmp_path / "STREET É.MAX")
        names += [tmp_path / "link", tmp_path / "folder link" / source.name]
        names.append(tmp_path / "STREET É.MAX")
    for name in names:
        for scene in (True, False):
            with pytest.raises(SaveError, match="the very file that is read") as caught:
                check_output(name, scene=scene, inputs=[tmp_path / "other", source])
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "scene", "refused"),
    [
        (SCENE, False, True),
        (SCENE, True, False),
        (SCENE[:7], True, True),
        (b"text", True, True),
        (b"text", False, False),
        (b"", True, False),
        (b"", False, False),
    ],
)
def test_files_of_another_kind_are_refused(
    content: bytes, scene: bool, refused: bool, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    path.write_bytes(content)
    if refused:
        with pytest.raises(SaveError):
            check_output(path, scene=scene, overwrite=True)
    else:
        check_output(path, scene=scene, overwrite=True)


@pytest.mark.parametrize("content", [SCENE, b""])
def test_a_scene_is_written_over_only_when_asked_to(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(content)
    check_output(path, scene=True, overwrite=True)
    if content:
        with pytest.raises(SaveError, match="--overwrite"):
            check_output(path, scene=True)
    else:
        check_output(path, scene=True)


def test_what_is_no_file_is_left_to_saving(tmp_path: Path) -> None:
    for path in (tmp_path / "new", tmp_path, Path("a\0b"), tmp_path / ("n" * 5000)):
        check_output(path, scene=True, inputs=[path / "x"])
        assert not is_same_file(path, tmp_path / "other")


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_output(tmp_path / "pipe", scene=True)
