"""Chamfers of two segments of a real scene, against what a modifier above stored of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import maxsidecar
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.modifiers.edit_poly_views import EditPoly
from maxsidecar.scene.modifiers.unwrap_views import UnwrapUVW
from maxsidecar.scene.modifiers.view_base import local_container

_SNAPSHOT = 0x0330


def test_each_vertex_and_face_is_that_of_the_unwrap_above(corpus: Path) -> None:
    """A loop around a column, then six columns of two edges, moved, its top deleted and capped."""
    path = corpus / "max" / "GameJam1" / "New__models__arena_pylon.max"
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find("pylon_base")
    stack = node.object
    assert isinstance(stack, DerivedObject)
    modifiers = stack.modifiers
    slot = next(k for k, found in enumerate(modifiers) if isinstance(found, EditPoly))
    above = modifiers[0]
    assert isinstance(above, UnwrapUVW)
    local = local_container(stack.contexts[0].container())
    stored = above.read_map(stack.contexts[0])
    assert local is not None
    assert stored is not None
    snapshot = local.find(_SNAPSHOT)
    assert snapshot is not None
    points = Rows("vertices", "f", 3).decode(snapshot.data).array
    evaluator = Evaluator(scene_file.scene)
    mesh = evaluator.below(stack, slot - 1).mesh
    assert mesh is not None
    assert mesh.positions.shape == points.shape == (126, 3)
    assert np.abs(mesh.positions - points).max() <= 5e-7 * np.ptp(points)
    mine = [part.tolist() for part in np.split(mesh.corners, mesh.starts[1:-1])]
    faces = stored[1]
    theirs = [part.tolist() for part in np.split(faces.vertices, np.cumsum(faces.degrees)[:-1])]
    assert len(mine) == len(theirs) == 110
    assert mine[1:] == theirs[1:]
    # The bottom of the cylinder below the whole stack may begin elsewhere.
    turns = [mine[0][k:] + mine[0][:k] for k in range(len(mine[0]))]
    assert theirs[0] in turns
    assert evaluator.node(node).complete
