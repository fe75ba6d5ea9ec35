"""Changed meshes written back: the change is there, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.edit import Origins, add_polygons, keep_polygons
from maxsidecar.scene.geometry.mesh import Edges, ExplicitNormals, MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.stored.mesh_views import StoredMesh
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stored_meshes import (
    SQUARE,
    TRI,
    UV,
    EditableMesh,
    EditablePoly,
    bits,
    early_poly,
    leaves,
    map_chunks,
    normals,
    points,
    polygons,
    read,
    rows,
    square_poly,
    stored,
    tri_chunks,
)

MAPPING = map_chunks(1, UV, [(0, 1, 2), (2, 1, 0), (1, 1, 1)])
HIDDEN: ChunkTree = (0x094C, [(0x2700, bits("01001"))])


def changed(obj: StoredMesh, mesh: Mesh, origins: Origins | None = None) -> set[int]:
    """Write a mesh; return the ids of the chunks that are others now."""
    before = leaves(obj)
    assert obj.write_mesh(mesh, origins)
    after = leaves(obj)
    assert not obj.write_mesh(read(obj))
    return {i for i in {*before, *after} if before.get(i) != after.get(i)}


@pytest.mark.parametrize("kind", [EditableMesh, EditablePoly])
def test_an_unchanged_mesh_changes_nothing(kind: type[StoredMesh]) -> None:
    obj = stored(kind, tri_chunks(more=MAPPING) if kind is EditableMesh else square_poly())
    before = bytes(obj.data.data)
    assert not obj.write_mesh(read(obj))
    assert bytes(obj.data.data) == before
    assert not obj.edited


def test_moved_vertices() -> None:
    obj = stored(EditableMesh, tri_chunks(more=MAPPING))
    mesh = read(obj)
    assert changed(obj, replace(mesh, positions=mesh.positions * 2)) == {0x0914}
    assert rows(read(obj).positions) == [(2 * x, 2 * y, 2 * z) for x, y, z in SQUARE]


def test_material_ids_smoothing_and_edges_keep_the_other_flags_of_faces() -> None:
    obj = stored(EditableMesh, tri_chunks())
    mesh = replace(
        read(obj),
        material_ids=np.array([4, 5, 6], np.int32),
        smoothing=np.array([0, 0x80000000, 3], np.uint32),
        edge_visible=np.zeros(9, bool),
    )
    assert changed(obj, mesh) == {0x0912}
    words = np.frombuffer(leaves(obj)[0x0912], "<u4", offset=4).reshape(-1, 5)
    assert words[:, 3].tolist() == [0, 0x80000000, 3]
    # Bit 3 is a hidden face, bit 6 is kept without being known.
    assert words[:, 4].tolist() == [0x40000, 0x50040, 0x60008]


def test_map_channels_come_and_go() -> None:
    obj = stored(EditableMesh, tri_chunks(more=MAPPING))
    mesh = read(obj)
    corners = np.arange(9, dtype=np.int32)
    points9 = np.arange(27, dtype=np.float32).reshape(9, 3)
    more = {**mesh.maps, 3: MapChannel(points9, corners), -1: MapChannel(points9, corners)}
    before = list(mesh_ids(obj))
    assert changed(obj, replace(mesh, maps=more)) == {0x0956, 0x0959, 0x2394, 0x2396}
    group = [0x0959, 0x2398, 0x2394, 0x2396]
    assert list(mesh_ids(obj)) == [*before[:7], 0x0956, *group * 3]
    container = obj.mesh_container()
    assert container is not None
    channels = [bytes(c.data) for c in container.chunks() if c.id == 0x0959]
    assert channels == [pack("<i", n) for n in (-1, 1, 3)]
    assert leaves(obj)[0x0956] == u32(4)
    again = read(obj)
    assert again.maps[3].corners.tolist() == corners.tolist()
    assert changed(obj, replace(again, maps={3: again.maps[3]})) == set()
    assert list(mesh_ids(obj)) == [*before[:7], 0x0956, *group]


def mesh_ids(obj: StoredMesh) -> list[int]:
    container = obj.mesh_container()
    assert container is not None
    return [chunk.id for chunk in container.chunks()]


def test_changed_coordinates_rewrite_only_them() -> None:
    obj = stored(EditableMesh, tri_chunks(more=MAPPING))
    mesh = read(obj)
    channel = MapChannel(mesh.maps[1].vertices + np.float32(0.5), mesh.maps[1].corners)
    assert changed(obj, replace(mesh, maps={1: channel})) == {0x2394}


def test_files_of_1997_know_one_channel() -> None:
    faces = u32(0, 1, 2, 2, 1, 0, 1, 1, 1)
    chunks = tri_chunks(more=[(0x0916, points(*UV)), (0x0918, faces)])
    obj = stored(EditableMesh, chunks, 0x2001)
    mesh = read(obj)
    mesh.maps[1] = MapChannel(mesh.maps[1].vertices, mesh.maps[1].corners[::-1].copy())
    assert changed(obj, mesh) == {0x0918}
    assert len(leaves(obj)[0x0918]) == len(faces)
    mesh.maps[2] = mesh.maps[1]
    with pytest.raises(EditError, match="release"):
        obj.write_mesh(mesh)


def test_removed_faces_take_their_vertices_along() -> None:
    weights: ChunkTree = (0x0953, u32(1) + f32(0, 1, 2, 3, 4))
    obj = stored(EditableMesh, tri_chunks(more=[HIDDEN, *MAPPING, (0x0952, u32(2)), weights]))
    mesh, origins = keep_polygons(read(obj), np.array([False, False, True]))
    obj.write_mesh(mesh, origins)
    again = read(obj)
    assert rows(again.positions) == [SQUARE[1], SQUARE[2], SQUARE[4]]
    assert polygons(again) == [(0, 2, 1)]
    assert again.material_ids.tolist() == [1]
    assert rows(again.maps[1].vertices) == [UV[1]]
    found = leaves(obj)
    # The face was hidden, and so were vertices 1 and 4 of it.
    assert np.frombuffer(found[0x0912], "<u4", offset=4)[4] == 0x1000F
    assert found[0x0953] == u32(1) + f32(1, 2, 4)
    assert found[0x094C][-8:] == bits("101")


def test_added_faces_are_new() -> None:
    obj = stored(EditableMesh, tri_chunks(more=[HIDDEN, *MAPPING]))
    other = Mesh.of_triangles([(9, 9, 9), (8, 8, 8), (7, 8, 9)], [(0, 1, 2)], material_ids=5)
    mesh, origins = add_polygons(read(obj), other)
    obj.write_mesh(mesh, origins)
    again = read(obj)
    assert polygons(again)[-1] == (5, 6, 7)
    assert again.material_ids.tolist() == [0, 0, 1, 5]
    assert again.maps[1].corners.tolist() == [0, 1, 2, 2, 1, 0, 1, 1, 1, 3, 3, 3]
    assert leaves(obj)[0x094C][-8:] == bits("01001000")
    words = np.frombuffer(leaves(obj)[0x0912], "<u4", offset=4).reshape(-1, 5)
    assert words[:, 4].tolist() == [3, 0x43, 0x1000F, 0x50007]


@pytest.mark.parametrize(("version", "size"), [(0x2014, 8), (0x2017, 5)])
def test_selections_are_as_wide_as_the_release_writes_them(version: int, size: int) -> None:
    obj = stored(EditableMesh, tri_chunks(), version)
    mesh = read(obj)
    mesh.selection.vertices = np.array([0, 1, 0, 0, 1], bool)
    mesh.selection.level = "vertex"
    assert changed(obj, mesh) == {0x092C, 0x092A}
    data = leaves(obj)[0x092C]
    assert data[6:] == bits("01001", octets=size == 5)
    assert len(data) == 6 + size
    mesh.selection.vertices[:] = False
    assert changed(obj, mesh) == {0x092C}
    assert 0x092C not in leaves(obj)


def test_explicit_normals_are_made_anew_when_the_shape_changes() -> None:
    marks = [b"\7\0\0\0", None, b"\2\0\0\0"]
    obj = stored(EditableMesh, tri_chunks(more=normals(marks)))
    mesh = read(obj)
    assert mesh.normals is not None
    moved = replace(mesh, positions=mesh.positions[:, [1, 2, 0]].copy())
    assert changed(obj, moved) == {0x0914, 0x23A0}
    again = read(obj)
    assert again.normals is not None
    assert np.array_equal(again.normals.corners >= 0, mesh.normals.corners >= 0)
    used = mesh.normals.corners >= 0
    assert np.array_equal(
        again.normals.vectors[again.normals.corners[used]],
        mesh.normals.vectors[mesh.normals.corners[used]],
    )
    assert changed(obj, again.with_positions(again.positions)) == {0x23A0}
    assert 0x23A0 not in leaves(obj)


def test_a_cache_of_normals_goes_when_the_shape_changes() -> None:
    obj = stored(EditableMesh, tri_chunks(more=normals([None] * 3)))
    mesh = read(obj)
    assert not obj.write_mesh(mesh)
    assert changed(obj, replace(mesh, smoothing=mesh.smoothing * 2)) == {0x0912, 0x23A0}


@pytest.mark.parametrize("version", [0x200A, 0x2012, 0x2022])
@pytest.mark.parametrize("kind", [EditableMesh, EditablePoly])
def test_new_explicit_normals(kind: type[StoredMesh], version: int) -> None:
    obj = stored(kind, tri_chunks() if kind is EditableMesh else square_poly(), version)
    mesh = read(obj)
    corners = np.full(len(mesh.corners), -1, np.int32)
    corners[[0, 2, 4]] = 1, 0, 1
    vectors = np.array([(0, 0, 1), (0.6, 0.8, 0)], np.float32)
    assert obj.write_mesh(replace(mesh, normals=ExplicitNormals(vectors, corners)))
    again = read(obj)
    assert again.normals is not None
    assert np.array_equal(again.normals.corners >= 0, corners >= 0)
    found = again.normals.vectors[again.normals.corners[[0, 2, 4]]]
    assert np.array_equal(found, vectors[[1, 0, 1]])
    container = obj.mesh_container()
    assert container is not None
    spec = container.find(0x23A0 if kind is EditableMesh else 0x0300)
    assert spec is not None
    ids = [chunk.id for chunk in spec.chunks()]
    head = [0x0100, 0x0110, 0x0114, 0x0120]
    assert ids == [
        *([0x0130] if version >= 0x2012 else []),
        *head,
        *[0x0124, 0x0128] * mesh.polygon_count,
    ]


def poly_more() -> list[ChunkTree]:
    lists = u32(4, 0, 1, 2, 2) + u32(3, 0, 0, 0) + u32(3, 1, 2, 1)
    # Edges and faces of the five living vertices.
    adjacency = [(2, 0, 4), (1, 0), (3, 0, 1, 5), (2, 0, 2), (3, 1, 3, 6), (2, 0, 2)]
    adjacency += [(2, 3, 4), (1, 0), (2, 5, 6), (1, 2)]
    return [
        (0x0124, u32(1)),
        (0x0128, points(*UV)),
        (0x012B, lists),
        (0x0310, b"".join(u32(*part) for part in adjacency)),
        (0x0320, u32(21)),
    ]


def test_polygons_keep_what_is_dead_while_they_stay() -> None:
    obj = stored(EditablePoly, square_poly(poly_more()))
    mesh = read(obj)
    moved = replace(mesh, positions=mesh.positions + np.float32(1))
    assert changed(obj, moved) == {0x0100}
    assert len(leaves(obj)[0x0100]) == 4 + 5 * 16 + 4
    assert changed(obj, replace(moved, material_ids=np.array([1, 1], np.int32))) == {0x011A}
    mapping = MapChannel(mesh.maps[1].vertices, np.zeros(7, np.int32))
    now = read(obj)
    assert changed(obj, replace(now, maps={1: mapping})) == {0x012B}
    # The list of the dead face is what it was.
    assert leaves(obj)[0x012B] == u32(4, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0)


def test_other_polygons_take_new_edges_and_lists() -> None:
    obj = stored(EditablePoly, square_poly(poly_more()))
    mesh, origins = keep_polygons(read(obj), np.array([False, True]))
    assert changed(obj, mesh, origins) == {0x0100, 0x010A, 0x011A, 0x0128, 0x012B, 0x0310}
    again = read(obj)
    assert rows(again.positions) == [SQUARE[1], SQUARE[2], SQUARE[4]]
    assert polygons(again) == [(0, 2, 1)]
    found = leaves(obj)
    assert found[0x011A] == u32(1, 3, 0, 2, 1) + pack("<HIH", 9, 1, 7)
    assert found[0x010A] == u32(3) + u32(0, 0, 1) + u32(0, 0, 2) + u32(0, 2, 1)
    assert found[0x0310] == b"".join(
        u32(*part) for part in [(2, 0, 1), (1, 0), (2, 0, 2), (1, 0), (2, 1, 2), (1, 0)]
    )


def test_diagonals_follow_the_triangles() -> None:
    obj = stored(EditablePoly, square_poly())
    mesh = read(obj)
    triangles = mesh.triangles.copy()
    triangles[:2] = [(1, 2, 3), (3, 0, 1)]
    assert changed(obj, replace(mesh, triangles=triangles)) == {0x011A}
    assert rows(read(obj).triangles)[:2] == [(1, 2, 3), (3, 0, 1)]
    triangles[:2] = [(0, 1, 2), (0, 1, 2)]
    with pytest.raises(EditError, match="divide"):
        obj.write_mesh(replace(mesh, triangles=triangles))


def test_edges_selection_and_creases() -> None:
    obj = stored(EditablePoly, square_poly())
    mesh = read(obj)
    assert mesh.edges is not None
    mesh.selection.corners = np.zeros(7, bool)
    mesh.selection.corners[1] = True
    assert changed(obj, mesh) == {0x010A}
    flags = [1 if n == 1 else 0 for n in range(7)]
    flags[2] = 2
    words = np.frombuffer(leaves(obj)[0x010A], "<u4", offset=4)
    assert words[[0, 3, 6, 7, 10, 13, 16]].tolist() == flags
    crease = np.array([0, 0.5, 0, 0, 0, 1], np.float32)
    mesh = replace(read(obj), edges=Edges(mesh.edges.vertices, crease))
    assert changed(obj, mesh) == {0x0240, 0x0250}
    assert leaves(obj)[0x0250] == u32(1) + f32(0, 0.5, 0, 0, 0, 0, 1)


def test_a_polygon_mesh_of_release_4() -> None:
    obj = stored(EditablePoly, early_poly(), 0x2006)
    mesh = read(obj)
    assert changed(obj, replace(mesh, positions=mesh.positions * 3)) == {0x0100}
    mesh = read(obj)
    smooth = replace(mesh, smoothing=np.array([1, 9], np.uint32))
    assert changed(obj, smooth) == {0x0118}
    assert read(obj).smoothing.tolist() == [1, 9]
    kept, origins = keep_polygons(read(obj), np.array([True, False]))
    obj.write_mesh(kept, origins)
    again = read(obj)
    assert polygons(again) == [(0, 1, 2, 3)]
    assert again.material_ids.tolist() == [2]
    assert leaves(obj)[0x0110] == u32(1)
    assert leaves(obj)[0x0108][:28] == u32(4, 1, 0, 1, 0, 0xFFFFFFFF, 0xFFFFFFFF)


@pytest.mark.parametrize(
    "change",
    [
        {"positions": np.zeros((5, 3))},
        {"corners": np.full(9, 5, np.int32)},
        {"corners": np.full(9, -1, np.int32)},
        {"material_ids": np.full(3, 65536, np.int32)},
        {"material_ids": np.zeros(2, np.int32)},
        {"starts": np.array([0, 3, 6, 8], np.int32)},
        {"maps": {1: MapChannel(np.zeros((1, 3), np.float32), np.ones(9, np.int32))}},
        {"maps": {100: MapChannel(np.zeros((1, 3), np.float32), np.zeros(9, np.int32))}},
        {"normals": ExplicitNormals(np.zeros((0, 3), np.float32), np.zeros(9, np.int32))},
        {"is_polygons": True},
    ],
)
def test_a_mesh_that_does_not_fit_is_refused(change: dict[str, object]) -> None:
    obj = stored(EditableMesh, tri_chunks())
    before = bytes(obj.data.data)
    with pytest.raises(EditError):
        obj.write_mesh(replace(read(obj), **change))  # type: ignore[arg-type]
    assert bytes(obj.data.data) == before


def test_origins_that_do_not_fit_are_refused() -> None:
    obj = stored(EditableMesh, tri_chunks())
    for origins in (Origins(np.array([0, 1])), Origins(None, np.array([0, 1, 3]))):
        with pytest.raises(EditError):
            obj.write_mesh(read(obj), origins)


def test_vertices_with_controllers_stay_where_those_say() -> None:
    maker = SceneMaker()
    key = maker.keyed((0x200A, 0, 0x9005), 0x2501, f32(5, 6, 7))
    master = maker.add((0x0D9C20FF, 0, 0x9010), (), {2: key})
    chunks: list[ChunkTree] = [(0x3002, u32(5)), (0x08FE, tri_chunks())]
    index = maker.add(TRI, chunks, {0: master, 3: key})
    obj = maker.scene()[index]
    assert isinstance(obj, EditableMesh)
    shown = Evaluator(obj.scene).object(obj).mesh
    assert shown is not None
    assert rows(shown.positions) == [*SQUARE[:2], (5, 6, 7), *SQUARE[3:]]
    mesh = read(obj)
    assert rows(mesh.positions) == SQUARE
    moved = mesh.positions.copy()
    moved[2] += 1
    with pytest.raises(EditError, match="vertex 2"):
        obj.write_mesh(replace(mesh, positions=moved))
    moved[2], moved[1] = mesh.positions[2], (8, 8, 8)
    assert obj.write_mesh(replace(mesh, positions=moved))
    fewer, origins = keep_polygons(mesh, np.array([True, True, False]))
    with pytest.raises(EditError, match="renumbered"):
        obj.write_mesh(fewer, origins)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused_unless_they_are_stored(number: float) -> None:
    obj = stored(EditableMesh, tri_chunks(more=MAPPING))
    mesh = read(obj)
    before = bytes(obj.data.data)
    wrong = mesh.positions.copy()
    wrong[1, 2] = number
    with pytest.raises(EditError, match="vertex 1: numbers must be finite"):
        obj.write_mesh(replace(mesh, positions=wrong))
    channel = mesh.maps[1]
    vertices = channel.vertices.copy()
    vertices[0, 0] = number
    with pytest.raises(EditError, match="point of map 1 0: numbers must be finite"):
        obj.write_mesh(replace(mesh, maps={1: MapChannel(vertices, channel.corners)}))
    assert bytes(obj.data.data) == before

    chunk = next(c for c in obj.chunks() if c.id == 0x08FE).find(0x0914)
    assert chunk is not None
    chunk.replace(bytes(chunk.data[:-4]) + pack("<f", number))
    mesh = read(obj)
    mesh.positions[0] = 9.0
    assert obj.write_mesh(mesh)
    assert read(obj).positions[0].tolist() == [9.0, 9.0, 9.0]
    mesh.positions[-1] = 0.0
    assert obj.write_mesh(mesh)
    assert np.isfinite(read(obj).positions).all()


@pytest.mark.parametrize("thing", [None, 5, "mesh", object()])
def test_what_is_no_mesh_is_refused(thing: object) -> None:
    obj = stored(EditableMesh, tri_chunks())
    with pytest.raises(EditError, match="not a mesh"):
        obj.write_mesh(thing)  # type: ignore[arg-type]
