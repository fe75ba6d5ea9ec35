from __future__ import annotations

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.property_edit import TextPlace, replace_texts
from maxsidecar.scene.property_set import read_property_set
from maxsidecar.scene.summary import DocumentSummary
from tests.support.paths import properties

NAMES = ["oak.tga", "a", "дом.png"]
LATIN = ["oak.tga", "a", "café.png"]


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(
    ("encoding", "old", "new"),
    [
        ("cp1252", LATIN, ["a much longer name.png", "b", "né"]),
        ("utf-8", NAMES, ["д", "longer", "x.png"]),
        ("utf-16-le", NAMES, ["д", "longer", "x.png"]),
    ],
)
def test_new_texts_are_what_would_have_been_written(
    encoding: str, padded: bool, old: list[str], new: list[str]
) -> None:
    user = {"license": "student", "file": "C:\\x.png"}
    render = ["Render Output=C:\\a.avi"]
    data = properties(old, render, encoding=encoding, padded=padded, user=user)
    summary = DocumentSummary(read_property_set(data))
    numbers = summary.dependency_numbers
    assert [text for _, parts in summary.parts for text in parts][numbers[0]] == old[0]
    changes = {TextPlace(0, 13, item): text for item, text in zip(numbers, new, strict=True)}
    changes[TextPlace(1, 3)] = "D:\\longer\\y.png"
    changes[TextPlace(0, 13, summary.render_data_numbers[1])] = "Render Output=b"
    user["file"] = "D:\\longer\\y.png"
    expected = properties(new, ["Render Output=b"], encoding=encoding, padded=padded, user=user)
    assert replace_texts(data, changes) == expected
    back = dict(zip((TextPlace(0, 13, item) for item in numbers), old, strict=True))
    back |= {TextPlace(1, 3): "C:\\x.png"}
    back |= {TextPlace(0, 13, summary.render_data_numbers[1]): render[0]}
    assert replace_texts(expected, back) == data


def test_nothing_changes_without_a_change() -> None:
    data = properties(LATIN)
    assert replace_texts(data, {}) == data
    numbers = DocumentSummary(read_property_set(data)).dependency_numbers
    assert replace_texts(data, {TextPlace(0, 13, numbers[1]): "a"}) == data


@pytest.mark.parametrize(
    ("place", "text", "reason"),
    [
        (TextPlace(0, 13, 3), "дом", "cannot be written in cp1252"),
        (TextPlace(0, 13, 99), "a", "not so many"),
        (TextPlace(0, 13), "a", "no such text"),
        (TextPlace(0, 12, 0), "a", "no such text"),
        (TextPlace(0, 99), "a", "cannot be read"),
        (TextPlace(7, 13, 0), "a", "no such section"),
    ],
)
def test_refused(place: TextPlace, text: str, reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        replace_texts(properties(LATIN), {place: text})


def test_a_property_that_is_not_understood_is_read_only() -> None:
    data = bytearray(properties(["ab.tga"], encoding="utf-16-le"))
    # Half a character behind the text: it would not be written.
    at = data.index("ab.tga".encode("utf-16-le"))
    data[at - 4] = 15
    data[at + 14] = 0x41
    with pytest.raises(EditError, match="read-only"):
        replace_texts(bytes(data), {TextPlace(0, 13, 3): "a"})
