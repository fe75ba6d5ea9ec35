"""What the values were when a sidecar was extracted, as short digests.

A sidecar is a document of state: to tell a value that a person edited from one that the scene file
changed since, ``apply`` must know what stood there at extraction.  Six bytes a value are enough
for that: three of the path, three of path and value.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from hashlib import blake2s
from typing import Any, Final

from maxsidecar.sidecar.fields import Path

__all__ = ["Base", "encode_base"]

_PART: Final = 3


def _digest(path: Path, value: Any = None) -> bytes:
    text = json.dumps([path, value], ensure_ascii=True, default=str)
    return blake2s(text.encode(), digest_size=_PART).digest()


def encode_base(values: Mapping[Path, Any]) -> str:
    """Return the digests of an object's values as base64 text."""
    parts = sorted(_digest(path) + _digest(path, value) for path, value in values.items())
    return base64.b64encode(b"".join(parts)).decode()


class Base:
    """The digests of one object."""

    def __init__(self, text: str) -> None:
        """Read the text of :func:`encode_base`; text that is damaged knows nothing."""
        try:
            raw = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        width = 2 * _PART
        self._values = {
            raw[i : i + _PART]: raw[i + _PART : i + width] for i in range(0, len(raw), width)
        }

    def has(self, path: Path) -> bool:
        """Return whether the value was there at extraction."""
        return _digest(path) in self._values

    def unchanged(self, path: Path, value: Any) -> bool:
        """Return whether this is the value that was there at extraction."""
        return self._values.get(_digest(path)) == _digest(path, value)
