"""Every mesh of every real scene is sound, and evaluating twice gives the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from maxsidecar.errors import NotMaxFileError
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.maxfile import open_file
from tests.support.mesh_invariants import broken_rules, same_meshes


@pytest.mark.slow
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_meshes_are_sound_and_always_the_same(max_file: Path) -> None:
    try:
        scene = open_file(max_file).scene
    except NotMaxFileError:
        pytest.skip("not a scene")
    first, second = Evaluator(scene), Evaluator(scene)
    for node in scene.nodes.values():
        one, other = first.node(node), second.node(node)
        mesh = one.mesh
        assert same_meshes(mesh, other.mesh), node.name
        assert one.skipped == other.skipped, node.name
        if mesh is None:
            continue
        assert broken_rules(mesh) == [], node.name
        # No real scene has a vertex or a map vertex that is not finite.
        assert np.isfinite(mesh.positions).all(), node.name
        for number, channel in mesh.maps.items():
            assert np.isfinite(channel.vertices).all(), (node.name, number)
        lengths = np.linalg.norm(corner_normals(mesh).astype(np.float64), axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=1e-3)
