"""Meshes of ``.ase`` and COLLADA (``.dae``) files."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from tests.support.exported import Array, Exported, of_triangles
from tests.support.mesh_compare import Corners

#: Rows of numbers by word: vertices, faces, map vertices and faces, normals of corners.
Rows = dict[str, list[list[float]]]


def read_ase_meshes(path: Path) -> list[Exported]:
    """Return the meshes, in the world at the time that they are printed for, frame 0 as a rule.

    Normals are printed as they are in the object: the matrix of the node turns them.
    """
    meshes: list[tuple[str, Rows]] = []
    name, times = "", dict[str, int]()
    matrices: Rows = {}
    for line in path.read_text("latin1").splitlines():
        word, *rest = line.split() or [""]
        if word == "*NODE_NAME":
            name = line.split('"')[1]
        elif word == "*SCENE_TICKSPERFRAME":
            times["frame"] = int(rest[0])
        elif word.startswith("*TM_ROW") and word[7:].isdigit():
            matrices.setdefault(name, []).append([float(text) for text in rest[:3]])
        elif word == "*MESH":
            meshes.append((name, {}))
        elif word == "*TIMEVALUE":
            times[name] = int(rest[0])
        elif word == "*MESH_FACE":
            meshes[-1][1].setdefault(word, []).append([float(rest[i]) for i in (2, 4, 6)])
        elif word in ("*MESH_VERTEX", "*MESH_TVERT", "*MESH_TFACE", "*MESH_VERTEXNORMAL"):
            meshes[-1][1].setdefault(word, []).append([float(text) for text in rest[1:4]])
    return [
        _ase_mesh(name, rows, np.array(matrices[name][:3]), times.get(name, 0) // times["frame"])
        for name, rows in meshes
    ]


def _ase_mesh(name: str, rows: Rows, matrix: Array, frame: int) -> Exported:
    def numbers(word: str) -> Array:
        return np.array(rows[word], np.float64)

    faces = numbers("*MESH_FACE").astype(np.int64)
    uv = None
    if "*MESH_TFACE" in rows:
        uv = numbers("*MESH_TVERT")[numbers("*MESH_TFACE").astype(np.int64)][..., :2]
    # Each face names its three corners with their normals, in its order.
    normals = numbers("*MESH_VERTEXNORMAL").reshape(-1, 3, 3) @ np.linalg.inv(matrix).T
    normals = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    corners = Corners(numbers("*MESH_VERTEX")[faces], normals, uv)
    return of_triangles(name, "world", corners, frame=frame, decimals=4)


def read_dae_meshes(path: Path) -> list[Exported]:
    """Return the meshes: ColladaMax keeps the object offset in a node of its own."""
    root = ElementTree.parse(path).getroot()  # noqa: S314 - a file of the corpus
    space = {"c": root.tag.split("}")[0][1:]}
    assert root.findtext("c:asset/c:up_axis", "", space) == "Z_UP"
    names = {
        shown.get("url", "")[1:]: node.get("name", "")
        for node in root.iterfind(".//c:visual_scene/c:node", space)
        for shown in node.iterfind(".//c:instance_geometry", space)
    }
    out = []
    for geometry in root.iterfind(".//c:geometry", space):
        key = geometry.get("id", "")
        if key in names:
            out.append(
                of_triangles(names[key], "object", _dae_corners(geometry, space), decimals=6)
            )
    return out


def _dae_corners(geometry: Any, space: dict[str, str]) -> Corners:
    sources = {
        source.get("id"): np.array(
            source.findtext("c:float_array", "", space).split(), np.float64
        ).reshape(-1, 3)
        for source in geometry.iterfind(".//c:source", space)
    }
    (vertices,) = geometry.iterfind(".//c:vertices", space)
    sources[vertices.get("id")] = sources[vertices.find("c:input", space).get("source")[1:]]
    parts: dict[str, list[Array]] = {}
    for triangles in geometry.iterfind(".//c:triangles", space):
        inputs = triangles.findall("c:input", space)
        index = np.array(triangles.findtext("c:p", "", space).split(), np.int64)
        index = index.reshape(-1, 3, len(inputs))
        for item in inputs:
            rows = sources[item.get("source")[1:]]
            column = index[:, :, int(item.get("offset"))]
            parts.setdefault(item.get("semantic"), []).append(rows[column])
    found = {kind: np.concatenate(rows) for kind, rows in parts.items()}
    uv = found.get("TEXCOORD")
    return Corners(found["VERTEX"], found["NORMAL"], None if uv is None else uv[..., :2])
