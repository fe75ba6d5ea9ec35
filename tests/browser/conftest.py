"""A browser that is started once for all tests of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.browser import VARIABLE, Page, browser, find_browser


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page in a headless Chromium; without one the test is skipped, if none is asked for."""
    if os.name == "nt":
        pytest.skip("the browser is spoken to over pipes that Windows does not have")
    program = find_browser()
    named = os.environ.get(VARIABLE)
    if program is None:
        assert not named, f"{VARIABLE} is {named}, which is no program"
        pytest.skip(f"no Chromium: install one, or name it in {VARIABLE}")
    with browser(program, tmp_path_factory.mktemp("browser")) as opened:
        yield opened
