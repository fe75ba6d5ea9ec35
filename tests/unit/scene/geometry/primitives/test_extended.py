"""Primitives that no file at hand has: closed surfaces of the right size, which say so."""

from __future__ import annotations

from math import pi, sin, sqrt
from struct import pack
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.primitives.angle_extrusions import (
    build_walls,
    c_extrusion,
    l_extrusion,
)
from maxsidecar.scene.geometry.primitives.chamfer_box import build_chamfer_box, chamfer_box
from maxsidecar.scene.geometry.primitives.extruded import (
    build_gengon,
    build_prism,
    gengon,
    prism,
)
from maxsidecar.scene.geometry.primitives.turned import (
    build_turned,
    capsule,
    capsule_end,
    chamfer_cylinder,
    chamfer_cylinder_end,
    oil_tank,
    oil_tank_end,
    spindle,
    spindle_end,
)
from tests.unit.scene.geometry.primitives.solids import (
    edge_flags,
    evaluate,
    evaluate_stored,
    map_faces,
    open_edges,
    volume,
)


def extents(mesh: Mesh) -> list[list[float]]:
    return [mesh.positions.min(axis=0).tolist(), mesh.positions.max(axis=0).tolist()]


def check_map(mesh: Mesh) -> None:
    """Map vertices are all used, within the unit square, and no face runs across the seam."""
    faces = map_faces(mesh)
    uv = mesh.maps[1].vertices
    assert np.unique(faces).tolist() == list(range(len(uv)))
    assert uv[:, :2].min() >= -1e-6
    assert uv[:, :2].max() <= 1.0 + 1e-6


def welded(mesh: Mesh) -> Mesh:
    """Return a mesh whose vertices at the same place are one."""
    places, numbers = np.unique(
        mesh.positions.round(4) + np.float32(0.0), axis=0, return_inverse=True
    )
    return Mesh.of_triangles(places, numbers.reshape(-1)[mesh.faces])


def ngon(sides: int, radius: float) -> float:
    """Return the area of a regular polygon."""
    return 0.5 * sides * radius * radius * sin(2.0 * pi / sides)


ENDS = {
    "chamfer": chamfer_cylinder_end(3.0, 0.5, 2, 1),
    "fillet": chamfer_cylinder_end(3.0, 0.5, 1, 4),
    "tank": oil_tank_end(3.0, 1.0, 0.0, 12),
    "blended tank": oil_tank_end(3.0, 1.0, 0.25, 12),
    "small tank": oil_tank_end(3.0, 1.0, 0.0, 3),
    "spindle": spindle_end(3.0, 2.0, 0.0, 3),
    "blended spindle": spindle_end(3.0, 2.0, 0.5, 3),
    "capsule": capsule_end(3.0, 12),
    "small capsule": capsule_end(3.0, 3),
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("cut", [None, (0.5, 2.0), (3.0, 1.0)])
@pytest.mark.parametrize("levels", [1, 3])
def test_turned_solids_are_closed(name: str, cut: tuple[float, float] | None, levels: int) -> None:
    mesh = build_turned(ENDS[name], 3.0, 8.0, (levels, 12), cut=cut, mapped=True)
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert mesh.positions[0].tolist() == [0.0, 0.0, 8.0]
    assert mesh.positions[-1].tolist() == [0.0, 0.0, 0.0]
    check_map(mesh)
    hanging = build_turned(ENDS[name], 3.0, -8.0, (levels, 12), cut=cut)
    assert hanging.positions[:, 2] == pytest.approx(mesh.positions[:, 2] - 8.0, abs=1e-6)
    assert hanging.corners.tolist() == mesh.corners.tolist()


def test_volume_of_a_chamfered_cylinder() -> None:
    end = chamfer_cylinder_end(3.0, 1.0, 1, 1)
    mesh = build_turned(end, 3.0, 8.0, (1, 10))
    areas = ngon(10, 3.0), ngon(10, 2.0)
    frustum = (areas[0] + areas[1] + sqrt(areas[0] * areas[1])) / 3.0
    assert volume(mesh) == pytest.approx(6.0 * areas[0] + 2.0 * frustum)
    # Caps, chamfers, side.
    assert mesh.smoothing.tolist() == [4] * 10 + [8] * 20 + [16] * 20 + [8] * 20 + [4] * 10
    assert edge_flags(mesh)[[0, 10, 11, -1]].tolist() == [3, 3, 6, 6]
    part = build_turned(end, 3.0, 8.0, (1, 5), cut=(pi / 2.0, 0.0))
    quarter = 2.5 * 9.0 * sin(pi / 10.0), 2.5 * 4.0 * sin(pi / 10.0)
    frustum = (quarter[0] + quarter[1] + sqrt(quarter[0] * quarter[1])) / 3.0
    assert volume(part) == pytest.approx(6.0 * quarter[0] + 2.0 * frustum)
    assert set(part.smoothing.tolist()) == {1, 2, 4, 8, 16}


def test_capsule_nears_its_volume() -> None:
    mesh, notes = evaluate(
        capsule, radius=1.0, height=5.0, centers=0, sides=200, height_segments=1, smooth=1
    )
    assert volume(mesh) == pytest.approx(pi * (3.0 + 4.0 / 3.0), rel=1e-3)
    assert notes == ["no file proves the order of vertices and faces of this class"]
    longer, _ = evaluate(
        capsule, radius=1.0, height=-5.0, centers=1, sides=8, height_segments=2, smooth=0
    )
    assert extents(longer)[0][2] == -7.0
    assert not longer.smoothing.any()
    short, _ = evaluate(capsule, radius=1.0, height=0.5, sides=8, height_segments=1)
    assert extents(short)[1][2] == 2.0


def test_oil_tank_and_spindle_keep_within_their_height() -> None:
    shared = {"radius": 3.0, "cap_height": 1.0, "height": 8.0, "blend": 0.0, "sides": 24}
    tank, _ = evaluate(oil_tank, **shared, centers=0, height_segments=2, generate_uvs=1)
    assert extents(tank)[1][2] == 8.0
    cap = pi * 1.0 * (3.0 * 9.0 + 1.0) / 6.0
    assert volume(tank) == pytest.approx(6.0 * pi * 9.0 + 2.0 * cap, rel=0.02)
    tall, _ = evaluate(oil_tank, **shared, centers=1, height_segments=2)
    assert extents(tall)[1][2] == 10.0
    cone, _ = evaluate(spindle, **shared, centers=0, height_segments=1, cap_segments=4)
    assert volume(cone) == pytest.approx(6.0 * ngon(24, 3.0) + 2.0 * ngon(24, 3.0) / 3.0, rel=0.01)
    blended, _ = evaluate(
        spindle, **(shared | {"blend": 1.0}), centers=1, height_segments=1, cap_segments=4
    )
    assert open_edges(blended) == 0
    assert extents(blended)[1][2] == 10.0


def test_chamfer_cylinder_has_no_fillet_beyond_its_radius() -> None:
    mesh, _ = evaluate(
        chamfer_cylinder, radius=2.0, height=3.0, fillet=9.0, height_segments=1,
        fillet_segments=2, sides=8, cap_segments=1, smooth=1, generate_uvs=1,
    )  # fmt: skip
    assert extents(mesh)[1][2] == 3.0
    assert np.abs(mesh.positions[:, :2]).max() == pytest.approx(2.0)
    assert open_edges(mesh) == 0


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 3, 2), (1, 0, 1), (3, 0, 2)])
@pytest.mark.parametrize("sides", [3, 5, 6])
def test_gengon_is_closed(sides: int, counts: tuple[int, int, int]) -> None:
    mesh = build_gengon(sides, 4.0, 0.5, 3.0, counts, smooth=True, mapped=True)
    assert open_edges(mesh) == 0
    assert 0.0 < volume(mesh) <= 3.0 * ngon(sides, 4.0) + 1e-3
    check_map(mesh)
    outer = np.hypot(mesh.positions[:, 0], mesh.positions[:, 1]).max()
    assert outer <= 4.0 + 1e-5


def test_gengon_without_fillet_is_a_prism() -> None:
    mesh, notes = evaluate(
        gengon, sides=5, radius=2.0, fillet=0.0, height=-3.0, side_segments=1, fillet_segments=2,
        height_segments=1, smooth=1, generate_uvs=1,
    )  # fmt: skip
    assert len(notes) == 1
    assert volume(mesh) == pytest.approx(3.0 * ngon(5, 2.0), rel=1e-5)
    assert extents(mesh)[0][2] == -3.0
    assert mesh.positions[1].tolist() == [2.0, 0.0, 0.0]
    assert mesh.smoothing.tolist() == [1] * 5 + [2, 2, 4, 4, 2, 2, 4, 4, 8, 8] + [1] * 5


def test_fillets_of_a_gengon_touch_its_sides() -> None:
    mesh = build_gengon(4, sqrt(2.0), 0.5, 1.0, (1, 8, 1))
    ring = mesh.positions[1 : len(mesh.positions) // 2]
    # A square of side 2 that stands on its edges: fillets start half a unit from each of them.
    turned = np.abs(np.stack([ring[:, 0] + ring[:, 1], ring[:, 0] - ring[:, 1]]) / sqrt(2.0))
    assert turned.max() == pytest.approx(1.0, abs=1e-6)
    flat = np.isclose(turned.max(axis=0), 1.0, atol=1e-6)
    assert turned.min(axis=0)[flat] == pytest.approx(0.5, abs=1e-6)


def test_prism_on_three_lengths() -> None:
    mesh, notes = evaluate(
        prism, side1_length=3.0, side2_length=5.0, side3_length=4.0, height=2.0, side1_segments=1,
        side2_segments=2, side3_segments=3, height_segments=2, generate_uvs=1,
    )  # fmt: skip
    assert len(notes) == 1
    assert volume(mesh) == pytest.approx(12.0)
    assert open_edges(mesh) == 0
    assert mesh.positions[0] == pytest.approx([1.0, 4.0 / 3.0, 2.0])
    assert mesh.positions[2].tolist() == [3.0, 0.0, 2.0]
    faces = map_faces(mesh)
    assert faces.max() == len(mesh.maps[1].vertices) - 1
    assert set(mesh.smoothing.tolist()) == {1, 2, 4, 8}
    assert len(build_prism((0.0, 1.0, 1.0), 1.0, (1, 1, 1, 1)).faces) == 0
    flat = build_prism((1.0, 5.0, 1.0), 1.0, (1, 1, 1, 1), mapped=True)
    assert np.isfinite(flat.maps[1].vertices).all()


@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize("middle", [False, True])
def test_walls_are_closed_whatever_way_they_run(signs: tuple[int, int], middle: bool) -> None:
    sizes = (6.0 * signs[0], 5.0 * signs[1])
    mesh = build_walls(sizes, (1.0, 2.0), 3.0, (2, 3), (2, 2), mapped=True, from_middle=middle)
    assert open_edges(welded(mesh)) == 0
    assert volume(mesh) == pytest.approx(3.0 * (6.0 * 1.0 + 4.0 * 2.0))
    low = [min(0.0, size) if not middle else 0.0 for size in sizes]
    assert extents(mesh)[0][:2] == low
    check_map(mesh)
    wide = build_walls(
        (*sizes, 4.0), (1.0, 2.0, 0.5), -3.0, (1, 2, 1), (1, 1), mapped=True, from_middle=middle
    )
    assert open_edges(welded(wide)) == 0
    assert volume(wide) == pytest.approx(3.0 * (6.0 * 1.0 + 3.5 * 2.0 + 4.0 * 0.5))
    check_map(wide)


def test_groups_of_walls_take_turns() -> None:
    mesh = build_walls((6.0, 5.0), (1.0, 2.0), 3.0, (1, 1), (1, 1))
    assert mesh.smoothing.tolist() == [1] * 4 + [2, 2, 4, 4] * 3 + [1] * 4
    assert mesh.positions[:3].tolist() == [[0.0, 0.0, 3.0], [6.0, 0.0, 3.0], [6.0, 5.0, 3.0]]


def test_parameters_of_walls() -> None:
    one = {"height_segments": 1, "width_segments": 1, "front_segments": 1, "side_segments": 1}
    sizes = {"front_length": -6.0, "side_length": 5.0, "front_width": 1.0, "side_width": 2.0}
    mesh, notes = evaluate(l_extrusion, **one, **sizes, height=3.0, generate_uvs=1)
    assert len(notes) == 1
    assert extents(mesh) == [[-6.0, 0.0, 0.0], [0.0, 5.0, 3.0]]
    chunk: Any = SimpleNamespace(id=0x100, data=pack("<i", 1))
    moved, _ = evaluate_stored(l_extrusion, [chunk], {**one, **sizes, "height": 3.0})
    assert extents(moved)[0][0] == 0.0
    back = {"back_length": 4.0, "back_width": 1.0, "back_segments": 1}
    wide, _ = evaluate(c_extrusion, **one, **sizes, **back, height=3.0)
    assert volume(wide) == pytest.approx(3.0 * (6.0 + 2.0 * 4.0 + 4.0 - 2.0))


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 3, 4)])
@pytest.mark.parametrize("round_", [1, 3])
def test_chamfer_box_is_closed(counts: tuple[int, int, int], round_: int) -> None:
    mesh = build_chamfer_box((4.0, 5.0, 6.0), 0.5, counts, round_, mapped=True)
    assert open_edges(mesh) == 0
    assert extents(mesh)[0] == pytest.approx([-2.0, -2.5, 0.0], abs=1e-6)
    assert extents(mesh)[1] == pytest.approx([2.0, 2.5, 6.0], abs=1e-6)
    check_map(mesh)
    nx, ny, nz = counts
    assert len(mesh.faces) == 4 * (nx * ny + nx * nz + ny * nz) + 8 * (
        2 * round_ * (nx + ny + nz) // 2 + round_ * (2 * round_ - 1)
    )


def test_volume_of_a_chamfer_box() -> None:
    mesh = build_chamfer_box((4.0, 5.0, 6.0), 1.0, (1, 1, 1), 32)
    core = 2.0 * 3.0 * 4.0 + 2.0 * (2.0 * 3.0 + 2.0 * 4.0 + 3.0 * 4.0)
    assert volume(mesh) == pytest.approx(core + pi * 9.0 + 4.0 / 3.0 * pi, rel=1e-3)
    # One step of a rounded edge cuts all edges and corners off.
    flat = build_chamfer_box((4.0, 5.0, 6.0), 1.0, (1, 1, 1), 1)
    assert volume(flat) == pytest.approx(core + 0.5 * 4.0 * 9.0 + 8.0 / 6.0)
    assert flat.positions[:2].tolist() == [[-1.0, 1.5, 6.0], [1.0, 1.5, 6.0]]


def test_chamfer_box_hangs_and_has_no_fillet_beyond_its_size() -> None:
    mesh, notes = evaluate(
        chamfer_box, width=4.0, length=5.0, height=-1.0, fillet=3.0, width_segments=1,
        length_segments=1, height_segments=1, fillet_segments=2, smooth=1, generate_uvs=1,
    )  # fmt: skip
    assert len(notes) == 1
    assert extents(mesh)[0][2] == -1.0
    assert open_edges(mesh) == 0
    assert mesh.smoothing.tolist() == [1] * len(mesh.faces)
