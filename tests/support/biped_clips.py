"""The clips of the corpus whose bipeds have keys, by the release that saved them."""

from __future__ import annotations

from pathlib import Path

import maxsidecar
from maxsidecar.scene.biped.system import BipedSystem, Rig

#: The rule that a rig's head is this part of its height.
HEAD = 0.113253

WALK_5 = "Dx3D-Study/Media__Walk_Russian blue.max"
IDLE_5 = "Dx3D-Study/Media__Idle_Russian blue.max"
WALK_7 = "KGCA/data__AniMotion__WomanWalk.max"
CHOP_8 = "Dx3D-Study/*ani_chop.max"
WAIT_8 = "Dx3D-Study/*ani_wait.max"
DEAD_8 = "Dx3D-Study/*ani_dead.max"
WALK_2008 = "KGCA/data__max2016__인간*.max"


def rig_of(corpus: Path, pattern: str) -> Rig:
    """Return the only rig of a scene."""
    path = next((corpus / "max").glob(pattern))
    systems = [item for item in maxsidecar.open(path).scene if isinstance(item, BipedSystem)]
    assert len(systems) == 1
    return systems[0].rig


def height_of(rig: Rig) -> float:
    """Return how high a rig is, by the length of its head."""
    return rig.structure.head_length / HEAD
