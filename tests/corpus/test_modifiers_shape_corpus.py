"""Modifiers that change the shape, against exports of the same scenes and against other records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.nel.serial import read_file
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, Mesh
from maxsidecar.scene.geometry.normals import Weighting, triangle_normals
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator, ModifierCall
from maxsidecar.scene.modifiers.ffd import ffd
from maxsidecar.scene.modifiers.rebuild import mirrored_copy
from maxsidecar.scene.modifiers.view_base import local_container
from maxsidecar.scene.modifiers.xform import XFORM
from maxsidecar.scene.transform import Pose, object_offset
from tests.support.indexed_3ds import read_indexed
from tests.support.mesh_compare import Corners, compare
from tests.support.mesh_twins import read_pod_meshes


def test_turbo_smooth_makes_what_the_export_holds(corpus: Path) -> None:
    """Vertices, triangles, smoothing groups and coordinates, index by index."""
    folder = corpus / "max" / "Turres-Monacorum"
    scene_file = maxsidecar.open(folder / "src__towers__rob_tower02.max")
    theirs = read_indexed(folder / "src__towers__rob_tower02.3DS")["tower01_ba"]
    (node,) = scene_file.nodes.find("tower01_base")
    found = node.evaluate_mesh()
    mesh = found.mesh
    assert mesh is not None
    assert found.complete
    world = object_offset(node) @ Pose(scene_file.scene, 0).world(node).reshape(4, 4)
    positions = mesh.positions @ world[:3, :3] + world[3, :3]
    assert positions.shape == theirs.positions.shape == (707, 3)
    # 6e-8 of its size.
    assert np.abs(positions - theirs.positions).max() <= 3.1e-5
    assert np.array_equal(mesh.faces, theirs.faces)
    assert np.array_equal(mesh.smoothing[mesh.triangle_polygons], theirs.smoothing)
    channel = mesh.maps[1]
    ours = channel.vertices[channel.corners[mesh.triangles]][..., :2]
    assert np.abs(ours - theirs.coordinates[theirs.faces]).max() <= 6e-8


@pytest.mark.parametrize(
    ("shape", "weighting"), [("0dac96bc__snow_island", "angle"), ("23e74fa9__snow_island", "unit")]
)
def test_mesh_smooth_makes_what_the_shape_holds(
    corpus: Path, shape: str, weighting: Weighting
) -> None:
    folder = corpus / "nel-pairs" / "mtp-target"
    geom = read_file(folder / f"{shape}.shape").content.geom
    vertices = geom.vertex_buffer.vertices
    lists = [rdr.primitives for block in geom.matrix_blocks for rdr in block.rdr_passes]
    indices = [part.indices if part.number else part.triangles_v0.indices for part in lists]
    faces = np.concatenate(indices).astype(np.int64).reshape(-1, 3)
    theirs = Corners(
        *(vertices[name][faces].astype(float) for name in ("position", "normal", "uv0"))
    )
    scene_file = maxsidecar.open(folder / "83092977__snow_island.max")
    (node,) = scene_file.nodes.find("GeoSphere01")
    mesh = node.evaluate_mesh().mesh
    assert mesh is not None
    offset = object_offset(node)
    positions = mesh.positions.astype(float) @ offset[:3, :3] + offset[3, :3]
    channel = mesh.maps[1]
    uv = channel.vertices[channel.corners[mesh.triangles]].astype(float)
    uv = np.stack([uv[..., 0], 1 - uv[..., 1]], axis=-1)
    normals = triangle_normals(mesh, weighting).astype(float)
    found = compare(Corners(positions[mesh.faces], normals, uv), theirs)
    assert found.ours == found.reference == 600
    assert found.matched == 1
    assert found.hausdorff < 1e-7
    assert found.coordinates is not None
    assert found.coordinates < 1e-7
    assert found.degrees is not None
    assert found.degrees < 1e-3


def test_xform_moves_what_the_modifier_above_it_is_put_on(corpus: Path) -> None:
    """The boxes that two modifiers keep differ by the gizmo between them."""
    scene_file = maxsidecar.open(corpus / "max" / "maxscript" / "dev__icons__options.max")
    (node,) = scene_file.nodes.find("Rectangle01")
    stack = node.object
    assert stack is not None
    assert stack.is_derived
    modifiers = stack.modifiers  # type: ignore[attr-defined]
    (slot,) = [n for n, obj in enumerate(modifiers) if obj.is_instance(0x810, XFORM)]
    above, below = (stack.contexts[n].box for n in (slot - 1, slot))  # type: ignore[attr-defined]
    gizmo = modifiers[slot].reference(0)
    matrix = Pose(scene_file.scene, 0).controller_matrix(gizmo).reshape(4, 4)
    assert np.array_equal(matrix[:3, :3], np.eye(3))
    low, high = (
        np.array([b.min_x, b.min_y, b.min_z, b.max_x, b.max_y, b.max_z]) for b in (below, above)
    )
    assert np.allclose(high, low + np.tile(matrix[3, :3], 2), atol=1e-5)
    assert matrix[3, 1] > 50


def test_symmetry_makes_what_a_collapsed_copy_holds(corpus: Path) -> None:
    """Box007 is Box009, collapsed; some of its vertices were moved afterwards."""
    name = "Characters__JackSkellington__JackSkellington00.max"
    scene_file = maxsidecar.open(corpus / "max" / "ModelingCharacters" / name)
    ours, theirs = (
        scene_file.nodes.find(node)[0].evaluate_mesh().mesh for node in ("Box009", "Box007")
    )
    assert ours is not None
    assert theirs is not None
    assert len(ours.positions) == len(theirs.positions) == 1053
    assert ours.polygon_count == theirs.polygon_count == 1008
    gaps = np.abs(ours.positions[:, None] - theirs.positions[None]).max(axis=2)
    nearest, moved = gaps.argmin(axis=1), gaps.min(axis=1) > 1e-4
    assert int(moved.sum()) == 25

    def rows(mesh: Mesh, number: int) -> slice:
        return slice(int(mesh.starts[number]), int(mesh.starts[number + 1]))

    by_corners = {
        tuple(theirs.corners[rows(theirs, n)].tolist()): n for n in range(theirs.polygon_count)
    }
    channels = ours.maps[1], theirs.maps[1]
    found = 0
    for number in range(ours.polygon_count):
        here = rows(ours, number)
        other = by_corners.get(tuple(nearest[ours.corners[here]].tolist()))
        if other is None:
            continue
        found += 1
        there = rows(theirs, other)
        assert ours.smoothing[number] == theirs.smoothing[other]
        assert ours.material_ids[number] == theirs.material_ids[other]
        uv = [c.vertices[c.corners[part]] for c, part in zip(channels, (here, there), strict=True)]
        assert np.abs(uv[0] - uv[1]).max() < 1e-4
    # From the same first corner; the others have a vertex that was moved.
    assert found == 1000


@pytest.mark.parametrize(
    ("scene", "node"),
    [
        ("ModelingCharacters/Characters__JackSkellington__JackSkellington00.max", "Box007"),
        ("Dx3D-Study/디자인__ani_walk_03__ani_dead.max", "001"),
    ],
)
def test_mirrored_copies_come_in_the_order_of_collapsed_meshes(
    corpus: Path, scene: str, node: str
) -> None:
    """The second half of the polygons is the first in a mirror: its vertices and edges, too."""
    mesh = maxsidecar.open(corpus / "max" / scene).nodes.find(node)[0].evaluate_mesh().mesh
    assert mesh is not None
    assert mesh.edges is not None
    half = mesh.polygon_count // 2
    corners = int(mesh.starts[half])
    kept = mesh.triangle_polygons < half
    own = np.unique(edge_list(mesh).of_corner[:corners])
    first = replace(
        mesh,
        corners=mesh.corners[:corners],
        starts=mesh.starts[: half + 1],
        material_ids=mesh.material_ids[:half],
        smoothing=mesh.smoothing[:half],
        edge_visible=mesh.edge_visible[:corners],
        triangles=mesh.triangles[kept],
        triangle_polygons=mesh.triangle_polygons[kept],
        maps={},
        edges=Edges(mesh.edges.vertices[own]),
    )
    out = mirrored_copy(first, np.arange(half), mesh.positions)
    # Number in the stored mesh of each vertex; those in the plane of both halves are joined there.
    number = np.full(len(out.positions), -1)
    number[out.corners] = mesh.corners
    assert np.array_equal(number[out.corners], mesh.corners)
    copies = number[len(mesh.positions) :]
    fresh = copies[~np.isin(copies, mesh.corners[:corners])]
    assert len(fresh) > 390
    assert np.all(np.diff(fresh) > 0)
    assert out.edges is not None
    stored = {pair: n for n, pair in enumerate(map(tuple, mesh.edges.vertices.tolist()))}
    pairs = number[out.edges.vertices[len(own) :]].tolist()
    numbers = [stored[a, b] for a, b in pairs if (a, b) in stored]
    assert len(numbers) > 0.9 * len(pairs)
    assert (np.diff(numbers) > 0).mean() > 0.99


@pytest.mark.parametrize(("node", "slot"), [("pylon_base", 3), ("rotor1", 3), ("rotor2", 3)])
def test_ffd_fills_the_box_of_the_modifier_above(corpus: Path, node: str, slot: int) -> None:
    scene_file = maxsidecar.open(corpus / "max" / "GameJam1" / "New__models__arena_pylon.max")
    (found,) = scene_file.nodes.find(node)
    stack = found.object
    assert isinstance(stack, DerivedObject)
    assert stack.stands_on is not None
    evaluator = Evaluator(scene_file.scene)
    below = evaluator.object(stack.stands_on).geometry
    modifier, context = stack.modifiers[slot], stack.contexts[slot]
    assert below is not None
    assert modifier is not None
    call = ModifierCall(evaluator, Evaluation(), modifier, context, stack, slot)
    mesh = ffd(below, call)
    assert isinstance(mesh, Mesh)
    assert not call.evaluation.skipped
    box = stack.contexts[slot - 1].box
    assert box is not None
    expected = [[box.min_x, box.min_y, box.min_z], [box.max_x, box.max_y, box.max_z]]
    limits = [mesh.positions.min(axis=0), mesh.positions.max(axis=0)]
    assert np.abs(np.array(limits) - expected).max() < 2e-5


@pytest.mark.parametrize("node", ["rotor1", "rotor2"])
def test_ffd_takes_vertices_where_unwrap_found_them(corpus: Path, node: str) -> None:
    """Unwrap UVW on top of the stack keeps the vertices of what it was put on, unsorted here."""
    scene_file = maxsidecar.open(corpus / "max" / "GameJam1" / "New__models__arena_pylon.max")
    (found,) = scene_file.nodes.find(node)
    stack = found.object
    assert isinstance(stack, DerivedObject)
    local = local_container(stack.contexts[0].container())
    snapshot = None if local is None else local.find(0x0330)
    assert snapshot is not None
    kept = np.frombuffer(snapshot.data, "<f4", offset=4).reshape(-1, 3)
    mesh = found.evaluate_mesh().mesh
    assert mesh is not None
    assert mesh.positions.shape == kept.shape == (40, 3)
    gaps = np.abs(mesh.positions[:, None] - kept[None]).max(axis=2)
    assert gaps.min(axis=1).max() < 1e-5
    assert gaps.min(axis=0).max() < 1e-5


def test_cap_holes_closes_what_the_export_has_closed(corpus: Path) -> None:
    """Six borders of 16 and 8 sides: each triangle of their caps, with its coordinates."""
    folder = corpus / "max" / "Native_SDK"
    scene_file = maxsidecar.open(folder / "ShadowTechniques__Media__Kettle.max")
    theirs = read_pod_meshes(folder / "ShadowTechniques__OGLES__Scene.pod")["Teapot01"]
    mesh = scene_file.nodes.find("Teapot01")[0].evaluate_mesh().mesh
    assert mesh is not None
    channel = mesh.maps[1]
    uv = channel.vertices[channel.corners[mesh.triangles]][..., :2].astype(float)
    normals = triangle_normals(mesh, "angle").astype(float)
    found = compare(Corners(mesh.positions[mesh.faces].astype(float), normals, uv), theirs)
    assert found.ours == found.reference == 1044
    assert found.matched == 1
    assert found.hausdorff < 1e-7
    assert found.coordinates is not None
    assert found.coordinates < 1e-6
    assert found.degrees is not None
    assert found.degrees < 1e-3


def test_shell_has_the_size_that_the_modifier_above_keeps(corpus: Path) -> None:
    scene_file = maxsidecar.open(corpus / "max" / "3D-RoomProject" / "bookshelf.max")
    (node,) = scene_file.nodes.find("back")
    stack = node.object
    assert isinstance(stack, DerivedObject)
    box = stack.contexts[0].box
    mesh = node.evaluate_mesh().mesh
    assert box is not None
    assert mesh is not None
    expected = [[box.min_x, box.min_y, box.min_z], [box.max_x, box.max_y, box.max_z]]
    assert expected[1][2] == 0.5
    limits = [mesh.positions.min(axis=0), mesh.positions.max(axis=0)]
    assert np.abs(np.array(limits) - expected).max() < 1e-5
