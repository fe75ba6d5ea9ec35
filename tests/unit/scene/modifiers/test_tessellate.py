"""Tessellate; expected values are counts, areas and places on a cube."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import Edges, Mesh
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.modifiers.deform import SPHERIFY, UNPROVED
from maxsidecar.scene.modifiers.division import divide
from maxsidecar.scene.modifiers.select_views import MESH_SELECT, POLY_SELECT
from maxsidecar.scene.modifiers.tessellate import TESSELLATE
from tests.support.blocks import old_block
from tests.support.cubes import (
    CORNERS,
    SIDES,
    area_of,
    cube_polygons,
    cube_triangles,
    face_selection,
    volume_of,
)
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import EDITABLE_MESH, EDITABLE_POLY, Layer, Stack

EDGE, CENTRE = 0, 1
FACES, POLYGONS = 0, 1


def stack(
    kind: int,
    faces: int,
    times: int = 1,
    select: str = "",
    *,
    polygons: bool = False,
    tension: float = 0.0,
    update: int = 0,
) -> Stack:
    maker = SceneMaker()
    block = old_block(maker, [kind, tension, times - 1, faces, update])
    layers = [Layer(TESSELLATE, references=[block])]
    if select:
        modifier, level = (POLY_SELECT, 4) if polygons else (MESH_SELECT, 3)
        layers.append(Layer(modifier, [(0x0100, u32(level))], local=face_selection(select)))
    base, base_class = (
        (cube_polygons(), EDITABLE_POLY) if polygons else (cube_triangles(), EDITABLE_MESH)
    )
    return Stack(layers, base, base_class, maker=maker)


def check(mesh: Mesh, vertices: int, polygons: int) -> None:
    """Whatever is divided, the surface is the same, and closed."""
    assert (len(mesh.positions), mesh.polygon_count) == (vertices, polygons)
    assert not np.any(twin_corners(mesh) < 0)
    assert area_of(mesh.positions, mesh.faces) == pytest.approx(24)
    assert volume_of(mesh.positions, mesh.faces) == pytest.approx(8)
    assert np.allclose(mesh.positions[:8], CORNERS)
    assert len(np.unique(mesh.positions.round(4), axis=0)) == vertices
    # Each part lies in its side, with the side's group and material.
    ways = np.array([(0, 0, -1), (0, 0, 1), (0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0)])
    sides = mesh.material_ids[mesh.triangle_polygons]
    corners = mesh.positions[mesh.faces]
    assert np.allclose(np.einsum("tcx,tx->tc", corners, ways[sides]), 1)
    assert np.array_equal(mesh.smoothing, 1 << mesh.material_ids.astype(np.uint32))


def check_chart(mesh: Mesh) -> None:
    """Each side has the whole texture, and each triangle its share of it."""
    channel = mesh.maps[1]
    chart = channel.vertices[channel.corners[mesh.triangles]]
    assert area_of(channel.vertices, channel.corners[mesh.triangles]) == pytest.approx(6)
    a, b, c = mesh.positions[mesh.faces].transpose(1, 0, 2)
    u, v, w = chart.transpose(1, 0, 2)
    shape = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    texture = np.cross(v - u, w - u)[:, 2]
    # 4 units of surface for one of texture, on the same side of both.
    assert np.allclose(shape, 4 * texture, atol=1e-5)


def degrees(mesh: Mesh) -> list[int]:
    return sorted(set(mesh.degrees.tolist()))


def test_triangles_by_their_edges() -> None:
    made = stack(EDGE, FACES)
    mesh = made.mesh()
    assert made.reasons() == [UNPROVED]
    # A vertex for each of 12 edges and 6 diagonals.
    check(mesh, 8 + 18, 48)
    check_chart(mesh)
    assert not mesh.is_polygons
    # Four triangles stand where one stood: three at the corners, then the one between.
    first = mesh.positions[mesh.faces[:4]].astype(float)
    a, b, c = np.array([CORNERS[0], CORNERS[2], CORNERS[3]], float)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    assert np.allclose(first, [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)])
    # Halves of the diagonal stay hidden.
    assert mesh.edge_visible[:12].tolist() == [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1]


def test_triangles_from_their_middles() -> None:
    mesh = stack(CENTRE, FACES).mesh()
    check(mesh, 8 + 12, 36)
    check_chart(mesh)
    middle = np.mean([CORNERS[0], CORNERS[2], CORNERS[3]], axis=0)
    assert np.allclose(mesh.positions[mesh.faces[:3, 2]], middle)


@pytest.mark.parametrize(
    ("kind", "faces", "vertices", "polygons"),
    [(EDGE, FACES, 98, 192), (CENTRE, FACES, 56, 108), (EDGE, POLYGONS, 98, 192)],
)
def test_again(kind: int, faces: int, vertices: int, polygons: int) -> None:
    mesh = stack(kind, faces, times=2).mesh()
    # Of a closed surface of triangles, vertices are half as many as those, and two more.
    assert vertices == polygons // 2 + 2
    check(mesh, vertices, polygons)
    check_chart(mesh)


def test_sides_of_a_mesh_as_polygons() -> None:
    mesh = stack(EDGE, POLYGONS).mesh()
    # Each side becomes four quads of two triangles.
    check(mesh, 8 + 12 + 6, 48)
    check_chart(mesh)
    mesh = stack(CENTRE, POLYGONS).mesh()
    check(mesh, 8 + 6, 24)
    check_chart(mesh)


def test_polygons() -> None:
    mesh = stack(EDGE, POLYGONS, polygons=True).mesh()
    check(mesh, 26, 24)
    assert mesh.is_polygons
    assert degrees(mesh) == [4]
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 48
    mesh = stack(CENTRE, POLYGONS, polygons=True).mesh()
    check(mesh, 14, 24)
    assert degrees(mesh) == [3]
    assert np.allclose(mesh.positions[8:], [np.array(CORNERS)[list(s)].mean(axis=0) for s in SIDES])


def test_only_selected_triangles() -> None:
    mesh = stack(EDGE, FACES, select="001100000000").mesh()
    # Five edges of the side above have middles; four triangles beside it become two.
    check(mesh, 13, 8 + 4 * 2 + 6)
    check_chart(mesh)
    assert mesh.selection.polygons is not None
    assert np.count_nonzero(mesh.selection.polygons) == 8
    again = stack(EDGE, FACES, times=2, select="001100000000").mesh()
    assert again.selection.polygons is not None
    assert np.count_nonzero(again.selection.polygons) == 32
    assert not np.any(twin_corners(again) < 0)
    assert area_of(again.positions, again.faces) == pytest.approx(24)
    middle = stack(CENTRE, FACES, select="001100000000").mesh()
    check(middle, 10, 10 + 6)


def test_only_selected_polygons() -> None:
    mesh = stack(EDGE, POLYGONS, select="010000", polygons=True).mesh()
    check(mesh, 8 + 4 + 1, 4 + 5)
    # Sides beside it have five corners now.
    assert sorted(mesh.degrees.tolist()) == [4] * 5 + [5] * 4


def test_diagonals_and_creases_stay() -> None:
    places = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0), (3, 0, 0)]
    places.append((3, 1, 0))
    ends = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 5), (5, 2), (4, 6), (6, 7), (7, 5)]
    crease = np.zeros(len(ends), np.float32)
    crease[[1, 7]] = 0.5, 0.25
    mesh = polygon_mesh(
        places,
        [0, 1, 2, 3, 1, 4, 5, 2, 4, 6, 7, 5],
        [0, 4, 8, 12],
        diagonals=[(1, 3)] * 3,
        edges=Edges(np.array(ends, np.int32), crease),
    )
    out, chosen = divide(mesh, np.array([True, False, False]), centre=False)
    assert chosen.tolist() == [True] * 4 + [False] * 2
    assert out.degrees.tolist() == [4, 4, 4, 4, 5, 4]
    # The last quad is divided as before: from its second to its fourth corner.
    assert out.faces[-2:].tolist() == [[6, 7, 5], [5, 4, 6]]
    assert out.edges is not None
    assert out.edges.crease is not None
    found = {
        tuple(out.positions[pair].mean(axis=0)): value
        for pair, value in zip(out.edges.vertices, out.edges.crease.tolist(), strict=True)
        if value
    }
    assert found == {(1, 0.25, 0): 0.5, (1, 0.75, 0): 0.5, (2.5, 0, 0): 0.25}


def test_a_divided_cube_becomes_a_ball() -> None:
    maker = SceneMaker()
    layers = [
        Layer(SPHERIFY, references=[old_block(maker, [100.0])]),
        Layer(TESSELLATE, references=[old_block(maker, [EDGE, 0.0, 2, FACES, 0])]),
    ]
    mesh = Stack(layers, cube_triangles(), maker=maker).mesh()
    assert mesh.polygon_count == 12 * 4**3
    # As large as the largest side of the box.
    assert np.allclose(np.linalg.norm(mesh.positions, axis=1), 1)


def test_what_is_left_out_is_told() -> None:
    tense = stack(EDGE, FACES, tension=25.0)
    assert tense.mesh().polygon_count == 48
    assert len(tense.reasons()) == 2
    assert "tension is left out" in tense.reasons()[1]
    assert len(stack(CENTRE, FACES, tension=25.0).reasons()) == 1
    assert "by hand or for renders" in stack(CENTRE, FACES, update=2).reasons()[1]


@pytest.mark.parametrize(
    ("kind", "times", "reason"),
    [
        (EDGE, 10, "it would have 18874368 triangles, more than 2100000"),
        (EDGE, 1_000_000_000, "it divides faces 1000000000 times, more than 10"),
        (2, 1, "its type 2 or what it operates on, 0, is not known"),
    ],
)
def test_what_cannot_be_done(kind: int, times: int, reason: str) -> None:
    made = stack(kind, FACES, times=times)
    assert made.reasons() == [reason]
    found = made.evaluation().mesh
    assert found is not None
    assert found.polygon_count == 12
