"""Migrations of real scenes."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.classes import retarget
from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import get
from maxsidecar.migrate.undo import Undo
from maxsidecar.scene.controllers.other import ScaleScript
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.roundtrip import check_file
from tests.conftest import REPOSITORY
from tests.unit.migrate.conftest import MARK

NEW = ClassId(0x0BADF00D, 0x5EC0DE01)


def migrate(scene_file: MaxFile, name: str, **options: object) -> Log:
    migration = get(name)
    log = Log()
    migration.prepare(migration.complete(options))(scene_file, log)
    return log


def streams(scene_file: MaxFile) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for name, stream in scene_file.streams.items():
        try:
            found[name] = bytes(stream.data)
        except MaxSidecarError:
            found[name] = bytes(stream.raw)
    return found


def again(scene_file: MaxFile) -> MaxFile:
    return MaxFile(scene_file.to_bytes())


@pytest.mark.slow
def test_new_names_change_nothing_else(max_file: Path) -> None:
    original = maxsidecar.open(max_file)
    changed = maxsidecar.open(max_file)
    log = migrate(changed, "names", node=[["^(.+)$", "{1}_x"]])
    if not log.changes:
        assert not changed.edited
        return
    after = again(changed)
    before = streams(original)
    assert [n for n, data in streams(after).items() if data != before[n]] == ["Scene"]
    names = [node.name for node in original.nodes.values()]
    assert [node.name for node in after.nodes.values()] == [n + "_x" if n else n for n in names]
    assert len(after.scene) == len(original.scene)
    nodes = set(original.nodes)
    for old, new in zip(original.scene, after.scene, strict=True):
        if old.index in nodes and new.name != old.name:  # type: ignore[attr-defined]
            # Only the name differs: with the old one it is the old object.
            new.name = old.name  # type: ignore[attr-defined]
        assert bytes(new.data.data) == bytes(old.data.data)


@pytest.mark.slow
def test_appdata_go_to_another_owner_and_back(max_file: Path) -> None:
    scene_file = maxsidecar.open(max_file)
    owners = {
        (item.key.class_a, item.key.class_b, item.key.superclass)
        for _, item in scene_file.scene.appdata()
    }
    if not owners:
        assert not migrate(scene_file, "appdata", drop=["1-2/3/*"]).entries
        return
    a, b, superclass = min(owners)
    own, other = f"{a:x}-{b:x}/{superclass:x}/*", "badf00d-5ec0de01/77/*"
    before = streams(scene_file)
    log = migrate(scene_file, "appdata", rename=[[own, other]])
    assert log.changes
    assert not log.problems
    moved = again(scene_file)
    assert streams(moved) != before
    assert not migrate(moved, "appdata", rename=[[own, other]]).entries
    migrate(moved, "appdata", rename=[[other, own]])
    assert {(obj.index, item) for obj, item in again(moved).scene.appdata()} == {
        (obj.index, item) for obj, item in maxsidecar.open(max_file).scene.appdata()
    }


@pytest.mark.slow
def test_a_class_gets_another_id_and_back(max_file: Path) -> None:
    scene_file = maxsidecar.open(max_file)
    before = streams(scene_file)
    done = 0
    for info in [info for info in scene_file.classes if info is not None and info.dll != -1]:
        if done == 3:
            break
        scene_file = maxsidecar.open(max_file)
        refused = ""
        try:
            assert retarget(scene_file, info.class_id, NEW, superclass=info.superclass)
        except MaxSidecarError as error:
            refused = error.message
        if refused:
            # The layout of either class is known, or the id stands elsewhere, too.
            reasons = ("not known to be the same", "a place that is not known")
            assert any(reason in refused for reason in reasons), refused
            continue
        done += 1
        after = again(scene_file)
        assert streams(after).keys() == before.keys()
        assert NEW in [other.class_id for other in after.classes if other is not None]
        assert retarget(after, NEW, info.class_id, superclass=info.superclass)
        assert streams(again(after)) == before


@pytest.mark.slow
def test_cleaning_lists_and_changes_nothing(max_file: Path) -> None:
    scene_file = maxsidecar.open(max_file)
    log = migrate(scene_file, "clean")
    assert not log.changes
    assert not log.problems
    assert not scene_file.edited


def _infected(path: Path) -> bool:
    scene = maxsidecar.open(path).scene
    return any(isinstance(obj, ScaleScript) for obj in scene.of_superclass(0x900D))


def test_infected_scenes_are_cleaned(corpus_files: tuple[Path, ...], tmp_path: Path) -> None:
    infected = [path for path in corpus_files if _infected(path)]
    # All script controllers of the corpus are of this kind (docs/format/controllers.md).
    assert infected
    for path in infected:
        target = tmp_path / "scene.max"
        shutil.copyfile(path, target)
        scene_file = maxsidecar.open(target)
        hidden = [n for n in scene_file.nodes.values() if n.flag("hidden")]
        names = [node.name for node in scene_file.nodes.values()]
        log = migrate(scene_file, "clean", **{"script-nodes": True})
        assert log.changes == 1
        assert not log.problems
        assert not [entry for entry in log if entry.kind == "warning"]
        scene_file.save()
        after = maxsidecar.open(target)
        assert not _infected(target)
        left = [node.name for node in after.nodes.values()]
        assert len(left) == len(names) - 1
        assert set(names) - set(left) <= {node.name for node in hidden}
        assert b"cleanbeta" not in bytes(after.streams["Scene"].data).lower()
        assert not migrate(after, "clean", **{"script-nodes": True}).changes
    assert check_file(str(tmp_path / "scene.max")).status == "ok"


@pytest.mark.slow
def test_unused_attribute_sources_go(corpus_files: tuple[Path, ...], tmp_path: Path) -> None:
    seen = 0
    for path in corpus_files:
        scene_file = maxsidecar.open(path)
        stored = scene_file.custom_attribute_definitions
        if stored is None or not stored.definitions:
            continue
        used = [d.class_id for d in stored.definitions]
        classes = {info.class_id for info in scene_file.classes if info is not None}
        kept = [class_id for class_id in used if class_id in classes]
        log = migrate(scene_file, "clean", **{"attribute-definitions": True})
        assert log.changes == (len(kept) < len(used))
        if not log.changes:
            continue
        seen += 1
        target = tmp_path / "scene.max"
        scene_file.save(target)
        after = maxsidecar.open(target)
        left = after.custom_attribute_definitions
        assert left is not None
        assert [d.class_id for d in left.definitions] == kept
        assert after.streams["Scene"].data == maxsidecar.open(path).streams["Scene"].data
        assert check_file(str(target)).status == "ok"
    assert seen


@pytest.mark.slow
def test_the_whole_corpus_there_and_back(
    corpus: Path, corpus_files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    folder = tmp_path / "scenes"
    for path in corpus_files:
        target = folder / path.relative_to(corpus)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    paths = [folder / path.relative_to(corpus) for path in corpus_files]

    def digests() -> list[str]:
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]

    before = digests()
    script = tmp_path / "my.py"
    script.write_text(MARK, "utf-8")

    def run() -> Run:
        job = Run(get("run"), {"script": str(script)}, [str(folder)], Settings(jobs=2))
        for _ in job.results():
            pass
        return job

    first = run()
    assert first.counts.total() == len(paths)
    assert not first.failed
    assert first.counts["changed"] > len(paths) * 0.9
    after = digests()
    assert run().counts == {"done": len(paths)}
    assert first.journal is not None
    kept = first.journal.rename(tmp_path / "journal")
    # Without its journal the migration looks into every file, and finds nothing to do.
    assert run().counts == {"unchanged": len(paths)}
    assert digests() == after
    states = {result.state for result in Undo(kept, jobs=2).results()}
    assert states == {"undone"}
    assert digests() == before
