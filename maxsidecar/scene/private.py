"""Data that identifies people, which nothing may decode, show or copy into other files.

Scenes up to 2016 hold disguised registration data of the user who saved them: name, organisation
and serial number (measured on the corpus, docs/format/streams.md section 5).  It stays where it
is, byte for byte, and no text form includes it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PRIVATE_CHUNKS", "may_be_private"]

#: Stream name and chunk ids on the way down, without the wrapper of compressed 2024 saves.
PRIVATE_CHUNKS: Final = frozenset({("Config", (0x2130, 0x110, 0x300))})


def may_be_private(stream: str, ids: tuple[int, ...]) -> bool:
    """Return whether the bytes at a path of chunk ids may hold data that is never shown.

    That is so inside private chunks, and for whatever should hold one and cannot be read.

    Args:
        stream: Logical name of the stream.
        ids: Ids on the way down, without the wrapper of compressed saves.
    """
    for name, private in PRIVATE_CHUNKS:
        depth = min(len(ids), len(private))
        if name == stream and ids[:depth] == private[:depth]:
            return True
    return False
