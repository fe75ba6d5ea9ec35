"""Which files paths stand for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from maxsidecar.batch.files import find_files


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_folders_are_searched_in_a_stable_order(tmp_path: Path) -> None:
    wanted = [
        _touch(tmp_path / "a.MAX"),
        _touch(tmp_path / "z.max"),
        _touch(tmp_path / "b c" / "дом.max"),
        _touch(tmp_path / "d" / "e" / "x.Max"),
    ]
    _touch(tmp_path / "a.max.toml")
    _touch(tmp_path / "d" / "max")
    files, problems = find_files([tmp_path])
    assert files == wanted
    assert not problems


def test_a_file_is_taken_whatever_its_name(tmp_path: Path) -> None:
    path = _touch(tmp_path / "scene.bin")
    assert find_files([path]) == ([path], [])


def test_no_file_comes_twice(tmp_path: Path) -> None:
    path = _touch(tmp_path / "a.max")
    assert find_files([path, tmp_path, path])[0] == [path]


def test_no_file_comes_twice_under_another_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _touch(tmp_path / "sub" / "a.max")
    monkeypatch.chdir(tmp_path)
    spellings = [Path("sub/a.max"), Path("."), path, Path("sub/../sub/a.max"), tmp_path]
    assert find_files(spellings)[0] == [Path("sub/a.max")]
    assert find_files([tmp_path, "sub"])[0] == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_file_in_a_linked_folder_is_the_same(tmp_path: Path) -> None:
    path = _touch(tmp_path / "real" / "a.max")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "b.max").symlink_to(path)
    other = tmp_path / "real" / "b.max"
    # Another name in the folder is another file: what is written beside it has that name.
    assert find_files([path, tmp_path / "link" / "a.max", other])[0] == [path, other]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_case_counts_only_where_the_file_system_says_so(tmp_path: Path) -> None:
    path = _touch(tmp_path / "a.max")
    upper = tmp_path / "A.MAX"
    if upper.exists():
        pytest.skip("the file system ignores case")
    upper.write_bytes(b"")
    assert find_files([path, upper])[0] == [path, upper]
    upper.unlink()
    # As on a file system that ignores case: two spellings of one file.
    os.link(path, upper)
    assert find_files([path, upper])[0] == [path]


def test_missing_paths_and_empty_folders_are_problems(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    files, problems = find_files([tmp_path / "no.max", empty])
    assert files == []
    assert [path.name for path, _ in problems] == ["no.max", "empty"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and links")
def test_what_is_no_file_is_a_problem(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.max")
    (tmp_path / "broken.max").symlink_to(tmp_path / "gone")
    (tmp_path / "round").symlink_to(tmp_path)
    (tmp_path / "folder.max").mkdir()
    path = _touch(tmp_path / "folder.max" / "a.max")
    files, problems = find_files([tmp_path, tmp_path / "pipe.max"])
    # A pipe is read where it is named, as the shell does for <(...), and not found by searching.
    assert files == [path, tmp_path / "pipe.max"]
    assert sorted(path.name for path, _ in problems) == ["broken.max", "pipe.max"]


def test_an_empty_path_is_not_the_current_folder() -> None:
    assert find_files([""]) == ([], [(Path(), "an empty path; an unset variable?")])
