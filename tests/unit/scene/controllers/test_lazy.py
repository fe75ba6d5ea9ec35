"""Numpy is slow to import, so what does not compute does not import it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import maxsidecar
from maxsidecar.scene.controllers import KeyedController

with maxsidecar.open(sys.argv[1]) as file:
    assert [node.name for _, node in file.nodes.walk()]
    count = 0
    for obj in file.scene:
        # The tables of stored meshes are numpy arrays, even to compare their bytes.
        if obj.superclass != 0x10:
            for chunk, name, codec in obj.typed_leaves():
                codec.verified(chunk.data)
        count += isinstance(obj, KeyedController) and obj.own_reason is None
    assert count, "no keyframe controller was looked at"
    assert "numpy" not in sys.modules, "numpy was imported"
    next(iter(file.nodes.values())).world_matrix(0)
    assert "numpy" in sys.modules
"""


def test_reading_and_checking_need_no_numpy(built_sample: Path) -> None:
    root = Path(__file__).resolve().parents[4]
    command = [sys.executable, "-c", SCRIPT, str(built_sample)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
