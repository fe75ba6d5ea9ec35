"""Sidecars on disk."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.errors import FileChangedError, SaveError, SidecarError
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import open_file
from maxsidecar.sidecar import files
from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import apply_file, extract_file, scene_path, sidecar_path
from maxsidecar.sidecar.toml_text import format_value
from maxsidecar.sidecar.update import refreshed_text


@pytest.fixture
def street(scenes: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "with space é"
    folder.mkdir()
    path = folder / "street 日本.max"
    path.write_bytes(scenes.data(scenes.node("n", [("LOD_MRM", b"0\0")]), "plain"))
    return path


def edit(sidecar: Path, old: str, new: str) -> None:
    data = sidecar.read_bytes()
    assert data.count(old.encode()) == 1
    sidecar.write_bytes(data.replace(old.encode(), new.encode()))


def test_a_whole_round(street: Path) -> None:
    original = street.read_bytes()
    done = extract_file(street)
    assert (done.path, done.state, done.tables) == (sidecar_path(street), "written", 1)
    assert done.path.name == "street 日本.max.toml"
    assert done.schema is not None
    assert done.schema.name == "maxsidecar.schema.json"
    again = extract_file(street)
    assert (again.state, again.schema) == ("unchanged", None)
    edit(done.path, "mrm = false", "mrm = true # on")
    before = done.path.read_bytes()
    plan, target = apply_file(done.path, dry_run=True)
    assert [str(change) for change in plan.changes] == ["n.nel.lod.mrm: false -> true"]
    assert (street.read_bytes(), done.path.read_bytes(), target) == (original, before, street)
    apply_file(done.path, backup=True)
    assert Path(f"{street}.bak").read_bytes() == original
    assert street.read_bytes() != original
    assert extract_file(street).state == "unchanged"
    assert apply_file(done.path)[0].changes == []
    edit(done.path, "mrm = true", "mrm = false")
    apply_file(done.path)
    assert street.read_bytes() == original


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_compressed_scenes(scenes: Any, tmp_path: Path, compression: str) -> None:
    path = tmp_path / "s.max"
    nodes = (scenes.node("n", [("LOD_MRM", b"0\0")]), "plain")
    path.write_bytes(scenes.data(*nodes, compression=compression))
    sidecar = extract_file(path).path
    edit(sidecar, "mrm = false", "mrm = true")
    apply_file(sidecar)
    with open_file(path) as scene_file:
        assert scene_file.streams["Scene"].packing == compression
        node = next(node for node in scene_file.nodes.values() if node.name == "n")
        assert [value for _, value in node.appdata] == [b"1\0"]
    assert extract_file(path).state == "unchanged"


def test_line_ends_and_mark_stay(street: Path) -> None:
    sidecar = extract_file(street).path
    text = sidecar.read_bytes().replace(b"mrm = false", b"mrm = true")
    sidecar.write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    apply_file(sidecar)
    after = sidecar.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf#:schema")
    assert after.count(b"\r\n") == after.count(b"\n") == text.count(b"\n")
    assert extract_file(street).state == "unchanged"


def test_another_target_leaves_scene_and_sidecar_alone(street: Path, tmp_path: Path) -> None:
    sidecar = extract_file(street).path
    edit(sidecar, "mrm = false", "mrm = true")
    before = street.read_bytes(), sidecar.read_bytes()
    out = tmp_path / "new.max"
    assert apply_file(sidecar, out=out)[1] == out
    assert (street.read_bytes(), sidecar.read_bytes()) == before
    other = tmp_path / "copy.max"
    other.write_bytes(before[0])
    apply_file(sidecar, scene=other)
    assert other.read_bytes() == out.read_bytes()
    assert (street.read_bytes(), sidecar.read_bytes()) == before


@pytest.mark.parametrize(
    "name", ["../s.max", "a/s.max", "a\\s.max", "C:s.max", "..", ".", "x\0", "n" * 5000, "no.max"]
)
def test_a_sidecar_never_reaches_outside_its_folder(street: Path, name: str) -> None:
    sidecar = extract_file(street).path
    text = sidecar.read_text("utf-8")
    text = text.replace('scene = "street 日本.max"', f"scene = {format_value(name)}")
    sidecar.write_text(text, "utf-8")
    document = files.read_sidecar(sidecar)
    with pytest.raises(SidecarError) as caught:
        scene_path(document, sidecar)
    assert caught.value.line == 6


def test_the_sidecar_of_another_scene_is_not_overwritten(street: Path, scenes: Any) -> None:
    sidecar = extract_file(street).path
    before = sidecar.read_bytes()
    other = street.with_name("other.max")
    other.write_bytes(scenes.data("n"))
    with pytest.raises(SidecarError, match="sidecar of another scene"):
        extract_file(other, sidecar)
    assert sidecar.read_bytes() == before
    assert extract_file(other, sidecar, fresh=True).state == "written"


@pytest.mark.skipif(sys.platform == "win32", reason="needs hard links")
def test_the_scene_may_be_spelled_in_another_way(street: Path, scenes: Any) -> None:
    """As on a file system that ignores case: two spellings of one file."""
    sidecar = extract_file(street).path
    spelled = street.with_name("STREET 日本.MAX")
    os.link(street, spelled)
    assert extract_file(spelled, sidecar).state == "unchanged"
    assert f'scene = "{street.name}"' in sidecar.read_text("utf-8")
    # Another file of that name is another scene, and so is one that only a path leads to.
    spelled.unlink()
    spelled.write_bytes(scenes.data("n"))
    with pytest.raises(SidecarError, match="sidecar of another scene"):
        extract_file(spelled, sidecar)
    edit(sidecar, f'scene = "{street.name}"', f'scene = "../{street.parent.name}/{street.name}"')
    with pytest.raises(SidecarError, match="sidecar of another scene"):
        extract_file(street, sidecar)


def test_outputs_never_replace_what_is_read(street: Path, tmp_path: Path) -> None:
    sidecar = extract_file(street).path
    before = street.read_bytes(), sidecar.read_bytes()
    other = tmp_path / "other.max"
    other.write_bytes(before[0])
    text = tmp_path / "text.txt"
    text.write_bytes(b"text")
    for target in (street, other):
        with pytest.raises(SaveError, match=r"the very file|only a scene"):
            extract_file(street, target, fresh=True)
    with pytest.raises(SaveError, match="name of the schema"):
        extract_file(street, street.with_name("maxsidecar.schema.json"))
    for target, reason in (
        (sidecar, "the very file"),
        (street, "the very file"),
        (text, "no scene"),
    ):
        for dry_run in (True, False):
            with pytest.raises(SaveError, match=reason):
                apply_file(sidecar, out=target, dry_run=dry_run)
    assert (street.read_bytes(), sidecar.read_bytes()) == before
    assert (other.read_bytes(), text.read_bytes()) == (before[0], b"text")
    # An older output and an empty file may go.
    empty = tmp_path / "empty.max"
    empty.touch()
    for target in (other, empty):
        apply_file(sidecar, out=target, overwrite=True)
        assert target.read_bytes() == before[0]


def test_damage_is_told_also_when_extracting_fails(street: Path) -> None:
    sidecar = extract_file(street).path
    with open_file(street) as scene_file:
        stream = scene_file.streams["Scene"]
        at = bytes(scene_file.compound.data).index(bytes(stream.data[:64]))
    data = bytearray(street.read_bytes())
    # The first object seems longer than the stream, so no object is left.
    data[at + 6 + 5] |= 0x40
    street.write_bytes(bytes(data))
    for work in (
        lambda tell: extract_file(street, fresh=True, warn=tell),
        lambda tell: apply_file(sidecar, warn=tell),
        lambda tell: extract_file(street, warn=tell),
    ):
        told: list[str] = []
        # The sidecar still lists a node that is not there any more, or does not list it at all.
        with suppress(SidecarError):
            work(lambda problem, told=told: told.append(str(problem)))
        assert len(told) == len(set(told)) > 0


def test_a_file_is_hashed_once(street: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sidecar = extract_file(street).path
    edit(sidecar, "mrm = false", "mrm = true")
    size = street.stat().st_size
    hashed: list[int] = []
    plain = hashlib.sha256

    def counted(data: Any = b"", **options: Any) -> Any:
        hashed.append(len(data))
        return plain(data, **options)

    monkeypatch.setattr(hashlib, "sha256", counted)
    extract_file(street)
    assert hashed.count(size) == 1
    extract_file(street, fresh=True)
    assert hashed.count(size) == 2


def test_problems_and_conflicts_write_nothing(street: Path, scenes: Any) -> None:
    sidecar = extract_file(street).path
    edit(sidecar, "mrm = false", "mrm = 5")
    before = sidecar.read_bytes()
    plan, _ = apply_file(sidecar)
    assert len(plan.problems) == 1
    assert sidecar.read_bytes() == before
    edit(sidecar, "mrm = 5", "mrm = false\nblend_in = true")
    changed = scenes.data(scenes.node("n", [("LOD_MRM", b"1\0")]), "plain")
    street.write_bytes(changed)
    before = sidecar.read_bytes()
    plan, _ = apply_file(sidecar)
    assert [str(conflict) for conflict in plan.conflicts] == [
        "n.nel.lod.mrm: the scene changed it since: scene true, sidecar false (as extracted)"
    ]
    assert (street.read_bytes(), sidecar.read_bytes()) == (changed, before)
    plan, _ = apply_file(sidecar, keep=["n.nel.lod.mrm"])
    assert plan.ok
    text = sidecar.read_text("utf-8")
    assert "mrm = true\nblend_in = true\n" in text
    assert apply_file(sidecar)[0].changes == []


def test_what_cannot_be_kept_up_is_not_applied(street: Path) -> None:
    sidecar = extract_file(street).path
    text = sidecar.read_text("utf-8")
    sha256 = next(line for line in text.splitlines() if line.startswith("sha256"))
    head = f'sidecar = {{ format = 1, scene = "{street.name}", {sha256} }}\n'
    # There is no place for a table of the values at extraction in a text that is one value.
    sidecar.write_text(
        head + "node = { n = { nel = { lod = { mrm = true } } } }\nbase.x = {}\n[base.y]\n", "utf-8"
    )
    before = street.read_bytes()
    with pytest.raises(SidecarError, match="cannot bring"):
        apply_file(sidecar)
    assert street.read_bytes() == before


def test_a_sidecar_that_changes_meanwhile_is_not_overwritten(
    street: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sidecar = extract_file(street).path
    edit(sidecar, "mrm = false", "mrm = true")

    def slow(*args: Any) -> str:
        sidecar.write_bytes(sidecar.read_bytes() + b"# more\n")
        return refreshed_text(*args)

    monkeypatch.setattr(files, "refreshed_text", slow)
    with pytest.raises(FileChangedError, match="the scene was saved, but the sidecar was not"):
        apply_file(sidecar)
    assert sidecar.read_bytes().endswith(b"# more\n")


def test_what_is_no_sidecar_is_refused(street: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sidecar = sidecar_path(street)
    for data in (b"", b"\xff", b"[[[", b"\0" * 100, street.read_bytes()):
        sidecar.write_bytes(data)
        with pytest.raises(SaveError if data == street.read_bytes() else SidecarError):
            extract_file(street)
        with pytest.raises(SidecarError):
            apply_file(sidecar)
        assert sidecar.read_bytes() == data
    monkeypatch.setattr(files, "MAX_TEXT", 10)
    sidecar.write_bytes(b"x" * 11)
    with pytest.raises(SidecarError, match="too large"):
        apply_file(sidecar)


def test_options_reach_the_text(street: Path) -> None:
    done = extract_file(street, options=Options(all=True, defaults=True), schema=False)
    assert (done.tables, done.schema) == (3, None)
    assert "# dont_export = false  # Export nothing of this node; default false" in (
        done.path.read_text("utf-8")
    )


def test_a_sidecar_lies_beside_its_scene(street: Path, tmp_path: Path) -> None:
    """It names the scene by file name, so elsewhere it would mean another file."""
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    for target in (elsewhere / "s.toml", tmp_path / "no such folder" / "s.toml"):
        with pytest.raises(SaveError, match="in the folder of its scene"):
            extract_file(street, target)
    assert not list(elsewhere.iterdir())
    assert extract_file(street, street.parent / ".." / street.parent.name / "s.toml").tables == 1


def test_another_scene_of_the_same_name_is_left_alone(street: Path, scenes: Any) -> None:
    sidecar = extract_file(street).path
    edit(sidecar, "mrm = false", "mrm = true")
    same_values = [("LOD_MRM", b"0\0")]
    other = scenes.data(scenes.node("someone else", same_values))
    street.write_bytes(other)
    with pytest.raises(SidecarError, match="another scene"):
        apply_file(sidecar)
    assert street.read_bytes() == other
    # Id and name may repeat by chance: then the class tells.
    builder = SceneBuilder()
    node = builder.add_node("n", builder.add_dummy(1.0))
    builder.add_appdata(node, scenes.key("LOD_MRM"), b"0\0")
    other = builder.to_bytes()
    street.write_bytes(other)
    with pytest.raises(SidecarError, match=r"another scene.*--scene"):
        apply_file(sidecar)
    assert street.read_bytes() == other
    # Whoever names the scene means it, and so does whoever extracts from it first.
    assert len(apply_file(sidecar, scene=street, dry_run=True)[0].changes) == 1
    assert extract_file(street).state == "updated"
    assert len(apply_file(sidecar)[0].changes) == 1


def test_a_sidecar_without_objects_gains_them(street: Path, scenes: Any) -> None:
    street.write_bytes(scenes.data("plain"))
    done = extract_file(street)
    assert done.tables == 0
    street.write_bytes(scenes.data("plain", scenes.node("n", [("LOD_MRM", b"0\0")])))
    done = extract_file(street)
    assert (done.state, done.tables) == ("updated", 1)
    assert "[node.n.nel.lod]\nmrm = false\n" in done.path.read_text("utf-8")
    assert extract_file(street).state == "unchanged"
