"""One parameter of a block: what it is called, what it holds, and how to change it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError, Where
from maxsidecar.scene.params.assets import find_asset
from maxsidecar.scene.params.records import (
    ANIMATABLE,
    CONSTANT,
    OWNER_REFERENCE,
    Element,
    ParamRecord,
    takes_slot,
)
from maxsidecar.scene.params.types import ASSET, Kind, type_name
from maxsidecar.scene.params.values import new_value, read_value

if TYPE_CHECKING:
    from uuid import UUID

    from maxsidecar.scene.asset_metadata import AssetRecord
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.params.bitmap import BitmapInfo
    from maxsidecar.scene.params.block import Entry, ParamBlockBase

__all__ = ["Parameter"]


class Parameter:
    """A view of one parameter; stays valid when values change.

    Attributes:
        block: The block that it is in.
        number: Which record of the block it is, from 0.
        id: Parameter id, ``None`` when the record cannot be read.
    """

    __slots__ = ("block", "id", "number")

    def __init__(self, block: ParamBlockBase, number: int) -> None:
        """Look at a record; made by the block."""
        self.block = block
        self.number = number
        record = block.state.entries[number].record
        self.id = record.id if record is not None else None

    def __repr__(self) -> str:
        """Return id, name and type, for debugging."""
        return f"<{type(self).__name__} {self.id} {self.name!r} {self.type}>"

    @property
    def entry(self) -> Entry:
        """The record and where it is.

        Raises:
            EditError: The block was edited in other ways and has no such record any more.
        """
        entries = self.block.state.entries
        entry = entries[self.number] if self.number < len(entries) else None
        if entry is None or (entry.record.id if entry.record else None) != self.id:
            raise EditError("the parameter is no longer there", self.block.where)
        return entry

    @property
    def record(self) -> ParamRecord:
        """The record as it is stored.

        Raises:
            DecodeError: It cannot be read.
        """
        entry = self.entry
        if entry.record is None:
            raise entry.problem or DecodeError("the parameter cannot be read", self.where)
        return entry.record

    @property
    def problem(self) -> DecodeError | None:
        """Why the record cannot be read, ``None`` when it can."""
        return self.entry.problem

    @property
    def position(self) -> int:
        """Which child of the block the record's chunk is."""
        return self.entry.position

    @property
    def where(self) -> Where:
        """The place of the record, for messages."""
        block = self.block
        span = block.data.top()[self.entry.position]
        where = block.data.where
        path = f"{span[0]:04x}[{self.entry.position}]"
        path = f"{where.path}/{path}" if where.path else path
        return Where(where.file, where.stream, path, block.data.base + span[1])

    @property
    def name(self) -> str | None:
        """What it is called, ``None`` when nothing says so."""
        return None if self.id is None else self.block.names.get(self.id)

    @property
    def type(self) -> str:
        """Name of its type, such as ``"float"`` or ``"node[]"``."""
        record = self.entry.record
        return type_name(record.type) if record is not None else "unreadable"

    @property
    def kind(self) -> Kind:
        """What its values are made of."""
        return self.record.kind.kind

    @property
    def is_tab(self) -> bool:
        """Whether it is a table of values."""
        return self.entry.is_tab

    @property
    def flags(self) -> int:
        """The record's flags; for old blocks only bit 0 exists."""
        return self.record.flags

    @property
    def animatable(self) -> bool:
        """Whether a controller may drive it."""
        return bool(self.record.flags & ANIMATABLE)

    @property
    def controlled(self) -> bool:
        """Whether a controller gives its value, or one of its values."""
        return any(not flag & CONSTANT for flag, _ in self.record.elements)

    @property
    def owner_holds_reference(self) -> bool:
        """Whether its value repeats a reference that the owner of the block holds."""
        return bool(self.record.flags & OWNER_REFERENCE)

    # Values.

    def _value(self, element: Element) -> Any:
        record = self.record
        flag, stored = element
        if not flag & CONSTANT:
            return None
        if stored is ASSET or record.kind.kind is Kind.BITMAP:
            return self._path()
        return read_value(record.kind, stored)

    @property
    def value(self) -> Any:
        """The value; see :mod:`maxsidecar.scene.params.values` for what it is made of.

        ``None`` where a controller gives it, for a null string and for an empty reference.  A
        reference gives the storage index of its target.

        Raises:
            DecodeError: The record, or something that it needs, cannot be read.
        """
        if self.kind is Kind.REFERENCE:
            return self._target_index(0)
        return self._value(self.record.elements[0])

    @property
    def asset_id(self) -> UUID | None:
        """Id of the file in the asset table, where a file name or bitmap is kept there."""
        bitmap = self.bitmap
        return bitmap.asset_id if bitmap is not None else self.block.asset_id(self.number)

    @property
    def asset(self) -> AssetRecord | None:
        """The file in the asset table.

        Raises:
            DecodeError: The table cannot be read.
        """
        return find_asset(self.block.scene, self.asset_id)

    @property
    def bitmap(self) -> BitmapInfo | None:
        """The description of a bitmap, ``None`` when there is none."""
        return self.block.bitmap(self.number) if self.kind is Kind.BITMAP else None

    def _path(self) -> str | None:
        """Return the path of the file behind a bitmap, or of a file name in the asset table."""
        asset = self.asset
        if asset is not None:
            return asset.path
        bitmap = self.bitmap
        path: str | None = bitmap.path if bitmap is not None else None
        return path

    # References.

    def _slot(self, index: int) -> int | None:
        """Return the reference slot of an element, ``None`` when it takes none."""
        entry, record, state = self.entry, self.record, self.block.state
        if not takes_slot(record, record.elements[index]):
            return None
        if state.problem is not None:
            raise state.problem
        if entry.slot is None:
            raise DecodeError("a record in front of this one cannot be read", self.where)
        return entry.slot + sum(takes_slot(record, e) for e in record.elements[:index])

    def _object(self, index: int | None) -> SceneObject | None:
        scene = self.block.scene
        return scene[index] if index is not None and 0 <= index < len(scene) else None

    def _controller_index(self, index: int) -> int | None:
        if self.record.elements[index][0] & CONSTANT:
            return None
        slot = self._slot(index)
        return None if slot is None else self.block.state.references.get(slot)

    def _target_index(self, index: int) -> int | None:
        flag, stored = self.record.elements[index]
        if self.kind is not Kind.REFERENCE or not flag & CONSTANT:
            return None
        if self.owner_holds_reference:
            return stored if stored is not None and stored >= 0 else None
        slot = self._slot(index)
        return None if slot is None else self.block.state.references.get(slot)

    @property
    def controller(self) -> SceneObject | None:
        """The controller that gives its value, ``None`` for a constant one.

        Raises:
            DecodeError: The block's references cannot be told apart.
        """
        return self._object(self._controller_index(0))

    @property
    def target(self) -> SceneObject | None:
        """The object that a reference points at.

        Raises:
            DecodeError: The block's references cannot be told apart.
        """
        return self._object(self._target_index(0))

    # Edits.

    def set(self, value: Any) -> None:
        """Change the value; only the bytes of this parameter change.

        A file that is kept in the asset table is chosen by its id there.

        Raises:
            EditError: A controller gives the value, the value does not fit the type, or the
                record is read-only.
        """
        self._set_elements(((0, value),))

    def _set_elements(self, values: Iterable[tuple[int, Any]]) -> None:
        record = self._editable()
        elements = list(record.elements)
        for index, value in values:
            flag, stored = elements[index]
            if not flag & CONSTANT:
                raise self._refused("a controller gives the value", index)
            if stored is ASSET:
                self._set_asset(value)
                continue
            elements[index] = (flag, self._stored(record, value, index, stored))
        if tuple(elements) != record.elements:
            self._write(replace(record, elements=tuple(elements)))

    def _editable(self) -> ParamRecord:
        """Return the record, when it is one that can be edited at all."""
        entry = self.entry
        if entry.record is None:
            reason = entry.problem.message if entry.problem else "it cannot be read"
            raise self._refused(f"it is read-only: {reason}")
        kind = entry.record.kind.kind
        if kind is Kind.REFERENCE:
            raise self._refused("a reference is changed in the reference list")
        if kind is Kind.BITMAP:
            raise self._refused("a bitmap is changed through its description")
        if kind is Kind.VOID:
            raise self._refused("it has no value")
        return entry.record

    def _stored(
        self, record: ParamRecord, value: Any, index: int | None = None, old: Any = None
    ) -> Any:
        try:
            return new_value(record.kind, value, old)
        except EditError as error:
            error.message = f"{self._label(index)}: {error.message}"
            raise self._located(error) from error.__cause__

    def _write(self, record: ParamRecord) -> None:
        where = self.where
        try:
            self.block.write_record(self.number, record)
        except EditError as error:
            error.message = f"{self._label()}: {error.message}"
            error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
            raise

    def _set_asset(self, value: Any) -> None:
        from uuid import UUID

        if not isinstance(value, UUID):
            raise self._refused("the file is named in the asset table; give an id from there")
        if find_asset(self.block.scene, value) is None:
            raise self._refused("no such file in the asset table")
        self.block.asset_name_edit(self.number, value)

    def _label(self, index: int | None = None) -> str:
        """Return a name for messages."""
        try:
            name = self.name
        except MaxSidecarError:
            name = None
        label = name or f"parameter {self.id}"
        return f"{label}[{index}]" if index is not None and self.is_tab else label

    def _refused(self, reason: str, index: int | None = None) -> EditError:
        error = EditError(f"{self._label(index)} cannot be set: {reason}")
        self._located(error)
        return error

    def _located(self, error: EditError) -> EditError:
        where = self.where
        error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
        return error
