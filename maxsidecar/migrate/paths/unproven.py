"""Leaves that are an absolute path from end to end, in classes that nothing is known of.

Releases and plug-ins store paths in ways that were never seen here: XRefs before 2010, proxies,
caches.  Such a leaf has no field that could depend on its length, and is found by its looks.  It
is listed, and renamed only when the rules ask for it; leaves of XRef classes and of the root node,
which keep external scenes, are taken as proven.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import ChunkError
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.chunks import Chunk
from maxsidecar.migrate.paths.chunks import known_leaves
from maxsidecar.migrate.paths.leaves import LeafHolder, read_text
from maxsidecar.migrate.paths.looks import is_absolute, kind_of
from maxsidecar.migrate.paths.place import Holder, label
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["XREF_CLASSES", "leaves_by_looks", "stream_leaves_by_looks"]

#: Class ids of XRef objects, atmospheres, materials and controllers (public SDK).
XREF_CLASSES: Final = frozenset(
    {
        (0x92AAB38C, 0),
        (0x4869D60F, 0x21AF2AE4),
        (0x272C0D4B, 0x432A414B),
        (0x32FB4637, 0x65FD482B),
    }
)
_PARAM_BLOCKS: Final = frozenset({0x8, 0x82})
_NODES: Final = 0x1
_APPDATA: Final = 0x2150
#: Free text, and the path in a description of a bitmap, which have holders of their own.
_OTHERS: Final = frozenset({0x0120, 0x09BA, 0x0962, 0x1230, _APPDATA})

_STREAMS: Final = ("ClassData", "VideoPostQueue")

#: Deeper than any object nests.
_DEEPEST: Final = 64

#: The beginning of a path, from the colon or the second slash on, in either encoding.
_BEGINNING: Final = re.compile(rb":(?:[\\/]|\0[\\/]\0)|\\(?:\\|\0\\\0)")


def leaves_by_looks(scene: Scene) -> Iterator[tuple[int, Holder]]:
    """Yield storage index and holder of each such leaf of the scene."""
    by_object: dict[int, list[int]] = {}
    for start in _beginnings(scene.data):
        index = scene.index_at(start)
        if index is not None:
            by_object.setdefault(index, []).append(start)
    for index in sorted(by_object):
        obj = scene[index]
        if obj.superclass in _PARAM_BLOCKS or known_leaves(obj):
            continue
        starts = [start - obj.data.base for start in by_object[index]]
        for chunk in _leaves_at(obj.data.chunks(), starts):
            holder = _holder(obj, chunk)
            if holder is not None:
                yield index, holder


def stream_leaves_by_looks(scene_file: MaxFile) -> Iterator[Holder]:
    """Yield the leaves of other streams: what plug-in classes keep, and the Video Post queue."""
    for name in _STREAMS:
        stream = scene_file.streams.get(name)
        view = stream.view if stream is not None else None
        if stream is None or view is None:
            continue
        for chunk in _leaves_at(view.chunks(), list(_beginnings(stream.content))):
            stored = read_text(chunk.data, scene_file.code_page)
            if stored is not None and is_absolute(stored.text):
                yield LeafHolder(
                    view.data,
                    chunk,
                    scene_file.code_page,
                    wide=None,
                    field=f"chunk {chunk.id:04x}",
                    kind=kind_of(stored.text),
                    proven=False,
                )


def _beginnings(data: Buffer) -> Iterator[int]:
    """Yield where a leaf may begin with a path."""
    view = memoryview(data)
    for match in _BEGINNING.finditer(data):
        at = match.start()
        size = match.end() - at
        # A drive's letter stands in front of its colon.
        start = at - (0 if view[at] != ord(":") else 1 if size == 2 else 2)
        if start >= 6 and _fits_header(view, start):
            yield start


def _fits_header(data: memoryview, start: int) -> bool:
    """Return whether a leaf may begin here: the four bytes in front are a sound size."""
    for width in (4, 8):
        if start < width + 2:
            continue
        size = int.from_bytes(data[start - width : start], "little")
        head = 6 if width == 4 else 14
        if head + 3 <= size <= min(len(data) - start + head, head + 2 * 32768):
            return True
    return False


def _holder(obj: SceneObject, chunk: Chunk) -> Holder | None:
    stored = read_text(chunk.data, obj.scene.code_page) if chunk.id not in _OTHERS else None
    if stored is None or not is_absolute(stored.text):
        return None
    class_id = obj.class_id
    is_xref = class_id is not None and (class_id.a, class_id.b) in XREF_CLASSES
    return LeafHolder(
        obj.data,
        chunk,
        obj.scene.code_page,
        wide=None,
        field=f"chunk {chunk.id:04x}",
        kind="xref" if is_xref else kind_of(stored.text),
        owner=label(obj),
        index=obj.index,
        proven=is_xref or obj.superclass == _NODES,
    )


def _leaves_at(chunks: Iterator[Chunk], starts: list[int]) -> Iterator[Chunk]:
    """Yield the leaves whose bodies begin at some offsets, in order; AppData are left out.

    Each level is read once, however many offsets there are.
    """
    pending = [chunks]
    while pending:
        try:
            chunk = next(pending[-1], None)
        except ChunkError:
            chunk = None  # what is damaged is told by whoever reads the object
        if chunk is None:
            pending.pop()
            continue
        first = bisect_left(starts, chunk.body)
        if first == len(starts) or starts[first] >= chunk.end or chunk.id == _APPDATA:
            continue
        if chunk.container:
            if len(pending) < _DEEPEST:
                pending.append(chunk.chunks())
        elif starts[first] == chunk.body:
            yield chunk
