"""Declarations: versions, conditions, derived values, pointers, places of errors."""

from __future__ import annotations

from copy import deepcopy
from struct import pack

import pytest

from maxsidecar.errors import DecodeError, EditError, LimitError
from maxsidecar.nel.serial.classes.material import CMaterial, CMaterialStage
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.classes.other_shapes import CFlareShape
from maxsidecar.nel.serial.classes.texture import CTextureBlend, CTextureCube, CTextureFile
from maxsidecar.nel.serial.conditions import Bits, If, Unless
from maxsidecar.nel.serial.containers import List
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import U8, U32, Version
from maxsidecar.nel.serial.registry import find_class


class Sample(Serial):
    """Some fields of every sort."""

    version: int = field(Version(3, oldest=1, default=2), "version")
    flags: int = field(U8, "flags")
    always: int = field(U8, "always", default=7)
    young: int = field(U8, "since 3", default=9, since=3)
    old: int = field(U8, "until 1", until=1)
    with_bit: int = field(U8, "with bit 2", when=Bits("flags", 2))
    without: int = field(U8, "without flags", when=Unless("flags"))
    with_any: int = field(U8, "with flags", since=2, when=If("flags"))
    count: int = field(U32, "number of items", derive=lambda sample: len(sample.items))
    items: list[int] = field(List(U8), "items")
    limited: int = field(U8, "limited", most=15)


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        ("02 00 07 00 00000000 00000000 00", {"without": 0}),
        ("01 02 07 05 06 01000000 01000000 08 00", {"old": 5, "with_bit": 6, "items": [8]}),
        ("03 01 07 0a 0b 00000000 00000000 00", {"young": 10, "with_any": 11}),
    ],
)
def test_versions_and_conditions(raw: str, values: dict[str, object]) -> None:
    data = bytes.fromhex(raw)
    sample = Sample.from_bytes(data)
    assert {name: getattr(sample, name) for name in values} == values
    assert sample.count == len(sample.items)
    assert "count" not in vars(sample)
    assert sample.to_bytes() == data
    assert deepcopy(sample).to_bytes() == data


def test_what_is_not_there_has_its_default() -> None:
    sample = Sample()
    assert (sample.version, sample.always, sample.young, sample.count) == (2, 7, 9, 0)
    sample.items.append(5)
    assert (sample.items, sample.count, Sample().items) == ([5], 1, [])
    assert sample.to_bytes() == bytes.fromhex("02 00 07 00 01000000 01000000 05 00")


def test_a_derived_value_that_the_file_denies_is_kept() -> None:
    data = bytes.fromhex("02 00 07 00 05000000 00000000 00")
    assert Sample.from_bytes(data).count == 5
    assert Sample.from_bytes(data).to_bytes() == data


def test_limits_hold_for_edits_and_not_for_files() -> None:
    data = bytes.fromhex("02 00 07 00 00000000 00000000 ff")
    sample = Sample.from_bytes(data)
    assert sample.limited == 255
    assert sample.to_bytes() == data
    with pytest.raises(EditError, match="0 to 15"):
        sample.limited = 16
    with pytest.raises(EditError, match="0 to 15"):
        Sample(limited=16)


def test_values_without_room_are_refused() -> None:
    with pytest.raises(EditError, match="no room") as caught:
        Sample(young=1).to_bytes()
    assert caught.value.where.path == "Sample.young"
    with pytest.raises(EditError, match="no room"):
        Sample(with_bit=1).to_bytes()
    assert Sample(young=9).to_bytes() == Sample().to_bytes()


def test_a_class_without_a_version_cannot_depend_on_it() -> None:
    with pytest.raises(TypeError, match="no version"):
        type("Bad", (Serial,), {"a": field(U8, "a", since=1)})


def test_parts_follow_the_version_of_their_material() -> None:
    """10 bytes of operators and a colour before version 9, 14 and a colour since."""
    sizes = {version: len(CMaterial(version=version).to_bytes()) for version in (0, 1, 8, 9)}
    assert sizes[1] - sizes[0] == 4 * (10 + 4)
    assert sizes[9] - sizes[8] == 4 * 4
    material = CMaterial(version=8)
    assert material.stages[0].env.rgb_op == 1
    material.stages[0].env.rgb_source2 = 3
    with pytest.raises(EditError, match="no room") as caught:
        material.to_bytes()
    assert caught.value.where.path == "CMaterial.stages[0].env.rgb_source2"
    material.version = 9
    again = CMaterial.from_bytes(material.to_bytes())
    assert again.stages[0].env.rgb_source2 == 3
    with pytest.raises(EditError):
        CMaterial(stages=[CMaterialStage()]).to_bytes()


def text(value: str) -> bytes:
    return pack("<I", len(value)) + value.encode()


ITEXTURE = b"\1" + pack("<5i", 0, 0, 0, 5, 1) + b"\1"


def test_pointers() -> None:
    file = b"\1" + ITEXTURE + text("a.tga") + b"\1"
    data = b"\2" + ITEXTURE + pack("<Q", 77) + text("CTextureFile") + file
    data += pack("<3Q", 0, 77, 5) + text("CTextureFile") + file + pack("<2Q", 77, 5)
    cube = CTextureCube.from_bytes(data)
    first, none, second, third, fourth, fifth = cube.sides
    assert isinstance(first, CTextureFile)
    assert (first.file_name, first.pointer_id) == ("a.tga", 77)
    assert none is None
    assert second is fourth is first
    assert third is fifth is not first
    assert cube.to_bytes() == data
    renumbered = data.replace(pack("<Q", 77), pack("<Q", 1)).replace(pack("<Q", 5), pack("<Q", 2))
    assert cube.to_bytes(renumber=True) == renumbered


def test_new_objects_take_free_ids() -> None:
    old = CTextureFile(file_name="old.tga")
    old.pointer_id = 1
    cube = CTextureCube(sides=[CTextureFile(), old, CTextureFile(), None, None, old])
    read = CTextureCube.from_bytes(cube.to_bytes())
    ids = [None if side is None else side.pointer_id for side in read.sides]
    assert ids[3:5] == [None, None]
    assert ids[1] == ids[5]
    assert len({ids[0], ids[1], ids[2]}) == 3


def test_an_object_may_point_to_itself() -> None:
    blend = CTextureBlend()
    blend.textures = [blend, None]
    cube = CTextureCube(sides=[blend] + [None] * 5)
    read = CTextureCube.from_bytes(cube.to_bytes())
    (inner, *_) = read.sides
    assert isinstance(inner, CTextureBlend)
    assert inner.textures == [inner, None]


def test_pointers_of_the_wrong_class() -> None:
    body = b"\0" + ITEXTURE
    with pytest.raises(DecodeError, match="unknown class") as caught:
        CTextureBlend.from_bytes(body + pack("<Q", 1) + text("CBBClusterShape"))
    assert caught.value.found == "'CBBClusterShape'"
    with pytest.raises(DecodeError, match="does not belong here"):
        CTextureBlend.from_bytes(body + pack("<Q", 1) + text("CMesh"))
    with pytest.raises(EditError):
        CTextureBlend(textures=[CMaterial(), None]).to_bytes()
    assert find_class("CMaterial") is None  # only stands inside others
    assert find_class("CMesh") is not None


def test_depth_is_bounded() -> None:
    texture = CTextureFile()
    for _ in range(30):
        texture = CTextureBlend(textures=[texture, None])  # type: ignore[assignment]
    assert CTextureBlend.from_bytes(texture.to_bytes()).to_bytes() == texture.to_bytes()
    data = b"\0" + ITEXTURE
    for number in range(1, 10_000):
        data += pack("<Q", number) + text("CTextureBlend") + b"\0" + ITEXTURE
    with pytest.raises(LimitError, match="nested too deeply") as caught:
        CTextureBlend.from_bytes(data)
    assert caught.value.where.offset is not None
    for _ in range(30):
        texture = CTextureBlend(textures=[texture, None])  # type: ignore[assignment]
    with pytest.raises(EditError, match="nested too deeply"):
        texture.to_bytes()


def test_versions_may_be_chosen() -> None:
    assert CMeshBase().version == 9
    assert CMeshBase(version=10).to_bytes()[0] == 10
    assert CMeshBase(version=10).to_bytes()[1:] == CMeshBase().to_bytes()[1:]
    with pytest.raises(EditError):
        CMeshBase(version=0).to_bytes()
    with pytest.raises(EditError):
        CMeshBase(version=11).to_bytes()
    assert CFlareShape(version=1, infinite_dist=True).infinite_dist_again is True
