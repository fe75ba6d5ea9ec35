"""The lock on a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maxsidecar.batch.lock import FolderLock
from maxsidecar.errors import SaveError
from tests.conftest import REPOSITORY

CHILD = """
import sys, time
from maxsidecar.batch.lock import FolderLock
with FolderLock(sys.argv[1], "taken"):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stdout.readline() == "locked\n"
        with pytest.raises(SaveError, match="taken"), FolderLock(tmp_path, "taken"):
            pass
        child.kill()
    deadline = time.monotonic() + 60
    while True:
        try:
            with FolderLock(tmp_path, "taken"):
                return
        except SaveError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_lock_is_given_back(tmp_path: Path) -> None:
    with FolderLock(tmp_path, "taken"):
        pass
    with FolderLock(tmp_path, "taken"):
        pass
    with pytest.raises(SaveError, match="cannot write here"), FolderLock(tmp_path / "no", ""):
        pass


def test_a_lock_is_given_back_once(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path, "taken")
    with lock:
        pass
    # The number of its handle is another file's by now.
    with open(tmp_path / "other", "w", encoding="utf-8") as other:
        lock.__exit__(None, None, None)
        other.write("kept")
    assert (tmp_path / "other").read_text(encoding="utf-8") == "kept"
