"""Lights, cameras, helpers and targets made by hand."""

from __future__ import annotations

import math
from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.cameras import PhysicalCamera, StandardCamera, target_distance, vertical_fov
from maxsidecar.scene.controllers.layouts import LINEAR_FLOAT as LINEAR_KEYS
from maxsidecar.scene.helpers import BoneObject, Dummy, group_head_of, group_members
from maxsidecar.scene.lights import Light, PhotometricLight, Skylight, StandardLight
from maxsidecar.scene.targets import target_of
from tests.support.blocks import BOOLEAN, COLOR, FLOAT, new_block, old_block
from tests.support.scenes import (
    LINEAR_FLOAT,
    LOOK_AT,
    TARGET,
    Class,
    SceneMaker,
    f32,
    key_bytes,
    u32,
)

SPOT = (0x1014, 0, 0x30)
OMNI = (0x1011, 0, 0x30)
DIRECT = (0x1015, 0, 0x30)
SKY = (0x7BF61478, 0x522E4705, 0x30)
PHOTOMETRIC = (0x7CA93582, 0x1ABB6B32, 0x30)
CAMERA = (0x1001, 0, 0x20)
TARGET_CAMERA = (0x1002, 0, 0x20)
PHYSICAL = (0x46697218, 0x28E8008D, 0x20)
DUMMY = (0x876234, 0, 0x50)

#: Values of a free spot: colour, multiplier, ... hotspot 30, falloff 45, ... far end 200.
SPOT_VALUES: list[float | tuple[float, ...] | int | None] = [
    (1.0, 0.5, 0.25),
    2.0,
    0.0,
    0.0,
    30.0,
    45.0,
    1.0,
    1.0,
    40.0,
    80.0,
    200.0,
]


def spot_block(maker: SceneMaker) -> int:
    rest: list[float | tuple[float, ...] | int | None]
    rest = [40.0, (0.0, 0.0, 0.0), 0, 1.0, 1.0, 1.0, 0, 240.0]
    return old_block(maker, [*SPOT_VALUES, *rest])


def light(
    kind: Class, chunks: list[ChunkTree] | None = None, block: bool = True
) -> tuple[SceneMaker, int]:
    maker = SceneMaker()
    references = [spot_block(maker)] if block else []
    return maker, maker.add(kind, chunks or [], references)


def test_spot() -> None:
    maker, index = light(SPOT, [(0x2580, b"\1\0"), (0x2570, b"\0\0")])
    spot = maker.scene()[index]
    assert isinstance(spot, StandardLight)
    assert (spot.shape, spot.targeted, spot.on, spot.casts_shadows) == ("spot", False, True, False)
    assert spot.color() == (1.0, 0.5, 0.25)
    assert spot.multiplier() == 2.0
    inner, outer = spot.cone() or (0, 0)
    assert math.isclose(inner, math.radians(15))
    assert math.isclose(outer, math.radians(22.5))
    ends = {"near_start": 1.0, "near_end": 40.0, "far_start": 80.0, "far_end": 200.0}
    assert spot.attenuation() == ends
    assert not spot.use_far_attenuation


def test_direct_light_has_lengths_instead_of_a_cone() -> None:
    maker, index = light(DIRECT)
    direct = maker.scene()[index]
    assert isinstance(direct, StandardLight)
    assert direct.targeted
    assert direct.cone() is None


def test_animated_multiplier() -> None:
    maker = SceneMaker()
    rows: list[dict[str, object]] = [{"time": 0, "value": 1.0}, {"time": 100, "value": 3.0}]
    keys = key_bytes(LINEAR_KEYS, *rows)
    curve = maker.keyed(LINEAR_FLOAT, 0x2501, f32(1.0), (0x2511, keys))
    records: list[ChunkTree] = [
        (0x0002, [(0x0003, u32(0)), (0x0102, f32(1, 1, 1))]),
        (0x0002, [(0x0003, u32(1)), (0x0004, b""), (0x0200, b"")]),
        *((0x0002, [(0x0003, u32(n)), (0x0100, f32(0))]) for n in range(2, 15)),
    ]
    head: list[ChunkTree] = [(0x2034, u32(curve)), (0x0001, u32(15)), (0x0005, b"\1\0")]
    block = maker.add((8, 0, 8), [*head, *records])
    index = maker.add(OMNI, [], [block])
    omni = maker.scene()[index]
    assert isinstance(omni, StandardLight)
    assert omni.multiplier() == 1.0
    assert omni.multiplier(50) == 2.0
    assert omni.multiplier(1000) == 3.0


def exclusion(*handles: int, count: int | None = None) -> ChunkTree:
    number = len(handles) if count is None else count
    return (0x2800, [(0x3E9, u32(number)), (0x3EC, u32(7)), (0x3EA, u32(*handles))])


def test_exclusion_is_by_handle() -> None:
    maker, index = light(SPOT, [exclusion(70, 71, 99)])
    for handle in (71, 70):
        maker.node(f"n{handle}", None, chunks=[(0x0A32, u32(handle))])
    scene = maker.scene()
    spot = scene[index]
    assert isinstance(spot, StandardLight)
    listed = spot.exclusion
    assert listed is not None
    assert [node.name for node in listed.nodes(spot)] == ["n70", "n71"]
    assert listed.flags == 7


def test_exclusion_with_another_count() -> None:
    maker, index = light(SPOT, [exclusion(70, count=2)])
    spot = maker.scene()[index]
    assert isinstance(spot, StandardLight)
    assert spot.exclusion is not None
    with pytest.raises(DecodeError, match="number of nodes"):
        spot.exclusion.nodes(spot)


def test_handles_and_their_number_are_written_together() -> None:
    maker, index = light(SPOT, [exclusion(70)])
    scene = maker.scene()
    spot = scene[index]
    assert isinstance(spot, StandardLight)
    listed = spot.exclusion
    assert listed is not None
    for handles in ((143, 148), (), (5,)):
        listed.handles = handles
        outer = spot.find(0x2800)
        assert outer is not None
        leaves = [(leaf.id, bytes(leaf.data)) for leaf in outer.chunks()]
        assert leaves == [
            (0x3E9, u32(len(handles))), (0x3EC, u32(7)), (0x3EA, u32(*handles)),
        ]  # fmt: skip
        assert listed.nodes(spot) == []
    wrong: Any
    for wrong in ((1, 2**32), 5, None, "5", {5: 6}, (None,), ("5",)):
        with pytest.raises(EditError):
            listed.handles = wrong
    assert (listed.count, listed.handles) == (1, (5,))


def test_a_list_without_its_number_is_not_written() -> None:
    maker, index = light(SPOT, [(0x2800, [(0x3EA, u32(70))])])
    spot = maker.scene()[index]
    assert isinstance(spot, StandardLight)
    assert spot.exclusion is not None
    assert [problem.message for problem in spot.problems()] == [
        "the number of nodes is another one"
    ]
    with pytest.raises(EditError, match="not stored as is known"):
        spot.exclusion.handles = ()
    assert not spot.edited


def test_skylight_and_photometric() -> None:
    maker = SceneMaker()
    values = {0: (COLOR, (0.5, 0.5, 1.0)), 10: (FLOAT, 0.5), 13: (BOOLEAN, 0)}
    sky = maker.add(SKY, [], [new_block(maker, SKY, values)])
    photometric = maker.add(PHOTOMETRIC, [(0x0860, b""), (0x0859, exclusion()[1])])
    scene = maker.scene()
    found = scene[sky]
    assert isinstance(found, Skylight)
    assert (found.shape, found.on, found.multiplier()) == ("sky", False, 0.5)
    assert found.color() == (0.5, 0.5, 1.0)
    other = scene[photometric]
    assert isinstance(other, PhotometricLight)
    assert other.color() is None
    assert other.exclusion is not None
    assert other.exclusion.nodes(other) == []


def test_unknown_light_and_lights_without_a_block() -> None:
    maker, index = light((0x77, 0x77, 0x30), block=False)
    unknown = maker.scene()[index]
    assert type(unknown) is Light
    assert (unknown.shape, unknown.on, unknown.color(), unknown.multiplier()) == (None,) * 4
    maker, index = light(SPOT, block=False)
    spot = maker.scene()[index]
    assert isinstance(spot, StandardLight)
    assert spot.cone() is None
    assert spot.attenuation() == {}


def test_camera_values() -> None:
    maker = SceneMaker()
    block = old_block(maker, [math.pi / 2, 160.0, 1.0, 1000.0, 0.0, 500.0, 0, 0])
    free = maker.add(CAMERA, [], [block])
    node = maker.node("c", maker.transform((0, 0, 10)), object_=free)
    scene = maker.scene()
    shown = scene.node(node)
    camera = shown.base_object
    assert isinstance(camera, StandardCamera)
    assert math.isclose(camera.fov() or 0, math.pi / 2, rel_tol=1e-6)
    assert camera.clipping() == (1.0, 1000.0)
    assert not camera.has_target
    assert target_of(shown) is None
    assert target_distance(shown) == 160.0


def test_target_distance_is_that_of_the_nodes() -> None:
    maker = SceneMaker()
    block = old_block(maker, [1.0, 160.0, 1.0, 1000.0, 0.0, 500.0, 0, 0])
    camera = maker.add(TARGET_CAMERA, [(0x2682, b"")], [block])
    target = maker.node("t", maker.transform((3, 4, 10)), object_=maker.add(TARGET))
    position = maker.add(
        (0x118F7E02, 0xFFEE238A, 0x900B), (), [maker.number(v) for v in (0, 0, 10)]
    )
    look = maker.add(LOOK_AT, [(0x0100, u32(2))], [target, position, maker.number(0.0), None])
    node = maker.node("c", look, object_=camera)
    scene = maker.scene()
    found = target_of(scene.node(node))
    assert found is not None
    assert found.name == "t"
    assert math.isclose(target_distance(scene.node(node)) or 0, 5.0)


def test_vertical_fov() -> None:
    # 90 degrees across a square picture are 90 degrees up and down.
    assert math.isclose(vertical_fov(math.pi / 2, 1.0), math.pi / 2)
    assert math.isclose(math.tan(vertical_fov(1.0, 2.0) / 2) * 2, math.tan(0.5))


def test_physical_camera() -> None:
    maker = SceneMaker()
    values = {4: (FLOAT, 36.0), 5: (FLOAT, 40.0), 20: (FLOAT, 60.0)}
    index = maker.add(PHYSICAL, [], [new_block(maker, PHYSICAL, values)])
    camera = maker.scene()[index]
    assert isinstance(camera, PhysicalCamera)
    assert math.isclose(camera.fov() or 0, math.pi / 3, rel_tol=1e-6)
    assert (camera.film_width(), camera.focal_length()) == (36.0, 40.0)
    assert camera.clipping() is None


def test_dummy_and_groups() -> None:
    maker = SceneMaker()
    box = f32(-1, -2, -3, 1, 2, 3)
    dummy = maker.add(DUMMY, [(0x09EC, u32(0)), (0x09ED, box), (0x09EE, f32(0, 1, 0))])
    link = {"head": 0x40, "member": 0x100, "inner": 0x140, "loose": 0}
    nodes: dict[str, int] = {}
    for name, parent in (("head", None), ("member", "head"), ("loose", "head"), ("inner", "head")):
        nodes[name] = maker.node(name, None, object_=dummy)
        body = maker.objects[-1][1]
        index = next(i for i, chunk in enumerate(body) if chunk[0] == 0x0960)
        above = maker.root if parent is None else nodes[parent]
        body[index] = (0x0960, pack("<iI", above, link[name]))
    scene = maker.scene()
    shown = scene[dummy]
    assert isinstance(shown, Dummy)
    assert shown.box == (-1.0, -2.0, -3.0, 1.0, 2.0, 3.0)
    assert [n.name for n in group_members(scene.node(nodes["head"]))] == ["member", "inner"]
    assert group_members(scene.node(nodes["member"])) == []
    head = group_head_of(scene.node(nodes["inner"]))
    assert head is not None
    assert head.name == "head"
    assert group_head_of(scene.node(nodes["loose"])) is None
    assert group_head_of(scene.node(nodes["head"])) is None


def test_bone_length() -> None:
    maker = SceneMaker()
    kind = (0x28BF6E8D, 0x2ECCA840, 0x10)
    bone = maker.add(kind, [], [new_block(maker, kind, {3: (FLOAT, 12.5)})])
    found = maker.scene()[bone]
    assert isinstance(found, BoneObject)
    assert found.length() == 12.5
