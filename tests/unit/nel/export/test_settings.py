"""Settings of build_gamedata, read as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import SettingsError
from maxsidecar.nel.export.settings import read_settings, text_list, text_value

#: Every form that the public workspaces use.
REAL = '''#!/usr/bin/python
# comment

import time, os
from scripts import *
"""text in front"""

EcosystemName = "jungle"
EcosystemPath = "ecosystems/" + EcosystemName
Limit = -1
Ratio = 0.5
Draft = False

ShapeSourceDirectories = [ ]
ShapeSourceDirectories += [ "stuff/" + EcosystemName + "/sky" ]
ShapeSourceDirectories += [ "stuff/objects", "a" + "b" + "c" ]
IgOtherSourceDirectories = [ ]
for dir in ShapeSourceDirectories:
\tIgOtherSourceDirectories += [ dir ]
\tIgOtherSourceDirectories += [ dir + "/ig" ]
for dir in [ ]:
\tpass
Table = { "Name": "x", "Size": (1, 2) }
ShapeTagExportDirectory = EcosystemPath + "/shape_tag"
'''


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "directories.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_what_real_files_hold(tmp_path: Path) -> None:
    path = write(tmp_path, REAL)
    held = read_settings(path)
    shapes = ["stuff/jungle/sky", "stuff/objects", "abc"]
    assert text_list(held, "ShapeSourceDirectories", path) == shapes
    copied = [item for name in shapes for item in (name, f"{name}/ig")]
    assert held["IgOtherSourceDirectories"] == copied
    assert text_value(held, "ShapeTagExportDirectory", path) == "ecosystems/jungle/shape_tag"
    assert (held["Limit"], held["Ratio"], held["Draft"]) == (-1, 0.5, False)
    assert held["Table"] == {"Name": "x", "Size": (1, 2)}
    assert text_list(held, "EcosystemName", path) == ["jungle"]


def test_lists_are_shared_where_python_shares_them(tmp_path: Path) -> None:
    text = "A = ['x']\nB = A\nB += ('y',)\nC = A + ['z']\nD = (1,)\nE = D\nE += (2,)\n"
    held = read_settings(write(tmp_path, text))
    names: dict[str, object] = {}
    exec(text, {}, names)  # noqa: S102 - our own text
    assert held == names
    assert held["A"] == ["x", "y"]


def test_a_path_with_backslashes_makes_no_warning(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    assert read_settings(write(tmp_path, 'A = "W:\\database"\n'))["A"] == "W:\\database"
    assert not recwarn.list


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("A = 1\nB = open('x')\n", 2, "a Call"),
        ("import os\nA = os.environ\n", 2, "a Attribute"),
        ("A = [x for x in 'ab']", 1, "a ListComp"),
        ("A = f'{1}'", 1, "a JoinedStr"),
        ("A = 2 ** 9", 1, "a BinOp"),
        ("A = 'a' * 9", 1, "a BinOp"),
        ("A = b'x'", 1, "a Constant"),
        ("A = 1\nif A:\n  B = 2\n", 2, "a If"),
        ("while True:\n  A = 1\n", 1, "a While"),
        ("def f():\n  pass\n", 1, "a FunctionDef"),
        ("A = B = 1", 1, "a Assign"),
        ("A = {}\nA['x'] = 1", 2, "a Assign"),
        ("A = 1\nA -= 1", 2, "a AugAssign"),
        ("print('x')", 1, "a Call"),
        ("A = Unknown + 'x'", 1, "Unknown has no value"),
        ("A += ['x']", 1, "A has no value"),
        ("A = 'x' + 1", 1, "str and int"),
        ("A = -'x'", 1, "a UnaryOp"),
        ("A = {1: 2}", 1, "texts for keys"),
        ("A = {**{}}", 1, "texts for keys"),
        ("for x in 'ab':\n  pass", 1, "loops over lists"),
        ("for x, y in []:\n  pass", 1, "simple loops"),
        ("for x in []:\n  pass\nelse:\n  pass", 1, "simple loops"),
        ("A = 1\nprint 'x'\n", 2, "no Python"),
        ("A = (\n", 1, "no Python"),
        ("A = " + "[" * 60 + "]" * 60, 1, "too deep"),
    ],
)
def test_anything_else_is_refused_with_its_line(
    text: str, line: int, reason: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        read_settings(path)
    assert caught.value.line == line
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}")


@pytest.mark.parametrize(
    "text",
    [
        b"A = '\xff'",
        b"A = 1\0",
        b"(" * 100_000,
        b"-" * 100_000 + b"1",
        b"# coding: nothing\nA = 1",
        b"A = ['x']\n" + b"A += A\n" * 40,
        b"A = 'x'\n" + b"A += A\n" * 40,
        b"A = ['x', 'y', 'z', 'w']\n"
        + b"".join(b" " * n + b"for i%d in A:\n" % n for n in range(20))
        + b" " * 20
        + b"B = 1\n",
        b"#" * (2 << 20),
    ],
)
def test_hostile_files_are_refused_soon(text: bytes, tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        read_settings(write(tmp_path, text))


def test_a_long_sum_needs_no_depth(tmp_path: Path) -> None:
    text = "A = " + " + ".join(["'x'"] * 500)
    assert read_settings(write(tmp_path, text))["A"] == "x" * 500


def test_missing_files_and_values(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read"):
        read_settings(tmp_path / "gone.py")
    path = write(tmp_path, "A = [1]\nB = 2\n")
    held = read_settings(path)
    for name in ("A", "B", "C"):
        with pytest.raises(SettingsError, match=f"{name} is missing, or no list"):
            text_list(held, name, path)
        with pytest.raises(SettingsError, match=f"{name} is missing, or no text"):
            text_value(held, name, path)


def test_nothing_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"A = 1\nopen({str(mark)!r}, 'w')\n"
    with pytest.raises(SettingsError):
        read_settings(write(tmp_path, text))
    assert not mark.exists()


@given(st.text(st.sampled_from("AB=+[]'\"\n \tforin:x1(){},-#\\"), max_size=60))
def test_any_text_is_values_or_an_error(text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = write(Path(folder), text)
        try:
            held = read_settings(path)
        except SettingsError as error:
            held = {"place": str(error)}
        assert all(isinstance(name, str) for name in held)
        assert str(held.get("place", path)).startswith(str(path))
