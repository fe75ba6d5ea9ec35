"""Sidecars of real scenes."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import maxsidecar
from maxsidecar import MaxFile, apply_file, extract_file
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import SidecarDocument, parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.fields import read_fields
from maxsidecar.sidecar.schema import json_schema
from maxsidecar.sidecar.update import updated_text

EVERYTHING = Options(all=True, defaults=True)


def opened(data: bytes, path: Path) -> MaxFile:
    return MaxFile(data, path)


def edited(text: str, document: SidecarDocument, seed: str) -> tuple[str, dict[Any, Any]]:
    """Other values for some fields of the sidecar, by what each field says now."""
    pick = random.Random(seed)
    fields = [
        (table, path, value)
        for table in document.tables
        for path, value in table.values.items()
        if path[0] in ("flags", "wire_color", "nel", "user_properties") or isinstance(value, str)
    ]
    wanted: dict[Any, Any] = {}
    pieces: list[tuple[int, int, str]] = []
    for table, path, value in pick.sample(fields, min(12, len(fields))):
        if isinstance(value, bool):
            new: Any = not value
            written = str(new).lower()
        elif isinstance(value, int | float):
            new = value + 1
            written = repr(new)
        elif path == ("wire_color",):
            new = f"#{pick.randrange(1 << 24):06x}"
            written = f'"{new}"'
        elif path == ("user_properties",):
            new = "edited = 1\nb"
            written = r'"edited = 1\nb"'
        elif path[0] == "appdata":
            new = "hex:" + pick.randbytes(pick.randrange(1, 7)).hex() + "fe"
            written = f"'{new}'"
        else:
            continue
        spot = document.locator.spots[table.key(path)]
        pieces.append((spot.value, spot.end, written))
        wanted[table.kind, table.label, path] = new
    for start, end, piece in sorted(pieces, reverse=True):
        text = text[:start] + piece + text[end:]
    return text, wanted


@pytest.mark.parametrize("options", [Options(), EVERYTHING], ids=["default", "everything"])
def test_extract_and_apply_change_nothing(max_file: Path, options: Options) -> None:
    with maxsidecar.open(max_file) as scene_file:
        text = extract(scene_file, max_file.name, options)
        document = parse(text.encode())
        plan = make_plan(scene_file, document)
        assert plan.ok
        assert plan.apply() == []
        assert scene_file.to_bytes() == max_file.read_bytes()
        assert updated_text(document, scene_file, options) == text
        nodes = [node for node in scene_file.nodes.values() if not isinstance(node, RootNode)]
        if options.all:
            listed = [table.info["id"] for table in document.tables if "id" in table.info]
            assert len(listed) + sum("index" in t.info for t in document.tables) >= len(nodes)
        jsonschema.validate(tomllib.loads(text), json_schema())


def test_edits_arrive_and_nothing_else_changes(max_file: Path) -> None:
    data = max_file.read_bytes()
    with opened(data, max_file) as scene_file:
        options = Options(all=True)
        document = parse(extract(scene_file, max_file.name, options).encode())
        text, wanted = edited(document.text, document, max_file.name)
        if not wanted:
            pytest.skip("the scene has no nodes")
        before = {obj.index: bytes(obj.data.data) for obj in scene_file.scene}
        streams = {name: bytes(s.raw) for name, s in scene_file.streams.items() if name != "Scene"}
        plan = make_plan(scene_file, parse(text.encode()))
        assert [str(problem) for problem in plan.problems] == []
        plan.apply()
        new = scene_file.to_bytes()
        touched = {change.obj.index for change in plan.changes}
    with opened(new, max_file) as saved:
        again = parse(extract(saved, max_file.name, options).encode())
        found = {(t.kind, t.label, p): v for t in again.tables for p, v in t.values.items()}
        old = {(t.kind, t.label, p): v for t in document.tables for p, v in t.values.items()}
        assert found == old | wanted
        after = {obj.index: bytes(obj.data.data) for obj in saved.scene}
        assert {index for index in after if after[index] != before[index]} == touched
        assert streams == {
            name: bytes(s.raw) for name, s in saved.streams.items() if name != "Scene"
        }
        # The old sidecar knows what it was extracted from: every difference is a conflict, and
        # letting it win brings the old values back.
        back = make_plan(saved, document)
        assert len(back.conflicts) == len(plan.changes)
        assert not any(conflict.edited for conflict in back.conflicts)
        back = make_plan(saved, document, force=["*"])
        back.apply()
        restored = {obj.index: read_fields(obj) for obj in saved.scene if obj.index in touched}
        with opened(data, max_file) as original:
            for index, values in restored.items():
                assert values == read_fields(original.scene[index])
            if saved.to_bytes() != data:
                # Only a spelling that the text does not show can differ: packing, "1.0" for "1".
                assert original.compressed or _respelled(original, saved)


def _respelled(original: MaxFile, saved: MaxFile) -> bool:
    """Whether scenes differ in the spelling of user properties or numbers alone."""
    for obj in original.scene:
        other = saved.scene[obj.index]
        if bytes(obj.data.data) == bytes(other.data.data):
            continue
        texts = isinstance(obj, Node) and isinstance(other, Node) and (
            obj.user_properties_text.replace("\r\n", "\n")
            == other.user_properties_text.replace("\r\n", "\n")
            != ""
        )  # fmt: skip
        if not texts and [item.key for item in obj.appdata] != [i.key for i in other.appdata]:
            return False
    return True


def test_street_takes_the_edits_of_the_guide(corpus: Path, tmp_path: Path) -> None:
    source = corpus / "max" / "ryzomcore" / "cluster_viewer__max__street.max"
    if not source.is_file():
        pytest.skip(f"{source} is missing")
    scene = tmp_path / "street.max"
    scene.write_bytes(source.read_bytes())
    sidecar = extract_file(scene).path
    text = sidecar.read_text("utf-8")
    start = text.index("[node.cluster01.nel.lod]")
    old = text[start:].split("\n\n")[0]
    assert "dist_max = 100.0" in old
    new = old.replace("dist_max = 100.0", "dist_max = 250   # metres, was 100")
    sidecar.write_text(text.replace(old, new, 1), "utf-8")
    plan, _ = apply_file(sidecar)
    assert [str(change) for change in plan.changes] == [
        "cluster01.nel.lod.dist_max: 100.0 -> 250.0"
    ]
    after = sidecar.read_text("utf-8")
    assert after.count("\n") == text.count("\n")
    changed = [
        line
        for line, before in zip(after.splitlines(), text.splitlines(), strict=True)
        if line != before
    ]
    assert len(changed) == 3  # the hash, the value, the values at extraction
    assert "dist_max = 250   # metres, was 100" in changed
    assert extract_file(scene).state == "unchanged"
    with maxsidecar.open(scene) as scene_file:
        (node,) = scene_file.nodes.find("cluster01")
        assert b"250\0" in [item.value for item in node.appdata]
    sidecar.write_text(after.replace(new, old), "utf-8")
    apply_file(sidecar)
    assert scene.read_bytes() == source.read_bytes()
