"""Writes a document as ``.glb``, or as ``.gltf`` with a ``.bin`` and pictures beside it."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from maxsidecar.errors import SaveError, Where, shorten
from maxsidecar.gltf import model
from maxsidecar.gltf.encode import Encoder
from maxsidecar.gltf.file_names import free_name, safe_stem
from maxsidecar.gltf.packing import Packer
from maxsidecar.gltf.values import json_bytes
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.outputs import check_output
from maxsidecar.io.save import save_segments

__all__ = ["write"]

_GLB_MAGIC: Final = 0x46546C67
_JSON: Final = 0x4E4F534A
_BIN: Final = 0x004E4942
_LARGEST: Final = 0xFFFFFFFF
_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg"}


def write(
    document: model.Document,
    path: str | os.PathLike[str],
    *,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> list[Path]:
    """Write a document.

    Each file is written under another name, read back, and put in its place whole; the file that
    the path names comes last.

    Args:
        document: What to write.
        path: Ends with ``.glb`` or ``.gltf``, in any case.
        inputs: Files that were read, which are not written over.

    Returns:
        The files that were written, that of the path first.

    Raises:
        SaveError: The document is not sound, the ending is another one, or a file cannot be
            written.
    """
    target = Path(path)
    where = Where(os.fspath(path))
    kind = target.suffix.lower()
    if kind not in (".glb", ".gltf"):
        raise SaveError("a glTF file ends with .glb or .gltf", where)
    sources = list(inputs)
    files = _Files(target, sources, embedded=kind == ".glb")
    try:
        encoder = Encoder(document, files.place)
    except SaveError as error:
        raise error.locate(file=os.fspath(path)) from None
    check_output(target, inputs=sources)
    packer = encoder.packer
    if kind == ".glb":
        main = _glb(encoder.json, packer, where)
    else:
        if packer.size:
            name = f"{target.stem}.bin"
            files.wanted.append((target.with_name(name), list(packer.segments)))
            check_output(target.with_name(name), inputs=sources)
            encoder.json["buffers"] = [{"uri": quote(name), "byteLength": packer.size}]
        main = [json_bytes(encoder.json, indent=True)]
    for other, segments in files.wanted:
        save_segments(other, segments)
    save_segments(target, main)
    return [target, *(other for other, _ in files.wanted)]


def _glb(json: dict[str, Any], packer: Packer, where: Where) -> list[Buffer]:
    if packer.size:
        json["buffers"] = [{"byteLength": packer.size}]
    text = json_bytes(json)
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + (8 + packer.size if packer.size else 0)
    if total > _LARGEST:
        raise SaveError(
            "a .glb has no room for so much; write a .gltf", where, expected="below 4 GiB"
        )
    out: list[Buffer] = [struct.pack("<5I", _GLB_MAGIC, 2, total, len(text), _JSON), text]
    if packer.size:
        out += [struct.pack("<2I", packer.size, _BIN), *packer.segments]
    return out


class _Files:
    """Decides where pictures go, and collects those that are files of their own.

    Attributes:
        wanted: Files to be written, with their bytes.
    """

    def __init__(self, target: Path, inputs: list[Any], *, embedded: bool) -> None:
        self.folder = target.parent
        self.inputs = inputs
        self.embedded = embedded
        self.wanted: list[tuple[Path, list[Buffer]]] = []
        self._taken = {target.name.casefold(), f"{target.stem}.bin".casefold()}

    def place(self, image: model.Image, packer: Packer) -> dict[str, Any]:
        """Return the JSON that says where a picture is."""
        what = f"picture {shorten(image.name or image.uri)}"
        if image.data is None:
            if not image.uri:
                raise SaveError(f"{what} has neither bytes nor a place")
            kind = {"mimeType": image.mime_type} if image.mime_type in _ENDINGS else {}
            return {"uri": quote(image.uri.replace("\\", "/")), **kind}
        if image.mime_type not in _ENDINGS:
            raise SaveError(f"{what}: glTF has PNG and JPEG only", found=shorten(image.mime_type))
        if self.embedded and not image.uri:
            return {"bufferView": packer.blob(image.data), "mimeType": image.mime_type}
        ending = _ENDINGS[image.mime_type]
        wanted = image.uri.replace("\\", "/") if image.uri else f"{_file_name(image.name)}{ending}"
        return {"uri": quote(self._reserve(wanted, image.data, what)), "mimeType": image.mime_type}

    def _reserve(self, wanted: str, data: bytes, what: str) -> str:
        """Return a name below the folder that is free, or holds these very bytes already."""
        parts = wanted.split("/")
        if any(part in ("", ".", "..") or ":" in part for part in parts):
            raise SaveError(f"{what} would be written outside the folder", found=shorten(wanted))
        stem, dot, ending = wanted.rpartition(".")
        if not stem:
            stem, dot, ending = wanted, "", ""
        name = free_name(self.folder, stem, dot + ending, data, self._taken)
        place = self.folder / name
        if not _within(place, self.folder):
            raise SaveError(f"{what} would be written outside the folder", found=shorten(wanted))
        check_output(place, inputs=self.inputs)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SaveError(f"{what}: no folder can be made: {error.strerror}") from error
        if not place.exists():
            self.wanted.append((place, [data]))
        return name


def _within(place: Path, folder: Path) -> bool:
    """Whether a place is below a folder, links followed."""
    return Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder))


def _file_name(name: str) -> str:
    """Return a name that every system takes for a file, without its ending."""
    base = Path(name.replace("\\", "/")).name
    stem, dot, ending = base.rpartition(".")
    if dot and ending.lower() in ("png", "jpg", "jpeg", "tga", "dds", "bmp", "tif", "tiff", "psd"):
        base = stem
    return safe_stem(base)
