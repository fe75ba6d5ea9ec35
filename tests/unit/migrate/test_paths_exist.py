from __future__ import annotations

import os
from pathlib import Path

import pytest

from maxsidecar.errors import Where
from maxsidecar.migrate.paths.exist import Existence, FileFinder
from maxsidecar.migrate.paths.place import Place
from maxsidecar.migrate.rules.files import file_index


def place(path: str, kind: str = "bitmap") -> Place:
    return Place(path, kind, "field", 0, Where())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("maps/oak.png", "scenes/near.png", "scenes/sub/below.png", "maps/b/oak2.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    file_index.cache_clear()
    return tmp_path


def test_beside_the_scene_and_under_roots(folder: Path) -> None:
    scene = folder / "scenes" / "a.max"
    finder = FileFinder([folder / "maps"])
    assert finder.look(place("near.png"), scene).found == str(folder / "scenes" / "near.png")
    assert finder.look(place("sub\\below.png"), scene).exists is True
    assert finder.look(place("..\\maps\\oak.png"), scene).exists is True
    oak = finder.look(place("W:\\anywhere\\OAK.PNG"), scene)
    assert oak == Existence(True, str(folder / "maps" / "oak.png"))
    assert finder.look(place("W:\\anywhere\\none.png"), scene) == Existence(False)
    assert FileFinder().look(place("W:\\anywhere\\oak.png"), scene) == Existence(False)
    assert finder.problems == []


def test_two_files_of_a_name_are_told(folder: Path) -> None:
    (folder / "maps" / "b" / "oak.png").touch()
    found = FileFinder([folder / "maps"]).look(place("W:\\x\\oak.png"), folder / "a.max")
    assert found == Existence(True, "2 files of this name")


def test_what_is_written_or_a_copy_is_not_looked_for(folder: Path) -> None:
    finder = FileFinder([folder])
    for kind in ("output", "summary"):
        assert finder.look(place("oak.png", kind), folder / "a.max").exists is None


@pytest.mark.parametrize("path", ["\\\\server\\share\\a.png", "//server/share/a.png"])
def test_servers_are_never_asked(path: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object, **__: object) -> bool:
        raise AssertionError("a server was asked")

    monkeypatch.setattr(Path, "exists", asked)
    monkeypatch.setattr(os, "stat", asked)
    assert FileFinder().look(place(path), Path("a.max")).exists is False


@pytest.mark.parametrize("path", ["a\0b.png", "x" * 5000, "con:", "a/" * 3000])
def test_what_is_no_path_here_is_missing(path: str, folder: Path) -> None:
    assert FileFinder().look(place(path), folder / "a.max").exists is False
