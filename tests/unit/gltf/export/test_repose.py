"""Written meshes in another space, or bent: places, directions, the outside."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import ExportedMesh
from maxsidecar.gltf.export.repose import bend, move
from maxsidecar.scene.geometry.mesh import Mesh
from tests.support.skins import about_z, place

POSITIONS = np.array([(0, 0, 0), (2, 0, 0), (0, 1, 0)], np.float32)
NORMALS = np.array([(0, 0, 1)] * 2 + [(1, 0, 0)], np.float32)
TANGENTS = np.array([(1, 0, 0, 1)] * 2 + [(0, 1, 0, -1)], np.float32)


def made(backs: bool = False) -> ExportedMesh:
    source = Mesh.of_triangles(POSITIONS, [(0, 1, 2)])
    attributes = {"POSITION": POSITIONS, "NORMAL": NORMALS, "TANGENT": TANGENTS}
    parts = [model.Primitive(attributes, np.array([0, 1, 2], np.uint32))]
    vertices = [np.arange(3, dtype=np.int32)]
    corners = [np.arange(3)]
    if backs:
        behind = {**attributes, "NORMAL": -NORMALS}
        parts.append(model.Primitive(behind, np.array([2, 1, 0], np.uint32)))
        vertices *= 2
        corners.append(np.arange(3)[::-1])
    mesh = model.Mesh(parts)
    return ExportedMesh(mesh, source, vertices, place(1, 1, 1), corners=corners)


def test_a_mesh_in_another_space() -> None:
    """Normals stay upright where the space is stretched, tangents go along."""
    result, matrix = made(), np.diag([2.0, 1.0, 1.0, 1.0]) @ about_z(90, 0, 0, 5)
    move(result, matrix)
    (primitive,) = result.mesh.primitives
    assert primitive.attributes["POSITION"] == pytest.approx(
        np.array([(0, 0, 5), (0, 4, 5), (-1, 0, 5)]), abs=1e-6
    )
    assert primitive.attributes["NORMAL"] == pytest.approx(
        np.array([(0, 0, 1), (0, 0, 1), (0, 1, 0)]), abs=1e-6
    )
    assert primitive.attributes["TANGENT"] == pytest.approx(
        np.array([(0, 1, 0, 1), (0, 1, 0, 1), (-1, 0, 0, -1)]), abs=1e-6
    )
    assert result.to_gltf == pytest.approx(place(1, 1, 1) @ matrix)
    for column in primitive.attributes.values():
        assert column.dtype == np.float32
    # The arrays that it had are as they were.
    assert POSITIONS.tolist() == [[0, 0, 0], [2, 0, 0], [0, 1, 0]]


def test_a_mirror_turns_triangles_over() -> None:
    result = made(backs=True)
    move(result, np.diag([1.0, 1.0, -1.0, 1.0]))
    front, back = result.mesh.primitives
    assert front.indices is not None
    assert back.indices is not None
    assert (front.indices.tolist(), back.indices.tolist()) == ([2, 1, 0], [0, 1, 2])
    assert [rows.tolist() for rows in result.corners] == [[2, 1, 0], [0, 1, 2]]
    assert front.attributes["NORMAL"][0].tolist() == [0, 0, -1]
    assert front.attributes["TANGENT"][:, 3].tolist() == [-1, -1, 1]


def test_arrays_that_were_shared_are_still() -> None:
    result = made(backs=True)
    bend(result, np.stack([place(n, 0, 0) for n in range(3)]))
    front, back = result.mesh.primitives
    assert front.attributes["POSITION"] is back.attributes["POSITION"]
    assert front.attributes["POSITION"].tolist() == [[0, 0, 0], [3, 0, 0], [2, 1, 0]]
    assert back.attributes["NORMAL"].tolist() == (-NORMALS).tolist()
    assert result.turns is not None
    assert result.turns.shape == (3, 3, 3)


@pytest.mark.parametrize("mirrored", [False, True])
def test_only_triangles_that_are_mirrored_are_turned_over(mirrored: bool) -> None:
    result = made()
    flip = np.diag([-1.0, 1.0, 1.0, 1.0])
    bend(result, np.stack([flip, np.eye(4), np.eye(4)]), mirrored=mirrored)
    (primitive,) = result.mesh.primitives
    assert primitive.indices is not None
    assert primitive.indices.tolist() == ([0, 1, 2] if mirrored else [2, 1, 0])


def test_normals_of_vertices_that_are_crushed_stay() -> None:
    result = made()
    bend(result, np.stack([np.diag([1.0, 1.0, 0.0, 1.0])] * 3))
    (primitive,) = result.mesh.primitives
    assert primitive.attributes["NORMAL"].tolist() == NORMALS.tolist()
