"""XForm, and where modifiers work; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.scene.geometry.mesh import Mesh, Selection
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.spline import Shape, Spline
from maxsidecar.scene.modifiers.spaces import check_corners, chosen_vertices, deform, rotation
from maxsidecar.scene.modifiers.xform import XFORM
from tests.support.blocks import BOOLEAN, new_block
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE, bits


def moved(
    position: Sequence[float] = (0, 0, 0),
    scale: Sequence[float] = (1, 1, 1),
    centre: Sequence[float] = (0, 0, 0),
    matrix: Sequence[float] | None = None,
    below: Sequence[Layer] = (),
) -> Stack:
    maker = SceneMaker()
    parts = [maker.transform(position, scale=scale), maker.transform(centre)]
    return Stack([Layer(XFORM, references=parts, matrix=matrix), *below], maker=maker)


def test_the_gizmo_moves_and_scales() -> None:
    found = moved((5, 6, 7), (2, 1, 1)).mesh().positions
    assert np.allclose(found, np.array(SQUARE) * (2, 1, 1) + (5, 6, 7))


@pytest.mark.parametrize("off", [False, True])
def test_newer_ones_keep_their_head_deeper(off: bool) -> None:
    maker = SceneMaker()
    parts = [maker.transform((5, 6, 7)), maker.transform()]
    head = (0x00C8, [(0x39BF, [(0x0110, b"")] if off else [])])
    found = Stack([Layer(XFORM, [head], parts)], maker=maker).mesh().positions
    assert np.allclose(found, np.array(SQUARE) + ((0, 0, 0) if off else (5, 6, 7)))


def test_it_works_in_the_space_of_its_context() -> None:
    away = (1, 0, 0, 0, 1, 0, 0, 0, 1, -10, 0, 0)
    found = moved(scale=(2, 1, 1), matrix=away).mesh().positions
    # x is 10 less there: 2 (x - 10) + 10.
    assert np.allclose(found[:, 0], 2 * np.array(SQUARE)[:, 0] - 10)


def test_a_centre_is_told_to_be_unproved() -> None:
    stack = moved(scale=(2, 1, 1), centre=(1, 0, 0))
    assert stack.reasons() == ["no file proves how the centre takes part"]
    found = stack.evaluation().mesh
    assert found is not None
    # The centre comes first: it is stored so that moving it moves nothing else.
    assert np.allclose(found.positions[:, 0], 2 * (np.array(SQUARE)[:, 0] + 1))


@pytest.mark.parametrize("preserve", [0, 1])
def test_a_reflection_turns_polygons_round_since_2021(preserve: int) -> None:
    maker = SceneMaker()
    block = new_block(maker, (*XFORM, 0x810), {0: (BOOLEAN, preserve)})
    parts = [maker.transform(scale=(-1, 1, 1)), maker.transform(), block]
    stack = Stack([Layer(XFORM, references=parts)], maker=maker)
    found = stack.evaluation().mesh
    assert found is not None
    faces = [tuple(face) for face in found.faces.tolist()]
    below = [(0, 1, 2), (2, 3, 0), (1, 4, 2)]
    assert faces == ([(b, a, c) for a, b, c in below] if preserve else below)
    assert stack.reasons() == preserve * ["no file proves how a reflection turns polygons round"]


def test_only_what_is_selected_moves() -> None:
    local = [(0x0200, [(0x2700, bits("10000"))])]
    select = Layer((0x73D8FF93, 0), [(0x0100, u32(1))], local=local)
    found = moved((0, 0, 3), below=[select]).mesh().positions
    assert found[:, 2].tolist() == [3, 0, 0, 0, 1]


def test_places_that_are_no_numbers_are_refused() -> None:
    stack = moved((0, 0, float("inf")))
    assert stack.reasons() == ["its gizmo or context holds no finite numbers"]
    assert not stack.evaluation().complete
    assert moved(scale=(1e20, 1, 1), matrix=(1e19, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)).mesh()


TWO = Mesh.of_triangles(SQUARE, [(0, 1, 2), (2, 3, 0)])


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), None),
        (Selection("vertex"), [0, 0, 0, 0, 0]),
        (Selection("vertex", vertices=np.array([1, 0, 0, 0, 1], bool)), [1, 0, 0, 0, 1]),
        (
            Selection(
                "vertex",
                vertices=np.array([1, 0, 0, 0, 0], bool),
                weights=np.array([0, 0.5, 0, 0, 0], np.float32),
            ),
            [1, 0.5, 0, 0, 0],
        ),
        (Selection("edge", corners=np.array([0, 1, 0, 0, 0, 0], bool)), [0, 1, 1, 0, 0]),
        (Selection("face", polygons=np.array([0, 1], bool)), [1, 0, 1, 1, 0]),
        (Selection("face"), [0, 0, 0, 0, 0]),
    ],
)
def test_vertices_of_selections(selection: Selection, expected: list[float] | None) -> None:
    mesh = Mesh.of_triangles(SQUARE, [(0, 1, 2), (2, 3, 0)])
    mesh.selection = selection
    found = chosen_vertices(mesh)
    assert (None if found is None else found.tolist()) == expected


def test_a_shape_moves_with_its_handles() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0)], np.float32)
    spline = Spline(
        points, points - 1, points + 1, np.zeros(2, bool), np.zeros(2, np.int32),
        np.zeros(2, np.int32),
    )  # fmt: skip
    up = np.array((0.0, 0.0, 2.0))
    found = deform(Shape([spline]), lambda p: p + up)
    assert isinstance(found, Shape)
    (new,) = found.splines
    for name in ("points", "incoming", "outgoing"):
        assert np.allclose(getattr(new, name), getattr(spline, name) + up)


def test_a_turn_is_a_row_vector_matrix() -> None:
    assert np.allclose((1, 0, 0) @ rotation(2, np.pi / 2)[:3, :3], (0, 1, 0))
    assert np.allclose((0, 1, 0) @ rotation(0, np.pi / 2)[:3, :3], (0, 0, 1))
    assert np.allclose((0, 0, 1) @ rotation(1, np.pi / 2)[:3, :3], (1, 0, 0))


def test_results_are_bounded() -> None:
    check_corners(1000)
    with pytest.raises(NotSupportedError, match="30000000 corners"):
        check_corners(30_000_000)


def test_the_arrays_below_are_left_alone() -> None:
    before = TWO.positions.copy()
    deform(TWO, lambda p: p + 1)
    assert np.array_equal(TWO.positions, before)
