"""Paths in parameter blocks: parameters of type file name, and texts that read as paths.

A file name that the block keeps as an id stands in the asset table, not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.chunks import Chunk
from maxsidecar.migrate.paths.looks import kind_of, reads_as_path
from maxsidecar.migrate.paths.place import OUTPUT, Holder, Place, label
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.params.records import RECORDS, Element, ParamRecord, RecordCodec
from maxsidecar.scene.params.types import Kind
from maxsidecar.scene.scene import Scene

__all__ = [
    "WRITERS",
    "BlockHolder",
    "codec_of",
    "may_hold_path",
    "owner_of",
    "parameter_holders",
    "paths_of_record",
    "write_record",
]

_FILE_NAME: Final = 9
#: Superclasses whose files are written: renderers, render elements and elements that are baked.
WRITERS: Final = frozenset({0xF00, 0x1150, 0x1151})
_MAP: Final = 0xC10
#: A file name has an extension or a folder; without either it is a word (measured: "rand").
_MARKS: Final = "\\/:."
_BYTE_MARKS: Final = tuple(mark.encode() for mark in _MARKS)

#: A record of type string or file name, or a table of them: narrow or wide header, parameter id,
#: type, and for a single value flags and a length that is neither 0 nor negative, which are "none"
#: and "in the asset table".  Matches overlap, so that bytes that look like a record hide none.
_TEXT_RECORD: Final = re.compile(
    rb"(?=[\x0a\x0e][\x00\x10\x20](.{4})(?:|.{8})..[\x08\x09]"
    rb"(?:\x08\0\0|\0\0\0(?:.{4}|.{8}|.{12})[\x40-\xff](?!\0{4}).{3}[\x00-\x7f]))",
    re.DOTALL,
)
#: Longest text that is looked into before its block is read.
_WIDE_RECORD: Final = 1 << 16
_MOST_RECORDS: Final = 1000


def may_hold_path(data: Buffer, start: int, end: int) -> bool:
    """Return whether a parameter block has a text with a slash, colon or dot in it.

    Most blocks have none, and decoding them all takes many times longer than this search.
    """
    view = memoryview(data)
    for number, match in enumerate(_TEXT_RECORD.finditer(data, start, end)):
        if number == _MOST_RECORDS:
            return True  # reading the block takes no longer
        size = int.from_bytes(match[1], "little") or _WIDE_RECORD
        stop = min(match.start() + min(size, _WIDE_RECORD), end)
        record = bytes(view[match.start() + 16 : stop])
        if any(mark in record for mark in _BYTE_MARKS):
            return True
    return False


def owner_of(block: ParamBlockBase) -> tuple[str, int | None]:
    """Return label and superclass of the object whose parameters these are."""
    try:
        owner = block.owner
        known = block.owner_class
    except MaxSidecarError:
        owner, known = None, None
    if owner is not None:
        return label(owner), owner.superclass
    return label(block), known[1] if known is not None else None


def paths_of_record(record: ParamRecord) -> Iterator[tuple[int, str, str]]:
    """Yield number, path and kind of each element that is a path.

    A text that its code page would not write the same is given as far as it can be shown.
    """
    if record.kind.kind is not Kind.TEXT:
        return
    is_name = record.kind.code == _FILE_NAME
    for number, (_, value) in enumerate(record.elements):
        if isinstance(value, bytes):
            value = value.rstrip(b"\0").decode("latin-1")
        if not isinstance(value, str) or not value:
            continue
        if reads_as_path(value) or (is_name and any(mark in value for mark in _MARKS)):
            yield number, value, kind_of(value, "file" if is_name else "text")


class BlockHolder(Holder):
    """The texts of one parameter block, single ones and tables."""

    def __init__(self, block: ParamBlock2) -> None:
        """Look at the block."""
        self._block = block

    def _found(self) -> Iterator[tuple[int, int, str, str]]:
        """Yield number of the record, of the element, path and kind."""
        for number, entry in enumerate(self._block.state.entries):
            if entry.record is not None:
                for element, path, kind in paths_of_record(entry.record):
                    yield number, element, path, kind

    def places(self) -> Iterator[Place]:
        """Yield the paths of all parameters."""
        block = self._block
        found = list(self._found())
        if not found:
            return
        owner, superclass = owner_of(block)
        spans = block.data.top()
        for place, (number, element, path, kind) in enumerate(found):
            if superclass in WRITERS:
                kind = OUTPUT
            elif superclass == _MAP and kind == "file":
                kind = "bitmap"
            parameter = block.parameter(number)
            span = spans[parameter.position]
            name = parameter.name or f"parameter {parameter.id}"
            stored = parameter.record.elements[element][1]
            yield Place(
                path,
                kind,
                f"{name}[{element}]" if parameter.is_tab else name,
                place,
                parameter.where,
                span[3] - span[1],
                owner,
                block.index,
                "" if isinstance(stored, str) else "the text is not in the scene's code page",
            )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other texts into the parameters."""
        block = self._block
        elements: dict[int, list[Element]] = {}
        for place, (number, element, _, _) in enumerate(self._found()):
            if place not in changes:
                continue
            if number not in elements:
                elements[number] = list(block.parameter(number).record.elements)
            row = elements[number]
            flag, old = row[element]
            if not isinstance(old, str):
                raise EditError("no text is stored here", block.parameter(number).where)
            row[element] = flag, changes[place]
        # The block is read once for all of them; records keep their places.
        places = {number: block.parameter(number).position for number in elements}
        records = {number: block.parameter(number).record for number in elements}
        for number, row in elements.items():
            chunk = Chunk(block.data, None, places[number], block.data.top()[places[number]])
            write_record(
                chunk, block.scene.code_page, replace(records[number], elements=tuple(row))
            )


def codec_of(chunk: Chunk, code_page: str) -> RecordCodec:
    """Return the codec of a record's generation."""
    return RecordCodec(chunk.id, "" if RECORDS[chunk.id].wide else code_page)


def write_record(chunk: Chunk, code_page: str, record: ParamRecord) -> None:
    """Put another record into its chunk.

    Raises:
        EditError: The stored record would not be written the same, or the new one does not fit.
    """
    codec = codec_of(chunk, code_page)
    try:
        codec.verified(chunk.data)
    except DecodeError as error:
        raise EditError(f"the parameter is read-only: {error.message}", chunk.where) from error
    chunk.replace(codec.encode(record))


def parameter_holders(scene: Scene, index: int) -> Iterator[Holder]:
    """Yield one block."""
    block = scene[index]
    if isinstance(block, ParamBlock2):
        yield BlockHolder(block)
