"""Scenes with parameter blocks, made by hand."""

from __future__ import annotations

from struct import pack

from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.scene import Scene

__all__ = [
    "CLASSES",
    "block2",
    "chunk",
    "head2",
    "old_block",
    "old_record",
    "owner",
    "record",
    "scene_of",
]

BLOCK1, BLOCK2, BOX, PHYSICAL, FLOAT, SCRIPTED, ATTRIBUTE, CONTAINER = range(8)

CLASSES = [
    ClassInfo(BLOCK1, "ParamBlock", ClassId(8), 0x8, -1),
    ClassInfo(BLOCK2, "ParamBlock2", ClassId(0x82), 0x82, -1),
    ClassInfo(BOX, "Box", ClassId(0x10), 0x10, -1),
    ClassInfo(PHYSICAL, "Physical", ClassId(0x3D6B1CEC, 0xDEADC001), 0xC00, -1),
    ClassInfo(FLOAT, "Bezier Float", ClassId(0x2007), 0x9003, -1),
    ClassInfo(SCRIPTED, "Any", ClassId(0x1234), 0xC00, -1),
    ClassInfo(ATTRIBUTE, "Attributes", ClassId(5, 6), 0x1160, -2),
    ClassInfo(CONTAINER, "Container", ClassId(0x5DDB3626, 0x23B708DB), 0x100, -1),
]


def chunk(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (container << 31)) + body


def scene_of(*objects: tuple[int, bytes]) -> Scene:
    """A scene of objects, each a class index and the chunks of the object."""
    body = b"".join(chunk(index, data, True) for index, data in objects)
    return Scene(chunk(0x2023, body, True), CLASSES, [])


def owner(*references: int, more: bytes = b"") -> bytes:
    """An object with a dense reference list."""
    return chunk(0x2034, pack(f"<{len(references)}i", *references)) + more


def old_record(number: int, value: bytes, code: int = 0x100, animatable: bool = False) -> bytes:
    mark = chunk(0x0004) if animatable else b""
    return chunk(0x0002, chunk(0x0003, pack("<i", number)) + mark + chunk(code, value), True)


def old_block(*records: bytes, references: tuple[int, ...] = ()) -> bytes:
    front = owner(*references) if references else b""
    count = chunk(0x0001, pack("<I", len(records)))
    return front + count + chunk(0x0005, pack("<H", 1)) + b"".join(records)


def record(
    param_id: int, code: int, *elements: bytes, flags: int = 0, generation: int = 0x100E
) -> bytes:
    """A record whose elements have their flag bytes in them; for a table, in the 64-bit form."""
    tab = pack("<BI", 0, len(elements)) if code & 0x800 else b""
    return chunk(generation, pack("<HIQ", param_id, code, flags) + tab + b"".join(elements))


def head2(count: int, *, class_index: int, block_id: int = 0, owner: int = -1) -> bytes:
    return chunk(0x0009, pack("<IHIHi", class_index, block_id, 1, count, owner))


def block2(
    *records: bytes,
    class_index: int = PHYSICAL,
    block_id: int = 0,
    owner_index: int = 0,
    references: tuple[int, ...] = (),
    more: bytes = b"",
    count: int | None = None,
) -> bytes:
    front = owner(*references) if references else b""
    number = len(records) if count is None else count
    front += head2(number, class_index=class_index, block_id=block_id, owner=owner_index)
    return front + b"".join(records) + more
