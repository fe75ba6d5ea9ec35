"""What holds for any mesh: subdivision, cuts, mirrored copies, caps."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.modifiers.cap_holes import border_loops
from maxsidecar.scene.modifiers.catmull_clark import catmull_clark
from maxsidecar.scene.modifiers.clip import clip
from maxsidecar.scene.modifiers.rebuild import flipped_corners, mirrored_copy, weld

COUNT = 9


@st.composite
def meshes(draw: st.DrawFn) -> Mesh:
    """Return polygons of three to six different corners, however they meet."""
    polygons = draw(
        st.lists(
            st.lists(st.integers(0, COUNT - 1), min_size=3, max_size=6, unique=True),
            max_size=8,
        )
    )
    numbers = st.integers(-4, 4)
    points = draw(st.lists(st.tuples(numbers, numbers, numbers), min_size=COUNT, max_size=COUNT))
    corners = np.array([v for polygon in polygons for v in polygon], np.int32)
    starts = np.append(0, np.cumsum([len(p) for p in polygons])).astype(np.int32)
    mesh = polygon_mesh(points, corners, starts, material_ids=np.arange(len(polygons)))
    mesh.maps[1] = MapChannel(mesh.positions * 0.5, corners)
    return mesh


def check(mesh: Mesh) -> None:
    """Check that the arrays fit one another."""
    total = len(mesh.corners)
    assert mesh.starts[-1] == total
    assert len(mesh.material_ids) == len(mesh.smoothing) == mesh.polygon_count
    assert len(mesh.edge_visible) == total
    assert np.isfinite(mesh.positions).all()
    if total:
        assert 0 <= mesh.corners.min() <= mesh.corners.max() < len(mesh.positions)
    assert len(mesh.triangles) == int(np.maximum(mesh.degrees - 2, 0).sum())
    assert np.array_equal(mesh.corner_polygons[mesh.triangles[:, 0]], mesh.triangle_polygons)
    for channel in mesh.maps.values():
        assert len(channel.corners) == total
        if total:
            assert 0 <= channel.corners.min() <= channel.corners.max() < len(channel.vertices)
    if mesh.edges is not None:
        assert (edge_list(mesh).of_corner >= 0).all()


@given(meshes(), st.booleans())
@settings(max_examples=100)
def test_subdivision(mesh: Mesh, alternate: bool) -> None:
    edges = edge_list(mesh)
    hard = np.arange(len(edges.vertices)) % 3 == 0
    out, still = catmull_clark(mesh, hard, alternate=alternate)
    check(out)
    assert out.polygon_count == len(mesh.corners)
    assert len(out.positions) == COUNT + mesh.polygon_count + len(edges.vertices)
    assert int(still.sum()) == 2 * int(hard.sum())
    # A map that is half of the mesh stays half of it where nothing tears it apart.
    low, high = mesh.positions.min(axis=0), mesh.positions.max(axis=0)
    assert (out.positions >= low - 1e-4).all()
    assert (out.positions <= high + 1e-4).all()


@given(meshes())
@settings(max_examples=100)
def test_a_cut_leaves_nothing_below(mesh: Mesh) -> None:
    out = clip(mesh, mesh.positions[:, 2].astype(np.float64) - 0.5)
    check(out)
    assert (out.positions[out.corners][:, 2] >= 0.5 - 1e-4).all()
    channel = out.maps[1]
    assert np.allclose(channel.vertices[channel.corners], out.positions[out.corners] * 0.5)


@given(meshes())
@settings(max_examples=100)
def test_a_mirrored_copy_fits_the_other_half(mesh: Mesh) -> None:
    out = mirrored_copy(mesh, np.arange(mesh.polygon_count), -mesh.positions)
    check(out)
    half = len(mesh.corners)
    turned = flipped_corners(mesh, np.arange(mesh.polygon_count))
    assert np.array_equal(out.positions[out.corners[half:]], -mesh.positions[mesh.corners[turned]])
    again = weld(out, np.arange(len(out.positions)), out.positions)
    check(again)
    assert np.array_equal(again.corners, out.corners)


@given(meshes())
@settings(max_examples=100)
def test_borders_are_rings(mesh: Mesh) -> None:
    sides, lengths = border_loops(mesh)
    assert (twin_corners(mesh)[sides] < 0).all()
    assert len(np.unique(sides)) == len(sides) == int(lengths.sum())
    ends = mesh.corners[mesh.next_corners]
    at = 0
    for length in lengths.tolist():
        ring = sides[at : at + length]
        # Each side ends where the one before begins.
        assert np.array_equal(ends[np.roll(ring, -1)], mesh.corners[ring])
        at += length
