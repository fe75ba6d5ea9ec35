"""Mapping and mesh-editing modifiers against what 3ds Max itself stored or exported of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.nel.serial import read_file
from maxsidecar.scene.derived import DerivedObject, ModifierContext
from maxsidecar.scene.geometry import pipeline
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.modifiers import unwrap
from maxsidecar.scene.modifiers.unwrap_build import unwrap_chunks
from maxsidecar.scene.modifiers.unwrap_records import DEAD, UnwrapFaces, UnwrapVertices
from maxsidecar.scene.modifiers.unwrap_views import UNWRAP_UVW, UnwrapUVW
from maxsidecar.scene.node import Node
from tests.support.fbx import find, read_fbx
from tests.support.mesh_compare import Corners
from tests.support.mesh_twins import read_pod_meshes as read_pod_corners
from tests.support.primitive_twins import read_pod_meshes

MAN = Path("max", "Native_SDK", "Skinning__Media__Man.max")
MAN_POD = Path("max", "Native_SDK", "Skinning__OGLES2__man.pod")
SPHERE = Path("max", "OpenMBU", "shapes__test__smallsphere.max")
COLORED = Path("max", "KGCA", "data__fbx__multicameras.max")
COLORED_FBX = Path("max", "KGCA", "data__fbx__MultiCameras.FBX")
KETTLE = Path("max", "Native_SDK", "ShadowTechniques__Media__Kettle.max")
KETTLE_POD = Path("max", "Native_SDK", "ShadowTechniques__OGLES__Scene.pod")


@dataclass
class Record:
    """An Unwrap UVW, and the mesh below it in the form that it was made for."""

    node: Node
    obj: UnwrapUVW
    below: Mesh
    vertices: UnwrapVertices
    faces: UnwrapFaces
    points: npt.NDArray[np.float32]
    context: ModifierContext | None
    derived: DerivedObject

    @property
    def stored(self) -> npt.NDArray[np.float32]:
        """Coordinates of the corners."""
        return self.vertices.coordinates[self.faces.corners]

    @property
    def ours(self) -> npt.NDArray[np.float32]:
        """Coordinates of the corners below."""
        channel = self.below.maps[self.obj.map_channel]
        return channel.vertices[channel.corners]


def node_named(scene_file: MaxFile, name: str) -> Node:
    return next(node for node in scene_file.nodes.values() if node.name == name)


def holds_unwrap(node: Node) -> bool:
    obj, steps = node.object, 0
    while isinstance(obj, DerivedObject) and steps < 8:
        if any(item is not None and item.is_instance(0x810, UNWRAP_UVW) for item in obj.modifiers):
            return True
        obj, steps = obj.stands_on, steps + 1
    return False


def records(node: Node) -> list[Record]:
    """Return the records of a node from the bottom up, where all below them is evaluated."""
    found: list[Record] = []

    def watch(geometry: pipeline.Geometry, call: pipeline.ModifierCall) -> pipeline.Geometry:
        obj = call.obj
        stored = obj.read_map(call.context) if isinstance(obj, UnwrapUVW) else None
        if isinstance(obj, UnwrapUVW) and stored is not None and call.evaluation.complete:
            below = unwrap.fitting(call.convert(geometry), stored[1])
            points = _points(obj, call)
            record = Record(node, obj, below, *stored, points, call.context, call.derived)
            found.append(record)
        return unwrap.unwrap_uvw(geometry, call)

    evaluator = pipeline.Evaluator(node.scene)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(pipeline._modifiers, UNWRAP_UVW, watch)
        evaluator.node(node)
    return found


def _points(obj: UnwrapUVW, call: pipeline.ModifierCall) -> npt.NDArray[np.float32]:
    """Return the vertices that the mesh had when it was unwrapped."""
    context = call.context
    local = None if context is None else context.find(0x2512)
    chunk = None if local is None else local.find(0x0330)
    data = bytes(chunk.data)[4:] if chunk is not None else None
    if data is None:
        chunk = obj.find(0x0330)
        data = b"" if chunk is None else bytes(chunk.data)
    return np.frombuffer(data, "<f4").reshape(-1, 3)


def all_records(corpus_files: tuple[Path, ...]) -> Iterator[Record]:
    for path in corpus_files:
        scene_file = maxsidecar.open(path)
        seen: set[int] = set()
        for node in scene_file.nodes.values():
            obj = node.object
            if obj is not None and obj.index not in seen and holds_unwrap(node):
                seen.add(obj.index)
                yield from records(node)


def test_records_of_unwrap_describe_the_mesh_below(corpus_files: tuple[Path, ...]) -> None:
    """Vertices of every corner, and material ids of nearly every face."""
    count = 0
    for record in all_records(corpus_files):
        where = f"{record.node.scene.where.file}: {record.node.name}"
        order, strange = unwrap.aligned(record.below, record.faces)
        assert np.array_equal(record.below.corners, record.faces.vertices[order]), where
        assert strange == 0, where
        assert np.mean(record.below.material_ids == record.faces.materials) > 0.99, where
        assert record.faces.numbers.tolist() == list(range(len(record.faces.degrees)))
        count += 1
    assert count >= 13


def test_new_records_have_the_chunks_of_real_ones(corpus_files: tuple[Path, ...]) -> None:
    """Same chunks in the same order and of the same size; the same faces."""
    count = 0
    for record in all_records(corpus_files):
        version = record.node.scene.version
        below, vertices = record.below, record.vertices
        made = unwrap_chunks(below, vertices.coordinates, record.faces.corners, version=version)
        context = record.context
        assert context is not None
        local = context.find(0x2512)
        assert local is not None
        assert [chunk_id for chunk_id, _ in made.local] == [chunk.id for chunk in local.chunks()]
        pairs = [(record.obj.find(number), body) for number, body in made.modifier]
        pairs += [(local.find(number), body) for number, body in made.local]
        for chunk, body in pairs:
            assert chunk is not None
            if isinstance(body, bytes):
                records_of_map = chunk.id in (0x0330, 0x0870, 0x0310, 0x0860, 0x0270)
                assert len(body) == len(chunk.data)
                assert records_of_map or body == bytes(chunk.data)
                continue
            ((_, inner),) = body
            leaf = chunk.find(0x2700)
            assert leaf is not None
            assert isinstance(inner, bytes)
            # 64-bit builds of 2010 fill words of 64 bits.
            assert 0 <= len(leaf.data) - len(inner) <= 4
            assert inner[:4] == leaf.data[:4]
        count += 1
    assert count >= 13


def test_controllers_of_map_vertices_hold_their_places(corpus: Path) -> None:
    scene_file = maxsidecar.open(corpus / MAN)
    count = 0
    for name in ("Body_LowPoly", "Legs_LowPoly", "Belt"):
        for record in records(node_named(scene_file, name)):
            places = record.vertices.coordinates
            for vertex, controller in record.obj.vertex_controllers.items():
                assert np.array_equal(controller.evaluate(0), places[vertex]), (name, vertex)
                count += 1
    assert count == 2681


def test_edit_mesh_makes_what_the_unwrap_above_was_made_for(corpus: Path) -> None:
    """Moved, cloned, created and deleted vertices and faces, and a map group with all of it."""
    body = records(node_named(maxsidecar.open(corpus / MAN), "Body_LowPoly"))
    assert [len(record.faces.degrees) for record in body] == [752, 1438, 1438, 1120]
    top = body[-1]
    assert top.below.positions.shape == top.points.shape == (570, 3)
    assert np.array_equal(top.below.positions, top.points)
    assert np.array_equal(top.below.corners, top.faces.vertices)
    assert np.array_equal(top.below.material_ids, top.faces.materials)
    channel = top.below.maps[1]
    assert len(channel.vertices) == len(top.vertices.flags) == 870
    # Map vertices that were not moved in the Unwrap UVW itself keep their numbers.
    assert np.mean(channel.corners == top.faces.corners) > 0.96
    belt = records(node_named(maxsidecar.open(corpus / MAN), "Belt"))
    assert [np.array_equal(r.below.positions, r.points) for r in belt] == [True]


def test_edit_mesh_selects_the_faces_that_are_unwrapped(corpus: Path) -> None:
    body = records(node_named(maxsidecar.open(corpus / MAN), "Body_LowPoly"))
    selection = body[1].below.selection
    assert selection.level == "face"
    assert selection.polygons is not None
    alone = (body[1].faces.flags & DEAD) != 0
    assert int(alone.sum()) == 708
    assert np.array_equal(~selection.polygons, alone)


def test_an_unwrap_leaves_as_many_map_vertices_as_the_edit_mesh_above_was_made_for(
    corpus: Path,
) -> None:
    """Unselected faces keep theirs in front of the record's; those that no face uses go."""
    body = records(node_named(maxsidecar.open(corpus / MAN), "Body_LowPoly"))
    # Below the second, third and fourth Unwrap UVW, under an Edit Mesh each.
    found = [len(record.below.maps[1].vertices) for record in body]
    assert found == [1270, 1270, 1128, 870]
    contexts = [context.find(0x2512) for context in body[0].derived.contexts]
    deltas = [local.find(0x4000) for local in contexts if local is not None]
    counts = [delta.find(0x0324) for delta in deltas if delta is not None]
    stored = [int.from_bytes(count.data, "little") for count in counts if count is not None]
    # The top of the stack first; the topmost adds 22.
    assert stored == [848, 1128, 1270]


def test_uvw_maps_below_an_unwrap(corpus: Path) -> None:
    """A sphere mapped around, then some of its faces flat: all 3,264 corners, both poles."""
    (record,) = records(node_named(maxsidecar.open(corpus / SPHERE), "Sphere2"))
    assert len(record.stored) == 3264
    assert np.abs(record.ours[:, :2] - record.stored[:, :2]).max() <= 1e-6


def test_a_planar_map_in_a_pod_file(corpus: Path) -> None:
    scene_file = maxsidecar.open(corpus / KETTLE)
    mesh = pipeline.Evaluator(scene_file.scene).node(node_named(scene_file, "Plane01")).mesh
    assert mesh is not None
    positions, coordinates = read_pod_meshes(corpus / KETTLE_POD)["Plane01"]
    channel = mesh.maps[1]
    ours = channel.vertices[channel.corners[mesh.triangles]][:, :, :2]
    assert np.abs(mesh.positions[mesh.faces] - positions).max() <= 1e-4
    assert np.abs(ours - coordinates).max() <= 2e-6


def test_a_planar_map_in_a_nel_shape(corpus: Path) -> None:
    """A hundred tiles; the plug-in writes 1 - v."""
    folder = corpus / "nel-pairs" / "mtp-target"
    scene_file = maxsidecar.open(folder / "1bc40f9f__water_light.max")
    node = node_named(scene_file, "water_light")
    mesh = pipeline.Evaluator(scene_file.scene).node(node).mesh
    assert mesh is not None
    geom = read_file(folder / "62f705ee__water_light.shape").content.geom
    vertices = geom.vertex_buffer.vertices
    theirs = dict(zip(map(tuple, vertices["position"].tolist()), vertices["uv0"], strict=True))
    ours = np.zeros((len(mesh.positions), 3))
    channel = mesh.maps[1]
    ours[mesh.corners] = channel.vertices[channel.corners]
    assert len(ours) == len(theirs) == 1681
    expected = np.array([theirs[tuple(place)] for place in mesh.positions.tolist()])
    assert np.abs(ours[:, 0] - expected[:, 0]).max() <= 2e-5
    assert np.abs(1.0 - ours[:, 1] - expected[:, 1]).max() <= 2e-5


def test_vertex_colors_in_an_fbx_file(corpus: Path) -> None:
    scene_file = maxsidecar.open(corpus / COLORED)
    mesh = pipeline.Evaluator(scene_file.scene).node(node_named(scene_file, "Box02")).mesh
    assert mesh is not None
    (objects,) = find(read_fbx(corpus / COLORED_FBX), "Objects")
    geometry = find(objects.children, "Geometry")[0]
    (layer,) = find(geometry.children, "LayerElementColor")
    (colors,), (index,) = find(layer.children, "Colors"), find(layer.children, "ColorIndex")
    theirs = colors.array.reshape(-1, 4)[index.array, :3]
    channel = mesh.maps[0]
    assert len(theirs) == 4884
    assert np.array_equal(channel.vertices[channel.corners], theirs)


def _keys(coordinates: npt.NDArray[np.floating]) -> list[list[tuple[int, ...]]]:
    """Return the corners of triangles as whole numbers that can be looked up."""
    rounded = np.rint(coordinates[:, :, :2].astype(np.float64) * 16384).astype(int)
    return [[tuple(corner) for corner in triangle] for triangle in rounded.tolist()]


def corner_pairs(mesh: Mesh, theirs: Corners) -> list[tuple[int, int]]:
    """Return corners of the mesh with those of an export, found by their coordinates alone."""
    channel = mesh.maps[1]
    places: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    assert theirs.coordinates is not None
    their_keys = _keys(theirs.coordinates)
    for number, keys in enumerate(their_keys):
        places.setdefault(tuple(sorted(keys)), []).append(number)
    out: list[tuple[int, int]] = []
    for number, keys in enumerate(_keys(channel.vertices[channel.corners[mesh.triangles]])):
        found = places.get(tuple(sorted(keys)), [])
        if len(found) == 1 and len(set(keys)) == 3:
            order = [their_keys[found[0]].index(key) for key in keys]
            corners = mesh.triangles[number].tolist()
            out += [(a, 3 * found[0] + b) for a, b in zip(corners, order, strict=True)]
    return out


@pytest.mark.parametrize(
    ("name", "triangles", "found"),
    [("Body_LowPoly", 1120, 1117), ("Legs_LowPoly", 494, 494), ("Belt", 216, 216)],
)
def test_whole_stacks_in_a_pod_file(corpus: Path, name: str, triangles: int, found: int) -> None:
    """Four Unwrap UVW and three Edit Mesh, Smooth and Skin: coordinates of every triangle.

    The export holds the figure in another pose; three triangles share their coordinates.
    """
    scene_file = maxsidecar.open(corpus / MAN)
    mesh = pipeline.Evaluator(scene_file.scene).node(node_named(scene_file, name)).mesh
    theirs = read_pod_corners(corpus / MAN_POD)[name]
    assert mesh is not None
    assert len(mesh.triangles) == len(theirs.positions) == triangles
    assert len(corner_pairs(mesh, theirs)) == 3 * found


def test_smoothing_by_angle_in_a_pod_file(corpus: Path) -> None:
    """Corners of a vertex have one normal in the export where they have one here."""
    scene_file = maxsidecar.open(corpus / MAN)
    mesh = pipeline.Evaluator(scene_file.scene).node(node_named(scene_file, "Body_LowPoly")).mesh
    assert mesh is not None
    theirs = read_pod_corners(corpus / MAN_POD)["Body_LowPoly"]
    pairs = np.array(corner_pairs(mesh, theirs))
    ours, other = corner_normals(mesh)[pairs[:, 0]], theirs.normals.reshape(-1, 3)[pairs[:, 1]]
    vertices = mesh.corners[pairs[:, 0]]
    order = np.argsort(vertices, kind="stable")
    agree = differ = 0
    for group in np.split(order, np.nonzero(np.diff(vertices[order]))[0] + 1):
        a, b = np.triu_indices(len(group), 1)
        one, two = group[a], group[b]
        same = np.abs(ours[one] - ours[two]).max(axis=1, initial=0) < 1e-3
        like = np.abs(other[one] - other[two]).max(axis=1, initial=0) < 1e-3
        agree += int((same == like).sum())
        differ += int((same != like).sum())
    assert agree + differ == 8494
    # 3ds Max prevents indirect smoothing at fewer vertices.
    assert differ <= 30
