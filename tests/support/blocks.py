"""Parameter blocks as chunk trees, for :class:`tests.support.scenes.SceneMaker`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support.scenes import SceneMaker, f32

BLOCK1 = (0x8, 0, 0x8)
BLOCK2 = (0x82, 0, 0x82)
OWNER = 0x100

FLOAT, INTEGER, COLOR, BOOLEAN, PERCENT, STRING = 0, 1, 2, 4, 6, 8
MATERIAL, TEXTURE, FRGBA, TAB = 14, 15, 23, 0x800


def old_block(maker: SceneMaker, values: Sequence[float | tuple[float, ...] | int | None]) -> int:
    """Add an old block; a float, colour, boolean, integer each; ``None`` leaves a number out."""
    records: list[ChunkTree] = []
    for number, value in enumerate(values):
        if value is None:
            continue
        if isinstance(value, tuple):
            stored: ChunkTree = (0x0102, f32(*value))
        elif isinstance(value, bool):
            stored = (0x0104, pack("<i", value))
        elif isinstance(value, float):
            stored = (0x0100, f32(value))
        else:
            stored = (0x0101, pack("<i", value))
        records.append((0x0002, [(0x0003, pack("<i", number)), stored]))
    head: list[ChunkTree] = [(0x0001, pack("<I", len(records))), (0x0005, b"\1\0")]
    return maker.add(BLOCK1, [*head, *records])


def _element(kind: int, value: object) -> bytes:
    kind &= ~TAB
    if kind in (COLOR, FRGBA):
        return f32(*value)  # type: ignore[misc]
    if kind in (FLOAT, PERCENT):
        return f32(value)  # type: ignore[arg-type]
    if kind == STRING:
        body = f"{value}\0".encode("utf-16-le")
        return pack("<i", len(body)) + body
    return pack("<i", -1 if value is None else value)


def new_block(
    maker: SceneMaker,
    owner: tuple[int, int, int],
    values: Mapping[int, tuple[int, object]],
    block_id: int = 0,
    aliases: Sequence[tuple[str, int, int]] = (),
    controllers: Sequence[int] = (),
) -> int:
    """Add a ParamBlock2 of an owner class: type and value by parameter id.

    References are of the kind that the owner holds: storage index of the target.  Aliases are
    (name, parameter, position).  A number that is ``None`` has the next of the controllers.
    """
    records: list[ChunkTree] = []
    for param_id, (kind, value) in values.items():
        flags = OWNER if kind & ~TAB in (MATERIAL, TEXTURE) else 0
        body = pack("<HIQ", param_id, kind, flags)
        items = value if kind & TAB else [value]
        if kind & TAB:
            body += pack("<BI", 0, len(items))  # type: ignore[arg-type]
        for item in items:  # type: ignore[attr-defined]
            controlled = item is None and kind & ~TAB in (FLOAT, PERCENT)
            body += b"\0" if controlled else b"\x40" + _element(kind, item)
        records.append((0x100E, body))
    a, b, superclass = owner
    head = pack("<IIIHIHi", a, b, superclass, block_id, 1, len(records), -1)
    tail: list[ChunkTree] = []
    if aliases:
        table = pack("<I", len(aliases))
        for name, parameter, position in aliases:
            text = f"{name}\0".encode("utf-16-le")
            table += pack("<I", len(text)) + text + pack("<Hi", parameter, position)
        tail = [(0x1005, table)]
    return maker.add(BLOCK2, [(0x000B, head), *records, *tail], controllers)
