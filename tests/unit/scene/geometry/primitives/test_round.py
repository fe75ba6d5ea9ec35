"""Cylinder, Cone, Tube, Torus and Torus Knot."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.primitives.cylinder import build_cylinder, cone, cylinder
from maxsidecar.scene.geometry.primitives.torus_knot import build_torus_knot, torus_knot
from maxsidecar.scene.geometry.primitives.tube import build_torus, build_tube, torus, tube
from tests.unit.scene.geometry.primitives.solids import (
    edge_flags,
    evaluate,
    map_faces,
    open_edges,
    volume,
)

CUT = (0.3, 2.0)


def test_cylinder_is_that_of_collapsed_cylinders() -> None:
    mesh = build_cylinder((2.0, 2.0), 3.0, (5, 1, 18), mapped=True)
    assert len(mesh.positions) == 2 + 18 * 6
    assert mesh.positions[0].tolist() == [0.0, 0.0, 0.0]
    assert mesh.positions[1].tolist() == [2.0, 0.0, 0.0]
    assert mesh.positions[2, 1] > 0.0
    assert mesh.positions[-1].tolist() == [0.0, 0.0, 3.0]
    assert mesh.faces[0].tolist() == [0, 2, 1]
    assert mesh.faces[17].tolist() == [0, 1, 18]
    # a, b below, d, c above: (a, c, d) and (a, b, c).
    assert mesh.faces[18:20].tolist() == [[1, 20, 19], [1, 2, 20]]
    assert mesh.faces[-18].tolist() == [109, 91, 92]
    flags = edge_flags(mesh)
    assert set(flags[:18]) == {2}
    assert flags[18:20].tolist() == [6, 3]
    assert mesh.smoothing[[0, 18, -1]].tolist() == [1, 8, 1]
    assert mesh.material_ids[[0, 18, -1]].tolist() == [1, 2, 0]
    # Values that a collapsed cone of 18 sides stores: 0.75, 0.8056 …
    assert mesh.maps[1].vertices[:3, 0] == pytest.approx([0.5, 0.75, 0.75 + 1 / 18])
    assert mesh.maps[1].vertices[19, 1] == pytest.approx(1 / 5)


def test_no_face_of_a_cylinder_crosses_the_seam() -> None:
    mesh = build_cylinder((2.0, 1.0), 3.0, (3, 1, 11), mapped=True)
    u = mesh.maps[1].vertices[map_faces(mesh)][:, :, 0]
    side = mesh.material_ids == 2
    assert np.ptp(u[side], axis=1).max() < 0.1
    # A glTF export: the cap triangle over the seam has 0.5, 0.0 and -0.0833 with 12 sides.
    cap = build_cylinder((1.0, 0.0), 4.0, (5, 1, 12), mapped=True)
    corner = cap.maps[1].vertices[map_faces(cap)[2]]
    assert corner[:, 0] == pytest.approx([0.5, 0.0, -1 / 12], abs=1e-6)


def test_cone_with_a_point_maps_the_point_to_the_middle() -> None:
    mesh = build_cylinder((1.0, 0.0), 4.0, (1, 1, 12), mapped=True)
    assert mesh.maps[1].vertices[13:25, 0] == pytest.approx([0.5] * 12)


@pytest.mark.parametrize("cut", [None, CUT])
@pytest.mark.parametrize("height", [5.0, -5.0])
@pytest.mark.parametrize("caps", [1, 3])
def test_round_solids_are_closed(cut: tuple[float, float] | None, height: float, caps: int) -> None:
    for mesh in (
        build_cylinder((4.0, 2.0), height, (3, caps, 9), cut=cut, mapped=True),
        build_tube((2.0, 4.0), height, (3, caps, 9), cut=cut, mapped=True),
    ):
        assert open_edges(mesh) == 0
        assert volume(mesh) > 0.0
        assert len(np.unique(mesh.faces)) == len(mesh.positions)
        assert map_faces(mesh).max() < len(mesh.maps[1].vertices)
        assert mesh.positions[:, 2].min() == min(height, 0.0)


def test_a_slice_keeps_what_is_outside_of_it() -> None:
    quarter = (0.0, pi / 2)
    for whole, rest in (
        (build_cylinder((1, 1), 1, (1, 1, 48)), build_cylinder((1, 1), 1, (1, 1, 48), cut=quarter)),
        (build_tube((1, 2), 1, (1, 1, 48)), build_tube((1, 2), 1, (1, 1, 48), cut=quarter)),
        (build_torus((3, 1), (48, 12)), build_torus((3, 1), (48, 12), cut=quarter)),
    ):
        # Each class turns its own way: a quarter goes, or all but a quarter.
        share = volume(rest) / volume(whole)
        assert min(abs(share - 0.75), abs(share - 0.25)) < 0.01


def test_tube_is_that_of_collapsed_tubes() -> None:
    mesh = build_tube((1.0, 2.0), 3.0, (1, 1, 64), mapped=True)
    assert len(mesh.positions) == 256
    profile = mesh.positions[:4]
    assert np.abs(profile[:, 0]).max() < 1e-6
    assert profile[:, 1] == pytest.approx([2.0, 2.0, 1.0, 1.0])
    assert profile[:, 2].tolist() == [0.0, 3.0, 3.0, 0.0]
    assert mesh.positions[4, 0] > 0.0  # Clockwise from +y.
    assert mesh.faces[:2].tolist() == [[0, 5, 4], [0, 1, 5]]
    assert mesh.smoothing[:8].tolist() == [2, 2, 4, 4, 2, 2, 4, 4]
    assert mesh.material_ids[:8].tolist() == [2, 2, 0, 0, 3, 3, 1, 1]
    assert mesh.maps[1].vertices[6].tolist() == pytest.approx([0.25, 1 / 64, 0.0])


def test_torus_is_that_of_exports() -> None:
    mesh = build_torus((10.0, 3.0), (24, 12), mapped=True)
    assert mesh.positions[0] == pytest.approx([0.0, 13.0, 0.0], abs=1e-5)
    assert mesh.positions[3] == pytest.approx([0.0, 10.0, 3.0], abs=1e-5)
    assert mesh.positions[12, 0] > 0.0
    assert open_edges(mesh) == 0
    assert volume(mesh) == pytest.approx(2 * pi**2 * 10 * 9, rel=0.06)
    assert len(mesh.maps[1].vertices) == 25 * 13
    assert mesh.maps[1].vertices[14].tolist() == pytest.approx([1 / 12, 1 / 24, 0.0])


@pytest.mark.parametrize(("smooth", "groups"), [(0, {0}), (1, {1, 2, 4}), (2, {1}), (3, {1, 2})])
def test_smoothing_of_a_torus(smooth: int, groups: set[int]) -> None:
    mesh = build_torus((10.0, 3.0), (4, 5), smooth=smooth)
    assert set(mesh.smoothing.tolist()) == groups


def test_torus_knot_is_that_of_an_export() -> None:
    # Rings of a POD export, in units of the first radius: the middle of the first is at
    # 1 / 1.1, 0, 1 / 1.1, that of the eleventh 1 / 0.6 from the axis.
    mesh = build_torus_knot((10.0, 1.0), (120, 12), (2.0, 3.0), (20.0, 2.0, 0.0, 0.0))
    middle = mesh.positions.reshape(120, 12, 3).mean(axis=1)
    assert middle[0] == pytest.approx([10 / 1.1, 0.0, 10 / 1.1], abs=1e-4)
    assert np.hypot(*middle[10, :2]) == pytest.approx(10 / 0.6, abs=1e-4)
    spread = np.linalg.norm(mesh.positions.reshape(120, 12, 3) - middle[:, None], axis=2)
    assert np.abs(spread - 1.0).max() < 1e-4
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert len(mesh.maps[1].vertices) == 121 * 13
    assert mesh.maps[1].vertices[-1].tolist() == [20.0, 2.0, 0.0]


def test_parameters_of_round_primitives() -> None:
    sides = {"height_segments": 1, "cap_segments": 1, "sides": 8, "smooth": 0, "generate_uvs": 1}
    mesh, notes = evaluate(cylinder, radius=2.0, height=3.0, **sides)
    assert not notes
    assert mesh.positions[1].tolist() == [2.0, 0.0, 0.0]
    assert set(mesh.smoothing.tolist()) == {0, 1}
    mesh, notes = evaluate(cone, radius1=2.0, radius2=-7.0, height=3.0, **sides)
    assert not notes
    assert not mesh.positions[9:, :2].any()  # A radius below 0 is 0.
    mesh, notes = evaluate(tube, radius1=1.0, radius2=2.0, height=3.0, slice_on=1, **sides)
    assert len(notes) == 1
    plain = {**sides, "generate_uvs": 0}
    _, notes = evaluate(tube, radius1=1.0, radius2=2.0, height=3.0, slice_on=1, **plain)
    assert not notes
    _, notes = evaluate(torus, radius1=3.0, radius2=1.0, segments=4, sides=3, slice_on=1)
    assert len(notes) == 1
    mesh, notes = evaluate(torus, radius1=3.0, radius2=1.0, segments=4, sides=3, twist=1.0)
    assert len(mesh.faces) == 24
    assert len(notes) == 1


def test_parameters_of_a_torus_knot() -> None:
    known = {"radius1": 9.0, "radius2": 1.0, "segments": 30, "sides": 6, "p": 2.0, "q": 3.0}
    mesh, notes = evaluate(torus_knot, **known, generate_uvs=1, u_tile=20.0, v_tile=2.0)
    assert len(mesh.faces) == 360
    assert len(notes) == 1
    assert mesh.maps[1].vertices.max() == 20.0
    with pytest.raises(NotSupportedError, match="twist"):
        evaluate(torus_knot, **known, twist=1.0)
    with pytest.raises(NotSupportedError, match="0#11"):
        evaluate(torus_knot, **known, _0_11=3.0)
