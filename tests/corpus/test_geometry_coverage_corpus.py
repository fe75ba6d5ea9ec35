"""Which nodes of real scenes are evaluated with everything in their stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.errors import NotMaxFileError
from maxsidecar.scene.geometry.coverage import NodeGeometry, survey
from maxsidecar.scene.maxfile import open_file

#: Limbs of bipeds, whose shapes no scene holds (docs/format/geometry-coverage.md).
LIMB = "9125/0"


@pytest.fixture(scope="module")
def nodes(corpus_files: tuple[Path, ...]) -> list[NodeGeometry]:
    found: list[NodeGeometry] = []
    for path in corpus_files:
        try:
            found += survey(open_file(path).scene)
        except NotMaxFileError:
            continue
    return found


@pytest.mark.slow
def test_nearly_all_nodes_that_bear_a_mesh_are_evaluated_in_full(nodes: list[NodeGeometry]) -> None:
    others = [node for node in nodes if node.base_id != LIMB]
    assert len(others) > 900
    supported = sum(node.supported for node in others)
    assert supported >= 0.95 * len(others)


@pytest.mark.slow
def test_what_is_left_out_has_a_reason(nodes: list[NodeGeometry]) -> None:
    for node in nodes:
        assert node.supported == (not node.left_out)
        assert all(entry.reason and entry.class_name for entry in (*node.left_out, *node.notes))
