"""Time and memory over a folder of real scenes: ``python bench/bench_corpus.py [FOLDER]``.

Prints a table of figure, target and what was measured.  Nothing here fails for being slow: figures
depend on the machine.  Times are medians over the files; each file is timed warm, best of three.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from timing import best

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.roundtrip import check_file

REPOSITORY = Path(__file__).resolve().parent.parent
MEMORY_SCRIPT = Path(__file__).resolve().parent / "measure_memory.py"
MIB = 1 << 20
REPEATS = 3


def scenes(folder: Path) -> list[Path]:
    """Return the scenes below a folder; files that only look like one are left out."""
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".max" and p.is_file())
    return [path for path in found if opens(path)]


def opens(path: Path) -> bool:
    try:
        maxsidecar.open(path)
    except MaxSidecarError:
        return False
    return True


def list_nodes(path: Path) -> int:
    with maxsidecar.open(path) as file:
        return len([node.name for node in file.nodes.values()])


def dump_appdata(path: Path) -> int:
    with maxsidecar.open(path) as file:
        return sum(len(item.value) for _, item in file.scene.appdata())


def edit(file: MaxFile) -> None:
    """Change the name of the last node, or its text where there is only the root node."""
    node = list(file.nodes.values())[-1]
    if node.name:
        node.name = node.name[::-1] + "x"
    else:
        node.data.insert(None, 0, 0x7FFF, b"x")


class Syncs:
    """Time spent waiting for the disk."""

    seconds = 0.0


@contextmanager
def timed_fsync(syncs: Syncs) -> Iterator[None]:
    real = os.fsync

    def fsync(handle: int) -> None:
        start = time.perf_counter()
        real(handle)
        syncs.seconds += time.perf_counter() - start

    os.fsync = fsync  # type: ignore[assignment]
    try:
        yield
    finally:
        os.fsync = real


def save_times(path: Path, folder: Path) -> tuple[float, float]:
    """Return milliseconds of a save after one edit, and those of it spent in fsync; medians."""
    whole, disk = [], []
    for _ in range(5):
        copy = Path(shutil.copy(path, folder / "bench.max"))
        with maxsidecar.open(copy) as file:
            edit(file)
            syncs = Syncs()
            start = time.perf_counter()
            with timed_fsync(syncs):
                file.save()
            whole.append(time.perf_counter() - start)
            disk.append(syncs.seconds)
    return 1000 * median(whole), 1000 * median(disk)


def whole_process(*arguments: str) -> float | None:
    """Return milliseconds of a command, or ``None`` where it fails."""
    times = []
    command = [sys.executable, "-m", "maxsidecar", *arguments]
    for _ in range(7):
        start = time.perf_counter()
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=False)
        times.append(time.perf_counter() - start)
        if done.returncode:
            return None
    return 1000 * median(times)


def peak_ratios(paths: list[Path], operation: str) -> list[tuple[float, Path]]:
    """Return peak memory over file size, one process per file."""
    out = []
    for path in paths:
        done = subprocess.run(
            [sys.executable, str(MEMORY_SCRIPT), operation, str(path)],
            cwd=REPOSITORY, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip
        out.append((int(done.stdout) / path.stat().st_size, path))
    return out


Row = tuple[str, str, str]


def time_rows(paths: list[Path]) -> Iterator[Row]:
    for what, target, run in (
        ("open and list nodes", "< 2 ms", list_nodes),
        ("open and dump all AppData", "< 3 ms", dump_appdata),
    ):
        times = [1000 * best(lambda run=run, path=path: run(path), REPEATS) for path in paths]  # type: ignore[misc]
        yield what, target, f"{median(times):.2f} ms (slowest {max(times):.1f})"


def save_row(paths: list[Path]) -> Iterator[Row]:
    path = min(paths, key=lambda p: abs(p.stat().st_size - 3 * MIB))
    with tempfile.TemporaryDirectory() as folder:
        whole, disk = save_times(path, Path(folder))
    size = path.stat().st_size / MIB
    measured = f"{whole:.1f} ms, {disk:.1f} of it fsync"
    yield f"save after one edit ({size:.1f} MiB)", "< 10 ms", measured


def process_row(paths: list[Path]) -> Iterator[Row]:
    by_size = sorted(paths, key=lambda p: p.stat().st_size)
    path = by_size[len(by_size) // 2]
    took = whole_process("tree", str(path))
    shown = "the command failed" if took is None else f"{took:.0f} ms"
    yield "maxsidecar tree, whole process", "< 150 ms", shown


def check_row(paths: list[Path]) -> Iterator[Row]:
    total = sum(path.stat().st_size for path in paths)
    start = time.process_time()
    failed = [path for path in paths if check_file(path).status != "ok"]
    seconds = time.process_time() - start
    rate = f"{total / MIB / seconds:.1f} MiB/s"
    yield "check, per core", "", rate + (f" ({len(failed)} files failed)" if failed else "")


def memory_rows(paths: list[Path]) -> Iterator[Row]:
    large = [path for path in paths if path.stat().st_size > MIB]
    for operation, what in (
        ("read", "peak memory, open, nodes and AppData"),
        ("save", "peak memory, open, edit and save"),
    ):
        ratios = peak_ratios(large, operation)
        if not ratios:
            continue
        worst, path = max(ratios)
        middle = median(ratio for ratio, _ in ratios)
        measured = f"worst {worst:.2f} ({path.name}), median {middle:.2f}, {len(ratios)} files"
        yield what, "< 3 x file", measured


def main() -> int:
    """Measure and print."""
    default = os.environ.get("MAXSIDECAR_CORPUS", REPOSITORY.parent / "shared" / "corpus")
    parser = argparse.ArgumentParser(description="Time and memory over a folder of real scenes.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--quick", action="store_true", help="leave out check and memory")
    options = parser.parse_args()
    paths = scenes(options.folder) if options.folder.is_dir() else []
    if not paths:
        print(f"no scenes below {options.folder}: nothing to measure")
        return 0
    total = sum(path.stat().st_size for path in paths) / MIB
    print(f"{len(paths)} scenes, {total:.0f} MiB, Python {sys.version.split()[0]}\n")
    parts = [time_rows, save_row, process_row]
    parts += [] if options.quick else [check_row, memory_rows]
    print(f"{'figure':<42} {'target':<12} measured")
    for part in parts:
        for what, target, measured in part(paths):
            print(f"{what:<42} {target:<12} {measured}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
