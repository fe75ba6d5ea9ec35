"""What old and new parameter blocks have in common.

A block lists parameters; each is one record.  Controllers and referenced objects of a block's
parameters stand in its reference list, in the order of the records: see :class:`Entry`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.chunks import ChunkData
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.bitmap import BitmapInfo
from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.records import ParamRecord, slot_count
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.params.types import TAB

if TYPE_CHECKING:
    from uuid import UUID

    from maxsidecar.scene.directories import ClassId, ClassInfo
    from maxsidecar.scene.params.access import ObjectParameters
    from maxsidecar.scene.scene import Scene

__all__ = ["BlockState", "Entry", "ParamBlockBase"]


@dataclass(slots=True)
class Entry:
    """One record of a block, as far as it could be read.

    Attributes:
        position: Which child of the block its chunk is.
        record: The record, ``None`` when it cannot be decoded.
        problem: Why it cannot.
        slot: First reference slot that its elements take, or would take; ``None`` when a record
            in front of it could not be read.
        extra: Which child of the block the container is that belongs to it (asset id, bitmap).
    """

    position: int
    record: ParamRecord | None
    problem: DecodeError | None = None
    slot: int | None = None
    extra: int | None = None

    @property
    def is_tab(self) -> bool:
        """Whether it is a table."""
        return self.record is not None and bool(self.record.type & TAB)


@dataclass(slots=True)
class BlockState:
    """Everything that was read of a block at one revision of its bytes.

    Attributes:
        revision: The revision.
        entries: The records in stored order.
        slots: How many reference slots they take, ``None`` when a record cannot be read.
        by_id: Number of the first record with an id.
        references: Storage index by reference slot.
        problem: Why the reference slots cannot be trusted, or ``None``.
    """

    revision: int
    entries: list[Entry]
    slots: int | None
    by_id: dict[int, int]
    references: dict[int, int]
    problem: DecodeError | None = None


class ParamBlockBase(SceneObject):
    """A parameter block: named values of an object, each constant or given by a controller.

    Parameters are found by id or by name: ``block[4]``, ``block["width"]``.
    """

    __slots__ = ("_by_name", "_hint", "_names", "_state")

    def __init__(self, scene: Scene, index: int, info: ClassInfo | None, data: ChunkData) -> None:
        """Look at a block; nothing is read yet."""
        super().__init__(scene, index, info, data)
        self._state: BlockState | None = None
        self._names: tuple[int, tuple[object, ...], dict[int, str]] | None = None
        self._by_name: dict[str, int] | None = None
        self._hint: tuple[int, int] | None = None

    # What the two kinds of block do differently.

    def _read(self) -> list[Entry]:
        """Read the records; ``slot`` is filled in by the caller."""
        raise NotImplementedError

    def write_record(self, number: int, record: ParamRecord) -> None:
        """Put another record in place of one; used by :class:`Parameter`.

        Raises:
            EditError: The stored record would not be written the same, or the new one does not
                fit.
        """
        raise NotImplementedError

    @property
    def block_id(self) -> int | None:
        """Number of the block among those of its owner; ``None`` for old blocks."""
        return None

    @property
    def owner(self) -> SceneObject | None:
        """The object whose parameters these are, ``None`` when there is none."""
        raise NotImplementedError

    @property
    def owner_class(self) -> tuple[ClassId, int] | None:
        """Class id and superclass of the owner, ``None`` when unknown."""
        owner = self.owner
        if owner is None or owner.info is None:
            return None
        return owner.info.class_id, owner.info.superclass

    def asset_id(self, number: int) -> UUID | None:
        """Return the id in the asset table that stands behind a record."""
        return None

    def bitmap(self, number: int) -> BitmapInfo | None:
        """Return the description of a bitmap that stands behind a record."""
        return None

    def asset_name_edit(self, number: int, guid: UUID) -> None:
        """Put another id of the asset table behind a record."""
        raise NotImplementedError

    # What they share.

    @property
    def state(self) -> BlockState:
        """What was read; read again after an edit.

        Raises:
            ChunkError: The block's chunks are damaged.
        """
        state = self._state
        if state is None or state.revision != self.data.revision:
            state = self._state = self._make_state()
        return state

    def _make_state(self) -> BlockState:
        entries = self._read()
        by_id: dict[int, int] = {}
        slot: int | None = 0
        for number, entry in enumerate(entries):
            entry.slot = slot
            if entry.record is None:
                slot = None
                continue
            by_id.setdefault(entry.record.id, number)
            if slot is not None:
                slot += slot_count(entry.record)
        self._names = None
        state = BlockState(self.data.revision, entries, slot, by_id, {})
        try:
            dense, sparse = self.dense_references, self.sparse_references
            state.problem = self._check_slots(slot, dense, sparse)
            pairs = enumerate(dense) if dense is not None else sparse[1].items() if sparse else ()
            state.references = {at: index for at, index in pairs if index >= 0}
        except DecodeError as error:
            state.problem = error.with_traceback(None)
        return state

    def _check_slots(
        self,
        slots: int | None,
        dense: Sequence[int] | None,
        sparse: tuple[int, dict[int, int]] | None,
    ) -> DecodeError | None:
        found = len(dense) if dense is not None else sparse[0] if sparse is not None else 0
        if slots is None or found == slots:
            return None
        return DecodeError(
            "the reference list and the parameters disagree",
            self.where,
            expected=f"{slots} slots",
            found=found,
        )

    @property
    def parameters(self) -> ObjectParameters:
        """Its own parameters, by name; going through the block itself gives all that are stored."""
        from maxsidecar.scene.params.access import ObjectParameters

        return ObjectParameters((self,))

    def parameter(self, number: int) -> Parameter:
        """Return the parameter of the record with a number, counted from 0.

        Raises:
            IndexError: There is none.
        """
        entry = self.state.entries[number]
        return (TabParameter if entry.is_tab else Parameter)(self, number)

    def __iter__(self) -> Iterator[Parameter]:
        """Yield the parameters in stored order, also those that cannot be read.

        Raises:
            ChunkError: The block's chunks are damaged.
        """
        return iter([self.parameter(number) for number in range(len(self.state.entries))])

    def _number(self, key: int | str) -> int | None:
        if isinstance(key, int):
            return self.state.by_id.get(key)
        names = self.names
        if self._by_name is None:
            self._by_name = {name: param_id for param_id, name in reversed(names.items())}
        found = self._by_name.get(key)
        return None if found is None else self.state.by_id.get(found)

    def __contains__(self, key: object) -> bool:
        """Return whether there is a parameter with an id or a name."""
        return isinstance(key, int | str) and self._number(key) is not None

    def __getitem__(self, key: int | str) -> Parameter:
        """Return the parameter with an id or a name.

        Raises:
            KeyError: There is none.
        """
        number = self._number(key)
        if number is None:
            raise KeyError(key)
        return self.parameter(number)

    def get(self, key: int | str) -> Parameter | None:
        """Return the parameter with an id or a name, ``None`` when there is none."""
        number = self._number(key)
        return None if number is None else self.parameter(number)

    def value(self, key: int | str) -> Any:
        """Return the value of a parameter, see :attr:`Parameter.value`.

        Raises:
            KeyError: There is no such parameter.
        """
        return self[key].value

    @property
    def names(self) -> dict[int, str]:
        """Known names by parameter id: of the class, of the script, or of the block's aliases."""
        from maxsidecar.scene.params.scripted import same_sources, script_sources

        state = self.state
        edits, sources = self.scene.edits.count, script_sources(self.scene)
        known = self._names
        # The names depend on the owner, which any edit may change, and on scripts.
        if known is None or known[0] != edits or not same_sources(known[1], sources):
            from maxsidecar.scene.params.naming import block_names

            known = self._names = edits, sources, block_names(self, state)
            self._by_name = None
        return known[2]

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the block: records, reference slots."""
        state = self.state
        for entry in state.entries:
            if entry.problem is not None:
                yield entry.problem
        if state.problem is not None:
            yield state.problem

    def know_owner(self, owner: SceneObject, slot: int) -> None:
        """Remember where the block was found, which saves a search through the scene."""
        if self._hint != (owner.index, slot):
            self._hint = (owner.index, slot)
            self._names = None
