"""FFD: a lattice around a few points; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.modifiers.ffd import FFD, lattice_points
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stacks import DERIVED, EDITABLE_MESH, IDENTITY
from tests.support.stored_meshes import SQUARE, tri_chunks

F64 = npt.NDArray[np.float64]


def rest(side: int) -> F64:
    line = np.linspace(0, 1, side)
    return np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)


@pytest.mark.parametrize("side", [2, 3, 4])
def test_a_lattice_at_rest_moves_nothing(side: int) -> None:
    places = np.random.default_rng(1).uniform(-1, 2, (50, 3))
    assert np.allclose(lattice_points(rest(side), places), places)


def test_bezier_weights() -> None:
    points = rest(4)
    points[3, :, :, 2] += 8.0
    found = lattice_points(points, np.array([(0.5, 0.25, 0.0), (1.0, 0.0, 0.0)]))
    # The last of four Bernstein polynomials is u^3.
    assert np.allclose(found, [(0.5, 0.25, 1.0), (1.0, 0.0, 8.0)])


def evaluated(
    side: int,
    points: F64 | bytes,
    *,
    everything: int = 0,
    matrix: Sequence[float] = IDENTITY,
    box: Sequence[float] | None = (0, 0, 0, 2, 1, 1),
    offsets: F64 | None = None,
) -> Evaluation:
    maker = SceneMaker()
    class_id = (*FFD[side - 2], 0x810)
    block = new_block(maker, class_id, {
        0: (BOOLEAN, 1), 1: (BOOLEAN, 0), 2: (INTEGER, everything), 3: (BOOLEAN, 1),
        4: (BOOLEAN, 1), 5: (FLOAT, 0.05),
    })  # fmt: skip
    data = points if isinstance(points, bytes) else points.astype("<f4").tobytes()
    chunks: list[ChunkTree] = [(0x2000, u32(1)), (0x0200, data)]
    if offsets is not None:
        chunks.append((0x0400, offsets.astype("<f4").tobytes()))
    top = maker.add(class_id, chunks, [maker.transform(), block])
    base = maker.add(EDITABLE_MESH, [(0x08FE, tri_chunks())])
    inner: list[ChunkTree] = [(0x2510, f32(*matrix) + u32(0))]
    if box is not None:
        inner.append((0x2511, f32(*box)))
    derived = maker.add(DERIVED, [(0x2500, inner)], [top, base])
    scene = maker.scene()
    return Evaluator(scene).object(scene[derived])


def mesh_of(found: Evaluation) -> Mesh:
    assert found.complete, found.skipped
    assert found.mesh is not None
    return found.mesh


def test_the_lattice_fills_the_box() -> None:
    points = rest(2)
    points[1, :, :, 2] += 1.0  # in heights of the box
    mesh = mesh_of(evaluated(2, points))
    # SQUARE: x / 2 of the way up.
    expected = np.array(SQUARE, float)
    expected[:, 2] += expected[:, 0] / 2
    assert np.allclose(mesh.positions, expected)


def test_vertices_outside_stay_unless_all_are_deformed() -> None:
    points = rest(3)
    points[..., 2] += 5.0
    box = (0, 0, -1, 1, 1, 1)
    inside = mesh_of(evaluated(3, points, box=box)).positions
    assert inside[4].tolist() == [2, 0, 1]
    assert np.allclose(inside[:4, 2], 10)
    every = mesh_of(evaluated(3, points, box=box, everything=1)).positions
    assert np.allclose(every[4], (2, 0, 11))


def test_the_box_is_in_the_space_of_the_context() -> None:
    points = rest(2)
    points[1, :, :, 2] += 1.0
    away = (1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0)
    mesh = mesh_of(evaluated(2, points, matrix=away, box=(-1, 0, 0, 1, 1, 1)))
    assert np.allclose(mesh.positions[:, 2], np.array(SQUARE)[:, 2] + np.array(SQUARE)[:, 0] / 2)


def test_a_missing_box_and_an_initial_volume_are_told() -> None:
    found = evaluated(2, rest(2), box=None)
    assert [entry.reason for entry in found.skipped] == [
        "its box is not stored: that of the geometry is taken"
    ]
    found = evaluated(2, rest(2) + 0.5, offsets=np.full((8, 3), 0.5))
    assert [entry.reason for entry in found.skipped] == [
        "no file proves how an initial volume takes part"
    ]
    assert found.mesh is not None
    assert np.allclose(found.mesh.positions, SQUARE)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\0" * 12, "it has not 8 control points"),
        (f32(*[float("nan")] * 24), "control points that are no finite numbers"),
        (f32(*[3e38] * 24), "it moves vertices to places that are no finite numbers"),
    ],
)
def test_points_that_are_none_are_refused(data: bytes, reason: str) -> None:
    found = evaluated(2, data)
    assert [entry.reason for entry in found.skipped] == [reason]
    assert not found.complete
