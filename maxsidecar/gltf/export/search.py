"""Finding the pictures of a scene, whose paths come from other machines.

A picture is looked for where the scene says, then beside the scene, then by name in the scene's
folder and in the folders to search: first under its own name, whatever its case, then under the
same name with the ending of another format.  Of several files of one name the one whose folders are
most like those of the stored path is taken.  Paths of network shares in a scene are not opened,
since asking for one tells its server who is asking; the name is searched for all the same.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath, PureWindowsPath
from typing import Final, NamedTuple

__all__ = ["PICTURES", "PictureSearch"]

#: Endings of pictures, the better ones first where one picture is there in several formats.
PICTURES: Final = (
    ".png",
    ".jpg",
    ".jpeg",
    ".tga",
    ".dds",
    ".tif",
    ".tiff",
    ".psd",
    ".bmp",
    ".gif",
    ".webp",
)
#: Most files that are listed, and deepest folder below a folder to search.
_MOST_FILES: Final = 200_000
_DEEPEST: Final = 12
#: How deep the scene's own folder is searched: it may be anybody's home.
_DEEPEST_BESIDE: Final = 1
#: Folders of a stored path that are tried below the scene's folder.
_TAIL: Final = 4


class _Listed(NamedTuple):
    """A picture in a folder that was listed.

    Attributes:
        above: Names of the folders above it, the nearest first, in small letters.
    """

    file: Path
    above: tuple[str, ...]


class PictureSearch:
    """Finds pictures; the folders are listed once, when the first one is not where it should be.

    Args:
        folder: The scene's folder, if there is one.
        roots: More folders to search, with all below them.

    Attributes:
        truncated: Whether there were too many files to list.
    """

    def __init__(self, folder: Path | None, roots: Sequence[Path] = ()) -> None:
        """Nothing is listed yet."""
        self.truncated = False
        self._folder = folder
        self._roots = tuple(roots)
        self._listed = False
        self._names: dict[str, list[_Listed]] = {}
        self._stems: dict[str, list[_Listed]] = {}
        self._known: dict[str, Path | None] = {}

    def find(self, stored: str) -> Path | None:
        """Return the file of a picture.

        Args:
            stored: Path as the scene has it, with the separators of any system.
        """
        if stored not in self._known:
            self._known[stored] = self._find(stored)
        return self._known[stored]

    def _find(self, stored: str) -> Path | None:
        # Reads the paths of all systems: both separators, drives, shares.
        path = PureWindowsPath(stored)
        if not path.name:
            return None
        direct = self._direct(stored, path)
        if direct is not None:
            return direct
        self._list_all()
        above = _folders_above(path)
        for found in (self._names.get(path.name.casefold()), self._stems.get(path.stem.casefold())):
            if found:
                return max(found, key=lambda listed: _likeness(listed, above)).file
        return None

    def _direct(self, stored: str, path: PureWindowsPath) -> Path | None:
        """Return the file where the scene says it is, or at the end of that path beside it."""
        share = path.drive.startswith("\\\\") or stored.startswith(("//", "\\\\"))
        native = Path(stored)
        if native.is_absolute() and not share and _is_file(native):
            return native
        if self._folder is None:
            return None
        parts = [part for part in path.parts if part != path.anchor]
        if not path.anchor and _is_file(self._folder.joinpath(*parts)):
            return self._folder.joinpath(*parts)
        inner = [part for part in parts if part not in ("..", ".")]
        for count in range(min(_TAIL, len(inner)), 0, -1):
            file = self._folder.joinpath(*inner[-count:])
            if _is_file(file):
                return file
        return None

    def _list_all(self) -> None:
        if self._listed:
            return
        self._listed = True
        seen: set[tuple[int, int]] = set()
        left = _MOST_FILES
        for root in self._roots:
            left = self._list(root, _DEEPEST, left, seen)
        if self._folder is not None:
            self._list(self._folder, _DEEPEST_BESIDE, left, seen)

    def _list(self, root: Path, deepest: int, left: int, seen: set[tuple[int, int]]) -> int:
        """List the pictures below a folder; returns how many more files may be listed."""
        stack = [(root, 0)]
        while stack:
            folder, depth = stack.pop()
            entries, identity = _entries(folder)
            # Links and junctions may lead back; a folder is listed once, however it is reached.
            if identity is None or identity in seen:
                continue
            seen.add(identity)
            below: list[Path] = []
            above = _folders_above(folder / "picture")
            for entry in entries:
                if left <= 0:
                    self.truncated = True
                    return 0
                left -= 1
                if _is_folder(entry):
                    below.append(folder / entry.name)
                elif _is_regular(entry):
                    self._note(_Listed(folder / entry.name, above))
            if depth < deepest:
                stack += [(inner, depth + 1) for inner in reversed(below)]
        return left

    def _note(self, listed: _Listed) -> None:
        file = listed.file
        if file.suffix.casefold() not in PICTURES:
            return
        self._names.setdefault(file.name.casefold(), []).append(listed)
        self._stems.setdefault(file.stem.casefold(), []).append(listed)


def _folders_above(file: PurePath) -> tuple[str, ...]:
    return tuple(part.casefold() for part in reversed(file.parts[:-1]))


def _likeness(listed: _Listed, above: tuple[str, ...]) -> tuple[int, int]:
    """Return how many folders above both are alike, and how good the format is."""
    alike = 0
    for ours, theirs in zip(listed.above, above, strict=False):
        if ours != theirs:
            break
        alike += 1
    return alike, -PICTURES.index(listed.file.suffix.casefold())


def _entries(folder: Path) -> tuple[list[os.DirEntry[str]], tuple[int, int] | None]:
    """Return what is in a folder, by name, and what tells it from others; nothing if unreadable."""
    try:
        status = folder.stat()
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return [], None
    return entries, (status.st_dev, status.st_ino)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_regular(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a file, or a link to one: no pipe, no link to a folder."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # Names that no file can have: too long, or with a NUL.
        return False
