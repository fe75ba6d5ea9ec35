"""Shell; expected values are arithmetic on a square."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.shell import SHELL
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block
from tests.support.scenes import SceneMaker
from tests.support.stacks import EDITABLE_MESH, Layer, Stack
from tests.support.stored_meshes import polygons, tri_chunks

REASON = "no file proves more than the size of what it makes"
FLAT = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


def shelled(segments: int = 1, bevel: int = 0) -> Stack:
    maker = SceneMaker()
    block = new_block(
        maker,
        (*SHELL, 0x810),
        {0: (FLOAT, 0.25), 1: (FLOAT, 0.5), 2: (BOOLEAN, bevel), 3: (INTEGER, segments)},
    )
    base = tri_chunks(FLAT, [(0, 1, 2), (2, 3, 0)], smoothing=[1, 1], flags=[3, 3])
    return Stack([Layer(SHELL, references=[block])], base, EDITABLE_MESH, maker)


def found(stack: Stack) -> Mesh:
    assert stack.reasons() == [REASON]
    mesh = stack.evaluation().mesh
    assert mesh is not None
    return mesh


@pytest.mark.parametrize("segments", [1, 3])
def test_a_shell_is_closed_and_looks_outwards(segments: int) -> None:
    mesh = found(shelled(segments))
    assert len(mesh.positions) == 8 + 4 * (segments - 1)
    assert mesh.polygon_count == 2 + 4 * segments
    assert np.allclose(
        [mesh.positions.min(axis=0), mesh.positions.max(axis=0)], [(0, 0, -0.25), (1, 1, 0.5)]
    )
    assert (twin_corners(mesh) >= 0).all()
    assert (edge_list(mesh).of_corner >= 0).all()
    # The volume, from tetrahedra to the origin.
    a, b, c = mesh.positions[mesh.faces].astype(float).transpose(1, 0, 2)
    assert np.isclose(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6, 0.75)


def test_outer_surface_first_then_the_inner_one() -> None:
    mesh = found(shelled())
    assert polygons(mesh)[:2] == [(0, 1, 2, 3), (4, 7, 6, 5)]
    assert np.allclose(mesh.positions[:4, 2], 0.5)
    assert np.allclose(mesh.positions[4:, 2], -0.25)
    assert sorted(polygons(mesh)[2]) == [0, 1, 4, 5]


def test_what_is_not_known() -> None:
    assert shelled(bevel=1).reasons() == ["edges that are beveled along a spline are not known"]
    (reason,) = shelled(10_000).reasons()[-1:]
    assert reason == "its segments is 10000, more than 2000"
