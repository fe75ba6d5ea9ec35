"""The examples that open an export in Blender."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.context import Options
from tests.support.blender import find_blender
from tests.support.png import read_png

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, *arguments: Path | str) -> str:
    """Run an example in Blender's Python; return what it says."""
    done = subprocess.run(
        [str(find_blender()), str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_it_opens_in_blender(blender: None, sample_scene: Path, tmp_path: Path) -> None:
    glb, blend = tmp_path / "street.glb", tmp_path / "street.blend"
    with maxsidecar.open(sample_scene) as scene_file:
        export_file(scene_file, glb, Options(sample=1, range=(30, 90)))
    said = run("gltf_in_blender.py", glb, blend)
    # Frames count from the start of what was exported, at the scene's 30 a second.
    assert "action sample: frames 0 to 60" in said
    assert blend.stat().st_size > 0


@pytest.mark.slow
def test_frames_are_drawn_side_by_side(blender: None, sample_scene: Path, tmp_path: Path) -> None:
    glb, picture = tmp_path / "street.glb", tmp_path / "street.png"
    with maxsidecar.open(sample_scene) as scene_file:
        export_file(scene_file, glb, Options())
    run("gltf_strip.py", glb, picture, "0", "30")
    pixels = read_png(picture.read_bytes())
    assert pixels.shape == (340, 480, 3)
    # Something stands in front of the even ground in both frames.
    assert all(np.ptp(half) > 30 for half in (pixels[:, :240], pixels[:, 240:]))
