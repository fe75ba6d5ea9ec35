from __future__ import annotations

from contextlib import suppress
from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.scene.asset_metadata import AssetRecord, AssetTableCodec
from maxsidecar.scene.property_set import read_property_set
from maxsidecar.scene.property_values import verified_size
from maxsidecar.scene.summary import DocumentSummary, Summary
from maxsidecar.scene.thumbnail import read_thumbnail

TEXT = st.text(st.characters(codec="utf-16"))


def records(texts: int) -> st.SearchStrategy[tuple[AssetRecord, ...]]:
    parts = [st.uuids(), *[TEXT] * texts]
    return st.lists(st.builds(AssetRecord, *parts), max_size=5).map(tuple)


@given(st.tuples(st.just(2), records(2)) | st.tuples(st.just(3), records(3)))
def test_every_asset_table_reads_back(case: tuple[int, tuple[AssetRecord, ...]]) -> None:
    texts, table = case
    codec = AssetTableCodec(texts)
    assert codec.verified(codec.encode(table)) == table


@given(st.sampled_from([2, 3]), st.binary(max_size=120))
def test_any_bytes_are_an_asset_table_or_our_error(texts: int, data: bytes) -> None:
    codec = AssetTableCodec(texts)
    with suppress(DecodeError):
        assert codec.encode(codec.decode(data)) == data


NUMBERS = st.integers(0, 2**32 - 1) | st.integers(0, 200)
TYPES = st.sampled_from([2, 3, 4, 0x0B, 0x1E, 0x1F, 0x40, 0x47, 0x48, 0x100C, 0x101E, 0x1003])
IDS = st.sampled_from([0, 1, 2, 12, 13, 17, 35])


@st.composite
def property_sets(draw: st.DrawFn) -> bytes:
    """Bytes that look like a property set more often than plain noise does."""
    body = b"".join(
        draw(
            st.lists(
                st.builds(lambda t, n, b: pack("<II", t, n) + b, TYPES, NUMBERS, st.binary()),
                max_size=6,
            )
        )
    )
    offsets = st.integers(0, len(body) + 60).map(lambda n: n & ~3)
    table = draw(st.lists(st.tuples(IDS, offsets), max_size=8))
    section = pack("<II", draw(NUMBERS), len(table)) + b"".join(pack("<II", *t) for t in table)
    head = pack("<HHI16sI", 0xFFFE, 0, 0, bytes(16), 2)
    start = len(head) + 40
    both = (bytes(16) + pack("<I", start)) + bytes(16) + pack("<I", draw(NUMBERS))
    one = (bytes(16) + pack("<I", start)) * 2
    return head + draw(st.sampled_from([one, both])) + section + body


@given(st.binary(max_size=200) | property_sets())
def test_any_bytes_are_a_property_set_or_our_error(data: bytes) -> None:
    with suppress(DecodeError):
        properties = read_property_set(data)
        for section in properties.sections:
            for found in section.properties.values():
                if found.problem is None:
                    with suppress(DecodeError):
                        assert verified_size(found.raw, found.type, found.value) < len(found.raw)
        summary = Summary(properties)
        document = DocumentSummary(properties)
        for view in (summary, document):
            for name in dir(type(view)):
                if isinstance(vars(type(view)).get(name), property):
                    with suppress(DecodeError):
                        getattr(view, name)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_thumbnail_or_our_error(data: bytes) -> None:
    with suppress(DecodeError):
        read_thumbnail(data)
