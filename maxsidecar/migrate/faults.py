"""One line about a fault in a migration's code: where, and what."""

from __future__ import annotations

import traceback
from pathlib import Path

from maxsidecar.errors import cut

__all__ = ["SCRIPT_MARK", "fault"]

#: How the code of a user's script is named, in front of its path.
SCRIPT_MARK = "<script> "

_LONGEST = 500


def fault(error: BaseException) -> str:
    """Return ``my.py:12: KeyError: 'x'``: the last line of a script that is to blame, if any."""
    frames = traceback.extract_tb(error.__traceback__)
    text = cut(f"{type(error).__name__}: {error}".rstrip(": "), _LONGEST)
    for frame in reversed(frames):
        if frame.filename.startswith(SCRIPT_MARK):
            path = Path(frame.filename.removeprefix(SCRIPT_MARK))
            return f"{path.name}:{frame.lineno}: {text}"
    if not frames:
        return text
    last = frames[-1]
    return f"fault in {Path(last.filename).name}:{last.lineno}: {text}"
