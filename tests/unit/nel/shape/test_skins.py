"""Weights of vertices, and blocks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxsidecar.nel.shape.geometry import make_geometry
from maxsidecar.nel.shape.matrix_blocks import matrix_blocks
from maxsidecar.nel.shape.mesh_build import MeshBuild, SkinWeights


def chain(bones: int) -> tuple[np.ndarray[Any, Any], SkinWeights]:
    """A strip of faces, face ``i`` moved by the bones ``i`` and ``i + 1``."""
    vertices = 3 * (bones - 1)
    faces = np.arange(vertices).reshape(-1, 3)
    numbers = np.zeros((vertices, 4), np.int32)
    numbers[:, 0] = numbers[:, 2] = numbers[:, 3] = np.arange(vertices) // 3
    numbers[:, 1] = numbers[:, 0] + 1
    weights = np.tile(np.array([0.75, 0.25, 0, 0], np.float32), (vertices, 1))
    return faces, SkinWeights(numbers, weights, [f"bone {n}" for n in range(bones)])


def test_a_block_takes_fifteen_bones() -> None:
    faces, skin = chain(15)
    assert [len(bones) for bones in matrix_blocks(faces, skin).bones] == [15]
    faces, skin = chain(16)
    blocks = matrix_blocks(faces, skin)
    assert blocks.bones[0] == list(range(15))
    assert sorted(blocks.bones[1]) == [14, 15]
    assert blocks.of_face.tolist() == [0] * 14 + [1]


def test_bones_that_blocks_share_stay_where_they_are() -> None:
    """Seven faces fill a block; the eighth needs two of its bones, the other way round."""
    rows = [[0, 2 * n + 1, 2 * n + 2, 0] for n in range(7)] + [[1, 0, 15, 1]]
    skin = SkinWeights(
        np.repeat(np.array(rows, np.int32), 3, axis=0),
        np.tile(np.array([0.5, 0.25, 0.25, 0], np.float32), (24, 1)),
        [str(n) for n in range(16)],
    )
    blocks = matrix_blocks(np.arange(24).reshape(-1, 3), skin)
    assert blocks.bones == [list(range(15)), [0, 1, 15]]
    assert blocks.palette[7].tolist() == [[1, 0, 2, 1]] * 3


def test_palettes_lead_back_to_the_bones() -> None:
    faces, skin = chain(40)
    blocks = matrix_blocks(faces, skin)
    for number, face in enumerate(faces):
        bones = blocks.bones[blocks.of_face[number]]
        found = [[bones[place] for place in corner] for corner in blocks.palette[number].tolist()]
        assert found == skin.bones[face].tolist()


def test_bones_of_a_geometry_are_named_by_block() -> None:
    faces, skin = chain(16)
    build = MeshBuild(
        np.random.default_rng(1).random((len(skin.bones), 3)).astype(np.float32),
        faces.astype(np.int32),
        np.zeros(len(faces), np.int32),
        np.zeros((len(faces), 3, 3), np.float32),
        skin=skin,
    )
    geom = make_geometry(build).geom
    assert geom.skinned
    assert geom.bone_names[:15] == [f"bone {n}" for n in range(15)]
    assert sorted(geom.bone_names[15:]) == ["bone 14", "bone 15"]
    assert geom.matrix_blocks[1].matrix_ids[:2].tolist() == [15, 16]
    assert geom.matrix_blocks[0].num_matrices == 15
    assert geom.vertex_buffer.vertices.dtype.names == (
        "position",
        "normal",
        "weight",
        "palette_skin",
    )
