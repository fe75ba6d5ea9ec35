from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.errors import RulesError
from maxsidecar.migrate.rules.load import KINDS, load_rules, parse_rules
from maxsidecar.migrate.rules.toml_places import TomlPlaces

GOOD = "[[rule]]\nprefix = 'C:\\a'\nreplace = 'D:\\a'\n\n"


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (GOOD + "[[rule]]\nprefx = 'a'\nreplace = 'b'", (6, 1), "did you mean prefix"),
        (GOOD + "[[rule]]\n  frobnicate = 1", (6, 3), "there are prefix"),
        (GOOD + "[[rule]]\nprefix = 'a'\nglob = 'b'\nreplace = ''", (7, 1), "prefix and glob"),
        (GOOD + "[[rule]]\nprefix = 'a'", (5, 1), "one of replace"),
        (GOOD + "[[rule]]\nreplace = 'a'", (5, 1), "this one has none"),
        (GOOD + "[[rule]]\nprefix = 3\nreplace = 'b'", (6, 1), "is a text"),
        (GOOD + "[[rule]]\nprefix = ''\nreplace = 'b'", (6, 1), "is empty"),
        (GOOD + "[[rule]]\nprefix = \"C:\\new\"\nreplace = 'b'", (6, 1), "single quotes"),
        (GOOD + "[[rule]]\nprefix = '\\'\nreplace = 'b'", (6, 1), "no folder"),
        (GOOD + "[[rule]]\nregex = 'a(b'\nreplace = 'b'", (6, 1), "not closed .character 2"),
        (GOOD + "[[rule]]\nglob = 'a[b'\nreplace = 'b'", (6, 1), "not closed"),
        (GOOD + "[[rule]]\nglob = 'a*'\nreplace = '{2}'", (7, 1), "there is no .2. here"),
        (GOOD + "[[rule]]\nglob = 'a*'\nreplace = '{'", (7, 1), "a brace alone"),
        (GOOD + "[[rule]]\nglob = 'a*'\nextension = 'png'", (7, 1), "'.png'"),
        (GOOD + "[[rule]]\nglob = 'a*'\nextension = '.p/g'", (7, 1), "no file can have"),
        (GOOD + "[[rule]]\nglob = 'a*'\nextension = {}", (7, 1), "names no extension"),
        (GOOD + "[[rule]]\nglob = 'a*'\nextension = { '.a' = 1 }", (7, 1), "'.png'"),
        (GOOD + "[[rule]]\nglob = 'a*'\nroots = 'x'", (7, 1), "list of folders"),
        (GOOD + "[[rule]]\nglob = 'a*'\nroots = [{ as = 'x' }]", (7, 1), "list of folders"),
        (GOOD + "[[rule]]\nglob = 'a*'\nroots = ['not there']", (7, 1), "there is no folder"),
        (GOOD + "[[rule]]\nglob = 'a'\nreplace = 'b'\nkinds = ['pic']", (8, 1), "no kind 'pic'"),
        (GOOD + "[[rule]]\nglob = 'a'\nreplace = 'b'\nkinds = 'file'", (8, 1), "list of texts"),
        (GOOD + "[[rule]]\nglob = 'a'\nreplace = 'b'\ncontinue = 1", (8, 1), "true or false"),
        (GOOD + "[[rule]]\nglob = 'a'\nreplace = 'b'\nextensions = ['.a']", (8, 1), "with roots"),
        ("unproven = 'x'\n" + GOOD, (1, 1), "true or false"),
        ("# none\n", (1, 1), "there is no rule"),
        ("[[rules]]\nprefix = 'a'", (1, 1), "did you mean"),
        ("\n[rule]\nprefix = 'a'", (2, 1), "heading"),
        ("\nmore = 1\n" + GOOD, (2, 1), "no key 'more'"),
        ("[[rule]]\nprefix = \n", (2, 10), "not valid TOML"),
    ],
)
def test_mistakes_are_told_with_line_and_column(
    text: str, place: tuple[int, int], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "rules.toml"
    with pytest.raises(RulesError, match=reason) as caught:
        parse_rules(text, path)
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).startswith(f"{path}:{place[0]}:{place[1]}: ")


@pytest.mark.parametrize(
    ("table", "line", "reason"),
    [
        (b"a,b\nonly one\n", 2, "not an old and a new"),
        (b"a,b\na,c\n", 2, "two new paths"),
        (b"a,b\nA,c\n", 2, "two new paths"),
        (b"a,b\n,c\n", 2, "empty path"),
        (b'a,"b\n', 1, "unexpected end"),
        (b"a,\xff\n", None, "not UTF-8"),
    ],
)
def test_mistakes_in_a_table(table: bytes, line: int | None, reason: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(table)
    with pytest.raises(RulesError, match=reason) as caught:
        parse_rules("[[rule]]\nglob = '*'\nlookup = 't.csv'\n", tmp_path / "rules.toml")
    assert caught.value.where.file == str(tmp_path / "t.csv")
    assert caught.value.line == line


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert len(load_rules(path).rules) == 1
    path.write_bytes(b"[[rule]]\n# \xff\n")
    with pytest.raises(RulesError, match="not UTF-8") as caught:
        load_rules(path)
    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["[" * 5000, "a = " + "[" * 5000, "a = " + "9" * 5000])
def test_hostile_text(text: str, tmp_path: Path) -> None:
    with pytest.raises(RulesError):
        parse_rules(text, tmp_path / "rules.toml")


def test_every_kind_of_place_can_be_named() -> None:
    listed = ", ".join(f"'{kind}'" for kind in sorted(KINDS))
    text = f"[[rule]]\nglob = '*'\nreplace = 'x'\nkinds = [{listed}]\n"
    assert parse_rules(text, Path("r.toml")).rules[0].kinds == KINDS


PLACES = """\
# [[rule]] in a remark
top = '''
[[rule]]
key = 1
'''
[[rule]]
list = [
  'a', # ]
  "]",
]
  after = 1
[[rule]]
'quoted' = { list = [1] }
[rule.below]
inner = 2
"""


@pytest.mark.parametrize(
    ("table", "number", "key", "place"),
    [
        ("", 0, "top", (2, 1)),
        ("rule", 0, "", (6, 1)),
        ("rule", 0, "list", (7, 1)),
        ("rule", 0, "after", (11, 3)),
        ("rule", 1, "", (12, 1)),
        ("rule", 1, "quoted", (13, 1)),
        ("rule", 1, "below", (14, 1)),
        ("rule", 1, "absent", (12, 1)),
        ("rule", 9, "x", (1, 1)),
    ],
)
def test_places(table: str, number: int, key: str, place: tuple[int, int]) -> None:
    assert TomlPlaces(PLACES).find(table, number, key) == place
