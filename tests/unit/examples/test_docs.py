"""The examples of docs/python.md run as they are printed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_python_page(sample_scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample_scene.parent)
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(DOCS / "python.md"), 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert len(test.examples) > 40
    assert not report, "".join(report)
