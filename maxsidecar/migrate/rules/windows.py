"""Paths as Windows reads them: either slash separates, and case does not count."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = [
    "LONGEST",
    "SEPARATORS",
    "extension_of",
    "file_name",
    "fold",
    "fold_char",
    "same_path",
    "split_name",
    "with_extension",
]

SEPARATORS: Final = "\\/"
#: Longest path that Windows knows, in UTF-16 units.
LONGEST: Final = 32767


@lru_cache(maxsize=4096)
def fold_char(char: str) -> str:
    """Return what a character is compared by; always one character."""
    if char == "/":
        return "\\"
    upper = char.upper()
    return upper if len(upper) == 1 else char


def fold(path: str) -> str:
    """Return what a path is compared by; it has the same length."""
    if path.isascii():
        return path.upper().replace("/", "\\")
    return "".join(map(fold_char, path))


def same_path(a: str, b: str) -> bool:
    """Return whether Windows takes two paths for the same."""
    return len(a) == len(b) and fold(a) == fold(b)


def split_name(path: str) -> int:
    """Return where the file name begins: behind the last separator or the drive."""
    return max(path.rfind("\\"), path.rfind("/"), 1 if path[1:2] == ":" else -1) + 1


def file_name(path: str) -> str:
    """Return the part behind the last separator."""
    return path[split_name(path) :]


def extension_of(path: str) -> str:
    """Return the extension with its dot, empty where there is none."""
    name = file_name(path)
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def with_extension(path: str, extension: str) -> str:
    """Return the path with another extension, given with its dot, in place of its own."""
    old = extension_of(path)
    return path[: len(path) - len(old)] + extension
