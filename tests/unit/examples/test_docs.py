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
    assert len(test.examples) > 100
    assert not report, "".join(report)


def test_every_block_of_the_page_is_an_example() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    blocks = text.split("```python\n")[1:]
    assert text.count("```") == 2 * len(blocks)
    for block in blocks:
        # Without the empty line the fence would be taken for output.
        code, closed, _ = block.partition("\n\n```\n")
        assert closed
        assert code.startswith(">>> ")
