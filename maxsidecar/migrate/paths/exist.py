r"""Whether the files that paths name exist.

A server that a scene names is never asked: opening ``\\server\share`` would log on there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from maxsidecar.migrate.paths.looks import is_outside
from maxsidecar.migrate.paths.place import OUTPUT, SUMMARY, Place
from maxsidecar.migrate.rules.files import Root, file_index

__all__ = ["Existence", "FileFinder"]

#: Paths whose file is remembered; scenes share most of theirs.
_REMEMBERED: Final = 100_000


@dataclass(frozen=True, slots=True)
class Existence:
    """Whether a file exists.

    Attributes:
        exists: ``None`` where that says nothing: files that are written, copies of names.
        found: Where; empty where it does not.
    """

    exists: bool | None
    found: str = ""


class FileFinder:
    """Looks for the files of paths: as they are, beside the scene, and by name under roots.

    Args:
        roots: Folders to search.

    Attributes:
        problems: Folders that could not be searched.
    """

    def __init__(self, roots: Sequence[str | os.PathLike[str]] = ()) -> None:
        """Remember the folders; they are searched when the first path is looked for."""
        self._roots = tuple(Root(os.fspath(root)) for root in roots)
        self._known: dict[str, str] = {}

    @property
    def problems(self) -> list[str]:
        """Folders that could not be searched, and why."""
        return file_index(self._roots).problems if self._roots else []

    def look(self, place: Place, scene: Path) -> Existence:
        """Return whether the file of a place exists.

        Args:
            place: The place.
            scene: The scene file, which relative paths start from.
        """
        if place.kind in (OUTPUT, SUMMARY):
            return Existence(None)
        found = self._local(place.path, scene) or self._under_roots(place.path)
        return Existence(bool(found), found)

    def _local(self, path: str, scene: Path) -> str:
        if is_outside(path):
            return ""
        drive = path[1:2] == ":"
        if drive and sys.platform != "win32":
            return ""
        local = path if sys.platform == "win32" else path.replace("\\", "/")
        candidate = Path(local) if drive or local.startswith("/") else scene.parent / local
        try:
            return str(candidate) if candidate.exists() else ""
        except (OSError, ValueError):  # no path of this machine
            return ""

    def _under_roots(self, path: str) -> str:
        if not self._roots:
            return ""
        known = self._known.get(path)
        if known is None:
            found, count = file_index(self._roots).find(path)
            known = str(found.local) if found is not None else ""
            if count > 1:
                known = f"{count} files of this name"
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[path] = known
        return known
