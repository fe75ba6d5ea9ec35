"""Joining vertices of different meshes."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.errors import LimitError
from maxsidecar.nel.export import weld as module
from maxsidecar.nel.export.weld import weld


def plain(points: np.ndarray, meshes: np.ndarray, distance: float) -> list[int]:
    """The rule, one vertex after the other."""
    target = list(range(len(points)))
    for one in range(len(points)):
        if target[one] != one:
            continue
        for two in range(one + 1, len(points)):
            apart = np.linalg.norm(points[one].astype(float) - points[two])
            if meshes[one] != meshes[two] and target[two] == two and apart <= distance:
                target[two] = one
    return target


def test_only_vertices_of_other_meshes_are_joined() -> None:
    points = np.array([(0, 0, 0), (0.001, 0, 0), (0.002, 0, 0), (5, 5, 5), (5, 5, 5.004)])
    meshes = np.array([0, 0, 1, 1, 2])
    assert weld(points.astype(np.float32), meshes, 0.005).tolist() == [0, 1, 0, 3, 3]


@pytest.mark.parametrize("seed", range(20))
def test_the_rule_holds_for_any_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Steps of 2 mm on a small grid: many neighbours, no distance at the limit itself.
    points = (rng.integers(-6, 7, (60, 3)) * 0.002).astype(np.float32)
    meshes = rng.integers(0, 4, 60)
    assert weld(points, meshes, 0.005).tolist() == plain(points, meshes, 0.005)


def test_points_that_are_no_numbers_stay_alone() -> None:
    points = np.array([(np.nan, 0, 0), (np.nan, 0, 0), (np.inf, 0, 0)], np.float32)
    assert weld(points, np.arange(3), 0.005).tolist() == [0, 1, 2]
    assert weld(np.empty((0, 3), np.float32), np.empty(0, np.int64), 0.005).tolist() == []


def test_far_away_points_are_compared_too() -> None:
    points = np.array([(0, 0, 0), (9e8, 0, 0), (9e8, 0, 0)], np.float32)
    assert weld(points, np.array([0, 1, 2]), 0.005).tolist() == [0, 1, 1]


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 100)
    with pytest.raises(LimitError, match="lie together"):
        weld(np.zeros((50, 3), np.float32), np.arange(50), 0.005)
