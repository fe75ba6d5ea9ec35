"""Skeletons and skeleton weights, on bytes built by hand."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.skeleton import CBoneBase, CSkeletonShape
from maxsidecar.nel.serial.classes.skeleton_weight import CSkeletonWeight, CSkeletonWeightNode


def text(value: str) -> bytes:
    return pack("<I", len(value)) + value.encode()


def bone(version: int) -> bytes:
    """A bone with a translated bind pose; the fields are those of docs/format/nel.md."""
    data = bytes([version]) + text("Bip01")
    data += b"\0" + pack("<If3f", 1, 1.0, 1.0, 2.0, 3.0)  # matrix with a translation only
    data += pack("<i", -1) + b"\1"
    if version >= 1:
        data += pack("<f", 30.0)
    for values in ((0, 0, 1), (0, 0, 0), (0, 0, 0, 1), (1, 1, 1), (0, 0, 0)):
        data += b"\0" + pack(f"<{len(values)}f", *values)
    if version >= 2:
        data += pack("<3f", 1.5, 1.5, 1.5)
    return data


def skel(version: int, bone_version: int) -> bytes:
    data = b"SHAP" + pack("<Q", 0x13F2A8) + text("CSkeletonShape") + bytes([version])
    data += pack("<i", 1) + bone(bone_version)
    data += pack("<i", 1) + text("Bip01") + pack("<I", 0)
    if version >= 1:
        data += pack("<i", 1) + b"\0" + pack("<f", 0.0) + pack("<i", 1) + b"\xff"
    return data


@pytest.mark.parametrize(("version", "bone_version"), [(0, 0), (1, 1), (1, 2)])
def test_skeleton(version: int, bone_version: int) -> None:
    data = skel(version, bone_version)
    file = read_bytes(data, "a.skel")
    assert file.kind == "skel"
    shape = file.content
    assert isinstance(shape, CSkeletonShape)
    assert (shape.version, shape.pointer_id, shape.bone_map) == (version, 0x13F2A8, {"Bip01": 0})
    (only,) = shape.bones
    assert (only.name, only.father_id, only.unherit_scale) == ("Bip01", -1, True)
    assert only.inv_bind_pos.translation == (1.0, 2.0, 3.0)
    assert only.inv_bind_pos.rotation == (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    assert only.lod_disable_distance == (30.0 if bone_version >= 1 else 0.0)
    assert only.skin_scale == ((1.5, 1.5, 1.5) if bone_version >= 2 else (1.0, 1.0, 1.0))
    assert [lod.active_bones.tolist() for lod in shape.lods] == [[255]] * version
    assert file.to_bytes() == data


def test_a_value_that_the_version_has_no_field_for_is_refused() -> None:
    file = read_bytes(skel(1, 1))
    file.content.bones[0].skin_scale = (1.0, 1.0, 1.0)
    assert file.to_bytes() == skel(1, 1)
    file.content.bones[0].skin_scale = (1.5, 1.5, 1.5)
    with pytest.raises(EditError) as caught:
        file.to_bytes()
    assert caught.value.where.path == "CShapeStream.shape.bones[0].skin_scale"
    file.content.bones[0].version = 2
    assert file.to_bytes() == skel(1, 2).replace(pack("<f", 30.0), pack("<f", 30.0))


@pytest.mark.parametrize(
    ("at", "value", "path", "words"),
    [
        (30, 2, "CShapeStream.shape.version", "newer"),
        (35, 9, "CShapeStream.shape.bones[0].version", "up to 2"),
        (31, 200, "CShapeStream.shape.bones", "does not fit the bytes that are left"),
        (12, 200, "CShapeStream.shape", "ends too early"),
        (16, 0x58, "CShapeStream.shape", "unknown class"),
    ],
)
def test_damage_is_told_with_its_place(at: int, value: int, path: str, words: str) -> None:
    data = bytearray(skel(1, 2))
    data[at] = value
    with pytest.raises(DecodeError, match=words) as caught:
        read_bytes(bytes(data), "a.skel")
    assert caught.value.where.file == "a.skel"
    assert caught.value.where.path == path
    assert caught.value.where.offset is not None


def test_every_end_is_an_error() -> None:
    data = skel(1, 2)
    for size in range(4, len(data)):
        with pytest.raises(DecodeError):
            read_bytes(data[:size])
    with pytest.raises(DecodeError, match="left behind"):
        read_bytes(data + b"\0")


def test_weights() -> None:
    data = b"SKWT\0" + pack("<i", 1) + b"\0" + text("Bip01.pos") + pack("<f", 0.25)
    file = read_bytes(data)
    assert file.kind == "swt"
    assert [(node.name, node.weight) for node in file.content.elements] == [("Bip01.pos", 0.25)]
    made = CSkeletonWeight(elements=[CSkeletonWeightNode(name="Bip01.pos", weight=0.25)])
    assert made.to_bytes() == file.to_bytes() == data


def test_new_bone() -> None:
    made = CBoneBase(name="Bip01")
    assert made.version == 2
    again = CBoneBase.from_bytes(made.to_bytes())
    assert (again.father_id, again.skin_scale) == (-1, (1.0, 1.0, 1.0))
    assert np.allclose(again.default_rot_quat, (0, 0, 0, 1))
    with pytest.raises(TypeError, match="no field 'nme'"):
        CBoneBase(nme="Bip01")
    with pytest.raises(AttributeError, match="no field 'nme'"):
        made.nme = "Bip01"
