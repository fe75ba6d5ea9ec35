"""Controllers in the lists that a bone keeps beside its biped: not followed, and told."""

from __future__ import annotations

import pytest

from maxsidecar.scene.biped.system import BipedController
from tests.support.biped_layouts import RELEASES
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import random_rig
from tests.support.scenes import POSITION_XYZ, SceneMaker, u32

SYSTEM, PART, SUB = (0x9155, 0, 0x60), (0x9154, 0, 0x9008), (0x6B147369, 0x5C3A4F0E, 0x9003)
POSITION_LIST = (0x4B4B1002, 0, 0x900B)


@pytest.mark.parametrize("entries", [0, 1], ids=["an empty list", "one entry"])
def test_entries_of_the_lists_are_told(entries: int) -> None:
    maker = SceneMaker()
    system = maker.add(SYSTEM, system_chunks(RELEASES["8"], random_rig(5)))
    offset = maker.add(POSITION_XYZ, (), [maker.number(v) for v in (1, 2, 3)])
    held = maker.add(POSITION_LIST, [(0x1010, u32(entries))], [offset] * entries)
    lists = maker.add(SUB, (), {0: -1, 3: held})
    spine = maker.add(PART, [(0x0200, u32(8) + u32(0))], [system, None, lists])
    maker.node("spine", spine)
    controller = maker.scene()[spine]
    assert isinstance(controller, BipedController)
    assert controller.obstacle is None
    assert ("sub-animation" in (controller.doubt or "")) == bool(entries)
