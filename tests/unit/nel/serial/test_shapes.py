"""Shapes of every class, on bytes built by hand from the notes on the format."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.material import CMaterial, CMaterialBase
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.declare import Serial

NULL = bytes(8)


def text(value: str) -> bytes:
    return pack("<I", len(value)) + value.encode()


def shape(name: str, body: bytes, number: int = 1) -> bytes:
    return b"SHAP" + pack("<Q", number) + text(name) + body


def tracks(*rows: tuple[float, ...]) -> bytes:
    """Defaults of tracks: each behind a version byte."""
    return b"".join(b"\0" + pack(f"<{len(row)}f", *row) for row in rows)


def roundtrip(data: bytes) -> Any:
    file = read_bytes(data)
    assert file.kind == "shape"
    assert file.to_bytes() == data
    return file.content


ITEXTURE = b"\0" + pack("<5i", 0, 1, 0, 5, 1)
FILE = text("CTextureFile") + b"\0" + ITEXTURE + text("a.tga")
BBOX = b"\0" + pack("<6f", 0, 0, 0, 1, 1, 1)
ENV = bytes([1, 0, 0, 1, 0, 1, 0, 2, 1, 2]) + b"\xff\xff\xff\xff"


def material(version: int, flags: int = 0x14, textures: bytes = NULL * 4) -> bytes:
    """A material with a texture in stage 0, if one is given."""
    data = bytes([version]) + pack("<5If", 0, flags, 2, 3, 5, 0.0)
    data += b"\xff\xff\xff\xff" + b"\0\0\0\xff" * 2 + b"\xff\xff\xff\xff" + b"\0\0\0\x32"
    data += pack("<f", 8.0) if version >= 2 else b""
    data += pack("<f", 0.5) if version >= 5 else b""
    data += b"\0\0" if version >= 8 else b""
    env = ENV if version < 9 else ENV[:5] + b"\1\0" + ENV[5:10] + b"\1\2" + ENV[10:]
    for stage in range(4):
        data += textures if stage == 0 and len(textures) != 32 else NULL
        data += env if version >= 1 else b""
    return data


@pytest.mark.parametrize("version", range(10))
def test_materials(version: int) -> None:
    data = material(version, 0x14 | (0x400 if version >= 4 else 0), pack("<Q", 9) + FILE)
    if 3 <= version <= 6:
        data += pack("<i", 1) + b"\1\2\3\4" + pack("<Q", 9)
    if version >= 7:
        data += pack("<I", 1) + b"\1" + b"\1\2\3\4" + b"\5\6\7\x08" + b"\0\0\0\xff" + NULL + b"\1"
    if version >= 4:
        data += bytes([0, 1, 2, 3])
    made: Any = CMaterial.from_bytes(data)
    assert made.to_bytes() == data
    assert made.specular[3] == 0x32
    assert made.stages[0].texture.file_name == "a.tga"
    if 3 <= version <= 6:
        assert made.light_maps_v6[0].texture is made.stages[0].texture
    if version >= 7:
        assert (made.light_maps[0].lmc_diffuse, made.light_map_x2) == ((5, 6, 7, 8), True)
    if version >= 4:
        assert made.address_modes == (0, 1, 2, 3)


def test_texture_matrices() -> None:
    data = material(9, 0x14 | 0x200000 | 0x800000) + pack("<I", 0) + b"\0"
    matrix = b"\0" + pack("<If", 1, 1.0) + pack("<3f", 0.5, 0, 0)
    made = CMaterial.from_bytes(data + matrix + b"\0" + pack("<If", 0, 1.0))
    assert made.user_mat1.translation == (0.5, 0.0, 0.0)
    assert made.user_mat0.state == made.user_mat3.state == 0


@pytest.mark.parametrize("version", [0, 1])
def test_animated_materials(version: int) -> None:
    data = bytes([version]) + text("lamp")
    data += (b"\0" + b"\1\2\3\4") * 3 + tracks((8.0,)) + b"\0\0\0\0\xff" + tracks((1.0,))
    data += b"\0" + pack("<i", 3) + pack("<i", 1) + pack("<I", 3) + pack("<Q", 1) + FILE
    if version:
        data += (b"\0" + tracks((0,), (0,), (1,), (1,))) * 4
    made = CMaterialBase.from_bytes(data)
    assert (made.name, made.texture, list(made.textures)) == ("lamp", 3, [3])
    assert made.to_bytes() == data


def mesh_base(version: int) -> bytes:
    data = bytes([version])
    data += pack("<i", 1) + text("smile") if version >= 2 else b""
    data += tracks((1, 2, 3), (0, 0, 0), (0, 0, 0), (0, 0, 0, -1), (1, 1, 1))
    data += pack("<i", 1) + material(9) + pack("<I", 0) + b"\0"
    data += pack("<i", 0)
    if version >= 8:
        data += pack("<i", 1) + b"\0" + pack("<I", 2) + text("lamp") + pack("<i", 1) + b"\0\3\1"
    else:
        data += pack("<i", 1) + text("lamp") + pack("<i", 2) + b"\3\1\4\1"
    for least, more in ((3, b"\1"), (4, b"\0"), (5, b"\1"), (6, pack("<f", 1000.0))):
        data += more if version >= least else b""
    if version >= 7:
        points = b"\0" + pack("<IIi", 32, 32, 2) + bytes(range(8))
        data += pack("<Q", 0x12EB30) + points
    return data + (pack("<i", 2) if version >= 9 else b"")


@pytest.mark.parametrize("version", range(1, 11))
def test_mesh_bases(version: int) -> None:
    data = mesh_base(version)
    base: Any = CMeshBase.from_bytes(data)
    assert base.to_bytes() == data
    assert base.default_pos == (1, 2, 3)
    assert base.morph_names == (["smile"] if version >= 2 else [])
    assert base.dist_max == (1000.0 if version >= 6 else -1.0)
    assert base.camera_collision == (2 if version >= 9 else 0)
    if version >= 8:
        (lights,) = base.light_infos
        assert [(s.material, s.stage) for s in lights.stages] == [(3, 1)]
    else:
        assert base.light_infos_v7["lamp"].tolist() == [(3, 1), (4, 1)]
    if version >= 7:
        texture = base.lod_character_texture
        assert texture.pointer_id == 0x12EB30
        assert texture.points["quality"].tolist() == [3, 7]


def vertices(count: int, start: int = 0) -> bytes:
    return b"".join(pack("<3f", n, n, n) for n in range(start, start + count))


VB_TYPES = bytes([7] + [0] * 15)


def mesh_geom(version: int) -> bytes:
    data = bytes([version])
    data += pack("<i", 1) + text("Bip01") if version >= 4 else b""
    if version >= 3:
        wind = b"\0" + pack("<15f", *range(15)) + b"\1"
        data += pack("<Q", 2) + text("CMeshVPWindTree") + wind
    if version >= 1:
        target = b"\1" + text("smile") + pack("<i3f", 1, 0, 0, 1) + pack("<4i", 0, 0, 0, 0)
        data += b"\0" + pack("<i", 1) + target + pack("<iI", 1, 2)
    data += b"\2\1" + pack("<H", 1) + VB_TYPES + pack("<I", 3) + b"\0" + vertices(3)
    faces = b"\0" + pack("<I", 0) + b"\2" + pack("<IIi3Ii", 3, 3, 3, 0, 1, 2, 0)
    garbage = pack("<17I", *(0xCDCDCDCD for _ in range(17)))  # never initialised
    data += pack("<i", 1) + b"\0" + garbage + pack("<i", 1) + faces
    return data + BBOX + b"\0"


@pytest.mark.parametrize("version", range(5))
def test_meshes(version: int) -> None:
    mesh = roundtrip(shape("CMesh", b"\6" + mesh_base(9) + mesh_geom(version), 0x363B9B20))
    geom = mesh.geom
    assert geom.vertex_buffer.vertices["position"][:, 0].tolist() == [0, 1, 2]
    (block,) = geom.matrix_blocks
    assert block.num_matrices == 0xCDCDCDCD
    assert block.rdr_passes[0].primitives.triangles.tolist() == [[0, 1, 2]]
    if version >= 3:
        assert geom.vertex_program.levels[1].power_xy == 7.0
    if version >= 1:
        assert geom.morpher.blend_shapes[0].vertices.tolist() == [2]


@pytest.mark.parametrize("version", [0, 3, 5])
def test_refused_meshes(version: int) -> None:
    with pytest.raises(DecodeError, match="too old, the game refuses it as well"):
        read_bytes(shape("CMesh", bytes([version])))


def lod(version: int, count: int) -> bytes:
    data = bytes([version]) + pack("<I", count)
    data += pack("<i", 1) + b"\0" + pack("<I", 0) + b"\2" + pack("<IIi3Ii", 3, 3, 3, 0, 1, 2, 0)
    data += pack("<iII", 1, 4, 5) + pack("<iI", 1, 7) + pack("<iI", 1, 0) + pack("<3i", 0, 0, 0)
    return data + (pack("<iII", 1, 0, count) if version >= 1 else b"")


def mrm_geom(version: int, skinned: bool, offsets: tuple[int, int] | None = None) -> bytes:
    data = bytes([version])
    data += pack("<i", 0) if version >= 3 else b""
    data += NULL if version >= 2 else b""
    data += b"\0" + pack("<i", 0) if version >= 1 else b""
    data += bytes([skinned]) + BBOX + pack("<II5f", 2, 1, 5, 30, 200, 1 / 195, 2)
    data += pack("<i", 2) + b"\0" + pack("<II", 0, 2) + b"\0" + pack("<II", 2, 3) + pack("<I", 3)
    data += b"\1" + pack("<H", 1) + VB_TYPES + pack("<I", 3)
    weights = pack("<If", 3, 1.0) + pack("<If", 0, 0.0) * 3
    data += pack("<i", 3) + weights * 3 if version >= 4 else b""
    if version >= 5:
        data += pack("<i", 1) + b"\0" + pack("<3fI", 1, 2, 3, 4) + pack("<i3I", 3, 0, 0, 0)
    format_ = 1 if version >= 4 else 0
    bodies = []
    for start, count in ((0, 2), (2, 1)):
        body = lod(min(version, 2), count) + bytes([format_])
        body += b"\2" + vertices(count, start) + bytes(range(8))
        bodies.append(body + (weights * count if skinned and not format_ else b""))
    first, second = offsets or (8, 8 + len(bodies[0]))
    return data + pack("<ii", first, second) + b"".join(bodies)


@pytest.mark.parametrize("skinned", [False, True])
@pytest.mark.parametrize("version", range(6))
def test_progressive_meshes(version: int, skinned: bool) -> None:
    mesh = roundtrip(shape("CMeshMRM", b"\0" + mesh_base(9) + mrm_geom(version, skinned)))
    first, second = mesh.geom.lods
    assert first.subset.vertices["position"][:, 0].tolist() == [0, 1]
    assert second.subset.vertices["position"][:, 0].tolist() == [2]
    assert second.lod.geomorphs.tolist() == [(4, 5)]
    if skinned:
        weights = mesh.geom.skin_weights if version >= 4 else first.skin_weights
        assert weights["matrix_id"][0].tolist() == [3, 0, 0, 0]


def test_offsets_of_levels_must_be_right() -> None:
    data = shape("CMeshMRM", b"\0" + mesh_base(9) + mrm_geom(5, False, (8, 9)))
    with pytest.raises(DecodeError, match="not where its offset says") as caught:
        read_bytes(data)
    assert caught.value.where.path == "CShapeStream.shape.geom.lods[1]"
    assert caught.value.found == 9


def test_levels_follow_their_infos_when_written() -> None:
    file = read_bytes(shape("CMeshMRM", b"\0" + mesh_base(9) + mrm_geom(5, False)))
    geom = file.content.geom
    geom.lods[0].lod.matrix_influences = [1, 2, 3]
    again = read_bytes(file.to_bytes()).content.geom  # the offset of the second level has moved
    assert again.lods[0].lod.matrix_influences.tolist() == [1, 2, 3]
    geom.lod_infos.pop()
    with pytest.raises(EditError, match="wrong number of levels"):
        file.to_bytes()
    geom.lods.pop()
    assert len(read_bytes(file.to_bytes()).content.geom.lods) == 1
    geom.lod_infos[0].start_add_wedge = 5
    with pytest.raises(EditError, match="ends before it begins"):
        file.to_bytes()


def skinned_geom() -> bytes:
    data = b"\0" + pack("<i", 1) + text("Bip01") + BBOX + pack("<II5f", 2, 1, 5, 30, 200, 1, 2)
    packed = b"\0" + pack("<8h", 100, -100, 0, 0, 0, 32767, 8192, 0)
    packed += bytes([0, 200, 1, 55, 0, 0, 0, 0])
    data += b"\0" + pack("<i", 1) + packed + pack("<f", 1 / 4096)
    data += pack("<i", 1) + b"\0" + pack("<3fI", 1, 2, 3, 0) + pack("<iI", 1, 0)
    level = b"\0" + pack("<I", 1) + pack("<i", 1) + b"\0" + pack("<I", 0) + pack("<i3H", 3, 0, 0, 0)
    level += pack("<i", 0) + pack("<iI", 1, 0) + pack("<4i", 0, 0, 0, 0)
    return data + pack("<i", 1) + level


def test_skinned_progressive_meshes() -> None:
    mesh = roundtrip(shape("CMeshMRMSkinned", b"\0" + mesh_base(9) + skinned_geom()))
    packed = mesh.geom.vertex_buffer.vertices
    assert packed.dtype.itemsize == 25
    assert packed["position"].tolist() == [[100, -100, 0]]
    assert packed["skin"]["weight"].tolist() == [[200, 55, 0, 0]]
    assert packed["skin"]["matrix"].tolist() == [[0, 1, 0, 0]]
    assert mesh.geom.lods[0].rdr_passes[0].indices.tolist() == [0, 0, 0]


def test_meshes_of_several_geometries() -> None:
    body = b"\0" + mesh_base(9) + b"\1" + pack("<i", 2)
    numbers = pack("<5f", -1, 236, 100, 4, 5) + b"\x0b"
    body += b"\0" + pack("<Q", 7) + text("CMeshMRMGeom") + mrm_geom(5, False) + numbers
    body += b"\0" + pack("<Q", 7) + numbers
    mesh = roundtrip(shape("CMeshMultiLod", body))
    assert mesh.slots[0].geom is mesh.slots[1].geom
    assert [(slot.dist_max, slot.flags) for slot in mesh.slots] == [(100, 11)] * 2


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("far", [False, True])
def test_flares(version: int, far: bool) -> None:
    body = bytes([version]) + b"\xff\xff\xff\xff" + pack("<ff", 2, 0.5)
    body += b"\0" if far else b"\1" + pack("<f", 100)
    body += b"\1"
    for number in range(10):
        body += (pack("<Q", 5) + FILE if number == 3 else NULL) + pack("<ff", number, 0.1)
    body += b"\1" if far else b"\0" + pack("<ff", 150, 0.5)
    body += b"\0" if far else b"\1" + b"\1\2\3\4" + pack("<f", 8)
    body += b"\1" if far else b"\0"
    body += pack("<f", 300) if version >= 2 else b""
    body += text("tower") + b"\1" + pack("<ff", 2, 90) + b"\0\0" if version >= 4 else b""
    flare = roundtrip(shape("CFlareShape", body))
    assert flare.flares[3].texture.file_name == "a.tga"
    assert flare.attenuation_range == (1 if far else 100)
    assert flare.max_view_dist == (1000 if far else 150)
    assert flare.dazzle_color == ((0, 0, 0, 255) if far else (1, 2, 3, 4))
    assert flare.occlusion_test_mesh == ("tower" if version >= 4 else "")
    assert (flare.angle_disappear, flare.look_at) == ((90, False) if version >= 4 else (0, True))


@pytest.mark.parametrize("version", range(5))
def test_water(version: int) -> None:
    body = bytes([version]) + b"\0" + pack("<i6f", 3, 0, 0, 1, 0, 0, 1) + pack("<I", 7)
    body += pack("<Q", 2) + FILE + NULL + pack("<Q", 2) + NULL * 2
    body += pack("<14f", *range(14)) + tracks((1, 2, 3), (1, 1, 1), (0, 0, 0, 1))
    body += pack("<ff", 0.6, 0.1)
    for least, more in ((1, b"\1"), (2, pack("<f", 500)), (3, b"\1"), (4, b"\0\1")):
        body += more if version >= least else b""
    water = roundtrip(shape("CWaterShape", body))
    assert water.poly.vertices.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert water.height_map0 is water.env_map0
    assert water.color_map_matrix_pos == (12, 13)
    assert water.dist_max == (500 if version >= 2 else -1)


def test_waves() -> None:
    wave = roundtrip(shape("CWaveMakerShape", b"\0" + pack("<3fI", 1, 2, 3, 4) + b"\1"))
    assert (wave.period, wave.intensity, wave.pool_id, wave.impulsion_mode) == (1, 3, 4, True)


@pytest.mark.parametrize("version", range(3))
def test_trails(version: int) -> None:
    animated = b"\0" + text("m") + (b"\0" + bytes(4)) * 3 + tracks((8,)) + b"\0" + bytes(4)
    animated += tracks((1,)) + b"\0" + pack("<ii", 0, 0)
    body = bytes([version]) + pack("<If", 32, 0.05) + pack("<i6f", 2, 0, 0, 0, 0, 0, 1)
    body += material(9) + pack("<I", 0) + b"\0" + BBOX + b"\1" + pack("<Q", 6) + animated
    body += pack("<f", 0.5) if version >= 1 else b""
    body += tracks((0, 0, 0), (0, 0, 0, 1), (1, 1, 1)) if version >= 2 else b""
    trail = roundtrip(shape("CSegRemanenceShape", body))
    assert trail.corners.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert (trail.animated_material.name, trail.animated_material.pointer_id) == ("m", 6)
    assert trail.rollup_ratio == (0.5 if version >= 1 else 1.0)


@pytest.mark.parametrize("version", range(7))
@pytest.mark.parametrize("boxed", [False, True])
def test_particle_systems(version: int, boxed: bool) -> None:
    body = bytes([version]) + pack("<i", 3) + b"\7\x0b\0"
    body += tracks((1,), (2,), (3,), (4,)) if version >= 2 else b""
    body += tracks((0, 0, 0), (1, 1, 1), (0, 0, 0, 1)) if version >= 3 else b""
    body += pack("<f", 300) + b"\0\1" if version >= 4 else b""
    if version >= 5:
        body += b"\1" + BBOX if boxed else b"\0"
    body += b"\1" if version >= 6 else b""
    file = read_bytes(shape("CParticleSystemShape", body))
    assert file.kind == "ps"
    assert file.content.stream == b"\7\x0b\0"
    assert file.to_bytes() == shape("CParticleSystemShape", body)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("CTextureMultiFile", b"\0" + ITEXTURE + pack("<i", 1) + text("a") + bytes(4)),
        ("CTextureBlend", b"\0" + ITEXTURE + NULL * 2 + b"\1" + pack("<H", 128)),
        ("CTextureBump", b"\3" + ITEXTURE + NULL + b"\1\0\1"),
        ("CTextureBump", b"\1" + ITEXTURE + NULL + b"\1\0"),
        ("CTextureBump", b"\0" + ITEXTURE + NULL + b"\1"),
        ("CTextureCube", b"\1" + ITEXTURE + NULL * 6 + b"\1"),
        ("CTextureCube", b"\2" + ITEXTURE + NULL * 6),
    ],
)  # fmt: skip
def test_textures(name: str, body: bytes) -> None:
    data = material(8, textures=pack("<Q", 4) + text(name) + body) + pack("<I", 0) + b"\0"
    made = CMaterial.from_bytes(data)
    texture = made.stages[0].texture
    assert isinstance(texture, Serial)
    assert texture.nel_name == name
    assert made.to_bytes() == data


def test_positions_as_arrays() -> None:
    mesh = read_bytes(shape("CMesh", b"\6" + mesh_base(9) + mesh_geom(4))).content
    position = mesh.geom.vertex_buffer.vertices["position"]
    assert position.dtype == np.float32
    assert position.shape == (3, 3)
