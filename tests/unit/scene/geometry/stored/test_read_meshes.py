"""Stored meshes of all generations, from chunks made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.stored.mesh_views import PRO_BOOLEAN_ID, PRO_CUTTER_ID
from tests.support.blocks import BOOLEAN, INTEGER, new_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stored_meshes import (
    POLY,
    SQUARE,
    SQUARE_FACES,
    UV,
    EditableMesh,
    EditablePoly,
    bits,
    early_poly,
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


def test_a_triangle_mesh() -> None:
    mesh = read(stored(EditableMesh, tri_chunks()))
    assert rows(mesh.positions) == SQUARE
    assert rows(mesh.faces) == SQUARE_FACES
    assert mesh.smoothing.tolist() == [1, 1, 2]
    assert mesh.material_ids.tolist() == [0, 0, 1]
    assert mesh.edge_visible.tolist() == [1, 1, 0, 1, 1, 0, 1, 1, 1]
    assert not mesh.is_polygons
    assert mesh.edges is None


def test_channels_selections_and_weights_of_a_triangle_mesh() -> None:
    more: list[ChunkTree] = [
        (0x092C, [(0x2700, bits("10010"))]),
        (0x092D, [(0x2700, bits("010", octets=True))]),
        (0x092E, [(0x2700, bits("000000111"))]),
        (0x0956, u32(3)),
        *map_chunks(-2, [(0.5, 0.5, 0.5)], [(0, 0, 0)] * 3),
        *map_chunks(2, UV, [(0, 1, 2), (2, 1, 0), (1, 1, 1)]),
    ]
    chunks = [chunk if chunk[0] != 0x092A else (0x092A, u32(4)) for chunk in tri_chunks(more=more)]
    mesh = read(stored(EditableMesh, chunks))
    assert set(mesh.maps) == {-2, 2}
    assert mesh.maps[2].corners.tolist() == [0, 1, 2, 2, 1, 0, 1, 1, 1]
    assert rows(mesh.maps[2].vertices) == UV
    selection = mesh.selection
    assert selection.level == "face"
    assert selection.vertices is not None
    assert selection.vertices.tolist() == [1, 0, 0, 1, 0]
    assert selection.polygons is not None
    assert selection.polygons.tolist() == [0, 1, 0]
    assert selection.corners is not None
    assert selection.corners.tolist() == [0] * 6 + [1] * 3


@pytest.mark.parametrize("head", [b"", u32(3)])
def test_the_only_channel_of_1997(head: bytes) -> None:
    faces = head + u32(0, 1, 2, 2, 1, 0, 1, 1, 1)
    chunks = tri_chunks(more=[(0x0916, points(*UV)), (0x0918, faces)])
    mesh = read(stored(EditableMesh, chunks, 0x2001))
    assert mesh.maps[1].corners.tolist() == [0, 1, 2, 2, 1, 0, 1, 1, 1]


def test_explicit_normals_of_triangles() -> None:
    marks = [b"\7\xcd\xcd\xcd", None, b"\2\0\0\0"]
    mesh = read(stored(EditableMesh, tri_chunks(more=normals(marks))))
    assert mesh.normals is not None
    assert mesh.normals.corners.tolist() == [1, 0, 1, -1, -1, -1, -1, 0, -1]
    assert rows(mesh.normals.vectors) == [(0, 0, 1), (0, 1, 0)]
    only_cached = read(stored(EditableMesh, tri_chunks(more=normals([None] * 3))))
    assert only_cached.normals is None


def test_a_polygon_mesh_without_what_is_dead() -> None:
    lists = u32(4, 0, 1, 2, 2) + u32(3, 0, 0, 0) + u32(3, 1, 2, 1)
    more: list[ChunkTree] = [
        (0x0124, u32(1)),
        (0x0128, points(*UV)),
        (0x012B, lists),
        (0x0210, u32(0) + f32(1, 9, 0, 0.5, 0, 0)),
        (0x0250, u32(1) + f32(0, 0.25, 9, 0, 0, 0, 1)),
    ]
    obj = stored(EditablePoly, square_poly(more))
    mesh = read(obj)
    assert rows(mesh.positions) == SQUARE
    assert polygons(mesh) == [(0, 1, 2, 3), (1, 4, 2)]
    assert mesh.material_ids.tolist() == [0, 7]
    assert mesh.smoothing.tolist() == [1, 0]
    assert rows(mesh.triangles) == [(2, 3, 0), (0, 1, 2), (4, 5, 6)]
    assert mesh.triangle_polygons.tolist() == [0, 0, 1]
    assert mesh.edges is not None
    assert rows(mesh.edges.vertices) == [(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 2)]
    assert mesh.edges.crease is not None
    assert mesh.edges.crease.tolist() == [0, 0.25, 0, 0, 0, 1]
    assert mesh.maps[1].corners.tolist() == [0, 1, 2, 2, 1, 2, 1]
    selection = mesh.selection
    assert selection.weights is not None
    assert selection.weights.tolist() == [1, 0, 0.5, 0, 0]
    assert selection.polygons is not None
    assert selection.polygons.tolist() == [False, True]
    assert selection.corners is not None
    assert selection.corners.tolist() == [0, 0, 0, 1, 0, 0, 0]
    problems: list[MaxSidecarError] = []
    assert check_leaves(obj.typed_leaves(), problems.append)[0] == 12
    assert problems == []


def test_a_polygon_mesh_of_release_4() -> None:
    mesh = read(stored(EditablePoly, early_poly(), 0x2006))
    assert polygons(mesh) == [(0, 1, 2, 3), (1, 4, 2)]
    assert rows(mesh.triangles) == [(1, 2, 3), (3, 0, 1), (4, 5, 6)]
    assert mesh.material_ids.tolist() == [2, 0]
    assert mesh.smoothing.tolist() == [1, 0]
    assert mesh.selection.corners is not None
    assert mesh.selection.corners.tolist() == [1, 0, 0, 0, 1, 0, 0]
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 6


def without(chunks: list[ChunkTree], chunk_id: int) -> list[ChunkTree]:
    return [chunk for chunk in chunks if chunk[0] != chunk_id]


@pytest.mark.parametrize(
    "chunks",
    [
        without(tri_chunks(), 0x0914),
        without(tri_chunks(), 0x0912),
        tri_chunks(faces=[(0, 1, 9), (2, 3, 0), (1, 4, 2)]),
        tri_chunks(more=map_chunks(1, UV, [(0, 1, 3)] * 3)),
        tri_chunks(more=map_chunks(1, UV, [(0, 1, 2)] * 2)),
        tri_chunks(more=normals([b"\7\0\0\0"] * 2)),
    ],
)
def test_damaged_triangle_meshes_are_told(chunks: list[ChunkTree]) -> None:
    obj = stored(EditableMesh, chunks)
    with pytest.raises(DecodeError):
        obj.read_mesh()
    (skipped,) = Evaluator(obj.scene).object(obj).skipped
    assert skipped.index == obj.index


@pytest.mark.parametrize(
    "chunks",
    [
        without(square_poly(), 0x0100),
        square_poly([(0x0124, u32(1)), (0x0128, points(*UV)), (0x012B, u32(3, 0, 1, 2))]),
        square_poly(
            [(0x0124, u32(1)), (0x0128, points()), (0x012B, u32(4, 0, 0, 0, 0, 0, 3, 0, 0, 0))]
        ),
        [c if c[0] != 0x010A else (0x010A, u32(1, 0, 0, 99)) for c in square_poly()],
        [c if c[0] != 0x0100 else (0x0100, u32(0)) for c in square_poly()],
        [c if c[0] != 0x0110 else (0x0110, u32(3)) for c in early_poly()],
    ],
)
def test_damaged_polygon_meshes_are_told(chunks: list[ChunkTree]) -> None:
    with pytest.raises(DecodeError):
        stored(EditablePoly, chunks).read_mesh()


def test_a_polygon_without_sound_diagonals_is_still_divided() -> None:
    chunks = square_poly()
    for pairs in ((0, 1), (0, 9)):
        data = dict(chunks)[0x011A]
        assert isinstance(data, bytes)
        changed = data.replace(u32(2, 0), u32(*pairs), 1)
        obj = stored(EditablePoly, [c if c[0] != 0x011A else (0x011A, changed) for c in chunks])
        mesh = read(obj)
        (note,) = Evaluator(obj.scene).object(obj).skipped
        assert note.approximate
        assert note.reason.startswith("1 polygons")
        assert sorted(np.unique(mesh.triangles[:2])) == [0, 1, 2, 3]
        assert len(mesh.triangles) == 3


def test_what_is_never_rendered_gives_nothing() -> None:
    maker = SceneMaker()
    kinds = [(0x1020, 0, 0x10), (0x876234, 0, 0x50), (0x1001, 0, 0x20), (0x1011, 0, 0x30)]
    indices = [maker.add(kind) for kind in kinds]
    unknown = maker.add((0x12345, 0x678, 0x10))
    scene = maker.scene()
    evaluator = Evaluator(scene)
    for index in indices:
        found = evaluator.object(scene[index])
        assert found.geometry is None
        assert found.complete
        assert not found.skipped
    assert not evaluator.object(scene[unknown]).complete


@pytest.mark.parametrize("kind", [PRO_BOOLEAN_ID, PRO_CUTTER_ID])
def test_a_boolean_shows_the_result_that_it_keeps(kind: tuple[int, int]) -> None:
    maker = SceneMaker()
    full = maker.add((*kind, 0x10), [(0x0150, tri_chunks())])
    empty = maker.add((*kind, 0x10), [(0x0100, u32(1))])
    evaluator = Evaluator(maker.scene())
    mesh = evaluator.object(evaluator.scene[full]).mesh
    assert mesh is not None
    assert rows(mesh.faces) == SQUARE_FACES
    assert not evaluator.object(evaluator.scene[empty]).complete
    problems: list[MaxSidecarError] = []
    assert check_leaves(evaluator.scene[full].typed_leaves(), problems.append)[0] == 7
    assert problems == []


@pytest.mark.parametrize(
    ("on", "own", "expected"), [(False, False, 0), (True, False, 2), (True, True, 3)]
)
def test_a_surface_that_divides_itself_is_told(on: bool, own: bool, expected: int) -> None:
    maker = SceneMaker()
    numbers = {23: (BOOLEAN, on), 25: (INTEGER, 2), 27: (INTEGER, 3), 29: (BOOLEAN, own)}
    block = new_block(maker, POLY, numbers)
    index = maker.add(POLY, [(0x08FE, square_poly())], [block])
    bare = maker.add(POLY, [(0x08FE, square_poly())], [new_block(maker, POLY, {})])
    evaluator = Evaluator(maker.scene())
    found = evaluator.object(evaluator.scene[index])
    assert found.mesh is not None
    assert found.complete == (expected == 0)
    assert [f" {expected} times" in entry.reason for entry in found.skipped] == [True] * on
    assert evaluator.object(evaluator.scene[bare]).complete
