"""Stretch, Ripple and Wave; expected values are arithmetic on documented formulas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.geometry.pipeline import Evaluation
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.stretch import STRETCH
from maxsidecar.scene.modifiers.waves import RIPPLE, WAVE
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, f32
from tests.support.stacks import IDENTITY, Layer, Stack
from tests.support.stored_meshes import map_chunks, tri_chunks

#: A post from z = -2 to 2 with a vertex in the middle, and a vertex above it.
POST = [(1, 0, -2), (1, 0, 2), (0, 1, 0), (3, 0, 5), (1, 2, 0)]
FACES = [(0, 1, 2), (1, 3, 2), (0, 2, 4)]
BOX = (0, 0, -2, 3, 2, 2)
CHART = map_chunks(1, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)] * 3)


def evaluated(
    class_id: tuple[int, int],
    values: Sequence[float],
    points: Sequence[Sequence[float]] = POST,
    gizmo: Sequence[float] = (0, 0, 0),
) -> Evaluation:
    maker = SceneMaker()
    references = [maker.transform(gizmo), maker.transform(), old_block(maker, list(values))]
    layer = Layer(class_id, references=references, matrix=IDENTITY, more=[(0x2511, f32(*BOX))])
    base = tri_chunks(points, FACES, smoothing=(1, 2, 4), flags=(7, 0x20007, 7), more=CHART)
    return Stack([layer], base, maker=maker).evaluation()


def places(found: Evaluation, *more: str) -> npt.NDArray[np.float32]:
    assert found.complete, found.skipped
    assert {entry.reason for entry in found.skipped} == {UNPROVED, *more}
    assert found.mesh is not None
    assert found.mesh.smoothing.tolist() == [1, 2, 4]
    assert found.mesh.material_ids.tolist() == [0, 2, 0]
    assert len(found.mesh.maps[1].vertices) == 3
    return found.mesh.positions


def test_stretch() -> None:
    found = places(evaluated(STRETCH, [1.5, 0.0, 2, 0, 0.0, 0.0]))
    # 2.5 times as long; in the middle 1 / 2.5 as wide, at the ends as wide as before.
    expected = [(1, 0, -5), (1, 0, 5), (0, 0.4, 0), (3, 0, 12.5), (0.4, 0.8, 0)]
    assert np.allclose(found, expected)


def test_squash() -> None:
    found = places(evaluated(STRETCH, [-1.5, 0.0, 2, 0, 0.0, 0.0]))
    assert np.allclose(found[[0, 2]], [(1, 0, -0.8), (0, 2.5, 0)])


@pytest.mark.parametrize(("amplify", "width"), [(1.0, 1 / 4), (-1.0, 1 / 1.75)])
def test_amplify_works_across_only(amplify: float, width: float) -> None:
    found = places(evaluated(STRETCH, [1.5, amplify, 2, 0, 0.0, 0.0]))
    assert np.allclose(found[[1, 2]], [(1, 0, 5), (0, width, 0)])


def test_stretch_within_limits() -> None:
    found = places(evaluated(STRETCH, [1.0, 0.0, 2, 1, -1.0, 1.0]))
    # Beyond the limits it is only shifted.
    assert np.allclose(found[:4], [(1, 0, -3), (1, 0, 3), (0, 0.5, 0), (3, 0, 6)])


def test_stretch_along_x_about_its_gizmo() -> None:
    found = places(evaluated(STRETCH, [1.0, 0.0, 0, 0, 0.0, 0.0], gizmo=(1, 0, 0)))
    # The box goes from 0 to 3 along x.
    share = 4 * (1 / 3) * (2 / 3)
    assert np.allclose(found[0], (1, 0, -2 * (1 - share / 2)))
    assert np.allclose(found[[2, 3]], [(-1, 1, 0), (5, 0, 5)])


def test_ripple() -> None:
    points = [(0, 0, 1), (1, 0, 0), (0, 1, 0), (2, 0, 0), (3, 4, 0)]
    found = places(evaluated(RIPPLE, [2.0, 2.0, 4.0, 0.0, 0.0], points))
    assert np.allclose(found, [(0, 0, 1), (1, 0, 2), (0, 1, 2), (2, 0, 0), (3, 4, 2)], atol=1e-6)
    # A positive phase moves the pattern inwards; a whole wave changes nothing.
    inwards = places(evaluated(RIPPLE, [2.0, 2.0, 4.0, 1.25, 0.0], points))
    assert np.allclose(inwards[:, 2], [3, 0, 0, -2, 0], atol=1e-6)
    decayed = places(evaluated(RIPPLE, [2.0, 2.0, 4.0, 0.0, np.log(2.0)], points))
    assert np.allclose(decayed[:, 2], [1, 1, 1, 0, 2 / 32], atol=1e-6)


def test_ripple_of_two_amplitudes() -> None:
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0), (-1, 0, 0)]
    blend = "how its two amplitudes blend between the axes is not public"
    found = places(evaluated(RIPPLE, [2.0, 1.0, 4.0, 0.0, 0.0], points), blend)
    assert np.allclose(found[:, 2], [0, 2, 1, 0, 2], atol=1e-6)


def test_wave() -> None:
    points = [(0, 0, 0), (7, 1, 0), (0, -1, 0), (3, 2, 0), (1, 5, 1)]
    found = places(evaluated(WAVE, [2.0, 2.0, 4.0, 0.0, 0.0], points))
    assert np.allclose(found[:, 2], [0, 2, -2, 0, 3], atol=1e-6)
    assert np.allclose(found[:, :2], np.array(points)[:, :2])


@pytest.mark.parametrize(
    ("class_id", "values", "reason"),
    [
        (STRETCH, [1.0, 0.0, 3, 0, 0.0, 0.0], "its axis 3 is not known"),
        (RIPPLE, [1.0, 1.0, 0.0, 0.0, 0.0], "its wave length is 0"),
        (RIPPLE, [1.0], "the file does not tell its amplitude2"),
        (WAVE, [1.0, 2.0, 4.0, 0.0, 0.0], "how its two amplitudes blend is not public"),
        (
            RIPPLE,
            [1.0, 1.0, 4.0, 0.0, -1e6],
            "it moves vertices to places that are no finite numbers",
        ),
    ],
)
def test_what_cannot_be_done(
    class_id: tuple[int, int], values: Sequence[float], reason: str
) -> None:
    found = evaluated(class_id, values)
    assert [entry.reason for entry in found.skipped] == [reason]
    assert found.mesh is not None
    assert np.allclose(found.mesh.positions, POST)
