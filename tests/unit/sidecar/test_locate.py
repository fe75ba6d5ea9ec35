"""Places of keys and values, against places counted by hand."""

from __future__ import annotations

import time
import tomllib

import pytest

from maxsidecar.sidecar.locate import KeyLocator

TEXT = """\
# comment = 1
plain = 1 # x
  "b\\u0041".c = '''
two ' lines'''''
[t.u] # here
k = { p.q = [1, {z = 3}], r = 'a,}', s = { t = 1979-05-27 07:32:00 } }
list = [
  "]", # ]
  2,
]
['''.'''.x]
"""


def value_at(locator: KeyLocator, path: tuple[str, ...]) -> str:
    spot = locator.spots[path]
    return locator.text[spot.value : spot.end]


def test_every_kind_of_statement_is_found() -> None:
    locator = KeyLocator(TEXT.replace("['''.'''.x]\n", "['.'.x]\n"))
    assert {path: value_at(locator, path) for path in locator.spots} == {
        ("plain",): "1",
        ("bA", "c"): "'''\ntwo ' lines'''''",
        ("t", "u", "k"): "{ p.q = [1, {z = 3}], r = 'a,}', s = { t = 1979-05-27 07:32:00 } }",
        ("t", "u", "k", "p", "q"): "[1, {z = 3}]",
        ("t", "u", "k", "r"): "'a,}'",
        ("t", "u", "k", "s"): "{ t = 1979-05-27 07:32:00 }",
        ("t", "u", "k", "s", "t"): "1979-05-27 07:32:00",
        ("t", "u", "list"): '[\n  "]", # ]\n  2,\n]',
    }
    assert [section.path for section in locator.sections] == [(), ("t", "u"), (".", "x")]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("plain",), (2, 1)),
        (("bA", "c"), (3, 3)),
        (("bA",), (3, 3)),
        (("t",), (5, 1)),
        (("t", "u", "k", "r"), (6, 27)),
        (("t", "u", "list"), (7, 1)),
        (("t", "u", "list", "gone"), (7, 1)),
        (("gone",), (None, None)),
    ],
)
def test_places_are_line_and_column(
    path: tuple[str, ...], place: tuple[int | None, int | None]
) -> None:
    assert KeyLocator(TEXT.replace("'''.'''", "'.'")).find(path) == place


@pytest.mark.parametrize(
    "text",
    [
        'a = ""',
        'a = """"""',
        'a = """x"""""\nb = 1',
        "a = ''''''\nb = ''",
        "a = ''''x''''\n",
        'a = "\\""\nb = """\\""""\n',
        "a.b.c = 1\na.d = {}\n",
        "a = 1e3\nb = nan\nc = -inf\nd = 0x_f\n".replace("0x_f", "0xf_f"),
        "a = [{b = 1}, {b = 2}]\n",
        "[[a]]\nb = 1\n[[a]]\nb = 2\n",
        "a\t=\t1\t# x\n\n\n  b = 2",
        '"" = 1\n"#" = 2\n"=" = 3\n',
        "1979-05-27 = 1979-05-27T07:32:00.5+01:00\n",
    ],
)
def test_values_say_what_the_text_says(text: str) -> None:
    data = tomllib.loads(text)
    locator = KeyLocator(text)
    assert locator.spots
    for path, spot in locator.spots.items():
        here = data
        for part in path:
            here = (
                here[part][0] if isinstance(here[part], list) and part != path[-1] else here[part]
            )
        read = tomllib.loads(f"x = {text[spot.value : spot.end]}")["x"]
        assert repr(read) == repr(here)


def test_time_grows_with_the_length_of_the_text() -> None:
    def seconds(lines: int) -> float:
        text = "".join(f'[t{i}]\nk{i} = "v" # c\nq = {{ a = [1, "x"] }}\n' for i in range(lines))
        start = time.process_time()
        locator = KeyLocator(text)
        for i in range(lines):
            locator.find((f"t{i}", f"k{i}"))
        return time.process_time() - start

    # Ten times the text may take ten times as long; quadratic time would be a hundred times.
    small = min(seconds(1_000) for _ in range(3))
    assert min(seconds(10_000) for _ in range(2)) < 40 * small


@pytest.mark.parametrize("text", ["]", "= 1", "a = [", 'a = "', "[", "a", "\x00" * 9, "a = }]1"])
def test_text_that_is_no_toml_ends(text: str) -> None:
    KeyLocator(text)


def test_a_comment_behind_a_plain_statement_hides_nothing() -> None:
    text = "[a]\nx = 1\n# one word\n# [no.table]\n[b]\ny = 2\n\n  # it's = 3\nz = 4\n"
    locator = KeyLocator(text)
    assert [section.path for section in locator.sections] == [(), ("a",), ("b",)]
    assert set(locator.spots) == {("a", "x"), ("b", "y"), ("b", "z")}
    assert locator.find(("b", "z")) == (9, 1)
