"""Finding pictures whose paths come from other machines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maxsidecar.gltf.export import search
from maxsidecar.gltf.export.search import PictureSearch


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    folder = tmp_path / "scene"
    folder.mkdir()
    return folder


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_where_the_scene_says(scene: Path, tmp_path: Path) -> None:
    there = touch(tmp_path / "elsewhere" / "a.png")
    assert PictureSearch(scene).find(str(there)) == there
    beside = touch(scene / "maps" / "b.tga")
    assert PictureSearch(scene).find(r"maps\b.tga") == beside
    assert PictureSearch(scene).find(r".\maps\b.tga") == beside


def test_the_end_of_a_path_beside_the_scene(scene: Path) -> None:
    far = touch(scene / "textures" / "deep" / "wood.png")
    touch(scene / "wood.png")
    found = PictureSearch(scene).find(r"D:\work\textures\deep\wood.png")
    assert found == far
    assert PictureSearch(scene).find(r"D:\work\maps\wood.png") == scene / "wood.png"


def test_by_name_whatever_its_case(scene: Path, tmp_path: Path) -> None:
    there = touch(tmp_path / "root" / "a" / "b" / "Wood_01.PNG")
    found = PictureSearch(scene, [tmp_path / "root"]).find(r"C:\x\wood_01.png")
    assert found is not None
    assert found.samefile(there)


def test_by_name_with_another_ending(scene: Path, tmp_path: Path) -> None:
    touch(tmp_path / "root" / "wood.bmp")
    best = touch(tmp_path / "root" / "wood.png")
    touch(tmp_path / "root" / "wood.txt")
    assert PictureSearch(scene, [tmp_path / "root"]).find(r"C:\x\wood.tga") == best


def test_the_same_name_counts_more_than_the_better_format(scene: Path, tmp_path: Path) -> None:
    exact = touch(tmp_path / "root" / "wood.tga")
    touch(tmp_path / "root" / "wood.png")
    assert PictureSearch(scene, [tmp_path / "root"]).find(r"C:\x\wood.tga") == exact


def test_of_several_the_one_in_the_folders_of_the_path(scene: Path, tmp_path: Path) -> None:
    touch(tmp_path / "root" / "a" / "maps" / "wood.png")
    alike = touch(tmp_path / "root" / "house" / "maps" / "wood.png")
    touch(tmp_path / "root" / "wood.png")
    found = PictureSearch(scene, [tmp_path / "root"]).find(r"D:\old\House\Maps\wood.png")
    assert found == alike


def test_what_is_not_there(scene: Path, tmp_path: Path) -> None:
    finder = PictureSearch(scene, [tmp_path / "no such folder"])
    for stored in (r"C:\x\wood.png", "", "\\", "a\0b.png", "x" * 5000, "C:", "..", "con"):
        assert finder.find(stored) is None
    assert PictureSearch(None).find("wood.png") is None


def test_shares_are_not_opened(scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = search._is_file

    def noted(path: Path) -> bool:
        asked.append(str(path))
        return real(path)

    monkeypatch.setattr(search, "_is_file", noted)
    inside = touch(scene / "wood.png")
    assert PictureSearch(scene).find(r"\\server\share\wood.png") == inside
    assert PictureSearch(scene).find("//server/share/wood.png") == inside
    assert all("server" not in path or path.startswith(str(scene)) for path in asked)


def test_links_that_lead_back_are_not_followed(scene: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    touch(root / "a" / "wood.png")
    try:
        os.symlink(root, root / "a" / "again", target_is_directory=True)
    except OSError:
        pytest.skip("this system makes no links here")
    assert PictureSearch(scene, [root, root / "a"]).find(r"C:\other.png") is None
    assert PictureSearch(scene, [root]).find(r"C:\wood.png") == root / "a" / "wood.png"


def test_what_only_looks_like_a_picture_is_passed_over(scene: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    wanted = touch(root / "z" / "wood.png")
    for name in ("a", "b"):
        (root / name).mkdir()
    try:
        os.symlink(root / "z", root / "a" / "wood.png", target_is_directory=True)
        os.symlink(root / "nothing", root / "b" / "wood.png")
    except OSError:
        pytest.skip("this system makes no links here")
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "wood.png")
    # The links are in the folder that the stored path names.
    for stored in (r"C:\root\wood.png", r"C:\a\wood.png", r"C:\b\wood.png"):
        assert PictureSearch(scene, [root]).find(stored) == wanted


def test_no_more_files_than_the_limit(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        touch(tmp_path / "root" / f"{number}.png")
    monkeypatch.setattr(search, "_MOST_FILES", 3)
    finder = PictureSearch(scene, [tmp_path / "root"])
    assert finder.find("4.png") is None
    assert finder.truncated
    assert finder.find("2.png") is not None


def test_no_deeper_than_the_limit(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_DEEPEST", 2)
    touch(tmp_path / "root" / "a" / "b" / "near.png")
    touch(tmp_path / "root" / "a" / "b" / "c" / "far.png")
    finder = PictureSearch(scene, [tmp_path / "root"])
    assert finder.find("near.png") is not None
    assert finder.find("far.png") is None
    # The scene's own folder is searched one folder deep.
    touch(scene / "x" / "Beside.png")
    touch(scene / "x" / "y" / "Deep.png")
    finder = PictureSearch(scene)
    assert finder.find("beside.png") is not None
    assert finder.find("deep.png") is None
