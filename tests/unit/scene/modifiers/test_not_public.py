"""Modifiers whose rule is not public: the mesh below is used, and the reason is told."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.modifiers.not_public import PATCH_SELECT, RULES
from tests.support.cubes import CORNERS, cube_triangles
from tests.support.stacks import Layer, Stack


@pytest.mark.parametrize("class_id", RULES)
def test_the_mesh_below_is_used(class_id: tuple[int, int]) -> None:
    found = Stack([Layer(class_id)], cube_triangles()).evaluation()
    assert not found.complete
    assert [entry.reason for entry in found.skipped] == [RULES[class_id]]
    assert found.mesh is not None
    assert np.allclose(found.mesh.positions, CORNERS)


def test_patch_select_changes_no_shape() -> None:
    made = Stack([Layer(PATCH_SELECT)], cube_triangles())
    assert np.allclose(made.mesh().positions, CORNERS)
    assert made.reasons() == ["the selection that it makes is left out"]
