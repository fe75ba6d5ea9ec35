"""Transforms, parameters, materials and layers of real scenes in sidecars."""

from __future__ import annotations

import hashlib
import random
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from maxsidecar import MaxFile
from maxsidecar.scene.materials.bitmap import BitmapMap
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument, parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS, is_optional
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.objects import find_object
from maxsidecar.sidecar.optional import FixedText, optional_fields
from maxsidecar.sidecar.optional_parameters import ConstantField
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.schema import json_schema
from maxsidecar.sidecar.toml_text import format_value
from maxsidecar.sidecar.update import refreshed_text, updated_text

ALL = Options(include=frozenset(OPTIONAL_GROUPS))
Edits = dict[tuple[str, str, KeyPath], Any]
Fields = Mapping[KeyPath, object]


def no_edit_changes_nothing(path: Path) -> None:
    data = path.read_bytes()
    with MaxFile(data, path) as scene_file:
        text = extract(scene_file, path.name, ALL)
        document = parse(text.encode())
        plan = make_plan(scene_file, document)
        assert [str(problem) for problem in plan.problems] == []
        assert plan.apply() == []
        assert scene_file.to_bytes() == data
        assert updated_text(document, scene_file, ALL) == text


def other(value: Any, pick: random.Random) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.5 if abs(value) < 1e6 else value / 2
    if isinstance(value, str):
        return value + "x"
    place = pick.randrange(len(value))
    return [*value[:place], other(value[place], pick), *value[place + 1 :]]


def turned(value: Any, pick: random.Random) -> Any:
    """Another value of a biped, whose quaternions must stay rotations."""
    if isinstance(value, list) and isinstance(value[0], list):
        place = pick.randrange(len(value))
        return [*value[:place], turned(value[place], pick), *value[place + 1 :]]
    if isinstance(value, list) and len(value) == 4 and abs(np.linalg.norm(value) - 1) < 1e-3:
        moved = [*value[1:], value[0]]
        return moved if moved != value else [-number for number in value]
    return other(value, pick)


def fields_of(scene_file: MaxFile, document: SidecarDocument) -> list[tuple[ObjectTable, Fields]]:
    """The tables of a sidecar, each with what can be edited there."""
    labels = Labels(scene_file.scene)
    return [
        (table, optional_fields(find_object(table, labels, document), OPTIONAL_GROUPS))
        for table in document.tables
    ]


def choose(tables: list[tuple[ObjectTable, Fields]], pick: random.Random) -> Edits:
    """Two edits of each kind of value that the scene has."""
    kinds: dict[Any, list[tuple[tuple[str, str, KeyPath], Any]]] = defaultdict(list)
    for table, fields in tables:
        for path, value in table.values.items():
            if is_optional(path) and value != [] and not isinstance(fields[path], FixedText):
                kind = path if path[0] == "transform" else (path[0], type(value))
                kinds[kind].append(((table.kind, table.label, path), value))
    chosen = [
        item for values in kinds.values() for item in pick.sample(values, min(2, len(values)))
    ]
    return {key: (turned if key[2][0] == "biped" else other)(value, pick) for key, value in chosen}


def with_values(document: SidecarDocument, edits: Edits) -> str:
    """The text of a sidecar with other values in some places."""
    text, spots = document.text, document.locator.spots
    pieces = [(spots[k, n, *path], value) for (k, n, path), value in edits.items()]
    for spot, value in sorted(pieces, key=lambda piece: -piece[0].value):
        text = text[: spot.value] + format_value(value) + text[spot.end :]
    return text


def edits_go_there_and_back(path: Path) -> int:
    """Make some edits, and take them back; returns how many parameters had a controller."""
    data = path.read_bytes()
    with MaxFile(data, path) as scene_file:
        text = extract(scene_file, path.name, ALL)
        document = parse(text.encode())
        tables = fields_of(scene_file, document)
        controlled = constants(tables)
        edits = choose(tables, random.Random(path.name)) | controlled
        old = {(t.kind, t.label, p): v for t in document.tables for p, v in t.values.items()}
        plan = make_plan(scene_file, parse(with_values(document, edits).encode()))
        assert [str(problem) for problem in plan.problems] == []
        assert len(plan.apply()) == len(edits)
        saved = scene_file.to_bytes()
        text = refreshed_text(plan, hashlib.sha256(saved).hexdigest())
    with MaxFile(saved, path) as scene_file:
        document = parse(text.encode())
        assert make_plan(scene_file, document).apply() == []
        reverse = {key: old[key] for key in edits}
        plan = make_plan(scene_file, parse(with_values(document, reverse).encode()))
        assert [str(problem) for problem in plan.problems] == []
        assert len(plan.apply()) == len(edits)
        back = scene_file.to_bytes()
    if back != data:
        # A compressed stream can be packed in other ways, and a stream that was longer for a while
        # may leave zeros behind its end, where nothing is stored.
        with MaxFile(data, path) as one, MaxFile(back, path) as two:
            assert one.streams.keys() == two.streams.keys()
            for name, stream in one.streams.items():
                assert same_but_zeros(bytes(stream.content), bytes(two.streams[name].content))
            assert one.compressed or len(data) == len(back)
    return len(controlled)


def same_but_zeros(one: bytes, two: bytes) -> bool:
    """Compare bytes, except for signs of zeros, which transforms do not show."""
    if one == two:
        return True
    if len(one) != len(two):
        return False
    a, b = (np.frombuffer(data, np.uint8) for data in (one, two))
    ends = np.flatnonzero(a != b)
    pairs = {(int(a[i]), int(b[i]), one[i - 3 : i]) for i in ends}
    return pairs <= {(0, 0x80, bytes(3)), (0x80, 0, bytes(3))}


def constants(tables: list[tuple[ObjectTable, Fields]]) -> Edits:
    """Another value for each parameter that a controller without keys gives."""
    pick = random.Random(0)
    out: Edits = {}
    for table, fields in tables:
        for path, value in table.values.items():
            if isinstance(fields.get(path), ConstantField):
                out[table.kind, table.label, path] = other(value, pick)
    return out


def sample(files: tuple[Path, ...]) -> list[Path]:
    """Some small scenes of all ages."""
    return sorted((f for f in files if f.stat().st_size < 400_000), key=lambda f: f.name)[::12]


def test_a_sample_without_edits_stays_as_it_is(corpus_files: tuple[Path, ...]) -> None:
    chosen = sample(corpus_files)
    assert chosen
    for path in chosen:
        no_edit_changes_nothing(path)


def test_edits_of_a_sample_go_there_and_back(corpus_files: tuple[Path, ...]) -> None:
    for path in sample(corpus_files):
        edits_go_there_and_back(path)


@pytest.mark.slow
def test_no_scene_changes_without_an_edit(max_file: Path) -> None:
    no_edit_changes_nothing(max_file)


@pytest.mark.slow
def test_edits_go_there_and_back_in_every_scene(max_file: Path) -> None:
    edits_go_there_and_back(max_file)


def test_every_constant_of_a_controller_goes_there_and_back(corpus_files: tuple[Path, ...]) -> None:
    """A scene with sliders, most of whose numbers have a controller without keys."""
    (path,) = [p for p in corpus_files if p.name == "MorphSliders__test01.max"]
    assert edits_go_there_and_back(path) > 50


@cache
def schema() -> Any:
    """What checks sidecars against the schema, which is checked itself first."""
    whole = json_schema()
    kind = jsonschema.validators.validator_for(whole)
    kind.check_schema(whole)
    return kind(whole)


@pytest.mark.slow
def test_the_schema_allows_what_is_shown(max_file: Path) -> None:
    with MaxFile(max_file.read_bytes(), max_file) as scene_file:
        shown = tomllib.loads(extract(scene_file, max_file.name, ALL))
    schema().validate(shown)


def test_street_shows_the_sizes_of_its_boxes(corpus: Path) -> None:
    path = corpus / "max" / "ryzomcore" / "cluster_viewer__max__street.max"
    if not path.is_file():
        pytest.skip(f"{path} is missing")
    with MaxFile(path.read_bytes(), path) as scene_file:
        shown = tomllib.loads(extract(scene_file, path.name, ALL))
    schema().validate(shown)
    # Read from the file by other means: two operands of the Boolean Box02.
    for index, sizes in {
        "273": (103.75303649902344, 116.96998596191406, 101.10964965820312),
        "275": (105.32080841064453, 123.86786651611328, 112.9383544921875),
    }.items():
        box = shown["object"][index]["parameters"]
        found = (box["length"], box["width"], box["height"])
        assert found == pytest.approx(sizes, rel=1e-7)
        assert len(repr(found[0])) <= 10
    # The volumes of the game's export are those of the four cluster boxes.
    assert {f"cluster0{n}" for n in range(1, 5)} <= {
        name for name, node in shown["node"].items() if node.get("class") == "Box"
    }


def test_a_path_in_the_asset_table_changes_for_every_map_that_names_it(
    corpus_files: tuple[Path, ...],
) -> None:
    tried = 0
    for path in sorted(corpus_files, key=lambda f: (f.stat().st_size, f.name))[:60]:
        with MaxFile(path.read_bytes(), path) as scene_file:
            maps = [m for m in scene_file.scene if isinstance(m, BitmapMap) and m.asset is not None]
            if not maps:
                continue
            tried += 1
            document = parse(extract(scene_file, path.name, ALL).encode())
            shown: Edits = {
                (t.kind, t.label, p): v
                for t in document.tables
                for p, v in t.values.items()
                if p == ("bitmap",)
            }
            # Each file is listed once, however many maps show it.
            assert len(shown) == len({m.asset_id for m in maps})
            new: Edits = {key: f"D:\\new\\{n}.png" for n, key in enumerate(shown)}
            plan = make_plan(scene_file, parse(with_values(document, new).encode()))
            assert plan.ok
            plan.apply()
            saved = scene_file.to_bytes()
            expected = {m.index: m.asset_id for m in maps}
        with MaxFile(saved, path) as scene_file:
            found = {i: scene_file.scene[i] for i in expected}
            paths = {i: m.path for i, m in found.items() if isinstance(m, BitmapMap)}
            assert set(paths.values()) == set(new.values())
            assert {m.asset_id for m in found.values() if isinstance(m, BitmapMap)} == set(
                expected.values()
            )
        if tried == 3:
            return
    pytest.skip("no small scene names its pictures in an asset table")
