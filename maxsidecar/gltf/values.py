"""What JSON can hold, and what it cannot."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from maxsidecar.errors import SaveError, shorten

__all__ = ["check_json", "json_bytes"]

#: Deepest nesting of lists and objects: extras are flat, and so are the records of glTF.
_DEEPEST: Final = 32


def check_json(value: object, what: str) -> None:
    """Refuse a value that JSON cannot hold exactly.

    Lists may be tuples.  Text with half surrogates passes, see :func:`json_bytes`.

    Raises:
        SaveError: A key is no text, a number is not finite, or something is of another type.
    """
    waiting: list[tuple[int, object]] = [(0, value)]
    while waiting:
        depth, item = waiting.pop()
        if depth > _DEEPEST:
            raise SaveError(f"{what}: values are nested too deep")
        if isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    raise SaveError(f"{what}: a key is no text", found=shorten(key))
            waiting += [(depth + 1, part) for part in item.values()]
        elif isinstance(item, list | tuple):
            waiting += [(depth + 1, part) for part in item]
        elif isinstance(item, float):
            if not math.isfinite(item):
                raise SaveError(f"{what}: JSON holds finite numbers only", found=repr(item))
        elif item is not None and not isinstance(item, str | int):
            raise SaveError(f"{what}: JSON holds no such value", found=shorten(item))


def json_bytes(value: Any, *, indent: bool = False) -> bytes:
    """Return JSON in UTF-8.

    A half surrogate, which UTF-8 cannot hold, becomes U+FFFD.
    """
    style: dict[str, Any] = {"indent": "\t"} if indent else {"separators": (",", ":")}
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **style)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return whole.encode("utf-8")
