"""Editable Meshes against the shapes that NeL's own 3ds Max plug-in made of them.

A shape holds the triangles of a mesh by material, in another order, with one vertex for each
different corner.  (spec: nel-pairs.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.nel.serial import read_file
from maxsidecar.scene.geometry.normals import Weighting, triangle_normals
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import object_offset
from tests.support.mesh_compare import Corners, compare


@dataclass(frozen=True)
class Row:
    """A node and its shape.

    Attributes:
        scene: The scene.
        node: Name of the node.
        shape: What was made of it.
        weighting: How that release weighs face normals.
        folded: Corners where faces are folded back, so that their normals cancel out to 1e-5 and
            rounding decides where the rest points.
        moved: Vertices that are not bit-equal.
    """

    scene: str
    node: str
    shape: str
    weighting: Weighting
    folded: int = 0
    moved: int = 0


FLAT = "snow_target_50_flat"
ROWS = (
    Row("1f98a6dd__snow_target_50", "Score50", "a9624e80__snow_target_50", "angle"),
    Row("1f98a6dd__snow_target_50", "Score50", "c4d05e24__snow_target_50", "unit"),
    Row(f"5097d926__{FLAT}", FLAT, f"e6ed33f3__{FLAT}", "angle", 64),
    Row(f"5097d926__{FLAT}", FLAT, f"3a6a6006__{FLAT}", "angle", 64),
    Row(f"792863e8__{FLAT}", FLAT, f"6a2b48db__{FLAT}", "angle", 86),
    Row(f"004d7a8f__{FLAT}", "Score50", f"6a2b48db__{FLAT}", "angle", 86),
    Row("c7940fbe__entity_pingoo_open", "Ping_Ball_fly", "9afac756__entity_pingoo_open", "unit"),
    Row("f9f37e6d__entity_pingoo_open", "Ping_Ball_fly", "9afac756__entity_pingoo_open", "unit"),
    Row("52131831__snow_funnel", "Tube01", "753b661d__snow_funnel", "angle", 0, 24),
    Row("52131831__snow_funnel", "Tube01", "1635b2d3__snow_funnel", "angle", 0, 24),
)

#: Largest differences of normals, and of positions in units of the scene.
NORMAL, POSITION = 2e-7, 1.3e-7


def shape_corners(path: Path) -> tuple[Corners, npt.NDArray[np.float32]]:
    """Return the triangles of a shape, and the positions of its vertices."""
    geom = read_file(path).content.geom
    vertices = geom.vertex_buffer.vertices
    lists = [rdr.primitives for block in geom.matrix_blocks for rdr in block.rdr_passes]
    indices = [part.indices if part.number else part.triangles_v0.indices for part in lists]
    faces = np.concatenate(indices).astype(np.int64).reshape(-1, 3)
    return (
        Corners(
            vertices["position"][faces].astype(np.float64),
            vertices["normal"][faces].astype(np.float64),
            vertices["uv0"][faces].astype(np.float64),
        ),
        vertices["position"],
    )


def node_corners(node: Node, weighting: Weighting) -> tuple[Corners, npt.NDArray[np.float32]]:
    """Return the triangles of a node with its pivot applied, and the positions of its vertices."""
    mesh = node.evaluate_mesh().mesh
    assert mesh is not None
    offset = object_offset(node)
    if np.array_equal(offset[:3, :3], np.eye(3)):
        positions = mesh.positions + offset[3, :3].astype(np.float32)
    else:
        rows = offset.astype(np.float32)
        x, y, z = (mesh.positions[:, axis, None] * rows[axis, :3] for axis in range(3))
        positions = x + y + z + rows[3, :3]
    normals = triangle_normals(mesh, weighting).astype(np.float64) @ np.linalg.inv(offset[:3, :3]).T
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    channel = mesh.maps[1]
    uv = channel.vertices[channel.corners[mesh.triangles]].astype(np.float32)
    coordinates = np.stack([uv[..., 0], 1 - uv[..., 1]], axis=-1)
    corners = Corners(
        positions[mesh.faces].astype(np.float64), normals, coordinates.astype(np.float64)
    )
    return corners, positions


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.scene}-{row.shape}")
def test_meshes_are_those_of_the_shapes(corpus: Path, row: Row) -> None:
    folder = corpus / "nel-pairs" / "mtp-target"
    scene_file = maxsidecar.open(folder / f"{row.scene}.max")
    (node,) = scene_file.nodes.find(row.node)
    theirs, their_points = shape_corners(folder / f"{row.shape}.shape")
    ours, points = node_corners(node, row.weighting)
    found = compare(ours, theirs)
    assert found.ours == found.reference
    assert found.matched == 1
    assert found.coordinates == 0
    assert found.gaps is not None
    assert int((found.gaps > NORMAL).sum()) == row.folded
    assert found.hausdorff * theirs.size <= POSITION
    bits = {point.tobytes() for point in their_points} - {point.tobytes() for point in points}
    assert len(bits) == row.moved
