"""Files below folders, one after the other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from maxsidecar.batch.search import FileSearch


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def found(*roots: str | os.PathLike[str], **options: object) -> list[str]:
    search = FileSearch(roots, **options)  # type: ignore[arg-type]
    paths = [file.path for file in search.files()]
    assert search.count() == len(paths)
    return paths


def names(paths: list[str], folder: Path) -> list[str]:
    real = os.path.realpath(folder)
    return [Path(os.path.relpath(path, real)).as_posix() for path in paths]


def test_folders_are_searched_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("z.max", "a.MAX", "b c/дом.max", "d/e/x.Max", "a.max.toml", "d/max"):
        touch(tmp_path / name)
    assert names(found(tmp_path), tmp_path) == ["a.MAX", "z.max", "b c/дом.max", "d/e/x.Max"]


def test_relative_paths_have_the_name_of_the_folder(tmp_path: Path) -> None:
    path = touch(tmp_path / "root" / "d" / "x.max")
    (file,) = FileSearch([tmp_path / "root"]).files()
    assert Path(file.relative) == Path("root/d/x.max")
    (file,) = FileSearch([path]).files()
    assert (Path(file.path).name, file.relative) == ("x.max", "x.max")


def test_no_file_comes_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = touch(tmp_path / "sub" / "a.max")
    touch(tmp_path / "b.max")
    other = touch(tmp_path / "sub" / "any.name")
    monkeypatch.chdir(tmp_path)
    for roots in (
        [tmp_path, tmp_path],
        [tmp_path, "sub", path, "."],
        [tmp_path / "sub", tmp_path],
        [path, "sub/../sub/a.max", tmp_path],
        ["sub/a.max", "sub", "."],
    ):
        assert sorted(names(found(*roots), tmp_path)) == ["b.max", "sub/a.max"]
    assert names(found(other, other), tmp_path) == ["sub/any.name"]


def test_marked_and_skipped_folders_are_left_out(tmp_path: Path) -> None:
    for name in ("a.max", "old/b.max", "kept/deep/c.max", "d/e.max"):
        touch(tmp_path / name)
    touch(tmp_path / "kept" / "mark")
    assert names(found(tmp_path, marker="mark", skip=[tmp_path / "old"]), tmp_path) == [
        "a.max", "d/e.max",
    ]  # fmt: skip
    # A folder that is named itself is searched neither.
    assert found(tmp_path / "kept", marker="mark") == []


def test_what_is_wrong_with_paths_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder.max").mkdir()
    search = FileSearch(["", tmp_path / "gone", tmp_path / "empty", tmp_path / "folder.max"])
    assert list(search.files()) == []
    assert [(path.name, reason.split(";")[0]) for path, reason in search.problems] == [
        ("", "an empty path"),
        ("gone", "there is no such file or folder"),
        ("empty", "there is no .max file in this folder"),
        ("folder.max", "there is no .max file in this folder"),
    ]
    # They are found anew each time, and do not pile up.
    search.count()
    assert len(search.problems) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_links(tmp_path: Path) -> None:
    inside = touch(tmp_path / "root" / "a.max")
    outside = touch(tmp_path / "outside.max")
    (tmp_path / "root" / "loop").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "again.max").symlink_to(inside)
    (tmp_path / "root" / "out.max").symlink_to(outside)
    (tmp_path / "root" / "broken.max").symlink_to(tmp_path / "gone.max")
    (tmp_path / "other").symlink_to(tmp_path / "root")
    assert sorted(names(found(tmp_path / "root"), tmp_path)) == ["outside.max", "root/a.max"]
    assert sorted(names(found(tmp_path / "other"), tmp_path)) == ["outside.max", "root/a.max"]
    assert len(found(tmp_path / "other", tmp_path / "root")) == 2
    search = FileSearch([tmp_path / "root"])
    list(search.files())
    assert [(path.name, reason) for path, reason in search.problems] == [
        ("broken.max", "not a file that can be read")
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_to_itself_hides_nothing(tmp_path: Path) -> None:
    for name in ("a.max", "z.max", "inner/b.max"):
        touch(tmp_path / name)
    for name in ("loop.max", "Loop.max", "loops"):
        (tmp_path / name).symlink_to(name)
    search = FileSearch([tmp_path])
    assert names([file.path for file in search.files()], tmp_path) == [
        "a.max", "z.max", "inner/b.max",
    ]  # fmt: skip
    assert sorted(path.name for path, _ in search.problems) == ["Loop.max", "loop.max"]
