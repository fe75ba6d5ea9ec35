"""Every real file of the game is read to the last byte and written back the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.nel.serial.check import check_file

#: Folders of the corpus, and how many files each has at least.
FOLDERS = {"skel": 16, "swt": 2}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_written_back_the_same(folder: str, corpus: Path) -> None:
    results = [check_file(path) for path in sorted((corpus / "nel" / folder).iterdir())]
    assert [result.problems for result in results if result.status != "ok"] == []
    assert {result.kind for result in results} == {folder}
    assert len(results) >= FOLDERS[folder]
