"""Streams of a new scene file other than Scene, as 3ds Max 6 writes them.

Layouts are measured; see docs/format/streams.md.  No registration data (chunk 0300 of ``Config``
2130) and no user or computer name is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_chunks import (
    ChunkTree,
    NewClass,
    Plugin,
    encode_text,
    pack_values,
)

__all__ = [
    "class_data",
    "class_directory",
    "config",
    "dll_directory",
    "document_information",
    "summary_information",
]

#: Build and release × 1000 of the program that the file says wrote it.
_BUILD: Final = (62, 6000)
_SUMMARY: Final = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
_DOCUMENT: Final = bytes.fromhex("02d5cdd59c2e1b10939708002b2cf9ae")
_USER: Final = bytes.fromhex("05d5cdd59c2e1b10939708002b2cf9ae")
_LANGUAGE: Final = 0x80000000
_UNICODE: Final = 1200


def _u32(*values: int) -> bytes:
    return pack_values(f"{len(values)}I", *values)


def _f32(*values: float) -> bytes:
    return pack_values(f"{len(values)}f", *values)


def dll_directory(plugins: Sequence[Plugin]) -> list[ChunkTree]:
    """Return the DLL directory."""
    entries: list[ChunkTree] = [
        (
            0x2038,
            [
                (0x2039, encode_text(plugin.description)),
                (0x2037, encode_text(plugin.file_name)),
            ],
        )
        for plugin in plugins
    ]
    return [(0x21C0, pack_values("2H", *_BUILD)), *entries]


def class_directory(
    classes: Sequence[NewClass], dll_index: Callable[[NewClass], int]
) -> list[ChunkTree]:
    """Return the class directory."""
    return [
        (
            0x2040,
            [
                (0x2060, pack_values("iIII", dll_index(new), new.a, new.b, new.superclass)),
                (0x2042, encode_text(new.name)),
            ],
        )
        for new in classes
    ]


def class_data() -> list[ChunkTree]:
    """Return the class data that every scene holds: of two built-in classes, both empty."""
    entries: list[tuple[tuple[int, int, int], Sequence[ChunkTree]]] = [
        ((0x1012, 0, 0x30), [(0x1388, b"")]),
        ((0x92AAB38C, 0, 0x60), []),
    ]
    return [(0x2100, [(0x2110, _u32(*identity)), (0x2120, data)]) for identity, data in entries]


# --- Config --------------------------------------------------------------------------------------


def config() -> list[ChunkTree]:
    """Return the configuration: 30 frames a second, frames 0 to 100, four viewports."""
    grid: list[ChunkTree] = [
        (0x0100, _f32(10.0) + _u32(10, 1)),
        (0x0400, _u32(7, 1)),
        (0x0200, _f32(5.0, 10.0) + _u32(3, 8, 1, 2, 3, 4, 0, 0, 0)),
        (0x0300, b""),
    ]
    # Ticks: 4800 a second, so 160 a frame.
    time: list[ChunkTree] = [
        (0x0010, _u32(30)),
        (0x0020, _u32(0)),
        (0x0030, _u32(1)),
        (0x0040, _u32(1)),
        (0x0050, _u32(0)),
        (0x0060, _u32(16000)),
        (0x0070, _u32(0)),
        (0x0100, [(0x0090, _u32(0))]),
        (0x0110, _u32(0)),
        (0x0120, _u32(1)),
    ]
    session: list[ChunkTree] = [(0x0100, _u32(0)), (0x0200, _u32(0)), (0x0400, _u32(1))]
    render: list[ChunkTree] = [
        (0x0005, _u32(1, 1, 0, 0, 0)),
        (0x0001, _u32(0)),
        (0x0002, _u32(4640)),
        (0x0003, _u32(0)),
        (0x0004, _u32(4640)),
        (0x0010, _u32(640)),
        (0x0020, _u32(480)),
        (0x0030, _f32(1.0)),
        (0x0031, _u32(0)),
    ]
    gamma: list[ChunkTree] = [
        (0x0100, _u32(0) + _f32(1.0, 1.0)),
        (0x0200, _u32(1, 1)),
        (0x0300, _u32(0, 0, 1, 0, 15, 0, 0)),
        (0x0400, _u32(16)),
        (0x0500, _u32(20)),
        (0x0800, b""),
    ]
    return [
        (0x2090, _u32(0)),
        (0x20E0, grid),
        (0x20A0, [(0x0100, _u32(0))]),
        (0x2190, [(0x0100, _u32(0))]),
        (0x20B0, time),
        (0x2130, [(0x0100, b""), (0x0120, b""), (0x0110, session)]),
        (0x2080, _viewports()),
        (0x20D0, render),
        (0x2160, gamma),
        (0x21A0, []),
        (0x2180, []),
        (0x2007, [(0x0010, _u32(0, 286))]),
    ]


def _view(kind: int, rows: Sequence[float], zoom: float = 1.0) -> bytes:
    """Return a view: orthographic or not, its kind, the view matrix, zoom and distance."""
    perspective = kind == 7
    flat = _u32(int(not perspective), kind) + _f32(*rows, zoom)
    distance = _f32(250.0) if perspective else _f32(0.0)
    return (flat + distance).ljust(80, b"\0")


_TOP: Final = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_FRONT: Final = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
_LEFT: Final = (0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
_SIDE: Final = 0.5**0.5
_USER_VIEW: Final = (
    _SIDE, 0.353553, -0.612372, _SIDE, -0.353553, 0.612372, 0.0, -0.866025, -0.5, 0.0, 0.0, -250.0,
)  # fmt: skip


def _viewports() -> list[ChunkTree]:
    """Return four viewports: top, front, left and perspective."""
    colors = chain(
        [(0x3010 + n, _u32(1)) for n in range(3)],
        [(0x3013, _u32(0))],
        [(0x3014 + n, _f32((0.9, 0.8, 0.7)[n // 3])) for n in range(9)],
        [(0x301D + n, _u32(1)) for n in range(3)],
        [(0x3020, _u32(0))],
    )
    saved = (_u32(0, 1) + _f32(0.0, *_TOP)[:52] + _u32(7)).ljust(112, b"\0")
    perspective = _view(7, _USER_VIEW, 0.785398)
    panes = (_view(2, _TOP), _view(4, _FRONT), _view(0, _LEFT), perspective)
    return [
        (0x2801, _u32(0)),
        (0x2900, _u32(99)),
        (0x2827, _u32(0x80)),
        (0x2828, _u32(0x20)),
        *colors,
        (0x28FA, saved * 8),
        (0x2910, _view(11, _TOP, 0.0)),
        (0x2911, _view(2, _TOP)),
        (0x2912, perspective),
        (0x2930, _u32(0)),
        (0x2931, _u32(6)),
        (0x2932, _u32(6)),
        (0x2800, _u32(0x74)),
        *((0x2810 + n, view) for n, view in enumerate(panes)),
        *chain.from_iterable(_pane(n) for n in range(4)),
        (0x2820, _u32(3)),
        (0x2826, encode_text("FL")),
        (0x2825, _u32(0, 2, 5, 3, 0) + _f32(592.0) + _u32(5)),
        (0x3038, _u32(0, 0, 0xFFFFFFFF, 1, 0, 50, 62, 0, 0, 0, 0, 0, 0, 1, 0)),
        (0x4114, _u32(0)),
        (0x4115, _f32(0.5, 0.5, 0.5)),
    ]


def _pane(number: int) -> list[ChunkTree]:
    """Return the settings of one viewport; each kind of leaf has four ids in a row."""
    margins = _f32(0.1, 0.1, 0.9, 0.9)
    leaves: list[tuple[int, bytes]] = [
        (0x3040, _f32(2.0, 0.5, 0.5)),
        (0x2876, b""),
        (0x3000, _u32(0)),
        (0x2830, _u32(6 if number < 3 else 0)),
        (0x283A, _u32(1)),
        (0x2836, _u32(0)),
        (0x2840, _u32(1)),
        (0x28F4, _u32(0xFFFFFFFF)),
        (0x2846, _u32(0)),
        (0x2870, _u32(1)),
        (0x2861, _u32(0)),
        (0x2890, margins),
        (0x28A0, margins),
        (0x28B1, _u32(0)),
        (0x28B5, _u32(1)),
        (0x28C1, _u32(1)),
        (0x28C5, _u32(16)),
        (0x28C9, _u32(32)),
        (0x3030, _u32(0, 5)),
        (0x28CD, _u32(0)),
        (0x3054, _u32(0)),
        (0x305C, _u32(0)),
        (0x3058, _u32(0x10000)),
        (0x3060, _u32(0)),
        (0x3064, _u32(0)),
        (0x3068, _f32(1.0)),
        (0x4080, _u32(0)),
        (0x4000, _u32(16)),
        (0x4040, _f32(1.0)),
        (0x4100, _u32(0, 0, 0, 0, 30, 1, 0, 0, 0, 0)),
        (0x3004, bytes(12)),
        (0x3008, _f32(1.0)),
        (0x4110, _f32(1.0)),
    ]
    return [(leaf + number, value) for leaf, value in leaves]


# --- property sets -------------------------------------------------------------------------------


def summary_information(title: str, thumbnail: tuple[int, int, bytes] | None) -> bytes:
    """Return the summary property set.

    Args:
        title: Title of the document; empty for none.
        thumbnail: Width, height and pixels of a picture: bottom row first, blue, green, red,
            rows padded to 4 bytes.
    """
    values = _head()
    if title:
        values.append((2, _u32(30) + _string(title)))
    if thumbnail is not None:
        values.append((17, _picture(*thumbnail)))
    return _property_set((_SUMMARY, _section(values, 8 if thumbnail else 0)))


def document_information(
    names: Sequence[str], materials: Sequence[str], plugins: Sequence[str], *, compressed: bool
) -> bytes:
    """Return the document property set: version, what the scene holds, and its plug-ins."""
    general = ["3ds max Version: 6.00", "Compressed" if compressed else "Uncompressed"]
    render = ["Render Width=640", "Render Height=480", "Render Aspect=1.00"]
    parts: dict[str, Sequence[str]] = {
        "General": general,
        "Mesh Totals": ["Vertices: 0", "Faces: 0"],
        "Scene Totals": [
            f"Objects: {len(names)}",
            "Shapes: 0",
            "Lights: 0",
            "Cameras: 0",
            "Helpers: 0",
            "Space Warps: 0",
            f"Total: {len(names)}",
        ],
        "External Dependencies": [],
        "Objects": names,
        "Materials": materials,
        "Used Plug-Ins": plugins,
        "Render Data": render,
    }
    pairs = [_u32(30) + _string(heading) + _u32(3, len(texts)) for heading, texts in parts.items()]
    texts = [text for heading in parts.values() for text in heading]
    values = _head()
    values.append((12, _u32(0x100C, 2 * len(pairs)) + b"".join(pairs)))
    values.append((13, _u32(0x101E, len(texts)) + b"".join(map(_string, texts))))
    return _property_set((_DOCUMENT, _section(values, 8)), (_USER, _section(_head(), 0)))


def _head() -> list[tuple[int, bytes]]:
    """Return code page (UTF-16) and language (US English) of a section."""
    return [(1, _u32(2, _UNICODE)), (_LANGUAGE, _u32(19, 0x0409))]


def _string(text: str) -> bytes:
    """Return the length in bytes and the text, with its NUL, padded to 4 bytes."""
    body = encode_text(text) + b"\0\0"
    return _u32(len(body)) + body + bytes(-len(body) % 4)


def _section(values: Sequence[tuple[int, bytes]], gap: int) -> bytes:
    """Return a section; ``gap`` is the number of zero bytes in front of the first value."""
    table, body, offset = b"", b"", 8 + 8 * len(values) + gap
    for key, value in values:
        table += _u32(key, offset + len(body))
        body += value + bytes(-len(value) % 4)
    return _u32(offset + len(body), len(values)) + table + bytes(gap) + body


def _property_set(*sections: tuple[bytes, bytes]) -> bytes:
    head = pack_values("HHI", 0xFFFE, 0, 0x00020005) + bytes(16) + _u32(len(sections))
    offset, table = 28 + 20 * len(sections), b""
    for identity, body in sections:
        table += identity + _u32(offset)
        offset += len(body)
    return head + table + b"".join(body for _, body in sections)


def _picture(width: int, height: int, pixels: bytes) -> bytes:
    """Return a thumbnail: a metafile with one record that holds a bitmap."""
    stride = (3 * width + 3) & ~3
    if not (0 < width < 0x8000 and 0 < height < 0x8000) or len(pixels) != stride * height:
        raise EditError(
            "the thumbnail has the wrong size", expected=stride * height, found=len(pixels)
        )
    bitmap = pack_values("IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0) + pixels
    record = (
        _u32((28 + len(bitmap)) // 2)
        + pack_values("HIH", 0x0F43, 0x00CC0020, 0)
        + pack_values("8h", height, width, 0, 0, height, width, 0, 0)
        + bitmap
    )
    record += bytes(len(record) % 2)
    words = len(record) // 2
    end = _u32(3) + pack_values("H", 0)
    metafile = pack_values("HHHIHIH", 1, 9, 0x300, 9 + words + 3, 0, words, 0) + record + end
    value = pack_values("iI", -1, 3) + pack_values("4H", 1, width, height, 0) + metafile
    return _u32(71, len(value)) + value
