"""Running processes over a scene, and what is written and reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.errors import DecodeError, EditError, SaveError
from maxsidecar.nel.export import registry
from maxsidecar.nel.export.names import OutputNames
from maxsidecar.nel.export.registry import (
    Failure,
    Job,
    Process,
    Step,
    chosen,
    process,
    process_names,
    register,
)
from maxsidecar.nel.export.report import FAILED, Report
from maxsidecar.nel.export.run import COARSE_FOLDER, export_scene, output_folders, run_process
from maxsidecar.nel.serial import read_file
from tests.support.nel_scenes import GameScene, nodes_by_name, viewed


def exported(scene: GameScene, folder: Path, name: str = "Street.max", **options: object) -> Report:
    path = scene.save(folder / name)
    with maxsidecar.open(path) as scene_file:
        return export_scene(scene_file, folder / "out", **options)  # type: ignore[arg-type]


def test_files_of_all_processes(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("House", IGNAME="Village")
    scene.box_node("floor", COLLISION=1, IGNAME="Village")
    scene.box_node("Head", EXPORT_SWT=1)
    report = exported(scene, tmp_path)
    assert not report.failed
    files = {path.name: read_file(path).kind for path in (tmp_path / "out").iterdir()}
    assert files == {
        "house.shape": "shape",
        "head.shape": "shape",
        "Village.ig": "ig",
        "Village.cmb": "cmb",
        "Street.swt": "swt",
    }
    assert {Path(out.path).name for out in report.outputs} == set(files)
    # Every node has an entry in every process.
    for name in process_names():
        assert set(report.of(name)) == {"House", "floor", "Head"}


def test_what_is_wrong_with_a_node_is_told_once(tmp_path: Path) -> None:
    """The first file that is made of it says so."""
    scene = GameScene()
    scene.box_node("House", IGNAME="Village", LOD_DIST_MAX="far", EXPORT_SWT=1)
    report = exported(scene, tmp_path)
    told = [(entry.process, note) for entry in report.written for note in entry.notes]
    assert told == [("shape", "LOD_DIST_MAX is no number: 'far'")]
    assert {entry.process for entry in report.written} == {"shape", "ig", "swt"}


def test_a_scene_of_hostile_names_writes_into_its_folder_only(tmp_path: Path) -> None:
    scene = GameScene()
    names = [
        "../up",
        "/root",
        "C:\\x",
        "CON",
        "a\0b",
        "two\nlines",
        "x" * 500,
        "..",
        "дом",
        "nul.x",
    ]
    for name in names:
        scene.box_node(
            name.replace("\0", "\x01"), IGNAME=name.replace("\0", "").encode("cp1251") + b"\0"
        )
    before = set(tmp_path.rglob("*"))
    report = exported(scene, tmp_path)
    assert len(report.outputs) == 2 * len(names)
    made = set(tmp_path.rglob("*")) - before
    assert all(path.parent in (tmp_path, tmp_path / "out") for path in made)
    assert any("no file can have the name" in note for e in report.written for note in e.notes)


def test_names_that_differ_in_case_only_are_written_once(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Tree")
    scene.box_node("tree")
    report = exported(scene, tmp_path, processes=["shape"])
    assert [entry.node for entry in report.written] == ["Tree"]
    assert [(entry.node, entry.reason) for entry in report.failed] == [
        ("tree", "tree.shape is written already, for 'Tree'")
    ]


def test_a_second_instance_of_the_same_name_is_no_failure(tmp_path: Path) -> None:
    scene = GameScene()
    ball = scene.add_sphere(1.0)
    scene.add_node("lamp", ball)
    scene.add_node("lamp", ball)
    report = exported(scene, tmp_path, processes=["shape"])
    assert not report.failed
    assert len(report.written) == 1
    assert "the same object" in report.left_out[0].reason


def test_scenes_that_share_a_folder_share_their_names(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Tree")
    names = OutputNames()
    assert not exported(scene, tmp_path, processes=["shape"], names=names).failed
    (failed,) = exported(scene, tmp_path, "Other.max", processes=["shape"], names=names).failed
    first = tmp_path / "Street.max"
    assert failed.reason == f"tree.shape is written already, for 'Tree' of {first}"


def test_files_that_a_flag_made_old_are_told(tmp_path: Path) -> None:
    scene = GameScene()
    tree = scene.box_node("Tree")
    scene.box_node("Bush", LOD_NAME_COUNT=1, LOD_NAME_0="far")
    far = scene.box_node("far")
    assert not any(entry.notes for entry in exported(scene, tmp_path, processes=["shape"]).entries)
    scene.flag(tree, DONTEXPORT=1)
    scene.flag(far, LOD_COARSE_MESH=1)
    shapes = exported(scene, tmp_path, processes=["shape"]).of("shape")
    old = str(tmp_path / "out" / "tree.shape")
    assert shapes["Tree"].reason == f"DONTEXPORT is set; older and not written now: {old}"
    assert Path(old).is_file()
    # It goes to another folder now.
    moved = tmp_path / "out" / "bush.shape"
    assert shapes["Bush"].output == str(tmp_path / "out" / COARSE_FOLDER / "bush.shape")
    assert any(note.endswith(str(moved)) for note in shapes["Bush"].notes)


def test_a_selection_keeps_its_order(tmp_path: Path) -> None:
    scene = GameScene()
    for name in ("one", "two", "three"):
        scene.box_node(name, IGNAME="g")
    path = scene.save(tmp_path / "s.max")
    with maxsidecar.open(path) as scene_file:
        index = nodes_by_name(scene_file)
        only = (index["three"], index["one"])
        export_scene(scene_file, tmp_path / "out", processes=["ig"], only=only)
        with pytest.raises(EditError, match="no such node"):
            export_scene(scene_file, tmp_path / "out", only=(99999,))
    group = read_file(tmp_path / "out" / "g.ig").content
    assert [instance.name for instance in group.instances] == ["three", "one"]


def test_a_folder_that_cannot_be_made_is_a_failure_of_each_file(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Tree")
    (tmp_path / "out").write_text("a file is in the way")
    report = exported(scene, tmp_path, processes=["shape"])
    assert not report.outputs
    assert "cannot make the folder" in report.failed[0].reason


def test_a_scene_is_never_written_over(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("tree")
    (tmp_path / "out").mkdir()
    old = scene.save(tmp_path / "out" / "tree.shape")
    content = old.read_bytes()
    report = exported(scene, tmp_path, processes=["shape"])
    assert "the file is a scene" in report.failed[0].reason
    assert old.read_bytes() == content


def test_damaged_flags_are_told(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Tree", ACCEL=b"many\0")
    report = exported(scene, tmp_path, processes=["shape"])
    (entry,) = report.entries
    assert "ACCEL is no number" in entry.notes[0]


def test_processes_by_name() -> None:
    assert [item.name for item in chosen(["ig", "shape", "ig"])] == ["shape", "ig"]
    assert [item.name for item in chosen()] == process_names()
    with pytest.raises(EditError, match="no such process") as caught:
        process("shapes")
    assert "pacs_prim" in str(caught.value)


def test_a_process_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_processes", dict(registry._processes))

    def run(job: Job) -> Iterator[Step]:
        yield Failure(None, "the scene has no soul")
        yield Failure(job.view.nodes[0], "so has this node")
        raise DecodeError("and then it broke")

    mine = register(Process("soul", "souls", run))
    assert process_names()[-1] == "soul"
    with pytest.raises(ValueError, match="registered already"):
        register(Process("soul", "souls", run))
    scene = GameScene()
    scene.box_node("Tree")
    report = Report()
    with viewed(scene, tmp_path) as view:
        run_process(mine, Job(view, "s"), output_folders(tmp_path), report, OutputNames())
    assert [(entry.node, entry.status) for entry in report.entries] == [
        ("", FAILED),
        ("Tree", FAILED),
        ("", FAILED),
    ]
    assert report.entries[2].reason == "and then it broke"


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from maxsidecar.nel.serial.formats import NelFile

    scene = GameScene()
    scene.box_node("Tree", EXPORT_SWT=1)
    assert not exported(scene, tmp_path, processes=["swt"]).failed
    old = (tmp_path / "out" / "Street.swt").read_bytes()

    def refuse(self: NelFile, path: Path) -> None:
        raise SaveError("the disk is full")

    monkeypatch.setattr(NelFile, "save", refuse)
    report = exported(scene, tmp_path, processes=["swt"])
    assert "the disk is full" in report.failed[0].reason
    assert "Street.swt" in report.failed[0].reason
    assert (tmp_path / "out" / "Street.swt").read_bytes() == old
