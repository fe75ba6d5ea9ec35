"""Chunks, codecs, AppData and saving on every real scene."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from maxsidecar.errors import EditError, MaxSidecarError, NotMaxFileError
from maxsidecar.io.chunks import NARROW, WIDE, ChunkData
from maxsidecar.io.headers import LARGE
from maxsidecar.io.index import MAX_DEPTH, ChunkIndex
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.stream_views import CHUNK_STREAMS

KEY = AppDataKey(0x01234567, 0x89ABCDEF, 0x1020, 7)


def opened(path: Path) -> MaxFile:
    try:
        return MaxFile(path.read_bytes(), path)
    except NotMaxFileError as error:
        pytest.skip(f"not a scene: {error}")


def test_every_chunk_stream_is_rebuilt_from_its_index(max_file: Path) -> None:
    seen = 0
    for name, stream in opened(max_file).streams.items():
        if name not in CHUNK_STREAMS:
            continue
        seen += 1
        strict = ChunkIndex(stream.data, where=stream.where)
        assert strict.rebuild() == stream.data
        assert max(strict.depths, default=0) < MAX_DEPTH // 50  # the limit is far from real files
        lenient = ChunkIndex(stream.data, strict=False)
        assert lenient.problems == []
        assert list(lenient.walk()) == list(strict.walk())
    assert seen >= 4  # Scene, classes, DLLs, and at least one of the small ones


def test_header_forms_are_those_of_the_release(max_file: Path) -> None:
    scene = opened(max_file).streams["Scene"]
    index = ChunkIndex(scene.data)
    all_wide = index.ids[0] in (0x200E, 0x200F, 0x2011)  # 9, 2008 and 2009
    forms = Counter(
        flags >> 1
        for depth, _, start, _, end, flags in index.walk()
        if depth and end - start < LARGE
    )
    assert set(forms) == {WIDE if all_wide else NARROW}


def test_every_typed_leaf_is_written_the_same(max_file: Path) -> None:
    file = opened(max_file)
    problems: list[MaxSidecarError] = []
    count = size = 0
    for stream in file.streams.values():
        if stream.name != "Scene" and stream.view is not None:
            found = check_leaves(stream.view.typed_leaves(), problems.append)
            count, size = count + found[0], size + found[1]
    for obj in file.scene:
        found = check_leaves(obj.typed_leaves(), problems.append)
        count, size = count + found[0], size + found[1]
    assert [str(problem) for problem in problems] == []
    assert count > 100
    assert size > 1000


def test_objects_and_their_appdata_are_found_the_slow_way_too(max_file: Path) -> None:
    scene = opened(max_file).scene
    slow = [obj.index for obj in scene if any(chunk.id == APPDATA for chunk in obj.chunks())]
    assert [obj.index for obj in scene.objects_with_appdata()] == slow
    for index in slow:
        assert scene[index].appdata.problems() == []
    stored = {i: [bytes(c.raw) for c in scene[i].chunks()] for i in slow}
    assert all(raws[0][:2] == APPDATA.to_bytes(2, "little") for raws in stored.values())
    assert scene.problems == []


def test_leaf_objects_keep_their_payload_and_derived_objects_have_a_class(max_file: Path) -> None:
    scene = opened(max_file).scene
    for index in range(len(scene)):
        chunk_id, _, body, end, container, _ = scene.span(index)
        info = scene[index].info
        assert info is not None
        if chunk_id in (0x2032, 0x2033):
            assert info.superclass == 0x1F0
            assert scene[index].is_derived
        if not container:
            with pytest.raises(EditError, match="holds no chunks"):
                scene[index].appdata.set(KEY, b"x")
            assert body <= end
    assert scene.encode() is scene.data


def test_appdata_edits_change_only_their_spans_and_reverse(max_file: Path) -> None:
    scene = opened(max_file).scene
    original = bytes(scene.data)
    with_entries = [obj.index for obj in scene.objects_with_appdata()][:3]
    free = [
        index
        for index in range(len(scene))
        if scene.is_container(index) and index not in with_entries
    ]
    chosen = sorted({*with_entries, free[0], free[len(free) // 2], free[-1]})
    form = WIDE if scene.version in (0x200E, 0x200F, 0x2011) else NARROW
    for index in chosen:
        scene[index].appdata.set(KEY, b"a new value")
        container = scene[index].find(APPDATA)
        assert container is not None
        # As in all real scenes: in front, and in the header form of the release.
        assert container.position == 0
        assert {container.form, *(part.form for part in container.chunks())} == {form}
    new = bytes(scene.encode())
    again = Scene(new, scene.classes, [], lenient=False)
    assert ChunkIndex(new).rebuild() == new
    assert len(again) == len(scene)
    for index in range(len(scene)):
        old_span, new_span = scene.span(index), again.span(index)
        if index in chosen:
            assert again[index].appdata.get(KEY) == b"a new value"
            rest = [bytes(c.raw) for c in again[index].chunks() if c.id != APPDATA]
            before = ChunkData(original[old_span[2] : old_span[3]])
            assert rest == [bytes(c.raw) for c in before.chunks() if c.id != APPDATA]
        else:
            assert new[new_span[1] : new_span[3]] == original[old_span[1] : old_span[3]]
    for index in chosen:
        scene[index].appdata.remove(KEY)
        assert not scene[index].edited
    assert scene.encode() == original
