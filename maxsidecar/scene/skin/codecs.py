"""Codecs of the records in Skin and Physique; numpy is imported when the first is decoded."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import Codec
from maxsidecar.io.headers import Buffer

if TYPE_CHECKING:
    from maxsidecar.scene.skin import arrays

__all__ = ["BONES", "LINKS", "WEIGHTS"]

T = TypeVar("T")


class _Records(Codec[T]):
    """A codec that leaves the work to :mod:`.arrays`."""

    def __init__(self, kind: str, function: str) -> None:
        """Name the functions ``decode_...`` and ``encode_...``."""
        self.kind = kind
        self._function = function

    def _work(self, verb: str) -> Callable[[Any], Any]:
        from maxsidecar.scene.skin import arrays

        found: Callable[[Any], Any] = getattr(arrays, f"{verb}_{self._function}")
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
        except (AttributeError, TypeError, ValueError, IndexError, struct.error) as error:
            raise EditError(f"not {self.kind}: {error}") from None
        return data

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of records."""
        return {"type": "array", "items": {"type": "object"}}


#: Leaf 0030 of Skin: its bones.
BONES: Final[Codec[arrays.BoneSlots]] = _Records("bones", "bones")
#: Leaves 0050 and 0490 of Skin's local data: bones and influences of each vertex.
WEIGHTS: Final[Codec[arrays.SkinWeights]] = _Records("weights", "weights")
#: Leaf 0989 of Physique's local data: the links of one vertex.
LINKS: Final[Codec[arrays.LinkWeights]] = _Records("links of a vertex", "links")
