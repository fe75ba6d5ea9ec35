"""The check finds links and counts that are sound bytes and still impossible."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.authoring_chunks import encode_chunks
from maxsidecar.scene.layers import LayerManager
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.object_list import NewObject
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


FLOAT = NewClass("Bezier Float", 0x2007, 0, 0x9003)
MATERIAL = NewClass("Standard", 2, 0, 0xC00)

#: Class, slots that an object of it has, and a slot that takes no node.
SLOTS = [
    (NewClass("Euler XYZ", 0x2012, 0, 0x900C), 3, 1),
    (NewClass("Position XYZ", 0x118F7E02, 0xFFEE238A, 0x900B), 3, 0),
    (NewClass("Scale XYZ", 0x118F7C01, 0xFEEE238B, 0x900D), 3, 2),
    (NewClass("LookAt", 0x2006, 0, 0x9008), 4, 2),
    (MATERIAL, 9, 1),
    (MATERIAL, 9, 5),
    (NewClass("Multi/Sub-Object", 0x200, 0, 0xC00), 3, 2),
    (NewClass("Bitmap", 0x240, 0, 0xC10), 4, 0),
    (NewClass("Texmaps", 0x1200, 0, 0x1080), 8, 7),
]


@pytest.mark.parametrize(("new", "slots", "slot"), SLOTS)
def test_slots_of_controllers_and_materials(new: NewClass, slots: int, slot: int) -> None:
    file = village()
    lamp = node(file.scene, "lamp")
    made = restructure.add_object(file.scene, new, (), [None] * slots)
    assert check(file).problems == []
    with pytest.raises(EditError, match="leads to something else"):
        restructure.set_reference(made, slot, lamp)
    made.dense_references = tuple(lamp.index if n == slot else -1 for n in range(slots))
    assert_found(file, made, f"reference slot {slot} leads to an object of another kind")
    made.dense_references = tuple(made.index if n == slot else -1 for n in range(slots))
    assert_found(file, made, f"reference slot {slot} leads to the object itself")


def test_axes_take_controllers_of_numbers() -> None:
    file = village()
    axis = restructure.add_object(file.scene, FLOAT, ())
    restructure.add_object(file.scene, SLOTS[0][0], (), [axis, None, axis])
    target = node(file.scene, "tree")
    restructure.add_object(file.scene, SLOTS[3][0], (), [target, None, axis, None])
    result = check(file)
    assert (result.problems, result.notes) == ([], [])


def test_any_object_that_refers_to_itself() -> None:
    file = village()
    made = restructure.add_object(file.scene, OTHER, (), [None])
    made.dense_references = (made.index,)
    assert_found(file, made, "reference slot 0 leads to the object itself")
    file = village()
    made = restructure.add_object(file.scene, OTHER, (), {3: node(file.scene, "lamp")})
    # The number of a slot is no index.
    made.sparse_references = (made.index + 1, {made.index: 0})
    assert check(file).problems == []
    made.sparse_references = (9, {3: made.index})
    assert_found(file, made, "reference slot 3 leads to the object itself")


def test_a_node_where_no_object_of_the_superclass_has_one_is_a_note() -> None:
    file = village()
    shader = NewClass("Some Shader", 0x77, 0x78, 0x10B0)
    restructure.add_object(file.scene, shader, (), [node(file.scene, "lamp")])
    result = check(file)
    assert (result.status, result.problems) == ("ok", [])
    (note,) = result.notes
    assert "reference slot 0 leads to a node" in note
    file = village()
    restructure.add_object(file.scene, OTHER, (), [node(file.scene, "lamp")])
    assert check(file).notes == []


def stack() -> tuple[MaxFile, SceneObject, SceneObject]:
    """A bent box: the file, the stack and the modifier."""
    builder = SceneBuilder()
    modifier = builder.add_object(NewClass("Bend", 0x10, 0, 0x810), [(1, b"x")])
    box = builder.add_box(1, 1, 1)
    derived = NewClass("Derived", 0x29263A68, 0x405F22F5, 0x1F0)
    bent = builder.add_object(derived, [(0x2501, b"")], [modifier, box])
    builder.add_node("bent", bent)
    file = MaxFile(builder.to_bytes())
    # The builder knows no modifier stacks: give the object the id that says what it is.
    order: list[int | NewObject] = list(range(len(file.scene)))
    order[bent] = NewObject(0x2032, bytes(file.scene[bent].data.data))
    file.scene.rearrange(order)
    return file, file.scene[bent], file.scene[modifier]


def test_slots_of_modifier_stacks() -> None:
    file, bent, modifier = stack()
    assert check(file).problems == []
    first, base = bent.dense_references or ()
    bent.dense_references = (first, modifier.index)
    assert_found(file, bent, "reference slot 1 leads to an object of another kind", "810")
    bent.dense_references = (base, base)
    assert_found(file, bent, "reference slot 0 leads to an object of another kind", "10 ")
    bent.dense_references = (first, bent.index)
    assert_found(file, bent, "reference slot 1 leads to the object itself")


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
    # The class directory has its entries in the order of these ids.
    class_index = file.scene.chunk_id(owner) if owner < len(file.scene) else 0
    header = pack("<IHIHi", class_index, 0, 1, count, owner)
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


def owned_block(
    *more: tuple[int, bytes], count: int = 0
) -> tuple[MaxFile, ParamBlock2, SceneObject]:
    """A block, and the object that holds it in slot 0 of two."""
    file = village()
    owner = restructure.add_object(file.scene, OTHER, (), [None, None])
    block = block2(file, count, owner.index, *more)
    restructure.set_reference(owner, 0, block)
    return file, block, owner


def test_a_block_whose_owner_is_of_another_class() -> None:
    file, block, _ = owned_block()
    result = check(file)
    assert (result.problems, result.notes) == ([], [])
    header = block.header_by_index
    assert header is not None
    block.header_by_index = header.replace(owner=transform(file).index)
    assert_found(file, block, "the owner of a parameter block", "1234/5678/200", "2005/0/9008")
    block.header_by_index = header.replace(class_index=60_000)
    assert_found(file, block, "the owner of a parameter block", "none")


def test_a_block_that_its_owner_does_not_hold_is_a_note() -> None:
    file, _, owner = owned_block()
    restructure.set_reference(owner, 0, None)
    result = check(file)
    assert (result.status, result.problems) == ("ok", [])
    (note,) = result.notes
    assert f"the owner of a parameter block (object {owner.index}) does not hold it" in note


def test_two_blocks_of_one_number() -> None:
    file, _, owner = owned_block()
    second = block2(file, 0, owner.index)
    restructure.set_reference(owner, 1, second)
    assert_found(file, second, "holds two parameter blocks of one number")
    header = second.header_by_index
    assert header is not None
    second.header_by_index = header.replace(block_id=1)
    assert check(file).problems == []


#: Type of a parameter, flags of its element, and where the object is that fits.
TYPES = [(0, 0, "float"), (14, 0x40, "material"), (15, 0x40, "map"), (17, 0x40, "lamp")]


@pytest.mark.parametrize(("code", "flags", "fits"), TYPES)
def test_what_parameters_refer_to(code: int, flags: int, fits: str) -> None:
    record = pack("<HIIB", 3, code, 0, flags)
    references = pack("<i", -1)
    file, block, _ = owned_block((0x2034, references), (0x000A, record), count=1)
    scene = file.scene
    known = {
        "float": restructure.add_object(scene, FLOAT, ()),
        "material": restructure.add_object(scene, MATERIAL, ()),
        "map": restructure.add_object(scene, NewClass("Noise", 0x234, 0, 0xC10), ()),
        "lamp": node(scene, "lamp"),
    }
    for name, target in known.items():
        if name == fits:
            restructure.set_reference(block, 0, target)
            assert check(file).problems == []
            continue
        with pytest.raises(EditError, match="parameter 3 leads to an object of another kind"):
            restructure.set_reference(block, 0, target)
        block.dense_references = (target.index,)
        assert_found(file, block, "parameter 3 leads to an object of another kind")


def test_parameters_that_refer_to_anything() -> None:
    record = pack("<HIIB", 3, 18, 0, 0x40)
    file, block, _ = owned_block((0x2034, pack("<i", -1)), (0x000A, record), count=1)
    restructure.set_reference(block, 0, node(file.scene, "lamp"))
    assert check(file).problems == []


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
