"""Exported animation: against what 3ds Max's own exporter wrote, and against the scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.axes import matrices_to_gltf
from maxsidecar.gltf.export.animation import clock_of
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.gltf.write import write
from maxsidecar.scene.transform import Pose
from maxsidecar.scene.units import metres_per_unit
from tests.support.gltf_file import Array, GltfFile
from tests.support.gltf_motion import worlds

#: Rows: animated nodes, and poses of them at key times of the reference.
ANIMATED = {
    "AnimatedMeshCameraLight": (16, 992),
    "CubePosition": (1, 91),
    "CubeRotation": (1, 34),
    "ElfFeet": (80, 2820),
    "ElfRun": (20, 440),
    "LightOrientation": (3, 27),
    "RiggedElf": (80, 2820),
}
#: Exporters of these took no notice of the unit.
WITHOUT_UNIT = ("AnimatedMorphCube", "LightOrientation")
#: The exporter of 2017 writes cameras and lights as if they were meshes, so that they do not look
#: along -Z (see test_pairs_corpus.py); they are compared as what it takes them for.
AS_MESHES = "AnimatedMeshCameraLight"
#: By the share of the scene's size, and degrees.  What is left is that the reference drops keys.
POSITION, DEGREES = 1e-3, 1.0
#: From a node that looks along -Z to one that a mesh in its place would have: 90 degrees about X.
UNTURN = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def reference_of(corpus: Path, pair: str) -> GltfFile:
    (path,) = (corpus / "pairs" / pair).glob("*.gltf")
    return GltfFile(path)


def exported(scene: Path, folder: Path, options: Options | None = None) -> tuple[Export, GltfFile]:
    export = build(maxsidecar.open(scene), options)
    path = folder / "out.glb"
    write(export.document, path)
    return export, GltfFile(path)


def degrees(a: Array, b: Array) -> float:
    a, b = (m[:3, :3] / np.linalg.norm(m[:3, :3], axis=0) for m in (a, b))
    return float(np.degrees(2 * np.arcsin(min(1.0, float(np.linalg.norm(a - b)) / np.sqrt(8)))))


def seconds_of(file: GltfFile, animation: int) -> list[float]:
    clip = file.animations[animation]
    times = {round(float(t), 6) for s in clip["samplers"] for t in file.accessor(s["input"])[:, 0]}
    return sorted(times)


@pytest.mark.parametrize("pair", ANIMATED)
def test_the_animation_of_3ds_max(corpus: Path, tmp_path: Path, pair: str) -> None:
    theirs = reference_of(corpus, pair)
    export, ours = exported(corpus / "pairs" / pair / "scene.max", tmp_path)
    unit = metres_per_unit(export.scene_file.scene) if pair in WITHOUT_UNIT else 1.0
    turned = {export.nodes[index].name for index in export.turned}
    names = [clip.get("name") for clip in ours.animations]
    size = theirs.size()
    nodes = poses = 0
    for number, clip in enumerate(theirs.animations):
        name = clip.get("name")
        here = names.index(name) if name in names else 0
        moving = {channel["target"]["node"] for channel in clip["channels"]}
        nodes += len(moving)
        for time in seconds_of(theirs, number):
            pose_a, pose_b = ours.poses(here, time), theirs.poses(number, time)
            for index in moving:
                poses += 1
                name = theirs.nodes[index]["name"]
                (found,) = ours.by_name[name]
                a, b = ours.world(found, pose_a), theirs.world(index, pose_b)
                if pair == AS_MESHES and name in turned:
                    a = a @ UNTURN
                place = float(np.linalg.norm(a[:3, 3] / unit - b[:3, 3]))
                assert place <= POSITION * size, (name, time)
                assert degrees(a, b) <= DEGREES, (name, time)
    assert (nodes, poses) == ANIMATED[pair]


def test_the_weights_of_3ds_max(corpus: Path, tmp_path: Path) -> None:
    theirs = reference_of(corpus, "AnimatedMorphCube")
    _, ours = exported(corpus / "pairs" / "AnimatedMorphCube" / "scene.max", tmp_path)
    compared = 0
    for channel in theirs.animations[0]["channels"]:
        name = theirs.nodes[channel["target"]["node"]]["name"]
        (index,) = ours.by_name[name]
        mesh = ours.json["meshes"][ours.nodes[index]["mesh"]]
        for time in seconds_of(theirs, 0):
            wanted = theirs.poses(0, time)[channel["target"]["node"]]["weights"]
            found = ours.poses(0, time)[index]["weights"]
            assert len(found) == len(mesh["extras"]["targetNames"]) == len(wanted)
            assert np.allclose(found, wanted, atol=1e-6)
            compared += len(found)
    assert compared


def players(export: Export) -> set[int]:
    """Nodes that play what the scene does; others are reported, or hang on such."""
    lost = {
        entry.id
        for entry in export.report.entries
        if entry.kind == "controller"
        and (entry.outcome is Outcome.LEFT_OUT or "shear" in entry.reason)
    }
    lost |= {e.id for e in export.report.entries if e.kind == "node" and "shear" in e.reason}
    out: set[int] = set()
    for index, node in export.scene_nodes.items():
        above = node.parent
        fine = above is None or above.index in out or above.index not in export.scene_nodes
        if fine and export.id_of(node) not in lost and index not in export.sheared:
            out.add(index)
    return out


@pytest.mark.slow
def test_every_scene_plays_as_it_is(max_file: Path) -> None:
    try:
        export = build(maxsidecar.open(max_file), Options(rig_only=True))
    except MaxSidecarError:
        pytest.skip("not a scene that can be opened")
    if not export.document.animations:
        return
    animation = export.document.animations[0]
    clock = clock_of(export)
    frames = clock.frames()
    ticks = frames[np.linspace(0, len(frames) - 1, 12).astype(int)]
    pose = Pose(export.scene_file.scene, ticks, export.rest)
    chosen = players(export)
    pose.prepare([export.scene_nodes[index] for index in chosen])
    wanted = {
        index: np.swapaxes(
            matrices_to_gltf(pose.full(pose.world(export.scene_nodes[index])), export.scale), 1, 2
        )
        for index in chosen
    }
    size = max(1e-3, *(float(np.abs(m[:, :3, 3]).max()) for m in wanted.values()))
    for number, tick in enumerate(ticks):
        # Times are written in 32 bits.
        found = worlds(export.document, animation, float(clock.seconds(tick)))
        for index in chosen:
            a, b = found[id(export.nodes[index])], wanted[index][number]
            if index in export.turned:
                a = a @ UNTURN
            name = export.nodes[index].name
            assert np.abs(a[:3, 3] - b[:3, 3]).max() <= 1e-5 * size, (name, tick)
            scale = max(1.0, float(np.abs(b[:3, :3]).max()))
            assert np.abs(a[:3, :3] - b[:3, :3]).max() <= 5e-5 * scale, (name, tick)
    assert all(isinstance(c.target, model.Node) or c.path for c in animation.channels)
