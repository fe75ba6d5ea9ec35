"""Parameter blocks: values, slots, names and edits, on scenes made by hand."""

from __future__ import annotations

from struct import pack
from typing import Any
from uuid import UUID

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params import (
    Matrix,
    ParamBlock,
    ParamBlock2,
    ParamRecord,
    RecordCodec,
    TabParameter,
)
from maxsidecar.scene.params.tables import Alias, MapSlot, Rollout
from tests.support.params import (
    ATTRIBUTE,
    BLOCK1,
    BLOCK2,
    BOX,
    CONTAINER,
    FLOAT,
    PHYSICAL,
    SCRIPTED,
    block2,
    chunk,
    old_block,
    old_record,
    owner,
    record,
    scene_of,
)


def f32(*values: float) -> bytes:
    return pack(f"<{len(values)}f", *values)


def i32(value: int) -> bytes:
    return pack("<i", value)


def wide(value: str) -> bytes:
    body = (value + "\0").encode("utf-16-le")
    return i32(len(body)) + body


def block_of(scene_object: SceneObject) -> Any:
    assert isinstance(scene_object, ParamBlock | ParamBlock2)
    return scene_object


def verified(obj: SceneObject) -> tuple[int, int]:
    problems: list[str] = []
    found = check_leaves(obj.typed_leaves(), lambda error: problems.append(str(error)))
    assert not problems
    return found


# --- old blocks ------------------------------------------------------------------------------

OLD = old_block(
    old_record(0, f32(10)),
    old_record(1, f32(20), animatable=True),
    old_record(2, b"", code=0x200, animatable=True),
    old_record(3, i32(1), code=0x101),
    old_record(4, f32(1, 2, 3), code=0x102),
    old_record(5, f32(4, 5, 6), code=0x103),
    old_record(6, i32(1), code=0x104),
    references=(2,),
)
OLD_SCENE = ((BOX, owner(1)), (BLOCK1, OLD), (FLOAT, b""))


def test_old_block() -> None:
    scene = scene_of(*OLD_SCENE)
    block = block_of(scene[1])
    assert isinstance(block, ParamBlock)
    assert block.version == 1
    assert block.owner is scene[0]
    assert list(block.problems()) == []
    assert [p.id for p in block] == list(range(7))
    assert [p.value for p in block] == [10.0, 20.0, None, 1, (1, 2, 3), (4, 5, 6), True]
    assert [p.type for p in block][3:] == ["integer", "color", "point3", "boolean"]
    assert [p.animatable for p in block][:4] == [False, True, True, False]
    assert [p.controlled for p in block][:4] == [False, False, True, False]
    assert block[2].controller is scene[2]
    assert block[1].controller is None
    # Names of a box with seven parameters.
    assert block["width"].id == 1
    assert block["generate_uvs"].value is True
    assert block["width"].name == "width"
    assert "depth" not in block
    assert 6 in block
    assert 7 not in block
    assert block.get("depth") is None
    with pytest.raises(KeyError):
        block["depth"]
    # Count, version, reference list; 7 indices and values, 2 marks.
    assert verified(scene[1]) == (1 + 1 + 1 + 14 + 2, 4 + 2 + 4 + 28 + 4 * 4 + 24)


def test_old_version_of_1997_has_32_bits() -> None:
    block = scene_of((BLOCK1, chunk(0x0001, pack("<I", 0)) + chunk(0x0005, pack("<I", 9))))[0]
    assert isinstance(block, ParamBlock)
    assert block.version == 9
    assert verified(block) == (2, 8)


@pytest.mark.parametrize(
    ("number", "value", "code", "stored"),
    [
        (0, 1.5, 0x100, f32(1.5)),
        (3, -7, 0x101, i32(-7)),
        (4, [0.5, 0, 1], 0x102, f32(0.5, 0, 1)),
        (5, (7, 8, 9.5), 0x103, f32(7, 8, 9.5)),
        (6, False, 0x104, i32(0)),
    ],
)
def test_edits_of_an_old_block_change_one_value(
    number: int, value: Any, code: int, stored: bytes
) -> None:
    scene = scene_of(*OLD_SCENE)
    block = block_of(scene[1])
    before = bytes(block.data.data)
    old = block[number].value
    block[number].set(value)
    assert block[number].value == (tuple(value) if isinstance(value, list) else value)
    after = bytes(block.data.data)
    changed = chunk(code, stored)
    at = after.index(changed)
    assert len(after) == len(before)
    assert after[:at] == before[:at]
    assert after[at + len(changed) :] == before[at + len(changed) :]
    block[number].set(old)
    assert not block.edited
    assert bytes(scene.encode()) == scene.data


def test_controlled_parameters_are_refused() -> None:
    block = block_of(scene_of(*OLD_SCENE)[1])
    with pytest.raises(EditError, match=r"height cannot be set: a controller gives the value"):
        block["height"].set(1.0)
    assert not block.edited


@pytest.mark.parametrize(
    "bad",
    [
        chunk(0x0002, b"", True),
        chunk(0x0002, b"xx"),
        chunk(0x0002, chunk(0x0003, i32(0)), True),
        chunk(0x0002, chunk(0x0003, b"\0") + chunk(0x0100, f32(1)), True),
        chunk(0x0002, chunk(0x0003, i32(0)) + chunk(0x0100, b"\0"), True),
        chunk(0x0002, chunk(0x0003, i32(0)) + chunk(0x0105, i32(0)), True),
        chunk(0x0002, chunk(0x0003, i32(0)) + chunk(0x0300, b""), True),
        chunk(0x0002, chunk(0x0003, i32(0)) + chunk(0x0200, b"\0"), True),
        chunk(0x0002, chunk(0x0003, i32(0)) + chunk(0x0100, chunk(1), True), True),
        chunk(0x0002, b"\0\0\0", True),
        chunk(0x0002, chunk(0x0003, i32(0)) + chunk(4, b"1") + chunk(0x0100, f32(1)), True),
    ],
)
def test_a_damaged_old_record_leaves_the_others(bad: bytes) -> None:
    scene = scene_of((BLOCK1, old_block(bad, old_record(1, b"", code=0x200), references=(1,))))
    block = block_of(scene[0])
    broken, controlled = block
    assert broken.id is None
    assert broken.type == "unreadable"
    assert isinstance(broken.problem, DecodeError)
    with pytest.raises(DecodeError):
        _ = broken.value
    with pytest.raises(EditError, match="read-only"):
        broken.set(1.0)
    # What slots it takes is not known, so the next one's slot is not either.
    with pytest.raises(DecodeError, match="in front of this one"):
        _ = controlled.controller
    assert list(block.problems()) != []


# --- ParamBlock2 -----------------------------------------------------------------------------


def physical(*records: bytes, references: tuple[int, ...] = (), more: bytes = b"") -> Any:
    scene = scene_of(
        (PHYSICAL, owner(1)),
        (BLOCK2, block2(*records, references=references, more=more)),
        (FLOAT, b""),
        (SCRIPTED, b""),
    )
    return block_of(scene[1])


def test_block_of_a_known_class() -> None:
    block = physical(
        record(4, 0, b"\xc0" + f32(0.25), flags=1),
        record(2, 23, b"\xc0" + f32(1, 0.5, 0, 1), flags=1),
        record(900, 4, b"\x40" + i32(2)),
    )
    assert block.block_id == 0
    assert block.owner is block.scene[0]
    assert str(block.owner_class[0]) == "3d6b1cec/deadc001"
    assert block.names == {4: "roughness", 2: "base_color"}
    assert block.value("roughness") == 0.25
    assert block["base_color"].value == (1.0, 0.5, 0.0, 1.0)
    assert block[900].value == 2  # no boolean, so not shown as one
    assert block[900].name is None
    assert [p.id for p in block] == [4, 2, 900]
    assert list(block.problems()) == []
    parameters = block.scene[0].parameters
    assert list(parameters) == ["roughness", "base_color", "0#900"]
    assert parameters["roughness"].value == 0.25
    assert block.scene[0].param_blocks == (block,)
    assert block.scene[2].parameters == {}
    verified(block)


def test_slots_are_taken_in_record_order() -> None:
    block = physical(
        record(0, 0, b"\x80", flags=1),
        record(1, 1, b"\x40" + i32(1)),
        record(2, 15, b"\x40"),
        record(3, 0x800, b"\x40" + f32(1), b"\x00", b"\x40" + f32(2), b"\x00"),
        record(4, 0x812, b"\x40", b"\x40"),
        record(5, 18, b"\x40" + i32(3), flags=0x100),
        record(6, 16, b"\x40\0"),
        record(7, 17, b"\x40"),
        references=(2, 3, 2, -1, 3, 2, 0),
    )
    scene = block.scene
    assert block.state.problem is None
    # A controller is no map, and a material is no node.
    assert [problem.message for problem in block.problems()] == [
        f"the reference of parameter {number} leads to an object of another kind"
        for number in (2, 7)
    ]
    assert block[0].controller is scene[2]
    assert block[0].value is None
    assert block[2].target is scene[3]
    assert block[2].value == 3
    tab = block[3]
    assert isinstance(tab, TabParameter)
    assert tab.value == (1.0, None, 2.0, None)
    assert tab.controllers == (None, scene[2], None, None)
    assert tab.controller is scene[2]
    assert tab.controlled
    assert block[4].value == (3, 2)
    assert block[4].targets == (scene[3], scene[2])
    assert block[4][1] == 2
    assert block[5].target is scene[3]
    assert block[5].owner_holds_reference
    assert block[7].target is scene[0]


def test_a_reference_list_of_another_length_is_not_trusted() -> None:
    block = physical(record(0, 15, b"\x40"), record(1, 0, b"\x40" + f32(1)), references=(2, 3))
    assert [str(p.message) for p in block.problems()] == [
        "the reference list and the parameters disagree"
    ]
    with pytest.raises(DecodeError, match="disagree"):
        _ = block[0].target
    assert block[1].value == 1.0


def test_header_count() -> None:
    scene = scene_of((BLOCK2, block2(record(0, 0, b"\x40" + f32(1)), count=2)))
    # The block names itself as its owner, which is of another class.
    expected = [2, "3d6b1cec/deadc001/c00"]
    assert [p.expected for p in block_of(scene[0]).problems()] == expected


def test_no_header() -> None:
    block = block_of(scene_of((BLOCK2, record(0, 0, b"\x40" + f32(1))))[0])
    with pytest.raises(DecodeError, match="no header"):
        _ = block.header
    assert block.names == {}
    assert block[0].value == 1.0


def test_header_with_class_ids() -> None:
    head = chunk(0x000B, pack("<IIIHIHi", 0x3D6B1CEC, 0xDEADC001, 0xC00, 0, 1, 1, -1))
    block = block_of(scene_of((BLOCK2, head + record(6, 0, b"\x40" + f32(1))))[0])
    assert block.owner is None
    assert block["metalness"].value == 1.0


CHANGES: list[tuple[int, bytes, Any, bytes]] = [
    (0, f32(1), 2, f32(2)),
    (0, f32(1), 0.1, f32(0.1)),
    (1, i32(1), -5, i32(-5)),
    (2, f32(1, 1, 1), [0, 0.5, 1], f32(0, 0.5, 1)),
    (4, i32(1), False, i32(0)),
    (4, i32(2), True, i32(1)),
    (6, f32(0.5), 0.25, f32(0.25)),
    (8, wide("old"), "a longer one", wide("a longer one")),
    (8, wide("old"), None, i32(-1)),
    (8, i32(-1), "Größe", wide("Größe")),
    (9, wide("c:\\a.tga"), "", wide("")),
    (12, i32(0), 4800, i32(4800)),
    (20, pack("<12fI", *range(12), 3), Matrix((1.0,) * 12, 4), pack("<12fI", *[1] * 12, 4)),
    (23, f32(0, 0, 0, 1), (1, 1, 1, 1), f32(1, 1, 1, 1)),
]


@pytest.mark.parametrize(("code", "stored", "value", "new"), CHANGES)
def test_an_edit_changes_its_record_only(code: int, stored: bytes, value: Any, new: bytes) -> None:
    def body(middle: bytes) -> bytes:
        return block2(
            record(1, 0, b"\x40" + f32(7)),
            record(2, code, b"\xc0" + middle, flags=1),
            record(3, 1, b"\x40" + i32(7)),
        )

    scene = scene_of((PHYSICAL, owner(1)), (BLOCK2, body(stored)), (FLOAT, b""))
    block = block_of(scene[1])
    keep = block[3]
    block[2].set(value)
    assert bytes(block.data.data) == body(new)
    expected = scene_of((PHYSICAL, owner(1)), (BLOCK2, body(new)), (FLOAT, b""))
    assert bytes(scene.encode()) == expected.data
    assert keep.value == 7  # views in other places stay right
    expect = tuple(value) if isinstance(value, list) else value
    # 0.1 comes back as the 32-bit float next to it.
    assert block[2].value == (pytest.approx(expect, abs=1e-8) if code == 0 else expect)


@pytest.mark.parametrize(
    ("code", "stored", "value"),
    [
        (0, f32(1), "1"),
        (0, f32(1), True),
        (0, f32(1), 1e39),
        (0, f32(1), None),
        (1, i32(1), 1.5),
        (1, i32(1), 2**31),
        (2, f32(1, 1, 1), (1, 2)),
        (2, f32(1, 1, 1), 5),
        (2, f32(1, 1, 1), (1, 2, "3")),
        (4, i32(1), 2),
        (4, i32(1), "true"),
        (8, wide("a"), 5),
        (8, wide("a"), b"a"),
        (8, wide("a"), "a\0b"),
        (16, b"\0", True),
        (15, i32(3), 3),
        (20, pack("<12fI", *range(12), 3), (1.0,) * 12),
        (25, b"", None),
    ],
)
def test_values_that_are_refused(code: int, stored: bytes, value: Any) -> None:
    block = physical(record(2, code, b"\x40" + stored, flags=0x100))
    with pytest.raises(EditError) as caught:
        block[2].set(value)
    assert "Scene" in str(caught.value) or "2023[0]" in str(caught.value)
    assert not block.edited


def test_narrow_text_is_written_in_the_code_page() -> None:
    body = b"caf\xe9\0"
    scene = scene_of(
        (BLOCK2, block2(record(2, 8, b"\x40" + i32(len(body)) + body, generation=0x000E)))
    )
    block = block_of(scene[0])
    assert block[2].value == "café"
    block[2].set("né")
    assert bytes(block.data.data).endswith(i32(3) + b"n\xe9\0")
    with pytest.raises(EditError, match="cannot be written in cp1252"):
        block[2].set("바탕")


def test_tables() -> None:
    block = physical(
        record(1, 0x800, b"\xc0" + f32(1), b"\xc0" + f32(2), flags=1),
        record(2, 0x808, b"\x40" + wide("a"), b"\x40" + i32(-1)),
    )
    tab = block[1]
    assert len(tab) == 2
    assert list(tab) == [1.0, 2.0]
    assert (tab[0], tab[-1]) == (1.0, 2.0)
    assert tab.type == "float[]"
    with pytest.raises(IndexError):
        tab[2]
    with pytest.raises(IndexError):
        tab[2] = 1.0
    tab[1] = 5
    assert tab.value == (1.0, 5.0)
    tab.set([4, 5, 6])
    assert tab.value == (4.0, 5.0, 6.0)
    # A new value can be animated like the others.
    assert [flag for flag, _ in tab.record.elements] == [0xC0] * 3
    tab.set(())
    assert tab.value == ()
    assert tab
    block[2].set(["x", None, "y"])
    assert block[2].value == ("x", None, "y")
    for bad in (5, "abc", b"abc", [1, "2"]):
        with pytest.raises(EditError):
            tab.set(bad)
    tab.set((1, 2))
    block[2].set(("a", None))
    assert not block.edited


def test_tables_with_controllers_keep_their_length() -> None:
    block = physical(record(1, 0x800, b"\x40" + f32(1), b"\x00"), references=(2,))
    tab = block[1]
    tab[0] = 3.0
    assert tab.value == (3.0, None)
    for refused in ((1.0,), (1.0, 2.0)):
        with pytest.raises(EditError):
            tab.set(refused)
    with pytest.raises(EditError, match=r"\[1\] cannot be set: a controller"):
        tab[1] = 1.0


def test_aliases_and_map_slots() -> None:
    def alias(name: str, param_id: int, position: int) -> bytes:
        body = (name + "\0").encode("utf-16-le")
        return pack("<I", len(body)) + body + pack("<Hi", param_id, position)

    aliases = pack("<I", 3) + alias("rgb", 900, -1) + alias("first", 5, 0) + alias("2nd", 5, 1)
    more = (
        chunk(0x1005, aliases)
        + chunk(0x000C, pack("<I3H", 1, 1, 2, 3))
        + chunk(0x0011, b"\1")
        + chunk(0x0012, pack("<IIHH", 1, 1, 4, 2))
        + chunk(0x0013, pack("<I3H", 1, 900, 0, 7))
        + chunk(0x0007)
    )
    block = physical(
        record(900, 2, b"\x40" + f32(1, 1, 1)),
        record(5, 0x804, b"\x40" + i32(1), b"\x40" + i32(0)),
        more=more,
    )
    assert block.aliases == (
        Alias("rgb", 900, -1), Alias("first", 5, 0), Alias("2nd", 5, 1),
    )  # fmt: skip
    assert block["rgb"].id == 900
    assert block[5].value_names == {0: "first", 1: "2nd"}
    assert block.map_slots == {900: MapSlot(900, 0, 7), 5: MapSlot(5, 4, 2)}
    assert block.rollouts == (Rollout(1, 2, 3),)
    assert block.state_0011 == 1
    assert verified(block)[0] == 1 + 2 + 6


@pytest.mark.parametrize(
    "bad",
    [b"", pack("<I", 1), pack("<I", 0xFFFFFFFF), pack("<II", 1, 9) + b"abcdef", pack("<IB", 0, 0)],
)
def test_damaged_aliases(bad: bytes) -> None:
    block = physical(record(900, 0, b"\x40" + f32(1)), more=chunk(0x1005, bad))
    with pytest.raises(DecodeError):
        _ = block.aliases
    assert block.names == {}
    assert block[900].value == 1.0


GUID = UUID("01234567-89ab-cdef-0123-456789abcdef")


def test_file_of_the_asset_table() -> None:
    block = physical(
        record(16, 9, b"\x40" + i32(-2)) + chunk(0x000F, chunk(0x0002, GUID.bytes_le), True)
    )
    assert block[16].asset_id == GUID
    assert block[16].asset is None  # there is no table
    assert block[16].value is None
    with pytest.raises(EditError, match="asset table"):
        block[16].set("c:\\b.tga")
    with pytest.raises(EditError, match="no such file"):
        block[16].set(GUID)
    assert verified(block)[0] == 1 + 1 + 1


def test_table_of_files() -> None:
    guid = chunk(0x000F, chunk(0x0002, GUID.bytes_le), True)
    block = physical(record(1, 0x809, b"\x40" + wide("a"), b"\x40" + i32(-2)) + guid)
    assert block[1].value == ("a", None)
    assert block[1].asset_id == GUID
    with pytest.raises(EditError, match="bound to references"):
        block[1].set(("a", "b", "c"))


def test_bitmap() -> None:
    info = (
        chunk(0x1201, pack("<HHff", 64, 32, 1, 2.2) + bytes(58))
        + chunk(0x1230, "c:\\a.tga".encode("utf-16-le"))
        + chunk(0x1240, "TGA".encode("utf-16-le"))
    )
    block = physical(
        record(13, 16, b"\x40\1") + chunk(0x0003, info, True), record(14, 16, b"\x40\0")
    )
    bitmap = block[13].bitmap
    assert bitmap is not None
    assert (bitmap.head.width, bitmap.head.height, bitmap.head.aspect) == (64, 32, 1.0)
    assert bitmap.format == "TGA"
    assert block[13].value == "c:\\a.tga"
    assert block[14].value is None
    assert block[14].bitmap is None
    bitmap.path = "c:\\longer\\b.tga"
    assert block[13].value == "c:\\longer\\b.tga"
    assert verified(block)[0] == 1 + 2 + 3


def test_custom_attributes() -> None:
    attribute = owner(
        3, more=chunk(0x0110, chunk(0x0010, "My attributes".encode("utf-16-le")), True)
    )
    link = chunk(0x21B0, chunk(0x1020, pack("<I", 1)), True)
    head = chunk(0x000B, pack("<IIIHIHi", 5, 6, 0x1160, 0, 1, 1, 2))
    scene = scene_of(
        (BOX, link),
        (CONTAINER, owner(2)),
        (ATTRIBUTE, attribute),
        (BLOCK2, head + record(0, 0, b"\x40" + f32(1))),
    )
    (found,) = scene[0].custom_attributes
    assert found is scene[2]
    assert found.name == "My attributes"
    assert list(found.parameters) == ["0#0"]
    assert scene[1].custom_attributes == ()
    for bad in (b"", pack("<I", 99), pack("<I", 3)):
        link = chunk(0x21B0, chunk(0x1020, bad), True)
        obj = scene_of((BOX, link), (CONTAINER, owner(2)))[0]
        if len(bad) == 4:
            assert obj.custom_attributes == ()
        else:
            with pytest.raises(DecodeError):
                _ = obj.custom_attributes


def test_a_parameter_that_is_gone() -> None:
    block = physical(record(1, 0, b"\x40" + f32(1)), record(2, 0, b"\x40" + f32(2)))
    first, last = block
    found = block.find(0x100E)
    assert found is not None
    found.remove()
    with pytest.raises(EditError, match="no longer there"):
        _ = last.value
    with pytest.raises(EditError, match="no longer there"):
        _ = first.value
    assert block[2].value == 2.0


def test_numbers_of_thousands_of_digits_are_refused() -> None:
    block = physical(record(1, 1, b"\x40" + i32(1)), record(2, 4, b"\x40" + i32(1)))
    for param_id in (1, 2):
        with pytest.raises(EditError):
            block[param_id].set(10**5000)


def test_a_record_that_would_not_be_written_the_same_is_read_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block = physical(record(1, 0, b"\x40" + f32(1)))
    encode = RecordCodec.encode

    def other(self: RecordCodec, value: ParamRecord) -> bytes:
        return encode(self, value) + b"\0"

    monkeypatch.setattr(RecordCodec, "encode", other)
    with pytest.raises(EditError, match="read-only"):
        block[1].set(2.0)
    assert not block.edited


def test_not_a_number_survives() -> None:
    # Quiet, signalling, with and without sign: whatever cannot be written again is read-only.
    for bits in (0x7FC00000, 0x7F800001, 0xFFA00001, 0x7F800000):
        body = b"\x40" + pack("<I", bits)
        block = physical(record(1, 0x800, body, b"\x40" + f32(1)))
        before = bytes(block.data.data)
        try:
            block[1][1] = 2.0
        except EditError:
            assert bytes(block.data.data) == before
        else:
            assert bytes(block.data.data) == before[:-4] + f32(2)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_none_are_refused_unless_they_are_there(number: float) -> None:
    stored = block2(
        record(1, 0, b"\x40" + f32(number)),
        record(2, 3, b"\x40" + f32(1.0, number, 3.0)),
        record(3, 0, b"\x40" + f32(1.0)),
    )
    block = block_of(scene_of((BOX, owner(1)), (BLOCK2, stored))[1])
    before = bytes(block.data.data)
    block[1].set(block[1].value)
    block[2].set(block[2].value)
    assert bytes(block.data.data) == before
    with pytest.raises(EditError, match="must be finite"):
        block[3].set(number)
    with pytest.raises(EditError, match="must be finite"):
        block[2].set((number, 1.0, 1.0))
    assert bytes(block.data.data) == before
    block[2].set((5.0, number, 7.0))
    block[1].set(2.0)
    block[2].set((5.0, 6.0, 7.0))
    assert (block[1].value, block[2].value) == (2.0, (5.0, 6.0, 7.0))
    with pytest.raises(EditError, match="must be finite"):
        block[1].set(number)
