"""What objects of a scene look like: ids and sizes of their chunks, to compare new with real."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject

Shape: TypeAlias = tuple[object, ...]


def shape(chunk: Chunk) -> Shape:
    """Ids of a chunk and all below it, with the sizes of leaves."""
    if not chunk.container:
        return (chunk.id, len(chunk.data))
    return (chunk.id, *(shape(child) for child in chunk.chunks()))


#: Leaves whose size is that of a text or a list, or of whatever the user put there.
VARIABLE = {0x0962, 0x09BA, 0x1010, 0x2034, 0x2035, 0x0110, 0x0120}


def object_shape(obj: SceneObject, drop: frozenset[int]) -> Shape:
    out: list[object] = []
    for chunk in obj.data.chunks():
        if chunk.id in drop:
            continue
        out.append(chunk.id if chunk.id in VARIABLE and not chunk.container else shape(chunk))
    return tuple(out)


def kind(obj: SceneObject, owners: dict[int, str]) -> str:
    """Class of an object, and for a parameter block that of its owner."""
    name = f"{obj.class_id}/{obj.superclass}"
    return f"{name} of {owners.get(obj.index)}" if obj.superclass == 8 else name


def owners_of(file: MaxFile) -> dict[int, str]:
    return {
        target: f"{obj.class_id}/{obj.superclass}"
        for obj in file.scene
        for target in obj.references.values()
    }


def shapes(file: MaxFile, drop: frozenset[int]) -> Iterator[tuple[str, Shape]]:
    owners = owners_of(file)
    for obj in file.scene:
        yield kind(obj, owners), object_shape(obj, drop)


#: Chunks that depend on what refers to what: references, block header, custom attributes, AppData.
LINKS = frozenset({0x2034, 0x2035, 0x0009, 0x21B0, 0x2150})


def layout(chunk: Chunk, sized: frozenset[int], values: bool) -> Shape:
    """Ids of a chunk and all below it; of leaves the bytes, or the size, as asked for.

    Records of parameter blocks always keep id, type and flags.  Of the ids in ``sized`` neither
    bytes nor size count.
    """
    if chunk.container:
        return (chunk.id, *(layout(child, sized, values) for child in chunk.chunks()))
    if chunk.id in sized:
        return (chunk.id,)
    data = bytes(chunk.data)
    if values:
        return (chunk.id, data)
    return (chunk.id, len(data), data[:10] if chunk.id == 0x000A else b"")


def object_layout(obj: SceneObject, sized: frozenset[int], values: bool = False) -> Shape:
    """The layout of an object without what links it to others."""
    chunks = [c for c in obj.data.chunks() if c.id not in LINKS]
    return tuple(layout(chunk, sized, values) for chunk in chunks)


def roles(file: MaxFile) -> dict[int, str]:
    """Class and superclass of each object, with its first owner and slot for parameter blocks."""
    owners: dict[int, str] = {}
    for obj in file.scene:
        for slot, target in obj.references.items():
            owners.setdefault(target, f"{obj.class_id}/{obj.superclass:x} {slot}")
    out = {}
    for obj in file.scene:
        name = f"{obj.class_id}/{obj.superclass:x}"
        block = obj.superclass in (0x8, 0x82)
        out[obj.index] = f"{name} of {owners.get(obj.index)}" if block else name
    return out
