"""Affect Region; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.scene.modifiers.affect_region import AFFECT_REGION
from maxsidecar.scene.modifiers.deform import UNPROVED
from tests.support.blocks import old_block
from tests.support.scenes import POSITION_XYZ, SceneMaker
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import tri_chunks

POINTS = [(1, 0, 0), (3, 0, 0), (2, 0, 0), (1, 4, 0), (1, 0, -5)]
FACES = [(0, 1, 2), (0, 2, 3), (0, 3, 4)]
#: Where the modifier works: the object moved by -1 along x.
SHIFTED = (1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0)


def stack(values: Sequence[float], end: Sequence[float] = (0, 0, 8)) -> Stack:
    maker = SceneMaker()
    start, tip = (
        maker.add(POSITION_XYZ, (), [maker.number(v) for v in point]) for point in ((0, 0, 0), end)
    )
    layer = Layer(
        AFFECT_REGION, references=[old_block(maker, list(values)), start, tip], matrix=SHIFTED
    )
    return Stack([layer], tri_chunks(POINTS, FACES), maker=maker)


def test_near_points_move_along_the_arrow() -> None:
    made = stack([4.0, 0.0, 0.0, 0])
    found = made.mesh().positions
    assert made.reasons() == [UNPROVED]
    # Half the way out it is a half; a quarter out 1 - 3/16 + 2/64; nothing from the edge on.
    quarter = 1 - 3 / 16 + 2 / 64
    expected = [(1, 0, 8), (3, 0, 4), (2, 0, 8 * quarter), (1, 4, 0), (1, 0, -5)]
    assert np.allclose(found, expected)


def test_without_reach_only_the_point_itself_moves() -> None:
    found = stack([0.0, 0.0, 0.0, 0], (0, 2, 0)).mesh().positions
    assert np.allclose(found, [(1, 2, 0), *POINTS[1:]])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([4.0, 1.0, 0.0, 0], "the curve of its pinch and bubble is not public"),
        ([4.0, 0.0, -1.0, 0], "the curve of its pinch and bubble is not public"),
        ([4.0, 0.0, 0.0, 1], "it leaves out what faces away, by a rule that is not public"),
        ([], "the file does not tell its falloff"),
    ],
)
def test_what_cannot_be_done(values: Sequence[float], reason: str) -> None:
    made = stack(values)
    assert made.reasons() == [reason]
    found = made.evaluation().mesh
    assert found is not None
    assert np.allclose(found.positions, POINTS)
