"""The check finds links and counts that are sound bytes and still impossible."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.authoring_chunks import encode_chunks
from maxsidecar.scene.layers import LayerManager
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params import ParamBlock, ParamBlock2
from maxsidecar.scene.roundtrip import CheckResult, check_bytes
from tests.support.village import OTHER, node, village

FAR = 1_000_000
BLOCK2 = NewClass("ParamBlock2", 0x82, 0, 0x82)


def check(file: MaxFile) -> CheckResult:
    return check_bytes(file.to_bytes(), Path("memory.max"))


def assert_found(file: MaxFile, obj: SceneObject, *parts: str) -> None:
    """Check that the check finds one thing, at an object."""
    result = check(file)
    assert result.status == "failed"
    (problem,) = result.problems
    assert f"[{obj.index}]" in problem
    for part in parts:
        assert part in problem


def transform(file: MaxFile) -> SceneObject:
    found = node(file.scene, "lamp").controller
    assert found is not None
    return found


@pytest.mark.parametrize("index", [FAR, -2, 2**31 - 1])
def test_a_slot_that_leads_outside_the_scene(index: int) -> None:
    file = village()
    prs = transform(file)
    assert prs.dense_references is not None
    prs.dense_references = (index, *prs.dense_references[1:])
    assert_found(file, prs, "reference slot 0 leads outside the scene", str(index))


def test_a_sparse_list_that_leads_outside_the_scene() -> None:
    file = village()
    made = restructure.add_object(file.scene, OTHER, (), {40_000: node(file.scene, "lamp")})
    # A slot may have any number.
    assert check(file).problems == []
    made.sparse_references = (2, {40_000: FAR})
    assert_found(file, made, "reference slot 40000 leads outside")


@pytest.mark.parametrize("index", [FAR, -2])
def test_lists_of_one_slot_that_lead_outside_the_scene(index: int) -> None:
    file = village()
    lamp = node(file.scene, "lamp")
    made = restructure.add_object(file.scene, OTHER, (), [lamp])
    assert made.dense_references == (lamp.index,)
    assert check(file).problems == []
    made.dense_references = (index,)
    assert_found(file, made, "reference slot 0 leads outside the scene", str(index))


def test_lists_without_slots() -> None:
    file = village()
    made = restructure.add_object(file.scene, OTHER, [(0x2034, b""), (0x2035, pack("<I", 2))])
    assert (made.dense_references, made.sparse_references) == ((), (2, {}))
    assert check(file).problems == []


def test_a_slot_that_leads_to_another_kind() -> None:
    file = village()
    prs = transform(file)
    place, _, scale = prs.dense_references or ()
    prs.dense_references = (place, place, scale)
    assert_found(file, prs, "reference slot 1", "superclass 900c", "900b")


@pytest.mark.parametrize("slot", [0, 1, 3, 6])
def test_slots_of_nodes(slot: int) -> None:
    file = village()
    lamp = node(file.scene, "lamp")
    stored = lamp.sparse_references
    assert stored is not None
    lamp.sparse_references = (stored[0], {**stored[1], slot: node(file.scene, "tree").index})
    assert_found(file, lamp, f"reference slot {slot} leads to an object of another kind")


def test_a_parent_that_is_no_node_and_one_that_is_nowhere() -> None:
    file = village()
    lamp = node(file.scene, "lamp")
    link = lamp.parent_link
    assert link is not None
    lamp.parent_link = link.replace(parent=transform(file).index)
    assert_found(file, lamp, "the index in 0960", "superclass 1")
    lamp.parent_link = link.replace(parent=FAR)
    assert_found(file, lamp, "the index in 0960 leads outside", str(FAR))


def block2(file: MaxFile, count: int, owner: int, *more: tuple[int, bytes]) -> ParamBlock2:
    header = pack("<IHIHi", 0, 0, 1, count, owner)
    made = restructure.add_object(file.scene, BLOCK2, [(0x0009, header), *more])
    assert isinstance(made, ParamBlock2)
    return made


def test_a_block_that_counts_others_and_one_whose_owner_is_nowhere() -> None:
    file = village()
    house = node(file.scene, "house").index
    assert check(file).problems == []
    assert_found(file, block2(file, 99, house), "counts other parameters", "99")
    file = village()
    assert_found(file, block2(file, 0, FAR), "the index in 0009 leads outside", str(FAR))


def test_a_parameter_that_names_what_is_not_there() -> None:
    file = village()
    house = node(file.scene, "house").index
    # Id 3, a node that the owner holds: flags 100, constant, the index.
    record = pack("<HIIBi", 3, 17, 0x100, 0x40, FAR)
    assert_found(file, block2(file, 1, house, (0x000A, record)), "a parameter leads outside")


def test_a_block_without_the_slots_that_it_needs() -> None:
    file = village()
    box = node(file.scene, "tree").object
    block = box.reference(0) if box is not None else None
    assert isinstance(block, ParamBlock)
    assert block.count == 7
    block.count = 8
    assert_found(file, block, "counts other parameters", "8")


def test_custom_attributes_that_are_no_container() -> None:
    file = village()
    box = node(file.scene, "tree").object
    assert box is not None
    link = encode_chunks([(0x21B0, [(0x1020, pack("<I", transform(file).index))])])
    box.data.replace_all(bytes(box.data.data) + link)
    assert_found(file, box, "21b0/1020", "superclass 100")


def test_lists_that_count_others() -> None:
    file = village()
    manager = next(obj for obj in file.scene if isinstance(obj, LayerManager))
    manager.insert(0x1800, pack("<I", 5), (0x1500, 0x1600))
    assert_found(file, manager, "number of members")
    file = village()
    chunks = [(0x03E9, pack("<I", 2)), (0x03EA, pack("<I", 5))]
    omni = NewClass("Omni", 0x1011, 0, 0x30)
    lamp = restructure.add_object(file.scene, omni, [(0x2800, chunks)])
    assert_found(file, lamp, "number of nodes")


def test_what_few_objects_tell_is_a_note() -> None:
    builder = SceneBuilder()
    biped = NewClass("Biped", 0x9155, 0, 0x60)
    builder.add_node("a", builder.add_dummy(1))
    file = MaxFile(builder.to_bytes())
    restructure.add_object(file.scene, biped, [(0x0110, pack("<i", 0))])
    result = check(file)
    assert (result.status, result.problems) == ("ok", [])
    (note,) = result.notes
    assert "the index in 0110 leads to an object of another kind" in note


def test_a_window_of_the_session_that_names_nothing_is_a_note() -> None:
    file = village()
    config = file.streams["Config"].chunks
    tracks = config.find(0x20A0)
    assert tracks is not None
    row = encode_chunks([(0x0110, [(0x0360, pack("<3i", FAR, 0, 1))])])
    tracks.replace(encode_chunks([(0x0100, pack("<I", 1))]) + row)
    result = check(file)
    assert (result.status, result.problems) == ("ok", [])
    (note,) = result.notes
    assert "a row of a Track View leads outside the scene" in note
