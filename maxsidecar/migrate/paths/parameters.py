"""Paths in parameter blocks: parameters of type file name, and texts that read as paths.

A file name that the block keeps as an id stands in the asset table, not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.io.buffers import Buffer
from maxsidecar.migrate.paths.looks import kind_of, reads_as_path
from maxsidecar.migrate.paths.place import OUTPUT, Holder, Place, label
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.records import ParamRecord
from maxsidecar.scene.params.types import Kind
from maxsidecar.scene.scene import Scene

__all__ = [
    "WRITERS",
    "ParameterHolder",
    "may_hold_path",
    "owner_of",
    "parameter_holders",
    "paths_of_record",
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


def may_hold_path(data: Buffer, start: int, end: int) -> bool:
    """Return whether a parameter block has a text with a slash, colon or dot in it.

    Most blocks have none, and decoding them all takes many times longer than this search.
    """
    view = memoryview(data)
    for match in _TEXT_RECORD.finditer(data, start, end):
        size = int.from_bytes(match[1], "little") or _WIDE_RECORD
        record = bytes(view[match.start() + 16 : min(match.start() + size, end)])
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


class ParameterHolder(Holder):
    """One parameter with one text or a table of them."""

    def __init__(self, parameter: Parameter) -> None:
        """Look at the parameter."""
        self._parameter = parameter

    def places(self) -> Iterator[Place]:
        """Yield its paths."""
        parameter = self._parameter
        record = parameter.record
        paths = list(paths_of_record(record))
        if not paths:
            return
        owner, superclass = owner_of(parameter.block)
        where = parameter.where
        span = parameter.block.data.top()[parameter.position]
        name = parameter.name or f"parameter {parameter.id}"
        for number, path, kind in paths:
            if superclass in WRITERS:
                kind = OUTPUT
            elif superclass == _MAP and kind == "file":
                kind = "bitmap"
            stored = record.elements[number][1]
            yield Place(
                path,
                kind,
                f"{name}[{number}]" if parameter.is_tab else name,
                number,
                where,
                span[3] - span[1],
                owner,
                parameter.block.index,
                "" if isinstance(stored, str) else "the text is not in the scene's code page",
            )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other texts into the parameter."""
        parameter = self._parameter
        record = parameter.record
        elements = list(record.elements)
        for number, text in changes.items():
            flag, old = elements[number]
            if not isinstance(old, str):
                raise EditError("no text is stored here", parameter.where)
            elements[number] = (flag, text)
        parameter.block.write_record(parameter.number, replace(record, elements=tuple(elements)))


def parameter_holders(scene: Scene, index: int) -> Iterator[Holder]:
    """Yield the parameters of one block that may hold paths."""
    block = scene[index]
    if not isinstance(block, ParamBlockBase):
        return
    for number, entry in enumerate(block.state.entries):
        if entry.record is not None and entry.record.kind.kind is Kind.TEXT:
            yield ParameterHolder(block.parameter(number))
