"""Paths that utility plug-ins keep in ``Config``: records of parameters, as in ``Scene``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import ChunkError, DecodeError, EditError
from maxsidecar.io.chunks import Chunk, ChunkData
from maxsidecar.migrate.paths.parameters import codec_of, paths_of_record, write_record
from maxsidecar.migrate.paths.place import Holder, Place
from maxsidecar.scene.params.records import RECORDS, ParamRecord

if TYPE_CHECKING:
    from maxsidecar.scene.config import Config

__all__ = ["RecordHolder", "utility_holders"]

#: Deeper than any utility nests (measured: 6).
_DEEPEST: Final = 32


class RecordHolder(Holder):
    """A record of a parameter outside a parameter block.

    Args:
        data: The chunks that it is among.
        chunk: The record.
        code_page: Codec of 8-bit text.
        owner: The plug-in.
    """

    def __init__(self, data: ChunkData, chunk: Chunk, code_page: str, owner: str) -> None:
        """Look at the record."""
        self._data = data
        self._chunk = chunk
        self._code_page = code_page
        self._owner = owner

    def _record(self) -> ParamRecord | None:
        if self._chunk.revision != self._data.revision:
            self._chunk = self._data.refresh(self._chunk)
        try:
            return codec_of(self._chunk, self._code_page).verified(self._chunk.data)
        except DecodeError:
            return None  # something else with the same id

    def places(self) -> Iterator[Place]:
        """Yield its paths."""
        record = self._record()
        if record is None:
            return
        where, size = self._chunk.where, self._chunk.end - self._chunk.start
        for number, path, kind in paths_of_record(record):
            stored = isinstance(record.elements[number][1], str)
            yield Place(
                path,
                kind,
                f"parameter {record.id}",
                number,
                where,
                size,
                self._owner,
                read_only="" if stored else "the text is not in the scene's code page",
            )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other texts into the record."""
        record = self._record()
        if record is None:
            raise EditError("the record is no parameter any more", self._chunk.where)
        elements = tuple(
            (flag, changes.get(number, value))
            for number, (flag, value) in enumerate(record.elements)
        )
        write_record(self._chunk, self._code_page, replace(record, elements=elements))


def utility_holders(config: Config, code_page: str) -> Iterator[Holder]:
    """Yield the records of utility plug-ins.

    Raises:
        DecodeError: The list of utilities is damaged.
    """
    for utility in config.utilities():
        if utility.data is None or not utility.data.container:
            continue
        pending = [(utility.data, 0)]
        while pending:
            chunk, depth = pending.pop()
            if not chunk.container:
                if chunk.id in RECORDS:
                    yield RecordHolder(config.data, chunk, code_page, f"utility {utility.class_id}")
                continue
            try:
                inner = list(chunk.chunks())
            except ChunkError:
                continue  # damage is told by whoever reads the plug-in's data
            if depth < _DEEPEST:
                pending += [(child, depth + 1) for child in reversed(inner)]
