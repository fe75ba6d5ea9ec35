"""``maxsidecar nel gltf``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.mesh import CMatrixBlock, CMesh, CRdrPass
from maxsidecar.nel.serial.classes.skeleton import CBoneBase, CSkeletonShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from tests.unit.cli.conftest import Runner


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with ``tree.shape`` and ``human.skel``."""
    monkeypatch.chdir(tmp_path)
    mesh = CMesh()
    mesh.geom.vertex_buffer = CVertexBuffer.of(0, position=[(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    faces = CRdrPass(primitives=CIndexBuffer.of([(0, 1, 2)]))
    mesh.geom.matrix_blocks.append(CMatrixBlock(rdr_passes=[faces]))
    (tmp_path / "tree.shape").write_bytes(CShapeStream(shape=mesh).to_bytes())
    skeleton = CSkeletonShape(bones=[CBoneBase(name="hip"), CBoneBase(name="arm", father_id=0)])
    (tmp_path / "human.skel").write_bytes(CShapeStream(shape=skeleton).to_bytes())
    return tmp_path


def test_a_shape(run: Runner, game: Path) -> None:
    ran = run("nel", "gltf", "tree.shape", "-o", "tree.glb")
    assert (ran.code, ran.out, ran.err) == (0, "tree.glb\n", "")
    assert (game / "tree.glb").read_bytes()[:4] == b"glTF"


def test_folders_are_made(run: Runner, game: Path) -> None:
    ran = run("nel", "gltf", "tree.shape", "-o", "new/deep/tree.gltf")
    assert (ran.code, ran.err) == (0, "")
    assert sorted(path.name for path in (game / "new/deep").iterdir()) == ["tree.bin", "tree.gltf"]


def test_folders_that_cannot_be_made(run: Runner, game: Path) -> None:
    ran = run("nel", "gltf", "tree.shape", "-o", "human.skel/tree.glb")
    assert ran.code == 1
    assert "human.skel" in ran.err
    assert "Traceback" not in ran.err


def test_json(run: Runner, game: Path) -> None:
    arguments = ("tree.shape", "--skeleton", "human.skel", "-o", "tree.gltf", "--json")
    row = json.loads(run("nel", "gltf", *arguments).out)
    assert row["outputs"] == ["tree.gltf", "tree.bin"]
    assert (row["vertices"], row["triangles"], row["bones"], row["frames"]) == (3, 1, 2, 0)
    assert row["notes"] == []


def test_a_skeleton_alone(run: Runner, game: Path) -> None:
    assert run("nel", "gltf", "human.skel", "-o", "human.glb").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["tree.shape"], 2, "-o"),
        (["tree.shape", "-o", "tree.obj"], 2, ".glb or .gltf"),
        (
            ["tree.shape", "-o", "x.glb", "--skeleton", "tree.shape"],
            1,
            "expected skel, found shape",
        ),
        (["tree.shape", "-o", "x.glb", "--animation", "human.skel"], 1, "expected anim"),
        (["human.skel", "-o", "x.glb", "--skeleton", "human.skel"], 1, "two skeletons"),
        (["gone.shape", "-o", "x.glb"], 1, "gone.shape"),
    ],
)
def test_errors(arguments: list[str], code: int, message: str, run: Runner, game: Path) -> None:
    ran = run("nel", "gltf", *arguments)
    assert ran.code == code
    assert message in ran.err
    assert not (game / "x.glb").exists()
