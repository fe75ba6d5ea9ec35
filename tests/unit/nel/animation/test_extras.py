"""Tracks of materials, lights, particle systems, cameras and morphs; values by the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.animation.collect import Collector
from maxsidecar.scene.authoring_keys import LINEAR_POSITION
from maxsidecar.scene.authoring_parameters import old_float
from maxsidecar.scene.controllers import layouts
from tests.support.nel_animated import (
    BEZIER_COLOR,
    BEZIER_POINT3,
    BEZIER_POSITION,
    LINEAR_FLOAT,
    ON_OFF,
    TCB_POINT3,
    TCB_POSITION,
    AnimatedScene,
    on_off,
)
from tests.support.nel_scenes import OMNI, PARTICLES, color, viewed

POINT = layouts.BEZIER_POINT3
SLOPES = {"in_tangent": (0.0, 0.0, 0.001), "out_tangent": (0.0, 0.0, -0.002)}
RED = ({"time": 0, "value": (1.0, 0.5, 0.0), **SLOPES}, {"time": 4800, "value": (0.0, 0.0, 0.0)})


def collected(scene: AnimatedScene, node: int, folder: Path, prefix: str = "") -> Collector:
    with viewed(scene, folder) as view:
        collector = Collector(view, frozenset([node]))
        collector.add(view.scene.nodes[node], prefix)
    return collector


def with_material(scene: AnimatedScene, material: int, **flags: Any) -> int:
    given = {"EXPORT_ANIMATED_MATERIALS": 1, **flags}
    node = scene.add_node(
        "node", scene.add_box(1.0, 1.0, 1.0), transform=scene.add_transform(), material=material
    )
    return scene.flag(node, **given)


def test_values_of_a_standard_material(tmp_path: Path) -> None:
    scene = AnimatedScene()
    material = scene.add_standard_material("wall", specular_level=0.5)
    block = scene.shader_block(material)
    for number in (8, 2, 1, 0):  # emissive, specular, diffuse, ambient
        scene.animate(block, number, scene.controller(BEZIER_POINT3, POINT, *RED))
    opacity = scene.number(t0=1.0, t480=0.25)
    extended = scene.parts_of(material)[4]
    assert extended is not None
    scene.animate(extended, 1, opacity)
    node = with_material(scene, material)
    tracks = collected(scene, node, tmp_path, "house.").tracks
    assert list(tracks) == [
        f"house.wall.{value}" for value in ("ambient", "diffuse", "specular", "emissive", "opacity")
    ]
    diffuse: Any = tracks["house.wall.diffuse"]
    assert type(diffuse).__name__ == "CTrackKeyFramerBezierRGBA"
    # Colours keep their numbers from 0 to 1, and have slopes per second.
    assert diffuse.keys["value"].tolist() == [[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    assert diffuse.keys["in_tan"][0].tolist() == pytest.approx([0.0, 0.0, 4.8])
    assert diffuse.keys["out_tan"][0].tolist() == pytest.approx([0.0, 0.0, -9.6])
    # Highlights are as strong as the level says; their slopes are not.
    specular: Any = tracks["house.wall.specular"]
    assert specular.keys["value"].tolist() == [[0.5, 0.25, 0.0], [0.0, 0.0, 0.0]]
    assert specular.keys["in_tan"][0].tolist() == pytest.approx([0.0, 0.0, 4.8])
    track: Any = tracks["house.wall.opacity"]
    assert type(track).__name__ == "CTrackKeyFramerBezierFloat"
    assert track.keys["value"].tolist() == [1.0, 0.25]


def test_colors_of_other_controllers(tmp_path: Path) -> None:
    scene = AnimatedScene()
    material = scene.add_standard_material("m")
    block = scene.shader_block(material)
    linear = [{"time": 0, "value": (1.0, 0.99, 0.0)}, {"time": 480, "value": (2.5, 0.0, 1.0)}]
    tcb = {"time": 0, "value": (0.25, 0.5, 1.0), "tension": 1.0, "ease_in": 0.5}
    scene.animate(block, 2, scene.controller(BEZIER_COLOR, POINT, *RED))
    scene.animate(block, 1, scene.controller(TCB_POSITION, layouts.TCB_POSITION, tcb))
    scene.animate(block, 0, scene.controller(LINEAR_POSITION, layouts.LINEAR_POSITION, *linear))
    node = with_material(scene, material)
    found = collected(scene, node, tmp_path)
    assert list(found.tracks) == ["m.ambient", "m.diffuse"]
    ambient: Any = found.tracks["m.ambient"]
    assert type(ambient).__name__ == "CTrackKeyFramerLinearRGBA"
    # Cast as they are: all below 1 is black.
    assert ambient.keys["value"].tolist() == [[1, 0, 0, 255], [2, 0, 1, 255]]
    diffuse: Any = found.tracks["m.diffuse"]
    assert type(diffuse).__name__ == "CTrackKeyFramerTCBRGBA"
    assert diffuse.keys["value"].tolist() == [[0.25, 0.5, 1.0]]
    assert (diffuse.keys["tension"][0], diffuse.keys["ease_to"][0]) == (1.0, 0.5)
    # Colour controllers are not among those that the plug-in takes.
    assert found.notes[node] == ["m.specular: Bezier Color has no keys that the game knows"]


def test_materials_need_the_flag(tmp_path: Path) -> None:
    scene = AnimatedScene()
    material = scene.add_standard_material("m")
    scene.animate(scene.shader_block(material), 1, scene.controller(BEZIER_POINT3, POINT, *RED))
    node = with_material(scene, material, EXPORT_ANIMATED_MATERIALS=0)
    assert collected(scene, node, tmp_path).tracks == {}


def moving_picture(scene: AnimatedScene) -> int:
    picture = scene.add_bitmap_map("C:/water.tga", (1, 1))
    block = scene.coordinates_block(picture)
    numbers = {"time": 0, "value": 0.0}, {"time": 4800, "value": -1.0}
    for parameter in (6, 1):  # the turn and the shift along v
        scene.animate(
            block, parameter, scene.controller(LINEAR_FLOAT, layouts.LINEAR_FLOAT, *numbers)
        )
    return picture


def test_textures_of_nel_materials(tmp_path: Path) -> None:
    """A Multi/Sub-Object has what moves in the first material in it, and comes behind all."""
    scene = AnimatedScene()
    picture = moving_picture(scene)
    still = scene.nel_material("still", tTexture_1=picture, bEnableSlot_1=1)
    off = scene.nel_material("off", tTexture_1=picture, bExportTextureMatrix=1)
    water = scene.nel_material(
        "water", tTexture_1=picture, bEnableSlot_1=1, tTexture_3=picture, bEnableSlot_3=1,
        tTexture_5=picture, bEnableSlot_5=1, bExportTextureMatrix=1,
    )  # fmt: skip
    slots = [(0, water, ""), (1, still, ""), (2, off, ""), (3, None, ""), (4, water, "")]
    node = with_material(scene, scene.add_multi_material("all", slots))
    found = collected(scene, node, tmp_path)
    # The game has four stages.
    assert list(found.tracks) == [
        f"{name}.{value}{stage}"
        for name in ("water", "all")
        for stage in (0, 2)
        for value in ("VTrans", "WRot")
    ]
    track: Any = found.tracks["all.VTrans0"]
    assert type(track).__name__ == "CTrackKeyFramerLinearFloat"
    assert track.keys["value"].tolist() == [0.0, -1.0]
    assert (track.range_lock, track.range_begin, track.range_end) == (False, 0.0, 1.0)
    assert found.notes == {}


def test_colors_below_nel_materials(tmp_path: Path) -> None:
    """What the script itself keeps has other names, which the plug-in does not ask for."""
    scene = AnimatedScene()
    material = scene.nel_material("m")
    inner, own = scene.parts_of(material)[:2]
    assert inner is not None
    assert own is not None
    scene.animate(own, 2, scene.controller(BEZIER_POINT3, POINT, *RED))  # cDiffuse
    scene.animate(scene.shader_block(inner), 0, scene.controller(BEZIER_POINT3, POINT, *RED))
    node = with_material(scene, material)
    found = collected(scene, node, tmp_path)
    assert list(found.tracks) == ["m.ambient"]
    assert found.notes[node] == ["m.cDiffuse is left out: the plug-in does not look at it"]


def light(scene: AnimatedScene, controller: int, **flags: Any) -> int:
    values = [color(1.0, 1.0, 1.0), *(old_float(1.0) for _ in range(14))]
    node = scene.light_node("lamp", OMNI, values, **flags)
    base = scene.parts_of_node(node)
    block = scene.parts_of(base)[0]
    assert block is not None
    scene.animate(block, 0, controller)
    return node


@pytest.mark.parametrize(
    ("animation", "name"), [("fire", "fire"), ("Sun", ""), ("GlobalLight", ""), ("", "")]
)
def test_lights(animation: str, name: str, tmp_path: Path) -> None:
    scene = AnimatedScene()
    controller = scene.controller(BEZIER_POINT3, POINT, *RED, flags=0x10, span=(0, 9600))
    node = light(scene, controller, LM_ANIMATED=1, LM_ANIMATED_LIGHT=animation)
    tracks = collected(scene, node, tmp_path, "never.").tracks
    track: Any = tracks[f"LightmapController.{name}"]
    assert list(tracks) == [f"LightmapController.{name}"]
    assert type(track).__name__ == "CTrackKeyFramerBezierRGBA"
    assert (track.range_begin, track.range_end, track.loop_mode) == (0.0, 2.0, True)


def test_lights_with_tcb_keys(tmp_path: Path) -> None:
    scene = AnimatedScene()
    keys = (
        {"time": 0, "value": (1.0, 0.5, 0.0), "bias": -1.0},
        {"time": 480, "value": (0.0, 0.0, 0.0)},
    )
    node = light(scene, scene.controller(TCB_POINT3, layouts.TCB_POSITION, *keys), LM_ANIMATED=1)
    track: Any = collected(scene, node, tmp_path).tracks["LightmapController."]
    assert type(track).__name__ == "CTrackKeyFramerTCBRGBA"
    assert track.keys["value"].tolist() == [[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    assert track.keys["bias"].tolist() == [-1.0, 0.0]


def test_lights_need_the_flag(tmp_path: Path) -> None:
    scene = AnimatedScene()
    node = light(scene, scene.controller(BEZIER_POINT3, POINT, *RED), LM_ANIMATED_LIGHT="fire")
    assert collected(scene, node, tmp_path).tracks == {}


def particles(scene: AnimatedScene, *, trigger: int, number: int, parent: int | None = None) -> int:
    block = scene.block(PARTICLES.a, 6, {"ps_file_name": "a.ps", "PSTrigger": False})
    scene.animate(block, 5, trigger)
    scene.animate(block, 2, number)
    base = scene.add_object(PARTICLES, (), [scene.add_sphere(1.0, 8), block])
    scene._own(base, block)
    return scene.add_node("fire", base, parent=parent, transform=scene.add_transform())


@pytest.mark.parametrize(("state", "values"), [(0, [1, 0, 1]), (1, [0, 1, 0])])
def test_particles(state: int, values: list[int], tmp_path: Path) -> None:
    scene = AnimatedScene()
    trigger = scene.add_object(ON_OFF, on_off(state, 480, 960, 1440), {})
    node = particles(scene, trigger=trigger, number=scene.number(t0=0.0, t480=3.0))
    tracks = collected(scene, node, tmp_path, "gun.").tracks
    assert list(tracks) == ["gun.PSParam1", "gun.PSTrigger"]
    track: Any = tracks["gun.PSTrigger"]
    # The state is that before the first key; each key turns it over.
    assert track.keys["value"].tolist() == values
    assert track.keys["time"].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert (track.range_begin, track.range_end) == pytest.approx((0.1, 0.3))


def test_morphs(tmp_path: Path) -> None:
    scene = AnimatedScene()
    smile = scene.box_node("smile")
    node = scene.morphed("face", smile, scene.number(t0=0.0, t480=100.0), channel=99)
    tracks = collected(scene, node, tmp_path).tracks
    assert list(tracks) == ["smileMorphFactor"]
    track: Any = tracks["smileMorphFactor"]
    assert track.keys["value"].tolist() == [0.0, 100.0]


def test_only_chosen_nodes_have_them(tmp_path: Path) -> None:
    """What hangs on them has its place only; that it lost something is told."""
    scene = AnimatedScene()
    root = scene.box_node("root", EXPORT_ANIMATED_MATERIALS=1)
    trigger = scene.add_object(ON_OFF, on_off(0, 480), {})
    number = scene.number(t0=0.0, t480=3.0)
    child = particles(scene, trigger=trigger, number=number, parent=root)
    scene.annotate(scene.flag(child, EXPORT_NOTE_TRACK=1), {0: "step"})
    found = collected(scene, root, tmp_path)
    assert found.tracks == {}
    (note,) = found.notes[child]
    assert "fire.PSParam1, fire.PSTrigger, NoteTrack left out" in note
    with viewed(scene, tmp_path) as view:
        collector = Collector(view, frozenset([root, child]))
        for index in (root, child):
            collector.add(view.scene.nodes[index], "")
    assert list(collector.tracks) == ["PSParam1", "PSTrigger", "NoteTrack"]
    assert collector.notes == {}


def test_keys_of_places_are_scaled_as_places(tmp_path: Path) -> None:
    """Also where they are colours: slopes are per tick in files, per second in the game."""
    scene = AnimatedScene()
    material = scene.add_standard_material("m")
    scene.animate(scene.shader_block(material), 1, scene.controller(BEZIER_POSITION, POINT, *RED))
    track: Any = collected(scene, with_material(scene, material), tmp_path).tracks["m.diffuse"]
    assert track.keys["out_tan"][0].tolist() == pytest.approx([0.0, 0.0, -9.6])


def test_materials_in_one_another_without_end(tmp_path: Path) -> None:
    """They are looked into up to some depth, and what moves in them is found from each of them."""
    scene = AnimatedScene()
    material = scene.add_standard_material("leaf")
    scene.animate(scene.shader_block(material), 1, scene.controller(BEZIER_POINT3, POINT, *RED))
    materials = []
    for number in range(1200):
        material = scene.add_multi_material(f"m{number}", [(0, material, ""), (1, material, "")])
        materials.append(material)
    few, many = (with_material(scene, materials[number]) for number in (2, -1))
    found = collected(scene, few, tmp_path)
    assert list(found.tracks) == ["m2.diffuse", "m1.diffuse", "m0.diffuse", "leaf.diffuse"]
    assert collected(scene, many, tmp_path).tracks == {}


def test_materials_that_hold_themselves(tmp_path: Path) -> None:
    scene = AnimatedScene()
    leaf = scene.add_standard_material("leaf")
    scene.animate(scene.shader_block(leaf), 1, scene.controller(BEZIER_POINT3, POINT, *RED))
    outer = scene.add_multi_material("outer", [(0, None, ""), (1, leaf, "")])
    slots: Any = scene._objects[outer].references
    slots[slots.index(None)] = outer
    found = collected(scene, with_material(scene, outer), tmp_path)
    assert list(found.tracks) == ["outer.diffuse", "leaf.diffuse"]
