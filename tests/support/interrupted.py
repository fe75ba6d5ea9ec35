"""Runs of a migration that are killed at random moments, and go on."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

#: Not to be applied twice: a run that loses track shows.
SCRIPT = """
def migrate(scene, log):
    for node in scene.nodes.values():
        if node.name:
            log.change(node, "name", node.name, node.name + "_x")
            node.name += "_x"
"""


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every scene below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() == ".max"
    }


def saves(folder: Path) -> int:
    """How many saves have begun."""
    return sum(1 for _ in folder.glob(".maxsidecar/*/undo/*/*.undo"))


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "maxsidecar", "migrate", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def call(*arguments: str | Path) -> str:
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass
class Kills:
    """Rounds of killing a run.

    Attributes:
        source: Folder of scenes; stays as it is.
        work: Folder for copies.
        jobs: Processes of a run.
        partly: How many rounds ended with some files changed and some not.
        recovered: How many files had been saved by a run that could not say so any more.
    """

    source: Path
    work: Path
    jobs: int = 2
    partly: int = 0
    recovered: int = 0
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Run without a kill, for the result."""
        self.work.mkdir(parents=True, exist_ok=True)
        (self.work / "my.py").write_text(SCRIPT, "utf-8")
        folder = self.fresh()
        self.before = digests(folder)
        assert self.start(folder).wait() == 0
        self.after = digests(folder)
        same = [name for name in self.before if self.before[name] == self.after[name]]
        assert len(same) < len(self.before) / 10, same

    def fresh(self) -> Path:
        folder = self.work / "scenes"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.source, folder, ignore=_no_scenes)
        return folder

    def start(self, folder: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command("run", self.work / "my.py", folder, "--jobs", str(self.jobs)),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
            start_new_session=True,
        )  # fmt: skip

    def round(self, rng: random.Random, kills: int = 1) -> None:
        """Kill some runs one after the other, let one go on to the end, and undo it all."""
        folder = self.fresh()
        for _ in range(kills):
            process = self.start(folder)
            wanted = rng.randrange(len(self.before))
            while process.poll() is None and saves(folder) < wanted:
                time.sleep(0.001)
            # A save takes some milliseconds; the moment is anywhere in it.
            time.sleep(rng.random() * 0.02)
            # The workers are left behind, or killed as well.
            if rng.random() < 0.5:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.check(folder)
        call("run", self.work / "my.py", folder, "--jobs", str(self.jobs))
        assert digests(folder) == self.after, "the run that went on has another result"
        assert "nothing to do" in call("run", self.work / "my.py", folder)
        (journal,) = (folder / ".maxsidecar").iterdir()
        self.recovered += (journal / "journal.jsonl").read_text("ascii").count('"recovered": true')
        call("--undo", journal)
        assert digests(folder) == self.before, "undo gives other bytes"

    def check(self, folder: Path) -> None:
        """Every file is the old or the new one."""
        # A worker may be in the middle of a save: it ends by itself, but not at once.
        deadline = time.monotonic() + 5
        found = digests(folder)
        while time.monotonic() < deadline:
            time.sleep(0.05)
            again = digests(folder)
            if again == found:
                break
            found = again
        states = set()
        for name, digest in found.items():
            assert digest in (self.before[name], self.after[name]), f"{name} is damaged"
            if self.before[name] != self.after[name]:
                states.add(digest == self.after[name])
        assert found.keys() == self.before.keys()
        self.partly += len(states) == 2


def _no_scenes(at: str, names: list[str]) -> list[str]:
    return [n for n in names if not n.lower().endswith(".max") and not Path(at, n).is_dir()]
