"""FFD (box) and FFD (cyl); expected values are arithmetic."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.modifiers.ffd_grid import FFD_BOX, FFD_CYLINDER, Grid
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stacks import DERIVED, EDITABLE_MESH, IDENTITY
from tests.support.stored_meshes import SQUARE, tri_chunks

F64 = npt.NDArray[np.float64]
REASON = "no file proves what it makes"
RAISED = np.array(SQUARE) + np.array((0, 0, 2))


def rest(*sizes: int) -> F64:
    lines = [np.linspace(0, 1, size) for size in sizes]
    return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 4, 5), (2, 3, 7)])
@pytest.mark.parametrize("tension", [0.0, 0.5])
def test_a_grid_at_rest_moves_no_control_point(sizes: tuple[int, int, int], tension: float) -> None:
    points = rest(*sizes)
    grid = Grid.of(points, tension, 0.0, round_x=False)
    assert np.allclose(grid.at(points.reshape(-1, 3)), points.reshape(-1, 3))
    if not tension:
        # Catmull-Rom splines through evenly spread points are straight, and go on beyond.
        places = np.random.default_rng(3).uniform(0, 1, (40, 3))
        assert np.allclose(grid.at(places), places)
        ends = np.array([(-0.0, 0.5, 0.5), (1.0, 1.0, 0.25)])
        assert np.allclose(grid.at(ends), ends)


def test_splines_pass_through_their_points() -> None:
    points = rest(4, 3, 3)
    points[2, 1, 1, 2] += 0.5
    grid = Grid.of(points, 0.0, 0.0, round_x=False)
    assert np.allclose(grid.at(np.array([(2 / 3, 0.5, 0.5)])), [(2 / 3, 0.5, 1.0)])
    # Half way to the point before: 9/16 of it in this direction.
    assert np.allclose(grid.at(np.array([(0.5, 0.5, 0.5)])), [(0.5, 0.5, 0.5 + 0.5 * 9 / 16)])


def test_a_ring_closes() -> None:
    turn = np.arange(8) / 8 * 2 * np.pi
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    points = np.zeros((8, 2, 2, 3))
    for distance in range(2):
        points[:, distance, :, :2] = ring[:, None] * distance * 0.5 + 0.5
        points[:, distance, 1, 2] = 1.0
    grid = Grid.of(points, 0.0, 0.0, round_x=True)
    found = grid.at(np.array([(7.5 / 8, 1.0, 0.5)])) - 0.5
    # Between the last point and the first: Catmull-Rom, not quite on the circle.
    chord = (9 * (ring[7] + ring[0]) - ring[6] - ring[1]) / 16 * 0.5
    assert np.allclose(found, [(*chord, 0.0)])


def evaluated(
    class_id: tuple[int, int],
    sizes: tuple[int, ...],
    points: F64,
    everything: int = 0,
    falloff: float = 0.0,
    version: int = 1,
) -> Evaluation:
    maker = SceneMaker()
    owner = (*class_id, 0x810)
    block = new_block(maker, owner, {
        0: (BOOLEAN, 1), 1: (BOOLEAN, 0), 2: (INTEGER, everything), 3: (FLOAT, falloff),
        4: (FLOAT, 25.0), 5: (FLOAT, 25.0), 9: (BOOLEAN, 1), 10: (BOOLEAN, 1), 11: (FLOAT, 0.05),
    })  # fmt: skip
    # The first number changes fastest.
    data = points.transpose(2, 1, 0, 3).astype("<f4").tobytes() if points.ndim == 4 else b""
    chunks = [(0x2000, u32(version)), (0x0300, u32(*sizes)), (0x0200, data)]
    top = maker.add(owner, chunks, [maker.transform(), block])
    base = maker.add(EDITABLE_MESH, [(0x08FE, tri_chunks())])
    inner = [(0x2510, f32(*IDENTITY) + u32(0)), (0x2511, f32(0, 0, 0, 1, 1, 1))]
    derived = maker.add(DERIVED, [(0x2500, inner)], [top, base])
    scene = maker.scene()
    return Evaluator(scene).object(scene[derived])


def places(found: Evaluation) -> npt.NDArray[np.float32]:
    assert found.complete
    assert found.skipped[0].reason == REASON
    assert found.mesh is not None
    return found.mesh.positions


def test_a_box_moves_what_is_in_it() -> None:
    points = rest(2, 3, 4) + np.array((0.0, 0.0, 2.0))
    inside = places(evaluated(FFD_BOX, (2, 3, 4), points))
    assert np.allclose(inside[:4], RAISED[:4])
    assert inside[4].tolist() == [2, 0, 1]
    every = places(evaluated(FFD_BOX, (2, 3, 4), points, 1))
    assert np.allclose(every, RAISED)
    # One box away from it, of two: half of a smooth step.
    part = places(evaluated(FFD_BOX, (2, 3, 4), points, 1, 2.0))
    assert np.allclose(part[4], (2, 0, 2))


def test_an_older_release_means_the_opposite() -> None:
    points = rest(2, 2, 2) + np.array((0.0, 0.0, 2.0))
    found = evaluated(FFD_BOX, (2, 2, 2), points, 0, version=0)
    assert [entry.reason for entry in found.skipped] == [
        REASON,
        "it is of a release of which there is no file",
    ]
    assert np.allclose(places(found), RAISED)


def test_a_cylinder_at_rest_keeps_height_and_middle() -> None:
    turn = np.arange(8) / 8 * 2 * np.pi
    points = np.zeros((8, 3, 2, 3))
    for distance in range(3):
        radius = np.sqrt(0.5) * distance / 2
        points[:, distance, :, 0] = (np.cos(turn) * radius + 0.5)[:, None]
        points[:, distance, :, 1] = (np.sin(turn) * radius + 0.5)[:, None]
        points[:, distance, 1, 2] = 1.0
    found = places(evaluated(FFD_CYLINDER, (8, 3, 2), points))
    # Corners of the square lie in the direction of control points.
    assert np.allclose(found, SQUARE, atol=1e-6)


@pytest.mark.parametrize(
    ("class_id", "sizes", "reason"),
    [
        (FFD_BOX, (1, 2, 2), "it has 1 x 2 x 2 control points"),
        (FFD_CYLINDER, (5, 2, 2), "it has 5 x 2 x 2 control points"),
        (FFD_BOX, (1000, 1000, 1000), "it has not 1000000000 control points"),
        (FFD_BOX, (2, 2), "it does not tell how many control points it has"),
    ],
)
def test_sizes_are_checked(class_id: tuple[int, int], sizes: tuple[int, ...], reason: str) -> None:
    found = evaluated(class_id, sizes, rest(2, 2, 2))
    assert not found.complete
    assert found.skipped[-1].reason == reason
