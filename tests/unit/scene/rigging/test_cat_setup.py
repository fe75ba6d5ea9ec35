"""The setup pose of CAT rigs, on rigs whose numbers can be followed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.rigging.cat_layers import LayerMatrix3
from maxsidecar.scene.rigging.cat_setup import setup_worlds
from maxsidecar.scene.rigging.reach import reach
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.rest import SET_UP, rest_matrices
from tests.support import cat
from tests.support.cat import CatRig
from tests.support.scenes import f32, u32

ARM_LEFT, LEG_RIGHT = 2 | 8, 4 | 32


def world(place: Sequence[float], *axes: Sequence[float]) -> np.ndarray:
    out = np.eye(4)
    out[3, :3] = place
    if axes:
        out[:3, :3] = axes
    return out


def test_parts_of_an_arm_stand_on_each_other() -> None:
    rig = CatRig(units=2.0)
    maker = rig.maker
    hub, pelvis = rig.hub("Hub")
    limb, palm = rig.reserve(cat.LIMB), rig.reserve(cat.PALM)
    bones = [rig.reserve(cat.BONE), rig.reserve(cat.BONE)]
    segments = [rig.reserve(cat.SEGMENT), rig.reserve(cat.SEGMENT)]
    digit, finger = rig.reserve(cat.DIGIT), rig.reserve(cat.DIGIT_SEGMENT)
    collar = rig.part(
        cat.COLLARBONE, (3, 1, 1), values={0: (0x12, limb)}, layers=rig.layers(cat.PLAIN, (1, 0, 0))
    )
    for number, turn, flags in (
        (0, cat.IDENTITY, cat.FIRST_BONE),
        (1, cat.QUARTER_Z, cat.PLAIN),
    ):
        rig.fill(
            bones[number],
            cat.BONE,
            (4, 1, 1),
            number,
            values={0: (0x12, limb), 17: (0x812, [segments[number]])},
            layers=rig.layers(flags, turn=turn),
        )
        rig.fill(segments[number], cat.SEGMENT, (4, 1, 1), 0, values={0: (0x12, bones[number])})
    # A palm stays at the end of its bone, wherever its setup matrix is.
    rig.fill(
        palm, cat.PALM, (2, 1, 1), values={0: (0x12, limb)}, layers=rig.layers(cat.PLAIN, (5, 5, 5))
    )
    rig.fill(digit, cat.DIGIT, values={5: (3, f32(1, 0.5, 0)), 6: (0x12, palm)})
    rig.fill(
        finger,
        cat.DIGIT_SEGMENT,
        (1, 1, 1),
        0,
        values={0: (0x12, digit)},
        layers=rig.layers(cat.PLAIN, (0, 0, 1)),
    )
    rig.fill(
        limb,
        cat.LIMB,
        values={1: (0x12, hub), 8: (0x12, collar), 9: (0x12, palm), 12: (0x812, bones)},
        more=[(0x0001, u32(ARM_LEFT))],
    )
    nodes = [pelvis]
    for controller in (collar, *segments, palm, finger):
        nodes.append(maker.node(f"part {controller}", controller, nodes[-1]))
    worlds = setup_worlds(maker.scene())
    expected = [
        # Five CAT units above the rig.
        world((10, 0, 10)),
        # A quarter circle about y, to the left; one CAT unit along x, which points up there.
        world((10, 0, 12), (0, 0, 1), (0, 1, 0), (-1, 0, 0)),
        # At the end of the collarbone, turned as the rig is, half a circle about y.
        world((10, 0, 15), (-1, 0, 0), (0, 1, 0), (0, 0, -1)),
        world((6, 0, 15), (0, 1, 0), (1, 0, 0), (0, 0, -1)),
        world((6, 4, 15), (0, 1, 0), (1, 0, 0), (0, 0, -1)),
        # All of the palm's length along x, half of its width along y, and a CAT unit along z.
        world((6.5, 6, 13), (0, 1, 0), (1, 0, 0), (0, 0, -1)),
    ]
    for node, matrix in zip(nodes, expected, strict=True):
        assert worlds[node] == pytest.approx(matrix, abs=1e-6), node
    assert worlds[rig.node] == pytest.approx(world((10, 0, 0)), abs=1e-6)


def spine(
    place: Sequence[float], turn: Sequence[float], weights: Sequence[tuple[float, float]]
) -> tuple[CatRig, list[int]]:
    """Return a rig with a spine of two links of 3 along x, and nodes of links and upper hub."""
    rig = CatRig(units=2.0, place=(0, 0, 0))
    hub, pelvis = rig.hub("Hub", (0, 0, 0))
    data = rig.reserve(cat.SPINE)
    links = [
        rig.part(
            cat.LINK,
            (3, 1, 1),
            number,
            values={0: (0x12, data), 2: (0x14, rig.matrix())},
            more=[(0x0002, f32(bend)), (0x0003, f32(turned))],
        )
        for number, (turned, bend) in enumerate(weights)
    ]
    tip = rig.part(cat.HUB, (1, 1, 1), layers=rig.layers(cat.TURNED_HUB, place, turn))
    rig.fill(
        data,
        cat.SPINE,
        values={
            1: (0x12, hub),
            2: (0x12, tip),
            10: (0x812, links),
            14: (0x14, rig.matrix()),
        },
        more=[(0x0001, u32(0))],
        references={1: rig.number(1.0)},
    )
    nodes = [pelvis]
    for controller in (*links, tip):
        nodes.append(rig.maker.node(f"part {controller}", controller, nodes[-1]))
    return rig, nodes[1:]


def test_a_spine_turns_from_its_base_to_its_tip() -> None:
    rig, nodes = spine((0, 0, 0), cat.QUARTER_X, [(0.5, 0.5), (1.0, 1.0)])
    worlds = setup_worlds(rig.maker.scene())
    half = np.sqrt(0.5)
    assert worlds[nodes[0]] == pytest.approx(
        world((0, 0, 0), (1, 0, 0), (0, half, half), (0, -half, half)), abs=1e-6
    )
    turned = (1, 0, 0), (0, 0, 1), (0, -1, 0)
    assert worlds[nodes[1]] == pytest.approx(world((3, 0, 0), *turned), abs=1e-6)
    assert worlds[nodes[2]] == pytest.approx(world((6, 0, 0), *turned), abs=1e-6)


def test_a_spine_bends_towards_its_tip() -> None:
    # From where a straight spine ends, (6, 0, 0), the hub is moved to (0, 6, 0).
    rig, nodes = spine((-3, 3, 0), cat.IDENTITY, [(0.0, 0.5), (0.0, 1.0)])
    worlds = setup_worlds(rig.maker.scene())
    half = np.sqrt(0.5)
    assert worlds[nodes[0]] == pytest.approx(
        world((0, 0, 0), (half, half, 0), (-half, half, 0), (0, 0, 1)), abs=1e-6
    )
    knee = (3 * half, 3 * half, 0)
    assert worlds[nodes[1]] == pytest.approx(
        world(knee, (0, 1, 0), (-1, 0, 0), (0, 0, 1)), abs=1e-6
    )
    # It does not reach the place that it bends towards, and turns as it is set up.
    assert worlds[nodes[2]] == pytest.approx(world((3 * half, 3 * half + 3, 0)), abs=1e-6)


def leg(**changes: float) -> tuple[CatRig, list[int], int]:
    """Return a rig with a leg of 4 and 3, its nodes and that of its platform.

    The bones hang on a hub in (0, 0, 6), bent forward (towards -y) at the knee; the platform is
    in (0, 1, 0), and the ankle stands 1 above it.
    """
    rig = CatRig(units=2.0, place=(0, 0, 0))
    maker = rig.maker
    hub, pelvis = rig.hub("Hub", (0, 0, 3))
    limb, palm = rig.reserve(cat.LIMB), rig.reserve(cat.PALM)
    bones = [rig.reserve(cat.BONE), rig.reserve(cat.BONE)]
    segments = [rig.reserve(cat.SEGMENT), rig.reserve(cat.SEGMENT)]
    angle = 0.3
    # Half a turn of the rig points x to -x; the first bone is turned down from there.
    down = (0, np.sin(-angle), np.cos(angle), 0, np.cos(angle), np.sin(angle), -1, 0, 0)
    bent = (np.cos(0.6), np.sin(0.6), 0, -np.sin(0.6), np.cos(0.6), 0, 0, 0, 1)
    for number, (turn, flags, length) in enumerate(
        ((down, cat.FIRST_BONE, 4), (bent, cat.PLAIN, 3))
    ):
        rig.fill(
            bones[number],
            cat.BONE,
            (length, 1, 1),
            number,
            values={0: (0x12, limb), 17: (0x812, [segments[number]])},
            layers=rig.layers(flags, turn=turn),
        )
        rig.fill(
            segments[number], cat.SEGMENT, (length, 1, 1), 0, values={0: (0x12, bones[number])}
        )
    align = rig.number(changes.get("align", 1.0))
    rig.fill(
        palm,
        cat.PALM,
        (2, 1, 1),
        values={0: (0x12, limb), 7: (0x12, align)},
        # Its end is one above the platform, two in front of the ankle; it points along -y.
        layers=rig.layers(cat.PLAIN, (0, -1, -0.5), (0.0, -1, 0, 1, 0, 0, 0, 0, 1)),
    )
    platform = rig.part(
        cat.FOOT,
        (0, 1, 1),
        layers=rig.layers(cat.WITH_RIG, (0, 0.5, 0)),
        more=[(0x0014, u32(limb))],
    )
    nodes = [pelvis]
    for controller in (*segments, palm):
        nodes.append(maker.node(f"part {controller}", controller, nodes[-1]))
    stand = maker.node("platform", platform)
    rig.fill(
        limb,
        cat.LIMB,
        values={1: (0x12, hub), 9: (0x12, palm), 12: (0x812, bones)},
        more=[(0x0001, u32(LEG_RIGHT))],
        references={
            3: rig.number(changes.get("to_fk", 0.0)),
            4: rig.number(changes.get("reaching", 3.0)),
            5: stand,
        },
    )
    return rig, nodes[1:], stand


def test_a_leg_reaches_for_its_platform() -> None:
    rig, (thigh, calf, ankle), stand = leg()
    worlds = setup_worlds(rig.maker.scene())
    assert worlds[stand] == pytest.approx(world((0, 1, 0)), abs=1e-6)
    heel = worlds[ankle][3, :3]
    # The palm ends 2 along -y and 1 up from the platform; it is 2 long.
    assert worlds[ankle] == pytest.approx(
        world((0, 1, 1), (0, -1, 0), (-1, 0, 0), (0, 0, -1)), abs=1e-6
    )
    hip, knee = worlds[thigh][3, :3], worlds[calf][3, :3]
    assert hip == pytest.approx((0, 0, 6), abs=1e-6)
    assert np.linalg.norm(knee - hip) == pytest.approx(4)
    assert np.linalg.norm(heel - knee) == pytest.approx(3)
    # Along its bones, and bent to the side that it is set up on.
    assert (knee - hip) / 4 == pytest.approx(worlds[thigh][0, :3], abs=1e-6)
    assert (heel - knee) / 3 == pytest.approx(worlds[calf][0, :3], abs=1e-6)
    assert knee[0] == pytest.approx(0, abs=1e-6)
    straight = hip + (heel - hip) * 4 / 7
    assert knee[1] < straight[1]


@pytest.mark.parametrize(
    "change", [{"align": 0.5}, {"to_fk": 1.0}, {"reaching": 2.0}], ids=lambda c: next(iter(c))
)
def test_settings_of_a_leg_that_no_file_proves(change: dict[str, float]) -> None:
    rig, nodes, stand = leg(**change)
    worlds = setup_worlds(rig.maker.scene())
    assert stand in worlds
    assert not set(nodes) & set(worlds)


def test_nodes_that_nothing_was_bound_to_stand_as_the_rig_was_set_up() -> None:
    rig, nodes, stand = leg()
    scene = rig.maker.scene()
    rest = rest_matrices(scene)
    worlds = setup_worlds(scene)
    assert set(rest.poses.values()) == {SET_UP}
    assert set(rest.matrices) == {*worlds} - {rig.node}
    ankle, calf = nodes[2], nodes[1]
    assert rest.matrices[ankle] @ worlds[calf] == pytest.approx(worlds[ankle], abs=1e-9)
    assert rest.matrices[stand] == pytest.approx(worlds[stand], abs=1e-9)
    assert rest.unknown == {}


@pytest.mark.parametrize("flags", [0x710000, 0x740000, 0x780000, cat.WITH_RIG | 1 << 28])
def test_flags_that_no_file_has(flags: int) -> None:
    rig = CatRig()
    _, pelvis = rig.hub("Hub")
    extra = rig.part(cat.HUB, (1, 1, 1), layers=rig.layers(flags, (1, 2, 3)))
    node = rig.maker.node("extra", extra, pelvis)
    scene = rig.maker.scene()
    assert node not in setup_worlds(scene)
    assert list(rest_matrices(scene).unknown) == [node]


def test_a_setup_under_a_controller_is_not_known() -> None:
    rig = CatRig()
    prs = rig.maker.transform((1, 2, 3))
    hub = rig.part(cat.HUB, (1, 1, 1), layers=rig.layers(cat.WITH_RIG, references={2: prs}))
    node = rig.maker.node("hub", hub)
    assert node not in setup_worlds(rig.maker.scene())


def test_damaged_parts_are_left_out() -> None:
    rig, nodes, _ = leg()
    # The size of the calf's bone is cut short.
    for index, (kind, tree) in enumerate(rig.maker.objects):
        if kind == rig.maker.known[cat.BONE]:
            rig.maker.objects[index] = (kind, [tree[0], (0x0000, [(0x000A, b"\0\0\0\0")])])
    scene = rig.maker.scene()
    worlds = setup_worlds(scene)
    assert not set(nodes) & set(worlds)
    assert set(rest_matrices(scene).unknown) == set(nodes)


def test_a_leg_that_is_flat_or_cannot_reach() -> None:
    flat = np.diag([1.0, 0, 1, 1])
    shin = world((4, 0, 0))
    assert reach(flat, shin, 3, np.array([5.0, 0, 0])) is None
    for far in (7.5, 0.5, np.nan):
        assert reach(np.eye(4), shin, 3, np.array([far, 0, 0])) is None


def test_a_bone_without_a_segment() -> None:
    rig, nodes, _ = leg()
    bone = next(
        index
        for index, (kind, _) in enumerate(rig.maker.objects)
        if kind == rig.maker.known[cat.BONE]
    )
    rig.fill(bone, cat.BONE, (4, 1, 1), 0, values={17: (0x812, [])})
    assert not set(nodes) & set(setup_worlds(rig.maker.scene()))


@pytest.mark.parametrize("seed", range(40))
def test_rigs_with_any_bytes_changed(seed: int) -> None:
    rig, _, _ = leg()
    scene = rig.maker.scene()
    data, random = bytearray(scene.data), Random(seed)
    for _ in range(random.randint(1, 12)):
        data[random.randrange(len(data))] = random.choice((0, 1, 0x7F, 0x80, 0xFF))
    try:
        damaged = Scene(bytes(data), scene.classes, [])
        rest = rest_matrices(damaged)
    except MaxSidecarError:
        return
    assert all(np.isfinite(matrix).all() for matrix in rest.matrices.values())


@pytest.mark.parametrize("units", [float("nan"), float("inf")])
def test_units_that_are_no_numbers(units: float) -> None:
    rig = CatRig(units=units)
    rig.hub("Hub")
    assert setup_worlds(rig.maker.scene()) == {}


def test_links_to_the_wrong_parts() -> None:
    """A spine whose tip is its own link, and a limb that is a hub."""
    rig = CatRig()
    hub, pelvis = rig.hub("Hub")
    data, link = rig.reserve(cat.SPINE), rig.reserve(cat.LINK)
    rig.fill(link, cat.LINK, (3, 1, 1), 0, values={0: (0x12, data), 2: (0x14, rig.matrix())})
    rig.fill(
        data,
        cat.SPINE,
        values={2: (0x12, link), 10: (0x812, [link, 999999, -1]), 14: (0x14, rig.matrix())},
        references={1: rig.number(1.0)},
    )
    collar = rig.part(
        cat.COLLARBONE, (1, 1, 1), values={0: (0x12, hub)}, layers=rig.layers(cat.PLAIN)
    )
    nodes = [rig.maker.node("link", link, pelvis), rig.maker.node("collar", collar, pelvis)]
    assert set(setup_worlds(rig.maker.scene())) == {rig.node, pelvis}
    assert set(rest_matrices(rig.maker.scene()).unknown) == set(nodes)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 3e38])
def test_parts_of_a_leg_whose_setup_is_no_matrix(number: float) -> None:
    """A leg is placed all at once, so one bad bone must not leave bad places for the others."""
    rig, _, _ = leg()
    scene = rig.maker.scene()
    stored = bytes(scene.data)
    setups = [item.setup for item in scene if isinstance(item, LayerMatrix3) and item.setup]
    assert len(setups) == 5
    for setup in setups:
        matrix = stored.index(pack("<12f", *setup.numbers))
        for start in range(matrix, matrix + 48, 4):
            data = stored[:start] + pack("<f", number) + stored[start + 4 :]
            worlds = setup_worlds(Scene(data, scene.classes, []))
            assert rig.node in worlds
            assert all(np.isfinite(found).all() for found in worlds.values())
