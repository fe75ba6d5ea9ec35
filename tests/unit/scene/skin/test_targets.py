"""Morphers made by hand: channels, gaps, limits, targets that are passed one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.skin.morpher_views import Morpher
from maxsidecar.scene.skin.targets import MorphTargets, morph_layers, read_targets
from tests.support.blocks import BLOCK1
from tests.support.scenes import BEZIER_FLOAT, SceneMaker, f32, u32
from tests.support.skins import morpher_layer
from tests.support.stacks import EDITABLE_MESH, Stack
from tests.support.stored_meshes import SQUARE, tri_chunks

UP = [(0, 0, 1)] * 5
ASIDE = [(2, 0, 0), *[(0, 0, 0)] * 4]


def targets(maker: SceneMaker | None = None, **options: Any) -> MorphTargets:
    maker = maker or SceneMaker()
    channels = options.pop("channels", {3: ("up", UP), 0: ("aside", ASIDE)})
    stack = Stack([morpher_layer(maker, channels, **options)], maker=maker)
    node = maker.node("mesh", None, object_=stack.top)
    scene = maker.scene()
    (layer,) = morph_layers(scene.nodes[node])
    evaluator = Evaluator(scene, 0)
    mesh = evaluator.below(layer.derived, layer.slot).mesh
    assert mesh is not None
    return read_targets(layer, mesh, evaluator)


def test_channels_keep_their_number() -> None:
    found = targets()
    assert [(channel.index, channel.name) for channel in found.channels] == [
        (0, "aside"),
        (3, "up"),
    ]
    first, second = (target for _, target in found.targets)
    assert first.deltas == pytest.approx(np.array(ASIDE), abs=1e-6)
    assert second.deltas == pytest.approx(np.array(UP), abs=1e-6)
    assert (first.percent, first.node) == (100.0, None)
    assert (found.vertex_count, found.notes) == (5, ())


def test_weights_are_percents() -> None:
    found = targets(percents={0: 25.0, 3: -50.0, 7: 99.0})
    assert found.weights(0).tolist() == [[0.25, -0.5]]
    assert found.weights([0, 4800]).tolist() == [[0.25, -0.5]] * 2


def test_limits_hold_for_all_channels() -> None:
    found = targets(percents={0: 250.0, 3: -50.0}, limits=(True, 0.0, 80.0))
    assert found.weights(0).tolist() == [[0.8, 0.0]]
    # A range that is none does not count.
    found = targets(percents={0: 250.0}, limits=(True, 90.0, 80.0))
    assert found.weights(0).tolist() == [[2.5, 0.0]]


def test_a_channel_that_is_switched_off_moves_nothing() -> None:
    found = targets(percents={0: 50.0, 3: 50.0}, inactive=[3])
    assert found.weights(0).tolist() == [[0.5, 0.0]]


def test_a_controller_moves_a_channel() -> None:
    maker = SceneMaker()
    keyed = maker.keyed(BEZIER_FLOAT, 0x2501, f32(75.0))
    record = (0x0002, [(0x0003, u32(0)), (0x0004, b""), (0x0200, b"")])
    controlled = maker.add(BLOCK1, [(0x0001, u32(1)), (0x0005, b"\1\0"), record], [keyed])
    found = targets(maker, nodes={1: controlled})
    channel = found.channels[0]
    assert channel.controller is not None
    assert channel.weights(0).tolist() == [[0.75]]


def test_the_node_that_shows_a_target_is_known() -> None:
    maker = SceneMaker()
    shown = maker.node("target", None)
    found = targets(maker, nodes={101: shown, 104: 0})
    nodes = [target.node for _, target in found.targets]
    assert nodes[0] is not None
    assert nodes[0].name == "target"
    assert nodes[1] is not None  # the root, by the made-up reference


def test_targets_that_are_passed_one_after_the_other() -> None:
    maker = SceneMaker()
    moved = [(x, y + 4, z) for x, y, z in SQUARE]
    base = maker.add(EDITABLE_MESH, [(0x08FE, tri_chunks(moved))])
    further = maker.node("further", None, object_=base)
    found = targets(
        maker,
        channels={2: ("way", UP)},
        percents={2: 75.0},
        further={2: 1},
        nodes={201 + 25 * 2: further},
    )
    (channel,) = found.channels
    assert [target.percent for target in channel.targets] == [50.0, 100.0]
    assert channel.targets[1].deltas == pytest.approx(np.array([(0, 4, 0)] * 5))
    assert channel.targets[1].node is not None
    assert channel.weights(0).tolist() == [[0.5, 0.5]]
    for percent, weights in ((0, [0, 0]), (25, [0.5, 0]), (50, [1, 0]), (100, [0, 1])):
        channel.percent = float(percent)
        assert channel.weights(0).tolist() == [weights]
    # Beyond the ends it goes on as before them.
    channel.percent = 150.0
    assert channel.weights(0).tolist() == [[-1, 2]]
    assert "goes through 2 targets" in found.notes[0]


def test_a_further_target_that_is_gone() -> None:
    found = targets(channels={2: ("way", UP)}, further={2: 1})
    assert len(found.targets) == 1
    assert "is not there" in found.notes[0]


def test_channels_that_do_not_fit_are_left_out() -> None:
    found = targets(channels={0: ("short", UP[:4]), 1: ("nan", [(np.nan, 0, 0)] * 5)})
    assert found.channels == ()
    assert found.weights(0).shape == (1, 0)
    assert found.notes[0] == "channel 0 (short) is for 4 vertices, of 5: left out"
    assert "no numbers" in found.notes[1]


def test_a_morpher_that_is_off() -> None:
    maker = SceneMaker()
    layer = morpher_layer(maker, {0: ("up", UP)})
    layer.chunks = [*layer.chunks, (0x39BF, [(0x0110, b"")])]
    stack = Stack([layer], maker=maker)
    node = maker.node("mesh", None, object_=stack.top)
    assert morph_layers(maker.scene().nodes[node]) == []


def test_another_modifier_is_none() -> None:
    found = targets()
    mesh = Evaluator(found.layer.modifier.scene, 0).below(found.layer.derived, 0).mesh
    assert mesh is not None
    wrong = type(found.layer)(found.layer.derived, 0, found.layer.derived, None)
    with pytest.raises(DecodeError, match="no Morpher"):
        read_targets(wrong, mesh, Evaluator(found.layer.modifier.scene, 0))


def test_every_chunk_is_typed() -> None:
    found = targets()
    morpher = found.layer.modifier
    assert isinstance(morpher, Morpher)
    assert len(morpher.channels) == 100
    errors: list[Exception] = []
    leaves = list(morpher.typed_leaves())
    # 0110 is a container where something is selected; it is a leaf without a body here.
    assert len(leaves) == 1 + 2 + 100 * 8
    check_leaves(iter(leaves), errors.append)
    assert not errors
    assert "channels[3].deltas" in {name for _, name, _ in leaves}
