"""Tags of build_gamedata."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maxsidecar.nel.export.tags import fingerprint, is_fresh, read_tag, write_tag

SECOND = 1_000_000_000


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "tree.max"
    path.write_bytes(b"a scene")
    os.utime(path, ns=(100 * SECOND, 100 * SECOND))
    return path


@pytest.fixture
def tag(tmp_path: Path, scene: Path) -> Path:
    """A tag of ours, one second newer than the scene, with one output."""
    path = tmp_path / "tree.max.tag"
    output = tmp_path / "tree.shape"
    output.write_bytes(b"a shape")
    write_tag(path, {scene: fingerprint(scene)}, [str(output)])
    os.utime(path, ns=(101 * SECOND, 101 * SECOND))
    return path


def fresh(tag: Path, *scenes: Path) -> tuple[bool, bool]:
    """Return whether the tag is fresh, and whether it should be written again."""
    found, again = is_fresh(read_tag(tag), scenes)
    return found, again is not None


def test_no_tag_is_not_fresh(tmp_path: Path, scene: Path) -> None:
    assert fresh(tmp_path / "none.tag", scene) == (False, False)


def test_a_tag_holds_what_was_exported(tag: Path, scene: Path) -> None:
    held = read_tag(tag)
    assert held is not None
    assert held.scenes == {str(scene): fingerprint(scene)}
    assert [Path(output).name for output in held.outputs] == ["tree.shape"]
    assert fresh(tag, scene) == (True, False)
    # The first line is for people, as in the tags of the pipeline's own scripts.
    assert tag.read_text().splitlines()[0].endswith("GMT")


def test_a_scene_that_was_touched_is_fresh_and_its_tag_is_written_again(
    tag: Path, scene: Path
) -> None:
    os.utime(scene, ns=(200 * SECOND, 200 * SECOND))
    assert fresh(tag, scene) == (True, True)


@pytest.mark.parametrize("time", [50, 100, 200])
@pytest.mark.parametrize("data", [b"a scenE", b"longer scene"])
def test_a_scene_with_other_bytes_is_not_fresh(
    time: int, data: bytes, tag: Path, scene: Path
) -> None:
    scene.write_bytes(data)
    os.utime(scene, ns=(time * SECOND, time * SECOND + 1))
    assert fresh(tag, scene) == (False, False)


def test_a_tag_without_its_outputs_is_not_fresh(tag: Path, scene: Path) -> None:
    (tag.parent / "tree.shape").unlink()
    assert fresh(tag, scene) == (False, False)


def test_another_set_of_scenes_is_not_fresh(tag: Path, scene: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.max"
    other.write_bytes(b"x")
    assert fresh(tag, other) == (False, False)
    assert fresh(tag, scene, other) == (False, False)


@pytest.mark.parametrize(
    "content",
    [
        b'"mukyu"\n',
        b"",
        b"x\n{}",
        b"x\n[1]",
        b'x\n{"format": 1}',
        b"x\n" + b"[" * 99999,
        b'x\n{"format": 1, "scenes": {"a": {"size": Infinity}}, "outputs": []}',
        b'x\n{"format": 1, "scenes": {"a": {"size": NaN}}, "outputs": []}',
        b'x\n{"format": 1, "scenes": {}, "outputs": 7}',
    ],
)
@pytest.mark.parametrize(("time", "expected"), [(99, False), (100, True), (101, True)])
def test_tags_of_others_count_by_their_time(
    content: bytes, time: int, expected: bool, scene: Path, tmp_path: Path
) -> None:
    path = tmp_path / "tree.max.tag"
    path.write_bytes(content)
    os.utime(path, ns=(time * SECOND, time * SECOND))
    assert fresh(path, scene) == (expected, False)


def test_a_scene_that_is_gone_is_an_error(tag: Path, scene: Path) -> None:
    scene.unlink()
    with pytest.raises(FileNotFoundError):
        fresh(tag, scene)
