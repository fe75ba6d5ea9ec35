"""Places of storage indices that are found by more than a path of chunk ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from struct import Struct
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.records import (
    CONSTANT,
    OWNER_REFERENCE,
    RECORDS,
    Element,
    ParamRecord,
    RecordCodec,
)
from maxsidecar.scene.params.types import TAB, TYPES, Kind
from maxsidecar.scene.restructure.places import (
    NONE,
    Change,
    Held,
    chunks_at,
    outermost,
    replace_bodies,
)

__all__ = ["OwnerReferences", "SkinnedNodes"]

#: Type and flags of a record, behind its id.
_HEAD: Final = Struct("<II")
_I32: Final = Struct("<i")
# The text of a record is kept byte by byte, so any 8-bit code page does.
_CODECS: Final = {chunk_id: RecordCodec(chunk_id, "latin-1") for chunk_id in RECORDS}
_REFERENCE_TYPES: Final = frozenset(c for c, t in TYPES.items() if t.kind is Kind.REFERENCE)


class OwnerReferences:
    """Records of a ParamBlock2 that name an object which the owner of the block refers to.

    Such a record has bit 0x100 in its flags; its value is a storage index, -1 for none (measured).
    """

    name: Final = "a parameter"
    starts: Final = frozenset(RECORDS)
    kinds: Final[frozenset[int]] = frozenset()
    likely: Final = False

    def _records(self, obj: SceneObject) -> Iterator[tuple[Chunk, ParamRecord]]:
        data = obj.data
        body = memoryview(data.data)
        for position, span in enumerate(data.top()):
            chunk_id, _, start, end, container, _ = span
            if chunk_id not in RECORDS or container or end - start < 10:
                continue
            code, flags = _HEAD.unpack_from(body, start + 2)
            if flags & OWNER_REFERENCE and code & ~TAB in _REFERENCE_TYPES:
                yield Chunk(data, None, position, span), _CODECS[chunk_id].decode(body[start:end])

    def read(self, obj: SceneObject) -> Iterator[Held]:
        """Yield the indices."""
        for _, record in self._records(obj):
            for flag, index in record.elements:
                if flag & CONSTANT and index != NONE:
                    yield Held(index, owns=True)

    def rewrite(self, obj: SceneObject, change: Change) -> None:
        """Put the new indices there."""

        def renewed(element: Element) -> Element:
            flag, index = element
            if not flag & CONSTANT or index < 0:
                return element
            new = change(index)
            return flag, NONE if new is None else new

        bodies: list[tuple[Chunk, bytes]] = []
        for chunk, record in self._records(obj):
            elements = tuple(renewed(element) for element in record.elements)
            if elements != record.elements:
                _CODECS[chunk.id].verified(chunk.data)
                body = _CODECS[chunk.id].encode(replace(record, elements=elements))
                bodies.append((chunk, body))
        replace_bodies(obj, bodies)


class SkinnedNodes:
    """The node of a skinned mesh, in what a stack keeps for its Skin modifier.

    Chunk 0510 in the local data; other modifiers may have a chunk with that id, too, so the class
    of the modifier decides.  There is one context 2500 for each modifier (measured).
    """

    _skin = (0x0095C723, 0x00015666)
    _path = (0x2500, 0x2512, 0x0510)
    name: Final = "the skinned node"
    starts: Final = _path[:1]
    kinds: Final = frozenset((0x1,))
    likely: Final = True

    def _leaves(self, obj: SceneObject) -> Iterator[Chunk]:
        contexts = [chunk.position for chunk in outermost(obj, self._path[0])]
        for chunk in chunks_at(obj, self._path):
            modifier = obj.reference(contexts.index(chunk.trail[0]))
            skin = modifier is not None and modifier.is_instance(0x810, self._skin)
            if skin and len(chunk.data) == 4:
                yield chunk

    def read(self, obj: SceneObject) -> Iterator[Held]:
        """Yield the indices."""
        for chunk in self._leaves(obj):
            (index,) = _I32.unpack(chunk.data)
            if index != NONE:
                yield Held(index, owns=False, can_be_empty=False)

    def rewrite(self, obj: SceneObject, change: Change) -> None:
        """Put the new indices there."""
        bodies: list[tuple[Chunk, bytes]] = []
        for chunk in self._leaves(obj):
            (index,) = _I32.unpack(chunk.data)
            new = change(index) if index >= 0 else index
            if new is None:
                raise EditError("a skin cannot lose its node", chunk.where, found=index)
            if new != index:
                bodies.append((chunk, _I32.pack(new)))
        replace_bodies(obj, bodies)
