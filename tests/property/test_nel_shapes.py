"""Parts of the shape exporter against the plain form of the rules they follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maxsidecar.nel.shape.corners import bounding_box, merge_corners
from maxsidecar.nel.shape.vertex_cache import CACHE_SIZE, cache_order


def plain_order(triangles: list[list[int]]) -> list[int]:
    """Return the order of triangles, as the rule is written (spec: nel-export-rules 3.2)."""
    cache: list[int] = []
    done: list[int] = []

    def missing(number: int, absent: list[int]) -> int:
        return sum(v not in cache or v in absent for v in triangles[number])

    def around(vertex: int) -> list[int]:
        return [n for n in range(len(triangles) - 1, -1, -1) for v in triangles[n] if v == vertex]

    def draw(number: int) -> None:
        for vertex in triangles[number]:
            if vertex not in cache:
                cache.append(vertex)
                del cache[:-CACHE_SIZE]
        done.append(number)

    for first in range(len(triangles)):
        following: int | None = first
        while following is not None and following not in done:
            draw(following)
            following, least = None, 3
            for vertex in list(cache):
                for number in around(vertex):
                    if number in done:
                        continue
                    cost = missing(number, [])
                    if not cost:
                        draw(number)
                        continue
                    newest = cache[-cost:]
                    for other in newest:
                        for neighbour in around(other):
                            if neighbour not in done and neighbour != number:
                                cost += missing(neighbour, newest)
                    if cost < least:
                        following, least = number, cost
    return done


@given(st.lists(st.lists(st.integers(0, 14), min_size=3, max_size=3), max_size=24))
def test_order_of_triangles(triangles: list[list[int]]) -> None:
    found = cache_order(np.array(triangles, np.int64).reshape(-1, 3))
    assert found.tolist() == plain_order(triangles)


@given(st.integers(2, 6), st.integers(2, 6), st.randoms(use_true_random=False))
def test_order_of_triangles_of_a_grid(width: int, height: int, random: Any) -> None:
    rows = []
    for y in range(height):
        for x in range(width):
            a, b = y * (width + 1) + x, (y + 1) * (width + 1) + x
            rows += [[a, a + 1, b], [a + 1, b + 1, b]]
    random.shuffle(rows)
    assert cache_order(np.array(rows)).tolist() == plain_order(rows)


NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0])
COUNTS = st.shared(st.integers(0, 12), key="corners")


@given(
    COUNTS.flatmap(lambda n: arrays(np.uint32, n, elements=st.integers(0, 2))),
    COUNTS.flatmap(lambda n: arrays(np.float32, (n, 3), elements=NUMBERS)),
    COUNTS.flatmap(lambda n: arrays(np.uint8, (n, 4), elements=st.integers(0, 1))),
)
def test_merged_corners(
    vertices: npt.NDArray[Any], normals: npt.NDArray[Any], colors: npt.NDArray[Any]
) -> None:
    first, numbers = merge_corners([vertices, normals, colors])
    known: dict[tuple[Any, ...], int] = {}
    rows = zip(vertices.tolist(), normals.tolist(), colors.tolist(), strict=True)
    wanted = [known.setdefault((v, *n, *c), len(known)) for v, n, c in rows]
    assert numbers.tolist() == wanted
    assert first.tolist() == [wanted.index(n) for n in range(len(known))]


@given(
    st.integers(1, 60).flatmap(
        lambda n: arrays(
            np.float32,
            (n, 3),
            elements=st.one_of(
                st.sampled_from([0.0, 0.1, 1.0]),
                st.floats(-1000, 1000, width=32, allow_subnormal=False),
            ),
        )
    )
)
def test_box_is_that_of_one_point_after_the_other(points: npt.NDArray[np.float32]) -> None:
    center, half = points[0], np.zeros(3, np.float32)
    for point in points:
        low, high = np.minimum(center - half, point), np.maximum(center + half, point)
        center = (low + high) / np.float32(2)
        half = high - center
    assert bounding_box(points) == (tuple(center.tolist()), tuple(half.tolist()))
