"""Real scenes whose geometry is damaged: a sound mesh, or a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.maxfile import open_file
from maxsidecar.scene.scene import Scene
from tests.fuzz.mutate_geometry import GeometryBase, mutate_geometry
from tests.support.mesh_invariants import broken_rules

CASES = 25
#: Edit Poly, primitives with modifiers, Editable Mesh with Edit Mesh, shapes with Extrude.
SCENES = (
    "pairs/TransparencyMode/scene.max",
    "pairs/CartoonHouses/scene.max",
    "max/Native_SDK/StencilBuffer__Media__sphere.max",
    "max/Model-Showcase/DC1 test.max",
)


def count_meshes(scene: Scene, what: str) -> int:
    """Evaluate all nodes; return how many meshes they give."""
    evaluator, count = Evaluator(scene), 0
    for node in scene.nodes.values():
        evaluation = evaluator.node(node)
        assert all(entry.reason for entry in evaluation.skipped)
        mesh = evaluation.mesh
        if mesh is not None:
            count += 1
            assert broken_rules(mesh) == [], what
            corner_normals(mesh)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_damaged_geometry_gives_sound_meshes_or_reasons(corpus: Path, name: str) -> None:
    base = GeometryBase(open_file(corpus / name).scene)
    original, meshes, opened = bytes(base.scene.data), 0, 0
    for seed in range(CASES):
        done, scene = mutate_geometry(base, seed)
        try:
            _ = scene.nodes
        except MaxSidecarError:
            continue
        opened += bytes(scene.data) != original
        meshes += count_meshes(scene, f"{name} {seed}: {done}")
    # The damage must be real, and still leave meshes.
    assert opened > CASES // 2
    assert meshes > CASES // 2
