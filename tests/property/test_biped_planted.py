"""Legs between planted keys, for any keys: whole legs, and the poses of the keys at the keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.scene.biped.roles import LEFT, Role
from tests.unit.scene.biped.test_planted import LOWER, UPPER, standing

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
