"""Reports: what they say, and that they can be read."""

from __future__ import annotations

import errno
import json
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.errors import SaveError
from maxsidecar.migrate.report import report_for

ABOUT = {
    "id": "1f", "migration": "names", "options": {"node": [["a", "b"]], "rules": None},
    "roots": ["/art/<b>"], "backup": None, "dry_run": False, "program": "maxsidecar 1",
    "started": "2026-01-01T00:00:00Z",
}  # fmt: skip
TOTALS = {"changed": 1, "unchanged": 1, "done": 0, "not_max": 0, "failed": 1, "seconds": 1.5}
ODD = 'a "b" \\ \x7f\x1b[31m\n\u202e <script>alert(1)</script> & \U0001f600 \udc80'
FILES: list[dict[str, Any]] = [
    {
        "path": ODD, "state": "changed", "undo": 0, "backup": None, "problems": 1, "left_out": 3,
        "log": [
            {"kind": "change", "place": ODD, "text": "name", "old": ODD, "new": "c"},
            {"kind": "problem", "place": "", "text": ODD},
        ],
    },
    {"path": "/art/b.max", "state": "unchanged", "seconds": 0.001},
    {"path": "/art/c.max", "state": "failed", "message": ODD},
]  # fmt: skip


def write(path: Path) -> str:
    with report_for(path) as report:
        report.begin(ABOUT)
        for line in FILES:
            report.add(line)
        assert not path.exists()
        report.end(TOTALS)
    assert sorted(other.name for other in path.parent.iterdir()) == [path.name]
    return path.read_text("utf-8")


def test_json(tmp_path: Path) -> None:
    found = json.loads(write(tmp_path / "r.json"))
    assert found == {"run": ABOUT, "totals": TOTALS, "files": FILES}


def test_toml(tmp_path: Path) -> None:
    found = tomllib.loads(write(tmp_path / "r.TOML"))
    # TOML has no nothing, and no half of a surrogate pair.
    odd = ODD.replace("\udc80", "\N{REPLACEMENT CHARACTER}")
    assert found["run"]["options"] == {"node": [["a", "b"]]}
    assert found["totals"] == TOTALS
    assert [file["state"] for file in found["file"]] == ["changed", "unchanged", "failed"]
    assert found["file"][0]["path"] == found["file"][0]["log"][0]["old"] == odd
    assert found["file"][0]["log"][1] == {"kind": "problem", "place": "", "text": odd}


class Page(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", ["r.html", "r.htm"])
def test_html(tmp_path: Path, name: str) -> None:
    text = write(tmp_path / name)
    page = Page(text)
    assert not page.open
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert "img" not in page.tags
    assert "http" not in text
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "<script>alert(1)</script>" in page.text
    assert "/art/<b>" in page.text
    assert "and 3 more" in page.text
    # Nothing is said of files in which nothing happened, but that they were counted.
    assert "/art/b.max" not in page.text
    assert "without a change" in page.text


def test_an_empty_report_is_one(tmp_path: Path) -> None:
    for name in ("r.json", "r.toml", "r.html"):
        with report_for(tmp_path / name) as report:
            report.begin(ABOUT)
            report.end(TOTALS)
    assert json.loads((tmp_path / "r.json").read_text())["files"] == []
    assert "file" not in tomllib.loads((tmp_path / "r.toml").read_text())


def test_a_report_appears_after_an_interruption(tmp_path: Path) -> None:
    path = tmp_path / "r.json"

    def interrupted() -> None:
        with report_for(path) as report:
            report.begin(ABOUT)
            report.add(FILES[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert json.loads(path.read_text())["files"] == FILES[:1]


def test_where_no_report_goes(tmp_path: Path, sample_scene: Path) -> None:
    with pytest.raises(SaveError, match=r"\.toml, \.json or \.html"):
        report_for(tmp_path / "r.txt")
    scene = sample_scene.rename(tmp_path / "scene.json")
    with pytest.raises(SaveError, match="a scene"):
        report_for(scene)
    with pytest.raises(SaveError, match="cannot write"), report_for(tmp_path / "no" / "r.json"):
        pass


@pytest.mark.parametrize("name", ["r.json", "r.toml", "r.html"])
def test_a_full_disk_is_told_with_the_report(tmp_path: Path, name: str) -> None:
    def no_space(text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    report = report_for(tmp_path / name).__enter__()
    report._body.write = no_space  # type: ignore[union-attr, method-assign]
    with pytest.raises(SaveError, match="cannot write the report: No space left") as caught:
        report.add(FILES[0])
    assert caught.value.where.file == str(tmp_path / name)
    report.__exit__(SaveError, caught.value, None)
