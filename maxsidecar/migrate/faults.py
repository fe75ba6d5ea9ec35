"""One line about a fault in a migration's code: where, and what."""

from __future__ import annotations

import traceback
from pathlib import Path

from maxsidecar.errors import MaxSidecarError, cut

__all__ = ["SCRIPT_MARK", "fault", "is_told"]

#: How the code of a user's script is named, in front of its path.
SCRIPT_MARK = "<script> "

_LONGEST = 500
_NO_TEXT = "(it has no text: making it failed)"


def fault(error: BaseException) -> str:
    """Return ``my.py:12: KeyError: 'x'``: the last line of a script that is to blame, if any."""
    frames = traceback.extract_tb(error.__traceback__)
    text = cut(f"{type(error).__name__}: {_text(error)}".rstrip(": "), _LONGEST)
    for frame in reversed(frames):
        if frame.filename.startswith(SCRIPT_MARK):
            path = Path(frame.filename.removeprefix(SCRIPT_MARK))
            return f"{path.name}:{frame.lineno}: {text}"
    if not frames:
        return text
    last = frames[-1]
    return f"fault in {Path(last.filename).name}:{last.lineno}: {text}"


def is_told(error: BaseException) -> bool:
    """Return whether an error is of this package and has the text that it should have."""
    return isinstance(error, MaxSidecarError) and _text(error) != _NO_TEXT


def _text(error: BaseException) -> str:
    try:
        return f"{error}"
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - the text of a user's error is a user's code
        return _NO_TEXT
