"""Keys that were dropped are not missed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.gltf.export.sampling import TOLERANCE, drop_lines, smooth_turns
from tests.support.gltf_motion import Array

numbers = st.floats(-1e3, 1e3, width=32)
#: Rows of values: some repeat, some go on as before, some are new.
steps = st.lists(
    st.one_of(st.just("same"), st.just("on"), st.tuples(numbers, numbers, numbers)),
    min_size=1,
    max_size=40,
)


def rows(kinds: list[str | tuple[float, float, float]]) -> Array:
    out = [np.zeros(3)]
    for kind in kinds:
        if kind == "same":
            out.append(out[-1])
        elif kind == "on":
            out.append(2 * out[-1] - (out[-2] if len(out) > 1 else out[-1]))
        else:
            out.append(np.array(kind, float))
    return np.array(out)


@given(steps, st.integers(1, 400))
def test_lines(kinds: list[str | tuple[float, float, float]], stride: int) -> None:
    values = rows(kinds)
    ticks = np.arange(len(values), dtype=np.float64) * stride
    chosen = drop_lines(ticks, values, rotation=False)
    assert {0, len(values) - 1} <= set(chosen.tolist())
    for column in range(3):
        again = np.interp(ticks, ticks[chosen], values[chosen, column])
        size = max(1.0, float(np.abs(values).max()))
        assert np.abs(again - values[:, column]).max() <= TOLERANCE * size * 1.001


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=30))
def test_turns(axes: list[tuple[float, float, float]]) -> None:
    # Turns by small and by large angles; some stand still.
    turns = [np.array([*axis, 500.0]) for axis in axes for _ in range(3)]
    values = smooth_turns(np.array(turns))
    assert np.all(np.einsum("ij,ij->i", values[1:], values[:-1]) >= 0)
    ticks = np.arange(len(values), dtype=np.float64) * 160
    chosen = drop_lines(ticks, values, rotation=True)
    for row in np.setdiff1d(np.arange(len(values)), chosen):
        before, after = chosen[chosen < row].max(), chosen[chosen > row].min()
        share = (row - before) / (after - before)
        between = values[before] * (1 - share) + values[after] * share
        between /= np.linalg.norm(between)
        assert np.abs(between - values[row]).max() <= 2 * TOLERANCE


def test_a_straight_line_needs_its_ends_only() -> None:
    ticks = np.arange(1000, dtype=np.float64) * 160
    values = np.outer(ticks, [1.0, -0.5, 0.25])
    assert drop_lines(ticks, values, rotation=False).tolist() == [0, 999]


def test_a_corner_is_kept() -> None:
    ticks = np.arange(11, dtype=np.float64)
    values: Array = np.abs(ticks - 5)[:, None]
    assert drop_lines(ticks, values, rotation=False).tolist() == [0, 5, 10]
