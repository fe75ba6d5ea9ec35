"""Views of modifiers that change the shape, on bytes made by hand."""

from __future__ import annotations

import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.modifiers.shape_views import FFD3, MeshSmooth, Mirror, Symmetry
from tests.support.scenes import f32, u32
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import bits


@pytest.mark.parametrize(
    ("class_id", "view", "chunks", "names"),
    [
        (
            (0x21325596, 0x2CD10BD9),
            FFD3,
            [(0x0100, [(0x2700, bits("1" * 27))]), (0x0200, f32(*[0.5] * 81)), (0x0300, u32(1))],
            {"selected.bits", "points", "chunk_0300"},
        ),
        ((0x2D7E702B, 0x0BE41A6E), Symmetry, [(0x1000, u32(200))], {"version"}),
        ((0xEF92AA7C, 0x511BBE75), Mirror, [(0x1000, u32(1))], {"spline_method"}),
        ((0x32, 0x7F9E), MeshSmooth, [(0x0700, u32(0))], {"chunk_0700"}),
    ],
)
def test_chunks_are_decoded_and_encode_to_the_same_bytes(
    class_id: tuple[int, int], view: type, chunks: list[ChunkTree], names: set[str]
) -> None:
    stack = Stack([Layer(class_id, chunks)])
    obj = stack.scene[stack.modifiers[0]]
    assert type(obj) is view
    leaves = {name: (chunk, codec) for chunk, name, codec in obj.typed_leaves()}
    assert names <= set(leaves)
    for name in names:
        chunk, codec = leaves[name]
        assert bytes(codec.encode(codec.decode(chunk.data))) == bytes(chunk.data)


def test_what_mesh_smooth_keeps_on_the_object() -> None:
    stack = Stack([Layer((0x32, 0x7F9E), local=[(0x0530, u32(2, 0, 0))])])
    names = [name for _, name, _ in stack.derived.typed_leaves()]
    assert "contexts[0].local.chunk_0530" in names
