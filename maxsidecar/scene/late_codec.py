"""Codecs whose work is in a module that is imported when the first value is decoded.

Views are declared when the first object of a kind is looked at, and numpy should not be waited for
then.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import Codec
from maxsidecar.io.headers import Buffer

__all__ = ["LateRecords"]

T = TypeVar("T")


class LateRecords(Codec[T]):
    """Records that the functions ``decode_NAME`` and ``encode_NAME`` of a module know.

    Args:
        kind: What they are, for messages.
        module: The module's full name.
        name: What the functions are called after.
    """

    def __init__(self, kind: str, module: str, name: str) -> None:
        """Name the functions."""
        self.kind = kind
        self._module = module
        self._name = name

    def _work(self, verb: str) -> Callable[[Any], Any]:
        found: Callable[[Any], Any] = getattr(import_module(self._module), f"{verb}_{self._name}")
        return found

    def decode(self, data: Buffer) -> T:
        """Return the records.

        Raises:
            DecodeError: The bytes do not have this layout.
        """
        value: T = self._work("decode")(data)
        return value

    def encode(self, value: T) -> bytes:
        """Return the bytes of the records.

        Raises:
            EditError: They are no such records.
        """
        try:
            data: bytes = self._work("encode")(value)
        except (
            AttributeError, TypeError, ValueError, IndexError, OverflowError, struct.error,
        ) as error:  # fmt: skip
            raise EditError(f"not {self.kind}: {error}") from None
        return data

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of records."""
        return {"type": "array", "items": {"type": "object"}}
