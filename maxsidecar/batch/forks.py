"""Code of others that forks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["one_process"]


@contextmanager
def one_process() -> Iterator[None]:
    """End a process that is forked within the ``with`` block where it leaves the block.

    It would go on with the run, and do everything a second time.
    """
    own = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != own:
            os._exit(0)
