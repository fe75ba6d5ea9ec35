"""The asset table: the paths of newer scenes, which bitmaps and others name by id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from uuid import UUID

from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.paths.place import OUTPUT, Holder, Place, label
from maxsidecar.scene.asset_metadata import ASSET_STREAMS, AssetMetadata

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["AssetHolder", "asset_holders", "asset_users"]

_KINDS: Final = {
    "bitmap": "bitmap",
    "photometric": "photometric",
    "xref": "xref",
    "sound": "sound",
    "renderoutput": OUTPUT,
}
#: A chunk 0002 of 16 bytes, with a narrow or a wide header.
_LINK: Final = re.compile(rb"\x02\0(?:\x16\0\0\0|\0\0\0\0\x1e\0{7})(.{16})", re.DOTALL)
_IN_BRACES: Final = re.compile(rb"\{\0((?:[0-9A-Fa-f-]\0){36})\}\0")
#: Each text has a length in front and a NUL behind.
_AROUND: Final = 6


class AssetHolder(Holder):
    """An asset table.  Ids and types stay: only the texts that are paths can be renamed."""

    def __init__(self, table: AssetMetadata) -> None:
        """Look at the table."""
        self._table = table

    def places(self) -> Iterator[Place]:
        """Yield path and resolved path of each asset."""
        where = self._table.stream.where
        offset = 0
        for number, record in enumerate(self._table.assets):
            kind = _KINDS.get(record.type.lower(), "file")
            offset += 16 + len(record.type.encode("utf-16-le", "surrogatepass")) + _AROUND
            for part, (field, text) in enumerate(
                (("path", record.path), ("resolved path", record.resolved))
            ):
                if text is None:
                    continue
                size = len(text.encode("utf-16-le", "surrogatepass")) + _AROUND
                if text:
                    yield Place(
                        text,
                        kind,
                        f"asset {number} {field}",
                        2 * number + part,
                        where.within(offset=offset),
                        size,
                        asset=str(record.guid),
                    )
                offset += size

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other paths into the table."""
        records = list(self._table.assets)
        for number, path in changes.items():
            at, part = divmod(number, 2)
            records[at] = (
                replace(records[at], resolved=path) if part else replace(records[at], path=path)
            )
        self._table.assets = tuple(records)


def asset_holders(scene_file: MaxFile) -> Iterator[Holder]:
    """Yield the asset tables of a file; it has one at most, as far as is known."""
    for name in sorted(ASSET_STREAMS):
        if name in scene_file.streams:
            yield AssetHolder(AssetMetadata(scene_file.streams[name]))


def asset_users(scene_file: MaxFile) -> dict[str, tuple[str, ...]]:
    """Return who names each asset, by its id: objects of the scene, and viewports.

    Whoever names one does so in a chunk 0002 that is nothing but the id, so one search through the
    stream finds all.
    """
    scene = scene_file.scene
    users: dict[str, dict[str, None]] = {}
    for name in sorted(ASSET_STREAMS):
        stream = scene_file.streams.get(name)
        if stream is not None:
            users |= {str(record.guid): {} for record in AssetMetadata(stream).assets}
    for match in _LINK.finditer(scene.data):
        found = users.get(str(UUID(bytes_le=match[1])))
        index = scene.index_at(match.start()) if found is not None else None
        if found is not None and index is not None:
            found[_user(scene_file, index)] = None
    for guid in _in_config(scene_file):
        if guid in users:
            users[guid]["viewport background"] = None
    return {guid: tuple(names) for guid, names in users.items()}


def _user(scene_file: MaxFile, index: int) -> str:
    """Return the object that uses an asset: of a parameter block its owner."""
    obj = scene_file.scene[index]
    try:
        owner = getattr(obj, "owner", None)
    except MaxSidecarError:
        owner = None
    return label(owner if owner is not None else obj)


def _in_config(scene_file: MaxFile) -> Iterator[str]:
    """Yield the ids in braces that ``Config`` holds."""
    stream = scene_file.streams.get("Config")
    try:
        data = stream.data if stream is not None else b""
    except MaxSidecarError:
        return  # what is damaged is told by whoever reads the stream
    for match in _IN_BRACES.finditer(data):
        yield str(match[1], "utf-16-le").lower()
