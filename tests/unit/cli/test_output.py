"""Printing what files hold, whatever it is."""

from __future__ import annotations

import io
import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.cli import output


@given(st.text(alphabet=st.characters()))
def test_safe_text_controls_nothing(text: str) -> None:
    shown = output.safe(text)
    assert shown.isprintable()
    shown.encode("utf-8")
    for char in shown:
        # Neither controls nor invisible format characters such as bidirectional marks.
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("한글 \u0434\u043e\u043c", "한글 \u0434\u043e\u043c"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb", "a\\x0ab"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_safe(text: str, shown: str) -> None:
    assert output.safe(text) == shown


def test_json_is_ascii_and_strict(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": "\ud800\x1b한글", "number": float("nan"), "bytes": b"\x01", "list": (1, 2.5)}
    output.print_json(value)
    text = capsys.readouterr().out
    assert text.isascii()
    assert text.count("\n") == 1
    assert json.loads(text) == {
        "name": "\ud800\x1b한글", "number": "nan", "bytes": "01", "list": [1, 2.5]
    }  # fmt: skip


def test_table_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("name", "n"), [("한글", 1), ("abc\x1b", 22)], right=(1,))
    lines = capsys.readouterr().out.splitlines()
    # Two wide characters take four columns, as many as "name".
    assert lines == ["name      n", "한글      1", "abc\\x1b  22"]


def test_table_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("name", "number"), [])
    assert capsys.readouterr().out == "name  number\n"


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_table_on_a_terminal_shows_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", Terminal(raw, encoding="utf-8"))
    output.table(("name",), [("[red]x[/red]",), (":smile:",), ("a\x1b[0m",)])
    sys.stdout.flush()
    text = raw.getvalue().decode()
    for part in ("[red]x[/red]", ":smile:", "a\\x1b[0m"):
        assert part in text


def test_cells_are_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "stdout", Terminal(raw, encoding="utf-8"))
    row = ("a name of some length", 1234567890, 1234567890123)
    output.table(("name", "bytes", "more"), [row], right=(1, 2))
    sys.stdout.flush()
    text = raw.getvalue().decode()
    assert all(str(cell) in text for cell in row)


def test_progress_keeps_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(output.progress([1, 2, 3], 3, "x")) == [1, 2, 3]
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", Terminal(raw, encoding="utf-8"))
    assert list(output.progress([1, 2, 3], 3, "busy")) == [1, 2, 3]
    assert list(output.progress([1], 1, "single")) == [1]
    assert b"single" not in raw.getvalue()


def test_errors_of_the_system_name_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    output.error(FileNotFoundError(2, "No such file", "a\nb.max"))
    assert capsys.readouterr().err == "maxsidecar: error: a\\x0ab.max: No such file\n"


def test_streams_that_are_closed_swallow_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    output.set_up_streams()
    output.line("nobody reads this")
    output.error("nor this")
    for stream in (sys.stdout, sys.stderr):
        assert stream is not None
        stream.close()
