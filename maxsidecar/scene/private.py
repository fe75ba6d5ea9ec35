"""Data that identifies people, which nothing may decode, show or copy into other files.

Scenes up to 2016 hold disguised registration data of the user who saved them: name, organisation
and serial number (measured on the corpus, docs/format/streams.md section 5).  It stays where it
is, byte for byte, and no text form includes it.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.io.chunks import OPEN_NARROW, Chunk

__all__ = ["PRIVATE_CHUNKS", "is_private"]

#: Stream name and chunk ids on the way down, without the wrapper of compressed 2024 saves.
PRIVATE_CHUNKS: Final = frozenset({("Config", (0x2130, 0x110, 0x300))})


def is_private(stream: str, chunk: Chunk) -> bool:
    """Return whether a chunk of a stream is private, or lies inside a private one.

    Args:
        stream: Logical name of the stream.
        chunk: Any chunk of it.
    """
    ids: list[int] = []
    step: Chunk | None = chunk
    while step is not None:
        if step.parent is not None or step.form != OPEN_NARROW:
            ids.append(step.id)
        step = step.parent
    path = tuple(reversed(ids))
    return any(
        name == stream and path[: len(private)] == private for name, private in PRIVATE_CHUNKS
    )
