"""Memory does not grow with the number of files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from maxsidecar.scene.authoring import SceneBuilder
from tests.conftest import REPOSITORY

FEW, MANY = 500, 4000
#: Bytes for each more file that would still be no growth: less than a path takes.
ALLOWED = 100

CHILD = """
import re, sys
from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.registry import get
folder, script = sys.argv[1:]
for again in range(2):
    job = Run(get("run"), {"script": script}, [folder], Settings())
    assert job.count() > 0
    for _ in job.results():
        pass
    print(job.seen, dict(job.counts))
print(int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024)
"""


def peak(folder: Path, script: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(script)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, second, found = done.stdout.splitlines()
    assert "unchanged" in first
    assert "done" in second
    return int(found)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_does_not_grow(tmp_path: Path) -> None:
    builder = SceneBuilder(title="Small")
    builder.add_node("box", builder.add_box(1, 1, 1))
    data = builder.to_bytes()
    script = tmp_path / "my.py"
    script.write_text("def migrate(scene, log):\n    log('seen')\n")
    sizes = []
    for count in (FEW, MANY):
        folder = tmp_path / "scenes"
        for number in range(count):
            path = folder / f"{number // 100}" / f"{number}.max"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        sizes.append(peak(folder, script))
        shutil.rmtree(folder)
    few, many = sizes
    assert many - few < ALLOWED * (MANY - FEW) + (1 << 20)
