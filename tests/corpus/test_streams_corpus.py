"""Every stream other than Scene of every real scene; expected counts: docs/format/streams.md."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.chunks import encode_header
from maxsidecar.scene.asset_metadata import ASSET_STREAMS
from maxsidecar.scene.custom_attributes import AttributeDefinition
from maxsidecar.scene.maxfile import MaxFile, Stream, open_file
from maxsidecar.scene.property_set import PROPERTY_STREAMS, SUMMARY, read_property_set
from maxsidecar.scene.script_values import decode_value, encode_value
from maxsidecar.scene.stream_check import check_stream
from maxsidecar.scene.stream_views import CHUNK_STREAMS

# Counts are those of the whole corpus; a smaller one checks everything else.
WHOLE = 141


@dataclass
class Survey:
    """What one pass over the corpus found."""

    files: int = 0
    problems: list[str] = field(default_factory=list)
    streams: Counter[str] = field(default_factory=Counter)
    leaves: Counter[str] = field(default_factory=Counter)
    sizes: Counter[str] = field(default_factory=Counter)
    stored: Counter[str] = field(default_factory=Counter)
    frame_rates: Counter[int] = field(default_factory=Counter)
    facts: Counter[str] = field(default_factory=Counter)
    thumbnail_widths: Counter[int] = field(default_factory=Counter)
    code_pages: Counter[str] = field(default_factory=Counter)


@pytest.fixture(scope="session")
def survey(corpus_files: tuple[Path, ...]) -> Survey:
    found = Survey()
    for path in dict.fromkeys(corpus_files):  # a manifest may name a scene twice
        scene = open_file(path)
        found.files += 1
        for stream in scene.streams.values():
            if stream.name != "Scene":
                _look_at_stream(found, stream)
        for look in (_look_at_config, _look_at_definitions, _look_at_summaries, _look_at_program):
            look(found, scene)
    return found


def _look_at_stream(found: Survey, stream: Stream) -> None:
    def report(error: MaxSidecarError) -> None:
        found.problems.append(str(error))

    leaves, size = check_stream(stream, report)
    found.streams[stream.name] += 1
    found.leaves[stream.name] += leaves
    found.sizes[stream.name] += size
    found.stored[stream.name] += len(stream.data)
    if stream.edited:
        found.problems.append(f"{stream.where}: checking edited the stream")


def _look_at_config(found: Survey, scene: MaxFile) -> None:
    config = scene.config
    assert config is not None
    time = config.time
    assert time is not None
    rate, start, current, end = time.frame_rate, time.start, time.current, time.end
    assert rate is not None
    assert start is not None
    assert current is not None
    assert end is not None
    found.frame_rates[rate] += 1
    found.facts["whole ticks"] += 4800 % rate == 0
    found.facts["time in range"] += start <= current <= end
    windows = config.track_views
    found.facts["track view count"] += windows is None or windows.count == len(windows.windows)
    if config.scene_explorers is not None:
        found.facts["explorer windows"] += len(config.scene_explorers.windows())
    found.facts["utilities"] += len(config.utilities())
    if config.scripts is not None:
        found.facts["variables"] += len(config.scripts.variables)
    for scripted in config.scripted_classes():
        found.facts["scripted classes"] += 1
        for block in scripted.blocks():
            found.facts["scripted blocks"] += 1
            found.facts["scripted parameters"] += len(block.parameters)
    viewports = config.viewports
    found.facts["layouts"] += len(viewports.layouts) if viewports is not None else 0
    for layout in viewports.layouts if viewports is not None else ():
        cameras = [pane.camera for pane in layout.panes if pane.type == 8]
        found.facts["camera panes"] += len(cameras)
        infos = [scene.scene[index].info for index in cameras]
        found.facts["camera nodes"] += sum(i is not None and i.superclass == 1 for i in infos)


def _look_at_definitions(found: Survey, scene: MaxFile) -> None:
    view = scene.custom_attribute_definitions
    for definition in view.definitions if view is not None else ():
        found.facts["attribute definitions"] += 1
        found.facts["attribute definitions identical"] += _same_value(definition)


def _same_value(definition: AttributeDefinition) -> bool:
    value = list(definition.chunks())[1]
    raw = bytes(value.raw)
    assert raw[:6] == encode_header(value.id, len(value.data), value.container)
    return encode_value(decode_value(raw)) == raw


def _look_at_summaries(found: Survey, scene: MaxFile) -> None:
    summary, document = scene.summary, scene.document_summary
    found.facts["summaries"] += summary is not None
    found.facts["document summaries"] += document is not None
    if summary is not None:
        if summary.created is not None and summary.saved is not None:
            found.facts["created"] += 1
            found.facts["created before saved"] += summary.created <= summary.saved
        if summary.document_id is not None:
            found.facts["version 4 ids"] += summary.document_id.version == 4
    thumbnail = scene.thumbnail
    if thumbnail is not None:
        found.thumbnail_widths[thumbnail.width] += 1
        found.facts["thumbnail sizes"] += (
            len(thumbnail.rgb) == 3 * thumbnail.width * thumbnail.height
        )
    if document is not None:
        found.facts["scene totals"] += len(document.scene_totals) == 7
        totals = list(document.scene_totals.values())
        found.facts["sums"] += bool(totals) and sum(totals[:-1]) == totals[-1]
        found.facts["lists of plug-ins"] += bool(document.plugins)


def _look_at_program(found: Survey, scene: MaxFile) -> None:
    directory, saved, document = scene.dll_directory, scene.save_config, scene.document_summary
    program = directory.program if directory is not None else None
    found.code_pages[scene.code_page] += 1
    if program is not None:
        found.facts["programs"] += 1
        found.facts["program in text"] += document is not None and (
            document.release == program.release
        )
        if saved is not None:
            found.facts["program in SaveConfigData"] += saved.program == program
            found.facts["saved as another release"] += saved.saved_as != program.release


def test_every_stream_has_a_typed_form(survey: Survey) -> None:
    known = CHUNK_STREAMS | PROPERTY_STREAMS | set(ASSET_STREAMS)
    assert set(survey.streams) <= known


def test_everything_typed_would_be_written_the_same(survey: Survey) -> None:
    assert survey.problems == []


def test_asset_tables_are_understood_to_the_last_byte(survey: Survey) -> None:
    for name in ASSET_STREAMS:
        assert survey.sizes[name] == survey.stored[name]


def test_what_holds_in_every_scene(survey: Survey) -> None:
    facts = survey.facts
    for name in ("whole ticks", "time in range", "track view count"):
        assert facts[name] == survey.files, name
    assert facts["camera nodes"] == facts["camera panes"]
    assert facts["created before saved"] == facts["created"]
    assert facts["attribute definitions identical"] == facts["attribute definitions"]
    assert facts["program in text"] == facts["programs"]
    assert facts["program in SaveConfigData"] == survey.streams["SaveConfigData"]
    assert facts["thumbnail sizes"] == survey.thumbnail_widths.total()
    assert facts["sums"] == facts["scene totals"]


def test_counts_of_the_whole_corpus(survey: Survey) -> None:
    if survey.files != WHOLE:
        pytest.skip(f"{survey.files} scenes instead of {WHOLE}")
    assert survey.frame_rates == {30: 134, 25: 6, 24: 1}
    assert survey.thumbnail_widths.total() == 133
    expected = {
        "scripted classes": 307,
        "scripted blocks": 388,
        "scripted parameters": 2364,
        "attribute definitions": 1684,
        "camera panes": 19,
        "explorer windows": 23,
        "summaries": 140,
        "document summaries": 140,
        "created": 78,
        "programs": 136,
        "saved as another release": 1,
        "scene totals": 138,
        "lists of plug-ins": 138,
    }
    assert {name: survey.facts[name] for name in expected} == expected
    assert survey.leaves["DllDirectory"] == 136 + 2 * 2338
    assert survey.leaves["ClassDirectory"] + survey.leaves["ClassDirectory3"] == 2 * 8363
    assert survey.leaves["ClassData"] == 1043
    assert survey.leaves["SaveConfigData"] == 5 * 65
    assert survey.leaves["FileAssetMetaData2"] + survey.leaves["FileAssetMetaData3"] == 153
    assert survey.leaves["FileAssetMetaData3"] == 119
    assert survey.code_pages["utf-8"] == 60


def test_an_edited_asset_path_is_saved_and_nothing_else(corpus_files: tuple[Path, ...]) -> None:
    for path in corpus_files:
        scene = open_file(path)
        table = scene.asset_metadata
        if table is not None and table.assets:
            break
    else:
        pytest.skip("no scene with assets")
    first, *rest = table.assets
    changed = type(first)(first.guid, first.type, first.path + ".changed", first.resolved)
    assert not scene.edited
    table.assets = (changed, *rest)
    assert list(scene.changes()) == [table.stream.name]
    again = MaxFile(scene.to_bytes())
    assert again.asset_metadata is not None
    assert again.asset_metadata.assets == (changed, *rest)
    table.assets = (first, *rest)
    assert not scene.edited


class _Memory:
    """Stands in for the compound file of one damaged stream."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, path: str) -> memoryview:
        return memoryview(self.data)


def _flip(data: bytearray, rnd: random.Random) -> None:
    data[rnd.randrange(len(data))] = rnd.randrange(256)


def _extreme(data: bytearray, rnd: random.Random) -> None:
    at = rnd.randrange(len(data)) & ~1
    data[at : at + 4] = rnd.choice([b"\xff" * 4, b"\0" * 4, b"\xff\xff\xff\x7f", b"\0\0\0\x80"])


def _cut(data: bytearray, rnd: random.Random) -> None:
    at = rnd.randrange(len(data))
    del data[at : at + rnd.randrange(1, 9)]


def test_damaged_streams_give_only_our_errors(corpus_files: tuple[Path, ...]) -> None:
    rnd = random.Random(2180)
    damage: list[Callable[[bytearray, random.Random], None]] = [_flip, _extreme, _cut]
    reported: list[str] = []
    for path in rnd.sample(corpus_files, min(8, len(corpus_files))):
        for stream in open_file(path).streams.values():
            if stream.name == "Scene" or stream.packing != "plain":
                continue
            for _ in range(8):
                data = bytearray(stream.data)
                if not data:
                    continue
                for _ in range(rnd.choice([1, 3, 10])):
                    if data:  # cuts may have left nothing
                        rnd.choice(damage)(data, rnd)
                hurt = Stream(_Memory(bytes(data)), stream.path, None)  # type: ignore[arg-type]
                check_stream(hurt, lambda error: reported.append(str(error)))
                if stream.name == SUMMARY:
                    try:
                        read_property_set(bytes(data))
                    except MaxSidecarError as error:
                        reported.append(str(error))
    assert reported
