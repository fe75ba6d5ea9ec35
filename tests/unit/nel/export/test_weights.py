"""Skeleton weights."""

from __future__ import annotations

from pathlib import Path

from maxsidecar.nel.export.registry import Job, LeftOut, Product
from maxsidecar.nel.export.weights import export
from tests.support.nel_scenes import GameScene, viewed


def test_each_node_with_the_flag_gives_three_tracks(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("Bip01 Neck", EXPORT_SWT=1, SWT_WEIGHT="0,5")
    scene.add_node("off", scene.add_dummy(1.0))
    scene.flag(scene.add_node("Head", scene.add_dummy(1.0)), EXPORT_SWT=1)
    with viewed(scene, tmp_path) as view:
        left, product = export(Job(view, "Gnu_Top"))
    assert isinstance(left, LeftOut)
    assert isinstance(product, Product)
    assert (product.name, product.lower) == ("Gnu_Top", False)
    weights = [(element.name, element.weight) for element in product.file.content.elements]
    assert weights == [
        ("Bip01 Neck.rotquat", 0.5), ("Bip01 Neck.pos", 0.5), ("Bip01 Neck.scale", 0.5),
        ("Head.rotquat", 0.0), ("Head.pos", 0.0), ("Head.scale", 0.0),
    ]  # fmt: skip


def test_no_file_without_a_node(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("box", EXPORT_SWT=0)
    with viewed(scene, tmp_path) as view:
        assert [type(step) for step in export(Job(view, "scene"))] == [LeftOut]
