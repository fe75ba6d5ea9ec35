"""Parameters that are tables of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.records import ANIMATABLE, ANIMATED, CONSTANT, takes_slot
from maxsidecar.scene.params.types import ASSET, Kind

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = ["TabParameter"]


class TabParameter(Parameter):
    """A parameter that is a table of values; also a sequence of them."""

    __slots__ = ()

    @property
    def value(self) -> tuple[Any, ...]:
        """All values, see :attr:`Parameter.value`.

        Raises:
            DecodeError: The record, or something that it needs, cannot be read.
        """
        record = self.record
        if self.kind is Kind.BITMAP or any(stored is ASSET for _, stored in record.elements):
            path = self._path()  # once: it takes a search through the asset table
            shared = self.kind is Kind.BITMAP
            return tuple(
                (path if flag & CONSTANT else None)
                if shared or stored is ASSET
                else self._value((flag, stored))
                for flag, stored in record.elements
            )
        if self.kind is not Kind.REFERENCE:
            return tuple(self._value(element) for element in record.elements)
        if self.owner_holds_reference:
            return tuple(self._target_index(i) for i in range(len(record.elements)))
        return tuple(
            index if flag & CONSTANT else None
            for (flag, _), index in zip(record.elements, self._slot_objects(), strict=True)
        )

    def _slot_objects(self) -> list[int | None]:
        """Return what stands in the slot of each element, in one pass over the table."""
        record, state = self.record, self.block.state
        slot = next(
            (self._slot(i) for i, e in enumerate(record.elements) if takes_slot(record, e)), None
        )
        found: list[int | None] = []
        for element in record.elements:
            if slot is None or not takes_slot(record, element):
                found.append(None)
            else:
                found.append(state.references.get(slot))
                slot += 1
        return found

    @property
    def controllers(self) -> tuple[SceneObject | None, ...]:
        """The controller of each value, ``None`` for a constant one.

        Raises:
            DecodeError: The block's references cannot be told apart.
        """
        return tuple(
            None if flag & CONSTANT else self._object(index)
            for (flag, _), index in zip(self.record.elements, self._slot_objects(), strict=True)
        )

    @property
    def targets(self) -> tuple[SceneObject | None, ...]:
        """The object that each value points at.

        Raises:
            DecodeError: The block's references cannot be told apart.
        """
        if self.kind is not Kind.REFERENCE:
            return (None,) * len(self)
        return tuple(self._object(index) for index in self.value)

    @property
    def controller(self) -> SceneObject | None:
        """The controller of the first controlled value; see :attr:`controllers`."""
        return next((found for found in self.controllers if found is not None), None)

    @property
    def target(self) -> SceneObject | None:
        """The first object pointed at; see :attr:`targets`."""
        return next((found for found in self.targets if found is not None), None)

    @property
    def value_names(self) -> dict[int, str]:
        """Names that the block gives to single values, by position; map slots have them."""
        from maxsidecar.scene.params.naming import value_names

        return value_names(self.block, self.id)

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.record.elements)

    def __bool__(self) -> bool:
        """Return ``True``: a parameter without values is a parameter."""
        return True

    def __iter__(self) -> Iterator[Any]:
        """Yield the values."""
        return iter(self.value)

    def __getitem__(self, index: int) -> Any:
        """Return one value.

        Raises:
            IndexError: There is no such value.
        """
        elements = self.record.elements
        position = range(len(elements))[index]
        if self.kind is Kind.REFERENCE:
            return self._target_index(position)
        return self._value(elements[position])

    def __setitem__(self, index: int, value: Any) -> None:
        """Change one value.

        Raises:
            IndexError: There is no such value.
            EditError: As for :meth:`set`.
        """
        self._set_elements(((range(len(self))[index], value),))

    def set(self, value: Any) -> None:
        """Change all values; a list of another length makes the table longer or shorter.

        Other tables of the same block may have to stay as long as this one: that is the owner's
        business, and is not checked.

        Raises:
            EditError: A value is given by a controller, or does not fit the type.
        """
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise self._refused("not a list of values")
        values = list(value)
        record = self._editable()
        if len(values) == len(record.elements):
            self._set_elements(enumerate(values))
            return
        if self.controlled or any(stored is ASSET for _, stored in record.elements):
            raise self._refused("its length is bound to references")
        flag = CONSTANT | (ANIMATED if record.flags & ANIMATABLE else 0)
        old = record.elements
        elements = tuple(
            (old[i][0], self._stored(record, item, i, old[i][1]))
            if i < len(old)
            else (flag, self._stored(record, item, i))
            for i, item in enumerate(values)
        )
        self._write(replace(record, elements=elements))
