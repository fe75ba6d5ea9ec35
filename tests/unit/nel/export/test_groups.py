"""Instance groups."""

from __future__ import annotations

from math import cos, pi, radians, sin
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.nel.export.groups import export
from maxsidecar.nel.export.registry import Failure, Job, LeftOut, Product
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.particle_system import CParticleSystemShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_parameters import old_float
from tests.support.nel_scenes import (
    BOOLEAN,
    FLOAT,
    FREE_DIRECT,
    FREE_SPOT,
    OMNI,
    PARTICLES,
    PATCHES,
    GameScene,
    color,
    viewed,
)

QUAD = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
HALVES = [(0, 1, 2), (2, 3, 0)]


def exported(
    scene: SceneBuilder, folder: Path, group: str = "", particles: tuple[str, ...] = ()
) -> tuple[dict[str, Any], list[Any]]:
    """Return the groups by name, and the other steps."""
    with viewed(scene, folder) as view:
        steps = list(export(Job(view, "scene", group, particles)))
    products = [step for step in steps if isinstance(step, Product)]
    rest = [step for step in steps if not isinstance(step, Product)]
    return {product.name: product for product in products}, rest


def only(scene: SceneBuilder, folder: Path) -> Any:
    groups, rest = exported(scene, folder)
    assert not [step for step in rest if isinstance(step, Failure)], rest
    (product,) = groups.values()
    return product.file.content


def test_groups_are_told_apart_by_name(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("one", IGNAME="IG_B")
    scene.box_node("two", IGNAME="ig_a")
    scene.box_node("three", IGNAME="IG_B")
    scene.box_node("none")
    scene.box_node("empty", IGNAME="")
    groups, rest = exported(scene, tmp_path)
    assert list(groups) == ["IG_B", "ig_a"]
    assert [i.name for i in groups["IG_B"].file.content.instances] == ["one", "three"]
    assert not groups["IG_B"].lower
    assert [step.node.name for step in rest] == ["none", "empty"]
    assert all(isinstance(step, LeftOut) and "IGNAME" in step.reason for step in rest)


def test_nodes_without_a_group_go_to_the_one_that_is_named(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("one", IGNAME="mine")
    scene.box_node("none")
    groups, rest = exported(scene, tmp_path, "rest")
    assert [i.name for i in groups["rest"].file.content.instances] == ["none"]
    assert not rest


def test_geometry_comes_first_then_lights_then_helpers(tmp_path: Path) -> None:
    scene = GameScene()
    dummy = scene.add_node("dummy", scene.add_dummy(1.0))
    scene.flag(dummy, IGNAME="g")
    scene.box_node("box", IGNAME="g")
    assert [i.name for i in only(scene, tmp_path).instances] == ["box", "dummy"]


def test_flags_of_an_instance(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node(
        "Node",
        IGNAME="g",
        INSTANCE_NAME="named",
        INSTANCE_SHAPE="Tree.SHAPE",
        DONT_ADD_TO_SCENE=1,
        LIGHT_DONT_CAST_SHADOW_INTERIOR=1,
        CAMERA_COLLISION_MESH_GENERATION=3,
    )
    scene.box_node("Plain", IGNAME="g", LIGHT_DONT_CAST_SHADOW_EXTERIOR=1)
    named, plain = only(scene, tmp_path).instances
    assert (named.instance_name, named.name) == ("named", "Tree.SHAPE")
    assert (plain.instance_name, plain.name) == ("Plain", "Plain")
    assert (named.dont_add_to_scene, plain.dont_add_to_scene) == (True, False)
    assert (named.visible, plain.visible) == (False, True)
    assert named.dont_cast_shadow_for_interior
    assert not named.dont_cast_shadow_for_exterior
    assert plain.dont_cast_shadow_for_exterior
    assert not plain.dont_cast_shadow_for_interior


def test_the_shape_of_the_object_has_no_folder(tmp_path: Path) -> None:
    scene = GameScene()
    box = scene.add_box(1.0, 1.0, 1.0)
    scene.flag(box, INSTANCE_SHAPE="R:\\graphics\\Bush.shape")
    scene.flag(scene.add_node("node", box), IGNAME="g")
    assert only(scene, tmp_path).instances[0].name == "Bush.shape"


def test_places_are_relative_to_the_parent(tmp_path: Path) -> None:
    scene = GameScene()
    house = scene.box_node("house", at=(10.0, 20.0, 30.0), euler=(0.0, 0.0, pi / 2), IGNAME="g")
    dummy = scene.add_node("dummy", scene.add_dummy(1.0))
    scene.flag(dummy, IGNAME="g")
    scene.box_node("door", at=(1.0, 2.0, 3.0), parent=house, IGNAME="g")
    scene.box_node("loose", parent=scene.box_node("outside"), IGNAME="g")
    scene.box_node("on the dummy", parent=dummy, IGNAME="g")
    found = {i.name: i for i in only(scene, tmp_path).instances}
    names = list(found)
    assert names == ["house", "door", "on the dummy", "loose", "dummy"]
    assert found["house"].parent == -1
    assert found["house"].pos == (10.0, 20.0, 30.0)
    half = -cos(pi / 4)
    assert found["house"].rot == pytest.approx((0.0, 0.0, half, half), abs=1e-7)
    assert found["door"].pos == pytest.approx((1.0, 2.0, 3.0), abs=1e-5)
    assert names[found["door"].parent] == "house"
    assert names[found["on the dummy"].parent] == "dummy"
    assert found["loose"].parent == -1


def test_rooms_and_what_stands_in_them(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("hall", (4.0, 4.0, 4.0), IGNAME="g", ACCEL=2 | 4)
    scene.box_node(
        "yard",
        (4.0, 4.0, 4.0),
        (4.0, 0.0, 0.0),
        IGNAME="g",
        ACCEL=2 | 8 | 64 | 128,
        SOUND_GROUP="birds",
        ENV_FX="no fx",
    )
    door = scene.mesh_node("door", [(2, y, z + 2) for y, z, _ in QUAD], HALVES, IGNAME="g", ACCEL=1)
    scene.flag(door, OCC_MODEL="wood", OPEN_OCC_MODEL="no occlusion")
    gate = scene.mesh_node("gate", [(2, y, z + 2) for y, z, _ in QUAD], HALVES, IGNAME="g")
    scene.flag(gate, ACCEL=1 | 16, INSTANCE_NAME="the gate")
    scene.box_node("chair", (1.0, 1.0, 1.0), (-1.0, 0.0, 1.0), IGNAME="g")
    scene.box_node("table", (6.0, 1.0, 1.0), (2.0, 0.0, 1.0), IGNAME="g", ACCEL=32)
    scene.box_node("sky", (1.0, 1.0, 1.0), (0.0, 0.0, 1.0), IGNAME="g", ACCEL=0)
    group = only(scene, tmp_path)
    assert [cluster.name for cluster in group.clusters] == ["hall", "yard"]
    inner, outer = group.clusters
    assert len(inner.volume) == len(outer.volume) == 6
    assert (inner.father_visible, inner.visible_from_father) == (True, False)
    assert (inner.father_audible, inner.audible_from_father) == (True, False)
    assert (outer.father_visible, outer.visible_from_father) == (False, True)
    assert (outer.father_audible, outer.audible_from_father) == (True, False)
    assert (outer.sound_group, outer.env_fx) == ("birds", "")
    assert [portal.name for portal in group.portals] == ["", "the gate"]
    assert (group.portals[0].occlusion_model, group.portals[0].open_occlusion_model) == ("wood", "")
    assert group.portals[0].poly.tolist() == [[2, y, z + 2] for y, z, _ in QUAD]
    assert [list(numbers) for numbers in group.cluster_portals] == [[0, 1], [0, 1]]
    clusters = {instance.name: list(instance.clusters) for instance in group.instances}
    assert clusters == {"chair": [0], "table": [0, 1], "sky": []}


def test_a_vertex_decides_which_rooms_an_instance_is_in(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("hall", (4.0, 4.0, 4.0), IGNAME="g", ACCEL=2)
    scene.box_node("corner", (3.0, 3.0, 1.0), (3.0, 3.0, 1.0), IGNAME="g")
    far = scene.box_node("far", (1.0, 1.0, 1.0), (90.0, 0.0, 0.0), IGNAME="g")
    groups, _ = exported(scene, tmp_path)
    product = groups["g"]
    assert [list(i.clusters) for i in product.file.content.instances] == [[0], []]
    assert "in no cluster" in product.node_notes[far][0]


def test_bad_rooms_are_failures_and_the_rest_is_written(tmp_path: Path) -> None:
    scene = GameScene()
    scene.mesh_node("bent", [*QUAD[:3], (-1, 1, 9)], HALVES, IGNAME="g", ACCEL=1)
    scene.mesh_node("thin", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], IGNAME="g", ACCEL=2)
    scene.box_node("both", IGNAME="g", ACCEL=3)
    scene.box_node("good", IGNAME="g")
    groups, rest = exported(scene, tmp_path)
    reasons = {step.node.name: step.reason for step in rest}
    assert "not flat" in reasons["bent"]
    assert "no face with an area" in reasons["thin"]
    assert "both portal and cluster" in reasons["both"]
    assert [type(step) for step in rest] == [Failure, Failure, LeftOut]
    assert [i.name for i in groups["g"].file.content.instances] == ["good"]


def test_a_portal_that_joins_no_two_rooms_has_a_note(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("hall", (4.0, 4.0, 4.0), IGNAME="g", ACCEL=2)
    index = scene.mesh_node("door", QUAD, HALVES, at=(0, 0, 1), IGNAME="g", ACCEL=1)
    groups, _ = exported(scene, tmp_path)
    assert groups["g"].node_notes[index] == ["the portal is in 1 clusters in place of 2"]


def test_collision_meshes_are_no_instances(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("ground", IGNAME="g", COLLISION=1)
    scene.box_node("edge", IGNAME="g", COLLISION=0, COLLISION_EXTERIOR=1)
    groups, (left,) = exported(scene, tmp_path)
    assert [i.name for i in groups["g"].file.content.instances] == ["edge"]
    assert (left.node.name, left.reason) == ("ground", "COLLISION is set")


def smoke(scene: GameScene, x: float) -> int:
    """A particle system whose symbol is a ball of 1 at a place."""
    values = {0: (8, "X:\\sfx\\Smoke.ps"), 1: (FLOAT, 0.0), 2: (FLOAT, 0.0)}
    values |= {3: (FLOAT, 0.0), 4: (FLOAT, 0.0), 5: (BOOLEAN, 0)}
    symbol = scene.scripted(PARTICLES, scene.add_sphere(1.0, 8), values)
    node = scene.add_node("smoke", symbol, transform=scene.add_transform((x, 0.0, 2.0)))
    return scene.flag(node, IGNAME="g")


@pytest.mark.parametrize(("known", "clusters"), [(True, [0, 1]), (False, [1])])
def test_particles_are_where_their_box_is(known: bool, clusters: list[int], tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("hall", (4.0, 4.0, 4.0), IGNAME="g", ACCEL=2)
    scene.box_node("yard", (4.0, 4.0, 4.0), (4.0, 0.0, 0.0), IGNAME="g", ACCEL=2)
    node = smoke(scene, 5.0)
    folder = tmp_path / "ps"
    folder.mkdir()
    box = CAABBox(center=(-2.0, 0.0, 0.0), half_size=(2.0, 1.0, 1.0))
    system = CParticleSystemShape(use_precomputed_bbox=True, bbox=box)
    if known:
        (folder / "smoke.ps").write_bytes(CShapeStream(shape=system).to_bytes())
    groups, _ = exported(scene, tmp_path, particles=(str(folder),))
    (instance,) = groups["g"].file.content.instances
    assert instance.name == "Smoke.ps"
    assert list(instance.clusters) == clusters
    assert any("symbol" in note for note in groups["g"].node_notes.get(node, ())) is not known


def test_patches_are_no_instances(tmp_path: Path) -> None:
    scene = GameScene()
    scene.flag(scene.add_node("land", scene.add_object(PATCHES)), IGNAME="g")
    groups, rest = exported(scene, tmp_path)
    assert not groups
    assert "patch" in rest[0].reason


def omni(*, near: float = 0.0, far: float = 9.0) -> list[Any]:
    """The 15 values of an omni light; near and far end of its far attenuation."""
    numbers = [1.0, 0.0, 0.0, 0.0, 0.0, near, far, *[0.0] * 7]
    return [color(1.0, 0.5, 0.0), *map(old_float, numbers)]


def spot(hotspot: float, falloff: float) -> list[Any]:
    """The 19 values of a free spot or direct light."""
    numbers = [1.0, 0.0, 0.0, hotspot, falloff, 1.0, 0.0, 0.0, 2.0, 7.0, *[0.0] * 8]
    return [color(1.0, 1.0, 1.0), *map(old_float, numbers)]


ON = (0x2562, b"\1\0")


def test_point_lights(tmp_path: Path) -> None:
    scene = GameScene()
    scene.light_node("lamp", OMNI, omni(near=2.0, far=5.0), ON, at=(1.0, 2.0, 3.0), IGNAME="g")
    scene.light_node("glow", OMNI, omni(), (0x2600, b""), IGNAME="g", REALTIME_AMBIENT_ADD_SUN=1)
    scene.light_node("torch", FREE_SPOT, spot(40.0, 60.0), IGNAME="g")
    lamp, glow, torch = (named.light for named in only(scene, tmp_path).point_lights.point_lights)
    assert (lamp.type, lamp.position) == (0, (1.0, 2.0, 3.0))
    assert (lamp.ambient, lamp.diffuse, lamp.specular) == (
        (0, 0, 0, 255),
        (255, 127, 0, 255),
        (255, 127, 0, 255),
    )
    assert (lamp.attenuation_begin, lamp.attenuation_end) == (2.0, 5.0)
    assert (lamp.spot_direction, lamp.add_ambient_with_sun) == ((0.0, 1.0, 0.0), False)
    assert (glow.type, glow.ambient, glow.diffuse) == (2, (255, 127, 0, 255), (0, 0, 0, 255))
    assert glow.add_ambient_with_sun
    assert (glow.attenuation_begin, glow.attenuation_end) == (10.0, 10.0)
    assert (torch.type, torch.spot_direction) == (1, (0.0, 0.0, -1.0))
    assert torch.spot_angle_begin == pytest.approx(radians(20.0))
    assert torch.spot_angle_end == pytest.approx(radians(30.0))


def test_a_turned_spot_shines_along_its_own_axis(tmp_path: Path) -> None:
    scene = GameScene()
    scene.light_node("torch", FREE_SPOT, spot(40.0, 60.0), euler=(pi / 3, 0.0, 0.0), IGNAME="g")
    (named,) = only(scene, tmp_path).point_lights.point_lights
    expected = (0.0, sin(pi / 3), -cos(pi / 3))
    assert named.light.spot_direction == pytest.approx(expected, abs=1e-6)


def test_lights_are_sorted_and_grouped(tmp_path: Path) -> None:
    scene = GameScene()
    for name, animation, number in (
        ("a", "street", 2), ("b", "street", 1), ("c", "Sun", 0), ("d", "Street", 0), ("e", "", 0),
        ("f", "street", 1),
    ):  # fmt: skip
        scene.light_node(
            name, OMNI, omni(), IGNAME="g", LM_ANIMATED_LIGHT=animation, LM_LIGHT_GROUP=number
        )
    lights = only(scene, tmp_path).point_lights
    assert [(light.animated_light, light.light_group) for light in lights.point_lights] == [
        ("", 0), ("", 0), ("Street", 0), ("street", 1), ("street", 1), ("street", 2),
    ]  # fmt: skip
    runs = [
        (run.animated_light, run.light_group, run.start_id, run.end_id) for run in lights.groups
    ]
    assert runs == [("", 0, 0, 2), ("Street", 0, 2, 3), ("street", 1, 3, 5), ("street", 2, 5, 6)]


def test_the_sun_is_a_direct_light_with_a_flag(tmp_path: Path) -> None:
    scene = GameScene()
    scene.light_node("sun", FREE_DIRECT, spot(40.0, 60.0), IGNAME="g", EXPORT_AS_SUN_LIGHT=1)
    scene.light_node("beam", FREE_DIRECT, spot(40.0, 60.0), IGNAME="g")
    scene.light_node("off", OMNI, omni(), IGNAME="g", EXPORT_REALTIME_LIGHT=0)
    groups, rest = exported(scene, tmp_path)
    group = groups["g"].file.content
    assert group.real_time_sun_contribution
    assert not group.point_lights.point_lights
    reasons = {step.node.name: step.reason for step in rest}
    assert "EXPORT_AS_SUN_LIGHT" in reasons["beam"]
    assert "EXPORT_REALTIME_LIGHT" in reasons["off"]
    assert [node.name for node in groups["g"].nodes] == ["sun"]


def test_without_a_sun_the_group_has_none(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("box", IGNAME="g")
    assert not only(scene, tmp_path).real_time_sun_contribution


def test_a_light_without_a_colour_is_a_failure(tmp_path: Path) -> None:
    scene = GameScene()
    scene.light_node("odd", OMNI, [old_float(1.0)], IGNAME="g")
    groups, (failure,) = exported(scene, tmp_path)
    assert not groups
    assert isinstance(failure, Failure)
    assert "colour" in failure.reason
