"""Every example script runs on the sample and does what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.scene.appdata import AppDataItem
from maxsidecar.scene.appdata_registry import REGISTRY
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.materials.bitmap import BitmapMap
from tests.fuzz.bases import load_example

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def run(name: str, *arguments: str | Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True, text=True, encoding="utf-8", cwd=EXAMPLES.parent, check=False,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES.parent)},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout


def test_list_nodes(sample_scene: Path) -> None:
    lines = run("list_nodes.py", sample_scene).splitlines()
    assert lines[0].endswith("3ds Max 6, 9 nodes")
    assert "    house [Box]" in lines
    assert "      door [Box]" in lines
    assert "    collision.box [Box] hidden" in lines


def test_list_nodes_goes_on_behind_a_bad_file(sample_scene: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.max"
    bad.write_bytes(b"nothing")
    assert "house" in run("list_nodes.py", bad, tmp_path / "none.max", sample_scene, code=1)


def test_dump_appdata(sample_scene: Path) -> None:
    lines = run("dump_appdata.py", sample_scene).splitlines()
    assert "  house: nel.lod.dist_max = 200.0" in lines
    assert "  house: 0badc0de-12345678/1020/7 = 01 02 72 69 64 65 73 20 61 6c 6f 6e 67 00" in lines


def test_edit_flag(sample_scene: Path) -> None:
    before = sample_scene.read_bytes()
    out = run("edit_flag.py", "lod.dist_max=350", "house", sample_scene)
    assert out.endswith("1 node changed\n")
    prop = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
    assert prop is not None
    with maxsidecar.open(sample_scene) as file:
        raw = file.nodes.find("house")[0].appdata.get(prop.key)
    assert raw is not None
    assert float(raw.rstrip(b"\0")) == 350.0
    assert sample_scene.with_name("sample.max.bak").read_bytes() == before
    # The same again changes nothing.
    assert run("edit_flag.py", "lod.dist_max=350", "house", sample_scene).endswith(
        "0 nodes changed\n"
    )
    assert not run("edit_flag.py", "lod.dist_max=350", "nobody", sample_scene, code=1)
    run("edit_flag.py", "no.such=1", "house", sample_scene, code=2)
    run("edit_flag.py", "lod.dist_max=[", "house", sample_scene, code=1)


def test_scripts_work_in_the_code_page_of_the_scene(sample_scene: Path) -> None:
    prop = REGISTRY.by_toml_path(("nel", "instance_name"))
    assert prop is not None
    with maxsidecar.open(sample_scene) as file:
        # What the file would say; a cached property takes it from here.
        vars(file)["code_page"] = "cp1251"
        assert load_example("edit_flag").set_flag(file, "house", prop, "дом") == 1
        item = AppDataItem(prop.key, "дом".encode("cp1251") + b"\0")
        assert item in list(file.nodes.find("house")[0].appdata)
        shown = load_example("dump_appdata").show(item, file.code_page)
        assert shown == "nel.instance_name = дом"


def test_batch_rename(sample_scene: Path) -> None:
    before = sample_scene.read_bytes()
    run("batch_rename_userprops.py", "--dry-run", "floors", "storeys", sample_scene.parent)
    assert sample_scene.read_bytes() == before
    assert run("batch_rename_userprops.py", "floors", "storeys", sample_scene).endswith("1 node\n")
    with maxsidecar.open(sample_scene) as file:
        text = file.nodes.find("house")[0].user_properties_text
    assert text == "material = brick\r\nstoreys = 2\r\n"


@pytest.mark.parametrize(
    "name", ["list_nodes.py", "dump_appdata.py", "edit_flag.py", "batch_rename_userprops.py"]
)
def test_without_arguments_scripts_say_how_they_are_used(name: str) -> None:
    assert run(name, code=2) == ""


@pytest.mark.parametrize("name", ["list_nodes.py", "dump_appdata.py"])
def test_a_closed_pipe_is_no_fault(name: str, sample_scene: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), str(sample_scene)],
        stdout=writer, stderr=subprocess.PIPE, check=False,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES.parent)},
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def migrate(script: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "maxsidecar", "migrate", "run",
         str(EXAMPLES / script), str(folder), "--jobs", "0", "--verbose"],
        capture_output=True, text=True, encoding="utf-8", cwd=EXAMPLES.parent, check=False,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return (done.stdout + done.stderr).splitlines()


def test_migrate_lod_of_trees(sample_scene: Path) -> None:
    with maxsidecar.open(sample_scene) as file:
        file.nodes.find("house")[0].name = "Tree_07"
        file.save()
    lines = migrate("migrate_lod_of_trees.py", sample_scene)
    assert any(line.endswith("nel.lod.dist_max: 200.0 -> 300.0") for line in lines)
    prop = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
    assert prop is not None
    with maxsidecar.open(sample_scene) as file:
        assert file.nodes.find("Tree_07")[0].appdata.value(prop) == 300.0


def test_migrate_collision_flags(sample_scene: Path) -> None:
    prop = REGISTRY.by_toml_path(("nel", "collision", "enabled"))
    assert prop is not None
    with maxsidecar.open(sample_scene) as file:
        assert file.nodes.find("collision.box")[0].appdata.value(prop) is not True
        file.nodes.find("house")[0].appdata.edit(prop, True)
        file.save()
    lines = migrate("migrate_collision_flags.py", sample_scene)
    assert any("house" in line and "does not say so" in line for line in lines)
    with maxsidecar.open(sample_scene) as file:
        assert file.nodes.find("collision.box")[0].appdata.value(prop) is True


def test_migrate_texture_paths(tmp_path: Path) -> None:
    builder = SceneBuilder(title="Textures")
    picture = builder.add_bitmap_map("C:\\textures\\wood\\oak.tga", (4, 4), name="oak")
    material = builder.add_standard_material("oak", diffuse_map=picture)
    builder.add_node("box", builder.add_box(1, 1, 1), material=material)
    path = tmp_path / "a.max"
    path.write_bytes(builder.to_bytes())
    migrate("migrate_texture_paths.py", path)
    with maxsidecar.open(path) as file:
        (found,) = [obj for obj in file.scene.of_superclass(0xC10) if isinstance(obj, BitmapMap)]
        # The first rule that matches wins, so the extension stays.
        assert found.path == "\\\\server\\art\\textures\\wood\\oak.tga"
    assert any("nothing to do" in line for line in migrate("migrate_texture_paths.py", path))
