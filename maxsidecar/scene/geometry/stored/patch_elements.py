"""Runs of small containers: one for each vertex, vector or patch of a patch mesh.

Those whose bytes have the same headers in the same places are read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import ChunkError, DecodeError
from maxsidecar.io.headers import Buffer, Span, scan

__all__ = ["ElementGroup", "Elements", "read_elements"]

I64 = npt.NDArray[np.int64]

#: Groups that are looked for; real meshes have a few for each number of neighbours.
_MOST_GROUPS: Final = 256


@dataclass(slots=True)
class ElementGroup:
    """Containers of the same layout.

    Attributes:
        numbers: (k,) which of all they are.
        starts: (k,) where their bodies begin.
        leaves: Place in the body, and size, of each leaf by id.
    """

    numbers: I64
    starts: I64
    leaves: dict[int, tuple[int, int]]


class Elements:
    """All containers of one id.

    Args:
        data: The bytes that they are in.
        count: How many there are.
        groups: They, those of the same layout together.
    """

    def __init__(self, data: Buffer, count: int, groups: list[ElementGroup]) -> None:
        """Take the groups."""
        self.octets = np.frombuffer(data, np.uint8)
        self.count = count
        self.groups = groups

    def table(
        self, leaf: int, dtype: str, width: int, what: str, default: int | None = None
    ) -> npt.NDArray[Any]:
        """Return the numbers of a leaf, (n, width).

        Args:
            leaf: Id of the leaf.
            dtype: Type of a number of four bytes.
            width: Numbers that are wanted.
            what: What they are, for messages.
            default: What stands for numbers that are not stored; ``None``: all must be.

        Raises:
            DecodeError: Too few are stored, or no whole numbers.
        """
        out = np.full((self.count, width), 0 if default is None else default, dtype)
        for group in self.groups:
            offset, size = group.leaves.get(leaf, (0, 0))
            if size % 4 or (default is None and size != 4 * width):
                raise DecodeError(
                    f"{what} of the wrong size", expected=f"{4 * width} bytes", found=size
                )
            stored = min(size // 4, width)
            if stored:
                out[group.numbers, :stored] = self.octets[
                    self._places(group, offset, 4 * stored)
                ].view(dtype)
        return out

    def put(self, leaf: int, values: npt.NDArray[Any], into: npt.NDArray[np.uint8]) -> None:
        """Put numbers in place of those that are stored.

        Args:
            leaf: Id of the leaf.
            values: (n, width) numbers of four bytes, as many as :meth:`table` gives.
            into: Bytes like those that were read.
        """
        for group in self.groups:
            offset, size = group.leaves.get(leaf, (0, 0))
            rows = np.ascontiguousarray(values[group.numbers])
            octets = rows.view(np.uint8).reshape(len(rows), -1)[:, :size]
            into[self._places(group, offset, octets.shape[1])] = octets

    @staticmethod
    def _places(group: ElementGroup, offset: int, size: int) -> I64:
        return (group.starts + offset)[:, None] + np.arange(size)


def read_elements(data: Buffer, spans: Sequence[Span], what: str) -> Elements:
    """Return containers by layout.

    Args:
        data: The bytes that they are in.
        spans: Their spans.
        what: What each one is, for messages.

    Raises:
        DecodeError: One is damaged, or is no container.
    """
    if not all(span[4] for span in spans):
        raise DecodeError(f"a {what} is data", expected="a container", found="data")
    octets = np.frombuffer(data, np.uint8)
    starts = np.array([span[2] for span in spans], np.int64)
    sizes = np.array([span[3] for span in spans], np.int64) - starts
    groups: list[ElementGroup] = []
    for size in np.unique(sizes).tolist():
        left = np.nonzero(sizes == size)[0]
        while len(left):
            first = int(starts[left[0]])
            leaves = _leaves(data, first, first + size, what)
            if len(groups) >= _MOST_GROUPS:
                # No real mesh; looking for equals among thousands would take for ever.
                groups.append(ElementGroup(left[:1], starts[left[:1]], leaves))
                left = left[1:]
                continue
            rows = octets[starts[left][:, None] + np.arange(size)]
            frame = np.ones(size, np.bool_)
            for offset, length in leaves.values():
                frame[offset : offset + length] = False
            same = np.all(rows[:, frame] == rows[0, frame], axis=1)
            groups.append(ElementGroup(left[same], starts[left[same]], leaves))
            left = left[~same]
    return Elements(data, len(spans), groups)


def _leaves(data: Buffer, start: int, end: int, what: str) -> dict[int, tuple[int, int]]:
    try:
        spans = scan(data, start, end)
    except ChunkError as error:
        raise DecodeError(f"a {what} is damaged: {error.message}") from None
    out: dict[int, tuple[int, int]] = {}
    for chunk_id, _, body, stop, container, _ in spans:
        if not container:
            out.setdefault(chunk_id, (body - start, stop - body))
    return out
