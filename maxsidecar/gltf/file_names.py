"""Names of the files that are written beside an export."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

__all__ = ["free_name", "safe_stem"]

#: What Windows does not allow as the name of a file, whatever its ending.
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[^\w\-. ()@+]")
_LONGEST: Final = 80


def safe_stem(name: str) -> str:
    """Return a name for a file, without its ending, that every system allows."""
    stem = _UNSAFE.sub("_", name)[:_LONGEST].strip(" .") or "picture"
    return f"_{stem}" if _DEVICES.match(stem) else stem


def free_name(folder: Path, stem: str, ending: str, data: bytes, taken: set[str]) -> str:
    """Return a name that is free, or holds these very bytes already; the first without a number.

    Args:
        folder: Where the file is to be.
        stem: The name wanted, which may have folders in front.
        ending: Its ending, with the dot.
        data: What the file is to hold.
        taken: Names in one case that are no longer free; takes those that were tried.
    """
    name, number = f"{stem}{ending}", 2
    while name.casefold() in taken or _holds_other(folder / name, data):
        # Also what others have is taken, in upper and lower case.
        taken.add(name.casefold())
        name, number = f"{stem}-{number}{ending}", number + 1
    taken.add(name.casefold())
    return name


def _holds_other(place: Path, data: bytes) -> bool:
    """Whether there is something of this name that does not hold these bytes."""
    try:
        if not place.is_file():
            return os.path.lexists(place)
        return place.stat().st_size != len(data) or place.read_bytes() != data
    except (OSError, ValueError):
        return True
