"""The examples of docs/nel.md run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maxsidecar.nel.serial import read_file
from maxsidecar.nel.serial.classes.skeleton import CBoneBase, CSkeletonShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from tests.conftest import REPOSITORY

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    code for code in BLOCK.findall((REPOSITORY / "docs" / "nel.md").read_text("utf-8"))
    if "import" in code
]  # fmt: skip


def run(code: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(code, "docs/nel.md", "exec"), names)  # noqa: S102 - our own page
    return names


def test_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    skeleton = CSkeletonShape(bones=[CBoneBase(name="Bip01")])
    before = CShapeStream(shape=skeleton).to_bytes()
    Path("human.skel").write_bytes(before)
    after = run(EXAMPLES[0])["data"]
    assert isinstance(after, bytes)
    assert len(after) == len(before)
    assert CShapeStream.from_bytes(after).shape.bones[0].skin_scale[0] > 1  # type: ignore[union-attr]


def test_making(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(EXAMPLES[1])
    mesh = read_file("tree.shape").content
    assert mesh.base.materials[0].stages[0].texture.file_name == "bark.tga"
    assert mesh.geom.vertex_buffer.vertices.dtype.names == ("position", "normal", "uv0")
    assert mesh.geom.matrix_blocks[0].rdr_passes[0].primitives.triangles.tolist() == [[0, 1, 2]]
    assert len(EXAMPLES) == 2
