"""Splicing: new bytes in place of old ones, inside containers that say how long they are."""

from __future__ import annotations

from collections.abc import Sequence

from maxsidecar.errors import ChunkError, EditError, Where
from maxsidecar.io.headers import Buffer, Span, encode_header, scan

__all__ = ["check_run", "splice"]


def check_run(body: Buffer, where: Where) -> None:
    """Refuse a new body for a container that is not a run of chunks.

    Raises:
        EditError: It is not; ``where`` is the place of the container.
    """
    try:
        scan(body, 0, len(body))
    except ChunkError as error:
        raise EditError(f"the new body is no run of chunks: {error}", where) from None


def splice(
    data: Buffer, around: Sequence[Span], start: int, end: int, new: Sequence[Buffer]
) -> bytes:
    """Replace ``data[start:end]`` and give every container around it its new size.

    Args:
        data: The bytes.
        around: The containers around ``start:end``, outermost first.
        start: Where the old bytes begin.
        end: Where they end.
        new: The new bytes, in pieces.

    Returns:
        New bytes; outside the span only size fields differ.  A container that outgrows the narrow
        header takes the wide one.
    """
    view = memoryview(data)
    grown = sum(map(len, new)) - (end - start)
    headers: list[bytes] = []
    # Innermost first: a header that becomes wide makes all containers around it grow.
    for chunk_id, head, body, stop, container, form in reversed(around):
        header = encode_header(chunk_id, stop - body + grown, container, form)
        grown += len(header) - (body - head)
        headers.append(header)
    pieces: list[Buffer] = []
    pos = 0
    for span, header in zip(around, reversed(headers), strict=True):
        pieces += (view[pos : span[1]], header)
        pos = span[2]
    pieces += (view[pos:start], *new, view[end:])
    return b"".join(pieces)
