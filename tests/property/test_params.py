"""Random parameter records and blocks: bytes to values and back, edits and their reversal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from math import isfinite
from struct import pack
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.params import (
    Matrix,
    ParamBlock2,
    Parameter,
    ParamRecord,
    RecordCodec,
    TabParameter,
)
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.records import CONSTANT, OWNER_REFERENCE, RECORDS
from maxsidecar.scene.params.tables import AliasCodec
from maxsidecar.scene.params.types import ASSET, TYPES, Kind, ParamType
from tests.support.params import BLOCK1, BLOCK2, BOX, FLOAT, block2, owner, scene_of

FLOATS = st.floats(width=32, allow_nan=False)
INTS = st.integers(-(2**31), 2**31 - 1)
TEXTS = st.text(st.characters(codec="cp1252", exclude_characters="\0"), max_size=8)
CODES = st.sampled_from(sorted(TYPES))
GENERATIONS = st.sampled_from(sorted(RECORDS))


def values(kind: ParamType) -> st.SearchStrategy[Any]:
    """Values that a constant element of a type may have."""
    if kind.kind is Kind.FLOAT:
        return FLOATS
    if kind.kind in (Kind.INTEGER, Kind.BOOLEAN, Kind.REFERENCE):
        return INTS
    if kind.kind is Kind.FLOATS:
        return st.tuples(*[FLOATS] * ((kind.layout.size if kind.layout else 0) // 4))
    if kind.kind is Kind.TEXT:
        return st.none() | st.just(ASSET) | TEXTS
    if kind.kind is Kind.BITMAP:
        return st.integers(0, 255)
    if kind.kind is Kind.MATRIX:
        return st.builds(Matrix, st.tuples(*[FLOATS] * 12), st.integers(0, 2**32 - 1))
    return st.none()


@st.composite
def records(draw: st.DrawFn, generation: int) -> ParamRecord:
    code, tab = draw(CODES), draw(st.booleans())
    kind = TYPES[code]
    flags = draw(st.integers(0, 2**32 - 1))
    if kind.kind is Kind.REFERENCE and not flags & OWNER_REFERENCE:
        stored: st.SearchStrategy[Any] = st.none()
    else:
        stored = values(kind)
    elements = []
    for _ in range(draw(st.integers(0, 4)) if tab else 1):
        flag = draw(st.sampled_from([0x00, 0x40, 0x80, 0xC0, 0x71]))
        elements.append((flag, draw(stored) if flag & CONSTANT else None))
    return ParamRecord(
        draw(st.integers(0, 0xFFFF)),
        code | (0x800 if tab else 0),
        flags,
        tuple(elements),
        draw(st.integers(0, 255)) if tab else None,
        draw(st.integers(0, 2**32 - 1)) if RECORDS[generation].asset_type else None,
    )


@given(st.data(), GENERATIONS)
def test_decode_gives_what_was_encoded(data: st.DataObject, generation: int) -> None:
    record = data.draw(records(generation))
    codec = RecordCodec(generation)
    assert codec.decode(codec.encode(record)) == record


@given(st.data(), GENERATIONS, st.binary(max_size=60))
def test_encode_gives_what_was_decoded(data: st.DataObject, generation: int, tail: bytes) -> None:
    codec = RecordCodec(generation, data.draw(st.sampled_from(["cp1252", "cp949", "utf-8"])))
    # Text that the code page lacks cannot be written, so it is written in one that has all.
    body = RecordCodec(generation).encode(data.draw(records(generation)))
    cut = data.draw(st.integers(0, len(body)))
    for raw in (body, body[:cut] + tail, tail):
        try:
            record = codec.decode(raw)
        except DecodeError:
            continue
        # A signalling NaN is the one thing that does not come back, and then it is said so.
        try:
            assert codec.verified(raw) == record or b"\x7f" in raw or b"\xff" in raw
        except DecodeError:
            assert b"\x7f" in raw or b"\xff" in raw


@given(st.binary(max_size=60), st.booleans())
def test_aliases_of_any_bytes(raw: bytes, wide: bool) -> None:
    for body in (raw, pack("<I", 1) + raw, pack("<II", 1, max(0, len(raw) - 6)) + raw):
        codec = AliasCodec(wide)
        try:
            found = codec.decode(body)
        except DecodeError:
            continue
        assert codec.encode(found) == body


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, Matrix):
        yield from value.rows
    elif isinstance(value, tuple):
        yield from value
    elif isinstance(value, float):
        yield value


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=4, unique=True), st.data())
def test_edits_and_their_reversal(ids: list[int], data: st.DataObject) -> None:
    generation = data.draw(GENERATIONS)
    codec = RecordCodec(generation)
    stored = []
    for param_id in ids:
        record = data.draw(records(generation))
        stored.append(
            ParamRecord(
                param_id, record.type, record.flags, record.elements, record.tab_flag,
                record.asset_type,
            )
        )  # fmt: skip
    chunks = []
    for record in stored:
        body = codec.encode(record)
        chunks.append(pack("<HI", generation, len(body) + 6) + body)
    scene = scene_of((BOX, owner(1)), (BLOCK2, block2(*chunks, class_index=BOX)), (FLOAT, b""))
    block = scene[1]
    assert isinstance(block, ParamBlock2)
    before = bytes(block.data.data)
    number = data.draw(st.integers(0, len(ids) - 1))
    parameter = block[ids[number]]
    kind = parameter.record.kind
    old = [element[1] for element in parameter.record.elements]
    new_items = data.draw(
        st.lists(values(kind), min_size=0, max_size=4)
        if isinstance(parameter, TabParameter)
        else st.lists(values(kind), min_size=1, max_size=1)
    )
    try:
        parameter.set(new_items if isinstance(parameter, TabParameter) else new_items[0])
    except EditError:
        assert bytes(block.data.data) == before
        return
    # Every other record is where it was, byte for byte.
    after = [bytes(chunk.raw) for chunk in block.chunks() if chunk.id == generation]
    assert after[:number] == chunks[:number]
    assert after[number + 1 :] == chunks[number + 1 :]
    again = codec.decode(after[number][6:])
    assert (again.id, again.type, again.flags) == (
        ids[number],
        kind.code | (parameter.record.type & 0x800),
        parameter.record.flags,
    )
    if kind.kind is Kind.BOOLEAN and not set(old) <= {0, 1}:
        return  # such a number cannot be given, only kept
    if not all(isfinite(n) for value in old for n in numbers_in(value)):
        return  # likewise
    parameter.set(old if isinstance(parameter, TabParameter) else old[0])
    if len(old) <= len(new_items) or not isinstance(parameter, TabParameter):
        assert bytes(block.data.data) == before
        assert bytes(scene.encode()) == scene.data


CHUNK_IDS = st.sampled_from(
    [1, 2, 3, 4, 5, 7, 9, 0xA, 0xB, 0xC, 0xE, 0xF, 0x11, 0x12, 0x13, 0x1005, 0x100E, 0x200E,
     0x2034, 0x2035, 0x21B0, 0x100, 0x204]
)  # fmt: skip


@st.composite
def any_chunks(draw: st.DrawFn) -> bytes:
    out = b""
    for _ in range(draw(st.integers(0, 5))):
        chunk_id = draw(CHUNK_IDS)
        if chunk_id in RECORDS and draw(st.booleans()):
            body = RecordCodec(chunk_id).encode(draw(records(chunk_id)))
        else:
            body = draw(st.binary(max_size=24))
        container = draw(st.booleans())
        if container and draw(st.booleans()):
            body = pack("<HI", draw(CHUNK_IDS), len(body) + 6) + body
        out += pack("<HI", chunk_id, (len(body) + 6) | (container << 31)) + body
    return out


PROPERTIES = (
    "value", "name", "type", "controlled", "controller", "target", "asset", "bitmap", "flags",
    "where", "controllers", "targets", "value_names",
)  # fmt: skip


@given(any_chunks(), st.sampled_from([BLOCK1, BLOCK2]))
def test_blocks_of_any_chunks_raise_nothing_else(body: bytes, class_index: int) -> None:
    scene = scene_of((BOX, owner(1, 1)), (class_index, body), (FLOAT, body))
    block = scene[1]
    assert isinstance(block, ParamBlockBase)

    def attempt(name: str) -> Any:
        try:
            return getattr(block, name)
        except MaxSidecarError:
            return None

    check_leaves(block.typed_leaves(), lambda error: None)
    for name in ("owner", "owner_class", "block_id", "names", "aliases", "map_slots", "header"):
        if hasattr(type(block), name):
            attempt(name)
    with contextlib.suppress(MaxSidecarError):
        list(block.problems())
    attempt("parameters")
    parameters: list[Parameter] = []
    with contextlib.suppress(MaxSidecarError):
        parameters = list(block)
    for parameter in parameters:
        for name in PROPERTIES:
            with contextlib.suppress(MaxSidecarError):
                getattr(parameter, name, None)
        for value in (1, 1.5, "x", (1, 2, 3), None, True):
            with contextlib.suppress(MaxSidecarError):
                parameter.set(value)
    try:
        found = scene[0].parameters
        assert len(found) == len(list(found.values()))
        _ = scene[2].custom_attributes
    except MaxSidecarError:
        pass
