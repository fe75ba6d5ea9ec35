"""Shapes of parameters and texts; expected values are arithmetic or what files keep."""

from __future__ import annotations

from math import pi

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.shapes.outlines import line_segments, outlines
from maxsidecar.scene.geometry.spline import Shape, Spline
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.shapes import (
    HIDDEN,
    TEXT,
    evaluated,
    knot,
    parametric,
    shape_chunks,
    spline_chunks,
)

RECTANGLE, CIRCLE, DONUT, ELLIPSE, NGON = 0x1065, 0x1999, 0x1060, 0x1097, 0x1050
STAR, ARC, HELIX = 0x1995, 0x1996, 0x1994


def radii(spline: Spline, steps: int = 6) -> npt.NDArray[np.float64]:
    (line,) = outlines(Shape([spline], steps))
    out: npt.NDArray[np.float64] = np.linalg.norm(line.points[:, :2], axis=1)
    return out


def test_a_rectangle_is_what_an_edit_spline_keeps_of_it() -> None:
    """Knots before the first edit of a 30 x 30 rectangle (docs/format/shapes.md, section 6)."""
    shape = parametric(RECTANGLE, 30.0, 30.0, 0.0)
    (spline,) = shape.splines
    assert spline.points[:, :2].tolist() == [[15, 15], [-15, 15], [-15, -15], [15, -15]]
    assert spline.incoming[0, :2].tolist() == [15, 5]
    assert spline.outgoing[0, :2].tolist() == [5, 15]
    assert spline.closed
    assert line_segments(spline).all()


def test_round_corners_keep_the_size_and_the_radius() -> None:
    shape = parametric(RECTANGLE, 20.0, 30.0, 4.0)
    (line,) = outlines(shape)
    assert len(shape.splines[0].points) == 8
    assert np.allclose(np.abs(line.points).max(axis=0), [15, 10, 0])
    corner = line.points[(line.points[:, 0] > 11.0001) & (line.points[:, 1] > 6.0001), :2]
    assert len(corner) == 6
    assert np.allclose(np.linalg.norm(corner - (11, 6), axis=1), 4, rtol=1e-3)


def test_circles_are_round() -> None:
    for shape in (parametric(CIRCLE, 5.0), parametric(DONUT, 5.0, 5.0)):
        for spline in shape.splines:
            assert radii(spline) == pytest.approx(np.full(28, 5.0), rel=3e-4)
    (spline,) = parametric(ELLIPSE, 4.0, 10.0).splines
    assert spline.points[:2, :2].tolist() == [[5, 0], [0, 2]]


def test_an_ngon_measures_its_radius_to_corners_or_sides() -> None:
    (inner,) = parametric(NGON, 2.0, 6, 0, 0.0, 1).splines
    (outer,) = parametric(NGON, 2.0, 6, 0, 0.0, 0).splines
    assert np.allclose(np.linalg.norm(inner.points, axis=1), 2)
    middles = (outer.points + np.roll(outer.points, 1, axis=0)) / 2
    assert np.allclose(np.linalg.norm(middles, axis=1), 2)
    (round_,) = parametric(NGON, 2.0, 5, 1, 0.0, 1).splines
    assert radii(round_) == pytest.approx(np.full(35, 2.0), rel=1e-3)


def test_a_star_has_its_corners_in_turn() -> None:
    (spline,) = parametric(STAR, 4.0, 2.0, 5, 0.0, 0.0, 0.0).splines
    assert np.allclose(np.linalg.norm(spline.points, axis=1), [4, 2] * 5)


def test_an_arc_runs_between_its_angles() -> None:
    (spline,) = parametric(ARC, 3.0, 0.0, pi / 2, 0, 0).splines
    assert not spline.closed
    assert np.allclose(spline.points[[0, -1], :2], [[3, 0], [0, 3]], atol=1e-6)
    assert radii(spline) == pytest.approx(np.full(22, 3.0), rel=1e-5)
    (pie,) = parametric(ARC, 3.0, 0.0, pi / 2, 1, 0).splines
    assert pie.closed
    assert pie.points[0].tolist() == [0, 0, 0]
    (turned,) = parametric(ARC, 3.0, 0.0, pi / 2, 0, 1).splines
    assert np.allclose(turned.points, spline.points[::-1])


def test_a_helix_rises_evenly_on_its_radius() -> None:
    (spline,) = parametric(HELIX, 3.0, 3.0, 8.0, 2.0, 0.0, 0).splines
    (line,) = outlines(Shape([spline], 6))
    assert np.linalg.norm(line.points[:, :2], axis=1) == pytest.approx(
        np.full(len(line.points), 3.0), rel=1e-4
    )
    assert np.allclose(line.points[:, 2], np.linspace(0, 8, len(line.points)), atol=0.01)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (NGON, (2.0, 2, 0, 0.0, 1)),
        (STAR, (4.0, 2.0, 10**9, 0.0, 0.0, 0.0)),
        (HELIX, (1.0, 1.0, 1.0, 1e6, 0.0, 0)),
    ],
)
def test_counts_out_of_range_are_refused(kind: int, size: tuple[float, ...]) -> None:
    found = evaluated((kind, 0, 0x40), HIDDEN, size, [6, 1, 0])
    assert not found.complete
    assert found.geometry is None


def test_steps_are_left_out_on_straight_pieces() -> None:
    shape = parametric(RECTANGLE, 1.0, 1.0, 0.0)
    assert len(outlines(shape)[0].points) == 4
    shape.optimize = False
    (line,) = outlines(shape)
    assert len(line.points) == 28
    assert np.count_nonzero(line.corners) == 4


def written(text: bytes, *letters: int, size: float = 10.0) -> Shape | str:
    """Return a text of two letters: a square of 400 of 1000 units, and a space."""
    corners = [(50, 0, 0), (50, 400, 0), (450, 400, 0), (450, 0, 0)]
    box = shape_chunks(spline_chunks([knot(corner) for corner in corners]), counts=[4])
    glyphs = {ord("n"): [(0x1020, box[1])], ord(" "): []}
    maker = SceneMaker()
    blocks = [old_block(maker, b) for b in (HIDDEN, [size, 0.0, 0.0], [0, 1, 0])]
    index = maker.add(
        TEXT,
        [
            (0x1000, u32(6) + b"Arial\0"),
            (0x1010, text),
            *((0x1030, [(0x1000, u32(n)), (0x1010, f32(500)), *glyphs[n]]) for n in letters),
        ],
        blocks,
    )
    scene = maker.scene()
    found = Evaluator(scene).object(scene[index])
    if isinstance(found.geometry, Shape):
        return found.geometry
    return found.skipped[0].reason


@pytest.mark.parametrize("body", [u32(4) + b"n n\0", u32(4) + "n n\0".encode("utf-16-le")])
def test_letters_stand_in_a_row_about_the_middle_of_their_box(body: bytes) -> None:
    shape = written(body, ord("n"), ord(" "))
    assert isinstance(shape, Shape)
    lefts = [float(spline.points[:, 0].min()) for spline in shape.splines]
    # From 0.5 to 4.5, and 10 further on: 14 wide.
    assert lefts == pytest.approx([-7, 3])
    assert float(shape.splines[0].points[:, 1].max()) == pytest.approx(4)
    mesh = shape.to_mesh()
    assert mesh is not None
    p = mesh.positions[mesh.faces]
    assert (np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])[:, 2] > 0).all()


def test_a_missing_letter_and_a_second_line_are_told() -> None:
    assert written(u32(2) + b"x\0", ord("n")) == "the file does not hold the letter 'x'"
    assert written(u32(4) + b"n\nn\0", ord("n")) == "how 3ds Max sets several lines is not known"
