"""ParamBlock, class 8/0: the parameter block of the first releases, still used by many classes.

(Measured on every block of the corpus, see docs/format/parameters.md.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import F32, I32, MARK, U16, U32, Array, Codec
from maxsidecar.io.headers import Span
from maxsidecar.io.views import ChunkField, TypedLeaf
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block import Entry, ParamBlockBase
from maxsidecar.scene.params.owners import find_owner
from maxsidecar.scene.params.records import ANIMATABLE, ANIMATED, CONSTANT, ParamRecord
from maxsidecar.scene.registry import register

__all__ = ["ParamBlock"]

_RECORD: Final = 0x0002
_VERSION: Final = 0x0005
_INDEX: Final = 0x0003
_ANIMATABLE: Final = 0x0004

#: Codecs of constant values by type code; the chunk id is 0x100 plus the code, and for a
#: controlled parameter, whose chunk is empty, 0x200 plus the code.
_VALUES: Final[dict[int, Codec[Any]]] = {
    0: F32,
    1: I32,
    2: Array(F32, 3),
    3: Array(F32, 3),
    4: I32,
}


@register(superclass=0x8, class_id=(0x8, 0))
class ParamBlock(ParamBlockBase):
    """A parameter block of the first releases."""

    __slots__ = ()
    count = ChunkField(0x0001, U32, doc="number of parameters", default=0)

    @property
    def version(self) -> int | None:
        """Version of the block's description.

        Raises:
            DecodeError: It has an impossible size.
        """
        chunk = self.find(_VERSION)
        if chunk is None or chunk.container:
            return None
        return _version_codec(chunk).decode(chunk.data)

    @property
    def owner(self) -> SceneObject | None:
        """The object whose reference list holds the block; searched for in the whole scene."""
        found = self.owner_slot
        return found[0] if found is not None else None

    @property
    def owner_slot(self) -> tuple[SceneObject, int] | None:
        """The object whose reference list holds the block, and the slot."""
        self._hint = found = find_owner(self.scene, self.index, self._hint)
        return None if found is None else (self.scene[found[0]], found[1])

    def _read(self) -> list[Entry]:
        entries: list[Entry] = []
        for position, span in enumerate(self.data.top()):
            if span[0] != _RECORD:
                continue
            try:
                record = self._record(Chunk(self.data, None, position, span))
                entries.append(Entry(position, record))
            except MaxSidecarError as error:
                problem = DecodeError(error.message, error.where)
                entries.append(Entry(position, None, problem))
        return entries

    def _record(self, chunk: Chunk) -> ParamRecord:
        if not chunk.container:
            raise DecodeError("a parameter holds no chunks", chunk.where)
        spans = self.data.scan(chunk.body, chunk.end, parent=chunk)
        value = _value_span(spans)
        if value is None or spans[0][3] - spans[0][2] != 4:
            raise DecodeError(
                "a parameter is not an index and a value",
                chunk.where,
                found=" ".join(f"{span[0]:04x}" for span in spans[:8]),
            )
        data = memoryview(self.data.data)
        param_id = I32.decode(data[spans[0][2] : spans[0][3]])
        flags = ANIMATABLE if len(spans) == 3 else 0
        flag = ANIMATED if flags else 0
        code = value[0] & 0xFF
        body = data[value[2] : value[3]]
        if value[0] & 0x200:
            MARK.decode(body)
            return ParamRecord(param_id, code, flags, ((flag, None),))
        return ParamRecord(param_id, code, flags, ((flag | CONSTANT, _VALUES[code].decode(body)),))

    def write_record(self, number: int, record: ParamRecord) -> None:
        """Put another value in place of one.

        Raises:
            EditError: The stored value would not be written the same, or the new one does not
                fit.
        """
        position = self.state.entries[number].position
        chunk = Chunk(self.data, None, position, self.data.top()[position])
        codec = _VALUES[record.type]
        value = chunk.find(0x100 | record.type)
        if value is None or value.container:
            raise EditError("no constant value is stored here", chunk.where)
        try:
            codec.verified(value.data)
        except DecodeError as error:
            raise EditError(f"the parameter is read-only: {error.message}", chunk.where) from error
        value.replace(codec.encode(record.elements[0][1]))

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the block: count, records, reference slots."""
        yield from super().problems()
        if self.count != len(self.state.entries):
            yield DecodeError(
                "a parameter block counts other parameters",
                self.where,
                expected=self.count,
                found=len(self.state.entries),
            )

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves and those of each parameter."""
        yield from super().typed_leaves(prefix)
        for chunk in self.chunks():
            if chunk.id == _VERSION and not chunk.container:
                yield chunk, f"{prefix}version", _version_codec(chunk)
            if chunk.id != _RECORD or not chunk.container:
                continue
            name = f"{prefix}parameters[{chunk.position}]"
            for part in chunk.chunks():
                codec = _leaf_codec(part)
                if codec is not None and not part.container:
                    yield part, f"{name}.{_leaf_name(part.id)}", codec


def _version_codec(chunk: Chunk) -> Codec[int]:
    """Return the codec of a version: 32 bits in files of 1997, 16 bits since (measured)."""
    return U32 if len(chunk.data) == 4 else U16


def _leaf_codec(part: Chunk) -> Codec[Any] | None:
    if part.id == _INDEX:
        return I32
    if part.id == _ANIMATABLE or part.id in _CONTROLLED:
        return MARK
    return _VALUES.get(part.id - 0x100)


_CONTROLLED: Final = frozenset(0x200 + code for code in _VALUES)


def _leaf_name(chunk_id: int) -> str:
    if chunk_id == _INDEX:
        return "index"
    if chunk_id == _ANIMATABLE:
        return "animatable"
    return "controlled" if chunk_id in _CONTROLLED else "value"


def _value_span(spans: list[Span]) -> Span | None:
    """Return the value of a parameter: index, perhaps a mark, then the value."""
    ids = [span[0] for span in spans]
    if any(span[4] for span in spans) or ids[:1] != [_INDEX]:
        return None
    if len(ids) == 3:
        if ids[1] != _ANIMATABLE or spans[1][2] != spans[1][3]:
            return None
    elif len(ids) != 2:
        return None
    return spans[-1] if ids[-1] & ~0x300 in _VALUES and ids[-1] & 0x300 in (0x100, 0x200) else None
