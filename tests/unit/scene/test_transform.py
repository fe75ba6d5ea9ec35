"""Local, world and object matrices, on values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.controllers import Controller
from maxsidecar.scene.controllers.rotations import FloatArray
from maxsidecar.scene.node import Node
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose, world_matrices
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, u32

QUARTER = np.pi / 2
UP = (0.0, 0.0, QUARTER)


def move(matrix: FloatArray, *point: float) -> list[float]:
    return [round(float(v), 5) for v in (np.array([*point, 1.0]) @ matrix)[:3]]


def node(scene: Scene, index: int) -> Node:
    return scene.node(index)


def test_a_point_is_a_row() -> None:
    maker = SceneMaker()
    index = maker.node("a", maker.transform((1, 2, 3), UP, (2, 1, 1)))
    world = node(maker.scene(), index).world_matrix(0)
    assert world.shape == (4, 4)
    assert world.dtype == np.float64
    # Scaled to (2, 0, 0), turned to (0, 2, 0), moved.
    assert move(world, 1, 0, 0) == [1, 4, 3]
    assert world[3].tolist() == [1, 2, 3, 1]


def test_a_child_is_in_the_space_of_its_parent() -> None:
    maker = SceneMaker()
    parent = maker.node("a", maker.transform((10, 0, 0), UP, (2, 2, 2)))
    child = maker.node("b", maker.transform((1, 0, 0), UP), parent)
    scene = maker.scene()
    world = node(scene, child).world_matrix(0)
    assert move(world, 0, 0, 0) == [10, 2, 0]
    assert move(world, 1, 0, 0) == [8, 2, 0]
    local = node(scene, child).local_matrix(0)
    assert move(local, 1, 0, 0) == [1, 1, 0]
    assert local @ node(scene, parent).world_matrix(0) == pytest.approx(world)


def test_shapes_follow_the_times() -> None:
    maker = SceneMaker()
    index = maker.node("a", maker.transform())
    scene = maker.scene()
    obj = node(scene, index)
    assert obj.world_matrix(5).shape == (4, 4)
    assert obj.world_matrix([1, 2, 3]).shape == (3, 4, 4)
    assert obj.local_matrix(np.zeros(0)).shape == (0, 4, 4)
    assert obj.object_matrix([1]).shape == (1, 4, 4)
    assert {m.shape for m in world_matrices(scene, [0, 1]).values()} == {(2, 4, 4)}


@pytest.mark.parametrize("time", ["x", [[1]], np.nan, [0, np.inf], None, 10**400])
def test_times_that_are_none(time: object) -> None:
    maker = SceneMaker()
    index = maker.node("a", maker.transform())
    with pytest.raises(EditError):
        node(maker.scene(), index).world_matrix(time)  # type: ignore[arg-type]


def test_a_node_without_a_controller_stands_on_its_parent() -> None:
    maker = SceneMaker()
    parent = maker.node("a", maker.transform((1, 2, 3)))
    child = maker.node("b", None, parent)
    assert move(node(maker.scene(), child).world_matrix(0), 0, 0, 0) == [1, 2, 3]


def test_the_frame_of_a_scale() -> None:
    maker = SceneMaker()
    half = np.pi / 8
    # Stored as the conjugate: the stretched axis is X turned by 45 degrees towards Y.
    scale = maker.keyed(
        scenes.BEZIER_SCALE, 0x2505, f32(2, 1, 1, 0, 0, -np.sin(half), np.cos(half))
    )
    index = maker.node("a", maker.add(scenes.PRS, [(0x7230, u32(0))], [None, None, scale]))
    world = node(maker.scene(), index).world_matrix(0)
    assert move(world, 1, 1, 0) == [2, 2, 0]
    assert move(world, 1, -1, 0) == [1, -1, 0]


def test_object_offset_moves_geometry_only() -> None:
    maker = SceneMaker()
    offset = [
        (0x096A, f32(0, 0, 5)),
        (0x096B, f32(0, 0, -np.sin(QUARTER / 2), np.cos(QUARTER / 2))),
        (0x096C, f32(3, 1, 1, 0, 0, 0, 1)),
    ]
    parent = maker.node("a", maker.transform((1, 0, 0), UP), chunks=offset)
    child = maker.node("b", maker.transform(), parent)
    scene = maker.scene()
    # Scaled to (3, 0, 0), turned to (0, 3, 0), lifted to (0, 3, 5); then the node.
    assert move(node(scene, parent).object_matrix(0), 1, 0, 0) == [-2, 0, 5]
    assert move(node(scene, parent).world_matrix(0), 1, 0, 0) == [1, 1, 0]
    assert move(node(scene, child).world_matrix(0), 0, 0, 0) == [1, 0, 0]


# --- inheritance ---------------------------------------------------------------------------------


def inherit(flags: int, angles: tuple[float, ...] = UP, scale: float = 2.0) -> FloatArray:
    maker = SceneMaker()
    parent = maker.node("a", maker.transform((10, 20, 30), angles, (scale, scale, scale)))
    child = maker.node("b", maker.transform((1, 0, 0), flags=flags), parent)
    scene = maker.scene()
    world = node(scene, child).world_matrix(0)
    assert node(scene, child).local_matrix(0) @ node(scene, parent).world_matrix(
        0
    ) == pytest.approx(world)
    return world


def test_all_is_inherited() -> None:
    assert move(inherit(0), 1, 0, 0) == [10, 24, 30]


def test_scale_is_not_inherited() -> None:
    world = inherit(0x1C0)
    assert np.abs(world[:3, :3] @ world[:3, :3].T - np.eye(3)).max() < 1e-7
    assert move(world, 1, 0, 0) == [10, 22, 30]


def test_a_mirror_stays_when_scale_is_not_inherited() -> None:
    assert np.linalg.det(inherit(0x1C0, scale=-2.0)[:3, :3]) == pytest.approx(-1)


def test_rotation_is_not_inherited() -> None:
    world = inherit(0x038)
    assert move(world, 0, 0, 0) == [12, 20, 30]
    assert world[:3, :3] == pytest.approx(2 * np.eye(3), abs=1e-6)


def test_axes_of_a_position_are_not_inherited() -> None:
    assert move(inherit(0x004), 0, 0, 0) == [10, 22, 0]


def test_flags_on_some_axes_are_reported() -> None:
    maker = SceneMaker()
    parent = maker.node("a", maker.transform())
    child = maker.node("b", maker.transform(flags=0x040), parent)
    scene = maker.scene()
    pose = Pose(scene, 0)
    pose.world(node(scene, child))
    assert list(pose.problems.values()) == ["does not inherit scale x, whose effect is not proved"]


# --- look at -------------------------------------------------------------------------------------


def look(
    roll: float = 0.0,
    place: tuple[float, ...] = (0, -10, 0),
    goal: tuple[float, ...] = (0, 0, 0),
    *,
    axis: int = 2,
) -> tuple[Scene, int]:
    maker = SceneMaker()
    target = maker.node("t", maker.transform(goal))
    parts = [
        target,
        maker.add(scenes.POSITION_XYZ, (), [maker.number(v) for v in place]),
        maker.number(roll),
        None,
    ]
    chunks = [(0x7230, u32(0x1C0)), (0x0100, u32(axis)), (0x0201, b"\0")]
    camera = maker.node("c", maker.add(scenes.LOOK_AT, chunks, parts))
    return maker.scene(), camera


def test_look_at_points_minus_z_at_the_target_with_y_up() -> None:
    scene, index = look()
    world = node(scene, index).world_matrix(0)
    assert move(world, 0, 0, -1) == [0, -9, 0]
    assert move(world, 0, 1, 0) == [0, -10, 1]
    assert move(world, 1, 0, 0) == [1, -10, 0]


def test_roll_turns_about_the_looking_axis() -> None:
    scene, index = look(QUARTER)
    world = node(scene, index).world_matrix(0)
    assert move(world, 0, 0, -1) == [0, -9, 0]
    assert move(world, 1, 0, 0) == [0, -10, 1]


@pytest.mark.parametrize(("place", "ahead"), [((0, 0, 10), [0, 0, 9]), ((0, 0, 0), [0, 0, -1])])
def test_looking_along_the_axis_of_the_world_or_at_itself(
    place: tuple[float, ...], ahead: list[float]
) -> None:
    scene, index = look(place=place)
    assert move(node(scene, index).world_matrix(0), 0, 0, -1) == ahead


def test_an_axis_that_no_file_proves() -> None:
    scene, index = look(axis=0)
    pose = Pose(scene, 0)
    world = pose.world(node(scene, index))[0]
    assert move(world, 0, 0, 0) == [0, -10, 0]
    assert "not proved" in next(iter(pose.problems.values()))


def test_local_of_a_look_at_is_relative_to_its_parent() -> None:
    maker = SceneMaker()
    target = maker.node("t", maker.transform((0, 0, 0)))
    parent = maker.node("p", maker.transform((5, 0, 0), UP))
    position = maker.add(scenes.POSITION_XYZ, (), [maker.number(v) for v in (0, 0, 0)])
    camera = maker.add(scenes.LOOK_AT, [(0x7230, u32(0x1C0))], [target, position, None, None])
    index = maker.node("c", camera, parent)
    scene = maker.scene()
    world = node(scene, index).world_matrix(0)
    assert move(world, 0, 0, -1) == [4, 0, 0]
    local = node(scene, index).local_matrix(0)
    assert local @ node(scene, parent).world_matrix(0) == pytest.approx(world)
    found = scene[camera]
    assert isinstance(found, Controller)
    assert found.evaluate(0) == pytest.approx(local)
    assert found.evaluate([0, 1]).shape == (2, 4, 4)


# --- what may be wrong ---------------------------------------------------------------------------


def test_a_parent_without_volume_has_no_inverse() -> None:
    maker = SceneMaker()
    parent = maker.node("a", maker.transform((1, 0, 0), scale=(0, 0, 0)))
    child = maker.node("b", maker.transform((1, 0, 0), flags=0x1C0), parent)
    local = node(maker.scene(), child).local_matrix(0)
    assert move(local, 0, 0, 0) == [1, 0, 0]


def test_parents_in_a_circle() -> None:
    maker = SceneMaker()
    transforms = [maker.transform((1, 0, 0)), maker.transform((0, 1, 0))]
    first = len(maker.objects)
    maker.node("a", transforms[0], first + 1)
    maker.node("b", transforms[1], first)
    scene = maker.scene()
    pose = Pose(scene, 0)
    a, b = (pose.world(node(scene, first + i))[0] for i in (0, 1))
    assert move(b, 0, 0, 0) == [0, 1, 0]  # cut here
    assert move(a, 0, 0, 0) == [1, 1, 0]
    assert any("depends on itself" in text for text in pose.problems.values())


def test_a_camera_that_looks_at_its_own_child() -> None:
    maker = SceneMaker()
    position = maker.add(scenes.POSITION_XYZ, (), [maker.number(v) for v in (0, 0, 0)])
    moved = maker.transform((0, 1, 0))
    camera = len(maker.objects) + 1
    look_at = maker.add(scenes.LOOK_AT, [(0x7230, u32(0))], [camera + 1, position, None, None])
    assert maker.node("c", look_at) == camera
    child = maker.node("t", moved, camera)
    scene = maker.scene()
    pose = Pose(scene, 0)
    assert np.isfinite(pose.world(node(scene, child))).all()
    assert any("depends on itself" in text for text in pose.problems.values())


def test_a_chain_deeper_than_the_stack() -> None:
    maker = SceneMaker()
    controller = maker.transform((1, 0, 0))
    parent: int | None = None
    for _ in range(3000):
        parent = maker.node("n", controller, parent)
    assert parent is not None
    assert move(node(maker.scene(), parent).world_matrix(0), 0, 0, 0) == [3000, 0, 0]


def test_a_controller_that_is_no_transform() -> None:
    maker = SceneMaker()
    index = maker.node("a", maker.number(3))
    scene = maker.scene()
    pose = Pose(scene, 0)
    assert np.array_equal(pose.world(node(scene, index))[0], np.eye(4))
    assert "no transform" in next(iter(pose.problems.values()))


def test_inverse_kinematics_keep_the_pose_without_the_solver() -> None:
    maker = SceneMaker()
    plain = maker.transform((1, 2, 3))
    solver = maker.add((0x0E6F5815, 0x717F99A4, 0x9008), (), [None, plain])
    index = maker.node("bone", solver)
    scene = maker.scene()
    pose = Pose(scene, 0)
    assert move(pose.world(node(scene, index))[0], 0, 0, 0) == [1, 2, 3]
    assert "solver" in next(iter(pose.problems.values()))


def test_references_to_nowhere() -> None:
    maker = SceneMaker()
    prs = maker.add(scenes.PRS, [(0x7230, b"\0")], [9999, -7, 2**31 - 1])
    index = maker.node("a", prs)
    scene = maker.scene()
    assert np.array_equal(node(scene, index).world_matrix(0), np.eye(4))
    damaged = maker.add(scenes.PRS, [(0x2034, b"\0\0\0")])
    index = maker.node("b", damaged)
    assert np.array_equal(node(maker.scene(), index).world_matrix(0), np.eye(4))
