"""Going through all objects within an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from maxsidecar.nel.serial.declare import Serial

__all__ = ["walk"]


def walk(obj: Serial) -> Iterator[Serial]:
    """Yield an object and all objects that it writes, each once, in the order of the stream.

    For example, a file for clients of recent sources only::

        for part in walk(file.root):
            if isinstance(part, CMeshBase):
                part.version = 10
    """
    seen: set[int] = set()
    todo: list[Any] = [obj]
    while todo:
        value = todo.pop()
        if isinstance(value, list | tuple):
            todo += reversed(value)
        elif isinstance(value, dict):
            todo += reversed(value.values())
        elif isinstance(value, Serial) and id(value) not in seen:
            seen.add(id(value))
            yield value
            todo += reversed([item for _, _, item in value.present()])
