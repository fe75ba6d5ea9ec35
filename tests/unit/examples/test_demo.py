"""The demo runs, and what it says is so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import maxsidecar

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_demo(tmp_path: Path) -> None:
    folder = tmp_path / "out put"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(EXAMPLES / "demo.py"), str(folder)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "100"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in ("dist_max = 200.0", "dist_max = 350.0", "floors = 3", "house_77"):
        assert line in done.stdout
    before = (folder / "original.max").read_bytes()
    after = (folder / "sample.max").read_bytes()
    assert len(before) == len(after)
    # 2 -> 3, 200 -> 350 and house_01 -> house_77: one, two and two bytes.
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 5
    assert "of which 5 differ" in done.stdout
    with maxsidecar.open(folder / "sample.max") as file:
        assert file.nodes.find("house")[0].user_properties["floors"] == "3"
    # A second run starts anew.
    again = subprocess.run(
        [sys.executable, "-X", "utf8", str(EXAMPLES / "demo.py"), str(folder)],
        capture_output=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert again.returncode == 0
