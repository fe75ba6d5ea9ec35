"""Operations of an Edit Poly, and small meshes to do them on."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support.scenes import f32, u32
from tests.support.stacks import EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import bits, edge, face, poly_chunks, vertex

EDIT_POLY = (0x79AA6E1D, 0x71A075B7)


def op(
    number: int,
    selection: str | None = None,
    data: Sequence[ChunkTree] | None = None,
    more: Sequence[ChunkTree] = (),
    **parameters: float | int,
) -> list[ChunkTree]:
    """Return an operation; parameters are called ``p37``."""
    basics: list[ChunkTree] = []
    if selection is not None:
        basics.append((0x0400, [(0x2700, bits(selection))]))
    for name, value in parameters.items():
        body = f32(value) if isinstance(value, float) else pack("<i", value)
        basics.append((0x0410, pack("<i", int(name[1:])) + body))
    out: list[ChunkTree] = [(0x0230, u32(number)), (0x0234, [(0x0600, basics), *more])]
    return out if data is None else [*out, (0x0238, data)]


def moves(*rows: Sequence[float]) -> list[ChunkTree]:
    return [(0x12C3, u32(len(rows))), (0x12C4, b"".join(f32(*row) for row in rows))]


def grid() -> list[ChunkTree]:
    """Return nine vertices and four squares of length 4, x first."""
    corners = [(0, 1, 4, 3), (1, 2, 5, 4), (3, 4, 7, 6), (4, 5, 8, 7)]
    pairs = [(0, 1), (1, 4), (4, 3), (3, 0), (1, 2), (2, 5), (5, 4), (4, 7), (7, 6), (6, 3)]
    return poly_chunks(
        [vertex(4 * x, 4 * y, 0) for y in range(3) for x in range(3)],
        [edge(*pair) for pair in [*pairs, (5, 8), (8, 7)]],
        [face(ring, diagonals=(2, 0)) for ring in corners],
    )


def cube() -> list[ChunkTree]:
    corners = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
    pairs = [(0, 2), (2, 3), (3, 1), (1, 0), (4, 5), (5, 7), (7, 6), (6, 4)]
    return poly_chunks(
        [vertex(4 * (n & 1), 2 * (n & 2), n & 4) for n in range(8)],
        [edge(*pair) for pair in [*pairs, (1, 5), (4, 0), (3, 7), (2, 6)]],
        [face(ring, diagonals=(2, 0)) for ring in corners],
    )


def on(base: list[ChunkTree], *chunks: Sequence[ChunkTree]) -> Stack:
    local = [entry for part in chunks for entry in part]
    return Stack([Layer(EDIT_POLY, [], local=local)], base, EDITABLE_POLY)
