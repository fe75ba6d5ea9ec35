"""Text of TOML that we write, read back by tomllib."""

from __future__ import annotations

import tomllib

import pytest

from maxsidecar.sidecar.toml_text import comment, format_key, format_path, format_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (-7, "-7"),
        (1000.0, "1000.0"),
        (1e300, "1e+300"),
        (-0.0, "-0.0"),
        (float("inf"), "inf"),
        ("", '""'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("tab\t", r'"tab\t"'),
        ("\x00\x1b\x7f\x85", r'"\u0000\u001B\u007F\u0085"'),
        ("\u202egnp.exe", r'"\u202Egnp.exe"'),
        ("日本 \U0001f600", '"日本 \U0001f600"'),
        ("a\nb", '"""\na\nb"""'),
        ("a\r\nb", '"""\na\\r\nb"""'),
        ('"""\n', '"""\n\\"\\"\\"\n"""'),
        ("end \nof", '"""\nend\\u0020\nof"""'),
        ([1, 2, 3], "[1, 2, 3]"),
        ({"a": 1, "b c": "x"}, '{ a = 1, "b c" = "x" }'),
    ],
)
def test_values_are_written_as_toml(value: object, text: str) -> None:
    assert format_value(value) == text
    assert tomllib.loads(f"x = {text}")["x"] == value


def test_unpaired_surrogates_are_replaced() -> None:
    assert format_value("a\ud800b") == '"a\ufffdb"'


def test_what_toml_has_no_form_for_is_an_error() -> None:
    with pytest.raises(TypeError):
        format_value(None)


def test_keys_are_quoted_where_they_must_be() -> None:
    assert format_key("cluster-01_a") == "cluster-01_a"
    assert format_key("") == '""'
    assert format_path(["node", "a.b", "nel"]) == 'node."a.b".nel'


def test_comments_are_one_line() -> None:
    assert comment("a\nb\x00") == "a\ufffdb\ufffd"
