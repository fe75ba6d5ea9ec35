"""The examples that export to glTF."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.gltf_file import GltfFile

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "utf8", str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_one_file(sample_scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "street.glb"
    done = run("gltf_one_file.py", sample_scene, out)
    assert done.returncode == 0, done.stderr
    assert "animations sample" in done.stdout
    file = GltfFile(out)
    (patrol,) = file.by_name["spawn point"]
    # The sample's patrol goes round the house in four seconds, in a scene of millimetres.
    assert len(file.by_name["lamp"]) == 2
    places = [file.world(patrol, file.poses(0, time))[:3, 3] for time in (0.0, 1.0, 2.0)]
    unit = 0.001
    for place, (x, y) in zip(places, [(-600, -500), (600, -500), (600, 500)], strict=True):
        assert place == pytest.approx([x * unit, 0, -y * unit], abs=1e-4)


def test_folder(sample_scene: Path, tmp_path: Path) -> None:
    scenes = tmp_path / "scenes"
    (scenes / "more").mkdir(parents=True)
    (scenes / "a.max").write_bytes(sample_scene.read_bytes())
    (scenes / "more" / "b.MAX").write_bytes(sample_scene.read_bytes())
    (scenes / "no.max").write_bytes(b"no scene")
    done = run("gltf_folder.py", scenes, tmp_path / "out")
    assert done.returncode == 1
    assert "no.max" in done.stderr
    assert (tmp_path / "out" / "a.glb").read_bytes()[:4] == b"glTF"
    assert GltfFile(tmp_path / "out" / "more" / "b.glb").by_name["house"]


def test_rig(sample_scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "rig.glb"
    done = run("gltf_rig.py", sample_scene, out)
    assert done.returncode == 0, done.stderr
    assert "spawn point: translation, rotation" in done.stdout
    file = GltfFile(out)
    assert not file.json.get("meshes")
    assert file.by_name["house"]
    done = run("gltf_rig.py", sample_scene, out, "house")
    assert done.returncode == 0, done.stderr
    names = {node["name"] for node in GltfFile(out).nodes}
    assert names == {"house", "door", "lamp"}
    assert run("gltf_rig.py", sample_scene, out, "no such node").returncode == 1


@pytest.mark.parametrize(
    "name",
    ["gltf_one_file.py", "gltf_folder.py", "gltf_rig.py", "gltf_in_blender.py", "gltf_strip.py"],
)
def test_usage(name: str) -> None:
    done = run(name)
    assert done.returncode == 2
    assert name in done.stderr
