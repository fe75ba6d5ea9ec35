"""Every scene as glTF: what the validator says, and that all that was there is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export, ExportedMesh
from maxsidecar.gltf.export.polygons import unpack
from maxsidecar.gltf.write import write
from maxsidecar.scene.appdata_registry import REGISTRY
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.transform import Pose
from tests.conftest import corpus_scenes
from tests.support.gltf_file import GltfFile
from tests.support.validator import Validator

pytestmark = pytest.mark.slow

#: Materials without textures use no texture coordinates; those are kept.  And the validator does
#: not know every extension that Khronos ratified.
HARMLESS = {"UNUSED_OBJECT", "NODE_EMPTY", "INCOMPLETE_EXTENSION_SUPPORT"}


@dataclass(eq=False)
class Done:
    """A scene with its export."""

    scene: Any
    export: Export
    file: GltfFile
    path: Path


@pytest.fixture(
    scope="module", params=corpus_scenes(), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def done(request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: Any) -> Iterator[Done]:
    """Each scene is exported once, and the tests of one scene run together."""
    path = tmp_path_factory.mktemp("gltf") / "out.glb"
    with maxsidecar.open(request.param) as scene_file:
        export = build(scene_file)
        write(export.document, path)
        yield Done(scene_file, export, GltfFile(path), path)
    path.unlink()


def test_the_validator_has_nothing_to_say(done: Done, gltf_validator: Validator) -> None:
    verdict = gltf_validator.check(done.path)
    assert verdict.errors == []
    assert verdict.warnings == []
    assert set(verdict.codes(2)) <= HARMLESS, verdict.of(2)


def test_every_node_is_there_once_below_its_parent(done: Done) -> None:
    nodes = [node for node in done.scene.nodes.values() if not isinstance(node, RootNode)]
    expected = Counter((_id(done, node), node.name, _parent_id(done, node)) for node in nodes)
    file = done.file
    # Cameras and lights of nodes that cannot be turned hang below them, without an id.
    own = {
        i: n["extras"]["max_id"]
        for i, n in enumerate(file.nodes)
        if "max_id" in n.get("extras", {})
    }
    found = Counter(
        (key, _text(file.nodes[i].get("name", "")), _written_parent(file, own, i))
        for i, key in own.items()
    )
    assert found == Counter({(k, _text(n), p): c for (k, n, p), c in expected.items()})
    assert len(own) == len(nodes)


def _written_parent(file: GltfFile, own: dict[int, str], index: int) -> str | None:
    """Return the id of a node's parent; nodes of skins may be roots, and say where they were."""
    said: str | None = file.nodes[index]["extras"].get("max_parent")
    return own.get(file.parents.get(index, -1)) if said is None else said


def _text(name: str) -> str:
    """Return a name as UTF-8 can hold it."""
    return name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _id(done: Done, node: Node) -> str:
    return done.export.ids.key(node)


def _parent_id(done: Done, node: Node) -> str | None:
    parent = node.parent
    return None if parent is None or isinstance(parent, RootNode) else _id(done, parent)


def test_every_node_and_mesh_is_in_the_report(done: Done) -> None:
    told = Counter(e.id for e in done.export.report.entries if e.kind == "node")
    assert told == Counter(_id(done, node) for node in done.export.scene_nodes.values())
    meshes = {e.id for e in done.export.report.entries if e.kind == "mesh"}
    shown = {_id(done, done.export.scene_nodes[index]) for index in done.export.meshes}
    assert shown <= meshes


def test_meshes_stand_where_3ds_max_has_them(done: Done) -> None:
    """Through the file: what its nodes do to its vertices, and the scene's to the mesh's."""
    export, file = done.export, done.file
    pose = Pose(done.scene.scene, export.time, export.rest)
    numbers = {
        n["extras"]["max_id"]: i
        for i, n in enumerate(file.nodes)
        if "max_id" in n.get("extras", {})
    }
    for index, made in export.meshes.items():
        node = export.scene_nodes[index]
        number = numbers[_id(done, node)]
        if "skin" in file.nodes[number]:
            continue  # bent by its joints
        places = file.places({})
        ours = file.vertices(number, {}, places)
        weights = made.mesh.weights
        if any(weights):
            continue  # morph targets are another test
        source = made.source.positions[np.concatenate(made.vertices)].astype(float)
        matrix = pose.object(node)[0]
        scene = source @ matrix[:3, :3] + matrix[3, :3]
        scene = scene @ change_of_basis(export.scale)[:3, :3]
        size = max(float(np.ptp(scene, axis=0).max()), 1e-4 * float(np.abs(scene).max()), 1e-9)
        assert np.abs(ours - scene).max() <= 1e-5 * size, node.name


def test_polygons_can_be_built_again_from_the_file(done: Done) -> None:
    meshes = {id(made.mesh): made for made in done.export.meshes.values()}
    numbers = {id(node.mesh): i for i, node in _mesh_numbers(done)}
    for key, made in meshes.items():
        _check_polygons(done.file, done.file.json["meshes"][numbers[key]], made)


def _mesh_numbers(done: Done) -> Iterator[tuple[int, Any]]:
    own = {n["extras"]["max_id"]: n for n in done.file.nodes if "max_id" in n.get("extras", {})}
    for index, node in done.export.nodes.items():
        written = own[_id(done, done.export.scene_nodes[index])]
        if node.mesh is not None:
            yield written["mesh"], node


def _check_polygons(file: GltfFile, written: Any, made: ExportedMesh) -> None:
    source, extras = made.source, written["extras"]
    polygons, count = source.polygon_count, len(source.corners)
    assert extras["max_vertices"] == len(source.positions)
    assert extras["max_polymesh"] is source.is_polygons
    degrees = unpack(extras["max_corners"], polygons)
    starts = np.concatenate([[0], np.cumsum(degrees)])
    assert np.array_equal(starts, source.starts)
    ids = unpack(extras["max_ids"], polygons)
    assert np.array_equal(ids, source.material_ids)
    assert np.array_equal(unpack(extras["max_smoothing"], polygons), source.smoothing)
    edges = unpack(extras["max_edges"], -(-count // 8)).astype(np.uint8)
    assert np.array_equal(np.unpackbits(edges, bitorder="little")[:count], source.edge_visible)
    # A polygon of n corners is n - 2 triangles, unless it is none.
    triangles = np.bincount(source.triangle_polygons, minlength=polygons)
    polygon = np.repeat(np.arange(polygons), triangles)
    place = unpack(extras["max_triangles"], 3 * len(polygon)).reshape(-1, 3)
    used = np.unique(ids[polygon])
    group = np.array(extras["max_primitives"])[np.searchsorted(used, ids[polygon])]
    found = np.full(count, -1)
    for number in range(int(group.max()) + 1):
        primitive = written["primitives"][number]
        attributes = primitive["attributes"]
        indices = file.accessor(primitive["indices"])[:, 0].astype(int)
        vertex = np.arange(len(source.positions))
        if "_VERTEX" in attributes:
            vertex = file.accessor(attributes["_VERTEX"])[:, 0].astype(int)
        corners = vertex[indices].reshape(-1, 3)
        if np.linalg.det(made.to_gltf[:3, :3]) < 0:
            corners = corners[:, ::-1]
        chosen = group == number
        found[(starts[polygon[chosen]][:, None] + place[chosen])] = corners
    inside = np.zeros(count, bool)
    inside[source.triangles.reshape(-1)] = True
    assert np.array_equal(found[inside], source.corners[inside])


def test_appdata_with_a_name_is_in_the_extras(done: Done) -> None:
    own = {
        n["extras"]["max_id"]: n["extras"]
        for n in done.file.nodes
        if "max_id" in n.get("extras", {})
    }
    for node in done.export.scene_nodes.values():
        extras = own[_id(done, node)]
        for item in node.appdata:
            prop = REGISTRY.by_key(item.key)
            name = f"appdata.{item.key}" if prop is None else ".".join(prop.path)
            there = [key for key in extras if key == name or key.startswith(f"{name}.")]
            assert there or len(item.value) > 1024 or not item.value, (node.name, name)
        if node.user_properties_text:
            assert extras["max_user_text"] == _text(node.user_properties_text)
