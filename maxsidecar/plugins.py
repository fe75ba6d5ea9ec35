"""What knows more about a scene than the scene package does.

The scene package reads AppData as bytes; names and types for them come from packages beside it,
which register their properties when they are imported.  :func:`load` imports these.  It is called
by :func:`maxsidecar.open` and its neighbours, by the command line, and by each worker process of
a batch; whoever uses inner modules only calls it first.
"""

from __future__ import annotations

__all__ = ["load"]


def load() -> None:
    """Import every package that names AppData; costs nothing from the second call on."""
    from maxsidecar.nel import appdata_ids  # noqa: F401 - registers the NeL export flags
