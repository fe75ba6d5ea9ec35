"""Exported files against those that 3ds Max's own exporter made of the same scenes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.gltf.export.build import export_file
from maxsidecar.scene.units import metres_per_unit
from tests.support.gltf_corners import world_corners
from tests.support.gltf_file import GltfFile
from tests.support.mesh_compare import Difference, compare
from tests.support.mesh_pairs import LIGHTS_UNTURNED, MESH_NODES

#: The exporter writes normals of the bent surface for skinned meshes, ours are bent by the joints,
#: as glTF asks for (tests/corpus/test_geometry_pairs.py proves the former).
SKINNED = {("ElfFeet", "elf"), ("ElfRun", "elf"), ("RiggedElf", "elf")}
#: Exporters of these took no notice of the scene's unit.
WITHOUT_UNIT = {"AnimatedMorphCube", "CartoonHouses", "Instances", "LightOrientation"}
#: Some exporters add a light where a scene has none.
DEFAULT_LIGHT = "Default light"
MATCHED, HAUSDORFF, DEGREES, COORDINATES = 0.999, 1e-5, 0.5, 1e-4
#: From the place of a light to that of a mesh in the light's place: 90 degrees about X.
UNTURN = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


@dataclass(eq=False)
class Pair:
    """An exported file and its reference."""

    name: str
    ours: GltfFile
    theirs: GltfFile
    scene: Any


@cache
def load(folder: Path, target: Path) -> Pair:
    (reference,) = folder.glob("*.gltf")
    scene_file = maxsidecar.open(folder / "scene.max")
    path = target / f"{folder.name}.glb"
    export_file(scene_file, path)
    return Pair(folder.name, GltfFile(path), GltfFile(reference), scene_file)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pairs")


@pytest.fixture(params=MESH_NODES)
def pair(request: pytest.FixtureRequest, corpus: Path, target: Path) -> Pair:
    return load(corpus / "pairs" / request.param, target)


def _only(file: GltfFile, name: str) -> int:
    (index,) = file.by_name[name]
    return index


def _differences(pair: Pair) -> dict[str, Difference]:
    ours, theirs, out = pair.ours, pair.theirs, {}
    unit = 1 / metres_per_unit(pair.scene.scene) if pair.name in WITHOUT_UNIT else 1.0
    for index, node in enumerate(theirs.nodes):
        if "mesh" not in node:
            continue
        name = node["name"]
        here = _only(ours, name)
        found = world_corners(ours, here)
        found.positions = found.positions * unit
        world = theirs.world(index)
        above = ours.parents.get(here)
        if pair.name == LIGHTS_UNTURNED and above is not None and _shines(pair, above):
            # The exporter wrote lights without rotation, and what hangs on them (see
            # tests/corpus/test_pairs_corpus.py): compared as it hangs on the light.
            # A sky is no light of glTF, so its node is as that of a mesh.
            turn = UNTURN if _punctual(ours.nodes[above]) else np.eye(4)
            world = ours.world(above) @ turn @ theirs.local(index)
        out[name] = compare(found, world_corners(theirs, index, world))
    return out


def _shines(pair: Pair, index: int) -> bool:
    (node,) = pair.scene.nodes.find(pair.ours.nodes[index]["name"])
    return bool(node.base_object.superclass == 0x30)


def test_the_triangles_are_those_of_the_reference(pair: Pair) -> None:
    found = _differences(pair)
    assert len(found) == MESH_NODES[pair.name]
    for name, difference in found.items():
        row = f"{name}: {difference}"
        assert difference.ours == difference.reference, row
        assert difference.matched >= MATCHED, row
        assert difference.hausdorff <= HAUSDORFF, row
        assert difference.coordinates is not None, row
        assert difference.coordinates <= COORDINATES, row
        assert difference.degrees is not None, row
        if (pair.name, name) not in SKINNED:
            assert difference.degrees <= DEGREES, row


def test_nodes_materials_cameras_and_lights_are_there(pair: Pair) -> None:
    ours, theirs = pair.ours, pair.theirs
    names = {node.get("name") for node in theirs.nodes}
    missing = names - {node.get("name") for node in ours.nodes}
    lights = [
        n
        for n in pair.scene.nodes.values()
        if n.base_object is not None and n.base_object.superclass == 0x30
    ]
    if not lights:
        assert not pair.scene.nodes.find(DEFAULT_LIGHT)
        missing -= {DEFAULT_LIGHT}
    assert missing == set()
    for kind in ("materials", "cameras"):
        there = {item["name"] for item in ours.json.get(kind, [])}
        assert {item["name"] for item in theirs.json.get(kind, [])} <= there, kind
    for what in ("camera", "light", "mesh", "skin"):
        for node in theirs.nodes:
            if what in node or what in _punctual(node):
                mine = ours.nodes[_only(ours, node["name"])]
                assert what in mine or what in _punctual(mine), (what, node["name"])


def _punctual(node: dict[str, Any]) -> dict[str, Any]:
    extensions: dict[str, Any] = node.get("extensions", {})
    found: dict[str, Any] = extensions.get("KHR_lights_punctual", {})
    return found


def test_instances_share_their_meshes_as_in_the_reference(pair: Pair) -> None:
    def sharing(file: GltfFile) -> set[frozenset[str]]:
        groups: dict[int, set[str]] = {}
        for node in file.nodes:
            if "mesh" in node:
                groups.setdefault(node["mesh"], set()).add(node["name"])
        return {frozenset(group) for group in groups.values() if len(group) > 1}

    assert sharing(pair.theirs) <= sharing(pair.ours)


def test_custom_attributes_have_the_values_of_the_reference(corpus: Path, target: Path) -> None:
    pair = load(corpus / "pairs" / "CustomAttributes", target)
    compared = 0
    for node in pair.theirs.nodes:
        mine = pair.ours.nodes[_only(pair.ours, node["name"])]["extras"]
        for key, value in node.get("extras", {}).items():
            if isinstance(value, dict):
                assert key in mine  # a map: its id, where the reference spells it out
                continue
            expected = value if isinstance(value, str | bool) else pytest.approx(value, rel=1e-6)
            assert mine[key] == expected, (node["name"], key)
            compared += 1
    assert compared == 40


def test_polygons_groups_and_ids_cost_little(corpus: Path, target: Path) -> None:
    """What only the way back needs is a small part of a file."""
    pair = load(corpus / "pairs" / "CartoonHouses", target)
    packed = sum(
        len(str(value))
        for mesh in pair.ours.json["meshes"]
        for key, value in mesh["extras"].items()
        if key.startswith("max_")
    )
    assert packed < 0.01 * len(pair.ours.buffers[0])
