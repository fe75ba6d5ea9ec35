"""Real scenes with bytes changed inside their controllers: what moves is exported all the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, cast

import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.cameras import add_cameras
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.lights import add_lights
from maxsidecar.gltf.export.nodes import add_nodes
from maxsidecar.gltf.write import write
from maxsidecar.scene.controllers import Controller
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.scene import Scene
from tests.fuzz.test_damaged_controllers import damage
from tests.support.gltf_file import GltfFile
from tests.support.gltf_motion import NoFile

#: Rigs, look-ats, cameras and lights, bipeds, morph targets, keys of a camera.
SCENES = (
    "pairs/RiggedElf/scene.max",
    "pairs/AnimatedMeshCameraLight/scene.max",
    "pairs/LightOrientation/scene.max",
    "max/KGCA/data__AniMotion__WomanWalk.max",
    "max/OpenMBU/shapes__buggy__buggy.max",
    "max/maxscript/dev__object properties__ae camera zoom.max",
)
ROUNDS = 4


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_export_of_damaged_controllers(corpus: Path, tmp_path: Path, name: str, seed: int) -> None:
    original = maxsidecar.open(corpus / name).scene
    spans = [original.span(obj.index)[2:4] for obj in original if isinstance(obj, Controller)]
    rng = random.Random(f"{name} {seed}")
    data = damage(bytes(original.data), [(start, end) for start, end in spans], rng)
    options = Options(sample=rng.choice((None, None, 2.0)))
    try:
        scene = Scene(data, original.classes, [])
        export = Export(cast(Any, NoFile(scene)), options, 0.01, NodeIds(scene))
        add_nodes(export)
    except MaxSidecarError:
        return
    add_cameras(export)
    add_lights(export)
    add_animation(export)
    path = tmp_path / "out.glb"
    write(export.document, path)
    file = GltfFile(path)
    for clip in range(len(file.animations)):
        file.poses(clip, 1.0)
    assert len(file.nodes) >= len(export.nodes)
