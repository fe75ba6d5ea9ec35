"""Files that a scene names in its asset table, by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from maxsidecar.errors import EditError

if TYPE_CHECKING:
    from uuid import UUID

    from maxsidecar.io.headers import Buffer
    from maxsidecar.scene.asset_metadata import AssetMetadata, AssetRecord
    from maxsidecar.scene.scene import Scene

__all__ = ["asset_table", "find_asset", "set_asset_paths"]

#: The bytes of a table, and its records by id.
_Read: TypeAlias = "tuple[Buffer, dict[UUID, AssetRecord]]"

_known: WeakKeyDictionary[Scene, _Read] = WeakKeyDictionary()


def asset_table(scene: Scene) -> AssetMetadata | None:
    """Return the asset table of a scene; ``None`` where there is none."""
    streams = scene.streams
    return streams.asset_metadata if streams is not None else None


def find_asset(scene: Scene, guid: UUID | None) -> AssetRecord | None:
    """Return the file with an id, ``None`` where there is none.

    The table is read once, until it changes.

    Raises:
        DecodeError: The table cannot be read.
    """
    table = asset_table(scene) if guid is not None else None
    if table is None or guid is None:
        return None
    content = table.stream.content
    read = _known.get(scene)
    if read is None or read[0] is not content:
        # Of several records with one id the first counts.
        read = content, {record.guid: record for record in reversed(table.assets)}
        _known[scene] = read
    return read[1].get(guid)


def set_asset_paths(scene: Scene, paths: Mapping[UUID, str]) -> None:
    """Put other paths into the asset table, all at once.

    The place where a file was found goes with its path, where they were the same.

    Raises:
        EditError: There is no table, it is read-only, or it has no such file.
    """
    table = asset_table(scene)
    if table is None:
        raise EditError("there is no asset table")
    for guid in paths:
        if find_asset(scene, guid) is None:
            raise EditError("no such file in the asset table", found=guid)
    table.assets = tuple(
        replace(
            record,
            path=paths[record.guid],
            resolved=paths[record.guid] if record.resolved == record.path else record.resolved,
        )
        if record.guid in paths
        else record
        for record in table.assets
    )
