"""Layouts of new materials and maps: Standard, Multi/Sub-Object and Bitmap of 3ds Max 6.

Chunk ids, records with their types and flags, and the values that nothing sets are those of the
422 Standard materials, 7 Multi/Sub-Object materials and 51 bitmaps with root id 2009 in the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maxsidecar.scene.authoring_chunks import (
    ChunkTree,
    NewClass,
    Plugin,
    encode_text,
    pack_values,
)
from maxsidecar.scene.authoring_parameters import (
    aliases,
    old_block,
    old_float,
    old_int,
    record,
    rollout,
    table,
)

_DEFAULTS: Final = Plugin("Default materials and textures (Discreet)", "mtlgen.dlt")
_STANDARD: Final = Plugin("Standard materials and textures (Discreet)", "mtl.dlt")
_SAMPLERS: Final = Plugin("Standard samplers (Discreet)", "samplers.dlh")

UV_COORDINATES: Final = NewClass("Placement", 0x100, 0, 0xC20, _DEFAULTS)
OUTPUT: Final = NewClass("Output", 0x100, 0, 0xC40, _DEFAULTS)
BITMAP: Final = NewClass("Bitmap", 0x240, 0, 0xC10, _STANDARD)
TEXMAPS: Final = NewClass("Texmaps", 0x1200, 0, 0x1080, _STANDARD)
BLINN: Final = NewClass("Blinn", 0x38, 0, 0x10B0, _STANDARD)
SAMPLER: Final = NewClass("Max 2.5 Star", 0x25773211, 0, 0x1110, _SAMPLERS)
STANDARD: Final = NewClass("Standard", 2, 0, 0xC00, _STANDARD)
MULTI: Final = NewClass("Multi/Sub-Object", 0x200, 0, 0xC00, _STANDARD)

# Types of parameters.
_FLOAT, _INTEGER, _COLOR, _BOOLEAN, _PERCENT, _TEXT = 0, 1, 2, 4, 6, 8
_TIME, _MATERIAL, _MAP, _BITMAP, _REFERENCE = 0xC, 0xE, 0xF, 0x10, 0x12

# Flags of parameters; bit 0: can be animated.
_FIXED: Final = 0x00820000
_ANIMATED: Final = 0x00820001
_NUMBER: Final = 0x00920000
_ANIMATED_NUMBER: Final = 0x00920001
_STRING: Final = 0x00800000

#: Number of map slots, and names of those that the Blinn shader has.
_SLOTS: Final = 24
_DIFFUSE: Final = 1
_BUMP: Final = 8
_SLOT_NAMES: Final = (
    ("ambientMap", 0), ("bumpMap", _BUMP), ("diffuseMap", _DIFFUSE), ("displacementMap", 11),
    ("filterMap", 7), ("glossinessMap", 4), ("opacityMap", 6), ("reflectionMap", 9),
    ("refractionMap", 10), ("selfIllumMap", 5), ("specularLevelMap", 3), ("specularMap", 2),
)  # fmt: skip
_BUMP_AMOUNT: Final = 0.3

#: Names of file formats as release 6 in English writes them, by extension (measured).
_FORMATS: Final = {
    "bmp": "BMP Image File",
    "dds": "DDS Image File",
    "jpg": "JPEG File",
    "png": "PNG Image File",
    "tga": "Targa Image File",
}


def head(name: str) -> ChunkTree:
    """Return the part that every material and map begins with."""
    return 0x4000, [
        (0x4001, encode_text(name)),
        (0x4003, pack_values("I", 0x200)),
        (0x4020, bytes(4)),
        (0x4030, pack_values("4f", 0.0, 0.0, 0.0, 1.0)),
    ]


# --- Standard ------------------------------------------------------------------------------------


def texmaps(diffuse: bool) -> list[ChunkTree]:
    """Return the container of maps: which are switched on, and the strength of bump."""
    unused = [(0x510C + n, bytes(4)) for n in range(4)]
    on = pack_values("I", int(diffuse) << _DIFFUSE)
    return [(0x5003, on), (0x5100 + _BUMP, pack_values("f", _BUMP_AMOUNT)), *unused]


def shader() -> list[ChunkTree]:
    """Return a shader's chunks."""
    return [(0x5300, pack_values("I", 2)), (0x5020, [(0x0322, bytes(4))])]


def shader_block(
    ambient: Sequence[float],
    diffuse: Sequence[float],
    specular: Sequence[float],
    self_illumination: float,
    specular_level: float,
    glossiness: float,
    soften: float,
) -> list[ChunkTree]:
    """Return the Blinn parameters; ambient and diffuse are locked where they are equal."""
    return [
        record(0, _COLOR, _ANIMATED, tuple(ambient)),
        record(1, _COLOR, _ANIMATED, tuple(diffuse)),
        record(2, _COLOR, _ANIMATED, tuple(specular)),
        record(3, _BOOLEAN, _FIXED, 1),
        record(4, _BOOLEAN, _FIXED, int(tuple(ambient) == tuple(diffuse))),
        record(5, _BOOLEAN, _FIXED, 0),
        record(6, _BOOLEAN, _FIXED, 0),
        record(7, _PERCENT, _ANIMATED_NUMBER, self_illumination),
        record(8, _COLOR, _ANIMATED, (0.0, 0.0, 0.0)),
        record(9, _PERCENT, _ANIMATED_NUMBER, specular_level),
        record(10, _PERCENT, _ANIMATED_NUMBER, glossiness),
        record(11, _FLOAT, _ANIMATED_NUMBER, soften),
        rollout(1),
    ]


def shader_choice(two_sided: bool) -> list[ChunkTree]:
    """Return block 0 of a Standard material."""
    switches = (False, two_sided, False, False)
    return [
        record(0, _INTEGER, _FIXED, 1),
        *(record(1 + n, _BOOLEAN, _FIXED, int(on)) for n, on in enumerate(switches)),
        record(5, _TEXT, _STRING, None),
        rollout(1),
    ]


def extended(opacity: float) -> list[ChunkTree]:
    """Return block 1 of a Standard material."""
    return [
        record(0, _INTEGER, _NUMBER, 0),
        record(1, _PERCENT, _ANIMATED_NUMBER, opacity),
        record(2, _COLOR, _ANIMATED, (0.5, 0.5, 0.5)),
        record(3, _MAP, 0x10812900, -1),
        record(4, _INTEGER, _NUMBER, 0),
        record(5, _PERCENT, _ANIMATED_NUMBER, 0.0),
        record(6, _FLOAT, _ANIMATED_NUMBER, 1.5),
        record(7, _FLOAT, _ANIMATED_NUMBER, 1.0),
        record(8, _INTEGER, _NUMBER, 0),
        record(9, _BOOLEAN, _FIXED, 0),
        record(10, _FLOAT, _ANIMATED_NUMBER, 0.0),
        record(11, _FLOAT, _ANIMATED_NUMBER, 3.0),
        rollout(0),
    ]


def sampling() -> list[ChunkTree]:
    """Return block 2 of a Standard material; its records are not in the order of their ids."""
    return [
        record(0, _INTEGER, _FIXED, 3),
        record(1, _FLOAT, _ANIMATED_NUMBER, 0.5),
        record(2, _BOOLEAN, _ANIMATED, 0),
        record(4, _FLOAT, _NUMBER, 0.1),
        record(3, _BOOLEAN, _FIXED, 1),
        record(6, _BOOLEAN, _FIXED, 1),
        record(5, _BOOLEAN, _FIXED, 1),
        record(7, _TEXT, _STRING, None),
        record(8, _FLOAT, _NUMBER, 0.0),
        record(9, _FLOAT, _NUMBER, 0.0),
        record(10, _BOOLEAN, _FIXED, 1),
        rollout(0),
    ]


def maps(diffuse: int | None) -> list[ChunkTree]:
    """Return block 3 of a Standard material: the maps by storage index, and the slots' names."""
    places = [-1 if diffuse is None or n != _DIFFUSE else diffuse for n in range(_SLOTS)]
    amounts = [_BUMP_AMOUNT if n == _BUMP else 1.0 for n in range(_SLOTS)]
    names: list[tuple[str, int, int]] = []
    for name, slot in _SLOT_NAMES:
        names += ((name, 1, slot), (f"{name}Amount", 2, slot), (f"{name}Enable", 0, slot))
    return [
        table(0, _BOOLEAN, _FIXED, [int(place >= 0) for place in places]),
        table(1, _MAP, 0x00810100, places),
        table(2, _PERCENT, _NUMBER, amounts),
        record(3, _BOOLEAN, _FIXED, 1),
        aliases(names),
        rollout(0),
    ]


def dynamics() -> list[ChunkTree]:
    """Return block 4 of a Standard material."""
    values = (1.0, 0.0, 0.0)
    rows = [record(n, _FLOAT, _ANIMATED_NUMBER, value) for n, value in enumerate(values)]
    return [*rows, rollout(0)]


def sampler_block() -> list[ChunkTree]:
    """Return the old parameter block of a sampler."""
    off, on = (0x0104, pack_values("I", 0), False), (0x0104, pack_values("I", 1), False)
    return old_block(2, old_float(0.5, animatable=False), off, on)


def sampler() -> list[ChunkTree]:
    """Return a sampler's chunks."""
    return [(0x0200, pack_values("I", 2)), (0x39BF, [(0x0100, encode_text(SAMPLER.name))])]


def standard(name: str) -> list[ChunkTree]:
    """Return a Standard material's own chunks."""
    return [head(name), (0x5300, pack_values("I", 13)), (0x5600, [(0x0322, bytes(4))])]


# --- Multi/Sub-Object ----------------------------------------------------------------------------


def multi_block(slots: Sequence[tuple[int, int | None, str]]) -> list[ChunkTree]:
    """Return the block of a Multi/Sub-Object material; slots are id, storage index, name.

    The table holds the storage indices, as in scenes of 2012 and later.  Those of releases 3 to 7
    hold -1 there, and only the reference slots 1, 2, ... of the material say what it has (measured:
    182 of 182 slots); new scenes fill those as well.
    """
    places = [-1 if index is None else index for _, index, _ in slots]
    return [
        table(0, _MATERIAL, 0x08811300, places),
        table(1, _BOOLEAN, 0x00821000, [1] * len(slots)),
        table(2, _TEXT, 0x00801000, [name or None for _, _, name in slots]),
        table(3, _INTEGER, 0x00801000, [number for number, _, _ in slots]),
        aliases([("material1", 0, 0)]),
        rollout(1),
    ]


def multi(name: str, count: int) -> list[ChunkTree]:
    """Return a Multi/Sub-Object material's own chunks."""
    return [head(name), (0x4005, b""), (0x4002, pack_values("I", count))]


# --- Bitmap --------------------------------------------------------------------------------------


def coordinates_block() -> list[ChunkTree]:
    """Return the old parameter block of UV coordinates that change nothing."""
    numbers = [old_float(v) for v in (0, 0, 1, 1, 0, 0, 0, 1, 1, 1)]
    return old_block(6, *numbers, old_int(1), old_float(0.0), old_float(0.0))


def coordinates() -> list[ChunkTree]:
    """Return UV coordinates of map channel 1 that repeat in both directions."""
    values = {0x9002: 0x50000003, 0x9003: 0, 0x9009: 4, 0x9005: 0, 0x9006: 0, 0x900B: 1}
    return [(chunk_id, pack_values("I", value)) for chunk_id, value in values.items()]


def output_block() -> list[ChunkTree]:
    """Return the old parameter block of a map's output that changes nothing."""
    return old_block(3, *(old_float(value) for value in (1.0, 0.0, 1.0, 1.0)))


def bitmap_block(path: str, size: tuple[int, int]) -> list[ChunkTree]:
    """Return block 0 of a Bitmap with the description of its file."""
    numbers = (0.0, 0.0, 1.0, 1.0, 1.0)
    settings = (0, 0, 0, 0, 2)
    description: list[ChunkTree] = [
        (0x1201, _description(size)),
        (0x1230, encode_text(path)),
    ]
    label = _FORMATS.get(path.rpartition(".")[2].lower())
    if label is not None:
        description.append((0x1240, encode_text(label)))
    return [
        *(record(n, _FLOAT, _ANIMATED_NUMBER, value) for n, value in enumerate(numbers)),
        record(5, _BOOLEAN, _FIXED, 0),
        record(6, _BOOLEAN, _FIXED, 0),
        *(record(7 + n, _INTEGER, _NUMBER, value) for n, value in enumerate(settings)),
        record(12, _BOOLEAN, _FIXED, 1),
        record(13, _BITMAP, _STRING, 1),
        (0x0003, description),
        record(14, _REFERENCE, 0x08810300, -1),
        record(15, _REFERENCE, 0x08810300, -1),
        record(16, _TEXT, 0x00800002, None),
        rollout(1),
    ]


def _description(size: tuple[int, int]) -> bytes:
    """Return size, aspect and gamma of a picture, then 58 bytes whose meaning is open."""
    rest = bytes.fromhex(
        "000000000000000000000000060000004001c80000000000000000000000ff7f0000ff7f"
        "01000000000000000000803f04000000000000000000"
    )
    return pack_values("HHff", *size, 1.0, 1.0) + rest


def bitmap_time() -> list[ChunkTree]:
    """Return block 1 of a Bitmap: how it runs in time."""
    return [
        record(0, _TIME, _NUMBER, 0),
        record(1, _FLOAT, _NUMBER, 1.0),
        record(2, _INTEGER, _NUMBER, 0),
        record(3, _BOOLEAN, _FIXED, 0),
        rollout(0),
    ]
