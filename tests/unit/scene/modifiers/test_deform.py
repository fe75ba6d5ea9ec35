"""Bend, Taper, Twist, Skew, Spherify and Noise; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.modifiers.deform import BEND, NOISE, SKEW, SPHERIFY, TAPER, TWIST, UNPROVED
from maxsidecar.scene.modifiers.relax import RELAX
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stacks import DERIVED, EDITABLE_MESH, IDENTITY
from tests.support.stored_meshes import map_chunks, tri_chunks

#: A post of height 2, with a vertex below and one above it.
POST = [(1, 0, 0), (1, 0, 2), (0, 1, 1), (1, 0, -1), (1, 0, 3)]
FACES = [(0, 1, 2), (0, 2, 3), (1, 4, 2)]
BOX = (0, 0, 0, 1, 1, 2)


def evaluated(
    class_id: tuple[int, int],
    values: Sequence[float | tuple[float, ...]],
    box: Sequence[float] = BOX,
    points: Sequence[Sequence[float]] = POST,
    slot: int = 2,
    more: Sequence[ChunkTree] = (),
) -> Evaluation:
    maker = SceneMaker()
    block = old_block(maker, list(values))
    parts = [maker.transform(), maker.transform(), block][2 - slot :]
    top = maker.add((*class_id, 0x810), [], parts)
    base = maker.add(EDITABLE_MESH, [(0x08FE, tri_chunks(points, FACES, more=more))])
    inner = [(0x2510, f32(*IDENTITY) + u32(0)), (0x2511, f32(*box))]
    derived = maker.add(DERIVED, [(0x2500, inner)], [top, base])
    scene = maker.scene()
    return Evaluator(scene).object(scene[derived])


def places(found: Evaluation) -> npt.NDArray[np.float32]:
    assert found.complete
    assert [entry.reason for entry in found.skipped] == [UNPROVED]
    assert found.mesh is not None
    return found.mesh.positions


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (BEND, [90.0, 0.0, 2, 0, 0.0, 0.0]),
        (TAPER, [0.5, 0.0, 2, 2, 0, 0, 0.0, 0.0]),
        (TWIST, [180.0, 0.0, 2, 0, 0.0, 0.0]),
        (SKEW, [1.0, 0.0, 2, 0, 0.0, 0.0]),
        (RELAX, [0.5, 1, 0, 0]),
    ],
)
def test_deformations_keep_coordinates(kind: tuple[int, int], values: Sequence[float]) -> None:
    rows = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    chart = map_chunks(1, rows, [(0, 1, 2), (0, 2, 3), (1, 3, 2)])
    slot = 0 if kind == RELAX else 2
    found = evaluated(kind, values, slot=slot, more=chart).mesh
    assert found is not None
    assert not np.allclose(found.positions, POST)
    assert found.maps[1].vertices.tolist() == [list(row) for row in rows]
    assert found.maps[1].corners.tolist() == [0, 1, 2, 0, 2, 3, 1, 3, 2]


def test_taper() -> None:
    found = places(evaluated(TAPER, [0.5, 0.0, 2, 2, 0, 0, 0.0, 0.0]))
    # One and a half as wide at the top of the box, in both directions.
    assert np.allclose(found, [(1, 0, 0), (1.5, 0, 2), (0, 1.25, 1), (0.75, 0, -1), (1.75, 0, 3)])
    one = places(evaluated(TAPER, [0.5, 0.0, 2, 0, 1, 0, 0.0, 0.0]))
    assert np.allclose(one[2:4], [(0, 1, 1), (1.25, 0, -1)])
    limited = places(evaluated(TAPER, [0.5, 1.0, 2, 2, 0, 1, 0.0, 1.0]))
    # At height 1/2: 1 + 1/4 + 1/4; the upper limit holds above it.
    assert np.allclose(limited[[1, 3]], [(1.5, 0, 2), (1, 0, -1)])


def test_taper_along_x() -> None:
    found = places(evaluated(TAPER, [1.0, 0.0, 0, 2, 0, 0, 0.0, 0.0]))
    assert np.allclose(found, [(1, 0, 0), (1, 0, 4), (0, 1, 1), (1, 0, -2), (1, 0, 6)])


def test_twist() -> None:
    found = places(evaluated(TWIST, [180.0, 0.0, 2, 0, 0.0, 0.0]))
    assert np.allclose(found[:3], [(1, 0, 0), (-1, 0, 2), (1, 0, 1)], atol=1e-6)
    limited = places(evaluated(TWIST, [180.0, 0.0, 2, 1, 0.0, 1.0]))
    assert np.allclose(limited[1], (0, -1, 2), atol=1e-6)
    biased = places(evaluated(TWIST, [180.0, 50.0, 2, 0, 0.0, 0.0]))
    # Half way up (1/2)^2 of the turn.
    assert np.allclose(biased[2], (np.sin(pi / 4), np.cos(pi / 4), 1), atol=1e-6)


def test_skew() -> None:
    found = places(evaluated(SKEW, [3.0, 0.0, 2, 0, 0.0, 0.0]))
    assert np.allclose(found[:, 0], [1, 4, 1.5, -0.5, 5.5])
    limited = places(evaluated(SKEW, [3.0, 0.0, 2, 1, 0.0, 1.0]))
    assert np.allclose(limited[:, 0], [1, 4, 3, 1, 4])


def test_bend() -> None:
    on_axis = [(0, 0, 0), (0, 0, 2), (0, 1, 1), (0.5, 0, 2), (0, 0, 3)]
    radius = 2 / (pi / 2)
    found = places(evaluated(BEND, [90.0, 0.0, 2, 0, 0.0, 0.0], points=on_axis))
    assert np.allclose(found[0], 0)
    # The top lies a quarter of a circle on, and what was right of it is below it now.
    assert np.allclose(found[1], (radius, 0, radius))
    assert np.allclose(found[3], (radius, 0, radius - 0.5))
    limited = places(evaluated(BEND, [90.0, 0.0, 2, 1, 0.0, 2.0], points=on_axis))
    assert np.allclose(limited[4], (radius + 1, 0, radius))
    none = places(evaluated(BEND, [0.0, 0.0, 2, 0, 0.0, 0.0], points=on_axis))
    assert np.allclose(none, on_axis)


def test_a_bend_goes_on_smoothly_below_its_limits() -> None:
    line = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 0, 0.999), (0, 0, -1)]
    found = places(evaluated(BEND, [90.0, 0.0, 2, 1, 1.0, 2.0], points=line))
    assert np.allclose(found[1], found[3], atol=2e-3)
    # Straight below: lengths stay.
    assert np.linalg.norm(found[1] - found[4]) == pytest.approx(2)


def test_spherify() -> None:
    points = [(2, 0, 0), (0, 4, 0), (0, 0, 1), (-2, 0, 0), (0, -4, 0)]
    found = places(evaluated(SPHERIFY, [50.0], (-2, -4, -1, 2, 4, 1), points, slot=0))
    assert np.allclose(found, [(3, 0, 0), (0, 4, 0), (0, 0, 2.5), (-3, 0, 0), (0, -4, 0)])


@pytest.mark.parametrize(
    ("class_id", "values", "reason"),
    [
        (TAPER, [0.5, 0.0, 3, 2, 0, 0, 0.0, 0.0], "its axis 3 is not known"),
        (BEND, [], "the file does not tell its angle"),
        (NOISE, [0, 1.0, 0, 0.0, 6.0, 0, 0.2, 0, (0.0, 0.0, 1.0)],
         "the table of random numbers of its noise is not known"),
    ],
)  # fmt: skip
def test_what_is_not_known(
    class_id: tuple[int, int], values: list[float | tuple[float, ...]], reason: str
) -> None:
    found = evaluated(class_id, values)
    assert not found.complete
    assert found.skipped[-1].reason == reason


def test_noise_without_strength_changes_nothing() -> None:
    found = evaluated(NOISE, [0, 1.0, 0, 0.0, 6.0, 0, 0.2, 0, (0.0, 0.0, 0.0)])
    assert found.complete
    assert found.mesh is not None
    assert np.allclose(found.mesh.positions, POST)
