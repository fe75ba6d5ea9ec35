"""A real Blender, as the Python module ``bpy``, in an environment of its own.

bpy wants one version of Python and an older numpy, so it cannot share the environment of the tests.

python -m tests.support.blender           # installs it, as ``make blender`` does
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.support.gltf_file import Array

#: Version of bpy, and that of the Python that it is built for.
VERSION: Final = "5.0.1"
PYTHON: Final = (3, 11)
#: Names a Python that has bpy.
VARIABLE: Final = "MAXSIDECAR_BLENDER"
#: Beside the environment of the tests: .venv-blender for .venv.
FOLDER: Final = Path(sys.prefix).with_name(Path(sys.prefix).name + "-blender")

_SCRIPT: Final = Path(__file__).resolve().parent.parent / "blender" / "look.py"
#: Seconds for one file; a test has ten times that.
_PATIENCE: Final = 300


def _inside(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def find_blender() -> Path | None:
    """Return the Python that has bpy, or should have it: the named one, else the built one."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    built = _inside(FOLDER)
    return built if built.is_file() else None


@lru_cache(maxsize=1)
def problem() -> str | None:
    """Return why no Blender can be had; ``None`` when it can."""
    python = find_blender()
    if python is None:
        return f"no Blender: run make blender, or name a Python with bpy in {VARIABLE}"
    # The module may hang when the process ends.
    code = "import bpy, os; print(bpy.app.version_string, flush=True); os._exit(0)"
    try:
        done = subprocess.run(
            [str(python), "-c", code],
            check=False,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no Blender: {error}"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it does not start"]
        return f"no Blender: {last[0]}"
    return None


def install() -> str | None:
    """Build the environment; return why that cannot be, if so."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = ".".join(map(str, PYTHON))
    python = sys.executable if sys.version_info[:2] == PYTHON else shutil.which(f"python{wanted}")
    if python is None:
        return f"bpy {VERSION} needs Python {wanted}"
    inside = _inside(FOLDER)
    pip = [str(inside), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    try:
        if not inside.is_file():
            subprocess.run([python, "-m", "venv", str(FOLDER)], check=True, timeout=_PATIENCE)
        # There are wheels for some platforms only, and nothing that could be built instead.
        subprocess.run(
            [*pip, "--only-binary", "bpy", f"bpy=={VERSION}"],
            check=True,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=1800,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None)
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        return (said or str(error)).strip().splitlines()[-1]
    return problem()


@dataclass
class Look:
    """What Blender shows of a file.

    Attributes:
        messages: What the importer had to say, and what was printed besides.
        facts: Names, kinds and custom properties, see ``tests/blender/look.py``.
        arrays: Vertices and bones by frame.
    """

    messages: list[str]
    facts: dict[str, Any]
    arrays: dict[str, Array]


def look(file: Path, folder: Path, frames: list[float], rate: int = 30) -> Look:
    """Import a file and look at it at some frames.

    Args:
        file: A ``.glb`` or ``.gltf``.
        folder: Where to put what Blender writes.
        frames: Frames of the animation, the first of which is 0.
        rate: Frames per second.
    """
    out = folder / "look"
    python = find_blender()
    assert python is not None
    order = {"file": str(file), "out": str(out), "frames": frames, "rate": rate}
    done = subprocess.run(
        [str(python), str(_SCRIPT), json.dumps(order)],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    facts = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
    with np.load(out.with_suffix(".npz")) as stored:
        arrays = {name: stored[name].astype(np.float64) for name in stored.files}
    printed = [line for line in done.stderr.splitlines() if line.strip()]
    return Look(facts.pop("messages") + printed, facts, arrays)


def main() -> int:
    """Run the module as a program."""
    found = install()
    if found is not None:
        print(f"The tests with Blender will be skipped: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
