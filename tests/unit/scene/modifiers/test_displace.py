"""Displace without and with strength."""

from __future__ import annotations

import numpy as np

from maxsidecar.scene.modifiers.displace import DISPLACE
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE

SMOKE = (0xA845E7C, 0, 0xC10)


def displaced(strength: float, mapping: int = 0, *, by_map: bool = False) -> Stack:
    maker = SceneMaker()
    block = old_block(maker, [0, 1.0, 1.0, 1.0, 0.0, 0, mapping, strength, 0.0])
    references = [maker.transform(), block]
    if by_map:
        references.append(maker.add(SMOKE))
    return Stack([Layer(DISPLACE, references=references)], maker=maker)


def test_displace() -> None:
    assert np.allclose(displaced(0.0).mesh().positions, SQUARE)
    assert displaced(0.0, 1).reasons() == ["the mapping that it applies is left out"]
    stack = displaced(2.0)
    assert stack.reasons() == ["it displaces by an image, which is not evaluated"]
    assert not stack.evaluation().complete


def test_the_map_that_it_displaces_by_is_named() -> None:
    (reason,) = displaced(2.0, by_map=True).reasons()
    assert reason.startswith("it displaces by the map ")
