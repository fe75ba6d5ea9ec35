"""Writing pictures: embedded, copied beside the export, or only referred to."""

from __future__ import annotations

import os
from collections.abc import Hashable
from pathlib import Path
from typing import Literal

from maxsidecar.gltf import model
from maxsidecar.gltf.export.pictures import JPEG, PNG, Picture, without_profile
from maxsidecar.gltf.file_names import free_name, safe_stem

__all__ = ["Images"]


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
            image.uri = free_name(self._folder, safe_stem(name), ending, data, self._taken)
        return image


def _reference(path: Path, folder: Path) -> str | None:
    """Return the way from the export to a file; ``None`` where there is none."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        # On Windows there is none to another drive.
        return None
