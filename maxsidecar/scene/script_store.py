"""What MAXScript keeps in ``Config``: global variables and scripted class definitions.

(measured on the corpus, docs/format/streams.md section 6)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Chunk, ChunkData
from maxsidecar.io.fields import Record, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkView, TypedLeaf
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.script_classes import ScriptedBlock, read_blocks
from maxsidecar.scene.script_codecs import ScriptPairsCodec
from maxsidecar.scene.script_leaves import Definition, locate
from maxsidecar.scene.script_types import ScriptValue

__all__ = ["ScriptStore", "ScriptedClass"]

_GLOBALS = 0x30
_CLASS = 0x40
_IDENTITY = 0x50


class ScriptedClassHeader(Record):
    """Which class a definition is for."""

    superclass: int = u32(doc="superclass id")
    class_a: int = u32(doc="first half of the class id")
    class_b: int = u32(doc="second half of the class id")


class ScriptedClass(Definition):
    """The stored definition of one scripted class.

    Args:
        data: The stream.
        chunk: The container of the definition.
        encoding: Code page of 8-bit text in the file.
    """

    __slots__ = ()
    header = ChunkField(_IDENTITY, record_codec(ScriptedClassHeader), doc="identity of the class")

    @property
    def class_id(self) -> ClassId:
        """Class id, as in the class directory."""
        header = self._header()
        return ClassId(header.class_a, header.class_b)

    @property
    def superclass(self) -> int:
        """Superclass id, as in the class directory."""
        return self._header().superclass

    def _header(self) -> ScriptedClassHeader:
        header: ScriptedClassHeader | None = self.header
        if header is None:
            raise DecodeError("a scripted class has no identity", self.where)
        return header

    def blocks(self) -> tuple[ScriptedBlock, ...]:
        """Return the parameter blocks.

        Raises:
            DecodeError: The definition cannot be read.
        """
        try:
            return read_blocks(self.value)
        except DecodeError as error:
            locate(error, self.where)
            raise


class ScriptStore(ChunkView):
    """Global variables and scripted classes that MAXScript keeps in the scene.

    Args:
        data: The stream.
        chunk: The container.
        encoding: Code page of 8-bit text in the file.
    """

    __slots__ = ("encoding",)

    def __init__(
        self, data: ChunkData, chunk: Chunk | None = None, encoding: str = "cp1252"
    ) -> None:
        """Look at the container."""
        super().__init__(data, chunk)
        self.encoding = encoding

    @property
    def variables(self) -> dict[str, ScriptValue]:
        """The persistent global variables by name.

        Raises:
            DecodeError: They cannot be read.
        """
        chunk = self.find(_GLOBALS)
        if chunk is None:
            return {}
        try:
            pairs = ScriptPairsCodec(self.encoding).decode(chunk.data)
        except DecodeError as error:
            locate(error, chunk.where)
            raise
        return {name.text: value for name, value in pairs}

    def set_variable(self, name: str, value: ScriptValue) -> None:
        """Change a global variable that is there.

        Raises:
            EditError: There is no such variable, or the value cannot be stored.
        """
        chunk = self.find(_GLOBALS)
        codec = ScriptPairsCodec(self.encoding)
        try:
            pairs = codec.verified(chunk.data) if chunk is not None else ()
        except DecodeError as error:
            raise EditError(f"the variables are read-only: {error.message}", self.where) from error
        changed = tuple((key, value if key.text == name else old) for key, old in pairs)
        if chunk is None or all(key.text != name for key, _ in pairs):
            raise EditError(f"there is no global variable {name!r}", self.where)
        chunk.replace(codec.encode_new(changed, pairs))

    def remove_variables(self, names: Collection[str]) -> None:
        """Take global variables out; the store must not be used after the last thing has gone.

        Without variables there is no chunk for them, and an empty store is a leaf of 0 bytes
        (measured).

        Raises:
            EditError: The stored variables are not understood.
        """
        chunk = self.find(_GLOBALS)
        if chunk is None:
            return
        codec = ScriptPairsCodec(self.encoding)
        try:
            pairs = codec.verified(chunk.data)
        except DecodeError as error:
            raise EditError(f"the variables are read-only: {error.message}", self.where) from error
        kept = tuple(pair for pair in pairs if pair[0].text not in names)
        if kept:
            if len(kept) < len(pairs):
                chunk.replace(codec.encode(kept))
            return
        chunk.remove()
        outer = self.container()
        if outer is not None and not outer.spans():
            data, parent, position = self.data, outer.parent, outer.position
            outer.remove()
            around = None if parent is None else data.refresh(parent)
            data.insert(around, position, outer.id, b"")

    @property
    def classes(self) -> list[ScriptedClass]:
        """The scripted classes in stored order."""
        return [
            ScriptedClass(self.data, chunk, self.encoding)
            for chunk in self.chunks()
            if chunk.id == _CLASS and chunk.container
        ]

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the variables, and the identity and value of each class."""
        for chunk in self.chunks():
            if chunk.id == _GLOBALS:
                yield chunk, f"{prefix}variables", ScriptPairsCodec(self.encoding)
            elif chunk.id == _CLASS and chunk.container:
                view = ScriptedClass(self.data, chunk, self.encoding)
                yield from view.typed_leaves(f"{prefix}classes[{chunk.position}].")
