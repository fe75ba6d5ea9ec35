"""Collision primitives."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.export.primitives import export
from maxsidecar.nel.export.registry import Failure, Job, LeftOut, Product
from maxsidecar.nel.serial import read_bytes
from tests.support.nel_scenes import INTEGER, PACS_BOX, PACS_CYLINDER, GameScene, viewed


def exported(scene: GameScene, folder: Path) -> tuple[list[Product], list[Any]]:
    with viewed(scene, folder) as view:
        steps = list(export(Job(view, "Stones")))
    products = [step for step in steps if isinstance(step, Product)]
    return products, [step for step in steps if not isinstance(step, Product)]


def add(scene: GameScene, name: str, shows: int, euler: float = 0.0) -> int:
    place = scene.add_transform((1.0, 2.0, 3.0), (0.0, 0.0, euler))
    return scene.add_node(name, shows, transform=place)


def test_boxes_and_cylinders(tmp_path: Path) -> None:
    scene = GameScene()
    box = scene.primitive(
        PACS_BOX,
        scene.add_box(4.0, 3.0, 5.0),
        Reaction=3,
        EnterTrigger=1,
        OverlapTrigger=1,
        CollisionMask=-1,
        OcclusionMask=6,
        Obstacle=0,
        Absorbtion=0.25,
        UserData0=1,
        UserData1=2,
        UserData3=0xFFFF,
    )
    add(scene, "box", box, euler=pi / 6)
    add(scene, "tree", scene.primitive(PACS_CYLINDER, scene.add_cylinder(1.5, 8.0)))
    scene.box_node("plain")
    (product,), rest = exported(scene, tmp_path)
    assert [type(step) for step in rest] == [LeftOut]
    assert (product.name, product.suffix, product.lower) == ("Stones", ".pacs_prim", False)
    block = read_bytes(product.file.to_bytes(), "x.pacs_prim").content
    first, second = block.primitives
    assert (first.type, first.length, first.height) == (0, (3.0, 4.0), 5.0)
    assert (first.reaction, first.trigger, first.obstacle) == (0x20, 0x500, False)
    assert (first.collision_mask, first.occlusion_mask) == (0xFFFFFFFF, 6)
    assert first.attenuation == 0.25
    assert first.user_data == 1 | 2 << 16 | 0xFFFF << 48
    assert first.position == (1.0, 2.0, 3.0)
    assert first.orientation == pytest.approx(pi / 6, abs=1e-5)
    assert (second.type, second.length, second.height) == (1, (1.5, 0.0), 8.0)
    assert (second.reaction, second.trigger, second.obstacle) == (0, 0, True)
    assert second.orientation == 0.0


@pytest.mark.parametrize(
    ("turn", "expected"), [(0.0, 2 * pi), (pi / 2, pi / 2), (pi, pi), (-pi / 2, 1.5 * pi)]
)
def test_angles_are_above_zero(turn: float, expected: float, tmp_path: Path) -> None:
    scene = GameScene()
    add(scene, "box", scene.primitive(PACS_BOX, scene.add_box(1.0, 1.0, 1.0)), euler=turn)
    (product,), _ = exported(scene, tmp_path)
    assert product.file.content.primitives[0].orientation == pytest.approx(expected, abs=1e-5)


def test_a_primitive_without_values_keeps_the_file_from_being_written(tmp_path: Path) -> None:
    scene = GameScene()
    add(scene, "good", scene.primitive(PACS_BOX, scene.add_box(1.0, 1.0, 1.0)))
    bad = scene.scripted(PACS_BOX, scene.add_box(1.0, 1.0, 1.0), {0: (INTEGER, 1)})
    add(scene, "bad", bad)
    products, rest = exported(scene, tmp_path)
    assert not products
    assert {type(step) for step in rest} == {Failure}
    reasons = {step.node.name: step.reason for step in rest}
    assert "Reaction" in reasons["bad"]
    assert "another primitive" in reasons["good"]


def test_no_primitives_no_file(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("plain")
    products, rest = exported(scene, tmp_path)
    assert not products
    assert [step.reason for step in rest] == ["it is no collision primitive"]
