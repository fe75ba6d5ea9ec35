"""Relax; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.relax import RELAX
from maxsidecar.scene.modifiers.select_views import MESH_SELECT
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import bits, tri_chunks

#: A pyramid over a square without its base; its tip is not over the middle.
TENT = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (1, 2, 4)]
FACES = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
#: Edges of each face that are shown; edge 2 to 4 is hidden on both sides.
ALL, WITHOUT_SECOND, WITHOUT_THIRD = 7, 5, 3


def relaxed(
    share: float, times: int, boundary: int, corners: int, *, hide: bool = False, select: str = ""
) -> Mesh:
    maker = SceneMaker()
    layers = [Layer(RELAX, references=[old_block(maker, [share, times, boundary, corners])])]
    if select:
        local = [(0x0200, [(0x2700, bits(select))])]
        layers.append(Layer(MESH_SELECT, [(0x0100, u32(1))], local=local))
    flags = (ALL, WITHOUT_SECOND, WITHOUT_THIRD, ALL) if hide else (ALL,) * 4
    base = tri_chunks(TENT, FACES, smoothing=(1,) * 4, flags=flags)
    return Stack(layers, base, maker=maker).mesh()


def test_the_tip_moves_towards_its_neighbours() -> None:
    found = relaxed(0.5, 1, 1, 0).positions
    assert np.allclose(found[4], (1.5, 2, 2))
    # The border stays.
    assert np.allclose(found[:4], TENT[:4])
    assert np.allclose(relaxed(0.5, 3, 1, 0).positions[4], (2 - 1 / 8, 2, 0.5))
    assert np.allclose(relaxed(0.5, 0, 1, 0).positions, TENT)


def test_the_border_may_move_with_it() -> None:
    found = relaxed(1.0, 1, 0, 0).positions
    # Neighbours of the first vertex: the second, the fourth, and the tip.
    assert np.allclose(found[0], np.mean([TENT[1], TENT[3], TENT[4]], axis=0))
    assert np.allclose(found[4], (2, 2, 0))


def test_hidden_edges_are_none() -> None:
    found = relaxed(1.0, 1, 1, 0, hide=True).positions
    assert np.allclose(found[4], np.mean([TENT[0], TENT[1], TENT[3]], axis=0))


def test_corners_that_stick_out_may_stay() -> None:
    # The angles at the tip add up to less than a full turn.
    assert np.allclose(relaxed(0.5, 2, 0, 1).positions[4], TENT[4])


@pytest.mark.parametrize(("select", "moves"), [("10000", False), ("00001", True)])
def test_only_what_is_selected_moves(select: str, moves: bool) -> None:
    found = relaxed(0.5, 1, 1, 0, select=select).positions
    assert np.allclose(found[4], (1.5, 2, 2) if moves else TENT[4])


def test_work_without_end_is_refused() -> None:
    maker = SceneMaker()
    block: Sequence[float | int] = [0.5, 20_000, 1, 0]
    stack = Stack([Layer(RELAX, references=[old_block(maker, list(block))])], maker=maker)
    assert "20000 times" in stack.reasons()[0]
