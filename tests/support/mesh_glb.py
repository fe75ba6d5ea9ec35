"""A plain GLB writer: every node that shows a mesh, with its triangles in place, nothing else.

Made for measuring: no material, no hierarchy, no welding; three vertices for each triangle.

    python -m tests.support.mesh_glb SCENE.max OUT.glb
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import numpy.typing as npt

import maxsidecar
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import triangle_normals
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import Pose

Array = npt.NDArray[np.float64]

#: Column vectors: Z up to Y up.
C = np.eye(4)
C[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]


@dataclass(frozen=True)
class Shown:
    """A node with its mesh and its column-vector matrix, object to world, Y up."""

    node: Node
    evaluation: Evaluation
    mesh: Mesh
    matrix: Array


def shown_nodes(scene_file: MaxFile, time: int = 0) -> list[Shown]:
    """Return the nodes of a scene that show a mesh."""
    evaluator, pose = Evaluator(scene_file.scene, time), Pose(scene_file.scene, time)
    out = []
    for node in scene_file.nodes.values():
        evaluation = evaluator.node(node)
        mesh = evaluation.mesh
        if mesh is not None and len(mesh.triangles):
            matrix = pose.full(pose.object(node)).T
            out.append(Shown(node, evaluation, mesh, C @ matrix @ C.T))
    return out


def corner_arrays(mesh: Mesh) -> tuple[Array, Array, Array | None]:
    """Return positions, normals (t, 3, 3) and map channel 1 (t, 3, 2), Y up and v downwards."""
    turn = C[:3, :3].T
    positions = mesh.positions.astype(np.float64)[mesh.faces] @ turn
    normals = triangle_normals(mesh).astype(np.float64) @ turn
    channel = mesh.maps.get(1)
    if channel is None:
        return positions, normals, None
    coordinates = channel.vertices[channel.corners[mesh.triangles]].astype(np.float64)
    return positions, normals, np.stack([coordinates[..., 0], 1 - coordinates[..., 1]], axis=-1)


def write_glb(scene_file: MaxFile, path: Path, time: int = 0) -> None:
    """Write the meshes of a scene."""
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []
    meshes: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    blob = bytearray()
    by_mesh: dict[int, int] = {}

    def add(rows: Array) -> int:
        data = np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]), "<f4")
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": data.nbytes})
        blob.extend(data.tobytes())
        accessors.append(
            {
                "bufferView": len(views) - 1,
                "componentType": 5126,
                "count": len(data),
                "type": f"VEC{data.shape[1]}",
                "min": data.min(axis=0).tolist(),
                "max": data.max(axis=0).tolist(),
            }
        )
        return len(accessors) - 1

    for shown in shown_nodes(scene_file, time):
        if id(shown.mesh) not in by_mesh:
            positions, normals, coordinates = corner_arrays(shown.mesh)
            attributes = {"POSITION": add(positions), "NORMAL": add(normals)}
            if coordinates is not None:
                attributes["TEXCOORD_0"] = add(coordinates)
            by_mesh[id(shown.mesh)] = len(meshes)
            meshes.append({"primitives": [{"attributes": attributes}]})
        nodes.append(
            {
                "name": shown.node.name,
                "mesh": by_mesh[id(shown.mesh)],
                "matrix": shown.matrix.T.reshape(-1).tolist(),
            }
        )
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": meshes,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(blob)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    blob.extend(bytes(-len(blob) % 4))
    size = 12 + 8 + len(text) + 8 + len(blob)
    head = pack("<4s2I", b"glTF", 2, size) + pack("<I4s", len(text), b"JSON")
    path.write_bytes(head + text + pack("<I4s", len(blob), b"BIN\0") + bytes(blob))


if __name__ == "__main__":
    write_glb(maxsidecar.open(sys.argv[1]), Path(sys.argv[2]))
