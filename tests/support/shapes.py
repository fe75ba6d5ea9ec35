"""Shapes made of chunks and of parameters, and what they evaluate to."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

import numpy as np

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.geometry.shapes.shape_views import StoredShape
from maxsidecar.scene.geometry.spline import Shape
from tests.support.blocks import old_block
from tests.support.scenes import Class, SceneMaker, f32, u32
from tests.support.stored_meshes import bits

LINE, SPLINE, TEXT = (0x1040, 0, 0x40), (0xA, 0, 0x40), (0x1993, 0, 0x40)
Point = Sequence[float]
#: Parameters of a shape that is rendered: a tube of four sides, two wide, with map.
TUBE = [2.0, 4, 0.0, 1.0, 12, 0.0, 1, 1, 1, 0]
HIDDEN = [1.0, 12, 0.0, 1.0, 12, 0.0, 0, 0, 0, 0]


def knot(
    point: Point,
    incoming: Point | None = None,
    outgoing: Point | None = None,
    *,
    kind: int = 1,
    line: int = 0,
    material: int = 0,
    low: int = 0,
) -> bytes:
    """Return a knot of 52 bytes; handles that are not given are at the knot."""
    rows = (point, incoming or point, outgoing or point)
    return (
        pack("<iif", kind, line, 0.25)
        + b"".join(f32(*row) for row in rows)
        + u32(material << 16 | low)
    )


def spline_chunks(knots: Sequence[bytes], *, closed: bool = True) -> ChunkTree:
    return (
        0x1010,
        [
            (0x2900, u32(len(knots))),
            (0x2904, u32(0)),
            (0x290A, b"".join(knots)),
            (0x290D, u32(int(closed))),
        ],
    )


def shape_chunks(*splines: ChunkTree, counts: Sequence[int] = (), steps: int = 0) -> ChunkTree:
    """Return the container of splines of ``counts`` knots."""

    def selected(chunk_id: int, sizes: Sequence[int]) -> ChunkTree:
        arrays: list[ChunkTree] = [(0x1010, [(0x2700, bits("1" + "0" * (n - 1)))]) for n in sizes]
        return (chunk_id, [(0x1000, u32(len(sizes))), *arrays])

    return (
        0x1010,
        [
            *splines,
            selected(0x1020, [3 * count for count in counts]),
            selected(0x1030, counts),
            selected(0x1040, [len(splines)]),
            (0x1050, pack("<i", steps)),
            (0x1060, u32(1)),
        ],
    )


#: A square, counter-clockwise from above.
CORNERS = [(0, 0, 0), (3, 0, 0), (3, 3, 0), (0, 3, 0)]


def square(steps: int = 0, *, closed: bool = True) -> ChunkTree:
    knots = [knot(point) for point in CORNERS]
    return shape_chunks(spline_chunks(knots, closed=closed), counts=[4], steps=steps)


def stored(
    chunks: ChunkTree,
    of: Class = SPLINE,
    rendering: Sequence[float | int | None] = HIDDEN,
    version: int = 0x2012,
) -> StoredShape:
    maker = SceneMaker(version)
    block = old_block(maker, list(rendering))
    # A Line has everything in one more container.
    inner: list[ChunkTree] = [(0x2000, [chunks])] if of == LINE else [chunks]
    index = maker.add(of, inner, [block])
    obj = maker.scene()[index]
    assert isinstance(obj, StoredShape)
    return obj


def evaluated(of: Class, *blocks: Sequence[float | int | None]) -> Evaluation:
    """Return what a shape of parameters is; the blocks are those of its three slots."""
    maker = SceneMaker()
    references = [old_block(maker, list(block)) for block in blocks]
    index = maker.add(of, [], references)
    scene = maker.scene()
    return Evaluator(scene).object(scene[index])


def parametric(class_a: int, *size: float, steps: int = 6) -> Shape:
    found = evaluated((class_a, 0, 0x40), HIDDEN, size, [steps, 1, 0])
    assert found.complete, found.skipped
    assert isinstance(found.geometry, Shape)
    return found.geometry


def same(shape: Shape, other: Shape) -> bool:
    pairs = zip(shape.splines, other.splines, strict=True)
    names = ("points", "incoming", "outgoing", "lines", "kinds", "material_ids")
    return all(
        a.closed == b.closed
        and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)
        for a, b in pairs
    )
