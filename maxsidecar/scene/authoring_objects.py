"""Classes and chunk layouts of new objects, as scenes of 3ds Max 6 have them.

Every layout is measured on the scenes with root id 2009 in the corpus (Dummy: on those with root
ids 2008 and 200a, since it occurs in none of 2009); values whose meaning is open are the ones that
a fresh scene has.  ``tests/unit/scene/test_authoring.py`` compares them with the real scenes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maxsidecar.scene.authoring_checks import number, numbers
from maxsidecar.scene.authoring_chunks import (
    ChunkTree,
    NewClass,
    Plugin,
    encode_text,
    pack_values,
)
from maxsidecar.scene.authoring_parameters import old_block, old_float, old_int

_CONTROLLERS: Final = Plugin("Standard controllers (Discreet)", "ctrl.dlc")
_PRIMITIVES: Final = Plugin("Standard primitive objects (Discreet)", "prim.dlo")
_KERNELS: Final = Plugin("Standard pre-filter kernels (Discreet)", "kernel.dlk")
_RENDERER: Final = Plugin("Default scanline renderer (Discreet)", "rend.dlr")

MATERIAL_EDITOR: Final = NewClass("Material Editor", 0xC80, 0, 0x100)
MATERIAL_LIBRARY: Final = NewClass("MtlBaseLib", 0x3333, 0, 0x100)
SOUND: Final = NewClass("Default Sound", 1, 0, 0xD00)
ROOT_NODE: Final = NewClass("RootNode", 2, 0, 0x1)
NODE: Final = NewClass("Node", 1, 0, 0x1)
LAYER: Final = NewClass("Base Layer", 0x7E9858FE, 0x1DBA1DF0, 0x10F0)
PARAM_BLOCK: Final = NewClass("ParamBlock", 8, 0, 0x8)
BEZIER_FLOAT: Final = NewClass("Bezier Float", 0x2007, 0, 0x9003)
BEZIER_COLOR: Final = NewClass("Bezier Color", 0x2011, 0, 0x9005)
BEZIER_SCALE: Final = NewClass("Bezier Scale", 0x2010, 0, 0x900D)
POSITION_XYZ: Final = NewClass("Position XYZ", 0x118F7E02, 0xFFEE238A, 0x900B, _CONTROLLERS)
EULER_XYZ: Final = NewClass("Euler XYZ", 0x2012, 0, 0x900C, _CONTROLLERS)
PRS: Final = NewClass("Position/Rotation/Scale", 0x2005, 0, 0x9008)
BOX: Final = NewClass("Box", 0x10, 0, 0x10, _PRIMITIVES)
SPHERE: Final = NewClass("Sphere", 0x11, 0, 0x10, _PRIMITIVES)
DUMMY: Final = NewClass("Dummy", 0x876234, 0, 0x50)
AREA: Final = NewClass("Area", 0x77912301, 0, 0x10A0, _KERNELS)
SCANLINE: Final = NewClass("Default Scanline Renderer", 1, 0, 0xF00, _RENDERER)
RENDER_ELEMENTS: Final = NewClass("RenderElementMgr", 0x46576167, 0x06546546, 0x200)
RENDER_ENVIRONMENT: Final = NewClass("RenderEnvironment", 0xEE448B23, 0, 0x1010)
NAMED_SELECTIONS: Final = NewClass("NamedSelSetList", 0x8D52, 0, 0x100)
TRACK_NODE: Final = NewClass("TVNode", 0x8D73B8AA, 0x90F2EE71, 0x200)
GRID: Final = NewClass("Grid Reference", 1, 0, 0xFFFFFE00)
EFFECTS: Final = NewClass("RenderEffects", 0x17356912, 0, 0x1090)
SHADOW_MAP: Final = NewClass("Shadow Map", 0x100, 0, 0x10D0, _RENDERER)
LAYER_MANAGER: Final = NewClass("Layer Manager", 0x0D7374FC, 0x51FF028E, 0)
SCENE: Final = NewClass("Scene", 0x2222, 0, 0x100)

#: Chunks that end every Bezier controller without keys.
_NO_KEYS_RANGE: Final = pack_values("ii", -0x80000000, -0x80000000)
#: Advanced lighting settings of a fresh node or layer.
_LIGHTING: Final = bytes.fromhex("00000100000100007a44000101010100000000803f")
#: The empty 2D box of the schematic view.
_EMPTY_BOX: Final = pack_values("4f", 1e30, 1e30, -1e30, -1e30)

#: An output of 640 x 480 pixels without a file.
_OUTPUT: Final = bytes.fromhex(
    "8002e0010000803f0000803f000000000000000000000000000000004001c800"
    "00000000000000000000ff7f0000ff7f01000000000000000000803f14000000000000000000"
)


def _u32(*values: int) -> bytes:
    return pack_values(f"{len(values)}I", *values)


def _f32(*values: float) -> bytes:
    return pack_values(f"{len(values)}f", *values)


def _vector(values: Sequence[float]) -> bytes:
    return _f32(*numbers(values, "a vector", 3))


# --- controllers ---------------------------------------------------------------------------------


def _bezier(value_id: int, value: bytes, flags: int) -> list[ChunkTree]:
    return [
        (value_id, value),
        (0x2500, bytes(8)),
        (0x3002, _u32(flags)),
        (0x3003, _NO_KEYS_RANGE),
        (0x2532, b""),
        (0x2533, b""),
        (0x2534, b""),
        (0x3005, _u32(0x186)),
    ]


def bezier_float(value: float) -> list[ChunkTree]:
    """Return a float controller without keys."""
    return _bezier(0x2501, _f32(value), 0)


def bezier_color(level: float) -> list[ChunkTree]:
    """Return a colour controller without keys; ``level`` is the grey value from 0 to 1."""
    return _bezier(0x2501, _f32(level, level, level), 0x20)


def bezier_scale(scale: Sequence[float]) -> list[ChunkTree]:
    """Return a scale controller without keys: three factors, then the axis rotation."""
    return _bezier(0x2505, _vector(scale) + _f32(0.0, 0.0, 0.0, 1.0), 0)


# --- parametric objects --------------------------------------------------------------------------


def box_parameters(length: float, width: float, height: float) -> list[ChunkTree]:
    """Return the parameter block of a Box: three sizes, three segment counts, mapping on."""
    sizes = [old_float(size) for size in (length, width, height)]
    return old_block(1, *sizes, old_int(1), old_int(1), old_int(1), old_int(1, animatable=False))


def sphere_parameters(radius: float, segments: int) -> list[ChunkTree]:
    """Return the parameter block of a Sphere: radius, segments, smoothing and slicing."""
    return old_block(
        3,
        old_float(radius),
        old_int(segments),
        (0x0104, _u32(1), True),
        old_float(0.0),
        old_int(0, animatable=False),
        old_int(0, animatable=False),
        old_int(1, animatable=False),
        old_int(0, animatable=False),
        old_float(0.0),
        old_float(0.0),
    )


def shadow_parameters() -> list[ChunkTree]:
    """Return the parameter block of the default shadow map."""
    off = (0x0104, _u32(0), False)
    return old_block(2, old_int(512), old_float(4.0), old_float(1.0), old_int(0), off)


def dummy(size: float) -> list[ChunkTree]:
    """Return a Dummy whose box has an edge length, around its pivot."""
    half = number(size, "the size of a Dummy") / 2
    corners = _f32(-half, -half, -half, half, half, half)
    return [(0x09EC, bytes(4)), (0x09ED, corners), (0x09EE, _f32(1.2 / 2, 0.8, 1.0))]


# --- nodes and layers ----------------------------------------------------------------------------


def node(
    *,
    name: str,
    parent: int,
    flags: int,
    marks: Sequence[int],
    user_text: str,
    superclass: int,
    wire_color: tuple[int, int, int],
    handle: int,
) -> list[ChunkTree]:
    """Return a node's chunks behind its references; ``marks`` are the partner chunks of flags."""
    schematic: list[ChunkTree] = [
        (0x0001, _u32(0)),
        (0x0002, _u32(0)),
        (0x0003, _u32(3)),
        (0x0004, _u32(2)),
        (0x0005, _u32(0)),
        (0x0006, _EMPTY_BOX),
        (0x0007, _u32(0)),
        (0x0008, _u32(0)),
    ]
    return [
        (0x09CE, _u32(600)),
        (0x0960, pack_values("iI", parent, flags)),
        (0x0962, encode_text(name)),
        (0x09BA, encode_text(user_text)),
        (0x0963, _u32(superclass, superclass)),
        (0x096A, _f32(0.0, 0.0, 0.0)),
        (0x096B, _f32(0.0, 0.0, 0.0, 1.0)),
        (0x096C, _f32(1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
        (0x0974, pack_values("4B", *wire_color, 0)),
        (0x099C, _u32(0x0F00D600)),
        (0x0A28, bytes(8)),
        *((mark, b"") for mark in marks),
        (0x0A32, _u32(handle)),
        (0x0ABE, _u32(0)),
        (0x0AC3, _u32(1)),
        (0x0AD2, [(0x0006, _LIGHTING)]),
        (0x0ADC, [(0x0001, pack_values("H", 0)), (0x0002, b"\1")]),
        (0x0AF0, schematic),
    ]


def layer(name: str) -> list[ChunkTree]:
    """Return a layer with the look of the default layer."""
    return [
        (0x1000, _u32(1)),
        (0x1010, name.encode("ascii")),
        (0x1030, bytes((0xE3, 0x98, 0x98, 0))),
        (0x1020, _u32(0x00800000)),
        (0x1040, _u32(0)),
        (0x1050, _u32(0x0B00D600)),
        (0x1060, _f32(1.0, 1.0) + b"\1"),
        (0x1070, [(0x0006, _LIGHTING)]),
    ]


# --- what every scene holds ----------------------------------------------------------------------


def material_editor() -> list[ChunkTree]:
    """Return a material editor of 6 by 4 slots."""
    return [
        (0x9010, _u32(6, 4)),
        (0x9030, bytes(96)),
        (0x09C0, _u32(0)),
        (0x90B0, _u32(2)),
        (0x09D0, _u32(0)),
    ]


def sound() -> list[ChunkTree]:
    """Return the default sound object, a metronome of 60 beats a minute that is off."""
    return [
        (0x5000, _u32(60)),
        (0x5001, _u32(4)),
        (0x5003, _u32(0)),
        (0x5004, _u32(0)),
        (0x5002, b""),
        (0x5005, _u32(0x80000000)),
        (0x5009, _u32(0x80000000)),
    ]


def scanline_renderer() -> list[ChunkTree]:
    """Return the default renderer with its default settings."""
    return [
        (0x0002, b""),
        (0x0020, b""),
        (0x0072, b""),
        (0x1000, _u32(1)),
        (0x0007, _f32(1.0)),
        (0x0008, _f32(1.0)),
        (0x0009, _u32(10)),
        (0x000A, _u32(10)),
        (0x000B, _f32(0.5)),
        (0x0030, _f32(0.5)),
        (0x000D, _u32(1)),
        (0x0060, _f32(1.5)),
        (0x0077, _u32(0x25773211, 0)),
        (0x0074, b""),
        (0x0075, b""),
        (0x0071, _f32(0.5)),
        (0x0076, _f32(0.1)),
        (0x0080, _u32(0)),
    ]


def render_elements(number: int) -> list[ChunkTree]:
    """Return a list of render elements that is empty; 0 for the first, 1 for the second."""
    return [
        (0x1200, b"\1"),
        (0x1210, _u32(0)),
        (0x1240, _u32(number)),
        (0x1220, _u32(0)),
        (0x1230, _u32(100, 55, 37, 90, 500)),
        (0x1240, _u32(number)),
        (0x1250, b"\1"),
        (0x1260, b"\0"),
    ]


def _render_preset(elements: int | None) -> list[ChunkTree]:
    """Return one set of render settings: 640 x 480, one frame."""
    nested: list[ChunkTree] = [] if elements is None else [(0x05C0, render_elements(elements))]
    return [
        (0x0100, _u32(0x501)),
        (0x0110, _u32(0)),
        (0x0120, _u32(16000)),
        (0x0130, _u32(1)),
        (0x0135, _u32(0)),
        (0x0140, _u32(1)),
        (0x0150, _u32(0)),
        (0x0160, _u32(0)),
        (0x0170, _u32(0)),
        (0x0180, _u32(0x50F)),
        (0x0199, _u32(0x2803)),
        (0x0190, _u32(640)),
        (0x0200, _u32(480)),
        (0x0210, _f32(1.0)),
        (0x0440, _f32(36.0)),
        (0x0500, _u32(640)),
        (0x0510, _u32(480)),
        (0x0520, _f32(1.0)),
        (0x0530, _f32(36.0)),
        (0x0220, _u32(0)),
        (0x0240, _u32(0)),
        (0x0290, _u32(0)),
        (0x0310, _u32(0)),
        (0x0320, _u32(0)),
        (0x0330, _u32(1)),
        (0x0338, _u32(1)),
        (0x05B0, _u32(1)),
        (0x05D0, b"\1"),
        (0x05E0, b"\0"),
        (0x0340, encode_text("1,3,5-12")),
        (0x0400, [(0x1201, _OUTPUT)]),
        (0x0410, [(0x1201, _OUTPUT)]),
        *nested,
        (0x0600, _u32(0, 0, 1, 0, 1).ljust(800, b"\0")),
    ]


def render_environment() -> list[ChunkTree]:
    """Return the render settings: production, draft and one more preset."""
    presets: list[ChunkTree] = [
        (0x2000, _render_preset(0)),
        (0x2100, _render_preset(1)),
        (0x2300, _render_preset(None)),
        (0x2400, _u32(0)),
        (0x2500, b"\1"),
    ]
    return [
        (0x0100, _u32(0)),
        (0x2000, _u32(7)),
        (0x0120, _u32(0)),
        (0x0110, presets),
        (0x3000, _u32(0)),
    ]


def track_root() -> list[ChunkTree]:
    """Return the root of the track view, with one empty node for Video Post."""
    return [
        (0x0140, b""),
        (0x0110, encode_text("Video Post")),
        (0x0120, _u32(0x482B8D30, 0xB72C8511)),
        (0x0130, _u32(0)),
    ]


def scene() -> list[ChunkTree]:
    """Return the Scene object: 4800 ticks a second, one unit is one millimetre."""
    return [
        (0x8500, _u32(2)),
        (0x8530, _u32(2)),
        (0x8510, _u32(4800)),
        (0x8520, _u32(3) + _f32(1.0)),
        (0x9000, _u32(2)),
        (0x9600, _u32(0)),
    ]
