"""Times and memory of migrations: ``python bench/bench_migrate.py [FOLDER]``.

FOLDER holds real scenes; without it the corpus is taken.  ``--files 100000`` simulates that many
small files, ``--kills 50`` kills a run at as many random moments and lets it go on.  Nothing here
fails for being slow; a damaged file, another result or an undo with other bytes ends it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from maxsidecar import plugins  # noqa: E402
from maxsidecar.migrate.engine import Run, Settings  # noqa: E402
from maxsidecar.migrate.registry import get  # noqa: E402
from maxsidecar.migrate.undo import Undo  # noqa: E402
from maxsidecar.scene.authoring import SceneBuilder  # noqa: E402
from tests.support.interrupted import Kills, call, command, digests, environment  # noqa: E402

REPEATS = 3
MARK = """
def migrate(scene, log):
    for node in scene.nodes.values():
        if node.name and not node.name.endswith("_x"):
            log.change(node, "name", node.name, node.name + "_x")
            node.name += "_x"
"""
NOTHING = "def migrate(scene, log):\n    pass\n"
TENTH = """
def migrate(scene, log):
    if scene.path.name.endswith("0.max"):
        node = scene.nodes.find("box")[0]
        log.change(node, "name", node.name, "crate")
        node.name = "crate"
"""


def row(figure: str, target: str, measured: str) -> None:
    print(f"{figure:<58} {target:>12} {measured:>16}", flush=True)


def copy_of(folder: Path, work: Path) -> Path:
    target = work / "corpus"
    shutil.rmtree(target, ignore_errors=True)
    for path in folder.rglob("*"):
        if path.suffix.lower() == ".max" and path.is_file():
            to = target / path.relative_to(folder)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
    return target


def corpus(folder: Path, work: Path) -> None:
    script = work / "mark.py"
    script.write_text(MARK, "utf-8")
    times, out = [], ""
    scenes, before = folder, dict[str, str]()
    for _ in range(REPEATS):
        scenes = copy_of(folder, work)
        before = digests(scenes)
        started = time.perf_counter()
        out = call("run", script, scenes, "--jobs", "2", "--report", work / "r.html")
        times.append(time.perf_counter() - started)
    summary = next(line for line in out.splitlines() if " changed, " in line)
    row(f"{len(before)} scenes, all changed, 2 processes: {summary.split('(')[0]}", "< 10 s",
        f"{min(times):.2f} s")  # fmt: skip
    after = digests(scenes)
    started = time.perf_counter()
    assert "nothing to do" in call("run", script, scenes)
    row("the same again: nothing to do", "", f"{time.perf_counter() - started:.2f} s")
    (journal,) = (scenes / ".maxsidecar").iterdir()
    shutil.copytree(journal, work / "kept")
    shutil.rmtree(journal)
    call("run", script, scenes, "--jobs", "2")
    assert digests(scenes) == after, "a second run without its journal changed something"
    row("the same again without the journal: files changed", "0", "0")
    started = time.perf_counter()
    counts = Undo(work / "kept", jobs=2)
    assert {result.state for result in counts.results()} <= {"undone"}
    row("undo, 2 processes", "", f"{time.perf_counter() - started:.2f} s")
    wrong = sum(before[name] != digest for name, digest in digests(scenes).items())
    row("files with other bytes after undo", "0", str(wrong))
    assert not wrong
    size = sum(path.stat().st_size for path in (work / "kept").rglob("*") if path.is_file())
    row("journal and undo records", "", f"{size / 1e6:.2f} MB")
    shutil.rmtree(work / "kept")


def run(text: str, folder: Path, work: Path, **settings: object) -> tuple[Run, float]:
    """Run a script in this process; returns the run and the seconds that it took."""
    script = work / "bench.py"
    script.write_text(text, "utf-8")
    journal = work / "journal"
    shutil.rmtree(journal, ignore_errors=True)
    job = Run(
        get("run"), {"script": str(script)}, [str(folder)],
        Settings(journal=journal, set_up=plugins.load, **settings),  # type: ignore[arg-type]
    )  # fmt: skip
    started = time.perf_counter()
    for _ in job.results():
        pass
    return job, time.perf_counter() - started


def untouched(folder: Path, work: Path) -> None:
    """What the engine adds to opening a file and looking at its nodes."""
    scenes = copy_of(folder, work)
    paths = [path for path in scenes.rglob("*") if path.suffix.lower() == ".max"]
    import maxsidecar

    def opened() -> float:
        started = time.perf_counter()
        for path in paths:
            try:
                with maxsidecar.open(path) as scene_file:
                    _ = scene_file.edited
            except maxsidecar.MaxSidecarError:
                pass
        return time.perf_counter() - started

    plain = min(opened() for _ in range(REPEATS))
    whole = min(run(NOTHING, scenes, work)[1] for _ in range(REPEATS))
    row("an untouched file, opening included", "", f"{whole / len(paths) * 1e3:.2f} ms")
    row("the engine's own part of that", "< 5 ms", f"{(whole - plain) / len(paths) * 1e3:.2f} ms")


def simulated(files: int, work: Path) -> None:
    """Many small scenes, most of them names of a few; a tenth is changed."""
    builder = SceneBuilder(title="Small")
    builder.add_node("box", builder.add_box(1, 1, 1))
    data = builder.to_bytes()
    scenes = work / "many"
    started = time.perf_counter()
    source = None
    for number in range(files):
        path = scenes / f"{number // 1000:03d}" / f"{number:06d}.max"
        if number % 1000 == 0:
            path.parent.mkdir(parents=True)
        if number % 500 == 0 or source is None:
            path.write_bytes(data)
            source = path
        else:
            try:
                os.link(source, path)
            except OSError:
                path.write_bytes(data)
    made = time.perf_counter() - started
    script = work / "tenth.py"
    script.write_text(TENTH, "utf-8")
    for name in ("first run", "second run: nothing to do"):
        started = time.perf_counter()
        sizes = watch(command("run", script, scenes, "--jobs", "2", "--journal", work / "j",
                              "--report", work / "many.json"))  # fmt: skip
        seconds = time.perf_counter() - started
        row(f"{files} small files, {name}", "", f"{seconds:.0f} s")
        if len(sizes) > 20:
            early, late = sizes[len(sizes) // 10], max(sizes[-len(sizes) // 10 :])
            row("  memory of all processes after a tenth", "", f"{early / 1024:.1f} MiB")
            row("  and at the end", "no growth", f"{late / 1024:.1f} MiB")
    row("  (making the files)", "", f"{made:.0f} s")
    shutil.rmtree(scenes)
    shutil.rmtree(work / "j")


def watch(arguments: list[str]) -> list[int]:
    """Run a command; returns the memory of it and its workers over time, in KiB."""
    sizes: list[int] = []
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, env=environment()) as process:
        stop = threading.Event()

        def look() -> None:
            while not stop.wait(0.5):
                sizes.append(sum(map(resident, [process.pid, *children(process.pid)])))

        thread = threading.Thread(target=look)
        thread.start()
        code = process.wait()
        stop.set()
        thread.join()
    assert code == 0
    return sizes


def children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def resident(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def kills(folder: Path, work: Path, rounds: int) -> None:
    """Kill a run over some real scenes."""
    scenes = copy_of(folder, work)
    for number, path in enumerate(sorted(p for p in scenes.rglob("*") if p.is_file())):
        if number % 5:
            path.unlink()
    killed = Kills(scenes, work / "killed")
    killed.prepare()
    rng = random.Random(50)
    for number in range(rounds):
        killed.round(rng, kills=1 + number % 2)
    row(f"{rounds} rounds of kills over {len(killed.before)} scenes: damaged files", "0", "0")
    row("  rounds that were killed between the first and the last save", "", str(killed.partly))
    row("  files that had been saved and not yet told", "", str(killed.recovered))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=2000, help="number of simulated files")
    parser.add_argument("--kills", type=int, default=3, help="rounds of kills")
    parser.add_argument("--only", choices=("corpus", "untouched", "simulated", "kills"))
    options = parser.parse_args()
    default = os.environ.get("MAXSIDECAR_CORPUS") or REPOSITORY.parent / "shared" / "corpus"
    folder = options.folder or Path(default)
    plugins.load()
    row("figure", "target", "measured")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        if folder.is_dir():
            if options.only in (None, "corpus"):
                corpus(folder, work)
            if options.only in (None, "untouched"):
                untouched(folder, work)
            if options.only in (None, "kills") and options.kills:
                kills(folder, work, options.kills)
        if options.only in (None, "simulated") and options.files:
            simulated(options.files, work)


if __name__ == "__main__":
    main()
