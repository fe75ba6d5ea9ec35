"""Symmetry and Mirror on small meshes; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.modifiers.clip import clip
from maxsidecar.scene.modifiers.mirror import MIRROR
from maxsidecar.scene.modifiers.rebuild import mirrored_copy, weld
from maxsidecar.scene.modifiers.symmetry import SYMMETRY
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block, old_block
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import EDITABLE_MESH, EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import SQUARE, bits, polygons, square_poly, tri_chunks

#: Two quads side by side: x from -1 to 0 to 2.
PAIR = [(-1, 0, 0), (0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (-1, 1, 0)]
QUADS = [(0, 1, 4, 5), (1, 2, 3, 4)]


def pair() -> Mesh:
    mesh = polygon_mesh(PAIR, np.array(QUADS).reshape(-1), [0, 4, 8], material_ids=[3, 4])
    channel = np.array(PAIR, np.float32) * 0.5
    mesh.maps[1] = MapChannel(channel, mesh.corners)
    return mesh


def test_what_is_below_the_plane_goes() -> None:
    mesh = pair()
    out = clip(mesh, mesh.positions[:, 0].astype(np.float64))
    assert polygons(out) == [(0, 1, 2, 3)]
    assert out.positions.tolist() == [list(PAIR[n]) for n in (1, 2, 3, 4)]
    assert out.material_ids.tolist() == [4]


def test_edges_are_cut_and_so_are_the_maps() -> None:
    mesh = pair()
    out = clip(mesh, mesh.positions[:, 0].astype(np.float64) - 1)
    # New vertices come behind the two that stay, in the order in which edges are cut.
    assert out.positions.tolist() == [[2, 0, 0], [2, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert polygons(out) == [(2, 0, 1, 3)]
    channel = out.maps[1]
    assert np.allclose(channel.vertices[channel.corners], out.positions[out.corners] * 0.5)


def test_a_cut_takes_the_creases_along() -> None:
    mesh = pair()
    assert mesh.edges is not None
    count = len(mesh.edges.vertices)
    creases = np.where(np.all(mesh.edges.vertices == (2, 3), axis=1), 1, 0).astype(np.float32)
    mesh.edges = Edges(mesh.edges.vertices, creases)
    assert count == 7
    out = clip(mesh, mesh.positions[:, 0].astype(np.float64) - 1)
    assert out.edges is not None
    assert out.edges.crease is not None
    crease = {tuple(pair): value for pair, value in zip(
        out.edges.vertices.tolist(), out.edges.crease.tolist(), strict=True
    )}  # fmt: skip
    assert crease == {(2, 0): 0, (0, 1): 1, (1, 3): 0, (3, 2): 0}


def test_polygons_in_the_plane_go() -> None:
    box = polygon_mesh(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1)],
        [0, 1, 2, 3, 0, 4, 5, 1],
        [0, 4, 8],
    )
    out = clip(box, box.positions[:, 2].astype(np.float64))
    assert polygons(out) == [(0, 2, 3, 1)]
    assert len(out.positions) == 4


def test_nothing_below_changes_nothing() -> None:
    mesh = pair()
    assert clip(mesh, mesh.positions[:, 0].astype(np.float64) + 5) is mesh


def test_a_copy_keeps_its_first_corner_and_numbers_vertices_as_they_come() -> None:
    mesh = polygon_mesh(PAIR, [4, 5, 0, 1, 1, 2, 3, 4], [0, 4, 8])
    out = mirrored_copy(mesh, np.arange(2), -mesh.positions)
    # 4 5 0 1 2 3 are first used in this order: they are 6 to 11.
    assert polygons(out)[2:] == [(6, 9, 8, 7), (9, 6, 11, 10)]
    assert np.array_equal(out.positions[6:], -mesh.positions[[4, 5, 0, 1, 2, 3]])
    edges = edge_list(mesh).vertices
    assert out.edges is not None
    assert out.edges.vertices[: len(edges)].tolist() == edges.tolist()
    assert out.edges.vertices[len(edges)].tolist() == [7, 6]  # back from 5 to 4
    assert not np.any(edge_list(out).of_corner < 0)
    # Triangles lie in the same places.
    before = np.sort(mesh.positions[mesh.faces].sum(axis=1), axis=0)
    after = np.sort(-out.positions[out.faces[len(mesh.faces) :]].sum(axis=1), axis=0)
    assert np.allclose(before, after)


def test_welding_takes_vertices_out() -> None:
    mesh = pair()
    out = weld(mesh, np.array([0, 1, 2, 2, 4, 5]), mesh.positions)
    assert polygons(out) == [(0, 1, 3, 4), (1, 2, 2, 3)]
    assert len(out.positions) == 5


SETTINGS = {0: (INTEGER, 0), 1: (INTEGER, 1), 2: (INTEGER, 1), 3: (FLOAT, 0.1), 4: (BOOLEAN, 0)}
NEWER = {5: (INTEGER, 0), 6: (BOOLEAN, 1), 7: (BOOLEAN, 0), 8: (BOOLEAN, 0), 9: (BOOLEAN, 0)}


def symmetric(
    changes: Mapping[int, tuple[int, object]], *, poly: bool = True, x: float = 0.0
) -> Stack:
    maker = SceneMaker()
    block = new_block(maker, (*SYMMETRY, 0x810), {**SETTINGS, **changes})
    layer = Layer(SYMMETRY, references=[block, maker.transform((x, 0, 0))])
    base = square_poly() if poly else tri_chunks()
    return Stack([layer], base, EDITABLE_POLY if poly else EDITABLE_MESH, maker)


# The quad of SQUARE goes from x 0 to 1, a triangle from there to (2, 0, 1).
@pytest.mark.parametrize("poly", [True, False])
def test_both_halves_share_the_vertices_in_the_plane(poly: bool) -> None:
    mesh = symmetric({}, poly=poly).mesh()
    assert len(mesh.positions) == 2 * 5 - 2
    assert mesh.polygon_count == (4 if poly else 6)
    assert np.allclose(mesh.positions[:, 0].min(), -2)
    assert mesh.is_polygons is poly
    first = mesh.positions[mesh.faces]
    normals = np.cross(first[:, 1] - first[:, 0], first[:, 2] - first[:, 0])
    assert (normals[:, 2] > 0).all()


def test_the_other_side_without_cut_or_weld() -> None:
    found = symmetric({4: (BOOLEAN, 1)}).evaluation().mesh
    assert found is not None
    assert found.polygon_count == 0  # nothing is on the other side
    uncut = symmetric({1: (INTEGER, 0)}, x=1.0).mesh()
    assert uncut.polygon_count == 4
    apart = symmetric({2: (INTEGER, 0)}).mesh()
    assert len(apart.positions) == 10


def test_the_gizmo_carries_the_plane() -> None:
    mesh = symmetric({}, x=0.5).mesh()
    assert np.allclose(mesh.positions[:, 0].min(), -1)
    # The cut vertices of the quad are shared.
    assert (np.abs(mesh.positions[:, 0] - 0.5) < 1e-6).sum() == 2


def test_newer_parameters() -> None:
    assert symmetric(NEWER).mesh().polygon_count == 4
    both = {**NEWER, 7: (BOOLEAN, 1)}
    assert symmetric(both).reasons() == ["no file proves symmetry at several planes"]
    radial = {**NEWER, 5: (INTEGER, 1)}
    assert symmetric(radial).reasons() == ["radial symmetry is not known"]
    assert symmetric({0: (INTEGER, 7)}).reasons() == ["its axis 7 is not known"]


def mirrored(
    axis: int, copy: int, offset: float = 0.0, *, select: str = "", poly: bool = True
) -> Stack:
    maker = SceneMaker()
    block = old_block(maker, [axis, copy, offset])
    layers = [Layer(MIRROR, references=[maker.transform(), block])]
    if select:
        local = [(0x0210, [(0x2700, bits(select))])]
        layers.append(Layer((0x73D8FF93, 0), [(0x0100, u32(3))], local=local))
    base = square_poly() if poly else tri_chunks()
    return Stack(layers, base, EDITABLE_POLY if poly else EDITABLE_MESH, maker)


def test_mirror_in_place_turns_the_polygons_round() -> None:
    mesh = mirrored(0, 0, 10.0).mesh()
    assert np.allclose(mesh.positions, np.array(SQUARE) * (-1, 1, 1) + (10, 0, 0))
    below = mirrored(3, 0).mesh()
    assert np.allclose(below.positions, np.array(SQUARE) * (-1, -1, 1))
    # At one axis they are turned, at two they are not.
    assert polygons(mesh) == [(p[0], *p[:0:-1]) for p in polygons(below)]


def test_a_mirrored_copy() -> None:
    mesh = mirrored(2, 1, -1.0, poly=False).mesh()
    assert polygons(mesh) == [(0, 1, 2), (2, 3, 0), (1, 4, 2), (6, 5, 7), (8, 7, 5), (9, 6, 7)]
    assert np.allclose(mesh.positions[5:], np.array(SQUARE) * (1, 1, -1) - (0, 0, 1))


def test_a_copy_of_what_is_selected() -> None:
    mesh = mirrored(2, 1, -1.0, select="001", poly=False).mesh()
    assert polygons(mesh)[3:] == [(6, 5, 7)]
    alone = mirrored(2, 0, -1.0, select="001", poly=False).mesh()
    assert polygons(alone) == [(0, 1, 2), (2, 3, 0), (4, 1, 2)]
    assert alone.positions[:, 2].tolist() == [0, -1, -1, 0, -2]
    assert mirrored(9, 0).reasons() == ["its axis 9 is not known"]
