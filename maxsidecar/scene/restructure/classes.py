"""Entries of the class and plug-in directories for objects of classes that a scene lacks."""

from __future__ import annotations

from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.io.views import ChunkView
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass, encode_chunks
from maxsidecar.scene.authoring_streams import class_directory, dll_directory
from maxsidecar.scene.directories import BUILTIN_DLL, DERIVED, ClassId, ClassInfo
from maxsidecar.scene.scene import Scene

__all__ = ["class_chunk_id", "new_class", "plugin_index"]

_CLASS: Final = 0x2040
_DLL: Final = 0x2038
#: Chunk ids from here on mean modifier stacks.
_LIMIT: Final = min(DERIVED)


def new_class(info: ClassInfo, name: str = "") -> NewClass:
    """Return a built-in class with the identity of a known one."""
    return NewClass(name or info.name, info.class_id.a, info.class_id.b, info.superclass)


def class_chunk_id(scene: Scene, wanted: NewClass) -> int:
    """Return the chunk id for objects of a class; the directories gain entries where needed.

    A class is found by its ids, whatever its name and plug-in are called.

    Raises:
        EditError: The scene has no class directory to write to, or it is full.
    """
    identity = (wanted.a, wanted.b, wanted.superclass)
    for info in (*scene.classes, *DERIVED.values()):
        if info and (info.class_id.a, info.class_id.b, info.superclass) == identity:
            return info.index
    streams = scene.streams
    directory = streams.class_directory if streams is not None else None
    if directory is None:
        raise EditError("there is no class directory to add a class to", scene.where)
    index = len(scene.classes)
    if index >= _LIMIT:
        raise EditError("the class directory is full", directory.where, found=index)
    dll = BUILTIN_DLL if wanted.plugin is None else plugin_index(scene, wanted)
    _append(directory, _CLASS, class_directory([wanted], lambda _: dll))
    class_id = ClassId(wanted.a, wanted.b)
    info = ClassInfo(index, wanted.name, class_id, wanted.superclass, dll)
    scene.directories = [*scene.classes, info], scene.directories[1]
    return index


def plugin_index(scene: Scene, wanted: NewClass) -> int:
    """Return the place of a class's plug-in in the plug-in directory, which may gain an entry.

    Raises:
        EditError: The scene has no plug-in directory to write to.
    """
    directory = scene.streams.dll_directory if scene.streams is not None else None
    plugin = wanted.plugin
    if directory is None or plugin is None:
        raise EditError("there is no plug-in directory to add a plug-in to", scene.where)
    names = [entry.file_name.casefold() for entry in directory.entries]
    if plugin.file_name.casefold() in names:
        return names.index(plugin.file_name.casefold())
    _append(directory, _DLL, dll_directory([plugin])[1:])
    scene.directories = scene.classes, [*scene.directories[1], plugin.file_name]
    return len(names)


def _append(directory: ChunkView, entry: int, trees: list[ChunkTree]) -> None:
    """Put an entry behind the last one."""
    chunks = list(directory.chunks())
    ends = [chunk.position + 1 for chunk in chunks if chunk.id == entry]
    position = max(ends, default=len(chunks))
    outer = directory.container()
    data = directory.data
    form = data.new_form(outer, [chunk.span for chunk in chunks], position)
    for _, content in trees:
        if not isinstance(content, bytes):
            body = encode_chunks(content, form)
            data.insert(outer, position, entry, body, container=True)
