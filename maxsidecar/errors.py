"""Exceptions that know where in a file they happened.

Every error that bad input can cause derives from :class:`MaxSidecarError` and carries a
:class:`Where`: file, stream, chunk path and absolute offset, with what was expected and what was
found.  ``str(error)`` is one line, fit for a user.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, replace
from typing import Any, Final

__all__ = [
    "ChunkError",
    "CompoundFileError",
    "CompressionError",
    "DecodeError",
    "EditError",
    "FileChangedError",
    "LimitError",
    "MaxSidecarError",
    "NotMaxFileError",
    "RulesError",
    "SaveError",
    "SettingsError",
    "SidecarError",
    "Where",
    "cut",
    "cut_both",
    "shorten",
    "shorten_both",
]

#: Two long values are compared so far for a message.
_COMPARED: Final = 20_000


def cut(text: str, limit: int) -> str:
    """Return a text of at most ``limit`` characters; what is left out shows as three dots."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def cut_both(a: str, b: str, limit: int) -> tuple[str, str]:
    """Return two texts of at most ``limit`` characters, which are not the same if those are not.

    Where the beginnings are the same, both are shown from a little before the first difference.
    """
    short = cut(a, limit), cut(b, limit)
    if short[0] != short[1] or a == b:
        return short
    pairs = enumerate(zip(a, b, strict=False))
    same = next((number for number, (x, y) in pairs if x != y), min(len(a), len(b)))
    start = max(same - limit // 3, 0)
    return cut(f"...{a[start:]}", limit), cut(f"...{b[start:]}", limit)


class _Brief(reprlib.Repr):
    """Shows values that may be as large as a file, without spelling them out."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = 8
        self.maxstring = self.maxother = 200

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write out an integer of thousands of digits.
        return repr(x) if x.bit_length() <= 128 else f"an integer of {x.bit_length()} bits"


_brief = _Brief()


def shorten(value: object, limit: int = 60) -> str:
    """Return any value for a message: as Python writes it, on one line, not too long."""
    if isinstance(value, str | bytes):
        value = value[: limit + 1]
        return cut(repr(value), limit)
    return cut(_brief.repr(value), limit)


def shorten_both(a: object, b: object, limit: int = 60) -> tuple[str, str]:
    """Return two values as :func:`shorten` does, so that it can be seen how they differ."""
    short = shorten(a, limit), shorten(b, limit)
    if short[0] != short[1] or a == b:
        return short
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        for number, pair in enumerate(zip(a, b, strict=False)):
            if pair[0] != pair[1]:
                left, right = shorten_both(*pair, limit)
                return f"at {number}: {left}", f"at {number}: {right}"
        return f"{len(a)} values", f"{len(b)} values"
    return cut_both(shorten(a, _COMPARED), shorten(b, _COMPARED), limit)


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a scene file.

    Attributes:
        file: Path as the user gave it, or ``None`` for data in memory.
        stream: Name of the compound-file stream, for example ``"Scene"``.
        path: Chunk path from the stream's root: ids with positions, for example
            ``"2004[0]/0001[359]/0962[3]"`` (the fourth child of object 359).
        offset: Absolute byte offset within the (uncompressed) stream, or within the file when
            ``stream`` is ``None``.
    """

    file: str | None = None
    stream: str | None = None
    path: str | None = None
    offset: int | None = None

    def __str__(self) -> str:
        """Return ``file › stream › chunk path › offset``, leaving out what is unknown."""
        parts = [part for part in (self.file, self.stream, self.path) if part]
        if self.offset is not None:
            parts.append(f"offset {self.offset:#x}")
        # A name read from a file may hold line breaks or terminal controls: keep it one safe line.
        return "".join(
            c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " › ".join(parts)
        )

    def within(self, **known: Any) -> Where:
        """Return a copy with the fields that are still ``None`` filled from ``known``."""
        empty = {k: v for k, v in known.items() if getattr(self, k) is None}
        return replace(self, **empty) if empty else self


class MaxSidecarError(Exception):
    """Base of every error that this package raises on purpose.

    Args:
        message: What went wrong, one sentence without a full stop.
        where: The place, as far as it is known where the error is raised.
        expected: What the format asks for.
        found: What the file holds.
    """

    def __init__(
        self,
        message: str,
        where: Where | None = None,
        *,
        expected: object = None,
        found: object = None,
    ) -> None:
        """Store the parts; ``str()`` puts them together."""
        super().__init__(message)
        self.message = message
        self.where = where or Where()
        self.expected = expected
        self.found = found

    def locate(self, **known: Any) -> MaxSidecarError:
        """Fill in parts of ``where`` that the raiser did not know; returns ``self``."""
        self.where = self.where.within(**known)
        return self

    def __str__(self) -> str:
        """Return one line: place, message, expected and found."""
        text = self.message + self._sides()
        place = str(self.where)
        return f"{place}: {text}" if place else text

    def _sides(self) -> str:
        """Return what was expected and found, as far as both are known."""
        sides = (("expected", self.expected), ("found", self.found))
        known = [f"{word} {value}" for word, value in sides if value is not None]
        return f" ({', '.join(known)})" if known else ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with all parts, so that errors travel between processes."""
        return _rebuild, (type(self), self.__dict__.copy())


def _rebuild(cls: type[MaxSidecarError], state: dict[str, Any]) -> MaxSidecarError:
    error = cls.__new__(cls)
    Exception.__init__(error, state["message"])
    error.__dict__.update(state)
    return error


class NotMaxFileError(MaxSidecarError):
    """The file is not a 3ds Max scene (wrong magic, empty, a pointer file, another kind)."""


class CompoundFileError(MaxSidecarError):
    """The compound file around the streams is damaged."""


class CompressionError(MaxSidecarError):
    """A compressed stream cannot be unpacked, or packed again."""


class ChunkError(MaxSidecarError):
    """The chunk structure of a stream is damaged."""


class DecodeError(MaxSidecarError):
    """A record's bytes do not have the layout that its declaration says."""


class EditError(MaxSidecarError):
    """An edit is not possible: read-only record, bad value, or no such place."""


class LimitError(MaxSidecarError):
    """A size or count in the file is beyond what may be read safely."""


class SaveError(MaxSidecarError):
    """Saving failed; the old file is untouched."""


class FileChangedError(SaveError):
    """The file on disk is no longer the one that was opened."""


class SidecarError(MaxSidecarError):
    """A sidecar's text is wrong; carries the line and column.

    Attributes:
        line: 1-based line in the TOML text, or ``None``.
        column: 1-based column in that line, or ``None``.
    """

    def __init__(
        self,
        message: str,
        where: Where | None = None,
        *,
        line: int | None = None,
        column: int | None = None,
        expected: object = None,
        found: object = None,
    ) -> None:
        """Store the parts, with the text position."""
        super().__init__(message, where, expected=expected, found=found)
        self.line = line
        self.column = column

    def __str__(self) -> str:
        """Return ``file:line:column: message``."""
        text = self.message + self._sides()
        place = self.where.file or "sidecar"
        if self.line is not None:
            place += f":{self.line}" + (f":{self.column}" if self.column is not None else "")
        return f"{place}: {text}"


class RulesError(SidecarError):
    """A file of rules is wrong; carries the line and column."""


class SettingsError(SidecarError):
    """A file of settings of a build workspace is wrong; carries the line and column."""
