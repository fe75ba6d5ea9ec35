"""Why the place of a bone need not be right between its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.scene.biped.planted import blends, planted_keys, planted_runs
from maxsidecar.scene.biped.posture import limb_pose
from maxsidecar.scene.biped.system import track_of
from maxsidecar.scene.controllers.composite import ListController
from maxsidecar.scene.controllers.rotations import continuous

if TYPE_CHECKING:
    from maxsidecar.scene.biped.roles import Role
    from maxsidecar.scene.biped.structure import Array, Structure
    from maxsidecar.scene.biped.system import BipedMember, Rig
    from maxsidecar.scene.biped.tracks import Track

__all__ = ["doubt_of", "layered"]

#: First half of the class id of what holds further controllers of a bone, and the slot it is in.
_SUB_ANIMATION: Final = 0x6B147369
_SUB_SLOT: Final = 2
#: Its slots for lists of scales, rotations and positions; all 1,340 lists of the corpus are empty.
_LISTS: Final = (1, 2, 3)


def layered(controller: BipedMember) -> str | None:
    """Return what moves a bone besides its biped, which is not followed.

    Raises:
        DecodeError: A reference list, or the count of a list, cannot be read.
    """
    held = controller.part(_SUB_SLOT)
    if held is None or held.class_id is None or held.class_id.a != _SUB_ANIMATION:
        return None
    lists = map(held.part, _LISTS)
    if any(isinstance(item, ListController) and any(item.parts()) for item in lists):
        return "biped: controllers in the lists of the bone's sub-animation are not followed"
    return None


def doubt_of(rig: Rig, role: Role) -> str | None:
    """Return why a bone need not be where its rig has it; ``None`` where files prove the place."""
    if rig.problems:
        return "biped: " + "; ".join(rig.problems)
    name = track_of(role)
    track = rig.tracks.get(name)
    if track is None or len(track) < 2:
        return None
    if np.any(track.ease != 0.0):
        return "biped: keys that ease are followed as if they did not"
    if name.endswith((" arm", " leg")):
        return _planted(rig.structure, name, track) or _fingers(rig.structure, role, track)
    return None


def _planted(structure: Structure, name: str, track: Track) -> str | None:
    runs = planted_runs(blends(structure, name, track))
    if not runs:
        return None
    solved = name.endswith(" leg") and structure.leg_links == 3
    if solved and planted_runs(planted_keys(structure, name, track)) == runs:
        return "biped: between planted keys a model moves the leg, which no sampled file proves"
    return "biped: between planted keys the joints are interpolated, not solved"


def _fingers(structure: Structure, role: Role, track: Track) -> str | None:
    """Tell fingers that move: no file has any between its keys."""
    if not role.part.startswith("finger") or role.side >= len(structure.arms):
        return None
    digits = structure.arms[role.side].digits
    if role.digit >= len(digits):
        return None
    pose = limb_pose(structure, track.records, digits, arms=True).digits[role.digit]
    if any(map(_moves, (pose.base, *pose.links))):
        return "biped: how fingers move between their keys is not proved by a file"
    return None


def _moves(values: Array) -> bool:
    """Return whether quaternions or angles differ between keys."""
    if values.ndim == 1:
        return bool(np.any(np.abs(np.diff(np.unwrap(values))) > 1e-6))
    return bool(np.any(np.abs(np.diff(continuous(values), axis=0)) > 1e-6))
