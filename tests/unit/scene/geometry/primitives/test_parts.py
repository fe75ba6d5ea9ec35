"""What primitives share: arithmetic, limits, slices, seams, and the polygon form."""

from __future__ import annotations

from math import inf, nan, pi
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Generator, NotSupportedError
from maxsidecar.scene.geometry.primitives.angle_extrusions import c_extrusion, l_extrusion
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, X87, arithmetic_of
from maxsidecar.scene.geometry.primitives.bone import bone
from maxsidecar.scene.geometry.primitives.box import box, build_box
from maxsidecar.scene.geometry.primitives.cat import cat_bone, cat_hub
from maxsidecar.scene.geometry.primitives.chamfer_box import chamfer_box
from maxsidecar.scene.geometry.primitives.cylinder import build_cylinder, cone, cylinder
from maxsidecar.scene.geometry.primitives.extruded import gengon, prism
from maxsidecar.scene.geometry.primitives.geosphere import geosphere
from maxsidecar.scene.geometry.primitives.hedra import hedra
from maxsidecar.scene.geometry.primitives.mapping import close_seam
from maxsidecar.scene.geometry.primitives.plane import build_plane, plane
from maxsidecar.scene.geometry.primitives.polygon_forms import polygon_form
from maxsidecar.scene.geometry.primitives.pyramid import pyramid
from maxsidecar.scene.geometry.primitives.slices import between
from maxsidecar.scene.geometry.primitives.sphere import sphere
from maxsidecar.scene.geometry.primitives.teapot import teapot
from maxsidecar.scene.geometry.primitives.torus_knot import torus_knot
from maxsidecar.scene.geometry.primitives.tube import torus, tube
from maxsidecar.scene.geometry.primitives.turned import (
    capsule,
    chamfer_cylinder,
    oil_tank,
    spindle,
)
from tests.unit.scene.geometry.primitives.solids import evaluate, evaluate_object, primitive

BOX = {"width": 1.0, "length": 1.0, "height": 1.0, "width_segments": 1, "length_segments": 1}


def test_release_decides_the_arithmetic() -> None:
    assert arithmetic_of(0x2004) is X87
    assert arithmetic_of(0x200B) is X87
    assert arithmetic_of(0x200E) is SINGLE
    assert arithmetic_of(0x2031) is SINGLE


def test_running_numbers_keep_their_error() -> None:
    step = 0.1
    total = np.float32(0.0)
    expected = []
    for _ in range(100):
        expected.append(total)
        total = np.float32(total + np.float32(step))
    assert SINGLE.running(0.0, step, 100).tolist() == [float(value) for value in expected]
    exact = X87.running(0.0, step, 100)
    assert exact[-1] == pytest.approx(99 * float(np.float32(step)), abs=1e-12)
    assert len(SINGLE.running(0.0, step, 0)) == 0


@pytest.mark.parametrize("value", [nan, inf, -inf, 1e30])
def test_sizes_that_are_no_sizes_are_refused(value: float) -> None:
    with pytest.raises(NotSupportedError, match="width"):
        evaluate(box, **{**BOX, "width": value, "height_segments": 1})


@pytest.mark.parametrize("value", [2**31 - 1, 2001, 10**12])
def test_segments_beyond_all_bounds_are_refused(value: int) -> None:
    with pytest.raises(NotSupportedError, match="height_segments"):
        evaluate(box, **BOX, height_segments=value)


def test_too_many_triangles_are_refused() -> None:
    many = {**BOX, "width_segments": 2000, "length_segments": 2000}
    with pytest.raises(NotSupportedError, match="triangles"):
        evaluate(box, **many, height_segments=2000)
    with pytest.raises(NotSupportedError, match="triangles"):
        evaluate(geosphere, radius=1.0, segments=2000, base_type=2)


def test_segments_below_the_least_are_the_least() -> None:
    mesh, _ = evaluate(box, **BOX, height_segments=-4)
    assert len(mesh.faces) == 12


def test_what_the_file_does_not_tell_is_named() -> None:
    with pytest.raises(NotSupportedError, match="height_segments"):
        evaluate(box, **BOX)


@pytest.mark.parametrize("stored", [b"\0\0\0\0", b"\1\0\0\0", None])
def test_real_world_map_size_is_told(stored: bytes | None) -> None:
    obj = primitive({**BOX, "height_segments": 1, "generate_uvs": 1})
    obj.class_id = SimpleNamespace(a=0x10, b=0)
    if stored is not None:
        obj.appdata = {AppDataKey(0x10, 0, 0x10, 0): stored}
    mesh, notes = evaluate_object(box, obj)
    assert 1 in mesh.maps
    assert bool(notes) == (stored == b"\1\0\0\0")


NUMBERS = st.one_of(st.floats(-10.0, 10.0), st.floats(-1e9, 1e9, width=32), st.floats(width=32))
SIZES = [
    "radius",
    "radius1",
    "radius2",
    "width",
    "length",
    "height",
    "depth",
    "hemisphere",
    "slice_from",
    "slice_to",
    "twist",
    "rotation",
    "taper",
    "p",
    "q",
    "scale_p",
    "scale_q",
    "scale_r",
    "u_tile",
    "v_tile",
    "u_offset",
    "v_offset",
    "cat_units",
    "fillet",
    "cap_height",
    "blend",
    "side1_length",
    "side2_length",
    "side3_length",
    "front_length",
    "side_length",
    "back_length",
    "front_width",
    "side_width",
    "back_width",
    "pivot_y",
    "pivot_z",
    "side_fins_size",
    "side_fins_start_taper",
    "side_fins_end_taper",
    "front_fin_size",
    "front_fin_start_taper",
    "front_fin_end_taper",
    "back_fin_size",
    "back_fin_start_taper",
    "back_fin_end_taper",
]
COUNTS = [
    "segments",
    "sides",
    "height_segments",
    "cap_segments",
    "width_segments",
    "length_segments",
    "depth_segments",
    "fillet_segments",
    "side_segments",
    "front_segments",
    "back_segments",
    "side1_segments",
    "side2_segments",
    "side3_segments",
    "family",
    "vertices",
    "base_type",
    "smooth",
]
SWITCHES = [
    "slice_on",
    "generate_uvs",
    "squash",
    "centers",
    "base_to_pivot",
    "side_fins",
    "front_fin",
    "back_fin",
    "body",
    "handle",
    "spout",
    "lid",
]
GENERATORS = (
    bone, box, c_extrusion, capsule, cat_bone, cat_hub, chamfer_box, chamfer_cylinder, cone,
    cylinder, gengon, geosphere, hedra, l_extrusion, oil_tank, plane, prism, pyramid, sphere,
    spindle, teapot, torus, torus_knot, tube,
)  # fmt: skip


@given(
    generator=st.sampled_from(GENERATORS),
    sizes=st.lists(NUMBERS, min_size=len(SIZES), max_size=len(SIZES)),
    counts=st.lists(st.integers(-3, 12), min_size=len(COUNTS), max_size=len(COUNTS)),
    switches=st.lists(st.integers(0, 1), min_size=len(SWITCHES), max_size=len(SWITCHES)),
)
def test_any_parameters_give_a_finite_mesh_or_a_reason(
    generator: Generator, sizes: list[float], counts: list[int], switches: list[int]
) -> None:
    names = [*SIZES, *COUNTS, *SWITCHES]
    parameters = dict(zip(names, [*sizes, *counts, *switches], strict=True))
    try:
        mesh, _ = evaluate(generator, **parameters)
    except (NotSupportedError, MaxSidecarError):
        return
    assert np.isfinite(mesh.positions).all()
    assert mesh.faces.min(initial=0) >= 0
    assert mesh.faces.max(initial=0) < max(len(mesh.positions), 1)
    for channel in mesh.maps.values():
        assert np.isfinite(channel.vertices).all()
        assert channel.corners.max(initial=0) < max(len(channel.vertices), 1)


def test_slices_are_turned_into_one_turn() -> None:
    end, extent = between(0.5, 2.0, X87)
    assert float(end) == pytest.approx(0.5 + 2 * pi, abs=1e-6)
    assert float(extent) == pytest.approx(2 * pi - 1.5, abs=1e-6)
    end, extent = between(20.0, 1.0, X87)
    assert 1.0 < float(end) <= 1.0 + 2 * pi + 1e-6
    _, extent = between(1.0, 1.0, X87)
    assert float(extent) == pytest.approx(2 * pi, abs=1e-6)


def test_seam_makes_vertices_face_by_face() -> None:
    vertices = np.array([[0.9, 0, 0], [0.1, 0, 0], [0.1, 1, 0], [0.9, 1, 0], [0.4, 0, 0]], "f4")
    faces = np.array([[3, 0, 1], [0, 1, 2], [1, 4, 2]], np.int32)
    made, found = close_seam(vertices, faces)
    # The last corner that uses a vertex keeps it.
    assert found.tolist() == [[3, 5, 1], [0, 1, 2], [1, 4, 2]]
    assert made[[0, 3, 5], 0] == pytest.approx([-0.1, -0.1, -0.1])
    assert made[[0, 3, 5], 1].tolist() == [0.0, 1.0, 0.0]
    # A corner across the seam that stays elsewhere keeps it there.
    made, found = close_seam(vertices, np.array([[3, 0, 1], [0, 3, 4]], np.int32))
    assert found.tolist() == [[5, 6, 1], [0, 3, 4]]
    assert made[[0, 3, 5, 6], 0] == pytest.approx([0.9, 0.9, -0.1, -0.1])


def test_poles_get_the_middle_of_each_face() -> None:
    vertices = np.array([[0.5, 1, 0], [0.9, 0, 0], [0.1, 0, 0], [0.4, 0, 0]], "f4")
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    made, found = close_seam(vertices, faces, np.array([True, False, False, False]))
    assert found.tolist() == [[4, 1, 2], [0, 2, 3]]
    assert made[:, 0] == pytest.approx([0.25, -0.1, 0.1, 0.4, 0.0], abs=1e-6)


def test_polygon_form_of_a_box_has_map_vertices_for_each_side() -> None:
    # Editable Polys of five scenes (2016 to 2023) are this box.
    mesh = polygon_form((0x10, 0), build_box((4.0, 2.0, 3.0), (1, 1, 1), mapped=True))
    assert mesh.is_polygons
    assert mesh.corners.reshape(-1, 4).tolist() == [
        [0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6],
    ]  # fmt: skip
    assert mesh.maps[1].corners.reshape(-1, 4).tolist() == [
        [0, 2, 3, 1], [4, 5, 7, 6], [8, 9, 11, 10],
        [12, 13, 15, 14], [16, 17, 19, 18], [20, 21, 23, 22],
    ]  # fmt: skip
    assert mesh.maps[1].vertices[:8, :2].tolist() == [
        [1, 0], [0, 0], [1, 1], [0, 1], [0, 0], [1, 0], [0, 1], [1, 1],
    ]  # fmt: skip


def _cap_map(plain: Mesh, mesh: Mesh) -> npt.NDArray[np.float32]:
    """Return the coordinates that the triangles of the bottom give the rim of its polygon."""
    channel = plain.maps[1]
    found = {
        int(vertex) - 1: channel.vertices[number]
        for vertex, number in zip(plain.corners[:18], channel.corners[:18], strict=True)
    }
    return np.array([found[int(vertex)] for vertex in mesh.corners[:6]])


def test_polygon_form_of_a_cylinder_has_no_middles() -> None:
    # 19 of 19 Edit Poly records count two vertices less than the mesh; with rings on the caps
    # they count the same.
    plain = build_cylinder((1.0, 1.0), 2.0, (2, 1, 6), mapped=True)
    mesh = polygon_form((0x12, 0), plain)
    assert len(mesh.positions) == len(plain.positions) - 2
    assert sorted(mesh.degrees.tolist()) == [4] * 12 + [6, 6]
    # Caps begin at the last corner of their ring, as records of Unwrap UVW do.
    assert mesh.corners[:6].tolist() == [5, 4, 3, 2, 1, 0]
    assert mesh.corners[-6:].tolist() == [17, 12, 13, 14, 15, 16]
    # The corners of the map turned with them; at the seam triangles differ by a whole turn.
    turned = mesh.maps[1].vertices[mesh.maps[1].corners[:6]] - _cap_map(plain, mesh)
    assert np.allclose(turned, np.round(turned), atol=1e-6)
    assert set(mesh.triangles[:4].reshape(-1).tolist()) == set(range(6))
    rings = build_cylinder((1.0, 1.0), 2.0, (2, 2, 6))
    assert len(polygon_form((0x12, 0), rings).positions) == len(rings.positions)


def test_polygon_form_of_an_early_cylinder_has_the_sides_first() -> None:
    # Two scenes extrude the second last polygon, whose corners run as those of a bottom.
    plain = build_cylinder((1.0, 1.0), 2.0, (2, 1, 6), mapped=True)
    mesh = polygon_form((0x12, 0), plain, early=True)
    assert mesh.degrees.tolist() == [4] * 12 + [6, 6]
    assert mesh.corners[:8].tolist() == [0, 1, 7, 6, 1, 2, 8, 7]
    assert mesh.corners[48:54].tolist() == [5, 4, 3, 2, 1, 0]
    assert sorted(mesh.corners[54:].tolist()) == [12, 13, 14, 15, 16, 17]
    # Edges follow the polygons.
    assert mesh.edges is not None
    assert mesh.edges.vertices[:6].tolist() == [[0, 1], [1, 7], [7, 6], [6, 0], [1, 2], [2, 8]]


def test_polygon_form_of_a_plane() -> None:
    # A cell is (d, a, b, c), cut from the second to the last corner.
    mesh = polygon_form((0x81F1DFC, 0x77566F65), build_plane((2.0, 2.0), (1, 1)))
    assert mesh.corners.tolist() == [2, 0, 1, 3]
    assert polygon_form((0x10, 0), mesh) is mesh
