"""Scene objects: what every class shares, whatever else it holds.

A scene object is one child chunk of the Scene stream's root.  Its chunk id is an index into the
class directory; its position among its siblings is the *storage index* by which other objects
refer to it.  (spec: pipeline-max-design sections 6 and 7; measured on the corpus.)
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.chunks import Buffer, ChunkData
from maxsidecar.io.fields import I32, U8, U32, Array, Codec
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.appdata import AppData, AppDataContainer
from maxsidecar.scene.notes import Note, read_notes
from maxsidecar.scene.object_chunks import AttributeLink, Chunk2047, Chunk2300, ModifierHead

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassId, ClassInfo
    from maxsidecar.scene.params import CustomAttribute, ObjectParameters, ParamBlockBase
    from maxsidecar.scene.scene import Scene

__all__ = ["DENSE_REFERENCES", "SPARSE_REFERENCES", "SceneObject", "SparseReferences"]

DENSE_REFERENCES: Final = 0x2034
SPARSE_REFERENCES: Final = 0x2035


class SparseReferences(Codec[tuple[int, dict[int, int]]]):
    """``u32`` head, then (slot, storage index) pairs; the head is kept, its meaning is open."""

    kind = "sparse references"

    def decode(self, data: Buffer) -> tuple[int, dict[int, int]]:
        """Return the head and the pairs in stored order."""
        count, rest = divmod(len(data), 8)
        if rest != 4:
            raise DecodeError(
                "the reference list has the wrong size", expected="8n + 4 bytes", found=len(data)
            )
        head, *numbers = Struct(f"<I{count * 2}i").unpack(data)
        return head, dict(zip(numbers[::2], numbers[1::2], strict=True))

    def encode(self, value: tuple[int, dict[int, int]]) -> bytes:
        """Return the bytes of the pairs in the mapping's order.

        Raises:
            EditError: A number is out of range.
        """
        head, pairs = value
        numbers = [n for pair in pairs.items() for n in pair]
        U32.check(head, "head of the reference list")
        for number in numbers:
            I32.check(number, "reference")
        return Struct(f"<I{len(numbers)}i").pack(head, *numbers)

    def schema(self) -> dict[str, Any]:
        """Return the schema of a mapping from slot to index."""
        return {"type": "object", "additionalProperties": {"type": "integer"}}


class SceneObject(ChunkView):
    """Any object of the scene; also the raw fallback for classes that nothing is known of.

    Attributes:
        scene: The scene that it belongs to.
        index: Storage index.
        info: Class, or ``None`` when the class directory does not say.
    """

    __slots__ = ("_blocks", "index", "info", "scene")

    stored_appdata = ChunkChild(0x2150, AppDataContainer, doc="AppData entries")
    dense_references = ChunkField(DENSE_REFERENCES, Array(I32), doc="storage index per slot")
    sparse_references = ChunkField(SPARSE_REFERENCES, SparseReferences(), doc="index by slot")
    attribute_link = ChunkChild(0x21B0, AttributeLink, doc="link to custom attributes")
    modifier_head = ChunkChild(0x39BF, ModifierHead, doc="name and switches of a modifier")
    chunk_204b = ChunkField(0x204B, U8, doc="open; 2008 and later")
    chunk_2045 = ChunkField(0x2045, U32, doc="open; up to 9")
    chunk_2047 = ChunkChild(0x2047, Chunk2047, doc="open; up to 9")
    chunk_2300 = ChunkChild(0x2300, Chunk2300, doc="open")
    chunk_2535 = ChunkField(0x2535, U32, doc="open; 0 on all controllers that have it")

    def __init__(self, scene: Scene, index: int, info: ClassInfo | None, data: ChunkData) -> None:
        """Look at an object; made by the scene."""
        super().__init__(data)
        self.scene = scene
        self.index = index
        self.info = info
        # Count of the scene's edits, and what :attr:`param_blocks` found then.
        self._blocks: tuple[int, tuple[tuple[int, ParamBlockBase], ...]] | None = None

    def __repr__(self) -> str:
        """Return class and index, for debugging."""
        return f"<{type(self).__name__} {self.index} {self.class_name!r}>"

    @property
    def class_name(self) -> str:
        """Class name as stored (localised), or ``"?"``."""
        return self.info.name if self.info else "?"

    @property
    def class_id(self) -> ClassId | None:
        """Class id, or ``None`` when unknown."""
        return self.info.class_id if self.info else None

    @property
    def superclass(self) -> int | None:
        """Superclass id, or ``None`` when unknown."""
        return self.info.superclass if self.info else None

    @property
    def dll_name(self) -> str:
        """File name of the plug-in; empty for built-in and script classes."""
        return self.scene.dll_name(self.info.dll) if self.info else ""

    @property
    def modifier_switches(self) -> ModifierHead | None:
        """Head of a modifier, wherever its class keeps it; ``None`` where it has none."""
        return self.modifier_head

    @property
    def references(self) -> dict[int, int]:
        """Storage index per reference slot; empty slots are left out.

        In the dense form -1 is an empty slot; index 0 is a valid object (measured).

        Raises:
            DecodeError: The list has an impossible size.
        """
        dense = self.dense_references
        if dense is not None:
            return {slot: index for slot, index in enumerate(dense) if index >= 0}
        sparse = self.sparse_references
        return {} if sparse is None else {s: i for s, i in sparse[1].items() if i >= 0}

    def reference(self, slot: int) -> SceneObject | None:
        """Return the object in a slot; ``None`` when empty or pointing outside the scene."""
        index = self.references.get(slot)
        if index is None or not 0 <= index < len(self.scene):
            return None
        return self.scene[index]

    @property
    def param_blocks(self) -> tuple[ParamBlockBase, ...]:
        """The parameter blocks that the object holds, in the order of its reference slots.

        Raises:
            DecodeError: The reference list has an impossible size.
        """
        edits = self.scene.edits.count
        known = self._blocks
        if known is None or known[0] != edits:
            from maxsidecar.scene.params.access import find_blocks

            known = self._blocks = edits, find_blocks(self)
        for slot, block in known[1]:
            block.know_owner(self, slot)
        return tuple([block for _, block in known[1]])

    @property
    def parameters(self) -> ObjectParameters:
        """The parameters of the object's blocks, by name.

        Raises:
            DecodeError: The reference list has an impossible size.
        """
        from maxsidecar.scene.params.access import ObjectParameters

        return ObjectParameters(self.param_blocks)

    @property
    def custom_attributes(self) -> tuple[CustomAttribute, ...]:
        """Parameters that scripts and plug-ins have added to the object.

        Raises:
            DecodeError: The link to them cannot be read.
        """
        from maxsidecar.scene.params.access import custom_attributes

        return custom_attributes(self)

    @property
    def appdata(self) -> AppData:
        """The object's AppData entries."""
        return AppData(self)

    @property
    def notes(self) -> list[Note]:
        """The notes of the object's note tracks.

        Raises:
            DecodeError: They are not stored as is known.
        """
        return read_notes(self)

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what does not fit together in the object, though every layout is sound.

        Raises:
            DecodeError: Something cannot be read.
        """
        yield from ()

    @property
    def edited(self) -> bool:
        """Whether the object's bytes differ from those that were read."""
        return self.data.edited

    @property
    def is_derived(self) -> bool:
        """Whether this is a modifier stack on top of another object."""
        return self.scene.chunk_id(self.index) in (0x2032, 0x2033)

    def is_instance(self, superclass: int, class_id: tuple[int, int] | None = None) -> bool:
        """Return whether the object is of this superclass (and class)."""
        info = self.info
        if info is None or info.superclass != superclass:
            return False
        return class_id is None or (info.class_id.a, info.class_id.b) == class_id

    def require_chunks(self) -> None:
        """Check that the object's body is a run of chunks.

        Raises:
            EditError: It is not, so nothing in it can be edited.
        """
        if not self.scene.is_container(self.index):
            raise EditError("the object holds no chunks", self.where)
