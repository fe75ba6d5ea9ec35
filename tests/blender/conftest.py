"""A real Blender for the tests of this folder."""

from __future__ import annotations

import os

import pytest

from tests.support.blender import VARIABLE, problem


@pytest.fixture(scope="session")
def blender() -> None:
    """Skip the test where no Blender can be had, if none is asked for."""
    found = problem()
    if found is not None:
        assert not os.environ.get(VARIABLE), found
        pytest.skip(found)
