"""Node matrices against the glTF files that 3ds Max's own exporter made of the same scenes.

Scenes have Z up and row vectors, glTF has Y up and column vectors: with C: (x, y, z) to (x, z, -y)
a mesh, bone or helper with world matrix M is ``C · transpose(M) · inverse(C)`` there.  A camera or
light is ``C · transpose(M)``: in both worlds it looks along its own -Z, so only the world turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import Pose
from maxsidecar.scene.units import metres_per_unit
from tests.support.gltf import Array, Gltf

PAIRS = (
    "AnimatedMeshCameraLight",
    "AnimatedMorphCube",
    "CartoonHouses",
    "CubePosition",
    "CubeRotation",
    "CustomAttributes",
    "DoubleSidedMaterial",
    "ElfFeet",
    "ElfRun",
    "Instances",
    "LightOrientation",
    "PBR_Textures",
    "RiggedElf",
    "SimpleTriangle",
    "TransparencyMode",
    "UnlitMaterial",
)
ANIMATED = (
    "AnimatedMeshCameraLight",
    "CubePosition",
    "CubeRotation",
    "ElfFeet",
    "ElfRun",
    "LightOrientation",
    "RiggedElf",
)

#: Exports of scenes that do not count in metres, by exporters that took no notice of the unit:
#: their numbers are those of the scene.
WITHOUT_UNIT = ("AnimatedMorphCube", "CartoonHouses", "Instances", "LightOrientation")

CAMERA, LIGHT = 0x20, 0x30

#: What some exporters made of cameras and lights instead of ``C · transpose(M)``.
FORMS = {
    # The exporter of 2017 turned cameras as if they were meshes, so they look up there.
    ("AnimatedMeshCameraLight", CAMERA): "mesh",
    # The same exporter wrote lights without rotation.  (Their animation has it, as a mesh's.)
    ("AnimatedMeshCameraLight", LIGHT): "unturned",
    # Later builds turned lights by +90 instead of -90 degrees about X: they shine backwards.
    ("CartoonHouses", LIGHT): "backwards",
    ("CustomAttributes", LIGHT): "backwards",
}

CAMERAS_THE_EXPORTER_SKIPS = {"DoubleSidedMaterial": {"PhysCamera001", "PhysCamera001.Target"}}

#: Largest differences: of positions in scene sizes, of matrices and scales in their own size, and
#: of rotations.  What is left is that the reference is written in 32-bit floats.
POSITION, MATRIX, DEGREES = 5e-7, 5e-6, 0.001

C = np.eye(4)
C[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
TURN_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])  # +90° about X


def load(corpus: Path, pair: str) -> tuple[MaxFile, Gltf]:
    folder = corpus / "pairs" / pair
    (gltf,) = folder.glob("*.gltf")
    return maxsidecar.open(folder / "scene.max"), Gltf(gltf)


def factor(pair: str, scene_file: MaxFile) -> float:
    return 1.0 if pair in WITHOUT_UNIT else metres_per_unit(scene_file.scene)


def superclass(node: Node) -> int:
    return (node.base_object.superclass if node.base_object else None) or 0


def converted(world: Array, node: Node, pair: str, unit: float) -> Array:
    """Return what a world matrix should be in the reference."""
    kind = superclass(node)
    form = FORMS.get((pair, kind), "look") if kind in (CAMERA, LIGHT) else "mesh"
    out = C @ world.T
    if form != "look":
        out = out @ C.T
    if form == "backwards":
        out = out @ TURN_UP
    if form == "unturned":
        out[:3, :3] = np.eye(3)
    out[:3, 3] *= unit
    return np.asarray(out)


def matched(scene_file: MaxFile, gltf: Gltf) -> Iterator[tuple[Node, int]]:
    for node in scene_file.nodes.values():
        found = gltf.by_name.get(node.name, [])
        if len(found) == 1:
            yield node, found[0]


def degrees(a: Array, b: Array) -> float:
    """Return the angle between two rotations, whatever their scale."""
    a = a / np.linalg.norm(a, axis=0)
    b = b / np.linalg.norm(b, axis=0)
    return float(np.degrees(2 * np.arcsin(min(1.0, float(np.linalg.norm(a - b)) / np.sqrt(8)))))


@pytest.mark.parametrize("pair", PAIRS)
def test_world_matrices_at_rest(corpus: Path, pair: str) -> None:
    scene_file, gltf = load(corpus, pair)
    unit, size = factor(pair, scene_file), gltf.size()
    pose = Pose(scene_file.scene, read_time_range(scene_file).start)
    below_lights = 0
    count = 0
    for node, index in matched(scene_file, gltf):
        count += 1
        ours = converted(pose.world(node)[0], node, pair, unit)
        theirs = gltf.world(index)
        parent = node.parent
        if parent is not None and FORMS.get((pair, superclass(parent))) == "unturned":
            # The light above has lost its rotation in the reference, and so has what hangs on it.
            below_lights += 1
            theirs = converted(pose.world(parent)[0], node, pair, unit) @ gltf.local(index)
        assert np.linalg.norm(ours[:3, 3] - theirs[:3, 3]) <= POSITION * size, node.name
        scale = max(1.0, float(np.abs(theirs[:3, :3]).max()))
        assert np.abs(ours[:3, :3] - theirs[:3, :3]).max() <= MATRIX * scale, node.name
    assert count
    assert below_lights == (8 if pair == "AnimatedMeshCameraLight" else 0)
    assert not pose.problems.keys() - problems_of_scripts(scene_file)


def problems_of_scripts(scene_file: MaxFile) -> set[int]:
    """Return the controllers that are scripts: they sit on hidden nodes that are not exported."""
    return {obj.index for obj in scene_file.scene if obj.class_id and obj.class_id.a == 0x7C8F3A2A}


@pytest.mark.parametrize("pair", PAIRS)
def test_every_node_is_compared(corpus: Path, pair: str) -> None:
    """What the reference lacks is hidden or the root, or a camera that the exporter skips."""
    scene_file, gltf = load(corpus, pair)
    names = {node.name for node, _ in matched(scene_file, gltf)}
    skipped = CAMERAS_THE_EXPORTER_SKIPS.get(pair, set())
    for node in scene_file.nodes.values():
        if node.name not in names | skipped and node is not scene_file.nodes.root:
            assert node.flag("hidden"), node.name


def clip_start(scene_file: MaxFile, name: str | None) -> int:
    """Return the tick at which a clip begins: the root's text lists ``name;start;end;...``."""
    for line in scene_file.nodes.root.scene_text.splitlines() if scene_file.nodes.root else ():
        parts = line.partition("=")[2].strip().split(";")
        if name and parts[0] == name and len(parts) > 2:
            return int(parts[1])
    return read_time_range(scene_file).start


@pytest.mark.parametrize("pair", ANIMATED)
def test_animated_nodes(corpus: Path, pair: str) -> None:
    """World and local matrices at the key times of the reference.

    World matrices are compared where the node and all that is above it have a key, since between
    its keys the reference interpolates on its own.
    """
    scene_file, gltf = load(corpus, pair)
    unit, size = factor(pair, scene_file), gltf.size()
    nodes = {index: node for node, index in matched(scene_file, gltf)}
    worlds = locals_ = 0
    for number, clip in enumerate(gltf.json["animations"]):
        tracks = gltf.tracks(number)
        start = clip_start(scene_file, clip.get("name"))
        for index in tracks:
            worlds += compare_worlds(
                scene_file, gltf, pair, unit, size, tracks, index, nodes, start
            )
            locals_ += compare_locals(
                scene_file, pair, unit, size, tracks[index], nodes[index], start
            )
    expected = {
        "AnimatedMeshCameraLight": (503, 989),
        "CubePosition": (91, 91),
        "CubeRotation": (34, 34),
        "ElfFeet": (2299, 2536),
        "ElfRun": (389, 419),
        "LightOrientation": (27, 27),
        "RiggedElf": (2712, 8136),
    }
    assert (worlds, locals_) == expected[pair]


Tracks = dict[int, dict[str, tuple[Array, Array]]]


def form_of_animation(pair: str) -> str:
    # The exporter of 2017 writes the animation of lights and cameras as that of meshes.
    return "mesh" if pair == "AnimatedMeshCameraLight" else "look"


def animated(world: Array, node: Node, pair: str, unit: float) -> Array:
    out = C @ world.T
    if superclass(node) not in (CAMERA, LIGHT) or form_of_animation(pair) == "mesh":
        out = out @ C.T
    out[:3, 3] *= unit
    return np.asarray(out)


def ticks(times: Array, start: int) -> Array:
    """Return seconds of a clip as ticks of the scene; keys lie on whole ticks."""
    return np.round(times * 4800) + start


def compare_worlds(
    scene_file: MaxFile,
    gltf: Gltf,
    pair: str,
    unit: float,
    size: float,
    tracks: Tracks,
    index: int,
    nodes: dict[int, Node],
    start: int,
) -> int:
    chain = [i for i in gltf.chain(index) if i in tracks]
    keyed = [{round(float(t), 5) for t in ts} for i in chain for ts, _ in tracks[i].values()]
    common = np.array(sorted(set.intersection(*keyed)))
    pose = Pose(scene_file.scene, ticks(common, start))
    node = nodes[index]
    ours = pose.full(pose.world(node))
    for number, time in enumerate(common):
        poses = {
            i: {path: v[np.argmin(np.abs(ts - time))] for path, (ts, v) in tracks[i].items()}
            for i in chain
        }
        a, b = animated(ours[number], node, pair, unit), gltf.world(index, poses)
        assert np.linalg.norm(a[:3, 3] - b[:3, 3]) <= POSITION * size, (node.name, time)
        assert degrees(a[:3, :3], b[:3, :3]) <= DEGREES, (node.name, time)
        sizes = np.linalg.norm(a[:3, :3], axis=0), np.linalg.norm(b[:3, :3], axis=0)
        assert np.abs(sizes[0] - sizes[1]).max() <= MATRIX * max(1.0, sizes[1].max())
    return len(common)


def compare_locals(
    scene_file: MaxFile,
    pair: str,
    unit: float,
    size: float,
    track: dict[str, tuple[Array, Array]],
    node: Node,
    start: int,
) -> int:
    count = 0
    for path, (times, values) in track.items():
        pose = Pose(scene_file.scene, ticks(times, start))
        for ours, theirs in zip(pose.full(pose.local(node)), values, strict=True):
            matrix = animated(ours, node, pair, unit)
            if path == "translation":
                assert np.linalg.norm(matrix[:3, 3] - theirs) <= POSITION * size, node.name
            elif path == "scale":
                lengths = np.linalg.norm(matrix[:3, :3], axis=0)
                assert np.abs(lengths - theirs).max() <= MATRIX * max(1.0, theirs.max()), node.name
            else:
                x, y, z, w = theirs
                turn = np.array(
                    [
                        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
                    ]
                )
                assert degrees(matrix[:3, :3], turn) <= DEGREES, node.name
            count += 1
    return count
