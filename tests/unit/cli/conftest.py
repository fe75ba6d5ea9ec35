"""A scene to run commands on, and a way to run them in this process."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxsidecar.cli.main import main
from tests.conftest import REPOSITORY
from tests.fuzz.bases import load_example


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Runner = Callable[..., Ran]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that finds the package, installed or not."""
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), **more}


@pytest.fixture(scope="session")
def sample_bytes() -> bytes:
    """The bytes of the sample scene."""
    data = load_example("make_sample").make_sample()
    assert isinstance(data, bytes)
    return data


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_bytes: bytes) -> Path:
    """A working folder that holds the sample scene as ``street.max``."""
    (tmp_path / "street.max").write_bytes(sample_bytes)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    """Runs a command line in this process."""

    def run_command(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run_command
