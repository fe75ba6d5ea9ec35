"""The wheel holds what the source tree holds, and its command is declared."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_wheel_holds_every_module_and_the_typing_marker(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(tmp_path), str(REPOSITORY)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    (wheel,) = tmp_path.glob("maxsidecar-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (entry_points,) = [n for n in names if n.endswith("entry_points.txt")]
        declared = archive.read(entry_points).decode("utf-8")
    package = REPOSITORY / "maxsidecar"
    sources = {p.relative_to(REPOSITORY).as_posix() for p in package.rglob("*.py")}
    shown = {"viewer.js", "viewer.css", "viewer.html", "three/LICENSE", "three/OrbitControls.js"}
    shown |= {"three/three.core.min.js", "three/three.module.min.js"}
    sources |= {f"maxsidecar/preview/{name}" for name in shown}
    assert sources | {"maxsidecar/py.typed"} <= names
    assert not [n for n in names if n.lower().endswith(".max")]
    assert "maxsidecar = maxsidecar.cli.main:main" in declared
