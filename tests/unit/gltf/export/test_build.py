"""Whole exports of made scenes: the tree, places, meshes, what is chosen, extras, the report."""

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.nodes import world_matrix
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder
from maxsidecar.scene.node_records import Rotation, Scaling, Vector

#: Scenes of the builder count in millimetres.
UNIT = 0.001
QUAD = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
HALVES = [(0, 1, 2), (0, 2, 3)]


def exported(builder: SceneBuilder, folder: Path, change: Any = None, **options: Any) -> Export:
    path = folder / "scene.max"
    path.write_bytes(builder.to_bytes())
    with maxsidecar.open(path) as scene_file:
        if change is not None:
            change(scene_file)
        return build(scene_file, Options(**options))


def by_name(export: Export) -> dict[str, model.Node]:
    return {node.name: node for node in export.nodes.values()}


def world(export: Export, name: str) -> Any:
    index = next(index for index, node in export.nodes.items() if node.name == name)
    return world_matrix(export, index)


def lines(export: Export, kind: str) -> dict[str, tuple[Outcome, str]]:
    entries = export.report.entries
    return {e.name: (e.outcome, e.reason) for e in entries if e.kind == kind}


def test_places_are_those_of_the_scene_in_metres_with_y_up(tmp_path: Path) -> None:
    builder = SceneBuilder()
    dummy = builder.add_dummy(1.0)
    turned = builder.add_transform((100, 200, 300), (0, 0, pi / 2), (1, 2, 3))
    top = builder.add_node("top", dummy, transform=turned)
    builder.add_node("below", dummy, parent=top, transform=builder.add_transform((1, 0, 0)))
    export = exported(builder, tmp_path)
    (root,) = export.document.roots
    assert root.translation == pytest.approx((100 * UNIT, 300 * UNIT, -200 * UNIT))
    # About Z up there, about Y up here, the same way round; Y and Z change places in the scale.
    assert root.rotation == pytest.approx((0, sqrt(0.5), 0, sqrt(0.5)), abs=1e-7)
    assert root.scale == pytest.approx((1, 3, 2))
    (child,) = root.children
    assert child.translation == pytest.approx((UNIT, 0, 0))
    # The X axis of the parent lies along Y of the scene, which is -Z in glTF.
    place = world(export, "below")[:3, 3]
    assert place == pytest.approx((100 * UNIT, 300 * UNIT, -201 * UNIT))


def test_a_mirror_is_a_negative_scale_as_it_is_stored(tmp_path: Path) -> None:
    builder = SceneBuilder()
    mirrored = builder.add_transform((0, 0, 0), (0, 0, 0), (1, -2, 1))
    builder.add_node("mirror", builder.add_box(1, 1, 1), transform=mirrored)
    node = by_name(exported(builder, tmp_path))["mirror"]
    assert node.scale == pytest.approx((1, 1, -2))
    assert node.rotation == pytest.approx((0, 0, 0, 1))
    assert node.mesh is not None
    (primitive,) = node.mesh.primitives
    assert primitive.indices is not None
    # Viewers turn the faces of mirrored nodes: the mesh itself still looks outwards.
    a, b, c = primitive.attributes["POSITION"][primitive.indices[:3]].astype(float)
    assert np.cross(b - a, c - a) @ (a + b + c - 3 * _middle(primitive)) > 0


def _middle(primitive: model.Primitive) -> Any:
    return primitive.attributes["POSITION"].astype(float).mean(axis=0)


def test_the_object_offset_moves_the_mesh_and_nothing_else(tmp_path: Path) -> None:
    builder = SceneBuilder()
    mesh = builder.add_mesh(QUAD, HALVES)
    top = builder.add_node("top", mesh)
    builder.add_node("below", mesh, parent=top)

    def lift(scene_file: Any) -> None:
        (node,) = scene_file.nodes.find("top")
        node.offset_position = Vector(x=0.0, y=0.0, z=10.0)
        node.offset_rotation = Rotation(x=0.0, y=0.0, z=0.0, w=1.0)
        node.offset_scale = Scaling(
            x=1.0, y=1.0, z=1.0, axis_x=0.0, axis_y=0.0, axis_z=0.0, axis_w=1.0
        )

    export = exported(builder, tmp_path, lift)
    nodes = by_name(export)
    top_mesh, below_mesh = nodes["top"].mesh, nodes["below"].mesh
    assert top_mesh is not None
    assert below_mesh is not None
    assert top_mesh is not below_mesh, "another offset is another mesh"
    heights = top_mesh.primitives[0].attributes["POSITION"][:, 1]
    assert heights.tolist() == pytest.approx([10 * UNIT] * 4)
    assert below_mesh.primitives[0].attributes["POSITION"][:, 1].tolist() == [0.0] * 4
    assert nodes["top"].translation == nodes["below"].translation == (0.0, 0.0, 0.0)


def test_instances_share_a_mesh(tmp_path: Path) -> None:
    builder = SceneBuilder()
    box = builder.add_box(1, 1, 1)
    builder.add_node("a", box)
    builder.add_node("b", box, transform=builder.add_transform((5, 0, 0)))
    builder.add_node("c", builder.add_box(1, 1, 1))
    export = exported(builder, tmp_path)
    nodes = by_name(export)
    assert nodes["a"].mesh is nodes["b"].mesh
    assert nodes["a"].mesh is not nodes["c"].mesh
    assert nodes["a"].extras["max_object"] == nodes["b"].extras["max_object"]


def test_extras_say_what_gltf_cannot(tmp_path: Path) -> None:
    builder = SceneBuilder()
    layer = builder.add_layer("walls")
    text = "lod = 2\r\nname = oak\r\nbig = 99999999999\r\nshare=0.5\r\non = TRUE\r\nno line"
    builder.add_node(
        "wall",
        builder.add_mesh(QUAD, HALVES, smoothing=[1, 2], edge_flags=[7, 3]),
        layer=layer,
        user_properties=text,
        look=NodeLook(hidden=True, frozen=True, wire_color=(1, 2, 3)),
    )
    export = exported(builder, tmp_path)
    node = by_name(export)["wall"]
    assert node.extras == {
        "max_id": "1",
        "max_class": "Editable Mesh",
        "max_object": node.extras["max_object"],
        "max_layer": "walls",
        "max_hidden": True,
        "max_frozen": True,
        "max_wire_color": [1, 2, 3],
        "max_user_text": text,
        "user.lod": 2,
        "user.name": "oak",
        "user.big": "99999999999",
        "user.share": 0.5,
        "user.on": True,
    }
    assert node.mesh is not None
    assert node.mesh.extras["max_id"] == node.extras["max_object"]
    assert node.mesh.extras["max_corners"] == 3
    assert node.mesh.extras["max_vertices"] == 4
    without = exported(builder, tmp_path, triangulated=True)
    mesh = by_name(without)["wall"].mesh
    assert mesh is not None
    assert set(mesh.extras) == {"max_id", "max_class"}


def test_appdata_is_written_by_name_or_in_hexadecimal(tmp_path: Path) -> None:
    from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey

    prop = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
    assert prop is not None
    other = AppDataKey(0x12345678, 0x9ABCDEF0, 0x1020, 7)
    large = AppDataKey(0x12345678, 0x9ABCDEF0, 0x1020, 8)

    def add(scene_file: Any) -> None:
        (node,) = scene_file.nodes.find("n")
        node.appdata.set(prop.key, b"250\0")
        node.appdata.set(other, b"\1\xff")
        node.appdata.set(large, bytes(5000))

    builder = SceneBuilder()
    builder.add_node("n", builder.add_dummy(1))
    export = exported(builder, tmp_path, add)
    extras = by_name(export)["n"].extras
    assert extras["nel.lod.dist_max"] == 250.0
    assert extras["appdata.12345678-9abcdef0/1020/7"] == "01ff"
    assert "appdata.12345678-9abcdef0/1020/8" not in extras
    told = [e.reason for e in export.report.entries if e.class_name == "AppData"]
    assert told == [f"{large} has 5000 bytes: left in the scene"]


def family(builder: SceneBuilder) -> None:
    box = builder.add_box(1, 1, 1)
    place = builder.add_transform((10, 0, 0))
    a = builder.add_node("a", box, transform=place)
    b = builder.add_node("b", box, parent=a, transform=place, look=NodeLook(hidden=True))
    builder.add_node("c", box, parent=b, transform=place)
    builder.add_node("d", box)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"a": None, "b": "a", "c": "b", "d": None}),
        ({"nodes": ["B"]}, {"b": None, "c": "b"}),
        ({"nodes": ["3", "d"]}, {"c": None, "d": None}),
        ({"hidden": False}, {"a": None, "c": "a", "d": None}),
    ],
)
def test_chosen_nodes_keep_their_places(
    tmp_path: Path, options: Any, expected: dict[str, str | None]
) -> None:
    builder = SceneBuilder()
    family(builder)
    export = exported(builder, tmp_path, **options)
    parents = {child.name: node.name for node in export.nodes.values() for child in node.children}
    assert {node.name: parents.get(node.name) for node in export.nodes.values()} == expected
    far = {"a": 10, "b": 20, "c": 30, "d": 0}
    for name in expected:
        assert world(export, name)[:3, 3] == pytest.approx((far[name] * UNIT, 0, 0)), name


def test_names_that_are_not_there_are_told(tmp_path: Path) -> None:
    builder = SceneBuilder()
    family(builder)
    with pytest.raises(EditError, match="no node of this name"):
        exported(builder, tmp_path, nodes=["x"])
    with pytest.raises(EditError, match="no selection set 'x'"):
        exported(builder, tmp_path, selection_set="x")


def test_the_rig_alone_has_no_meshes(tmp_path: Path) -> None:
    builder = SceneBuilder()
    family(builder)
    export = exported(builder, tmp_path, rig_only=True)
    assert len(export.nodes) == 4
    assert all(node.mesh is None for node in export.nodes.values())
    assert "mesh" not in export.report.counts


def test_what_cannot_be_evaluated_is_left_out_and_told(tmp_path: Path) -> None:
    builder = SceneBuilder()
    strange = builder.add_object(NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10))
    builder.add_node("thing", strange)
    builder.add_node("fine", builder.add_box(1, 1, 1))
    builder.add_node("empty", builder.add_mesh(QUAD, []))
    export = exported(builder, tmp_path)
    told = lines(export, "mesh")
    assert told["thing"] == (Outcome.LEFT_OUT, "no evaluation is known for this class")
    assert told["fine"] == (Outcome.CONVERTED, "")
    assert told["empty"] == (Outcome.APPROXIMATED, "it has no faces")
    assert not export.report.complete
    assert set(lines(export, "node")) == {"thing", "fine", "empty"}


def test_places_that_are_no_numbers_are_told(tmp_path: Path) -> None:
    builder = SceneBuilder()
    builder.add_node("n", builder.add_dummy(1), transform=builder.add_transform((0.7654, 1, 2)))
    path = tmp_path / "scene.max"
    data = builder.to_bytes()
    assert data.count(pack("<f", 0.7654)) == 1
    path.write_bytes(data.replace(pack("<f", 0.7654), pack("<f", float("nan"))))
    with maxsidecar.open(path) as scene_file:
        export = build(scene_file)
    (node,) = export.nodes.values()
    assert node.translation == (0.0, 0.0, 0.0)
    outcome, reason = lines(export, "node")["n"]
    assert outcome is Outcome.APPROXIMATED
    assert "no number" in reason


@pytest.mark.parametrize("factor", [float("nan"), 0.0, -1.0, 1e38])
def test_a_unit_that_is_none_is_told(tmp_path: Path, factor: float) -> None:
    builder = SceneBuilder()
    builder.add_node("n", builder.add_dummy(1), transform=builder.add_transform((1, 0, 0)))

    def spoil(scene_file: Any) -> None:
        chunk = scene_file.scene[-1].find(0x8520)
        chunk.replace(pack("<If", 6, factor))

    export = exported(builder, tmp_path, spoil)
    (node,) = export.nodes.values()
    assert node.translation == pytest.approx((0.0254, 0, 0))
    (entry,) = [e for e in export.report.entries if e.kind == "scene"]
    assert entry.outcome is Outcome.APPROXIMATED
    assert entry.reason.endswith("; taken for inches")
    assert export.document.extras == {"max_metres_per_unit": 0.0254}
