"""File names that are made of names in scenes."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.nel.export.names import OutputNames, safe_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Box02", "box02.shape"),
        ("../../etc/passwd", "_._.._etc_passwd.shape"),
        ("..", "_.shape"),
        ("", "_.shape"),
        (" . ", "_.shape"),
        ("a\\b:c*d", "a_b_c_d.shape"),
        ("line\nbreak\x1b[31m", "line_break_[31m.shape"),
        ("CON", "_con.shape"),
        ("con.tree", "_con.tree.shape"),
        ("Lpt1 .x", "_lpt1 .x.shape"),
        ("COM\u00b2", "_com\u00b2.shape"),
        ("console", "console.shape"),
        ("дом", "дом.shape"),
        ("end. .", "end.shape"),
        (".hidden", "_hidden.shape"),
        ("half\ud800", "half_.shape"),
        ("turned\u202egpj", "turned_gpj.shape"),
    ],
)
def test_safe_name(name: str, expected: str) -> None:
    assert safe_name(name, ".shape") == expected


def test_case_is_kept_where_it_is_asked_for() -> None:
    assert safe_name("IG_Village", ".ig", lower=False) == "IG_Village.ig"


@given(st.text(st.characters(exclude_categories=()), max_size=400))
def test_names_stay_in_their_folder_on_every_system(name: str) -> None:
    safe = safe_name(name, ".shape")
    assert len(safe.encode("utf-8")) <= 200
    assert safe.endswith(".shape")
    assert safe.isprintable()
    for made in (Path(safe), PureWindowsPath(safe)):
        assert made.name == safe
        assert len(made.parts) == 1
    stem = safe.removesuffix(".shape")
    assert stem == stem.strip(" ").rstrip(".")
    assert safe_name(stem, ".shape") == safe


def test_a_name_is_given_once_whatever_its_case(tmp_path: Path) -> None:
    names = OutputNames()
    assert names.claim(tmp_path, "Tree.ig", "first", 7) == (tmp_path / "Tree.ig", "", False)
    assert names.claim(tmp_path, "tree.IG", "second", 8) == (None, "'first'", False)
    assert names.claim(tmp_path, "tree.ig", "third", 7) == (None, "'first'", True)
    sub = tmp_path / "sub"
    assert names.claim(sub, "tree.ig", "fourth") == (sub / "tree.ig", "", False)
    assert names.claim(sub, "tree.ig", "fifth") == (None, "'fourth'", False)


def test_accents_are_one_however_they_are_put_together(tmp_path: Path) -> None:
    names = OutputNames()
    assert names.claim(tmp_path, "caf\u00e9.ig", "first")[0] is not None
    assert names.claim(tmp_path, "cafe\u0301.ig", "second") == (None, "'first'", False)
    assert names.has(tmp_path, "CAFE\u0301.ig")
    assert not names.has(tmp_path / "sub", "caf\u00e9.ig")
