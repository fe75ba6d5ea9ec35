"""Which nodes become shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.export.registry import COARSE, MAIN, Job, LeftOut, Product
from maxsidecar.nel.export.shapes import export
from tests.support.nel_scenes import PACS_BOX, PARTICLES, PATCHES, GameScene, steps_by_node, viewed


def exported(scene: GameScene, folder: Path) -> dict[str, Any]:
    with viewed(scene, folder) as view:
        return steps_by_node(export(Job(view, "scene")))


def test_the_rules_of_the_script(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Plain")
    scene.box_node("clusterized", ACCEL=32)
    scene.box_node("not clusterized", ACCEL=0)
    scene.box_node("cluster", ACCEL=10)
    scene.box_node("portal", ACCEL=1)
    scene.box_node("flag by mistake", ACCEL=33)
    scene.box_node("off", DONTEXPORT=1)
    scene.box_node("on again", DONTEXPORT=0)
    scene.box_node("ground", COLLISION=1)
    scene.box_node("edge", COLLISION_EXTERIOR=1)
    scene.box_node("Bip01 Hand")
    hip = scene.box_node("Bip02")
    scene.box_node("sword", parent=scene.box_node("hand", parent=hip))
    scene.box_node("bipedal")
    scene.add_node("land", scene.add_object(PATCHES))
    scene.add_node("stone", scene.primitive(PACS_BOX, scene.add_box(1.0, 1.0, 1.0)))
    scene.add_node("smoke", scene.scripted(PARTICLES, scene.add_sphere(1.0), {}))
    scene.add_node("helper", scene.add_dummy(1.0))
    steps = exported(scene, tmp_path)
    written = {name for name, step in steps.items() if isinstance(step, Product)}
    assert written == {"Plain", "clusterized", "not clusterized", "on again", "bipedal"}
    by_flag = {name for name, step in steps.items() if isinstance(step, LeftOut) and step.chosen}
    expected = {"cluster", "portal", "flag by mistake", "off", "ground", "edge"}
    assert by_flag == expected
    assert "a portal" in steps["portal"].reason
    assert "a cluster" in steps["cluster"].reason
    assert "Bip02" in steps["sword"].reason
    assert all(step.reason for step in steps.values() if isinstance(step, LeftOut))


@pytest.mark.parametrize(
    ("flag", "text", "kept_out"),
    [
        ("DONTEXPORT", "2", True),
        ("DONTEXPORT", "01", True),
        ("DONTEXPORT", "off", False),
        ("COLLISION", " 1", True),
        ("COLLISION", "2", False),
        ("COLLISION_EXTERIOR", "01", False),
    ],
)
def test_numbers_that_the_script_lets_pass(
    flag: str, text: str, kept_out: bool, tmp_path: Path
) -> None:
    scene = GameScene()
    scene.flag(scene.box_node("node"), **{flag: text})
    assert isinstance(exported(scene, tmp_path)["node"], LeftOut) is kept_out


@pytest.mark.parametrize(("coarse", "folder"), [(1, COARSE), (0, MAIN)])
def test_levels_of_detail(coarse: int, folder: str, tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("tree", LOD_NAME_COUNT=2, LOD_NAME_0="TREE_middle", LOD_NAME_1="tree_far")
    scene.box_node("tree_middle")
    scene.box_node("tree_far", LOD_COARSE_MESH=coarse)
    scene.box_node("bush", LOD_NAME_COUNT=0, LOD_NAME_0="stone")
    scene.box_node("stone")
    steps = exported(scene, tmp_path)
    written = {name for name, step in steps.items() if isinstance(step, Product)}
    assert written == {"tree", "bush", "stone"}
    assert steps["tree"].folder == folder
    assert steps["bush"].folder == MAIN
    assert steps["tree_middle"].reason == "it is a level of detail of tree"


def test_an_absurd_number_of_levels_is_bounded(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("tree", LOD_NAME_COUNT=2000000000, LOD_NAME_9="last")
    scene.box_node("last")
    scene.box_node("other", LOD_NAME_COUNT=-5, LOD_NAME_0="tree")
    steps = exported(scene, tmp_path)
    assert isinstance(steps["last"], LeftOut)
    assert isinstance(steps["tree"], Product)
