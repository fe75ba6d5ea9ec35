"""What differs between the streams of two scene files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.buffers import same_bytes
from maxsidecar.scene.asset_metadata import ASSET_STREAMS, AssetTableCodec
from maxsidecar.scene.config import Config
from maxsidecar.scene.directories import ClassDirectory, DllDirectory
from maxsidecar.scene.maxfile import MaxFile, Stream
from maxsidecar.scene.property_set import DOCUMENT_SUMMARY, SUMMARY
from maxsidecar.scene.stream_views import CHUNK_STREAMS
from maxsidecar.scene.summary import SUMMARY_FIELDS
from maxsidecar.sidecar.diff_chunks import Side, compare_chunks
from maxsidecar.sidecar.diff_indices import config_indices
from maxsidecar.sidecar.text_chunks import problem_text, typed_by_offset
from maxsidecar.sidecar.text_values import digest, quoted, show

__all__ = ["StreamDifference", "compare_streams"]

#: Kind, name, change, field, old and new text.
StreamDifference = tuple[str, str, str, str, str | None, str | None]

_CONFIG: Final = "Config"
_DIRECTORIES: Final = ("DllDirectory", "ClassDirectory3", "ClassDirectory")


def compare_streams(
    old: MaxFile, new: MaxFile, pairs: Mapping[int, int]
) -> Iterator[StreamDifference]:
    """Yield what differs in the streams other than Scene.

    Args:
        old: One scene file.
        new: The other.
        pairs: The objects that are the same: storage index in the new scene by that in the old one.
    """
    for name, stream in old.streams.items():
        if name not in new.streams:
            yield "stream", name, "removed", "", _size(stream), None
    for name, stream in new.streams.items():
        if name not in old.streams:
            yield "stream", name, "added", "", None, _size(stream)
    for name in old.streams:
        if name not in new.streams or name == "Scene" or name in _DIRECTORIES:
            continue
        for field, left, right in _compare(name, old, new, pairs):
            yield "stream", name, "changed", field, left, right
    yield from _directories(old, new)


def _size(stream: Stream) -> str:
    try:
        return f"{len(stream.data)} bytes"
    except MaxSidecarError as error:
        return problem_text(error)


def _compare(
    name: str, old: MaxFile, new: MaxFile, pairs: Mapping[int, int]
) -> Iterator[tuple[str, str | None, str | None]]:
    left, right = old.streams[name], new.streams[name]
    try:
        if name == _CONFIG and old.config is not None and new.config is not None:
            yield from _config(old.config, new.config, pairs)
            return
        if same_bytes(left.data, right.data):
            return
        if name in CHUNK_STREAMS:
            yield from _chunks(name, left, right)
            return
        told = False
        for difference in _known(name, old, new):
            told = True
            yield difference
        if told:
            return
        yield "content", _content(left), _content(right)
    except MaxSidecarError as error:
        yield "", None, problem_text(error)


def _content(stream: Stream) -> str:
    return f"{len(stream.data)} bytes, sha256 {digest(stream.data)}"


def _chunks(name: str, old: Stream, new: Stream) -> Iterator[tuple[str, str | None, str | None]]:
    old_view, new_view = old.view, new.view
    old_typed = typed_by_offset(old_view)[0] if old_view is not None else {}
    new_typed = typed_by_offset(new_view)[0] if new_view is not None else {}
    yield from compare_chunks(
        list(old.chunks.chunks()),
        list(new.chunks.chunks()),
        Side(old_typed),
        Side(new_typed),
        name,
    )


def _config(
    old: Config, new: Config, pairs: Mapping[int, int]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield what differs in the settings, in which some numbers are those of objects."""
    left, right = config_indices(old), config_indices(new)
    held = left.held.get("objects", []), right.held.get("objects", [])
    # Where others are meant, the numbers themselves are all there is to show.
    same = [pairs.get(index, index) for index in held[0]] == held[1]
    sides = [Side(typed_by_offset(view)[0]) for view in (old, new)]
    if same:
        sides = [sides[0]._replace(content=left.content), sides[1]._replace(content=right.content)]
    yield from compare_chunks(list(old.chunks()), list(new.chunks()), sides[0], sides[1], _CONFIG)


def _known(name: str, old: MaxFile, new: MaxFile) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield differences of streams that are understood without being chunks."""
    if name in ASSET_STREAMS:
        left, right = _assets(old.streams[name]), _assets(new.streams[name])
    elif name == SUMMARY:
        left, right = _summary(old), _summary(new)
    elif name == DOCUMENT_SUMMARY:
        left, right = _document(old), _document(new)
    else:
        return
    for key in left | right:
        if left.get(key) != right.get(key):
            yield key, left.get(key), right.get(key)


def _assets(stream: Stream) -> dict[str, str]:
    try:
        records = AssetTableCodec(ASSET_STREAMS[stream.name]).verified(stream.data)
    except DecodeError:
        return {}
    return {f"asset {record.guid}": show(record.path) for record in records}


def _summary(scene_file: MaxFile) -> dict[str, str]:
    summary = scene_file.summary
    if summary is None:
        return {}
    values: dict[str, Any] = {name: getattr(summary, name) for name in SUMMARY_FIELDS}
    thumbnail = summary.thumbnail
    if thumbnail is not None:
        size = f"{thumbnail.width} x {thumbnail.height}"
        values["thumbnail"] = f"{size}, sha256 {digest(thumbnail.rgb)}"
    return {key: show(value) for key, value in values.items() if value not in (None, "")}


def _document(scene_file: MaxFile) -> dict[str, str]:
    document = scene_file.document_summary
    if document is None:
        return {}
    values: dict[str, Any] = {"version": document.version_text}
    values |= document.mesh_totals
    values |= {f"number of {key}": value for key, value in document.scene_totals.items()}
    values |= {f"property {key}": value for key, value in document.user_properties.items()}
    return {key: show(value) for key, value in values.items()}


def _directories(old: MaxFile, new: MaxFile) -> Iterator[StreamDifference]:
    for kind, read in (("plug-in", _plugins), ("class", _classes)):
        left, right = read(old), read(new)
        for key in left | right:
            if left.get(key) == right.get(key):
                continue
            change = "added" if key not in left else "removed" if key not in right else "changed"
            yield kind, key, change, "", left.get(key), right.get(key)


def _plugins(scene_file: MaxFile) -> dict[str, str]:
    try:
        directory: DllDirectory | None = scene_file.dll_directory
        entries = directory.entries if directory is not None else []
        return {entry.file_name: quoted(entry.description) for entry in entries}
    except MaxSidecarError as error:
        return {"": problem_text(error)}


def _classes(scene_file: MaxFile) -> dict[str, str]:
    try:
        directory: ClassDirectory | None = scene_file.class_directory
        infos = directory.infos() if directory is not None else []
    except MaxSidecarError as error:
        return {"": problem_text(error)}
    return {f"{i.class_id}:{i.superclass:x}": quoted(i.name) for i in infos if i is not None}
