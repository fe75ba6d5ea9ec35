"""The bounded matcher against Python's own, and what rules promise for any path."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from maxsidecar.errors import RulesError
from maxsidecar.migrate.rules.load import parse_rules
from maxsidecar.migrate.rules.patterns import Glob, Prefix
from maxsidecar.migrate.rules.regex import Regex
from maxsidecar.migrate.rules.regex_parse import RegexError
from maxsidecar.migrate.rules.windows import fold, same_path

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", "1", r"\.", r"\\", "^", "$"])
TEXTS = st.text("abAB1.\\_ ", max_size=12)


def _patterns(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    groups = st.one_of(inner.map("({})".format), inner.map("(?:{})".format))
    repeats = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{1,}", "*?", "+?", "??"])
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(groups, repeats).map("".join),
        st.tuples(ATOMS.filter(lambda atom: atom not in "^$"), repeats).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format),
        groups,
    )


PATTERNS = st.recursive(ATOMS, _patterns, max_leaves=6)


@given(PATTERNS, TEXTS)
def test_matches_are_those_of_python(pattern: str, text: str) -> None:
    ours = Regex(pattern)
    # Python stops a loop at an empty pass, which changes what it prefers: leave those out.
    assume(not _repeats_nothing(pattern))
    theirs = re.compile(pattern, re.IGNORECASE | re.ASCII).search(text)
    found = ours.search(text)
    if theirs is None:
        assert found is None
        return
    assert found is not None
    assert found.span == theirs.span()
    for number in range(1, theirs.re.groups + 1):
        assert found.group(number) == (theirs[number] or "")


def _repeats_nothing(pattern: str) -> bool:
    """Whether a repeated group may match without taking a character."""
    depth: list[int] = []
    for place, char in enumerate(pattern):
        if char == "(":
            depth.append(place)
        elif char == ")":
            start = depth.pop()
            after = pattern[place + 1 : place + 2]
            inner = pattern[start : place + 1]
            if after and after in "*+?{" and re.compile(inner).fullmatch("") is not None:
                return True
            if after and after in "*+?{" and ("^" in inner or "$" in inner):
                return True
    return False


@given(st.text("a(b|)*+?{}2,[]^\\.P<>:", max_size=15), TEXTS)
def test_any_text_is_a_pattern_or_refused(pattern: str, text: str) -> None:
    at = 0
    try:
        Regex(pattern).search(text)
    except RegexError as error:
        at = error.position
    assert 0 <= at <= len(pattern)


PATHS = st.text("aBc./\\:-é ", max_size=20)


@given(PATHS, PATHS)
def test_a_prefix_is_whole_folders(prefix: str, rest: str) -> None:
    stripped = prefix.rstrip("\\/")
    match = Prefix(prefix).match(prefix + rest)
    if not rest or prefix != stripped or rest[0] in "\\/":
        assert match is not None
        assert (match.start, match.end) == (0, len(stripped))
    else:
        assert match is None


@given(st.text("aB.-é (+$^{|", min_size=1, max_size=12), PATHS)
def test_a_glob_without_wildcards_is_the_name_itself(name: str, folder: str) -> None:
    assert Glob(name).match(f"{folder}\\{name.upper()}") is not None
    assert Glob(name).match(f"{folder}\\x{name}") is None


@given(PATHS)
def test_folding_keeps_the_length_and_is_stable(path: str) -> None:
    assert len(fold(path)) == len(path)
    assert fold(fold(path)) == fold(path)
    assert same_path(path, path.swapcase().replace("/", "\\"))


@given(PATHS, PATHS.filter(lambda p: p.strip("\\/")), PATHS)
def test_a_prefix_rule_is_stable(path: str, prefix: str, new: str) -> None:
    text = f"[[rule]]\nprefix = '{prefix}'\nreplace = '{new}'\n"
    rules = parse_rules(text, Path("r.toml"))
    decision = rules.apply(path)
    if not decision.problem:
        assert rules.apply(decision.path).path == decision.path


@given(st.text(max_size=80))
def test_any_text_is_rules_or_refused(text: str) -> None:
    message = "r.toml"
    try:
        parse_rules(text, Path("r.toml"))
    except RulesError as error:
        message = str(error)
    assert message.startswith("r.toml")
