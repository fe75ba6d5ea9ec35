"""How much of a scene's geometry is evaluated: which nodes count, and their states."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from maxsidecar.scene.geometry.coverage import (
    APPROXIMATE,
    EXACT,
    IN_PART,
    NOTHING,
    NodeGeometry,
    survey,
)
from tests.support.scenes import Class, SceneMaker, u32
from tests.support.shapes import LINE, knot, shape_chunks, spline_chunks
from tests.support.stored_meshes import TRI, tri_chunks

DERIVED = (0x29263A68, 0x405F22F5, 0x1F0)
SKIN, DELETE_MESH, UNKNOWN = (0x95C723, 0x15666, 0x810), (0xF826EE01, 0, 0x810), (0xF00D, 1, 0x810)
DUMMY, LIMB = (0x876234, 0, 0x50), (0x9125, 0, 0x10)
CORNERS = [knot((0, 0, 0)), knot((1, 0, 0)), knot((1, 1, 0))]


def add_stack(maker: SceneMaker, base: int, modifiers: Sequence[Class]) -> int:
    slots = [maker.add(kind) for kind in modifiers]
    return maker.add(DERIVED, [(0x2500, b"") for _ in modifiers], [*slots, base])


def surveyed(maker: SceneMaker, obj: int) -> list[NodeGeometry]:
    maker.node("thing", None, object_=obj)
    return list(survey(maker.scene()))


@pytest.mark.parametrize(
    ("modifiers", "state"),
    [
        ([], EXACT),
        ([SKIN], EXACT),
        ([DELETE_MESH], APPROXIMATE),
        ([UNKNOWN], IN_PART),
        ([DELETE_MESH, UNKNOWN], IN_PART),
    ],
)
def test_the_state_is_that_of_the_whole_stack(modifiers: list[Class], state: str) -> None:
    maker = SceneMaker()
    (found,) = surveyed(
        maker, add_stack(maker, maker.add(TRI, [(0x08FE, tri_chunks())]), modifiers)
    )
    assert found.node == "thing"
    assert found.base_id == "e44f10b3/0"
    assert not found.of_curves
    assert found.state == state
    assert found.supported == (state in (EXACT, APPROXIMATE))
    assert len(found.left_out) == modifiers.count(UNKNOWN)
    assert len(found.notes) == modifiers.count(DELETE_MESH)


def test_geometry_that_is_not_known_counts() -> None:
    maker = SceneMaker()
    (found,) = surveyed(maker, add_stack(maker, maker.add(LIMB, [(0x2603, u32(0))]), [SKIN]))
    assert found.state == NOTHING
    assert [entry.reason for entry in found.left_out] == [
        "no file holds the shape of a biped's limb"
    ]
    assert found.base_id == "9125/0"
    assert not found.supported


def test_a_damaged_node_counts() -> None:
    maker = SceneMaker()
    maker.add((1, 0, 0x1), [(0x2034, u32(1) + b"\0"), (0x0960, b"\0" * 8)])
    (found,) = survey(maker.scene())
    assert found.state == NOTHING
    assert found.base_id == ""


def test_helpers_and_open_curves_bear_no_mesh() -> None:
    maker = SceneMaker()
    assert surveyed(maker, maker.add(DUMMY)) == []
    maker = SceneMaker()
    chunks = [shape_chunks(spline_chunks(CORNERS, closed=False))]
    assert surveyed(maker, maker.add(LINE, chunks)) == []


def test_closed_curves_bear_a_mesh() -> None:
    maker = SceneMaker()
    (found,) = surveyed(maker, maker.add(LINE, [shape_chunks(spline_chunks(CORNERS))]))
    assert found.of_curves
    assert found.supported


def test_open_curves_below_what_is_not_evaluated_count() -> None:
    maker = SceneMaker()
    line = maker.add(LINE, [shape_chunks(spline_chunks(CORNERS, closed=False))])
    (found,) = surveyed(maker, add_stack(maker, line, [UNKNOWN]))
    assert found.of_curves
    assert found.state == IN_PART


def test_a_stack_that_stands_on_itself_counts() -> None:
    maker = SceneMaker()
    (found,) = surveyed(maker, maker.add(DERIVED, [], [len(maker.objects)]))
    assert found.state == NOTHING
