"""Numbers of a node in glTF's terms, part by part and as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.gltf.axes import matrices_to_gltf
from maxsidecar.gltf.export.frame import Frame
from maxsidecar.gltf.export.views import TURN
from maxsidecar.scene.matrices import compose
from tests.support.gltf import matrix

PLAIN = (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("own", [PLAIN, TURN])
@pytest.mark.parametrize("parent", [PLAIN, TURN])
def test_parts_and_matrices_agree(
    own: tuple[float, float, float, float], parent: tuple[float, float, float, float]
) -> None:
    frame = Frame(0.5, own, parent)
    places = np.array([[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]])
    turns = np.array([[0.5, 0.5, 0.5, 0.5], [0.1, -0.7, 0.1, 0.7]])
    sizes = np.array([[1.0, 2.0, 3.0], [-1.0, 1.0, 0.5]])
    local = compose(places, turns, np.concatenate([sizes, np.tile(PLAIN, (2, 1))], axis=1))
    whole = frame.matrices(local)
    # The change of basis, and then the turns of node and parent, as matrices.
    none, one = np.zeros(3), np.ones(3)
    before, behind = (matrix(none, np.array(q), one) for q in (parent, own))
    plain = np.swapaxes(matrices_to_gltf(local, 0.5), 1, 2)
    assert np.allclose(whole, np.linalg.inv(before) @ plain @ behind)
    parts = zip(
        frame.positions(places), frame.rotations(turns), frame.scales(sizes), whole, strict=True
    )
    for place, turn, size, wanted in parts:
        assert np.allclose(matrix(place, turn, size), wanted)
