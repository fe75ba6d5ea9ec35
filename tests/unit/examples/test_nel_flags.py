"""The example that changes export flags and looks at the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.nel.serial import read_file
from maxsidecar.scene.authoring_parameters import old_float
from tests.fuzz.bases import load_example
from tests.support.nel_scenes import FREE_DIRECT, OMNI, GameScene, color


def test_the_walk_through_shows_an_effect_of_every_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = load_example("nel_flags")
    assert example.main([str(tmp_path)]) == 0
    steps = capsys.readouterr().out.split("--- ")[1:]
    assert len(steps) == len(example.STEPS)
    assert not any("no exported file changes" in step for step in steps)
    shown = "\n".join(steps)
    for expected in (
        "new:     collision.box.shape",
        "+ father_visible: True",
        "new:     house.shape",
        "+ dist_max: 300.0",
        "+ instance_name: 'tower'",
        "new:     дом над рекой.veget",
        "new:     all.cmb",
    ):
        assert expected in shown


def test_one_flag_of_another_scene(
    sample_scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = [str(sample_scene), "house", "nel.instance_name", "villa"]
    before = sample_scene.read_bytes()
    example = load_example("nel_flags")
    assert example.main([str(tmp_path / "out"), "--scene", *flag]) == 0
    # The house is a cluster, whose name is that of the node.
    assert capsys.readouterr().out.startswith("no exported file changes")
    assert sample_scene.read_bytes() == before


def test_lights(tmp_path: Path) -> None:
    scene = GameScene()
    values = [color(1.0, 1.0, 1.0), *[old_float(0.0)] * 14]
    scene.light_node("lamp", OMNI, values, EXPORT_REALTIME_LIGHT=1)
    scene.light_node("beam", FREE_DIRECT, [*values, *[old_float(0.0)] * 4])
    path = scene.save(tmp_path / "scene.max")
    effect = load_example("nel_flags").effect
    lines = effect(path, "lamp", {"light.export_realtime": "false"}, tmp_path / "1")
    assert "gone:    all.ig" in lines
    assert "left out of ig: lamp: EXPORT_REALTIME_LIGHT is off" in lines
    effect(path, "lamp", {"light.animated_light": "street", "light.group": "2"}, tmp_path / "2")
    (light,) = read_file(tmp_path / "2" / "after" / "all.ig").content.point_lights.point_lights
    assert (light.animated_light, light.light_group) == ("street", 2)
    effect(path, "beam", {"light.sun": "true"}, tmp_path / "3")
    assert read_file(tmp_path / "3" / "after" / "all.ig").content.real_time_sun_contribution


def test_a_scene_that_is_not_there_is_told(tmp_path: Path) -> None:
    example = load_example("nel_flags")
    arguments = [str(tmp_path / "out"), "--scene", str(tmp_path / "gone.max"), "x", "a", "b"]
    with pytest.raises(SystemExit, match=r"gone\.max"):
        example.main(arguments)
