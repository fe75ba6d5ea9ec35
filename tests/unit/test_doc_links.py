"""Links between pages of the documentation lead to files and headings that are there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PAGES = [*REPOSITORY.glob("*.md"), *sorted((REPOSITORY / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
#: Pages that code names, such as docs/format/node.md.
NAMED = re.compile(r"\bdocs/[\w/-]+\.md\b")


def headings(text: str) -> set[str]:
    """The anchors of a page, as GitHub makes them: small letters, hyphens, numbers for repeats."""
    found: set[str] = set()
    seen: Counter[str] = Counter()
    for heading in HEADING.findall(BLOCK.sub("", text)):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def broken(page: Path, text: str) -> list[str]:
    """The links of a page that lead nowhere; those to other sites are not looked at."""
    out = []
    for link in LINK.findall(BLOCK.sub("", text)):
        path, _, anchor = link.partition("#")
        if "://" in path:
            continue
        target = page.parent / path if path else page
        if not target.exists() or (
            anchor and anchor not in headings(target.read_text(encoding="utf-8"))
        ):
            out.append(link)
    return out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page, page.read_text(encoding="utf-8")) == []


def test_pages_that_code_names_are_there() -> None:
    missing = {
        (str(path.relative_to(REPOSITORY)), name)
        for folder in ("maxsidecar", "examples", "tests", "bench")
        for path in (REPOSITORY / folder).rglob("*.py")
        for name in NAMED.findall(path.read_text(encoding="utf-8"))
        if not (REPOSITORY / name).is_file()
    }
    assert not missing


def test_the_test_sees_broken_links() -> None:
    page = REPOSITORY / "docs" / "cli.md"
    text = (
        "[a](none.md) [b](python.md#none) [c](#check) [d](format/node.md) [e](../README.md#limits)"
    )
    assert broken(page, text) == ["none.md", "python.md#none"]
    assert headings("# A `b` c, d\n## A b c d\n```\n# no\n```\n") == {"a-b-c-d", "a-b-c-d-1"}
