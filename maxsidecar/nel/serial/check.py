"""The round-trip gate of the game's files: read to the last byte, written back the same."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from maxsidecar.errors import LimitError, MaxSidecarError, Where
from maxsidecar.nel.serial.formats import read_bytes, recognise

__all__ = ["FAILED", "NOT_NEL", "OK", "NelCheck", "check_bytes", "check_file", "not_checked"]

OK: Final = "ok"
FAILED: Final = "failed"
NOT_NEL: Final = "not-nel"


@dataclass(slots=True)
class NelCheck:
    """What the check found out about one file.

    Attributes:
        path: The file.
        status: ``ok``, ``failed`` or ``not-nel``.
        kind: Its format; empty when none is known for it.
        problems: What is wrong, each with its place; for ``not-nel`` the reason.
    """

    path: str
    status: str = OK
    kind: str = ""
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data, in the order of the attributes."""
        return asdict(self)


def check_file(path: str | os.PathLike[str]) -> NelCheck:
    """Check one file, which is only read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        return not_checked(path, f"cannot be read: {error.strerror or error}")
    except MemoryError:
        return not_checked(path, "the file is too large for the memory")
    return check_bytes(data, path)


def not_checked(path: str | os.PathLike[str], reason: str) -> NelCheck:
    """Return the result of a file that could not be checked."""
    return NelCheck(os.fspath(path), FAILED, problems=[f"{os.fspath(path)}: {reason}"])


def check_bytes(data: bytes, path: str | os.PathLike[str]) -> NelCheck:
    """Check a file whose bytes are in memory already."""
    result = NelCheck(os.fspath(path))
    known = recognise(data, path)
    result.kind = known[0] if known else ""
    try:
        written = read_bytes(data, path).to_bytes()
        if written != data:
            raise _difference(data, written)
    except MaxSidecarError as error:
        result.status = FAILED if known else NOT_NEL
        result.problems = [str(error.locate(file=result.path))]
    except MemoryError:
        problem = LimitError("there is not enough memory to check the file", Where(result.path))
        result.status = FAILED
        result.problems = [str(problem)]
    return result


def _difference(data: bytes, written: bytes) -> MaxSidecarError:
    """Return the error that names the first byte that is not written as it was read."""
    short = min(len(data), len(written))
    at = next((i for i in range(short) if data[i] != written[i]), short)
    return MaxSidecarError(
        "written back, the file differs",
        Where(offset=at),
        expected=f"{len(data)} bytes with {data[at : at + 8].hex(' ') or 'the end'} here",
        found=f"{len(written)} bytes with {written[at : at + 8].hex(' ') or 'the end'} here",
    )
