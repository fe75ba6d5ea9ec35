"""Reading the leaves of a stored mesh, with errors that say where they are."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.bit_array import BITS

__all__ = ["bits_of", "check_range", "decode"]

T = TypeVar("T")
_BITS = 0x2700


def decode(chunk: Chunk, codec: Codec[T]) -> T:
    """Return the value of a leaf.

    Raises:
        DecodeError: It does not have that layout.
    """
    try:
        if chunk.container:
            raise DecodeError("the chunk holds chunks", expected="data", found="a container")
        return codec.decode(chunk.data)
    except DecodeError as error:
        where = chunk.where
        error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
        raise


def bits_of(chunk: Chunk, count: int) -> npt.NDArray[np.bool_] | None:
    """Return the bit array in a container; ``None`` where it is for another number of things.

    Args:
        chunk: The container.
        count: Bits that there should be.

    Raises:
        DecodeError: It is no bit array.
    """
    leaf = chunk.find(_BITS) if chunk.container else None
    if leaf is None:
        return None
    value = decode(leaf, BITS)
    if value.size != count:
        return None
    octets = np.frombuffer(value.data, np.uint8)
    return np.unpackbits(octets, count=count, bitorder="little").astype(bool)


def check_range(what: str, numbers: npt.NDArray[Any], limit: int, chunk: Chunk) -> None:
    """Refuse numbers of things that are not there.

    Raises:
        DecodeError: One is negative or too large.
    """
    if len(numbers) and (int(numbers.max()) >= limit or int(numbers.min()) < 0):
        raise DecodeError(
            f"{what} that is not there",
            chunk.where,
            expected=f"less than {limit}",
            found=int(numbers.max()),
        )
