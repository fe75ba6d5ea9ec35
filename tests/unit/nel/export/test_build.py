"""The export stage of a build."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maxsidecar.errors import EditError, SettingsError
from maxsidecar.nel.export.build import (
    DONE,
    FAILED,
    SKIPPED,
    BuildItem,
    BuildResult,
    Site,
    build_item,
    not_built,
    plan_project,
    written_twice,
)
from maxsidecar.nel.export.run import run_process
from maxsidecar.nel.serial import read_file
from tests.support.nel_scenes import GameScene

DIRECTORIES = """
CommonPath = "common/objects"
ShapeSourceDirectories = [ ]
ShapeSourceDirectories += [ "stuff/objects" ]
ShapeTagExportDirectory = CommonPath + "/shape_tag"
ShapeNotOptimizedExportDirectory = CommonPath + "/shape_not_optimized"
ShapeWithCoarseMeshExportDirectory = CommonPath + "/shape_with_coarse_mesh"
ShapeLightmapNotOptimizedExportDirectory = CommonPath + "/shape_lightmap_not_optimized"
ShapeAnimExportDirectory = CommonPath + "/shape_anim"
IgLandSourceDirectories = [ ]
IgOtherSourceDirectories = [ ]
for dir in ShapeSourceDirectories:
\tIgOtherSourceDirectories += [ dir ]
IgStaticLandExportDirectory = CommonPath + "/ig_static_land"
IgStaticOtherExportDirectory = CommonPath + "/ig_static_other"
IgStaticTagExportDirectory = CommonPath + "/ig_static_tag"
SwtSourceDirectories = [ "stuff/objects" ]
SwtExportDirectory = CommonPath + "/swt"
"""
PROCESS = """
ProcessToComplete = [ ]
ProcessToComplete += [ "shape" ]
ProcessToComplete += [ "map" ]
ProcessToComplete += [ "ig" ]
ShapeExportOptExportLighting = "true"
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A workspace ``ws``, a database ``db`` with one scene; exports go to ``out``."""
    project = tmp_path / "ws" / "common" / "objects"
    project.mkdir(parents=True)
    (project / "directories.py").write_text(DIRECTORIES)
    (project / "process.py").write_text(PROCESS)
    source = tmp_path / "db" / "stuff" / "objects"
    source.mkdir(parents=True)
    scene = GameScene()
    scene.box_node("Tree", IGNAME="forest", LOD_NAME_COUNT=1, LOD_NAME_0="far")
    scene.box_node("far", LOD_COARSE_MESH=1)
    scene.box_node("Bush", IGNAME="forest")
    scene.save(source / "Plants.MAX")
    (source / "readme.txt").write_text("no scene")
    below = source / "sub"
    below.mkdir()
    scene.save(below / "deeper.max")
    return tmp_path


def site(world: Path) -> Site:
    return Site(world / "db", world / "out")


def items(world: Path, *processes: str, force: bool = False) -> list[BuildItem]:
    plan = plan_project(
        world / "ws", "common/objects", site(world), processes=processes or None, force=force
    )
    assert not plan.missing
    return plan.items


def build(world: Path, *processes: str, force: bool = False) -> dict[str, BuildResult]:
    found = items(world, *processes, force=force)
    return {item.process: build_item(item) for item in found}


def test_the_plan_follows_the_project(world: Path) -> None:
    plan = plan_project(world / "ws", "common/objects", site(world))
    assert [item.process for item in plan.items] == ["shape", "ig"]
    shape, group = plan.items
    scene = str(world / "db" / "stuff" / "objects" / "Plants.MAX")
    assert [name for name, _ in shape.scenes] == [scene]
    out = world / "out" / "common" / "objects"
    assert shape.tag == str(out / "shape_tag" / "Plants.MAX.tag")
    assert shape.scenes[0][1] == {
        "main": str(out / "shape_not_optimized"),
        "coarse": str(out / "shape_with_coarse_mesh"),
        "automatic": str(out / "shape_anim"),
    }
    assert group.tag == str(out / "ig_static_tag" / "Plants.MAX.tag")
    assert group.scenes[0][1]["main"] == str(out / "ig_static_other")
    assert ">>> Export shape <<<" in plan.log
    assert any("light maps are not computed" in line for line in plan.log)


def test_files_go_to_the_folders_of_the_pipeline(world: Path) -> None:
    results = build(world)
    assert {result.status for result in results.values()} == {DONE}
    out = world / "out" / "common" / "objects"
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert files == {
        "shape_with_coarse_mesh/tree.shape",
        "shape_not_optimized/bush.shape",
        "shape_tag/Plants.MAX.tag",
        "ig_static_other/forest.ig",
        "ig_static_tag/Plants.MAX.tag",
    }
    assert (out / "shape_lightmap_not_optimized").is_dir()
    assert (out / "shape_anim").is_dir()
    log = results["shape"].log
    assert log[0].startswith("Scanning file ")
    assert sum(line.startswith("OK ") for line in log) == 2
    # Nothing is made in the database.
    assert len(list((world / "db").rglob("*"))) == 6


def test_a_second_build_skips_and_a_change_is_exported(world: Path) -> None:
    build(world)
    second = build(world)
    assert {result.status for result in second.values()} == {SKIPPED}
    assert second["shape"].log[0].startswith("SKIPPED BY TAG ")
    assert len(second["shape"].outputs) == 2
    scene = GameScene()
    scene.box_node("Other", IGNAME="forest")
    scene.save(world / "db" / "stuff" / "objects" / "Plants.MAX")
    third = build(world)
    assert {result.status for result in third.values()} == {DONE}
    out = world / "out" / "common" / "objects"
    group = read_file(out / "ig_static_other" / "forest.ig").content
    assert [instance.name for instance in group.instances] == ["Other"]


def test_a_touched_scene_is_skipped_and_its_tag_is_new(world: Path) -> None:
    build(world, "ig")
    scene = world / "db" / "stuff" / "objects" / "Plants.MAX"
    tag = world / "out" / "common" / "objects" / "ig_static_tag" / "Plants.MAX.tag"
    old = tag.stat().st_mtime_ns
    os.utime(scene, ns=(old + 10**9, old + 10**9))
    os.utime(tag, ns=(old - 10**12, old - 10**12))
    assert build(world, "ig")["ig"].status == SKIPPED
    assert tag.stat().st_mtime_ns > old - 10**12
    assert build(world, "ig", force=True)["ig"].status == DONE


def test_deleted_outputs_are_made_again(world: Path) -> None:
    build(world, "shape")
    (world / "out" / "common" / "objects" / "shape_not_optimized" / "bush.shape").unlink()
    assert build(world, "shape")["shape"].status == DONE


def test_a_process_without_tags_of_its_own_is_skipped_too(world: Path) -> None:
    assert build(world, "swt")["swt"].status == DONE
    assert build(world, "swt")["swt"].status == SKIPPED
    out = world / "out" / "common" / "objects" / "swt"
    # No node has weights: there is no file, and the scene is not read again all the same.
    assert [path.name for path in out.iterdir()] == [".maxsidecar"]


def test_a_failure_writes_no_tag_and_takes_the_old_one(world: Path) -> None:
    build(world, "ig")
    tag = world / "out" / "common" / "objects" / "ig_static_tag" / "Plants.MAX.tag"
    assert tag.is_file()
    scene = GameScene()
    scene.mesh_node("flat", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], ACCEL=2, IGNAME="g")
    scene.box_node("good", IGNAME="g")
    scene.save(world / "db" / "stuff" / "objects" / "Plants.MAX")
    result = build(world, "ig")["ig"]
    assert result.status == FAILED
    assert any(line.startswith("ERROR exporting ig flat") for line in result.log)
    assert not tag.exists()
    # What could be exported is there.
    assert (world / "out" / "common" / "objects" / "ig_static_other" / "g.ig").is_file()
    assert build(world, "ig")["ig"].status == FAILED


def test_a_file_that_is_no_scene_fails_alone(world: Path) -> None:
    (world / "db" / "stuff" / "objects" / "bad.max").write_text("no scene")
    results = [build_item(item) for item in items(world, "ig")]
    assert sorted(result.status for result in results) == [DONE, FAILED]
    (failed,) = [result for result in results if result.status == FAILED]
    assert "can't open the file" in failed.log[-1]
    assert "bad.max" in failed.log[-1]


def test_scenes_of_one_name_share_a_tag(world: Path) -> None:
    directories = world / "ws" / "common" / "objects" / "directories.py"
    directories.write_text(DIRECTORIES + 'IgLandSourceDirectories += [ "land" ]\n')
    land = world / "db" / "land"
    land.mkdir()
    scene = GameScene()
    scene.box_node("Rock", IGNAME="rocks")
    scene.save(land / "Plants.MAX")
    (item,) = items(world, "ig")
    assert [Path(name).parent.name for name, _ in item.scenes] == ["land", "objects"]
    assert build_item(item).status == DONE
    out = world / "out" / "common" / "objects"
    assert (out / "ig_static_land" / "rocks.ig").is_file()
    assert (out / "ig_static_other" / "forest.ig").is_file()
    assert build_item(item).status == SKIPPED
    scene.box_node("Stone", IGNAME="rocks")
    scene.save(land / "Plants.MAX")
    assert build_item(item).status == DONE


def test_a_scene_that_changes_meanwhile_gets_no_tag(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (item,) = items(world, "ig")

    def change(*arguments: object) -> None:
        run_process(*arguments)  # type: ignore[arg-type]
        with open(item.scenes[0][0], "ab") as file:
            file.write(b"more")

    monkeypatch.setattr("maxsidecar.nel.export.build.run_process", change)
    result = build_item(item)
    assert result.status == FAILED
    assert "was changed" in result.log[-1]
    assert not Path(item.tag).exists()


def test_missing_source_folders_are_told(world: Path) -> None:
    place = Site(world / "nowhere", world / "out")
    plan = plan_project(world / "ws", "common/objects", place)
    assert plan.missing == 2
    assert any(line.startswith("MISSING ") for line in plan.log)
    assert not plan.items
    assert not (world / "nowhere").exists()


def test_an_empty_folder_has_a_warning(world: Path) -> None:
    (world / "db" / "stuff" / "objects" / "Plants.MAX").unlink()
    plan = plan_project(world / "ws", "common/objects", site(world))
    assert any(line.startswith("WARNING no *.max file in folder") for line in plan.log)


@pytest.mark.parametrize("project", ["common/nothing", "", "..", "/etc", "C:\\x", "common", "a\0b"])
def test_there_is_no_such_project(project: str, world: Path) -> None:
    with pytest.raises(SettingsError, match="no such project") as caught:
        plan_project(world / "ws", project, site(world))
    assert "common/objects" in str(caught.value)


@pytest.mark.parametrize("folder", ["../other", "/abs", "C:/x", "a/../../b", "", "\0"])
@pytest.mark.parametrize("name", ["IgStaticOtherExportDirectory", "IgOtherSourceDirectories"])
def test_folders_stay_below_those_of_the_site(name: str, folder: str, world: Path) -> None:
    directories = world / "ws" / "common" / "objects" / "directories.py"
    directories.write_text(DIRECTORIES + f"{name} = {folder!r}\n")
    with pytest.raises(SettingsError, match=name):
        items(world, "ig")


def test_processes_that_a_project_does_not_have(world: Path) -> None:
    with pytest.raises(SettingsError, match="VegetExportDirectory"):
        items(world, "veget")
    with pytest.raises(EditError, match="no such process"):
        items(world, "vegetables")
    process = world / "ws" / "common" / "objects" / "process.py"
    process.write_text('ProcessToComplete = [ "veget" ]')
    plan = plan_project(world / "ws", "common/objects", site(world))
    assert not plan.items
    assert plan.log[0].startswith("WARNING veget")


def test_the_site_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "buildsite.py"
    path.write_text('Root = "W:/"\nDatabaseDirectory = Root + "db"\nExportBuildDirectory = "ex"\n')
    assert Site.read(path) == Site(Path("W:/db"), Path("ex"))
    path.write_text('DatabaseDirectory = "x"\n')
    with pytest.raises(SettingsError, match="ExportBuildDirectory"):
        Site.read(path)


def test_files_that_two_scenes_write_are_told(world: Path) -> None:
    results = [
        BuildResult(BuildItem("ig", ((name, {}),), "t"), DONE, outputs=[f"/out/{name[0]}.ig", out])
        for name, out in (
            ("a.max", "/out/Same.ig"),
            ("b.max", "/out/same.ig"),
            ("b.max", "/out/same.ig"),
            ("c.max", "/out/SAME.ig"),
        )
    ]
    assert list(written_twice(results)) == [
        "WARNING /out/Same.ig is written for a.max, and again for b.max, c.max"
    ]


def test_a_folder_that_is_listed_twice_is_exported_once(world: Path) -> None:
    directories = world / "ws" / "common" / "objects" / "directories.py"
    twice = '[ "stuff/objects", "stuff/objects" ]'
    directories.write_text(f"{DIRECTORIES}ShapeSourceDirectories = {twice}\n")
    (item,) = items(world, "shape")
    assert len(item.scenes) == 1
    assert build_item(item).status == DONE


@pytest.mark.skipif(os.name == "nt", reason="Windows has such names")
def test_a_folder_that_no_file_system_can_name(world: Path) -> None:
    directories = world / "ws" / "common" / "objects" / "directories.py"
    directories.write_text(DIRECTORIES + r'ShapeSourceDirectories = [ "\ud800" ]')
    with pytest.raises(SettingsError, match="must lie in the database"):
        items(world, "shape")


def test_outputs_that_are_not_written_any_more_are_told(world: Path) -> None:
    (first,) = build(world, "shape").values()
    assert first.status == DONE
    source = world / "db" / "stuff" / "objects" / "Plants.MAX"
    scene = GameScene()
    scene.box_node("Bush", IGNAME="forest")
    scene.save(source)
    (second,) = build(world, "shape").values()
    assert second.status == DONE
    told = [line for line in second.log if "earlier export" in line]
    assert len(told) == 1
    assert "tree.shape" in told[0]
    assert (world / "out/common/objects/shape_with_coarse_mesh/tree.shape").is_file()


def test_a_workspace_that_is_not_there(world: Path) -> None:
    with pytest.raises(SettingsError, match="no such workspace"):
        plan_project(world / "nothing", "common/objects", site(world))


def test_an_item_that_a_worker_lost(world: Path) -> None:
    (item,) = items(world, "ig")
    result = not_built(item, "it took too long")
    assert result.status == FAILED
    assert "it took too long" in result.log[0]
