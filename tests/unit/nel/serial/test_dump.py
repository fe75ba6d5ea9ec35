"""Objects as plain data and as lines, and going through them."""

from __future__ import annotations

import json

from maxsidecar.nel.serial import to_lines, to_plain, walk
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.serial.classes.skeleton import CSkeletonShape
from maxsidecar.nel.serial.classes.texture import CTextureBlend, CTextureCube, CTextureFile


def test_values_are_plain() -> None:
    plain = to_plain(CMaterial(shader=4, shininess=0.1))
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["class"], plain["shader"], plain["shininess"]) == ("CMaterial", "Specular", 0.1)
    assert plain["src_blend"] == "srcalpha"
    assert plain["stages"][0]["env"]["rgb_op"] == "Modulate"
    assert "version" not in plain["stages"][0]  # it has no bytes
    assert "address_modes" not in plain  # the flags say so
    assert to_plain(CSkeletonShape(bone_map={"b": 1, "a": 0}))["bone_map"] == {"b": 1, "a": 0}


def test_arrays_by_field() -> None:
    buffer = CVertexBuffer.of(position=[[0.1, 0.2, 0.3]], color=[[1, 2, 3, 4]])
    assert to_plain(buffer)["subset"]["vertices"] == {
        "position": [[0.1, 0.2, 0.3]], "color": [[1, 2, 3, 4]]
    }  # fmt: skip


def test_shared_and_circular_objects() -> None:
    file = CTextureFile(file_name="a.tga")
    cube = CTextureCube.from_bytes(CTextureCube(sides=[file, file, *[None] * 4]).to_bytes())
    first, second, third, *_ = to_plain(cube)["sides"]
    assert (first["class"], first["id"], first["file_name"]) == ("CTextureFile", 1, "a.tga")
    assert second == {"class": "CTextureFile", "same_as": 1}
    assert third is None
    blend = CTextureBlend()
    blend.textures = [blend, None]
    outer = CTextureCube.from_bytes(CTextureCube(sides=[blend, *[None] * 5]).to_bytes())
    inner = to_plain(outer)["sides"][0]["textures"][0]
    assert inner == {"class": "CTextureBlend", "same_as": 1}
    assert any("same as #1" in line for line in to_lines(outer))


def test_lines_are_short_unless_asked() -> None:
    buffer = CIndexBuffer.of([[number, 0, 0] for number in range(100)])
    lines = list(to_lines(buffer))
    assert len(lines) < 15
    assert any(line.strip() == "indices: 300 elements" for line in lines)
    assert any(line.strip() == "... 296 more" for line in lines)
    assert len(list(to_lines(buffer, full=True))) > 300


def test_new_objects_that_point_to_themselves() -> None:
    blend = CTextureBlend()
    blend.textures = [blend, None]
    plain = to_plain(blend)
    assert plain["textures"][0] == {"class": "CTextureBlend", "same_as": 0}


def test_walk() -> None:
    file = CTextureFile(file_name="a.tga")
    blend = CTextureBlend()
    blend.textures = [blend, file]
    material = CMaterial()
    material.stages[0].texture = blend
    material.stages[2].texture = file
    names = [part.nel_name for part in walk(material)]
    assert names == [
        "CMaterial", "CMaterial stage", "CTextureBlend", "ITexture", "CTextureFile", "ITexture",
        "CMaterial::CTexEnv", *["CMaterial stage", "CMaterial::CTexEnv"] * 3,
    ]  # fmt: skip
    skeleton = CSkeletonShape(bone_map={"a": 0})
    assert list(walk(skeleton)) == [skeleton]
