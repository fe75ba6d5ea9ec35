"""Slicing a file on disk, and a compound file on top of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxsidecar.errors import NotMaxFileError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.io.file_view import FileView

BOUND = st.none() | st.integers(-40, 40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=30), start=BOUND, stop=BOUND)
def test_slices_as_bytes_do(tmp_path: Path, data: bytes, start: int, stop: int) -> None:
    path = tmp_path / "data"
    path.write_bytes(data)
    with FileView(path) as view:
        assert len(view) == len(data)
        assert bytes(view[start:stop]) == data[start:stop]


@pytest.mark.parametrize("version", [3, 4])
def test_compound_file_on_disk(tmp_path: Path, version: Literal[3, 4]) -> None:
    streams = {"Scene": b"s" * 70_000, "Config": b"c" * 100}
    data = build([NewEntry(k, v) for k, v in streams.items()], version=version)
    path = tmp_path / "file.max"
    path.write_bytes(data)
    with FileView(path) as view:
        compound = CompoundFile.open(view)
        assert {name: bytes(compound.read(name)) for name in compound.streams} == streams
        assert compound.holds("Scene", [b"s" * 69_999, b"s"])


def test_a_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "file.max"
    for content in (b"", b"text", bytes(600)):
        path.write_bytes(content)
        with FileView(path) as view, pytest.raises(NotMaxFileError):
            CompoundFile.open(view)
