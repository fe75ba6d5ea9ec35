"""The objects of a new scene in storage order, with the classes and plug-ins that they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from maxsidecar.errors import EditError
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring_checks import bits, items, mapping, typed, whole
from maxsidecar.scene.authoring_chunks import (
    ChunkTree,
    NewClass,
    Plugin,
    encode_chunks,
    pack_values,
)
from maxsidecar.scene.authoring_parameters import HEADER, RECORD, block_header

__all__ = ["ObjectStore", "slot_number"]

_DENSE: Final = 0x2034
_SPARSE: Final = 0x2035
_PARAM_BLOCK2: Final = NewClass("ParamBlock2", 0x82, 0, 0x82)


def slot_number(value: Any) -> int:
    """Return the number of a reference slot after checking it."""
    return whole(value, "a reference slot", 0, 0x7FFFFFFF)


@dataclass(slots=True)
class _Object:
    class_index: int
    chunks: Sequence[ChunkTree]
    references: Sequence[int | None] | Mapping[int, int] | None
    slots: int
    appdata: list[tuple[AppDataKey, bytes]] = field(default_factory=list)


class ObjectStore:
    """Objects that are added in storage order: what one refers to must be there before it.

    Attributes:
        classes: The class directory, in order of first use.
        plugins: The plug-in files, likewise.
    """

    def __init__(self) -> None:
        """Start without objects."""
        self.classes: list[NewClass] = []
        self.plugins: list[Plugin] = []
        self._class_index: dict[NewClass, int] = {}
        self._objects: list[_Object] = []

    def __len__(self) -> int:
        """Return the number of objects added so far."""
        return len(self._objects)

    def class_of(self, index: int) -> NewClass:
        """Return the class of an object.

        Raises:
            EditError: There is no such object.
        """
        index = whole(index, "the index of an object", -(2**63), 2**63)
        if not 0 <= index < len(self._objects):
            raise EditError("there is no such object", found=index)
        return self.classes[self._objects[index].class_index]

    def require(self, index: int, what: str, *superclasses: int) -> int:
        """Return the superclass of an object after comparing it with those that may be.

        Raises:
            EditError: There is no such object, or it is of another superclass.
        """
        found = self.class_of(index)
        if found.superclass not in superclasses:
            raise EditError(
                f"{what} is of another class",
                expected=" or ".join(f"superclass {one:x}" for one in superclasses),
                found=f"{found.name} ({found.superclass:x})",
            )
        return found.superclass

    def add_class(self, new: NewClass) -> int:
        """Return a class's index in the class directory, after adding it where it is not there."""
        typed(new, "the class of an object", NewClass)
        index = self._class_index.get(new)
        if index is None:
            if new.plugin is not None and new.plugin not in self.plugins:
                self.plugins.append(new.plugin)
            # Ids of 2032 and 2033 mean derived objects, and 16 bits are all there is.
            if len(self.classes) >= 0x2032:
                raise EditError("too many classes", expected=f"at most {0x2032}")
            index = self._class_index[new] = len(self.classes)
            self.classes.append(new)
        return index

    def add_object(
        self,
        new: NewClass,
        chunks: Sequence[ChunkTree] = (),
        references: Sequence[int | None] | Mapping[int, int] | None = None,
        *,
        slots: int = 2,
    ) -> int:
        """Add an object and return its storage index.

        Args:
            new: Its class.
            chunks: Its chunks, without those of references and AppData.
            references: Storage indices of what it refers to: a list gives each slot, a mapping
                gives slot to index (the sparse form), ``None`` writes no list at all.
            slots: Number in front of the sparse form: 16 for nodes, 2 for controllers (measured;
                its meaning is likely the number of slots).

        Raises:
            EditError: It refers to an object that is not there yet, a slot is negative, or the
                chunks are none.
        """
        bits(slots, "the number of slots")
        targets: list[int | None]
        if isinstance(references, Mapping):
            references = mapping(references, "the references", slot_number)
            targets = list(references.values())
        else:
            targets = [] if references is None else items(references, "the references")
            references = None if references is None else targets
        for target in targets:
            if target is None:
                continue
            if not 0 <= whole(target, "a reference", -(2**63), 2**63) < len(self._objects):
                raise EditError("an object must come before what refers to it", found=target)
        encode_chunks(chunks)
        if isinstance(references, Mapping):
            # No slot of 25,148 lists is as large as the number in front (measured).
            slots = max(slots, max(references, default=-1) + 1)
        self._objects.append(_Object(self.add_class(new), chunks, references, slots))
        return len(self._objects) - 1

    def _add_block(self, chunks: Sequence[ChunkTree]) -> int:
        """Add a parameter block whose owner comes later, see :meth:`_own`."""
        return self.add_object(_PARAM_BLOCK2, [(HEADER, b""), *chunks])

    def _own(self, owner: int, *blocks: int) -> int:
        """Write an owner into the headers of its blocks, numbered from 0; return the owner."""
        for number, block in enumerate(blocks):
            obj = self._objects[block]
            rest = obj.chunks[1:]
            count = sum(chunk_id == RECORD for chunk_id, _ in rest)
            header = block_header(self._objects[owner].class_index, number, count, owner)
            obj.chunks = [header, *rest]
        return owner

    def add_appdata(self, index: int, key: AppDataKey, value: bytes) -> None:
        """Add an AppData entry to an object of any class, behind those that it has.

        Raises:
            EditError: There is no such object, or the key or value is none.
        """
        self.class_of(index)
        typed(key, "the key of an AppData entry", AppDataKey)
        for part in (key.class_a, key.class_b, key.superclass, key.subid):
            bits(part, "a number of an AppData key")
        value = bytes(typed(value, "an AppData value", bytes))
        self._objects[index].appdata.append((key, value))

    def _objects_body(self) -> bytes:
        """Return the objects as chunks."""
        out = (encode_chunks([(obj.class_index, _object_chunks(obj))]) for obj in self._objects)
        return b"".join(out)


def _object_chunks(obj: _Object) -> list[ChunkTree]:
    """Return an object's chunks: AppData in front, then references, then its own."""
    chunks: list[ChunkTree] = []
    if obj.appdata:
        entries: list[ChunkTree] = [(0x0100, pack_values("I", len(obj.appdata)))]
        for key, value in obj.appdata:
            packed = pack_values(
                "5I", key.class_a, key.class_b, key.superclass, key.subid, len(value)
            )
            entries.append((0x0110, [(0x0120, packed), (0x0130, value)]))
        chunks.append((APPDATA, entries))
    references = obj.references
    if isinstance(references, Mapping):
        pairs = [n for pair in references.items() for n in pair]
        chunks.append((_SPARSE, pack_values(f"I{len(pairs)}i", obj.slots, *pairs)))
    elif references is not None:
        indices = [-1 if index is None else index for index in references]
        chunks.append((_DENSE, pack_values(f"{len(indices)}i", *indices)))
    return [*chunks, *obj.chunks]
