"""Every kind of place takes any path that its encoding has, and gives the old bytes back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar import plugins
from maxsidecar.errors import EditError
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.leaves import read_text
from maxsidecar.migrate.paths.lines import paths_in_lines, replace_spans
from maxsidecar.migrate.paths.looks import is_absolute, kind_of, reads_as_path
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.property_edit import TextPlace, replace_texts
from maxsidecar.scene.property_set import read_property_set
from maxsidecar.scene.summary import DocumentSummary
from tests.support import paths as made

plugins.load()

LETTERS = st.characters(
    exclude_categories=("Cs", "Cc"), exclude_characters='*?"|\ufeff'
)  # no controls, no half surrogates
#: What every place can hold as a path.
ANY = st.text(LETTERS, min_size=1, max_size=150).map("Q:\\{}\\x.png".format)
LATIN_LETTERS = st.characters(
    codec="cp1252", exclude_categories=("Cs", "Cc"), exclude_characters='*?"|'
)
LATIN = st.text(LATIN_LETTERS)
LATIN_PATHS = LATIN.map("Q:\\{}\\x.png".format)

BASE = made.example().to_bytes()


def streams(scene_file: MaxFile) -> dict[str, bytes]:
    return {name: bytes(stream.data) for name, stream in scene_file.streams.items()}


@given(st.data())
@settings(max_examples=60)
def test_paths_are_written_and_taken_back(data: st.DataObject) -> None:
    with MaxFile(BASE) as scene_file:
        before = streams(scene_file)
        found = find_paths(scene_file)
        old = [place.path for place in found]
        new: list[str] = []
        for holder, places in found.found:
            # Lines end where spaces and quotes do.
            paths = [data.draw(st.one_of(LATIN_PATHS, ANY)) for _ in places]
            try:
                holder.write({p.number: path for p, path in zip(places, paths, strict=True)})
            except EditError as error:
                assert "cp1252" in error.message  # noqa: PT017 - the places after it go on
                paths = [place.path for place in places]
            new += paths
        saved = scene_file.to_bytes()
    with MaxFile(saved) as again:
        found = find_paths(again)
        assert [place.path for place in found] == new
        at = 0
        for holder, places in found.found:
            holder.write({place.number: old[at + n] for n, place in enumerate(places)})
            at += len(places)
        with MaxFile(again.to_bytes()) as back:
            assert streams(back) == before


@given(st.binary(max_size=40), st.sampled_from(["cp1252", "cp949", "utf-8"]))
def test_a_text_is_only_read_when_it_would_be_written_the_same(raw: bytes, page: str) -> None:
    for wide in (None, True, False):
        stored = read_text(raw, page, wide=wide)
        if stored is not None:
            assert stored.encode(stored.text) == raw
            assert wide is not None or reads_as_path(stored.text)


@given(st.text('aB.\\/:"= \t\r\nC', max_size=60), ANY)
def test_lines(text: str, path: str) -> None:
    found = dict(enumerate(paths_in_lines(text)))
    assert [text[f.start : f.end] for f in found.values()] == [f.path for f in found.values()]
    assert replace_spans(text, found, {n: f.path for n, f in found.items()}) == text
    new = replace_spans(text, found, dict.fromkeys(found, path))
    assert new.count(path) >= len(found)


@given(st.text(max_size=60))
def test_looks(text: str) -> None:
    if is_absolute(text):
        assert len(text) < 3 or reads_as_path(text)
    assert kind_of(text, "none")


@given(
    st.lists(LATIN, min_size=1, max_size=6),
    st.data(),
    st.sampled_from(["cp1252", "utf-8", "utf-16-le"]),
    st.booleans(),
)
def test_property_texts(names: list[str], data: st.DataObject, encoding: str, padded: bool) -> None:
    old = properties_of(names, encoding, padded)
    numbers = DocumentSummary(read_property_set(old)).dependency_numbers
    new = [data.draw(LATIN) for _ in names]
    changes = {TextPlace(0, 13, n): text for n, text in zip(numbers, new, strict=True)}
    written = replace_texts(old, changes)
    assert written == properties_of(new, encoding, padded)


def properties_of(names: list[str], encoding: str, padded: bool) -> bytes:
    # The heading's parts tell whether lengths take in the padding.
    return made.properties(names, encoding=encoding, padded=padded)
