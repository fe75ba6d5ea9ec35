"""Writing pictures: embedded, copied beside the export, or only referred to."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Final, Literal

from maxsidecar.gltf import model
from maxsidecar.gltf.export.pictures import JPEG, PNG, Picture, without_profile

__all__ = ["Images", "safe_stem"]

#: What Windows does not allow as the name of a file, whatever its ending.
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[^\w\-. ()@+]")
_LONGEST: Final = 80


class Images:
    """Makes the images of a document, each once.

    Args:
        mode: What happens with the files.
        folder: Where the export is written; without it every picture is embedded.
    """

    def __init__(
        self, mode: Literal["embed", "copy", "reference", "none"], folder: Path | None
    ) -> None:
        """There is no image yet."""
        self._mode = mode if folder is not None else "embed"
        self._folder = folder
        self._known: dict[Hashable, model.Image] = {}
        self._taken: set[str] = set()

    def known(self, key: Hashable) -> model.Image | None:
        """Return the image that was made for a key."""
        return self._known.get(key)

    def untouched(self, picture: Picture) -> model.Image:
        """Return the image of a file as it is; the file is one that glTF knows."""
        key = ("untouched", picture.path)
        found = self._known.get(key)
        if found is None:
            name = picture.path.stem
            uri = None
            if self._mode == "reference" and self._folder is not None:
                uri = _reference(picture.path, self._folder)
            if uri is not None:
                found = model.Image(name=name, uri=uri)
            else:
                data, kind = picture.data, picture.mime_type
                found = self._new(name, without_profile(data) if kind == PNG else data, kind)
            self._known[key] = found
        return found

    def made(self, key: Hashable, name: str, png: bytes) -> model.Image:
        """Return the image of a picture that was made here, which is never only referred to."""
        found = self._known[key] = self._new(name, png, PNG)
        return found

    def _new(self, name: str, data: bytes, mime_type: str) -> model.Image:
        image = model.Image(name=name, data=data, mime_type=mime_type)
        if self._mode in ("copy", "reference") and self._folder is not None:
            ending = ".jpg" if mime_type == JPEG else ".png"
            image.uri = self._free_name(self._folder, safe_stem(name), ending, data)
        return image

    def _free_name(self, folder: Path, stem: str, ending: str, data: bytes) -> str:
        """Return a name in the folder that neither another image nor another file has."""
        number = 1
        while True:
            name = f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}"
            if name.casefold() not in self._taken and not _other_file(folder / name, data):
                self._taken.add(name.casefold())
                return name
            number += 1


def safe_stem(name: str) -> str:
    """Return a name for a file, without its ending, that every system allows."""
    stem = _UNSAFE.sub("_", name)[:_LONGEST].strip(" .") or "picture"
    return f"_{stem}" if _DEVICES.match(stem) else stem


def _other_file(path: Path, data: bytes) -> bool:
    """Return whether there is a file with other bytes, which is not overwritten."""
    try:
        if not path.exists():
            return False
        return not path.is_file() or path.stat().st_size != len(data) or path.read_bytes() != data
    except OSError:
        return True


def _reference(path: Path, folder: Path) -> str | None:
    """Return the way from the export to a file; ``None`` where there is none."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        # On Windows there is none to another drive.
        return None
