"""Extrude, Bevel and Edit Spline; expected values are arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from struct import pack

import numpy as np
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.geometry.shapes.outlines import Outline
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.modifiers.bevel import BEVEL
from maxsidecar.scene.modifiers.edit_spline_views import EDIT_SPLINE
from maxsidecar.scene.modifiers.extrude import EXTRUDE
from maxsidecar.scene.modifiers.lathe import LATHE
from maxsidecar.scene.modifiers.swept import side_groups
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.shapes import HIDDEN, SPLINE, TUBE, knot, shape_chunks, spline_chunks, square
from tests.support.stacks import DERIVED, Layer, Stack

Block = Sequence[float | int]


def evaluated(
    class_id: tuple[int, int],
    block: Block | None,
    *below: ChunkTree,
    local: Sequence[ChunkTree] | None = None,
    rendering: Block = HIDDEN,
) -> Evaluation:
    """Return what a modifier makes of an Editable Spline."""
    maker = SceneMaker()
    references = [] if block is None else [old_block(maker, list(block))]
    modifier = maker.add((*class_id, 0x810), [], references)
    base = maker.add(SPLINE, below, [old_block(maker, list(rendering))])
    inner: list[ChunkTree] = [] if local is None else [(0x2512, local)]
    top = maker.add(DERIVED, [(0x2500, inner)], [modifier, base])
    scene = maker.scene()
    # Every chunk of the local data is known, and encodes to the same bytes.
    for chunk, _, codec in scene[top].typed_leaves():
        assert codec.encode(codec.decode(chunk.data)) == bytes(chunk.data)
    return Evaluator(scene).object(scene[top])


def solid(class_id: tuple[int, int], block: Block, *below: ChunkTree) -> Mesh:
    found = evaluated(class_id, block, *(below or (square(),)))
    assert found.complete, found.skipped
    assert found.mesh is not None
    return found.mesh


def volume(mesh: Mesh) -> float:
    p = mesh.positions.astype(np.float64)[mesh.faces]
    return float(np.einsum("ij,ij->", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6)


def is_closed(mesh: Mesh) -> bool:
    ends = np.stack([mesh.faces, np.roll(mesh.faces, -1, axis=1)], axis=2).reshape(-1, 2)
    sides = Counter((int(a), int(b)) for a, b in ends)
    return all(count == 1 and sides[b, a] == 1 for (a, b), count in sides.items())


def test_rings_stand_one_on_another() -> None:
    mesh = solid(EXTRUDE, [6.0, 3, 0, 0, 0, 1, 0, 1, 0, 1])
    assert mesh.positions.reshape(4, 4, 3)[:, :, 2].tolist() == [[z] * 4 for z in (0, 2, 4, 6)]
    assert len(mesh.triangles) == 3 * 4 * 2
    assert mesh.faces[:2].tolist() == [[0, 1, 5], [0, 5, 4]]
    assert mesh.edge_visible[:6].tolist() == [True, True, False, False, True, True]
    assert mesh.material_ids.tolist() == [2] * 24
    # The first group is that of the first piece; behind it two take turns at corners.
    assert mesh.smoothing[:8].tolist() == [1, 1, 4, 4, 2, 2, 4, 4]


@pytest.mark.parametrize("amount", [5.0, -5.0])
def test_ends_close_it_and_faces_look_out(amount: float) -> None:
    mesh = solid(EXTRUDE, [amount, 2, 1, 1, 0, 1, 0, 1, 0, 1])
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(9 * 5)
    assert Counter(mesh.material_ids.tolist()) == {2: 16, 0: 2, 1: 2}


def test_a_hole_stays_open() -> None:
    ring = [(1, 1, 0), (2, 1, 0), (2, 2, 0), (1, 2, 0)]
    hole = spline_chunks([knot(point) for point in ring])
    outer = spline_chunks([knot(p) for p in ((0, 0, 0), (3, 0, 0), (3, 3, 0), (0, 3, 0))])
    mesh = solid(EXTRUDE, [2.0, 1, 1, 1, 0, 1, 0, 0, 0, 1], shape_chunks(outer, hole))
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(8 * 2)
    assert set(mesh.material_ids.tolist()) == {0}


def test_an_open_curve_becomes_a_wall() -> None:
    mesh = solid(EXTRUDE, [2.0, 1, 1, 1, 0, 1, 0, 1, 0, 1], square(closed=False))
    assert len(mesh.triangles) == 6


def test_three_corners_take_three_groups() -> None:
    triangle = spline_chunks([knot(p) for p in ((0, 0, 0), (3, 0, 0), (0, 3, 0))])
    mesh = solid(EXTRUDE, [2.0, 1, 0, 0, 0, 1, 0, 1, 0, 1], shape_chunks(triangle))
    assert mesh.smoothing.tolist() == [1, 1, 4, 4, 2, 2]
    plain = solid(EXTRUDE, [2.0, 1, 0, 0, 0, 1, 0, 1, 0, 0], shape_chunks(triangle))
    assert not plain.smoothing.any()


def test_sides_take_the_ids_of_their_segments() -> None:
    rows = [knot(p, material=k + 3) for k, p in enumerate(((0, 0, 0), (3, 0, 0), (0, 3, 0)))]
    mesh = solid(EXTRUDE, [2.0, 1, 0, 0, 0, 1, 0, 1, 1, 1], shape_chunks(spline_chunks(rows)))
    assert mesh.material_ids.tolist() == [3, 3, 4, 4, 5, 5]


def test_what_is_not_known_is_told() -> None:
    found = evaluated(EXTRUDE, [2.0, 1, 1, 1, 0, 0, 1, 1, 0, 1], square())
    assert "NURBS" in " ".join(entry.reason for entry in found.skipped)
    stack = Stack([Layer(EXTRUDE)])
    assert stack.reasons() == ["it works on splines, and there is a surface below it"]


def test_coordinates_run_along_the_curve_and_up() -> None:
    """The curve is 3 + 3 + 3 + 3 long; ends are mapped over their box."""
    mesh = solid(EXTRUDE, [6.0, 2, 1, 1, 0, 1, 1, 1, 0, 1])
    channel = mesh.maps[1]
    sides = channel.vertices[:15].reshape(3, 5, 3)
    assert np.allclose(sides[..., 0], [0, 0.25, 0.5, 0.75, 1])
    assert np.allclose(sides[..., 1], np.array([[0.0], [0.5], [1.0]]))
    assert channel.corners[:6].tolist() == [0, 1, 6, 0, 6, 5]
    # The last side ends at the vertices where the first one begins, but not at their coordinates.
    assert mesh.faces[6].tolist() == [3, 0, 4]
    assert channel.corners[18:21].tolist() == [3, 4, 9]
    ends = channel.vertices[15:].reshape(2, 4, 3)
    expected = mesh.positions[:4, :2] / 3 - mesh.positions[:4, :2].min(axis=0) / 3
    assert np.allclose(ends[:, :, :2], expected)
    start = np.flatnonzero(mesh.material_ids == 1)
    assert (channel.corners.reshape(-1, 3)[start] - 15 == mesh.faces[start]).all()


def test_curves_stand_one_behind_another() -> None:
    ring = [(1, 1, 0), (2, 1, 0), (2, 2, 0)]
    hole = spline_chunks([knot(point) for point in ring])
    outer = spline_chunks([knot(p) for p in ((0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0))])
    mesh = solid(EXTRUDE, [2.0, 2, 1, 1, 0, 1, 1, 1, 0, 1], shape_chunks(outer, hole))
    assert mesh.positions[:, 2].tolist() == [*np.repeat([0, 1, 2], 4), *np.repeat([0, 1, 2], 3)]
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(2 * (81 - 0.5))
    assert mesh.faces[:16].max() == 11


def test_a_round_curve_is_smooth_at_its_first_piece() -> None:
    line = Outline(np.zeros((5, 3)), np.zeros(5, np.bool_), np.zeros(5, np.int32), closed=True)
    assert side_groups([line]).tolist() == [1, 3, 2, 2, 3]


LATHE_BLOCK = [1, 1, 0, 0, 1, 0, 0, 1, 0, 1]


def turned(degrees: float, segments: int, *points: Sequence[float], **switches: int) -> Mesh:
    """Return a closed curve, turned about y."""
    curve = spline_chunks([knot((*point, 0)) for point in points])
    block = [degrees, segments, *LATHE_BLOCK]
    names = ("start", "end", "type", "weld", "output", "mapping", "flip", "ids", "shape", "smooth")
    for name, value in switches.items():
        block[2 + names.index(name)] = value
    maker = SceneMaker()
    # 3ds Max starts with y as the axis.
    axis = maker.transform(angles=(-np.pi / 2, 0, 0))
    modifier = maker.add((*LATHE, 0x810), [], [axis, old_block(maker, block)])
    base = maker.add(SPLINE, [shape_chunks(curve)], [old_block(maker, list(HIDDEN))])
    top = maker.add(DERIVED, [(0x2500, [])], [modifier, base])
    found = Evaluator(maker.scene()).object(maker.scene()[top])
    assert found.complete, found.skipped
    assert found.mesh is not None
    return found.mesh


RING = ((3, 0), (5, 0), (5, 2), (3, 2))


@pytest.mark.parametrize("flip", [0, 1])
def test_a_curve_is_turned_about_the_axis(flip: int) -> None:
    mesh = turned(360.0, 12, *RING, flip=flip, mapping=1)
    assert is_closed(mesh)
    # A prism of twelve sides: 12 / 2 r r sin 30 degrees, 2 high.
    assert abs(volume(mesh)) == pytest.approx(2 * 6 * 0.5 * (25 - 9), rel=1e-5)
    assert len(mesh.positions) == 12 * 4
    assert mesh.material_ids.tolist() == [2] * 96
    # A seam along and across.
    assert len(mesh.maps[1].vertices) == 13 * 5
    assert np.allclose(np.unique(mesh.maps[1].vertices[:, 1]), np.arange(13) / 12)


def test_flipping_turns_it_inside_out() -> None:
    first, second = (volume(turned(360.0, 6, *RING, flip=flip)) for flip in (0, 1))
    assert first == pytest.approx(-second)


def test_a_part_of_a_turn_has_ends() -> None:
    mesh = turned(90.0, 3, *RING, mapping=1)
    assert is_closed(mesh)
    assert abs(volume(mesh)) == pytest.approx(2 * 3 / 2 * 0.5 * (25 - 9), rel=1e-5)
    assert Counter(mesh.material_ids.tolist()) == {2: 24, 1: 2, 0: 2}
    ends = mesh.maps[1].vertices[4 * 5 :]
    assert np.allclose(np.sort(ends[:, :2], axis=0), [[0, 0]] * 4 + [[1, 1]] * 4, atol=1e-5)


def test_points_on_the_axis_are_welded() -> None:
    cone = ((0, 0), (4, 0), (0, 3))
    loose, welded = turned(360.0, 8, *cone), turned(360.0, 8, *cone, weld=1, mapping=1)
    assert len(loose.positions) == 24
    assert len(welded.positions) == 8 + 2
    assert len(welded.triangles) == 16
    assert is_closed(welded)
    assert len(welded.maps[1].corners) == 48


BEVEL_BLOCK = [1, 1, 0, 0, 1, 0, 1, 0, 1.0]


def test_levels_add_up_heights_and_outlines() -> None:
    """The numbers of a scene: heights of 5, 50, 5 give 60, outlines of -5, 5, 0, -5 end at -5."""
    mesh = solid(
        BEVEL,
        [*BEVEL_BLOCK, -1.0, 5.0, 1.0, 1, 50.0, 0.0, 1, 5.0, -1.0],
    )
    rings = mesh.positions.reshape(4, 4, 3)
    assert rings[:, 0, 2].tolist() == [0, 5, 55, 60]
    assert rings[:, 0, 0].tolist() == [1, 0, 0, 1]
    assert rings[:, 2, 1].tolist() == [2, 3, 3, 2]
    assert is_closed(mesh)
    # Two frustums between squares of 1 and 3, and the box between them.
    assert volume(mesh) == pytest.approx(9 * 50 + 2 * 5 / 3 * (1 + 9 + 3))


def test_levels_that_are_off_are_left_out() -> None:
    mesh = solid(BEVEL, [*BEVEL_BLOCK, 0.0, 4.0, 1.0, 0, 50.0, 0.0, 1, 5.0, -1.0])
    assert mesh.positions.reshape(2, 4, 3)[1, 2].tolist() == [4, 4, 4]


def moved(*rows: tuple[int, int, tuple[float, float, float]]) -> list[ChunkTree]:
    """Return the local data of an Edit Spline whose first corner went to (0, 0, 7)."""
    body = b"".join(pack("<ii", spline, point) + f32(*by) + u32(0) for spline, point, by in rows)
    corners = [(0, 0, 7), (3, 0, 0), (3, 3, 0), (0, 3, 0)]
    result = shape_chunks(spline_chunks([knot(point) for point in corners]), counts=[4], steps=2)
    return [
        (
            0x1000,
            [
                (0x1020, u32(4)),
                (
                    0x1030,
                    [(0x1000, u32(1)), (0x1010, [(0x1010, u32(len(rows)) + body)])],
                ),
                (0x1040, result[1]),
            ],
        )
    ]


ALL = [(0, point, (0.0, 0.0, 7.0)) for point in range(3)]


def test_edited_splines_take_the_place_of_those_below() -> None:
    found = evaluated(EDIT_SPLINE, None, square(), local=moved(*ALL))
    assert found.skipped == []
    assert isinstance(found.geometry, Shape)
    assert found.geometry.steps == 2
    assert found.geometry.splines[0].points[0].tolist() == [0, 0, 7]


@pytest.mark.parametrize(
    "rows",
    [ALL[:2], [(0, 99, (0.0, 0.0, 7.0))], [(0, -1, (0.0, 0.0, 7.0))]],
)
def test_splines_that_changed_below_are_told(
    rows: Sequence[tuple[int, int, tuple[float, float, float]]],
) -> None:
    found = evaluated(EDIT_SPLINE, None, square(), local=moved(*rows))
    assert [entry.reason for entry in found.skipped] == [
        "the splines below are not those that it was made for"
    ]
    assert found.complete


def test_other_operations_are_told_and_rendering_stays() -> None:
    local = moved(*ALL)
    assert isinstance(local[0][1], list)
    local[0][1][1] = (0x1030, [(0x1000, u32(1)), (0x1010, [(0x1011, u32(0))])])
    found = evaluated(EDIT_SPLINE, None, square(), local=local, rendering=TUBE)
    assert "whether the splines below have changed since is not told" in [
        entry.reason for entry in found.skipped
    ]
    # What is edited is rendered as the shape below is.
    assert found.mesh is not None
    assert len(found.mesh.positions) % 4 == 0


def test_nothing_kept_changes_nothing() -> None:
    found = evaluated(EDIT_SPLINE, None, square())
    assert isinstance(found.geometry, Shape)
    assert found.geometry.splines[0].points[0].tolist() == [0, 0, 0]


def test_a_mesh_has_no_splines_to_edit() -> None:
    stack = Stack([Layer(EDIT_SPLINE, local=moved(*ALL))])
    assert stack.reasons() == ["it edits splines, and there is a surface below it"]
