"""DllDirectory and ClassDirectory: which plug-in and class each scene object belongs to.

(spec: pipeline-max-design section 6, max-format-facts; measured on the corpus, see
docs/format/streams.md.)
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final

from maxsidecar.errors import ChunkError, DecodeError
from maxsidecar.io.chunks import Chunk, scan
from maxsidecar.io.fields import UTF16, Record, i32, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkList, ChunkView
from maxsidecar.scene.release import ProgramVersion
from maxsidecar.scene.stream_views import StreamView, register_stream

__all__ = [
    "BUILTIN_DLL",
    "SCRIPT_DLL",
    "ClassDirectory",
    "ClassEntry",
    "ClassId",
    "ClassInfo",
    "DllDirectory",
    "DllEntry",
]

#: Chunk ids of scene objects that are no directory index: the two modifier-stack wrappers.
OSM_DERIVED: Final = 0x2032
WSM_DERIVED: Final = 0x2033

#: DLL indices with a meaning of their own.
BUILTIN_DLL: Final = -1
SCRIPT_DLL: Final = -2


@dataclass(frozen=True, slots=True, order=True)
class ClassId:
    """The two 32-bit halves that identify a class, whatever the language of the program."""

    a: int
    b: int = 0

    def __str__(self) -> str:
        """Return ``a/b`` in hex, such as ``e44f10b3/0``."""
        return f"{self.a:x}/{self.b:x}"


@dataclass(frozen=True, slots=True)
class ClassInfo:
    """What a scene object is an instance of.

    Attributes:
        index: Position in the class directory, or the object's own chunk id where it is none.
        name: Class name in the language of the program that saved the file.
        class_id: Class id.
        superclass: Superclass id.
        dll: Index into the DLL directory; -1 built in, -2 script.
    """

    index: int
    name: str
    class_id: ClassId
    superclass: int
    dll: int


_HEADER: Final = 0x2060
_NAME: Final = 0x2042
_IDENTITY = Struct("<iIII")


class DllEntry(ChunkView):
    """One plug-in file."""

    __slots__ = ()
    description = ChunkField(0x2039, UTF16, doc="what the plug-in calls itself", default="")
    file_name = ChunkField(0x2037, UTF16, doc="file name of the plug-in", default="")


@register_stream("DllDirectory")
class DllDirectory(StreamView):
    """The plug-in files that the scene needs."""

    __slots__ = ()
    program = ChunkField(
        0x21C0,
        record_codec(ProgramVersion),
        doc="build and release of the program that wrote the file, from release 4 on",
    )
    entries = ChunkList(0x2038, DllEntry)

    def read_names(self) -> tuple[list[str], ChunkError | None]:
        """Return the plug-ins' file names, and what keeps the rest from being read.

        An entry that cannot be read keeps its index, with an empty name.
        """
        chunks, error = self.sound_chunks()
        return [_dll_name(self, chunk) for chunk in chunks if chunk.id == 0x2038], error


def _dll_name(directory: DllDirectory, chunk: Chunk) -> str:
    try:
        return DllEntry(directory.data, chunk).file_name if chunk.container else ""
    except (ChunkError, DecodeError):
        return ""


class ClassHeader(Record):
    """Identity of a class."""

    dll: int = i32(doc="index into the DLL directory; -1 built in, -2 script")
    class_a: int = u32(doc="first half of the class id")
    class_b: int = u32(doc="second half of the class id")
    superclass: int = u32(doc="superclass id")


class ClassEntry(ChunkView):
    """One class that the scene uses."""

    __slots__ = ()
    header = ChunkField(_HEADER, record_codec(ClassHeader), doc="identity of the class")
    name = ChunkField(_NAME, UTF16, doc="localised class name", default="")


@register_stream("ClassDirectory3", "ClassDirectory")
class ClassDirectory(StreamView):
    """The classes that scene objects refer to by position."""

    __slots__ = ()
    ENTRY: ClassVar[int] = 0x2040
    entries = ChunkList(ENTRY, ClassEntry)

    def infos(self) -> list[ClassInfo | None]:
        """Return the identity of each entry, ``None`` where it cannot be read.

        An odd entry keeps its index, so that all others stay right.

        Raises:
            ChunkError: The list itself is damaged.
        """
        infos, error = self.read_infos()
        if error is not None:
            raise error
        return infos

    def read_infos(self) -> tuple[list[ClassInfo | None], ChunkError | None]:
        """Return the identities that can be read, and what keeps the rest from it."""
        chunks, error = self.sound_chunks()
        entries = [chunk for chunk in chunks if chunk.id == self.ENTRY]
        return [_info(index, chunk) for index, chunk in enumerate(entries)], error


def _info(index: int, entry: Chunk) -> ClassInfo | None:
    """Read an entry without the views, since opening any file reads all of them."""
    if not entry.container:
        return None
    header: tuple[int, ...] | None = None
    name = ""
    data = entry.owner.data
    try:
        for chunk_id, _, body, end, _, _ in scan(data, entry.body, entry.end):
            if chunk_id == _HEADER and end - body == _IDENTITY.size and header is None:
                header = _IDENTITY.unpack_from(data, body)
            elif chunk_id == _NAME and not name:
                name = UTF16.decode(data[body:end])
    except (ChunkError, DecodeError):
        return None
    if header is None:
        return None
    dll, class_a, class_b, superclass = header
    return ClassInfo(index, name, ClassId(class_a, class_b), superclass, dll)


#: Identity of the modifier-stack wrappers, which no directory lists (spec: design section 6).
DERIVED: Final[dict[int, ClassInfo]] = {
    OSM_DERIVED: ClassInfo(
        OSM_DERIVED, "OSM Derived", ClassId(0x29263A68, 0x405F22F5), 0x1F0, BUILTIN_DLL
    ),
    WSM_DERIVED: ClassInfo(
        WSM_DERIVED, "WSM Derived", ClassId(0x4EC13906, 0x5578130E), 0x1F0, BUILTIN_DLL
    ),
}
