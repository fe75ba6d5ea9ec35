"""Scenes with the glTF file that 3ds Max's own exporter made of them, as triangles to compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import maxsidecar
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.bindings import read_binding
from maxsidecar.scene.skin.carry import carry_binding
from maxsidecar.scene.skin.deform import deform_mesh, joint_matrices
from maxsidecar.scene.skin.rest import rest_matrices
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import Pose
from maxsidecar.scene.units import metres_per_unit
from tests.support.gltf import Array, Gltf
from tests.support.mesh_compare import Corners, Difference, compare
from tests.support.mesh_glb import C, Shown, corner_arrays, shown_nodes

#: Nodes with a mesh in the reference, by pair.
MESH_NODES = {
    "AnimatedMeshCameraLight": 25,
    "AnimatedMorphCube": 2,
    "CartoonHouses": 28,
    "CubePosition": 1,
    "CubeRotation": 1,
    "CustomAttributes": 2,
    "DoubleSidedMaterial": 1,
    "ElfFeet": 2,
    "ElfRun": 1,
    "Instances": 3,
    "LightOrientation": 8,
    "PBR_Textures": 6,
    "RiggedElf": 1,
    "SimpleTriangle": 1,
    "TransparencyMode": 16,
    "UnlitMaterial": 8,
}

#: The exporter wrote lights without rotation, and with them what hangs on them: those nodes are
#: compared as they hang on the light (tests/corpus/test_pairs_corpus.py proves it for the nodes).
LIGHTS_UNTURNED = "AnimatedMeshCameraLight"

SKIN, LIGHT = (0x95C723, 0x15666), 0x30


@dataclass(eq=False)
class Pair:
    """A scene with its reference."""

    name: str
    scene_file: MaxFile
    gltf: Gltf
    shown: dict[str, Shown]
    unit: float


@cache
def load(folder: Path) -> Pair:
    (path,) = folder.glob("*.gltf")
    scene_file = maxsidecar.open(folder / "scene.max")
    shown = {
        item.node.name: item for item in shown_nodes(scene_file, read_time_range(scene_file).start)
    }
    pair = Pair(folder.name, scene_file, Gltf(path), shown, 1.0)
    # Some exporters apply the unit of the scene, some do not; positions of nodes tell which.
    metres = metres_per_unit(scene_file.scene)
    if metres != 1.0:
        for index, node in mesh_nodes(pair.gltf):
            item = shown.get(node)
            if item is not None and not skinned(item.node):
                ours, theirs = our_corners(pair, item).size, their_corners(pair, index, item).size
                pair.unit = metres if abs(theirs / ours - metres) < 0.1 * metres else 1.0
                break
        else:
            pair.unit = metres
    return pair


def mesh_nodes(gltf: Gltf) -> list[tuple[int, str]]:
    return [(i, str(node.get("name"))) for i, node in enumerate(gltf.nodes) if "mesh" in node]


def skinned(node: Node) -> bool:
    obj, steps = node.object, 0
    while isinstance(obj, DerivedObject) and steps < 8:
        for item in obj.modifiers:
            if item is not None and item.is_instance(0x810, SKIN):
                return True
        obj, steps = obj.stands_on, steps + 1
    return False


def our_corners(pair: Pair, item: Shown) -> Corners:
    positions, normals, coordinates = corner_arrays(item.mesh)
    matrix = item.matrix.copy()
    matrix[:3] *= pair.unit
    return moved(Corners(positions, normals, coordinates), matrix)


def moved(corners: Corners, matrix: Array) -> Corners:
    turn = np.linalg.inv(matrix[:3, :3])
    normals = corners.normals @ turn
    normals = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    positions = corners.positions @ matrix[:3, :3].T + matrix[:3, 3]
    out = Corners(positions, normals, corners.coordinates)
    if np.linalg.det(matrix[:3, :3]) < 0:
        out = Corners(
            out.positions[:, ::-1],
            out.normals[:, ::-1],
            None if out.coordinates is None else out.coordinates[:, ::-1],
        )
    return out


def their_corners(pair: Pair, index: int, item: Shown) -> Corners:
    gltf = pair.gltf
    parts = []
    for primitive in gltf.json["meshes"][gltf.nodes[index]["mesh"]]["primitives"]:
        at = primitive["attributes"]
        count = len(gltf.accessor(at["POSITION"]))
        order = (
            gltf.accessor(primitive["indices"])[:, 0].astype(int)
            if "indices" in primitive
            else np.arange(count)
        ).reshape(-1, 3)
        uv = gltf.accessor(at["TEXCOORD_0"])[order] if "TEXCOORD_0" in at else None
        parts.append(
            Corners(gltf.accessor(at["POSITION"])[order], gltf.accessor(at["NORMAL"])[order], uv)
        )
    uvs = [part.coordinates for part in parts if part.coordinates is not None]
    corners = Corners(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate(uvs) if len(uvs) == len(parts) else None,
    )
    world = gltf.world(index)
    parent = item.node.parent
    base = None if parent is None else parent.base_object
    if pair.name == LIGHTS_UNTURNED and parent is not None and base and base.superclass == LIGHT:
        pose = Pose(pair.scene_file.scene, read_time_range(pair.scene_file).start)
        light = C @ pose.world(parent)[0].T @ C.T
        light[:3, 3] *= pair.unit
        world = light @ gltf.local(index)
    return moved(corners, world)


def posed(pair: Pair, item: Shown) -> Shown:
    """Return a node with its mesh as its bones bend it: so the exporter writes skinned meshes."""
    binding = read_binding(item.node)
    if binding is None:
        return item
    scene = pair.scene_file.scene
    time = read_time_range(pair.scene_file).start
    pose = Pose(scene, time, rest_matrices(scene, time).matrices)
    binding = carry_binding(binding, Evaluator(scene, time), item.node.object, item.mesh)
    back = np.linalg.inv(pose.object(item.node)[0])
    return replace(item, mesh=deform_mesh(binding, item.mesh, joint_matrices(binding, pose), back))


@cache
def differences(pair: Pair) -> dict[str, Difference]:
    """Compare every mesh node with its reference."""
    out = {}
    for index, name in mesh_nodes(pair.gltf):
        item = pair.shown[name]
        reference = their_corners(pair, index, item)
        out[name] = compare(our_corners(pair, posed(pair, item)), reference)
    return out
