"""How many processes the tests get on this machine (``pytest -n auto``).

pytest-xdist alone counts physical cores, and knows nothing of memory and of limits of containers.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Final

#: Bytes that a process of the tests needs with the Blender, browser or pool that a test starts.
MEMORY: Final = 2 << 30
#: More only wait for one another: a few long tests are left at the end.
MOST: Final = 8

_CGROUPS: Final = Path("/sys/fs/cgroup")


def workers(cores: int, memory: int | None) -> int:
    """Return how many processes fit a number of cores and bytes of memory, at least one."""
    fitting = MOST if memory is None else memory // MEMORY
    return max(1, min(cores, fitting, MOST))


def cores(groups: Path = _CGROUPS) -> int:
    """Return how many cores this process may use, by its affinity and by the container's quota."""
    if hasattr(os, "sched_getaffinity"):
        there = len(os.sched_getaffinity(0))
    else:
        there = os.cpu_count() or 1
    quota = _numbers(groups / "cpu.max") or [
        *_numbers(groups / "cpu" / "cpu.cfs_quota_us"),
        *_numbers(groups / "cpu" / "cpu.cfs_period_us"),
    ]
    # Without a limit the first is "max", or -1.
    if len(quota) == 2 and quota[0] > 0 and quota[1] > 0:
        there = min(there, math.ceil(quota[0] / quota[1]))
    return there


def memory(groups: Path = _CGROUPS) -> int | None:
    """Return the bytes of the machine's memory, or of the container's share; ``None``: unknown."""
    known = _numbers(groups / "memory.max") + _numbers(groups / "memory" / "memory.limit_in_bytes")
    if hasattr(os, "sysconf"):
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min((number for number in known if number > 0), default=None)


def _numbers(path: Path) -> list[int]:
    """Return the numbers of a file of a control group, none where there is no limit or no file."""
    try:
        return [int(word) for word in path.read_text(encoding="ascii").split()]
    except (OSError, ValueError):
        return []
