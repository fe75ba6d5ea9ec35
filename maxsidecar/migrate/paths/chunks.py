"""Paths in chunks of the ``Scene`` stream outside parameter blocks.

Where they are was measured: docs/format/paths.md.  Every occurrence of a chunk is found, not only
the first of its container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from maxsidecar.errors import ChunkError
from maxsidecar.io.chunks import Chunk
from maxsidecar.migrate.paths.leaves import LeafHolder
from maxsidecar.migrate.paths.looks import kind_of
from maxsidecar.migrate.paths.parameters import WRITERS, owner_of
from maxsidecar.migrate.paths.place import OUTPUT, Holder, label
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block import ParamBlockBase

__all__ = ["BITMAP_PATH", "KNOWN", "KnownLeaf", "bitmap_holders", "known_holders", "known_leaves"]

_RENDERING: Final = 0x1010
_HEAD_SIZE: Final = 70
_HEAD: Final = 0x1201
_PATH: Final = 0x1230
#: Where a description of a bitmap may hold a path: a leaf of less than 64 KiB, narrow or wide.
BITMAP_PATH: Final = re.compile(rb"\x30\x12(?:..\0\0|\0{4}..\0{6})", re.DOTALL)

#: Deeper than any description of a bitmap is.
_DEEPEST: Final = 12


@dataclass(frozen=True, slots=True)
class KnownLeaf:
    """A leaf that holds a path, in a class of objects.

    Attributes:
        class_a: First half of the class id.
        class_b: Second half, ``None`` where it was not measured.
        ids: Chunk ids on the way down; several ids for one level are alternatives.
        field: What it is called.
        kind: Kind of file; empty goes by the extension.
        wide: Whether the text is UTF-16; ``None`` where files tell.
    """

    class_a: int
    class_b: int | None
    ids: tuple[tuple[int, ...], ...]
    field: str
    kind: str = ""
    wide: bool | None = True


#: Leaves that hold a path and nothing else, by class.  The lower half was measured on a larger set
#: of scenes than the one that the tests use.
KNOWN: Final = (
    KnownLeaf(0x7D32009, 0x6187DB21, ((0x3,), (0x6,), (0xA,)), "path"),
    KnownLeaf(0x4A0C66E1, 0x1513165, ((0x200,), (0x200,), (0x210,)), "path", "bitmap"),
    KnownLeaf(0x46576167, 0x6546546, ((0x1270,),), "output_path", OUTPUT),
    KnownLeaf(
        0xEE448B23, 0, ((0x110,), (0x2000, 0x2100, 0x2300), (0x5C0,), (0x1270,)), "output_path",
        OUTPUT,
    ),
    KnownLeaf(0xEE448B23, 0, ((0x110,), (0x5C0,), (0x1270,)), "output_path", OUTPUT),
    KnownLeaf(0xEE448B23, 0, ((0x110,), (0x7000,), (0x7012,)), "config_path"),
    KnownLeaf(0xEE448B23, 0, ((0x7000,), (0x7012,)), "config_path"),
    KnownLeaf(0x56AE72E5, 0x389B6659, ((0xD,),), "rig_file", "file", None),
    KnownLeaf(0x20542FE5, None, ((0x1388, 0x1392, 0x13B0),), "path", "", None),
    KnownLeaf(0x182553A8, None, ((0x120,),), "path", "", None),
    KnownLeaf(0x6E431896, None, ((0x71,),), "path", "", None),
)  # fmt: skip


def known_leaves(obj: SceneObject) -> list[KnownLeaf]:
    """Return the leaves of an object's class that hold paths."""
    class_id = obj.class_id
    if class_id is None:
        return []
    return [
        leaf for leaf in KNOWN if leaf.class_a == class_id.a and leaf.class_b in (None, class_id.b)
    ]


def known_holders(obj: SceneObject) -> Iterator[Holder]:
    """Yield the leaves of an object that hold paths by its class."""
    for leaf in known_leaves(obj):
        for chunk in _below(obj.data.chunks(), leaf.ids):
            kind = leaf.kind
            if not kind:
                kind = _kind(chunk)
            yield LeafHolder(
                obj.data,
                chunk,
                obj.scene.code_page,
                wide=leaf.wide,
                field=leaf.field,
                kind=kind,
                owner=label(obj),
                index=obj.index,
            )


def _kind(chunk: Chunk) -> str:
    """Return the kind of file that a text of either form names."""
    return kind_of(bytes(chunk.data).replace(b"\0", b"").decode("latin-1"))


def _below(chunks: Iterator[Chunk], ids: tuple[tuple[int, ...], ...]) -> Iterator[Chunk]:
    for chunk in chunks:
        if chunk.id not in ids[0]:
            continue
        if len(ids) == 1:
            if not chunk.container:
                yield chunk
        elif chunk.container:
            yield from _below(chunk.chunks(), ids[1:])


def bitmap_holders(obj: SceneObject) -> Iterator[Holder]:
    """Yield the paths in descriptions of bitmaps, wherever in the object they are.

    A description is a container with the head of 70 bytes and the path beside it.
    """
    data = obj.data.data

    def containers(chunks: list[Chunk], depth: int) -> list[tuple[Chunk, int]]:
        """Return the containers with what may be a path in them, the last one first."""
        return [
            (chunk, depth)
            for chunk in reversed(chunks)
            if chunk.container and BITMAP_PATH.search(data, chunk.body, chunk.end)
        ]

    pending = containers(list(obj.data.chunks()), 0)
    owner: tuple[str, int | None] | None = None
    while pending:
        chunk, depth = pending.pop()
        try:
            children = list(chunk.chunks())
        except ChunkError:
            continue  # a damaged container is reported by whoever checks the object
        heads = [c for c in children if c.id == _HEAD and len(c.data) == _HEAD_SIZE]
        if heads:
            if owner is None:
                owner = owner_of(obj) if isinstance(obj, ParamBlockBase) else (label(obj), None)
            for child in children:
                if child.id == _PATH and not child.container:
                    kind = "bitmap"
                    if obj.superclass == _RENDERING or owner[1] in WRITERS:
                        kind = OUTPUT
                    yield LeafHolder(
                        obj.data,
                        child,
                        obj.scene.code_page,
                        wide=True,
                        field="bitmap path",
                        kind=kind,
                        owner=owner[0],
                        index=obj.index,
                    )
        if depth < _DEEPEST:
            pending += containers(children, depth + 1)
