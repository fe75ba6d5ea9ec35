"""Meshes of ``.fbx`` files.

3ds Max's exporter writes an object's own vertices; its object offset stands in the geometric
transform of the node, and how it turns Z up in the nodes above.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.support.exported import Array, Exported, Ints
from tests.support.fbx import FbxNode, find, read_fbx


def _settings(node: FbxNode) -> dict[bytes, list[Any]]:
    return {
        row.properties[0]: row.properties[4:]
        for block in find(node.children, "Properties70")
        for row in block.children
    }


def _turn(degrees: Array) -> Array:
    """Return the row-vector rotation of angles about x, then y, then z."""
    out = np.eye(3)
    for axis, angle in enumerate(np.radians(degrees)):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        part = np.eye(3)
        part[a, a] = part[b, b] = np.cos(angle)
        part[a, b], part[b, a] = np.sin(angle), -np.sin(angle)
        out = out @ part
    return out


def geometric_transform(model: FbxNode) -> Array:
    """Return the (4, 4) row-vector matrix of a node that its children do not get."""
    found = _settings(model)
    out = np.eye(4)
    scale = found.get(b"GeometricScaling", [1.0, 1.0, 1.0])
    turn = _turn(np.array(found.get(b"GeometricRotation", [0.0, 0.0, 0.0]), np.float64))
    out[:3, :3] = np.diag(np.array(scale, np.float64)) @ turn
    out[3, :3] = found.get(b"GeometricTranslation", [0.0, 0.0, 0.0])
    return out


def _layer(geometry: FbxNode, element: str, values: str, index: str, corners: Ints) -> Array | None:
    """Return what the first layer of a kind gives to each corner."""
    layers = find(geometry.children, element)
    if not layers:
        return None
    parts = {node.name: node for node in layers[0].children}
    width = {"Normals": 3, "UV": 2}[values]
    rows = np.asarray(parts[values].array, np.float64).reshape(-1, width)
    if parts["MappingInformationType"].properties[0] == b"ByVertice":
        return rows[corners]
    assert parts["MappingInformationType"].properties[0] == b"ByPolygonVertex"
    return rows[parts[index].array] if index in parts else rows


def read_fbx_meshes(path: Path) -> list[Exported]:
    """Return the meshes of nodes; instances share theirs."""
    top = read_fbx(path)
    objects = {node.properties[0]: node for node in find(top, "Objects")[0].children}
    out = []
    for link in find(top, "Connections")[0].children:
        geometry, model = (objects.get(number) for number in link.properties[1:3])
        if geometry is None or model is None:
            continue
        if geometry.name != "Geometry" or not find(geometry.children, "PolygonVertexIndex"):
            continue
        raw = np.asarray(find(geometry.children, "PolygonVertexIndex")[0].array, np.int64)
        ends = np.flatnonzero(raw < 0)  # the last corner of a polygon is stored as its complement
        corners = np.where(raw < 0, ~raw, raw)
        matrix = geometric_transform(model)
        rows = np.asarray(find(geometry.children, "Vertices")[0].array, np.float64).reshape(-1, 3)
        normals = _layer(geometry, "LayerElementNormal", "Normals", "NormalsIndex", corners)
        if normals is not None:
            normals = normals @ np.linalg.inv(matrix[:3, :3]).T
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        out.append(
            Exported(
                model.properties[1].split(b"\0")[0].decode("utf-8", "replace"),
                "node",
                rows @ matrix[:3, :3] + matrix[3, :3],
                corners,
                np.concatenate([[0], ends + 1]),
                normals,
                _layer(geometry, "LayerElementUV", "UV", "UVIndex", corners),
            )
        )
    return out
