"""Legs between planted keys, for any keys: whole legs, and the poses of the keys at the keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.scene.biped.roles import LEFT, Role
from tests.support.biped_standing import LOWER, UPPER, standing

ANGLES = st.floats(-3.0, 3.0)
PARTS = st.floats(-1.0, 1.0)
LEG = [Role("leg", LEFT, link) for link in range(3)]


@settings(max_examples=25)
@given(st.data(), st.lists(st.floats(0.0, 1.0), min_size=2, max_size=5), st.floats(-20.0, 20.0))
def test_legs_stay_whole(data: st.DataObject, blend: list[float], dip: float) -> None:
    rigged = standing(blend=tuple(blend), dip=dip)
    keys = rigged.tracks["left leg"]
    for row in keys.records:
        row[0] = data.draw(st.floats(0.0, 2 * np.pi))
        row[2:6] = data.draw(st.tuples(PARTS, PARTS, PARTS, PARTS))
        row[28:32] = data.draw(st.tuples(PARTS, PARTS, PARTS, PARTS))
    ticks = np.linspace(-40.0, keys.times[-1] + 40.0, 37)
    bones = rigged.bones(ticks)
    thigh, calf, foot = (bones[role] for role in LEG)
    for frame in (thigh, calf, foot):
        assert np.isfinite(frame.place).all()
        across = np.einsum("tij,tik->tjk", frame.turn, frame.turn)
        assert np.abs(across - np.eye(3)).max() < 1e-6
        assert np.linalg.det(frame.turn).min() > 0.0
    assert np.abs(np.linalg.norm(calf.place - thigh.place, axis=1) - UPPER).max() < 1e-6
    assert np.abs(np.linalg.norm(foot.place - calf.place, axis=1) - LOWER).max() < 1e-6
    # At the keys, and closely before and behind them, the leg is where their joints have it.
    free = replace(keys, records=keys.records.copy())
    free.records[:, 12] = 0.0
    near = np.concatenate([keys.times, keys.times - 1e-8, keys.times + 1e-8])
    solved = rigged.bones(near)
    rigged.tracks["left leg"] = free
    joints: Any = rigged.bones(near)
    for role in LEG:
        # Knees of straight legs move by the square root of what the ankle does.
        assert np.abs(solved[role].place - joints[role].place).max() < 1e-3, role


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_at_keys_and_outside_of_runs_the_joints_count(seed: int) -> None:
    """Whatever keys say: straight and folded knees, legs too short, several keys at one time."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    rigged = standing(blend=(1.0,) * count)
    keys = rigged.tracks["left leg"]
    knees = [0, 1e-7, -1e-7, 0.5, -0.5, -2.5, -3.1, 3.1, np.pi, 2 * np.pi - 0.5, -7]
    keys.records[:, 0] = np.pi + rng.choice(knees, count)
    keys.records[:, 2:6] = rng.normal(size=(count, 4))
    keys.records[:, 28:32] = rng.normal(size=(count, 4))
    keys.records[:, 12] = rng.choice([0, 1, 1, 1, 0.5, 1e-12, np.nan, np.inf], count)
    keys.records[:, 101:104] = rng.choice([9e9, np.nan, np.inf, 0])
    keys.counts[:, 11] = rng.choice([2, 2, 2, 0], count)
    ticks = 160.0 * np.sort(rng.integers(0, 12, count)).astype(np.float64)
    tcb = rng.uniform(-1, 1, (count, 3))
    rigged.tracks["left leg"] = replace(keys, times=ticks, tcb=tcb)
    rigged.tracks["vertical"].records[:, 2] += rng.choice([0, -1, 3, -9, -20, 100], 3)
    when = np.concatenate([ticks, [-999.0, -1.0, 1761.0, 1e6], np.linspace(0, 1760, 45)])
    with np.errstate(invalid="ignore"):  # pivots that are no numbers
        solved = rigged.bones(when)
    exact = np.isin(when, ticks) | (when < 0) | (when > 1760)
    keys.records[:, 12] = 0.0
    joints = rigged.bones(when)
    for link in range(3):
        found, expected = (bones[Role("leg", LEFT, link)] for bones in (solved, joints))
        assert np.isfinite(found.place).all()
        assert np.isfinite(found.turn).all()
        assert np.abs(found.place - expected.place)[exact].max() < 1e-5
        assert np.abs(found.turn - expected.turn)[exact].max() < 1e-5
