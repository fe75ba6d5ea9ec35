"""Damage scene files at random and use them: ``python -m tests.fuzz.run --cases 5000``.

Every case is a base file and a number, and can be run again: ``--only NAME:NUMBER`` shows its
traceback, and ``--keep FOLDER`` writes the damaged files of all findings there.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import FrameType

from tests.fuzz.bases import authored_bases, corpus_bases, small_bases
from tests.fuzz.exercise import exercise
from tests.fuzz.mutate import Base, mutate

#: A case that takes longer is a finding; shared machines stall, so it is far above the usual 10 ms.
SLOW_SECONDS = 2.0
#: A bomb is unpacked up to the limit of 32 MiB by each of the steps that open the file.
SLOW_BOMB_SECONDS = 10.0
KILL_SECONDS = 30.0
#: Address space of a worker, several times what the largest sound base needs.
MEMORY = 3 << 30
BATCH = 250


class TooLong(BaseException):
    """A case did not end; no code under test catches this."""


@dataclass
class Finding:
    """What went wrong in one case."""

    base: str
    seed: int
    damage: str
    what: str
    place: str
    trace: str


@dataclass
class Tally:
    """What a batch of cases came to."""

    cases: int = 0
    opened: int = 0
    edited: int = 0
    applied: int = 0
    refused: int = 0
    slowest: tuple[float, str, int] = (0.0, "", 0)
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    damages: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Add up two batches."""
        for name in ("cases", "opened", "edited", "applied", "refused", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest = max(self.slowest, other.slowest)
        self.findings += other.findings
        self.damages += other.damages


def bases() -> dict[str, list[Base]]:
    """Return the base files by kind."""
    return {
        "small": list(small_bases()),
        "sample": list(authored_bases()),
        "real": list(corpus_bases()),
    }


def pick(groups: dict[str, list[Base]], seed: int) -> Base:
    """Return the base of a case: mostly a small one, since those take the least time."""
    turn, rest = seed % 20, seed // 20
    kind = "real" if turn == 0 and groups["real"] else "sample" if turn < 4 else "small"
    group = groups[kind]
    return group[rest % len(group)]


def limit_memory() -> None:
    """Let a runaway allocation fail, where the system can do that."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop a case that does not end, where the system can do that."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def run_case(base: Base, seed: int, tally: Tally) -> None:
    """Run one case and add what came of it."""
    damage, data = mutate(base, seed)
    tally.cases += 1
    tally.damages[damage] += 1
    # Processor time, so that other programs on the machine do not count.
    start = time.process_time()
    try:
        with time_limit(KILL_SECONDS):
            outcome = exercise(data)
    except (Exception, TooLong) as error:  # noqa: BLE001 - whatever comes out is the finding
        frames = traceback.extract_tb(error.__traceback__)
        last = next((f for f in reversed(frames) if "maxsidecar" in f.filename), frames[-1])
        place = f"{Path(last.filename).name}:{last.lineno}"
        what = f"{type(error).__name__}: {str(error)[:100]}"
        tally.findings.append(
            Finding(base.name, seed, damage, what, place, traceback.format_exc(limit=-12))
        )
    else:
        tally.opened += outcome.opened > 0
        tally.edited += outcome.edited
        tally.applied += outcome.applied
        tally.refused += bool(outcome.errors)
    took = time.process_time() - start
    tally.seconds += took
    tally.slowest = max(tally.slowest, (took, base.name, seed))
    if took > (SLOW_BOMB_SECONDS if damage == "bomb" else SLOW_SECONDS):
        tally.findings.append(Finding(base.name, seed, damage, f"took {took:.1f} s", damage, ""))


def run_batch(first: int, count: int) -> Tally:
    """Run cases one after the other."""
    limit_memory()
    groups = bases()
    tally = Tally()
    for seed in range(first, first + count):
        run_case(pick(groups, seed), seed, tally)
    return tally


def run_all(first: int, cases: int, processes: int) -> Iterator[Tally]:
    """Run cases in several processes and yield each batch as it ends."""
    batches = ((n, min(BATCH, first + cases - n)) for n in range(first, first + cases, BATCH))
    with ProcessPoolExecutor(processes) as pool:
        running: set[Future[Tally]] = set()
        while True:
            for start, count in islice(batches, processes * 2 - len(running)):
                running.add(pool.submit(run_batch, start, count))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def run_only(text: str) -> int:
    """Run one case again and show its traceback."""
    name, _, seed = text.rpartition(":")
    found = [base for group in bases().values() for base in group if base.name == name]
    if not found:
        print(f"there is no base file {name!r}", file=sys.stderr)
        return 2
    damage, data = mutate(found[0], int(seed))
    print(f"{name}, case {seed}: {damage}, {len(data)} bytes")
    for error in exercise(data).errors[:20]:
        print(f"  refused: {error}")
    return 0


def report(total: Tally, started: float, keep: Path | None) -> int:
    """Print what came out; the exit code says whether something was found."""
    wall = time.monotonic() - started
    cases = max(1, total.cases)
    print(
        f"{total.cases} damaged files in {wall:.0f} s ({1000 * total.seconds / cases:.1f} ms of "
        f"processor time each): {total.opened} opened, {total.edited} edited and saved, "
        f"{total.applied} extracted and applied, {total.refused} refused something"
    )
    print("damage: " + ", ".join(f"{name} {n}" for name, n in total.damages.most_common()))
    seconds, name, seed = total.slowest
    print(f"slowest: {seconds:.2f} s ({name}:{seed})")
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for finding in total.findings:
        kinds.setdefault((finding.what.partition(":")[0], finding.place), []).append(finding)
    for (_, place), found in sorted(kinds.items(), key=lambda item: -len(item[1])):
        first = min(found, key=lambda f: (f.base, f.seed))
        print(f"\nFOUND {len(found)} times at {place}: {first.what}")
        print(f"  python -m tests.fuzz.run --only {first.base}:{first.seed}   ({first.damage})")
        print("  " + first.trace.replace("\n", "\n  "))
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            source = next(b for g in bases().values() for b in g if b.name == first.base)
            name = f"{first.base}-{first.seed}.max"
            (keep / name).write_bytes(mutate(source, first.seed)[1])
    print(f"findings: {len(total.findings)} in {len(kinds)} places")
    return 1 if kinds else 0


def main() -> int:
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = int(os.environ.get("FUZZ_CASES", "4000"))
    parser.add_argument("--cases", type=int, default=default, help="how many (or FUZZ_CASES)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", metavar="NAME:NUMBER", help="run one case again")
    parser.add_argument("--keep", type=Path, help="write damaged files that found something here")
    options = parser.parse_args()
    if options.only:
        return run_only(options.only)
    total, started, shown = Tally(), time.monotonic(), 0.0
    for batch in run_all(options.first, options.cases, options.processes):
        total.add(batch)
        now = time.monotonic()
        if now - shown > 5:
            shown = now
            rate = total.cases / (now - started)
            print(
                f"{total.cases} of {options.cases}, {rate:.0f} a second, "
                f"{len(total.findings)} findings",
                file=sys.stderr,
                flush=True,
            )
    return report(total, started, options.keep)


if __name__ == "__main__":
    sys.exit(main())
