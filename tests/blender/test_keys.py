"""Keys as the scenes have them, in a real Blender: right wherever there are keys."""

from __future__ import annotations

from math import atan, degrees, tan
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.write import write
from maxsidecar.scene.cameras import Camera
from maxsidecar.scene.render import render_size
from maxsidecar.scene.time_range import read_time_range
from tests.support.blender import Look, look
from tests.support.gltf_file import GltfFile

pytestmark = pytest.mark.slow

UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def seen(scene: Path, folder: Path, frames: list[float]) -> tuple[Export, GltfFile, Look]:
    export = build(maxsidecar.open(scene))
    path = folder / "keys.glb"
    write(export.document, path)
    rate = read_time_range(export.scene_file).frame_rate
    return export, GltfFile(path), look(path, folder, frames, rate)


@pytest.mark.parametrize("pair", ["CubePosition", "CubeRotation", "LightOrientation"])
def test_at_the_keys(corpus: Path, blender: None, tmp_path: Path, pair: str) -> None:
    """Objects are where the file says wherever all of them have a key."""
    scene = corpus / "pairs" / pair / "scene.max"
    export, file, _ = seen(scene, tmp_path, [0.0])
    rate = read_time_range(export.scene_file).frame_rate
    frames = [round(seconds * rate, 4) for seconds in file.keyed_seconds(0)][:12]
    assert len(frames) > 2
    _, file, found = seen(scene, tmp_path, frames)
    compared = 0
    for frame in frames:
        places = file.places(file.poses(0, frame / rate))
        for name, item in found.facts["objects"].items():
            key = item["properties"].get("max_id")
            nodes = [
                n for n, x in enumerate(file.nodes) if x.get("extras", {}).get("max_id") == key
            ]
            if item["type"] in ("CAMERA", "LIGHT") or len(nodes) != 1:
                continue  # Blender turns these as a whole
            wanted = UP @ places[nodes[0]] @ np.linalg.inv(UP)
            matrix = found.arrays[f"m:{name}:{frame}"]
            assert np.abs(matrix - wanted).max() <= 1e-4 * max(1.0, np.abs(wanted).max()), name
            compared += 1
    assert compared


def test_a_camera_zooms(corpus: Path, blender: None, tmp_path: Path) -> None:
    (scene,) = (corpus / "max" / "maxscript").glob("*ae camera zoom.max")
    export, _, found = seen(scene, tmp_path, [0.0, 20.0, 40.0, 90.0])
    assert found.messages == []
    (camera,) = (
        node.base_object
        for node in export.scene_nodes.values()
        if isinstance(node.base_object, Camera)
    )
    assert isinstance(camera, Camera)
    size = render_size(export.scene_file.scene)
    assert size is not None
    span = read_time_range(export.scene_file)
    (name,) = (n for n, o in found.facts["objects"].items() if o["type"] == "CAMERA")
    angles = []
    for frame in (0.0, 20.0, 40.0, 90.0):
        fov = camera.fov(round(span.start + frame * span.ticks_per_frame))
        assert fov is not None
        wanted = 2 * atan(tan(fov / 2) / size.aspect)
        angles.append(float(found.arrays[f"a:{name}:{frame}"]))
        assert degrees(angles[-1]) == pytest.approx(degrees(wanted), abs=0.05), frame
    # It does zoom.
    assert max(angles) - min(angles) > 0.1
