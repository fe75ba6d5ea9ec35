"""Compound files as a dictionary: any build reads back, any run of edits equals the model."""

from __future__ import annotations

import io
from typing import Literal

import olefile
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build, rebuild
from maxsidecar.io.compound_layout import escape_name, name_key
from maxsidecar.io.compound_patch import patch

VERSIONS: st.SearchStrategy[Literal[3, 4]] = st.sampled_from((3, 4))
NAMES = st.text(st.characters(codec="utf-16", exclude_characters="\0"), min_size=1, max_size=15)
U64 = st.integers(0, (1 << 64) - 1)
SIZES = st.one_of(
    st.integers(0, 200),
    st.sampled_from((511, 512, 4032, 4095, 4096, 4097, 8192, 70_000)),
    st.integers(0, 40_000),
)


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Bytes of any size that are cheap to draw and differ from one another."""
    size, unit = draw(SIZES), draw(st.binary(min_size=1, max_size=37))
    return (unit * (size // len(unit) + 1))[:size]


@st.composite
def trees(draw: st.DrawFn) -> list[NewEntry]:
    """Entries of a small tree of storages and streams, in any order of siblings."""
    out: list[NewEntry] = []
    folders = [""]
    taken: set[tuple[str, tuple[int, bytes]]] = set()
    for name in draw(st.lists(NAMES, max_size=20)):
        parent = draw(st.sampled_from(folders))
        key = (parent, name_key(name))
        path = parent + escape_name(name)
        if key in taken:
            continue
        taken.add(key)
        folder = draw(st.booleans()) and len(folders) < 4
        out.append(
            NewEntry(
                path, None if folder else draw(bodies()), draw(st.binary(min_size=16, max_size=16)),
                draw(st.integers(0, (1 << 32) - 1)), draw(U64), draw(U64),
            )
        )  # fmt: skip
        if folder:
            folders.append(path + "/")
    return out


def entries_of(compound: CompoundFile) -> list[NewEntry]:
    return [
        NewEntry(
            e.path, bytes(compound.read(e.path)) if e.kind == "stream" else None, e.clsid,
            e.state, e.created, e.modified,
        )
        for e in compound.entries[1:]
        if e.kind != "unused"
    ]  # fmt: skip


@given(trees(), VERSIONS)
def test_what_is_built_reads_back(entries: list[NewEntry], version: Literal[3, 4]) -> None:
    data = build(entries, version=version)
    compound = CompoundFile.open(data, lenient=False)
    assert entries_of(compound) == entries
    assert rebuild(compound, {}) == data


@given(
    VERSIONS,
    st.dictionaries(st.sampled_from("ABCDEF"), bodies(), min_size=1),
    st.lists(st.dictionaries(st.sampled_from("ABCDEF"), bodies(), max_size=3), max_size=8),
)
def test_edits_equal_the_model(
    version: Literal[3, 4], streams: dict[str, bytes], edits: list[dict[str, bytes]]
) -> None:
    model = dict(streams)
    data = build([NewEntry(p, b) for p, b in streams.items()], version=version)
    for edit in edits:
        changes = {path: body for path, body in edit.items() if path in model}
        old = CompoundFile.open(data)
        new = b"".join(patch(old, changes))
        if all(model[path] == body for path, body in changes.items()):
            assert new == data
        data = new
        model |= changes
        compound = CompoundFile.open(data, lenient=False)
        assert {path: bytes(compound.read(path)) for path in compound.streams} == model
    with olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_INCORRECT) as ole:
        assert {path: ole.openstream(path).read() for path in model} == model
