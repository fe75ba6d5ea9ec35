"""The game's file formats: which one a file has, reading it and writing it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, Self, cast

from maxsidecar.errors import DecodeError, MaxSidecarError, Where, shorten
from maxsidecar.io.save import save_segments
from maxsidecar.nel.serial.kinds import STRING, U64
from maxsidecar.nel.serial.stream import Reader

__all__ = ["FORMATS", "Format", "NelFile", "Root", "read_bytes", "read_file", "recognise"]


class Root(Protocol):
    """What a file holds as a whole: a :class:`~maxsidecar.nel.serial.declare.Serial`, or a class
    of its own for a format that is no serial stream."""  # noqa: D205, D209

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the object that is all of ``data``; raises only ``MaxSidecarError``."""

    def to_bytes(self, *, renumber: bool = False) -> bytes:
        """Return the bytes; raises ``EditError``."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        kind: Its name, as ``nel check`` shows it.
        suffixes: How its files are named.
        module: Module of ``maxsidecar.nel.serial.classes`` that declares the file's class.
        cls: Name of that class.
        magic: Bytes that every file has at ``offset``; empty for a format without, which is told
            by the file's suffix alone, as the game does.
        offset: Where the magic is.
        within: Bytes that the first 4096 hold too, where the magic alone says little.
        doc: What such files are.
    """

    kind: str
    suffixes: tuple[str, ...]
    module: str
    cls: str
    magic: bytes = b""
    offset: int = 0
    within: bytes = b""
    doc: str = ""

    def root(self) -> type[Root]:
        """Import and return the file's class."""
        module = import_module(f"maxsidecar.nel.serial.classes.{self.module}")
        return cast("type[Root]", getattr(module, self.cls))

    def matches(self, data: bytes) -> bool:
        """Return whether the data has the format's magic."""
        if not self.magic or not data.startswith(self.magic, self.offset):
            return False
        return self.within in data[:4096]


#: Every format; one line for each, shapes first since they are most files.
FORMATS: Final = (
    Format("shape", (".shape", ".skel", ".ps"), "streams", "CShapeStream", b"SHAP",
           doc="meshes, skeletons and particle systems"),
    Format("ig", (".ig",), "instance_group", "CInstanceGroup", b"GRPT",
           doc="what stands where, with clusters, portals and lights"),
    Format("zone", (".zone", ".zonel", ".zonew", ".zonenhw"), "zone", "CZone", b"ZONE", 1,
           doc="a part of the landscape, without or with light"),
    Format("veget", (".veget",), "vegetable", "CVegetableShape", b"NEL__VEGETABLE__", 1,
           doc="how a plant looks"),
    Format("vegetset", (".vegetset",), "vegetable", "CTileVegetableDesc",
           doc="what grows on a tile"),
    Format("anim", (".anim",), "animation", "CAnimation", b"NEL_ANIM", doc="animations"),
    Format("clod", (".clod",), "lod_character", "CLodCharacterShapeBuild", b"NEL_CLODBULD",
           doc="meshes of distant characters"),
    Format("cmb", (".cmb",), "collision_mesh", "CCollisionMeshBuild", doc="collision meshes"),
    Format("pacs_prim", (".pacs_prim",), "collision_primitive", "CPrimitiveBlock", b"<?xml",
           within=b"<PRIMITIVE_BLOCK", doc="boxes and cylinders that are walked into, as XML"),
    Format("swt", (".swt",), "skeleton_weight", "CSkeletonWeight", b"SKWT",
           doc="weights of an animation's tracks"),
)  # fmt: skip

#: Kinds of shape files whose class has a suffix of its own.
_SHAPE_KINDS: Final = {"CSkeletonShape": "skel", "CParticleSystemShape": "ps"}

#: Fewer line ends than these may stand behind a carriage return by chance.
_LINE_ENDS: Final = 4


@dataclass(slots=True)
class NelFile:
    """A file of the game.

    Attributes:
        kind: Its format: ``shape``, ``skel``, ``ps``, ``swt`` and so on.
        root: What it holds as a whole.
        path: Where it was read from, or ``None``.
    """

    kind: str
    root: Any
    path: Path | None = None

    @property
    def content(self) -> Any:
        """What the file is about: the shape of a shape file, else the root."""
        return self.root.shape if type(self.root).__name__ == "CShapeStream" else self.root

    def to_bytes(self, *, renumber: bool = False) -> bytes:
        """Return the file's bytes; see :meth:`~maxsidecar.nel.serial.declare.Serial.to_bytes`."""
        root: Root = self.root
        return root.to_bytes(renumber=renumber)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file: aside, read back, compared and swapped in.

        Raises:
            EditError: A value does not fit.
            SaveError: It cannot be written; what was there is untouched.
        """
        save_segments(path, [self.to_bytes()])


def recognise(data: bytes, path: str | os.PathLike[str] | None = None) -> tuple[str, Format] | None:
    """Return kind and format of a file, or ``None`` when it has none that is known.

    Args:
        data: All bytes.
        path: Name of the file; only its suffix counts, and only where no magic is known.
    """
    for item in FORMATS:
        if item.matches(data):
            return (_shape_kind(data) if item.kind == "shape" else item.kind), item
    suffix = Path(path).suffix.lower() if path is not None else ""
    for item in FORMATS:
        if not item.magic and suffix in item.suffixes:
            return item.kind, item
    return None


def _shape_kind(data: bytes) -> str:
    reader = Reader(data, 4)
    try:
        name = STRING.read(reader) if U64.read(reader) else ""
    except DecodeError:
        name = ""
    return _SHAPE_KINDS.get(name, "shape")


def read_bytes(data: bytes, path: str | os.PathLike[str] | None = None) -> NelFile:
    """Return the file in ``data``.

    Args:
        data: All bytes.
        path: Its name, for messages and for formats without a magic.

    Raises:
        DecodeError: It is no file of the game, or damaged, or of a version that is not known.
        LimitError: Objects are nested too deeply.
    """
    place = None if path is None else os.fspath(path)
    found = recognise(data, path)
    if found is None:
        expected = ", ".join(item.magic.decode("ascii") for item in FORMATS if item.magic)
        message = "not a NeL file: no magic is known for it"
        raise DecodeError(message, Where(place), expected=expected, found=shorten(data[:16]))
    kind, item = found
    try:
        root = item.root().from_bytes(data)
    except MaxSidecarError as error:
        if reason := _damage(data, item):
            error.message += f"; {reason}"
        raise error.locate(file=place) from error.__cause__
    return NelFile(kind, root, None if path is None else Path(path))


def _damage(data: bytes, item: Format) -> str:
    """Return what a transfer did to the file, where that shows in its bytes."""
    ends = data.count(b"\n")
    if ends >= _LINE_ENDS and data.count(b"\r\n") == ends:
        first = data.index(b"\r\n")
        text = f"all {ends} line feeds, the first at {first:#x}, stand behind a carriage return: "
        text += "the file was converted as a text"
        try:
            item.root().from_bytes(data.replace(b"\r\n", b"\n"))
        except MaxSidecarError:
            return text
        return text + ", and reads to its end when that is undone"
    if data.count(b"\xef\xbf\xbd") >= _LINE_ENDS:
        return "it was decoded as UTF-8 text, which replaced bytes"
    return ""


def read_file(path: str | os.PathLike[str]) -> NelFile:
    """Read a file.

    Raises:
        OSError: It cannot be read.
        DecodeError: As :func:`read_bytes`.
        LimitError: As :func:`read_bytes`.
    """
    return read_bytes(Path(path).read_bytes(), path)
