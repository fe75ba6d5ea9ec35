"""Tags of build_gamedata: one file for each scene says that its export succeeded.

The other stages ask only whether the tag is newer than the scene.  Our tags also hold size, time
and hash of what was exported and the names of the outputs, so that a scene that was touched, copied
or checked out again without a change is not exported again, and one whose outputs were deleted is.
Tags of other programs, which hold nothing of that, count by their time alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from maxsidecar.io.save import save_segments

__all__ = ["Fingerprint", "Tag", "fingerprint", "is_fresh", "read_tag", "write_tag"]

_FORMAT: Final = 1
#: More than any tag of ours has; what is longer is none.
_MOST_BYTES: Final = 1 << 24
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a scene was when it was exported.

    Attributes:
        size: Bytes.
        mtime_ns: Time of the last change, nanoseconds.
        sha256: Hash of the bytes, in hexadecimal.
    """

    size: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Tag:
    """What a tag says.

    Attributes:
        mtime_ns: When it was written, nanoseconds.
        scenes: The scenes by path; ``None`` for a tag of another program.
        outputs: The files that were written.
    """

    mtime_ns: int
    scenes: Mapping[str, Fingerprint] | None = None
    outputs: tuple[str, ...] = ()


def fingerprint(path: Path) -> Fingerprint:
    """Return what a scene is now.

    Raises:
        OSError: It cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        while piece := file.read(_PIECE):
            digest.update(piece)
    return Fingerprint(status.st_size, status.st_mtime_ns, digest.hexdigest())


def read_tag(path: Path) -> Tag | None:
    """Return a tag, ``None`` where there is none."""
    try:
        status = path.stat()
        data = path.read_bytes() if status.st_size <= _MOST_BYTES else b""
    except OSError:
        return None
    with suppress(ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        held: Any = json.loads(data.partition(b"\n")[2])
        if held["format"] == _FORMAT:
            scenes = {
                str(name): Fingerprint(int(s["size"]), int(s["mtime_ns"]), str(s["sha256"]))
                for name, s in held["scenes"].items()
            }
            outputs = tuple(str(name) for name in held["outputs"])
            return Tag(status.st_mtime_ns, scenes, outputs)
    return Tag(status.st_mtime_ns)


def write_tag(path: Path, scenes: Mapping[Path, Fingerprint], outputs: Sequence[str]) -> None:
    """Write a tag.

    Args:
        path: The tag.
        scenes: What was exported.
        outputs: The files that were written.

    Raises:
        SaveError: It cannot be written.
    """
    time = datetime.now(UTC).strftime("%Y-%m-%d %H:%MGMT")
    held = {
        "format": _FORMAT,
        "scenes": {
            str(name): {"size": s.size, "mtime_ns": s.mtime_ns, "sha256": s.sha256}
            for name, s in scenes.items()
        },
        "outputs": list(outputs),
    }
    save_segments(path, [f"{time}\n{json.dumps(held)}\n".encode()])


def is_fresh(
    tag: Tag | None, scenes: Sequence[Path]
) -> tuple[bool, dict[Path, Fingerprint] | None]:
    """Return whether what a tag stands for need not be exported again.

    Args:
        tag: The tag, if there is one.
        scenes: The scenes that it stands for.

    Returns:
        Whether it is fresh; and what the scenes are now, where the tag should be written again so
        that it is newer than they are.

    Raises:
        OSError: A scene cannot be read.
    """
    if tag is None:
        return False, None
    newest = max(path.stat().st_mtime_ns for path in scenes)
    if tag.scenes is None:
        return newest <= tag.mtime_ns, None
    if set(tag.scenes) != {str(path) for path in scenes}:
        return False, None
    if not all(os.path.isfile(output) for output in tag.outputs):
        return False, None
    now: dict[Path, Fingerprint] = {}
    for path in scenes:
        known = tag.scenes[str(path)]
        status = path.stat()
        if (status.st_size, status.st_mtime_ns) == (known.size, known.mtime_ns):
            now[path] = known
            continue
        if status.st_size != known.size:
            return False, None
        now[path] = fingerprint(path)
        if now[path].sha256 != known.sha256:
            return False, None
    return True, now if newest > tag.mtime_ns else None
