"""Print how many bytes of memory an operation needs at its peak: ``measure_memory.py read FILE``.

Run in a process of its own; what the interpreter and the imports need does not count.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import maxsidecar
from maxsidecar.scene.maxfile import MaxFile  # noqa: F401 - imported before the measurement
from maxsidecar.scene.node import NodeTree  # noqa: F401


def read(path: Path) -> None:
    """Open, list the nodes and dump the AppData."""
    file = maxsidecar.open(path)
    for node in file.nodes.values():
        _ = node.name
    for _, item in file.scene.appdata():
        _ = item.value


def save(path: Path) -> None:
    """Open, edit one node and save."""
    from bench_corpus import edit

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, Path(folder) / "bench.max"))
        file = maxsidecar.open(copy)
        edit(file)
        file.save()


def peak() -> int | None:
    """Return the highest resident size so far in bytes, ``None`` where the system does not say."""
    try:
        # Not getrusage on Linux: a new process inherits the peak of the one that started it.
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text("ascii"))
        if found:
            return int(found[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def warm_up(run: Callable[[Path], None]) -> None:
    """Do the same with a scene of some kilobytes, so that what it imports is there."""
    from maxsidecar.scene.authoring import SceneBuilder

    builder = SceneBuilder()
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0))
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.max"
        small.write_bytes(builder.to_bytes())
        run(small)


def main(operation: str, path: Path) -> int:
    """Measure; where the system does not tell, count what Python allocates."""
    import bench_corpus  # noqa: F401 - imported before the measurement

    from maxsidecar import plugins

    plugins.load()
    run = {"read": read, "save": save}[operation]
    warm_up(run)
    before = peak()
    if before is None:
        import tracemalloc

        tracemalloc.start()
        run(path)
        print(tracemalloc.get_traced_memory()[1])
        return 0
    run(path)
    after = peak()
    print((after or before) - before)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
