"""Meshes against the glTF files that 3ds Max's own exporter made of the same scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.mesh_pairs import (
    MESH_NODES,
    Pair,
    differences,
    load,
    mesh_nodes,
    posed,
    skinned,
)

#: The exporter writes the back of two-sided materials as further triangles.
WITH_BACKS = {("DoubleSidedMaterial", "Plane001")}

MATCHED, HAUSDORFF, DEGREES, COORDINATES = 0.999, 1e-5, 0.5, 1e-4


@pytest.fixture(params=MESH_NODES)
def pair(request: pytest.FixtureRequest, corpus: Path) -> Pair:
    return load(corpus / "pairs" / request.param)


def test_every_mesh_node_is_evaluated(pair: Pair) -> None:
    names = [name for _, name in mesh_nodes(pair.gltf)]
    assert len(names) == MESH_NODES[pair.name]
    for name in names:
        assert name in pair.shown, name


def test_triangles_normals_and_coordinates(pair: Pair) -> None:
    found = differences(pair)
    assert len(found) == MESH_NODES[pair.name]
    for name, difference in found.items():
        row = f"{name}: {difference}"
        backs = (pair.name, name) in WITH_BACKS
        assert difference.reference == difference.ours * (2 if backs else 1), row
        assert difference.matched >= (0.5 if backs else MATCHED), row
        assert difference.hausdorff <= HAUSDORFF, row
        assert difference.degrees is not None, row
        assert difference.degrees <= DEGREES, row
        assert difference.coordinates is not None, row
        assert difference.coordinates <= COORDINATES, row


@pytest.mark.parametrize("name", ["ElfFeet", "ElfRun", "RiggedElf"])
def test_a_skinned_mesh_is_the_reference_where_its_bones_are(corpus: Path, name: str) -> None:
    """The reference holds it as its bones bend it, with the normals that somebody set."""
    pair = load(corpus / "pairs" / name)
    item = pair.shown["elf"]
    assert skinned(item.node)
    assert item.mesh.normals is not None
    # At rest it is elsewhere: the bones do bend it.
    moved = np.linalg.norm(posed(pair, item).mesh.positions - item.mesh.positions, axis=1)
    assert moved.max() > 0.1 * np.linalg.norm(np.ptp(item.mesh.positions, axis=0))
    found = differences(pair)["elf"]
    assert found.ours == found.reference == 2312
    assert found.matched == 1.0
    assert found.hausdorff <= 1e-6
    assert found.degrees is not None
    assert found.degrees <= 0.01


def test_the_exporter_keeps_order_and_first_corners(corpus: Path) -> None:
    """Triangles of stored meshes come in the order of the scene, from the corner it stores."""
    found = differences(load(corpus / "pairs" / "CartoonHouses"))
    ordered = [name for name, difference in found.items() if difference.in_order]
    # The others are written material by material.
    assert len(ordered) >= 20
