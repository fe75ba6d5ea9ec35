"""Codecs of shapes both ways, edits of splines, and fillings of curves, on random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.geometry.shapes.caps import filled
from maxsidecar.scene.geometry.shapes.outlines import outlines
from maxsidecar.scene.geometry.shapes.shape_views import KNOTS, CountedText
from maxsidecar.scene.geometry.spline import Shape, Spline
from maxsidecar.scene.modifiers.edit_spline_views import MOVES
from tests.support.shapes import same, square, stored

CODECS: list[Codec[Any]] = [KNOTS, CountedText(), MOVES]
NUMBERS = st.floats(-1e6, 1e6, width=32)


@given(st.sampled_from(CODECS), st.integers(0, 3), st.binary(max_size=120))
def test_what_decodes_encodes_to_the_same_bytes(codec: Codec[Any], size: int, tail: bytes) -> None:
    rows = (tail * 3)[: 24 * size]
    counted = len(tail).to_bytes(4, "little") + tail
    for data in (tail, tail[: 52 * size], counted, size.to_bytes(4, "little") + rows):
        try:
            value = codec.decode(data)
        except DecodeError:
            continue
        assert codec.encode(value) == data
        assert codec.verified(data) == value


@st.composite
def splines(draw: st.DrawFn, least: int = 1) -> Spline:
    count = draw(st.integers(least, 8))

    def rows() -> Any:
        numbers = draw(st.lists(NUMBERS, min_size=3 * count, max_size=3 * count))
        return np.array(numbers, np.float32).reshape(-1, 3)

    def words(most: int) -> Any:
        numbers = draw(st.lists(st.integers(0, most), min_size=count, max_size=count))
        return np.array(numbers, np.int32)

    return Spline(
        points=rows(),
        incoming=rows(),
        outgoing=rows(),
        lines=words(1).astype(bool),
        kinds=words(3),
        material_ids=words(0xFFFF),
        closed=draw(st.booleans()),
    )


@given(st.lists(splines(), max_size=4))
def test_written_splines_are_read_again(made: list[Spline]) -> None:
    obj = stored(square())
    shape = Shape(made)
    obj.write_shape(shape)
    found = obj.read_shape()
    assert found is not None
    assert same(found, shape)
    assert not obj.write_shape(shape)


@settings(max_examples=50)
@given(st.lists(splines(least=3), min_size=1, max_size=3), st.integers(0, 3))
def test_every_closed_curve_gets_its_number_of_triangles(made: list[Spline], steps: int) -> None:
    shape = Shape(made, steps)
    lines = outlines(shape)
    mesh = filled(shape)
    if mesh is None:
        return
    count = sum(len(line.points) for line in lines if line.closed)
    assert len(mesh.positions) == count
    # A region has two triangles less than points; a hole adds two for its bridge.
    assert count - 2 * len(made) <= len(mesh.triangles) <= count + 2 * len(made)


def test_an_odd_length_is_no_knots() -> None:
    with pytest.raises(DecodeError, match="knots"):
        KNOTS.decode(bytes(51))
