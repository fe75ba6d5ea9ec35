"""Every real file of the game is read to the last byte and written back the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.nel.serial.check import check_bytes, check_file

#: Folders of the corpus, and how many files each has at least.
FOLDERS = {
    "anim": 10, "ig": 90, "ps": 60, "shape": 106, "skel": 16, "swt": 2, "vegetset": 12, "zonel": 12,
}  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_written_back_the_same(folder: str, corpus: Path) -> None:
    results = [check_file(path) for path in sorted((corpus / "nel" / folder).iterdir())]
    assert [result.problems for result in results if result.status != "ok"] == []
    assert {result.kind for result in results} == {"zone" if folder == "zonel" else folder}
    assert len(results) >= FOLDERS[folder]


def test_shapes_beside_scenes(corpus: Path) -> None:
    results = [check_file(path) for path in sorted((corpus / "nel-pairs").rglob("*.shape"))]
    assert [result.problems for result in results if result.status != "ok"] == []
    assert len(results) >= 29


def test_line_ends_of_texts(corpus: Path) -> None:
    """A file that was converted as a text is told so, with the place where reading ended."""
    folder = corpus / "nel" / "shape"
    checked = 0
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        if data.count(b"\n") < 4:
            continue
        result = check_bytes(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), "a.shape")
        assert (result.status, result.kind) == ("failed", "shape")
        (problem,) = result.problems
        assert problem.startswith("a.shape › CShapeStream")
        assert "offset 0x" in problem
        assert "the file was converted as a text" in problem
        # Where line ends of both kinds stood, undoing does not give the file back.
        assert ("reads to its end when that is undone" in problem) or b"\r\n" in data
        checked += 1
    assert checked > 50


def test_a_mesh_that_the_game_refuses(corpus: Path) -> None:
    """Version 3 of CMesh; the class has had another layout since 6."""
    data = bytearray((corpus / "nel-pairs" / "neloid" / "3d7d32b5__block.shape").read_bytes())
    at = data.index(b"CMesh") + len("CMesh")
    assert data[at] == 6
    data[at] = 3
    result = check_bytes(bytes(data), "arena.shape")
    assert (result.status, result.kind) == ("failed", "shape")
    (problem,) = result.problems
    assert "CShapeStream.shape.version" in problem
    assert f"offset {at:#x}" in problem
    assert "the game refuses it as well (expected at least 6, found 3)" in problem
