"""What there is to see."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar import MaxFile
from maxsidecar.errors import LimitError
from maxsidecar.preview.collect import Missing, collect
from maxsidecar.preview.packed import pack
from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.geometry.shapes.curves import polygon
from maxsidecar.scene.geometry.spline import Shape
from tests.unit.preview.conftest import Show


def test_nodes_in_the_order_of_the_tree_with_shared_meshes(
    show: Show, builder: SceneBuilder
) -> None:
    box = builder.add_box(20.0, 10.0, 30.0)
    table = builder.add_node("table", box, transform=builder.add_transform((1.0, 2.0, 3.0)))
    builder.add_node("other", box, look=NodeLook(hidden=True, wire_color=(255, 0, 51)))
    builder.add_node("spot", builder.add_dummy(1.0), parent=table)
    shown = show(builder)
    names = [node.name for node in shown.nodes]
    assert names == ["Scene Root", "table", "spot", "other"]
    assert [names[n.parent] if n.parent >= 0 else None for n in shown.nodes] == [
        None, "Scene Root", "table", "Scene Root"
    ]  # fmt: skip
    table_node, spot, other = shown.nodes[1:]
    assert (table_node.kind, spot.kind, other.kind) == ("mesh", "helper", "mesh")
    assert table_node.mesh == other.mesh == 0
    assert len(shown.meshes) == 1
    assert other.color == (1.0, 0.0, 0.2)
    assert (other.hidden, table_node.hidden) == (True, False)
    assert table_node.world is not None
    assert table_node.world[3].tolist() == [1, 2, 3, 1]
    assert [node.name for node, _ in shown.with_mesh()] == ["table"]
    assert len(shown.with_mesh(hidden=True)) == 2
    assert shown.complete


def test_what_cannot_be_evaluated_is_listed(show: Show, builder: SceneBuilder) -> None:
    strange = builder.add_object(NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10))
    builder.add_node("thing", strange)
    shown = show(builder)
    assert shown.missing == [Missing(1, "Strange", "no evaluation is known for this class")]
    assert not shown.complete
    assert shown.with_mesh(hidden=True) == []


def test_only_some_nodes(builder: SceneBuilder) -> None:
    for name in ("one", "two"):
        builder.add_node(name, builder.add_box(1.0, 1.0, 1.0))
    scene_file = MaxFile(builder.to_bytes())
    shown = collect(scene_file, only=scene_file.nodes.find("two"))
    assert [node.name for node, _ in shown.with_mesh()] == ["two"]


def test_a_limit(builder: SceneBuilder) -> None:
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0))
    # 8 vertices of 12 bytes and 12 triangles of 12.
    assert collect(MaxFile(builder.to_bytes()), most_bytes=240).meshes
    with pytest.raises(LimitError):
        collect(MaxFile(builder.to_bytes()), most_bytes=239)


def test_what_is_nowhere(show: Show, builder: SceneBuilder) -> None:
    """Numbers that nothing can be drawn with are told, and do not reach those who draw."""
    far = builder.add_mesh([(0, 0, 0), (1, 0, 0), (0, 1e30, 0)], [(0, 1, 2)])
    builder.add_node("far", far)
    box = builder.add_box(1.0, 1.0, 1.0)
    builder.add_node("lost", box, transform=builder.add_transform((0.0, 1e30, 0.0)))
    shown = show(builder)
    assert [(entry.node, entry.approximate) for entry in shown.missing] == [(1, True), (2, False)]
    assert shown.meshes[0].positions.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert [node.name for node, _ in shown.with_mesh()] == ["far"]


def test_faces_of_vertices_that_are_not_there(
    builder: SceneBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0))
    broken = Mesh.of_triangles(np.zeros((3, 3)), [(0, 1, 3)])
    monkeypatch.setattr(Evaluator, "node", lambda *_: Evaluation(broken))
    shown = collect(MaxFile(builder.to_bytes()))
    assert shown.with_mesh() == []
    assert [entry.reason for entry in shown.missing] == ["faces use vertices that are not there"]


def test_shapes_are_curves_or_filled(
    builder: SceneBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A square: four pieces in a view, two triangles in a file."""
    builder.add_node("square", builder.add_box(1.0, 1.0, 1.0))
    shape = Shape([polygon([(0, 0), (2, 0), (2, 3), (0, 3)])])
    monkeypatch.setattr(Evaluator, "node", lambda *_: Evaluation(shape))
    scene_file = MaxFile(builder.to_bytes())
    shown = collect(scene_file, curves=True)
    (found,) = shown.with_lines()
    assert found[0].name == "square"
    assert found[1].tolist() == [
        [[0, 0, 0], [2, 0, 0]],
        [[2, 0, 0], [2, 3, 0]],
        [[2, 3, 0], [0, 3, 0]],
        [[0, 3, 0], [0, 0, 0]],
    ]
    assert shown.with_mesh() == []
    shown = collect(scene_file)
    ((_, mesh),) = shown.with_mesh()
    assert len(mesh.triangles) == 2
    assert shown.with_lines() == []
    with pytest.raises(LimitError):
        collect(scene_file, curves=True, most_bytes=4 * 24 - 1)


def test_places_in_doubt_are_told(show: Show, builder: SceneBuilder) -> None:
    strange = builder.add_object(NewClass("Strange Motion", 0x12345678, 0x9ABCDEF0, 0x9008))
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0), transform=strange)
    (entry,) = show(builder).missing
    assert (entry.node, entry.class_name, entry.approximate) == (1, "Strange Motion", True)
    assert entry.reason.startswith("its place: ")


def test_surfaces(show: Show, builder: SceneBuilder) -> None:
    picture = builder.add_bitmap_map("C:\\oak.tga", (4, 4))
    oak = builder.add_standard_material("oak", diffuse=(0.0, 0.5, 1.0), diffuse_map=picture)
    glass = builder.add_standard_material("glass", opacity=0.25)
    both = builder.add_multi_material("both", [(0, oak, ""), (3, glass, ""), (4, None, "")])
    mesh = builder.add_mesh(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)] * 4, material_ids=[0, 3, 4, 9]
    )
    builder.add_node("pane", mesh, material=both, look=NodeLook(wire_color=(255, 255, 0)))
    node = show(builder).nodes[1]
    assert node.material == "both"
    assert {number: s.name for number, s in node.surfaces.items()} == {
        0: "oak", 3: "glass", 4: "", 9: ""
    }  # fmt: skip
    assert node.surfaces[0].picture == "C:\\oak.tga"
    assert node.surfaces[0].color == pytest.approx((0.0, 0.5, 1.0), abs=1e-6)
    assert node.surfaces[0].shown_color == (0.7, 0.7, 0.7)
    assert node.surfaces[3].opacity == pytest.approx(0.25)
    assert node.surfaces[9].color == (1.0, 1.0, 0.0)


def test_packed_boxes_have_three_normals_at_each_corner(show: Show, builder: SceneBuilder) -> None:
    builder.add_node("box", builder.add_box(20.0, 10.0, 30.0))
    mesh = show(builder).meshes[0]
    packed = pack(mesh)
    assert packed.positions.shape == (24, 3)
    assert sum(count for _, _, count in packed.groups) == len(packed.indices) == 36
    points = packed.positions[packed.indices].reshape(-1, 3, 3).astype(float)
    normals = packed.normals[packed.indices].reshape(-1, 3, 3) / 32767
    cross = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    cross /= np.linalg.norm(cross, axis=1)[:, None]
    assert np.allclose(normals, cross[:, None], atol=1e-4)
    # Groups hold the triangles of their material ids.
    for number, first, count in packed.groups:
        wanted = mesh.positions[mesh.faces[mesh.material_ids[mesh.triangle_polygons] == number]]
        assert np.array_equal(
            points.reshape(-1, 3)[first : first + count].reshape(-1, 3, 3), wanted
        )


def test_packed_smooth_surfaces_share_their_vertices(show: Show, builder: SceneBuilder) -> None:
    builder.add_node("ball", builder.add_sphere(10.0))
    mesh = show(builder).meshes[0]
    assert len(pack(mesh).positions) == len(mesh.positions)
