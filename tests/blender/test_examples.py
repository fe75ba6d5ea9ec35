"""The example that opens an export in Blender."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.context import Options
from tests.support.blender import find_blender

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "gltf_in_blender.py"


@pytest.mark.slow
def test_it_opens_in_blender(blender: None, sample_scene: Path, tmp_path: Path) -> None:
    glb, blend = tmp_path / "street.glb", tmp_path / "street.blend"
    with maxsidecar.open(sample_scene) as scene_file:
        export_file(scene_file, glb, Options(sample=1, range=(30, 90)))
    done = subprocess.run(
        [str(find_blender()), str(EXAMPLE), str(glb), str(blend)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    # Frames count from the start of what was exported, at the scene's 30 a second.
    assert "action sample: frames 0 to 60" in done.stdout
    assert blend.stat().st_size > 0
