"""Every class of the game with any values: what is written is read back, bit for bit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.nel.serial import read_bytes, to_plain
from maxsidecar.nel.serial.classes.buffers import CVertexBufferSubset
from maxsidecar.nel.serial.classes.collision_primitive import CPrimitiveBlock, CPrimitiveDesc
from maxsidecar.nel.serial.classes.mesh import MAX_MATRICES, CMatrixBlock
from maxsidecar.nel.serial.classes.mesh_mrm import CMeshMRMLod
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.nel.serial.classes.texture import CTextureBlend, CTextureCube, CTextureFile
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.serial.kinds import MAX_STRING, STRING, Version
from maxsidecar.nel.serial.registry import all_classes
from maxsidecar.nel.serial.stream import Reader, Writer
from tests.support.nel import make

#: Classes that only their owner can read: it knows the layout of a vertex.
INNER = (CVertexBufferSubset, CMeshMRMLod)
#: Classes in XML, which has six decimals for a float.
ROUNDED = (CPrimitiveBlock,)
CLASSES = [cls for cls in all_classes() if cls not in INNER + ROUNDED]
SEEDS = st.integers(0, 2**64 - 1)


def same(a: Any, b: Any) -> bool:
    """Whether two field values are the same bit for bit."""
    if isinstance(a, Serial):
        names = set(a.__dict__) | set(b.__dict__)
        fields = [name for name, item in a.fields.items() if name in names and item.kind.stored]
        return type(a) is type(b) and all(same(getattr(a, n), getattr(b, n)) for n in fields)
    if isinstance(a, np.ndarray):
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, float):
        return repr(a) == repr(b) and getattr(a, "bits", 0) == getattr(b, "bits", 0)
    return bool(a == b)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.nel_name)
@settings(max_examples=20)
@given(seed=SEEDS)
def test_what_is_written_is_read_back(cls: type[Serial], seed: int) -> None:
    made = make(Random(seed), cls)
    raw = made.to_bytes()
    read = cls.from_bytes(raw)
    assert same(made, read)
    assert read.to_bytes() == raw
    assert len(raw) >= cls.least
    to_plain(read)


def versions(cls: type[Serial]) -> list[int | None]:
    kind = cls.fields["version"].kind if "version" in cls.fields else None
    return list(range(kind.oldest, kind.newest + 1)) if isinstance(kind, Version) else [None]


@pytest.mark.parametrize(
    ("cls", "version"),
    [(cls, version) for cls in CLASSES for version in versions(cls)],
    ids=lambda value: str(getattr(value, "nel_name", value)),
)
def test_defaults_of_every_version(cls: type[Serial], version: int | None) -> None:
    made = cls() if version is None else cls(version=version)
    read = cls.from_bytes(made.to_bytes())
    for name, item, value in read.present():
        if item.derive is None and name != "version" and not isinstance(value, list):
            # A default such as 0.05 is the nearest 32-bit float once it was written.
            default = np.float32(item.fresh()) if isinstance(value, float) else item.fresh()
            assert same(value, float(default) if isinstance(value, float) else default), name
    assert read.to_bytes() == made.to_bytes()


def test_versions_that_clients_read_are_chosen() -> None:
    """The versions that shipped clients read, from the notes on the format."""
    expected = {
        "CMesh": 6, "CMeshBase": 9, "CMeshGeom": 4, "CMeshMRM": 0, "CMeshMRMGeom": 5,
        "CMeshMRMGeom::CLod": 2, "CMeshMRMSkinned": 0, "CMeshMRMSkinnedGeom": 0, "CMeshMultiLod": 0,
        "CMeshMultiLod::CMeshSlot": 0, "CMaterial": 9, "CMaterialBase": 1, "CVertexBuffer": 2,
        "CVertexBuffer::Header": 3, "CVertexBuffer::Subset": 2, "CIndexBuffer": 2, "ITexture": 1,
        "CTextureFile": 1, "CTextureCube": 2, "CTextureMultiFile": 0, "CTextureBump": 3,
        "CTextureBlend": 0, "CFlareShape": 5, "CWaterShape": 4, "CWaveMakerShape": 0,
        "CSegRemanenceShape": 2, "CParticleSystemShape": 6, "CSkeletonShape": 1, "CBoneBase": 2,
        "CSkeletonWeight": 0, "CAnimation": 2, "CInstanceGroup": 5, "CInstanceGroup::CInstance": 7,
        "CCluster": 3, "CPortal": 1, "CPointLight": 2, "CPointLightNamed": 1, "CPatch": 7,
        "CZone": 4, "CZone::CPatchConnect": 1, "CVegetableShape": 1,
    }  # fmt: skip
    chosen = {cls.nel_name: cls().version for cls in all_classes() if "version" in cls.fields}
    assert {name: chosen[name] for name in expected} == expected


@given(number=st.integers(MAX_MATRICES + 1, 2**32 - 1) | st.integers(-(2**40), -1))
def test_a_block_takes_fifteen_matrices(number: int) -> None:
    assert CMatrixBlock(num_matrices=15).num_matrices == 15
    with pytest.raises(EditError, match="0 to 15"):
        CMatrixBlock(num_matrices=number)
    block = CMatrixBlock()
    with pytest.raises(EditError, match="0 to 15"):
        block.num_matrices = number
    with pytest.raises(EditError):
        CMatrixBlock(matrix_ids=list(range(17))).to_bytes()


@settings(max_examples=20)
@given(extra=st.integers(-2, 3), letter=st.sampled_from("a\N{LATIN SMALL LETTER E WITH ACUTE}"))
def test_strings_end_at_a_million_bytes(extra: int, letter: str) -> None:
    size = len(letter.encode())
    value = letter * (1_000_000 // size + extra)
    assert MAX_STRING == 1_000_000
    writer = Writer()
    if extra > 0:
        with pytest.raises(EditError, match="too long"):
            STRING.write(writer, value)
        raw = value.encode()
        with pytest.raises(MaxSidecarError, match="too long"):
            STRING.read(Reader(len(raw).to_bytes(4, "little") + raw))
        return
    STRING.write(writer, value)
    assert STRING.read(Reader(bytes(writer.out))) == value


@given(
    links=st.lists(st.lists(st.none() | st.integers(0, 4), min_size=6, max_size=6), max_size=3),
    ids=st.lists(st.integers(0, 2**64 - 1), min_size=5, max_size=5),
)
def test_shared_objects_stay_shared(links: list[list[int | None]], ids: list[int]) -> None:
    """Pointers to one object lead to one object, whatever ids the file has."""
    files = [CTextureFile(file_name=f"{number}.tga") for number in range(5)]
    for file, number in zip(files, ids, strict=True):
        file.pointer_id = number
    cube: Serial = CTextureCube()
    for places in links:
        sides = [None if place is None else files[place] for place in places]
        cube = CTextureBlend(textures=[CTextureCube(sides=sides), cube])
    raw = cube.to_bytes()
    read = type(cube).from_bytes(raw)
    assert read.to_bytes() == raw
    found: dict[str, int] = {}
    numbers: dict[int, int] = {}
    for texture in textures(read):
        if isinstance(texture, CTextureFile):
            assert found.setdefault(texture.file_name, id(texture)) == id(texture)
        assert numbers.setdefault(texture.pointer_id, id(texture)) == id(texture)
    renumbered = type(cube).from_bytes(read.to_bytes(renumber=True))
    assert sorted({t.pointer_id for t in textures(renumbered)}) == list(range(1, len(numbers) + 1))
    assert renumbered.to_bytes(renumber=True) == renumbered.to_bytes()


def textures(top: Any) -> list[Any]:
    inner = [*getattr(top, "sides", []), *getattr(top, "textures", [])]
    return [t for item in inner if item is not None for t in [item, *textures(item)]]


@given(
    numbers=st.lists(st.integers(-(10**9), 10**9), min_size=7, max_size=7),
    masks=st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)),
    obstacle=st.booleans(),
)
def test_xml_keeps_millionths(numbers: list[int], masks: tuple[int, int], obstacle: bool) -> None:
    values = [number / 1e6 for number in numbers]
    made = CPrimitiveDesc(
        length=values[:2], height=values[2], position=values[3:6], orientation=values[6],
        obstacle=obstacle, occlusion_mask=masks[0], user_data=masks[1],
    )  # fmt: skip
    data = CPrimitiveBlock(primitives=[made]).to_bytes()
    (read,) = CPrimitiveBlock.from_bytes(data).primitives
    found = [*read.length, read.height, *read.position, read.orientation]
    single = np.array(values, np.float32).astype(np.float64)
    assert np.abs(np.array(found) - single).max() <= 0.5e-6 + 1e-9 + np.abs(single).max() * 2**-24
    assert (read.obstacle, read.occlusion_mask, read.user_data) == (obstacle, *masks)
    read.orientation = 0.1
    other = CPrimitiveBlock(primitives=[read]).to_bytes()
    assert b"<ORIENTATION>0.100000</ORIENTATION>" in other
    assert CPrimitiveBlock.from_bytes(other).to_bytes() == other


MAGICS = (b"SHAP", b"SKWT", b"GRPT", b"NEL_ANIM", b"\4ZONE", b"")


@given(raw=st.binary(max_size=300), magic=st.sampled_from(MAGICS))
def test_any_bytes(raw: bytes, magic: bytes) -> None:
    try:
        file = read_bytes(magic + raw)
    except MaxSidecarError:
        return
    assert file.to_bytes() == magic + raw


@given(seed=SEEDS)
def test_any_damage_to_a_file(seed: int) -> None:
    rng = Random(seed)
    shapes = [cls for cls in all_classes() if "IShape" in cls.bases]
    raw = bytearray(CShapeStream(shape=make(rng, rng.choice(shapes))).to_bytes())
    for _ in range(rng.randrange(1, 5)):
        raw[rng.randrange(len(raw))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    del raw[rng.choice((len(raw), rng.randrange(len(raw)))) :]
    try:
        file = read_bytes(bytes(raw))
    except MaxSidecarError:
        return
    assert file.to_bytes() == raw
