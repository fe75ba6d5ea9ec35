from __future__ import annotations

import pytest

from maxsidecar.migrate.rules.regex import LONGEST_TEXT, Regex
from maxsidecar.migrate.rules.regex_parse import MOST_STEPS, RegexError, parse

FOUND = [
    # Case and kind of slash do not count.
    (r"^w:/data", "W:\\DATABASE", (0, 7), []),
    (r"\\maps\\", "c:/Maps/a", (2, 8), []),
    (r"[/]", "a\\b", (1, 2), []),
    (r"[^\\]+$", "c:/foo/bar.png", (7, 14), []),
    (r"[a-c]+", "xxABCd", (2, 5), []),
    # The first match, and the one that repeats prefer.
    (r"a+", "baaab", (1, 4), []),
    (r"a+?", "baaab", (1, 2), []),
    (r"(a|ab)(c|bcd)", "abcd", (0, 4), ["a", "bcd"]),
    (r"(a|ab)(c|bcd)?", "abc", (0, 1), ["a", ""]),
    (r"(?P<dir>.*)\\(?P<name>.*?)\.", "c:\\x\\y.z", (0, 7), ["c:\\x", "y"]),
    (r"x{2,3}", "xxxxx", (0, 3), []),
    (r"x{2,}", "xxxxx", (0, 5), []),
    (r"^x{2}$", "xx", (0, 2), []),
    (r"\d\w\s", "a1b c", (1, 4), []),
    (r"\D+", "12ab", (2, 4), []),
    (r"(?:tga|png)$", "a.PNG", (2, 5), []),
    (r"\.\$\{\}", "a.${}", (1, 5), []),
    (r"[]x]", "]", (0, 1), []),
    (r"[a-]+", "-a", (0, 2), []),
    (r"[\d\-]+", "x1-2", (1, 4), []),
    (r"дом", "ДОМ", (0, 3), []),
    (r"", "abc", (0, 0), []),
    (r"()*a", "a", (0, 1), [""]),
]


@pytest.mark.parametrize(("pattern", "text", "span", "groups"), FOUND)
def test_matches(pattern: str, text: str, span: tuple[int, int], groups: list[str]) -> None:
    found = Regex(pattern).search(text)
    assert found is not None
    assert found.span == span
    assert [found.group(n + 1) for n in range(len(found.slots) // 2 - 1)] == groups


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("^b", "ab"), ("a$", "ab"), ("x{3}", "xx"), ("[^a]", "aA"), (r"\.tga$", "a.tgax"), ("a", "")],
)
def test_no_match(pattern: str, text: str) -> None:
    assert Regex(pattern).search(text) is None


def test_named_groups() -> None:
    found = Regex(r"(?P<drive>\w):").search("C:\\a")
    assert found is not None
    assert found.group("drive") == "C"


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*$", "(a*)*b", "(.*)*x", "(a|aa)+$", "(.*a){30}$", r"(\w+\\?)+$"],
)
@pytest.mark.timeout(20)
def test_patterns_that_backtracking_never_finishes(pattern: str) -> None:
    # Two to the power of a thousand ways to split the text.
    Regex(pattern).search("a" * 1000 + "!")


def test_a_text_that_is_no_path_by_its_length_matches_nothing() -> None:
    assert Regex("a").search("a" * LONGEST_TEXT) is not None
    assert Regex("a").search("a" * (LONGEST_TEXT + 1)) is None


@pytest.mark.parametrize(
    ("pattern", "position", "reason"),
    [
        ("a(b", 1, "not closed"),
        ("a)b", 1, "too many"),
        ("[ab", 0, "not closed"),
        ("*a", 0, "nothing to repeat"),
        ("a**", 2, "repeat of a repeat"),
        ("a*+", 2, "possessive"),
        ("a{3,2}", 1, "wrong way round"),
        ("a{x}", 1, "not a repeat"),
        ("a{", 1, "not a repeat"),
        (r"(a)\1", 3, "back-references"),
        ("(?=a)", 0, "groups are"),
        ("(?i)a", 0, "groups are"),
        (r"\q", 0, "unknown escape"),
        ("a\\", 1, "backslash at the end"),
        ("[b-a]", 3, "wrong way round"),
        ("(?P<a>x)(?P<a>y)", 12, "group name"),
        (f"(?:{'a' * 50}){{50}}", 0, "too many repeats"),
        ("((a{100}){100}){100}", 1, "too many repeats"),
        ("(" * 60 + ")" * 60, 50, "too deep"),
    ],
)
def test_what_is_not_understood_says_where(pattern: str, position: int, reason: str) -> None:
    with pytest.raises(RegexError, match=reason) as caught:
        parse(pattern)
    assert caught.value.position == position


def test_the_largest_program_is_bounded() -> None:
    assert len(parse(f"a{{{MOST_STEPS - 10}}}").ops) <= MOST_STEPS + 3
    with pytest.raises(RegexError):
        parse(f"a{{{MOST_STEPS + 1}}}")
