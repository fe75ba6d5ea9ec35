"""Nodes, keys and cameras against ``.pod``, ``.ase`` and ``.3ds`` exports of the same scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.controllers import EulerXYZ, KeyedController, LookAt
from maxsidecar.scene.controllers.sampling import Sampler
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import Pose
from tests.support.pod import Array, Pod
from tests.support.twins import read_3ds, read_ase

POWERVR = Path("max", "Native_SDK")
ASSIMP = Path("max", "assimp")

#: (scene, export) and how many nodes agree.
PODS = {
    ("Skinning__Media__Man.max", "Skinning__OGLES2__man.pod"): 22,
    ("CubeShadowMapping__Media__scene.max", "CubeShadowMapping__OGLES3__scene.pod"): 12,
    ("ShadowTechniques__Media__Kettle.max", "ShadowTechniques__OGLES__Scene.pod"): 5,
    ("07_IntroducingPOD__Media__scene.max", "07_IntroducingPOD__OGLES__IntroducingPOD.pod"): 6,
    ("07_IntroducingPOD__Media__scene.max", "07_IntroducingPOD__OGLES2__Scene.pod"): 6,
    ("Lighting__Media__Lighting.max", "Lighting__OGLES__LightingScene.pod"): 1,
}

#: Exports of one mesh that hold the identity for their node, whatever the scene says: the sphere is
#: turned by 80.5 degrees in the scene, the cylinder stands 0.006 units from the origin.  Whether
#: the export or a later change of the scene did that cannot be told from the two files.
IDENTITY_PODS = (
    ("StencilBuffer__Media__cylinder.max", "StencilBuffer__OGLES__Cylinder.pod"),
    ("StencilBuffer__Media__sphere.max", "StencilBuffer__OGLES__Sphere.pod"),
)

#: Row vectors: (x, y, z) to (x, z, -y).
C = np.eye(4)
C[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]


def first_of(scene_file: MaxFile) -> dict[str, Node]:
    out: dict[str, Node] = {}
    for node in scene_file.nodes.values():
        out.setdefault(node.name, node)
    return out


def open_pod(corpus: Path, scene: str, export: str) -> tuple[MaxFile, Pod]:
    return maxsidecar.open(corpus / POWERVR / scene), Pod(corpus / POWERVR / export)


def unsolved(pose: Pose, node: Node) -> str | None:
    """Return why a node, or one above it, is not where 3ds Max puts it."""
    while True:
        controller = node.controller
        reason = getattr(controller, "reason", None)
        if reason is not None:
            return str(reason)
        parent = node.parent
        if parent is None:
            return None
        node = parent


@pytest.mark.parametrize(("scene", "export"), PODS)
def test_nodes_of_pod_files(corpus: Path, scene: str, export: str) -> None:
    """Every frame of every node: geometry has its pivot offset, other nodes have not."""
    scene_file, pod = open_pod(corpus, scene, export)
    span = read_time_range(scene_file)
    assert (pod.rate, pod.frames) in (
        (span.frame_rate, span.frame_count),
        (span.frame_rate, 1),  # exported without animation
    )
    pose = Pose(scene_file.scene, span.start + np.arange(pod.frames) * span.ticks_per_frame)
    nodes, worlds = first_of(scene_file), pod.worlds()
    size = float(np.linalg.norm(np.ptp([w[0, 3, :3] for w in worlds], axis=0))) or 1.0
    agree, reasons = 0, set()
    for number, (pod_node, theirs) in enumerate(zip(pod.nodes, worlds, strict=True)):
        node = nodes.get(pod_node.name)
        if node is None:
            # The exporter makes up targets for free cameras and lights.
            assert pod_node.name.removesuffix("Target") in nodes
            continue
        reason = unsolved(pose, node)
        if reason is not None:
            reasons.add(reason.partition(": ")[0].split()[0])
            continue
        mesh = number < pod.mesh_nodes
        ours = C.T @ pose.full(pose.object(node) if mesh else pose.world(node)) @ C
        assert np.linalg.norm(ours[:, 3, :3] - theirs[:, 3, :3], axis=1).max() <= 1e-6 * size
        # 3ds Max works in 32-bit floats, so errors grow along a chain of bones.
        assert np.abs(ours[:, :3, :3] - theirs[:, :3, :3]).max() <= 3e-5, node.name
        agree += 1
    assert agree == PODS[scene, export]
    expected = {"Skinning__Media__Man.max": {"inverse", "IKControl", "Orientation"}} | {
        "CubeShadowMapping__Media__scene.max": {"Path"}
    }
    assert reasons <= expected.get(scene, set())


@pytest.mark.parametrize(("scene", "export"), IDENTITY_PODS)
def test_pod_files_that_hold_no_transform(corpus: Path, scene: str, export: str) -> None:
    _, pod = open_pod(corpus, scene, export)
    assert len(pod.nodes) == 1
    assert np.array_equal(pod.worlds()[0][0], np.eye(4))


@pytest.mark.parametrize(("scene", "export"), [pair for pair in PODS if "Lighting_" not in pair[0]])
def test_cameras_of_pod_files(corpus: Path, scene: str, export: str) -> None:
    scene_file, pod = open_pod(corpus, scene, export)
    nodes = first_of(scene_file)
    count = 0
    for pod_node in pod.nodes[pod.mesh_nodes :]:
        node = nodes.get(pod_node.name)
        base = node.base_object if node is not None else None
        if base is None or base.superclass != 0x20:
            continue
        block = base.param_blocks[0]
        fov, near, far = (block.get(number) for number in (0, 2, 3))
        assert fov is not None
        assert near is not None
        assert far is not None
        angle = fov.value
        if angle is None:  # a controller holds it
            assert isinstance(fov.controller, KeyedController)
            angle = float(fov.controller.evaluate(0))
        theirs = pod.camera(pod_node.object)
        assert np.allclose((angle, near.value, far.value), theirs, rtol=1e-7)
        count += 1
    assert count == 1


# --- .ase and .3ds -------------------------------------------------------------------------------


def assimp(corpus: Path, name: str) -> MaxFile:
    return maxsidecar.open(corpus / ASSIMP / f"models__SourceFiles__{name}.max")


def quaternion(axis_angle: list[float]) -> Array:
    """Return the rotation of an ``.ase`` sample; angles turn clockwise there."""
    *axis, angle = axis_angle
    length = float(np.linalg.norm(axis)) or 1.0
    return np.array([*(-np.sin(angle / 2) * np.array(axis) / length), np.cos(angle / 2)])


def product(a: Array, b: Array) -> Array:
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return np.array(
        [
            aw * bx + bw * ax + ay * bz - az * by,
            aw * by + bw * ay + az * bx - ax * bz,
            aw * bz + bw * az + ax * by - ay * bx,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def rows(q: Array) -> Array:
    """Return the row-vector matrix of a rotation."""
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize(
    ("name", "export", "samples"),
    [("CameraRollAnim", "CameraRollAnim.ase", 100), ("RotatingCube", "RotatingCube.ASE", 150)],
)
def test_ase_files(corpus: Path, name: str, export: str, samples: int) -> None:
    """Matrices to the four decimals that are printed, and turns that add up frame by frame."""
    scene_file = assimp(corpus, name)
    nodes = first_of(scene_file)
    count = 0
    for label, theirs in read_ase(corpus / ASSIMP / f"models__ASE__{export}").items():
        node = nodes[label]
        assert np.abs(node.world_matrix(0) - theirs.matrix()).max() <= 6e-5, label
        total = np.array([0.0, 0.0, 0.0, 1.0])
        times = np.array([time for time, _ in theirs.turns])
        if not len(times):
            continue
        ours = node.world_matrix(times)[:, :3, :3]
        for matrix, (_, turn) in zip(ours, theirs.turns, strict=True):
            total = product(quaternion(turn), total)
            # Four printed decimals per turn, and their errors add up.
            assert np.abs(matrix - rows(total)).max() <= 2e-3, label
            count += 1
    assert count > samples


def test_camera_of_an_ase_file(corpus: Path) -> None:
    scene_file = assimp(corpus, "CameraRollAnim")
    camera, target = (first_of(scene_file)[name] for name in ("Camera01", "Camera01.Target"))
    theirs = read_ase(corpus / ASSIMP / "models__ASE__CameraRollAnim.ase")["Camera01"].numbers
    assert camera.base_object is not None
    block = camera.base_object.param_blocks[0]
    ours = {name: block.get(number) for name, number in (("FOV", 0), ("NEAR", 4), ("FAR", 5))}
    for name, parameter in ours.items():
        assert parameter is not None
        assert parameter.value == pytest.approx(theirs[name], abs=5e-5)
    # A target camera's own distance is not kept up to date; that to its target is.
    apart = camera.world_matrix()[3, :3] - target.world_matrix()[3, :3]
    assert np.linalg.norm(apart) == pytest.approx(theirs["TDIST"], abs=6e-5)


def test_keys_of_a_camera_in_a_3ds_file(corpus: Path) -> None:
    scene_file = assimp(corpus, "CameraRollAnim")
    nodes = first_of(scene_file)
    tracks = read_3ds(corpus / ASSIMP / "models__3DS__CameraRollAnim.3ds")
    look_at = nodes["Camera01"].controller
    assert isinstance(look_at, LookAt)
    roll = look_at.roll
    assert isinstance(roll, KeyedController)
    assert roll.keys is not None
    per_frame = read_time_range(scene_file).ticks_per_frame
    camera = tracks["camera", "Camera01"]
    assert [frame for frame, _ in camera["roll"]] == list(roll.keys["time"] / per_frame)
    # Degrees there, and clockwise.
    degrees = np.array([value for _, (value,) in camera["roll"]])
    assert np.allclose(degrees, -np.degrees(roll.keys["value"]), rtol=1e-6)
    assert np.allclose(
        camera["position"][0][1], nodes["Camera01"].world_matrix()[3, :3], rtol=0, atol=1e-5
    )
    assert np.allclose(
        tracks["target", "Camera01"]["position"][0][1],
        nodes["Camera01.Target"].world_matrix()[3, :3],
        rtol=0,
        atol=1e-5,
    )
    base = nodes["Camera01"].base_object
    assert base is not None
    fov = base.param_blocks[0].get(0)
    assert fov is not None
    assert camera["fov"][0][1][0] == pytest.approx(np.degrees(fov.value), rel=1e-6)


def test_turns_of_a_3ds_file(corpus: Path) -> None:
    """182 keys, each a turn since the one before: angle, then axis."""
    scene_file = assimp(corpus, "RotatingCube")
    node = first_of(scene_file)["Box01"]
    tracks = read_3ds(corpus / ASSIMP / "models__3DS__RotatingCube.3DS")["object", "Box01"]
    assert len(tracks["rotation"]) == 182
    per_frame = read_time_range(scene_file).ticks_per_frame
    times = np.array([frame * per_frame for frame, _ in tracks["rotation"]])
    ours = node.world_matrix(times)[:, :3, :3]
    total = np.array([0.0, 0.0, 0.0, 1.0])
    for matrix, (_, (angle, *axis)) in zip(ours, tracks["rotation"], strict=True):
        total = product(quaternion([*axis, angle]), total)
        assert np.abs(matrix - rows(total)).max() <= 1e-4
    position = tracks["position"][0][1]
    assert np.allclose(position, node.world_matrix()[3, :3], rtol=0, atol=1e-5)


def test_angles_are_not_conjugated(corpus: Path) -> None:
    """The first key of the cube turns X by -0.1425; the ``.ase`` prints 0.1425 clockwise."""
    node = first_of(assimp(corpus, "RotatingCube"))["Box01"]
    euler = node.controller.reference(1) if node.controller is not None else None
    assert isinstance(euler, EulerXYZ)
    angles = Sampler(np.zeros(1)).angles(euler)[0]
    assert angles == pytest.approx([-0.1425, 0.0, 0.0], abs=5e-5)
