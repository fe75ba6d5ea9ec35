"""The streams beside the scene's objects as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import UTF16, record_codec
from maxsidecar.scene.asset_metadata import ASSET_STREAMS, AssetTableCodec
from maxsidecar.scene.directories import BUILTIN_DLL, SCRIPT_DLL, ClassHeader
from maxsidecar.scene.maxfile import MaxFile, Stream
from maxsidecar.scene.stream_views import CHUNK_STREAMS
from maxsidecar.sidecar.text_chunks import chunk_lines, problem_text, typed_by_offset
from maxsidecar.sidecar.text_values import digest, quoted, show

__all__ = ["stored_lines", "stream_blocks", "stream_list"]

_CLASSES: Final = ("ClassDirectory3", "ClassDirectory")
_HEADER = record_codec(ClassHeader)
_WHERE: Final = {BUILTIN_DLL: "built in", SCRIPT_DLL: "script"}


def stream_list(scene_file: MaxFile) -> Iterator[str]:
    """Yield a line per stream: how it is packed, and a digest where its content is not shown."""
    for name, stream in scene_file.streams.items():
        try:
            data = stream.data
        except MaxSidecarError as error:
            yield f"{quoted(name)} {problem_text(error)}"
            continue
        records = _asset_lines(stream)
        opaque = stream.name not in CHUNK_STREAMS and records is None
        content = f", {len(data)} bytes, sha256 {digest(data)}" if opaque else ""
        yield f"{quoted(name)} {stream.packing}{content}"
        yield from records or ()


def _asset_lines(stream: Stream) -> list[str] | None:
    """Return the records of an asset table, ``None`` for another or a damaged stream."""
    if stream.name not in ASSET_STREAMS:
        return None
    try:
        records = AssetTableCodec(ASSET_STREAMS[stream.name]).verified(stream.data)
    except DecodeError:
        return None
    return [f"  {show(record)}" for record in records]


def stream_blocks(scene_file: MaxFile, *, full: bool = False) -> Iterator[str]:
    """Yield the content of every chunk stream but Scene, each under a heading."""
    # Asking for these lets their views know the code page of the file.
    with suppress(MaxSidecarError):
        _ = scene_file.config
    with suppress(MaxSidecarError):
        _ = scene_file.custom_attribute_definitions
    plugins: list[str] = []
    for name, stream in scene_file.streams.items():
        if stream.name not in CHUNK_STREAMS or stream.name == "Scene":
            continue
        yield ""
        yield f"[{quoted(name)}]"
        lines: list[str] | None = None
        if name == "DllDirectory":
            plugins = _plugin_files(stream)
        if name in _CLASSES:
            lines = _class_lines(stream, plugins)
        yield from _tree(name, stream, full) if lines is None else lines


def _tree(name: str, stream: Stream, full: bool) -> Iterator[str]:
    try:
        view = stream.view
        typed, problems = typed_by_offset(view) if view is not None else ({}, [])
        for error in problems:
            yield problem_text(error)
        yield from chunk_lines(stream.chunks, typed, name, full=full)
    except MaxSidecarError as error:
        yield problem_text(error)
        yield from stored_lines(stream)


def stored_lines(stream: Stream) -> Iterator[str]:
    """Yield what is left to say about a stream that cannot be shown."""
    with suppress(MaxSidecarError):
        yield f"stored = ({len(stream.raw)} bytes, sha256 {digest(stream.raw)})"


def _plugin_files(stream: Stream) -> list[str]:
    """Return the file names of the plug-ins, as far as they can be read."""
    files: list[str] = []
    with suppress(MaxSidecarError):
        for chunk in stream.view.chunks() if stream.view is not None else ():
            if chunk.id == 0x2038:
                found = chunk.find(0x2037) if chunk.container else None
                files.append(UTF16.decode(found.data) if found is not None else "?")
    return files


def _class_lines(stream: Stream, plugins: list[str]) -> list[str] | None:
    """Return one line per class; ``None`` when an entry is not exactly as is known."""
    lines: list[str] = []
    try:
        for entry in stream.view.chunks() if stream.view is not None else ():
            line = _class_line(entry, plugins)
            if line is None:
                return None
            lines.append(line)
    except MaxSidecarError:
        return None
    return lines


def _class_line(entry: Chunk, plugins: list[str]) -> str | None:
    if entry.id != 0x2040 or not entry.container:
        return None
    parts = list(entry.chunks())
    if [part.id for part in parts] != [0x2060, 0x2042] or any(p.container for p in parts):
        return None
    header = _HEADER.verified(parts[0].data)
    where = _WHERE.get(header.dll)
    if where is None:
        if not 0 <= header.dll < len(plugins):
            return None
        where = quoted(plugins[header.dll])
    name = quoted(UTF16.verified(parts[1].data))
    return (
        f"{name} {header.class_a:x}/{header.class_b:x}, superclass {header.superclass:x}, {where}"
    )
