"""A process that is killed while it saves leaves the old or the new file, whole."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maxsidecar.scene.maxfile import open_file

ROUNDS = 40

# Says "ready" when everything is loaded, then edits and saves back and forth until it is killed.
CHILD = """
import sys
from maxsidecar.scene.maxfile import open_file
path, names = sys.argv[1], ("first", "second" * 200)
file = open_file(path)
node = next(n for n in file.nodes.values() if n.name)
print("ready", flush=True)
turn = 0
while True:
    node.name = names[turn % 2]
    file.save(path)
    turn += 1
    if turn == 1:
        print("saved", flush=True)
"""


def streams_of(path: Path) -> dict[str, bytes]:
    file = open_file(path, lenient=False)
    return {name: bytes(stream.data) for name, stream in file.streams.items()}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_at_random_moments(sample_scene: Path, tmp_path: Path) -> None:
    folder = tmp_path / "dossier é"
    folder.mkdir()
    target = folder / "scene.max"
    expected = {}
    for name in ("first", "second" * 200):
        copy = tmp_path / "expected.max"
        shutil.copy(sample_scene, copy)
        file = open_file(copy)
        next(n for n in file.nodes.values() if n.name).name = name
        file.save()
        expected[name] = streams_of(copy)
    shutil.copy(sample_scene, target)
    rng, seen = random.Random(20), set()
    for _ in range(ROUNDS):
        with subprocess.Popen(
            [sys.executable, "-c", CHILD, str(target)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            assert child.stdout.readline() == "saved\n"
            time.sleep(rng.random() * 0.03)
            child.kill()
        assert child.returncode == -signal.SIGKILL
        found = streams_of(target)
        assert found in expected.values()
        seen.add(next(name for name, streams in expected.items() if streams == found))
        left = {path.name for path in folder.iterdir()} - {"scene.max"}
        assert all(name.startswith(".maxsidecar-") and name.endswith(".tmp") for name in left)
    assert len(seen) == 2, "every kill left the same file: the test proves nothing"
