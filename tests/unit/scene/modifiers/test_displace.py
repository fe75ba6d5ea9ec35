"""Displace without and with strength."""

from __future__ import annotations

import numpy as np

from maxsidecar.scene.modifiers.displace import DISPLACE
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE


def displaced(strength: float, mapping: int = 0) -> Stack:
    maker = SceneMaker()
    block = old_block(maker, [0, 1.0, 1.0, 1.0, 0.0, 0, mapping, strength, 0.0])
    return Stack([Layer(DISPLACE, references=[maker.transform(), block])], maker=maker)


def test_displace() -> None:
    assert np.allclose(displaced(0.0).mesh().positions, SQUARE)
    assert displaced(0.0, 1).reasons() == ["the mapping that it applies is left out"]
    stack = displaced(2.0)
    assert stack.reasons() == ["it displaces by an image or a map, and those are not evaluated"]
    assert not stack.evaluation().complete
