"""A flat index of every chunk of a stream.

The index is a set of parallel arrays in pre-order, a few machine words per chunk, built in one
loop: a stream of some MB holds ten thousands of chunks, and an object for each would cost more
than the data.  :meth:`ChunkIndex.rebuild` makes the stream again from ids, forms, nesting and leaf
payloads alone; that it gives the same bytes is what makes the index trustworthy.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from struct import Struct
from typing import Final

from maxsidecar.errors import ChunkError, Where
from maxsidecar.io.chunks import Buffer, encode_header, scan

__all__ = ["ChunkIndex"]

_NARROW: Final = Struct("<HI")
_PLAIN_LIMIT: Final = 0x7FFFFFF0

#: Deepest measured: 8 in Scene streams, 11 in Config; far deeper is an attack, not a scene.
MAX_DEPTH: Final = 1000

#: Lenient mode lists this many damaged containers one by one, and counts the others.
MAX_PROBLEMS: Final = 1000


class ChunkIndex:
    """Every chunk of a stream, in file order, as parallel arrays.

    Attributes:
        ids: Chunk ids, ``array("H")``.
        starts: Header offsets, ``array("Q")``.
        bodies: Body offsets, ``array("Q")``.
        ends: End offsets, ``array("Q")``.
        depths: Nesting depth, 0 for outermost chunks, ``array("H")``.
        flags: ``form * 2 + container`` per chunk, ``array("B")``.
        problems: What lenient mode passed over: one :class:`ChunkError` each, up to
            :data:`MAX_PROBLEMS`, then one that counts the others.  The path is that of the
            container, the offset that of the damaged header in it.  The children of such a
            container are not listed; it counts as a leaf.
    """

    def __init__(
        self,
        data: Buffer,
        *,
        strict: bool = True,
        where: Where | None = None,
    ) -> None:
        """Walk ``data`` once.

        Args:
            data: The whole stream, unpacked.
            strict: Raise on the first damaged container; else keep it as a leaf and record it.
            where: File and stream, for messages.

        Raises:
            ChunkError: The stream is damaged (strict), or its outermost level is (always).
        """
        self.data = data
        self.where = where or Where()
        self.ids = array("H")
        self.starts = array("Q")
        self.bodies = array("Q")
        self.ends = array("Q")
        self.depths = array("H")
        self.flags = array("B")
        self.problems: list[ChunkError] = []
        self._walk(strict)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.ids)

    def _walk(self, strict: bool) -> None:
        data = self.data
        add_id, add_start, add_body = self.ids.append, self.starts.append, self.bodies.append
        add_end, add_depth, add_flag = self.ends.append, self.depths.append, self.flags.append
        try:
            pending = [enumerate(scan(data, 0, len(data), root=True))]
        except ChunkError as error:
            raise self._locate(error, []) from None
        trail: list[tuple[int, int]] = []  # id and position of each container that is open
        unlisted = 0
        while pending:
            depth = len(pending) - 1
            for position, (chunk_id, start, body, end, container, form) in pending[-1]:
                children = None
                if container and body < end:
                    try:
                        if depth >= MAX_DEPTH:
                            raise ChunkError("chunks nest too deep", Where(offset=start))
                        children = scan(data, body, end)
                    except ChunkError as error:
                        if strict:
                            raise self._locate(error, [*trail, (chunk_id, position)]) from None
                        if len(self.problems) < MAX_PROBLEMS:
                            self._locate(error, [*trail, (chunk_id, position)])
                            # The frames of the traceback hold on to everything scanned so far.
                            self.problems.append(error.with_traceback(None))
                        else:
                            unlisted += 1
                add_id(chunk_id)
                add_start(start)
                add_body(body)
                add_end(end)
                add_depth(depth)
                add_flag(form * 2 + container)
                if children is not None:
                    pending.append(enumerate(children))
                    trail.append((chunk_id, position))
                    break
            else:
                pending.pop()
                if trail:
                    trail.pop()
        if unlisted:
            self.problems.append(
                ChunkError(f"{unlisted} more damaged containers are not listed", self.where)
            )

    def _locate(self, error: ChunkError, trail: list[tuple[int, int]]) -> ChunkError:
        path = "/".join(f"{chunk_id:04x}[{position}]" for chunk_id, position in trail)
        error.where = Where(self.where.file, self.where.stream, path or None, error.where.offset)
        return error

    def path_at(self, offset: int) -> str | None:
        """Return the path of the chunks around an offset, outermost first, ``None`` outside all.

        Time grows with the number of chunks in front of the offset.
        """
        i = bisect_right(self.starts, offset) - 1
        if i < 0:
            return None
        depths = self.depths
        # Walk back over elder siblings and parents; a chunk deeper than both is passed over.
        line = [[i, 0]]
        level = depths[i]
        for k in range(i - 1, -1, -1):
            if depths[k] == level:
                line[-1][1] += 1
            elif depths[k] < level:
                level = depths[k]
                line.append([k, 0])
        parts = [f"{self.ids[k]:04x}[{n}]" for k, n in reversed(line) if self.ends[k] > offset]
        return "/".join(parts) or None

    def walk(self) -> Iterator[tuple[int, int, int, int, int, int]]:
        """Yield ``(depth, id, start, body, end, flags)`` per chunk, in file order."""
        return zip(
            self.depths, self.ids, self.starts, self.bodies, self.ends, self.flags, strict=True
        )

    def is_leaf(self, i: int) -> bool:
        """Return whether chunk ``i`` has no indexed children."""
        return i + 1 >= len(self.ids) or self.depths[i + 1] <= self.depths[i]

    def rebuild(self) -> bytes:
        """Make the stream again from the index and the leaf payloads.

        Sizes come from the leaves up; no header byte of the original is used.
        """
        ids, depths, bodies, ends = self.ids, self.depths, self.bodies, self.ends
        flags = self.flags
        data = bytes(self.data)
        pack = _NARROW.pack
        sizes = [0] * (max(depths, default=0) + 2)
        pieces: list[bytes] = []
        add = pieces.append
        # From the end backwards, so that the children are known before their parent.
        below = -1
        for i in range(len(ids) - 1, -1, -1):
            depth = depths[i]
            if below > depth:
                size, sizes[below] = sizes[below], 0
            else:
                size = ends[i] - bodies[i]
                add(data[bodies[i] : ends[i]])
            below = depth
            flag = flags[i]
            if flag < 2 and size < _PLAIN_LIMIT:  # the narrow form, without a call
                add(pack(ids[i], (size + 6) | (flag << 31)))
                sizes[depth] += size + 6
            else:
                header = encode_header(ids[i], size, bool(flag & 1), flag >> 1)
                add(header)
                sizes[depth] += len(header) + size
        pieces.reverse()
        return b"".join(pieces)
