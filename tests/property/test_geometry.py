"""Mesh codecs both ways, edits of stored meshes, and conversions, on random meshes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.edit import add_polygons, keep_polygons
from maxsidecar.scene.geometry.mesh import ExplicitNormals, MapChannel, Mesh
from maxsidecar.scene.geometry.normals import corner_normals, smoothing_clusters, triangle_normals
from maxsidecar.scene.geometry.polygons import polygon_mesh, to_polygons, to_triangles
from maxsidecar.scene.geometry.stored import ragged_records as records
from maxsidecar.scene.geometry.stored.mesh_views import StoredMesh
from maxsidecar.scene.geometry.stored.ragged import ADJACENCY, EDGES, FACES, MAP_FACES, VERTICES
from maxsidecar.scene.geometry.stored.tables import Rows, Weights, WeightsCodec
from maxsidecar.scene.geometry.triangulate import default_diagonals, diagonals_of, triangulate
from tests.support.stored_meshes import (
    EditableMesh,
    EditablePoly,
    read,
    square_poly,
    stored,
    tri_chunks,
)

WORDS = st.integers(0, 0xFFFFFFFF)
SMALL = st.integers(0, 6)
#: Parts of a face record that may be stored though they are 0.
MORE_PARTS = st.sampled_from([0, 0x20, 1, 8])
CODECS: list[Codec[Any]] = [
    *(VERTICES, EDGES, FACES, MAP_FACES, ADJACENCY, WeightsCodec()),
    *(Rows("rows", fmt, width, counted=c) for fmt in "fiI" for width, c in ((3, True), (5, None))),
]


@given(st.sampled_from(CODECS), st.data())
def test_what_decodes_encodes_to_the_same_bytes(codec: Codec[Any], choices: st.DataObject) -> None:
    """Words that may be counts, flags and numbers alike, so that some are whole records."""
    words = choices.draw(st.lists(st.one_of(SMALL, SMALL, WORDS), max_size=24))
    halves = choices.draw(st.lists(st.integers(0, 0x39), max_size=3))
    data = np.array(words, "<u4").tobytes() + np.array(halves, "<u2").tobytes()
    try:
        value = codec.decode(data)
    except DecodeError:
        return
    assert codec.encode(value) == data
    assert codec.verified(data) == value


def array(numbers: list[int], dtype: str) -> npt.NDArray[Any]:
    return np.array(numbers, dtype)


@st.composite
def face_records(draw: st.DrawFn) -> records.FaceRecords:
    degrees = draw(st.lists(st.one_of(st.integers(0, 6), st.sampled_from([70, 200])), max_size=8))
    count = len(degrees)

    def words(size: int, top: int = 0xFFFFFFFF) -> list[int]:
        return draw(st.lists(st.integers(0, top), min_size=size, max_size=size))

    flags, materials, smoothing = (words(count, top) for top in (2**32 - 1, 65535, 2**32 - 1))
    present = [
        (flag != 0)
        | (material != 0) << 3
        | (group != 0) << 4
        | draw(st.sampled_from([0, 0x20, 1, 8]))
        for flag, material, group in zip(flags, materials, smoothing, strict=True)
    ]
    pairs = sum(max(d - 3, 0) for d, p in zip(degrees, present, strict=True) if p & 0x20)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return records.FaceRecords(
        array(degrees, "i8"),
        rng.integers(0, draw(st.sampled_from([9, 2**32])), sum(degrees)).astype(np.uint32),
        array(present, "u2"),
        array(flags, "u4"),
        array(materials, "u2"),
        array(smoothing, "u4"),
        rng.integers(0, 300, (pairs, 2)).astype(np.uint32),
    )


@given(face_records())
def test_faces_survive(faces: records.FaceRecords) -> None:
    assert FACES.decode(FACES.encode(faces)) == faces


@given(st.lists(st.lists(WORDS, max_size=5), max_size=9))
def test_lists_survive(lists: list[list[int]]) -> None:
    items = [item for part in lists for item in part]
    value = records.Lists(array([len(part) for part in lists], "i8"), array(items, "u4"))
    assert MAP_FACES.decode(MAP_FACES.encode(value)) == value


@given(st.lists(st.tuples(WORDS, SMALL), max_size=9))
def test_vertices_and_edges_survive(parts: list[tuple[int, int]]) -> None:
    flags = array([flag for flag, _ in parts], "u4")
    values = np.zeros((len(parts), 2), np.uint32)
    values[:, 1] = [number for _, number in parts]
    values[(flags & records.DEAD) != 0] = 0
    edges = records.Components(flags, values)
    assert EDGES.decode(EDGES.encode(edges)) == edges
    wide = np.concatenate([values, values[:, :1]], axis=1).view(np.float32)
    vertices = records.Components(flags, wide)
    assert VERTICES.decode(VERTICES.encode(vertices)) == vertices


@given(WORDS, st.lists(st.floats(width=32), max_size=9))
def test_weights_survive(slot: int, values: list[float]) -> None:
    codec = WeightsCodec()
    value = Weights(slot, np.array(values, np.float32))
    assert codec.decode(codec.encode(value)) == value


@st.composite
def triangle_meshes(draw: st.DrawFn) -> Mesh:
    """A mesh of random triangles with maps, selections and explicit normals or without."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    vertices, faces = draw(st.integers(3, 12)), draw(st.integers(0, 14))
    mesh = Mesh.of_triangles(
        rng.normal(size=(vertices, 3)),
        rng.integers(0, vertices, (faces, 3)),
        smoothing=rng.choice([0, 1, 2, 3, 6, 1 << 31], faces),
        material_ids=rng.integers(0, 3, faces),
        edge_flags=rng.integers(0, 8, faces),
    )
    decorate(mesh, rng, draw(st.sets(st.integers(-2, 4), max_size=3)), draw(st.booleans()))
    return mesh


def decorate(mesh: Mesh, rng: np.random.Generator, channels: set[int], explicit: bool) -> None:
    corners = len(mesh.corners)
    for channel in channels:
        points = rng.normal(size=(5, 3)).astype(np.float32)
        mesh.maps[channel] = MapChannel(points, rng.integers(0, 5, corners).astype(np.int32))
    mesh.selection.vertices = rng.random(len(mesh.positions)) > 0.5
    mesh.selection.polygons = rng.random(mesh.polygon_count) > 0.5
    if explicit and corners:
        vectors = rng.normal(size=(4, 3))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        mesh.normals = ExplicitNormals(
            vectors.astype(np.float32), rng.integers(-1, 4, corners).astype(np.int32)
        )


@st.composite
def polygon_meshes(draw: st.DrawFn) -> Mesh:
    """A mesh of random polygons without repeated vertices in one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    degrees = draw(st.lists(st.one_of(st.integers(3, 7), st.just(4)), max_size=8))
    corners = [rng.permutation(9)[:degree] for degree in degrees]
    mesh = polygon_mesh(
        rng.normal(size=(9, 3)),
        np.concatenate([*corners, np.zeros(0, int)]),
        np.append(0, np.cumsum(degrees, dtype=int)),
        smoothing=rng.choice([0, 1, 2, 3], len(degrees)),
        material_ids=rng.integers(0, 3, len(degrees)),
    )
    decorate(mesh, rng, draw(st.sets(st.integers(-2, 4), max_size=3)), draw(st.booleans()))
    if draw(st.booleans()):
        of_corner = edge_list(mesh).of_corner
        assert mesh.edges is not None
        mesh.selection.corners = (rng.random(len(mesh.edges.vertices)) > 0.5)[of_corner]
    return mesh


def same_mesh(a: Mesh, b: Mesh) -> None:
    """Check that two meshes are equal but for unused normals."""
    for name in ("positions", "corners", "starts", "material_ids", "smoothing", "edge_visible"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert np.array_equal(a.triangles, b.triangles)
    assert set(a.maps) == set(b.maps)
    for number, mapping in a.maps.items():
        assert np.array_equal(mapping.vertices, b.maps[number].vertices)
        assert np.array_equal(mapping.corners, b.maps[number].corners)
    for name in ("vertices", "polygons", "corners"):
        one, two = getattr(a.selection, name), getattr(b.selection, name)
        assert (one is not None and bool(one.any())) == (two is not None and bool(two.any()))
        if one is not None and two is not None and one.any():
            assert np.array_equal(one, two), name
    one, two = (vectors_of(mesh) for mesh in (a, b))
    assert np.array_equal(one, two, equal_nan=True)
    if b.edges is not None:
        assert a.edges is not None
        assert np.array_equal(a.edges.vertices, b.edges.vertices)


def vectors_of(mesh: Mesh) -> npt.NDArray[np.float32]:
    out = np.full((len(mesh.corners), 3), np.nan, np.float32)
    if mesh.normals is not None:
        used = mesh.normals.corners >= 0
        out[used] = mesh.normals.vectors[mesh.normals.corners[used]]
    return out


@given(triangle_meshes(), triangle_meshes(), st.sampled_from([0x2006, 0x2014, 0x2022]))
def test_a_triangle_mesh_is_read_as_it_was_written(first: Mesh, second: Mesh, version: int) -> None:
    obj = stored(EditableMesh, tri_chunks(), version)
    for mesh in (first, second, first):
        obj.write_mesh(mesh)
        same_mesh(read(obj), mesh)
        assert not obj.write_mesh(read(obj))


@given(polygon_meshes(), polygon_meshes(), st.sampled_from([0x200A, 0x2014, 0x2022]))
def test_a_polygon_mesh_is_read_as_it_was_written(first: Mesh, second: Mesh, version: int) -> None:
    obj = stored(EditablePoly, square_poly(), version)
    for mesh in (first, second, first):
        obj.write_mesh(mesh)
        same_mesh(read(obj), mesh)
        assert not obj.write_mesh(read(obj))


@given(polygon_meshes(), polygon_meshes(), st.data())
def test_what_is_added_can_be_taken_out(mesh: Mesh, other: Mesh, choices: st.DataObject) -> None:
    joined, origins = add_polygons(mesh, other)
    keep = np.asarray(origins.polygons) >= 0
    back, _ = keep_polygons(joined, keep)
    assert np.array_equal(back.corners, mesh.corners)
    assert np.array_equal(back.triangles, mesh.triangles)
    assert np.array_equal(back.material_ids, mesh.material_ids)
    assert np.array_equal(back.positions[: len(mesh.positions)], mesh.positions)
    assert np.array_equal(vectors_of(back), vectors_of(mesh), equal_nan=True)
    for number, mapping in mesh.maps.items():
        new = back.maps[number]
        assert np.array_equal(new.vertices[new.corners], mapping.vertices[mapping.corners])


def placed(mesh: Mesh) -> Counter[frozenset[bytes]]:
    """Return the places of the corners of each triangle."""
    rows = [row.tobytes() for row in mesh.positions]
    return Counter(frozenset(rows[vertex] for vertex in face) for face in mesh.faces.tolist())


@given(polygon_meshes())
def test_polygons_survive_as_triangles(mesh: Mesh) -> None:
    triangles = to_triangles(mesh)
    assert np.array_equal(triangles.faces, mesh.faces)
    assert np.allclose(
        triangle_normals(triangles), triangle_normals(mesh), atol=1e-6, equal_nan=True
    )
    again = to_polygons(triangles)
    # Vertices where surfaces meet in a point become several at the same place.
    assert placed(again) == placed(mesh)


@given(triangle_meshes())
def test_joining_triangles_loses_no_surface(mesh: Mesh) -> None:
    joined = to_polygons(mesh)
    assert len(joined.triangles) <= len(mesh.triangles)
    assert joined.degrees.min(initial=3) >= 3
    assert joined.corners.max(initial=0) < len(joined.positions)
    if len(joined.triangles) == len(mesh.triangles):
        assert placed(joined) == placed(mesh)


@given(polygon_meshes())
def test_diagonals_and_triangles_say_the_same(mesh: Mesh) -> None:
    pairs, sound = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
    assert sound.all()
    assert np.array_equal(triangulate(mesh.starts, pairs)[0], mesh.triangles)
    own = default_diagonals(mesh.positions, mesh.corners, mesh.starts)
    assert triangulate(mesh.starts, own)[2].all()


@given(st.one_of(polygon_meshes(), triangle_meshes()))
def test_every_side_has_one_edge_and_at_most_one_twin(mesh: Mesh) -> None:
    edges, twins = edge_list(replace(mesh, edges=None)), twin_corners(mesh)
    assert np.all(edges.of_corner >= 0)
    ends = np.stack([mesh.corners, mesh.corners[mesh.next_corners]], axis=1)
    assert np.array_equal(np.sort(edges.vertices[edges.of_corner]), np.sort(ends))
    assert np.bincount(edges.of_corner, minlength=1).max() <= 2
    paired = np.nonzero(twins >= 0)[0]
    assert np.array_equal(twins[twins[paired]], paired)
    assert np.array_equal(ends[twins[paired]], ends[paired][:, ::-1])


@given(st.lists(st.tuples(SMALL, st.integers(1, 2**32 - 1)), min_size=1, max_size=12))
def test_clusters_are_the_connected_ones(faces: list[tuple[int, int]]) -> None:
    """Against joining pairs of faces at a vertex until nothing changes."""
    corners = np.array([[vertex, vertex, 7 + vertex] for vertex, _ in faces])
    groups = np.array([group for _, group in faces], np.uint32)
    clusters, top = smoothing_clusters(corners, groups)
    assert clusters.max() < top
    label = list(range(len(faces)))
    for _ in faces:
        for i, (vertex, group) in enumerate(faces):
            for j, (other, mask) in enumerate(faces):
                if vertex == other and group & mask:
                    label[i] = label[j] = min(label[i], label[j])
    for i in range(len(faces)):
        for j in range(len(faces)):
            assert (clusters[i, 0] == clusters[j, 0]) == (label[i] == label[j])


@given(triangle_meshes())
def test_normals_do_not_depend_on_the_order_of_faces(mesh: Mesh) -> None:
    count = mesh.polygon_count
    flipped = Mesh.of_triangles(mesh.positions, mesh.faces[::-1], smoothing=mesh.smoothing[::-1])
    plain = replace(mesh, normals=None)
    one = corner_normals(plain).reshape(count, 3, 3)
    two = corner_normals(flipped).reshape(count, 3, 3)[::-1]
    assert np.allclose(one, two, atol=1e-4)


@given(st.sampled_from([EditableMesh, EditablePoly]), st.data())
def test_damage_is_told_and_nothing_else(kind: type[StoredMesh], choices: st.DataObject) -> None:
    """Bytes are changed anywhere; whatever can be read can be used and written back."""
    obj = stored(kind, tri_chunks() if kind is EditableMesh else square_poly())
    data = bytearray(obj.data.data)
    for _ in range(choices.draw(st.integers(1, 3))):
        at = choices.draw(st.integers(0, len(data) - 4))
        data[at : at + 4] = np.uint32(choices.draw(st.one_of(SMALL, WORDS))).tobytes()
    try:
        obj.data.replace_all(bytes(data))
        mesh = obj.read_mesh()
        if mesh is None:
            return
        corner_normals(mesh)
        to_polygons(to_triangles(mesh))
        obj.write_mesh(mesh)
        obj.write_mesh(replace(mesh, smoothing=mesh.smoothing ^ np.uint32(1)))
    except MaxSidecarError:
        return
