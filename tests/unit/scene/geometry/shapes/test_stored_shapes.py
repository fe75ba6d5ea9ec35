"""Reading, writing and evaluating Lines and Editable Splines; expected values are arithmetic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.shapes.shape_views import StoredShape
from maxsidecar.scene.geometry.spline import Shape
from tests.support.scenes import u32
from tests.support.shapes import (
    CORNERS,
    HIDDEN,
    LINE,
    SPLINE,
    TUBE,
    knot,
    same,
    shape_chunks,
    spline_chunks,
    square,
    stored,
)


def shape_of(obj: StoredShape) -> Shape:
    found = obj.read_shape()
    assert found is not None
    return found


@pytest.mark.parametrize("of", [LINE, SPLINE])
def test_knots_are_read_as_they_are_stored(of: tuple[int, int, int]) -> None:
    row = knot((1, 2, 3), (0, 2, 3), (2, 2, 3), kind=2, line=1, material=5, low=9)
    obj = stored(shape_chunks(spline_chunks([row, knot((4, 5, 6))], closed=False), steps=7), of)
    shape = shape_of(obj)
    (spline,) = shape.splines
    assert shape.steps == 7
    assert spline.points.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert spline.incoming[0].tolist() == [0, 2, 3]
    assert spline.outgoing[0].tolist() == [2, 2, 3]
    assert (spline.kinds.tolist(), spline.lines.tolist()) == ([2, 1], [True, False])
    assert spline.material_ids.tolist() == [5, 0]
    assert not spline.closed


def test_all_chunks_are_typed_and_encode_to_the_same_bytes() -> None:
    names = set()
    for chunk, name, codec in stored(square(), LINE).typed_leaves():
        assert codec.encode(codec.decode(chunk.data)) == bytes(chunk.data)
        names.add(name)
    assert {"line.shape.spline.knots", "line.shape.steps"} <= names
    assert "line.shape.selected_points.chunk_1010.bits" in names


def test_the_same_splines_change_nothing() -> None:
    obj = stored(square())
    assert not obj.write_shape(shape_of(obj))
    assert not obj.edited


def test_a_moved_knot_changes_twelve_bytes_and_keeps_unknown_bits() -> None:
    rows = [knot(point, low=0x40) for point in CORNERS]
    obj = stored(shape_chunks(spline_chunks(rows), counts=[4]))
    before = bytes(obj.data.data)
    shape = shape_of(obj)
    shape.splines[0].points[2] = (9, 9, 9)
    assert obj.write_shape(shape)
    after = bytes(obj.data.data)
    assert len(before) == len(after)
    assert 0 < sum(a != b for a, b in zip(before, after, strict=True)) <= 12
    assert same(shape_of(obj), shape)


@pytest.mark.parametrize(("version", "octets"), [(0x2012, 4), (0x2019, 2)])
def test_a_new_knot_gives_selections_their_new_sizes(version: int, octets: int) -> None:
    obj = stored(square(), version=version)
    shape = shape_of(obj)
    (spline,) = shape.splines
    names = ("points", "incoming", "outgoing", "lines", "kinds", "material_ids")
    longer: dict[str, Any] = {
        name: np.concatenate([a := getattr(spline, name), a[:1]]) for name in names
    }
    shape.splines[0] = replace(spline, **longer)
    assert obj.write_shape(shape)
    assert same(shape_of(obj), shape)
    container = obj.shape_container()
    assert container is not None
    points = container.find(0x1020)
    assert points is not None
    (_, entry) = points.chunks()
    leaf = entry.find(0x2700)
    assert leaf is not None
    assert bytes(leaf.data) == u32(15) + bytes(octets)


def test_splines_come_and_go() -> None:
    obj = stored(square())
    shape = shape_of(obj)
    two = Shape([shape.splines[0], replace(shape.splines[0], closed=False)])
    assert obj.write_shape(two)
    assert same(shape_of(obj), two)
    assert obj.write_shape(shape)
    assert same(shape_of(obj), shape)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("points", np.zeros((3, 3), np.float32)),
        ("points", np.full((4, 3), np.nan, np.float32)),
        ("kinds", np.full(4, 4, np.int32)),
        ("material_ids", np.full(4, 1 << 16, np.int32)),
    ],
)
def test_what_does_not_fit_is_refused(field: str, value: Any) -> None:
    obj = stored(square())
    shape = shape_of(obj)
    changed = Shape([replace(shape.splines[0], **{field: value})])
    with pytest.raises(EditError):
        obj.write_shape(changed)
    assert not obj.edited


def test_a_wrong_number_of_knots_is_told_with_its_place() -> None:
    tree = spline_chunks([knot((0, 0, 0))])
    assert isinstance(tree[1], list)
    tree[1][0] = (0x2900, u32(7))
    with pytest.raises(DecodeError, match="number of knots") as caught:
        stored(shape_chunks(tree)).read_shape()
    assert (caught.value.expected, caught.value.found) == (1, 7)


def test_a_closed_curve_is_filled_from_its_last_corner() -> None:
    """The order of a filled square in a ``.3ds`` export (docs/format/shapes.md, section 5)."""
    obj = stored(square())
    mesh = Evaluator(obj.scene).object(obj).mesh
    assert mesh is not None
    assert mesh.faces.tolist() == [[2, 3, 0], [1, 2, 0]]
    assert mesh.positions.tolist() == [list(point) for point in CORNERS]
    assert mesh.edge_visible.tolist() == [True, True, False, True, False, True]
    assert mesh.smoothing.tolist() == [1, 1]


def test_an_open_curve_has_no_surface() -> None:
    obj = stored(square(closed=False))
    found = Evaluator(obj.scene).object(obj)
    assert found.complete
    assert found.mesh is None


def test_a_rendered_line_is_a_tube() -> None:
    rows = [knot((0, 0, 0)), knot((10, 0, 0)), knot((10, 10, 0))]
    obj = stored(shape_chunks(spline_chunks(rows, closed=False)), LINE, TUBE)
    found = Evaluator(obj.scene).object(obj)
    mesh = found.mesh
    assert mesh is not None
    assert found.complete
    ring = mesh.positions.reshape(3, 4, 3)
    # The first axis is level, to the right of the curve; the second one up.
    assert np.allclose(ring[0], [[0, -1, 0], [0, 0, 1], [0, 1, 0], [0, 0, -1]], atol=1e-6)
    # On the bisecting plane of the bend it is the square root of 2 wider.
    assert np.allclose(ring[1], [[11, -1, 0], [10, 0, 1], [9, 1, 0], [10, 0, -1]], atol=1e-6)
    assert np.allclose(ring[2], [[11, 10, 0], [10, 10, 1], [9, 10, 0], [10, 10, -1]], atol=1e-6)
    assert len(mesh.triangles) == 2 * 2 * 4 + 2 * 2
    assert mesh.faces[:2].tolist() == [[0, 4, 5], [5, 1, 0]]
    assert mesh.faces[-4:].tolist() == [[1, 2, 0], [2, 3, 0], [10, 9, 8], [11, 10, 8]]
    channel = mesh.maps[1]
    assert channel.vertices[:15, 1].tolist() == [0.0] * 5 + [0.5] * 5 + [1.0] * 5
    assert channel.vertices[:5, 0].tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_the_tube_encloses_its_volume() -> None:
    obj = stored(square(), LINE, TUBE)
    mesh = Evaluator(obj.scene).object(obj).mesh
    assert mesh is not None
    p = mesh.positions.astype(np.float64)[mesh.faces]
    volume = np.einsum("ij,ij->", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6
    # The section, a square of side sqrt 2, along four sides of 3.
    assert volume == pytest.approx(2 * 12)


def test_a_section_without_sides_is_refused() -> None:
    obj = stored(square(), SPLINE, [1.0, 2, *HIDDEN[2:6], 1])
    found = Evaluator(obj.scene).object(obj)
    assert [entry.reason for entry in found.skipped] == ["its section has 2 sides"]


def test_curves_that_cannot_be_filled_are_told_once() -> None:
    rows = [knot((k, k * k, 0)) for k in range(9000)]
    obj = stored(shape_chunks(spline_chunks(rows)))
    found = Evaluator(obj.scene).object(obj)
    assert found.complete
    assert found.mesh is None
    assert found.mesh is None
    assert [(entry.index, entry.reason) for entry in found.skipped] == [
        (obj.index, "a closed curve with 9000 points, more than it can fill")
    ]


@pytest.mark.parametrize("rendering", [HIDDEN, TUBE])
def test_splines_of_no_or_one_knot_have_no_surface(rendering: list[float | int]) -> None:
    for knots in ([], [knot((1, 2, 3))], [knot((1, 2, 3))] * 2):
        obj = stored(shape_chunks(spline_chunks(knots)), SPLINE, rendering)
        found = Evaluator(obj.scene).object(obj)
        assert found.complete
        assert found.mesh is None


@pytest.mark.parametrize("rendering", [HIDDEN, TUBE])
def test_knots_far_away_and_steps_without_end_are_refused(rendering: list[float | int]) -> None:
    far = shape_chunks(spline_chunks([knot((3e38, 0, 0)), knot((0, -3e38, 0))] * 2))
    for chunks in (far, square(2**31 - 1), shape_chunks(spline_chunks([]), steps=2**31 - 1)):
        found = Evaluator((obj := stored(chunks, SPLINE, rendering)).scene).object(obj)
        assert found.mesh is None
        assert [entry.approximate for entry in found.skipped][-1:] == [False]
