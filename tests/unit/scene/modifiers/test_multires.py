"""MultiRes on bytes made by hand: five vertices and three triangles."""

from __future__ import annotations

from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support.scenes import u32
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE

MULTI_RES = (0x6A9E4C6B, 0x494744DD)


def stack(vertices: int, faces: int, left: int, *, head: bytes = b"MRM 1.0".ljust(32)) -> Stack:
    local: list[ChunkTree] = [(0x0000, head + u32(vertices, faces)), (0x0002, u32(left))]
    return Stack([Layer(MULTI_RES, [], local=local)])


def test_with_all_vertices_the_mesh_stays() -> None:
    mesh = stack(5, 3, 5).mesh()
    assert mesh.positions.tolist() == [list(map(float, row)) for row in SQUARE]
    assert mesh.polygon_count == 3


def test_with_fewer_it_is_not_evaluated() -> None:
    assert stack(5, 3, 4).reasons() == ["it leaves 4 of 5 vertices"]


def test_another_mesh_is_refused() -> None:
    assert stack(6, 4, 6).reasons() == [
        "it was made for 6 vertices and 4 faces, and there are 5 and 3"
    ]


def test_damaged_data_is_told() -> None:
    assert stack(5, 3, 5, head=b"").reasons() == ["it does not tell what it was made of"]
    assert Stack([Layer(MULTI_RES, [])]).reasons() == ["it does not tell what it was made of"]
