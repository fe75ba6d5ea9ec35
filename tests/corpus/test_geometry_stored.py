"""Stored meshes of real scenes: every byte, every edit, and the rules that were measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.derived import DerivedObject, ModifierContext
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.edit import Origins, add_polygons, keep_polygons
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.polygons import to_polygons, to_triangles
from maxsidecar.scene.geometry.stored.mesh_views import EditableMesh, EditablePoly, StoredMesh
from maxsidecar.scene.geometry.stored.normal_specs import FACE, FACE_COUNT, FACE_NUMBER, split_run
from maxsidecar.scene.geometry.stored.ragged import ADJACENCY, FACES
from maxsidecar.scene.geometry.stored.ragged_records import present_bits
from maxsidecar.scene.geometry.stored.read_poly import read_polygons
from maxsidecar.scene.geometry.stored.records import read_records
from maxsidecar.scene.geometry.stored.write_edges import adjacency_body
from tests.support.stored_meshes import read


@pytest.fixture(scope="module")
def meshes(corpus_files: tuple[Path, ...]) -> list[StoredMesh]:
    return all_meshes(corpus_files)


def all_meshes(paths: tuple[Path, ...]) -> list[StoredMesh]:
    return [
        obj
        for path in paths
        for obj in maxsidecar.open(path).scene.of_superclass(0x10)
        if isinstance(obj, StoredMesh)
    ]


def of_kind(meshes: list[StoredMesh], kind: type[StoredMesh]) -> list[StoredMesh]:
    found = [obj for obj in meshes if isinstance(obj, kind)]
    assert len(found) > 100
    return found


def container(obj: StoredMesh) -> Chunk:
    found = obj.mesh_container()
    assert found is not None
    return found


def leaf_count(chunk: Chunk) -> tuple[int, int]:
    """Return the number of leaves and their bytes."""
    if not chunk.container:
        return 1, len(chunk.data)
    parts = [leaf_count(child) for child in chunk.chunks()]
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


@pytest.mark.slow
def test_every_leaf_of_every_mesh_is_written_as_it_was_read(meshes: list[StoredMesh]) -> None:
    problems: list[MaxSidecarError] = []
    for obj in meshes:
        top = container(obj)
        inside = (item for item in obj.typed_leaves() if top.body <= item[0].start < top.end)
        assert check_leaves(inside, problems.append) == leaf_count(top), obj.where
    assert problems == []


def test_an_unchanged_mesh_is_written_as_it_was_read(meshes: list[StoredMesh]) -> None:
    for obj in meshes:
        assert not obj.write_mesh(read(obj)), obj.where
        assert not obj.edited


def edits(mesh: Mesh) -> Iterator[tuple[str, Mesh, Origins | None, set[int]]]:
    """Yield what may be done to a mesh, and the ids of the chunks that may change."""
    rng = np.random.default_rng(1)
    normals = {0x23A0, 0x0300}
    corners, count = len(mesh.corners), mesh.polygon_count
    yield (
        "move",
        replace(mesh, positions=mesh.positions + np.float32(1)),
        None,
        {
            *normals,
            *(0x0914, 0x0100),
        },
    )
    yield (
        "smooth",
        replace(mesh, smoothing=mesh.smoothing ^ np.uint32(5)),
        None,
        {
            *normals,
            *(0x0912, 0x011A, 0x0118),
        },
    )
    materials = rng.integers(0, 9, count).astype(np.int32)
    yield "materials", replace(mesh, material_ids=materials), None, {0x0912, 0x011A, 0x0118}
    if 1 in mesh.maps:
        scaled = MapChannel(mesh.maps[1].vertices * np.float32(2) + 1, mesh.maps[1].corners)
        maps = {**mesh.maps, 1: scaled}
        yield "coordinates", replace(mesh, maps=maps), None, {0x2394, 0x0128, 0x0916}
        maps = {number: mapping for number, mapping in mesh.maps.items() if number != 1}
        yield (
            "no coordinates",
            replace(mesh, maps=maps),
            None,
            {
                *(0x0959, 0x2398, 0x2394, 0x2396, 0x0124, 0x0128, 0x012B, 0x0916, 0x0918),
            },
        )
    new = MapChannel(
        rng.random((5, 3)).astype(np.float32), rng.integers(0, 5, corners).astype(np.int32)
    )
    yield (
        "new channels",
        replace(mesh, maps={**mesh.maps, 3: new, -1: new}),
        None,
        {
            *(0x0956, 0x0959, 0x2398, 0x2394, 0x2396, 0x0120, 0x0124, 0x0128, 0x012B),
        },
    )
    kept, origins = keep_polygons(mesh, rng.random(count) > 0.3)
    yield "removed", kept, origins, set()
    added, origins = add_polygons(mesh, kept)
    yield "added", added, origins, set()
    chosen = rng.random(len(mesh.positions)) > 0.5
    selection = replace(mesh.selection, vertices=chosen, level="vertex")
    yield "selected", replace(mesh, selection=selection), None, {0x092C, 0x092A, 0x0100, 0x0130}


def same_mesh(a: Mesh, b: Mesh) -> bool:
    arrays = ("corners", "starts", "material_ids", "smoothing", "edge_visible")
    return (
        np.array_equal(a.positions, b.positions, equal_nan=True)
        and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)
        and np.array_equal(a.triangles, b.triangles)
        and a.maps.keys() == b.maps.keys()
        and all(np.array_equal(a.maps[n].corners, b.maps[n].corners) for n in a.maps)
        and all(
            np.array_equal(a.maps[n].vertices, b.maps[n].vertices, equal_nan=True) for n in a.maps
        )
    )


@pytest.mark.slow
def test_every_edit_of_every_mesh(corpus_files: tuple[Path, ...]) -> None:
    """Refused are: vertices with controllers, and new channels in files of 1997."""
    refused: Counter[str] = Counter()
    for obj in all_meshes(corpus_files):
        mesh = read(obj)
        before = {chunk.id: bytes(chunk.data) for chunk in container(obj).chunks()}
        dead = isinstance(obj, EditablePoly) and not all_alive(obj)
        for name, changed, origins, may_change in edits(mesh):
            try:
                obj.write_mesh(changed, origins)
            except EditError as error:
                refused[f"{name}: {error.message[:8]}"] += 1
                continue
            assert same_mesh(read(obj), changed), f"{obj.where}: {name}"
            after = {chunk.id: bytes(chunk.data) for chunk in container(obj).chunks()}
            others = {i for i in {*before, *after} if before.get(i) != after.get(i)}
            assert not may_change or dead or others <= may_change, f"{obj.where}: {name}"
            obj.data.revert()
    assert refused == {
        "move: vertex 3": 2,
        "added: vertices": 3,
        "new channels: how scen": 8,
    }


def all_alive(obj: StoredMesh) -> bool:
    return bool(np.all(read_polygons(container(obj)).faces.alive))


def test_a_scene_with_a_changed_mesh_is_saved(corpus: Path) -> None:
    path = corpus / "pairs" / "CartoonHouses" / "scene.max"
    scene_file = maxsidecar.open(path)
    obj = next(obj for obj in scene_file.scene if isinstance(obj, EditablePoly))
    mesh = read(obj)
    obj.write_mesh(replace(mesh, positions=mesh.positions * np.float32(2)))
    again = maxsidecar.MaxFile(scene_file.to_bytes())
    copy = again.scene[obj.index]
    assert isinstance(copy, EditablePoly)
    assert np.array_equal(read(copy).positions, mesh.positions * np.float32(2))
    assert [bytes(o.data.data) for o in again.scene if o.index != obj.index] == [
        bytes(o.data.data) for o in scene_file.scene if o.index != obj.index
    ]


def test_faces_store_only_what_is_not_nothing(meshes: list[StoredMesh]) -> None:
    for obj in of_kind(meshes, EditablePoly):
        chunk = container(obj).find(0x011A)
        if chunk is not None:
            faces = FACES.decode(chunk.data)
            parts = present_bits(faces.degrees, faces.flags, faces.materials, faces.smoothing)
            assert np.array_equal(parts, faces.present), obj.where


def test_lists_of_vertices_are_what_edges_and_faces_say(meshes: list[StoredMesh]) -> None:
    """Stored lists are not always ascending, ours are; no real vertex has one twice."""
    count = 0
    for obj in of_kind(meshes, EditablePoly):
        chunk = container(obj).find(0x0310)
        if chunk is None or not all_alive(obj):
            continue
        mesh = read(obj)
        stored = ADJACENCY.decode(chunk.data)
        ours = ADJACENCY.decode(adjacency_body(mesh, edge_list(mesh)))
        assert np.array_equal(stored.lengths, ours.lengths), obj.where
        owner = np.repeat(np.arange(len(stored.lengths)), stored.lengths)
        order = np.lexsort((stored.items, owner))
        assert np.array_equal(stored.items[order], ours.items), obj.where
        count += 1
    assert count == 90


def test_new_edges_are_numbered_as_unedited_polygon_meshes_have_them(
    meshes: list[StoredMesh],
) -> None:
    equal = 0
    for obj in of_kind(meshes, EditablePoly):
        mesh = read(obj)
        assert mesh.edges is not None
        ours = edge_list(replace(mesh, edges=None)).vertices
        equal += len(ours) > 0 and np.array_equal(ours, mesh.edges.vertices)
    assert equal == 85


def test_planes_have_the_edges_of_the_triangles_that_they_were(meshes: list[StoredMesh]) -> None:
    """Polygon p0 p1 p2 p3 of a plane was the triangles p0 p1 p3 and p2 p3 p1."""
    found = []
    for obj in of_kind(meshes, EditablePoly):
        mesh = read(obj)
        if mesh.edges is None or not np.all(mesh.degrees == 4):
            continue
        quads = mesh.corners.reshape(-1, 4)
        faces = quads[:, [0, 1, 3, 2, 3, 1]].reshape(-1, 3)
        joined = to_polygons(Mesh.of_triangles(mesh.positions, faces, edge_flags=5))
        assert np.array_equal(joined.corners, mesh.corners), obj.where
        assert joined.edges is not None
        if np.array_equal(joined.edges.vertices, mesh.edges.vertices):
            assert np.array_equal(joined.triangles, mesh.triangles)
            found.append(len(quads))
    assert sorted(found) == [1, 121, 121]


@pytest.mark.slow
def test_polygons_are_found_again_in_their_triangles(meshes: list[StoredMesh]) -> None:
    for obj in of_kind(meshes, EditablePoly):
        mesh = read(obj)
        again = to_polygons(to_triangles(mesh))
        assert np.array_equal(again.starts, mesh.starts), obj.where
        # By place: a vertex where surfaces meet in a point becomes one for each of them.
        places = np.concatenate([mesh.positions, again.positions])
        number = np.unique(places, axis=0, return_inverse=True)[1].reshape(-1)
        ours, theirs = number[len(mesh.positions) :], number[: len(mesh.positions)]
        assert {frozenset(ours[f].tolist()) for f in again.faces} == {
            frozenset(theirs[f].tolist()) for f in mesh.faces
        }


def test_normals_are_those_that_3ds_max_keeps(meshes: list[StoredMesh]) -> None:
    """Corners that nobody set hold what 3ds Max computed; two real meshes have such corners."""
    compared = 0
    for obj in of_kind(meshes, EditableMesh):
        chunk = container(obj).find(0x23A0)
        if chunk is None:
            continue
        mesh = read(obj)
        data = chunk.data
        vectors = next(c for c in chunk.chunks() if c.id == 0x0110).data
        normals = np.frombuffer(vectors, "<f4", offset=4).reshape(-1, 3)
        ids = np.empty(len(mesh.corners), np.int64)
        for group in read_records(
            data[split_run(data, FACE_NUMBER, FACE_COUNT) :], FACE_NUMBER, FACE
        ):
            corners = 3 * group.numbers.astype(np.int64)[:, None] + np.arange(3)
            ids[corners] = np.ascontiguousarray(group.leaves[0x0200,]).view("<i4")
        free = np.ones(len(ids), bool) if mesh.normals is None else mesh.normals.corners < 0
        ours = corner_normals(replace(mesh, normals=None))[free]
        if len(ours):
            gap = np.linalg.norm(ours - normals[ids[free]], axis=1)
            assert np.degrees(gap.max()) < 0.001, obj.where
            compared += len(gap)
    assert compared == 26640


def test_controllers_of_vertices_say_where_they_are(meshes: list[StoredMesh]) -> None:
    count = 0
    for obj in meshes:
        for vertex, controller in obj.vertex_controllers.items():
            assert np.array_equal(controller.evaluate(0), read(obj).positions[vertex])
            count += 1
    assert count == 16


def first_count(context: ModifierContext) -> int | None:
    """Return how many things an Edit Poly counted when its first operation was done."""
    local = context.find(0x2512)
    for operation in local.chunks() if local is not None else ():
        if not operation.container:
            continue
        for chunk in operation.chunks():
            if chunk.id == 0x12C3:
                return int.from_bytes(chunk.data, "little")
            inner = chunk.find(0x0400) if chunk.id == 0x0600 and chunk.container else None
            bits = inner.find(0x2700) if inner is not None and inner.container else None
            if bits is not None and len(bits.data) > 4:
                return int.from_bytes(bits.data[:4], "little")
    return None


def test_cylinders_become_the_polygons_that_edit_poly_counts(
    corpus_files: tuple[Path, ...],
) -> None:
    """Caps are one polygon each across their seams, and their middles are gone."""
    count = 0
    for path in corpus_files:
        for derived in maxsidecar.open(path).scene.of_superclass(0x1F0):
            base = derived.stands_on if isinstance(derived, DerivedObject) else None
            if base is None or not isinstance(derived, DerivedObject):
                continue
            if not any(base.is_instance(0x10, kind) for kind in ((0x12, 0), (0xA86C23DD, 0))):
                continue
            top = derived.modifiers[-1]
            if top is None or not top.is_instance(0x810, (0x79AA6E1D, 0x71A075B7)):
                continue
            found = first_count(derived.contexts[-1])
            mesh = Evaluator(derived.scene).object(base).mesh
            assert mesh is not None
            joined = to_polygons(mesh)
            assert joined.edges is not None
            sizes = len(joined.positions), len(joined.edges.vertices), joined.polygon_count
            assert found in sizes, f"{path}: {derived.index}"
            count += 1
    assert count == 4


def test_no_real_surface_divides_itself(meshes: list[StoredMesh]) -> None:
    """Two are switched on, 0 times; their exports are not divided (Skinning Man, .pod)."""
    on = 0
    for obj in of_kind(meshes, EditablePoly):
        assert isinstance(obj, EditablePoly)
        assert obj.subdivisions == 0
        switch = obj.param_blocks[0].get(23)
        on += switch is not None and switch.value is True
    assert on == 2
