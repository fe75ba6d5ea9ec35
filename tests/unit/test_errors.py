"""Texts of messages: one line, and short whatever the value is."""

from __future__ import annotations

import pytest

from maxsidecar.errors import MaxSidecarError, SidecarError, cut, cut_both, shorten, shorten_both


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x" * 10**6, "'" + "x" * 56 + "..."),
        ("a\nb", r"'a\nb'"),
        (b"\0" * 10**6, "b'" + r"\x00" * 13 + r"\x0..."),
        (1.5, "1.5"),
        (True, "True"),
        (None, "None"),
        ([300, 0, 0], "[300, 0, 0]"),
        ({"a": True}, "{'a': True}"),
        (2**64, "18446744073709551616"),
        (1 << 33215, "an integer of 33216 bits"),
        ([1 << 33215], "[an integer of 33216 bits]"),
    ],
    ids=range(11),
)
def test_values_in_messages_are_short(value: object, text: str) -> None:
    assert shorten(value) == text


def test_values_that_are_as_large_as_a_file() -> None:
    for value in (list(range(10**6)), nested(10**5), {str(n): n for n in range(10**5)}):
        assert len(shorten(value)) <= 60


def test_a_cut_text_is_as_long_as_the_limit() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abc..."


def test_texts_that_differ_behind_the_limit_do_not_look_the_same() -> None:
    a, b = "x" * 100 + "cat" + "y" * 100, "x" * 100 + "dog" + "y" * 100
    assert cut_both(a, b, 30) == (
        "..." + "x" * 10 + "cat" + "y" * 11 + "...",
        "..." + "x" * 10 + "dog" + "y" * 11 + "...",
    )
    assert cut_both("abc", "abd", 30) == ("abc", "abd")
    assert cut_both(a, a, 30) == (a[:27] + "...",) * 2
    assert all(len(text) <= 30 for text in cut_both(a, a + "z", 30))


def test_values_that_differ_late_do_not_look_the_same() -> None:
    old, new = [0.5] * 40, [*[0.5] * 33, 0.25, *[0.5] * 6]
    assert shorten_both(old, new) == ("at 33: 0.5", "at 33: 0.25")
    assert shorten_both([1] * 40, [1] * 41) == ("40 values", "41 values")
    assert shorten_both(1, 2) == ("1", "2")
    left, right = shorten_both("a" * 500, "a" * 499 + "b")
    assert left.endswith("aa'")
    assert right.endswith("ab'")
    assert max(len(left), len(right)) <= 60


@pytest.mark.parametrize("kind", [MaxSidecarError, SidecarError])
def test_only_what_is_known_is_told(kind: type[MaxSidecarError]) -> None:
    assert str(kind("no", expected=1, found=0)).endswith("no (expected 1, found 0)")
    assert str(kind("no", expected=1)).endswith("no (expected 1)")
    assert str(kind("no", found=0)).endswith("no (found 0)")
    assert str(kind("no")).endswith("no")
