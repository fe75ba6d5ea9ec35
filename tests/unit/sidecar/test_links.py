"""Nothing is written through links that lead out of the scene's folder, nor over other files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.errors import SaveError, SidecarError
from maxsidecar.sidecar.extract import SCHEMA_NAME

apply_file, extract_file = maxsidecar.apply_file, maxsidecar.extract_file


@pytest.fixture
def folders(tmp_path: Path, sample_scene: Path) -> tuple[Path, Path]:
    """A folder with a scene, and one outside with a precious file."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    shutil.copy(sample_scene, inside / "s.max")
    (outside / "precious").write_bytes(b"precious")
    try:
        (inside / "probe").symlink_to(outside / "precious")
    except OSError:
        pytest.skip("no symbolic links here")
    (inside / "probe").unlink()
    return inside, outside


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("name", [SCHEMA_NAME, "s.max.toml"])
@pytest.mark.parametrize("target", ["precious", "absent"])
def test_links_are_not_followed(
    folders: tuple[Path, Path], name: str, target: str, fresh: bool
) -> None:
    inside, outside = folders
    (inside / name).symlink_to(outside / target)
    with pytest.raises(SaveError, match="link"):
        extract_file(inside / "s.max", fresh=fresh)
    assert [p.name for p in outside.iterdir()] == ["precious"]
    assert (outside / "precious").read_bytes() == b"precious"


def test_a_file_with_the_name_of_the_schema(folders: tuple[Path, Path]) -> None:
    inside, _ = folders
    (inside / SCHEMA_NAME).write_text('{"title": "mine"}', encoding="utf-8")
    with pytest.raises(SaveError, match="--no-schema"):
        extract_file(inside / "s.max")
    assert not (inside / "s.max.toml").exists()
    extract_file(inside / "s.max", schema=False)
    assert (inside / SCHEMA_NAME).read_text(encoding="utf-8") == '{"title": "mine"}'


def test_a_scene_that_is_a_link_out_of_the_folder(folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    extract_file(inside / "s.max")
    text = (inside / "s.max.toml").read_text(encoding="utf-8")
    (inside / "s.max").rename(outside / "s.max")
    (inside / "s.max").symlink_to(outside / "s.max")
    edited = text.replace("hidden = false", "hidden = true", 1)
    assert edited != text
    (inside / "s.max.toml").write_text(edited, encoding="utf-8")
    before = (outside / "s.max").read_bytes()
    with pytest.raises(SidecarError, match="--scene"):
        apply_file(inside / "s.max.toml")
    assert (outside / "s.max").read_bytes() == before
