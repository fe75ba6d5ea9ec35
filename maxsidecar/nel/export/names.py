"""Names of output files: what a node's name becomes, and that nothing is written elsewhere.

Names of nodes and groups may hold anything.  A file name made of one has no separators, no
characters or names that Windows refuses, and a length that every file system takes, so that an
output folder can be carried between systems.  Names that differ only in case, or in how accents
are put together, are one file on some of them.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Final

__all__ = ["OutputNames", "safe_name"]

#: Bytes of a file name that ext4, APFS and NTFS all take, less what a temporary name adds.
_LONGEST: Final = 200
_FORBIDDEN: Final = frozenset('<>:"/\\|?*')
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789\u00b9\u00b2\u00b3"}
)


def safe_name(name: str, suffix: str, *, lower: bool = True) -> str:
    r"""Return the file name for a name.

    Args:
        name: Name of a node, group or scene.
        suffix: Ending, with its dot.
        lower: Whether to write it in lower case, as the game looks for files.

    Returns:
        ``name + suffix``, with ``_`` for each character that no file may have, in front of a name
        that is a device of Windows, and alone for a name of dots and spaces.
    """
    text = "".join(_kept(char) for char in name)
    text = text.lower() if lower else text
    # Windows drops dots and spaces at the end, and takes what is before the first dot for a device.
    text = text.strip(" ").rstrip(". ")
    if text.startswith("."):
        text = "_" + text[1:]
    if not text:
        text = "_"
    if text.split(".")[0].strip().lower() in _DEVICES:
        text = f"_{text}"
    room = _LONGEST - len(suffix.encode())
    raw = text.encode("utf-8")
    if len(raw) > room:
        text = raw[:room].decode("utf-8", "ignore").rstrip(". ")
    return text + suffix


def _kept(char: str) -> str:
    if char in _FORBIDDEN or not (char.isprintable() or char == " "):
        return "_"
    # A half surrogate is printable for nobody, but isprintable() knows it too; be sure.
    return "_" if "\ud800" <= char <= "\udfff" else char


class OutputNames:
    """Hands out the paths of one run's outputs; each only once.

    Attributes:
        taken: Who has each path, by folder and name as all file systems tell names apart: a text
            for messages, the scene, and what the file is made of.
    """

    def __init__(self) -> None:
        """No name is taken."""
        self.taken: dict[tuple[str, str], tuple[str, str, object]] = {}

    def claim(
        self, folder: Path, name: str, owner: str, source: object = None, scene: str = ""
    ) -> tuple[Path | None, str, bool]:
        """Return the path of an output, or ``None`` where somebody has it already.

        Args:
            folder: Output folder.
            name: File name, from :func:`safe_name`.
            owner: What it is made of, for messages about a second claim.
            source: The same, to tell whether a second claim is about the same thing; ``None`` is
                never the same.
            scene: Scene that it is in.

        Returns:
            The path or ``None``; who has it already; whether that is of the same source.
        """
        key = _key(folder, name)
        if key in self.taken:
            first, other, known = self.taken[key]
            told = repr(first) if scene == other else f"{first!r} of {other}"
            return None, told, source is not None and source == known
        self.taken[key] = owner, scene, source
        return folder / name, "", False

    def has(self, folder: Path, name: str) -> bool:
        """Return whether somebody has a path."""
        return _key(folder, name) in self.taken


def _key(folder: Path, name: str) -> tuple[str, str]:
    # APFS takes names for one that differ in the composition of accents.
    return str(folder), unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
