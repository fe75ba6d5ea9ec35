"""ParamBlock2, class 82/0: the parameter block of release 3 and later.

(Measured on every block of the corpus, see docs/format/parameters.md.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from uuid import UUID

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import RAW, U8, record_codec
from maxsidecar.io.views import ChunkField, TypedLeaf
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.bitmap import AssetLink, BitmapInfo
from maxsidecar.scene.params.block import Entry, ParamBlockBase
from maxsidecar.scene.params.records import RECORDS, ParamRecord, RecordCodec, slot_count
from maxsidecar.scene.params.tables import (
    MAP_SLOTS_BY_ID,
    MAP_SLOTS_BY_POSITION,
    ROLLOUTS,
    Alias,
    AliasCodec,
    BlockHeader,
    BlockHeaderById,
    MapSlot,
)
from maxsidecar.scene.params.types import TAB, Kind
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    pass

__all__ = ["ParamBlock2"]

_BITMAP: Final = 0x0003
_ASSET: Final = 0x000F
_ALIASES: Final = {0x0005: False, 0x1005: True}

#: Superclasses of what parameters refer to, by type: material, map, node.
_TARGETS: Final = {14: 0xC00, 15: 0xC10, 17: 0x1}
_CONTROLLERS: Final = range(0x9000, 0x9100)


@register(superclass=0x82, class_id=(0x82, 0))
class ParamBlock2(ParamBlockBase):
    """A parameter block of release 3 and later."""

    __slots__ = ()
    header_by_index = ChunkField(0x0009, record_codec(BlockHeader), doc="owner and number")
    header_by_id = ChunkField(0x000B, record_codec(BlockHeaderById), doc="owner and number")
    scripted = ChunkField(0x0007, RAW, doc="there when a script describes the block")
    rollout_state = ChunkField(0x0004, RAW, doc="state of the rollout, release 3")
    rollouts = ChunkField(0x000C, ROLLOUTS, doc="state of the rollouts")
    state_0011 = ChunkField(0x0011, U8, doc="meaning unknown, from release 2012 on")
    map_slots_by_position = ChunkField(0x0012, MAP_SLOTS_BY_POSITION, doc="which map is which")
    map_slots_by_id = ChunkField(0x0013, MAP_SLOTS_BY_ID, doc="which map is which")

    @property
    def header(self) -> BlockHeader | BlockHeaderById:
        """Owner, block id, version and number of parameters.

        Raises:
            DecodeError: There is none.
        """
        header: BlockHeader | BlockHeaderById | None = self.header_by_index or self.header_by_id
        if header is None:
            raise DecodeError("a parameter block has no header", self.where)
        return header

    @property
    def block_id(self) -> int:
        """Number of the block among those of its owner.

        Raises:
            DecodeError: The block has no header.
        """
        return self.header.block_id

    @property
    def owner(self) -> SceneObject | None:
        """The object whose parameters these are; ``None`` where the header says so."""
        index = self.header.owner
        return self.scene[index] if 0 <= index < len(self.scene) else None

    @property
    def owner_class(self) -> tuple[ClassId, int] | None:
        """Class id and superclass of the owner, as the header says."""
        header = self.header
        if isinstance(header, BlockHeaderById):
            return ClassId(header.class_a, header.class_b), header.superclass
        info = self.scene.class_info(header.class_index)
        return (info.class_id, info.superclass) if info is not None else None

    @property
    def aliases(self) -> tuple[Alias, ...]:
        """Names that the file itself gives to parameters, or to the values of a table.

        Raises:
            DecodeError: They cannot be read.
        """
        for chunk, codec in self._alias_leaves():
            try:
                return codec.decode(chunk.data)
            except DecodeError as error:
                where = chunk.where
                error.locate(
                    file=where.file, stream=where.stream, path=where.path, offset=where.offset
                )
                raise
        return ()

    @property
    def map_slots(self) -> dict[int, MapSlot]:
        """Reference slot and number of sub-maps and sub-materials, by parameter id."""
        slots = {row.parameter: row for row in self.map_slots_by_id or ()}
        entries = self.state.entries
        for row in self.map_slots_by_position or ():
            record = entries[row.parameter].record if row.parameter < len(entries) else None
            if record is not None:
                slots.setdefault(record.id, row._replace(parameter=record.id))
        return slots

    def _alias_leaves(self) -> Iterator[tuple[Chunk, AliasCodec]]:
        for position, span in enumerate(self.data.top()):
            if span[0] in _ALIASES and not span[4]:
                chunk = Chunk(self.data, None, position, span)
                yield chunk, AliasCodec(_ALIASES[chunk.id], self.scene.code_page)

    def _codec(self, chunk_id: int) -> RecordCodec:
        narrow = not RECORDS[chunk_id].wide
        return _record_codec(chunk_id, self.scene.code_page if narrow else "")

    def _read(self) -> list[Entry]:
        entries: list[Entry] = []
        data = memoryview(self.data.data)
        codecs: dict[int, RecordCodec] = {}
        for position, (chunk_id, start, body, end, container, _) in enumerate(self.data.top()):
            if chunk_id in RECORDS:
                codec = codecs.get(chunk_id)
                if codec is None:
                    codec = codecs[chunk_id] = self._codec(chunk_id)
                try:
                    if container:
                        raise DecodeError("a parameter holds chunks")
                    entries.append(Entry(position, codec.decode(data[body:end])))
                except DecodeError as error:
                    error.where = self.data.where.within(offset=self.data.base + start)
                    entries.append(Entry(position, None, error.with_traceback(None)))
            elif chunk_id in (_ASSET, _BITMAP) and entries and container:
                last = entries[-1]
                if last.position == position - 1:
                    last.extra = position
        return entries

    def _extra(self, number: int, chunk_id: int) -> Chunk | None:
        extra = self.state.entries[number].extra
        if extra is None:
            return None
        span = self.data.top()[extra]
        return Chunk(self.data, None, extra, span) if span[0] == chunk_id else None

    def asset_id(self, number: int) -> UUID | None:
        """Return the id in the asset table that stands behind a record."""
        chunk = self._extra(number, _ASSET)
        return AssetLink(self.data, chunk).guid if chunk is not None else None

    def asset_name_edit(self, number: int, guid: UUID) -> None:
        """Put another id of the asset table behind a record."""
        chunk = self._extra(number, _ASSET)
        if chunk is None:
            raise EditError("no asset is stored here", self.where)
        AssetLink(self.data, chunk).guid = guid

    def bitmap(self, number: int) -> BitmapInfo | None:
        """Return the description of a bitmap that stands behind a record."""
        chunk = self._extra(number, _BITMAP)
        return BitmapInfo(self.data, chunk) if chunk is not None else None

    def write_record(self, number: int, record: ParamRecord) -> None:
        """Put another record in place of one.

        Raises:
            EditError: The stored record would not be written the same, or the new one does not
                fit.
        """
        position = self.state.entries[number].position
        chunk = Chunk(self.data, None, position, self.data.top()[position])
        codec = self._codec(chunk.id)
        try:
            codec.verified(chunk.data)
        except DecodeError as error:
            raise EditError(f"the parameter is read-only: {error.message}", chunk.where) from error
        chunk.replace(codec.encode(record))

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the block: header, records, reference slots."""
        yield from super().problems()
        header, scene = self.header, self.scene
        count = header.count
        if count != len(self.state.entries):
            yield DecodeError(
                "the header of a parameter block counts other parameters",
                self.where,
                expected=count,
                found=len(self.state.entries),
            )
        index = header.owner
        # Nearly all headers name the class by its place in the directory, as objects do.
        if 0 <= index < len(scene) and (
            isinstance(header, BlockHeaderById) or header.class_index != scene.chunk_id(index)
        ):
            info, said = scene.class_info(scene.chunk_id(index)), self.owner_class
            found = (info.class_id, info.superclass) if info is not None else None
            if found is not None and said != found:
                yield DecodeError(
                    "the owner of a parameter block is of another class than its header says",
                    self.where,
                    expected=_class_text(said),
                    found=f"{_class_text(found)} (object {index})",
                )
        # Slots mean nothing when the list does not fit the records.
        state = self.state
        for slot, index in state.references.items() if state.problem is None else ():
            if index < len(scene):
                problem = self.slot_problem(slot, scene[index])
                if problem is not None:
                    yield problem

    def slot_problem(self, slot: int, target: SceneObject) -> DecodeError | None:
        """Return why an object cannot stand in a reference slot, ``None`` when it can.

        Materials, maps and nodes stand where the parameter is of that type, controllers where it
        is a value; parameters of the type "reference" take anything.  (Measured on all 771
        references of such blocks; 72 values lead to objects of superclass 200.)
        """
        superclass = target.superclass
        if superclass is None:
            return None
        for entry in self.state.entries:
            record = entry.record
            if record is None or entry.slot is None:
                return None
            if entry.slot <= slot < entry.slot + slot_count(record):
                code = record.type & ~TAB
                wanted = _TARGETS.get(code)
                if record.kind.kind is not Kind.REFERENCE:
                    fits = superclass in _CONTROLLERS or superclass == 0x200
                    expected = "a controller"
                else:
                    fits = wanted is None or superclass == wanted
                    expected = f"superclass {wanted or 0:x}"
                if fits:
                    return None
                return DecodeError(
                    f"the reference of parameter {record.id} leads to an object of another kind",
                    self.where,
                    expected=expected,
                    found=f"{superclass:x} (object {target.index})",
                )
        return None

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves, the records with what belongs to them, and the aliases."""
        yield from super().typed_leaves(prefix)
        data = self.data
        body = memoryview(data.data)
        codecs: dict[int, RecordCodec] = {}
        for position, span in enumerate(data.top()):
            chunk_id, _, start, end, container, _ = span
            if chunk_id in RECORDS:
                if not container:
                    codec = codecs.get(chunk_id)
                    if codec is None:
                        codec = codecs[chunk_id] = self._codec(chunk_id)
                    number = int.from_bytes(body[start : min(start + 2, end)], "little")
                    chunk = Chunk(data, None, position, span)
                    yield chunk, f"{prefix}parameters[{number}]", codec
            elif chunk_id == _BITMAP and container:
                view = BitmapInfo(data, Chunk(data, None, position, span))
                yield from view.typed_leaves(f"{prefix}bitmap.")
            elif chunk_id == _ASSET and container:
                link = AssetLink(data, Chunk(data, None, position, span))
                yield from link.typed_leaves(f"{prefix}asset.")
        for chunk, aliases in self._alias_leaves():
            yield chunk, f"{prefix}aliases", aliases


def _class_text(key: tuple[ClassId, int] | None) -> str:
    return "none" if key is None else f"{key[0].a:x}/{key[0].b:x}/{key[1]:x}"


_codecs: dict[tuple[int, str], RecordCodec] = {}


def _record_codec(chunk_id: int, encoding: str) -> RecordCodec:
    codec = _codecs.get((chunk_id, encoding))
    if codec is None:
        codec = _codecs[chunk_id, encoding] = RecordCodec(chunk_id, encoding)
    return codec
