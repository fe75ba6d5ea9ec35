"""World matrices of the bones of bipeds at some times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.scene.biped.forward import Frame, bones_of, soles_of
from maxsidecar.scene.biped.keyed import PRESENT, posture_at
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.structure import Array, floats_of
from maxsidecar.scene.biped.system import BipedBody, BipedMember, BipedSystem
from maxsidecar.scene.biped.turns import transposed

if TYPE_CHECKING:
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.scene import Scene

__all__ = ["BipedWorlds"]

_LINK = 0x0112
_CORRECTION = 0x0260


class BipedWorlds:
    """Places the bones of all bipeds of a scene; each rig is computed once.

    Args:
        scene: The scene.
        times: (T,) ticks.
        figure: Whether rigs stand in their figure pose instead of that of their keys.
    """

    def __init__(self, scene: Scene, times: Array, *, figure: bool = False) -> None:
        """Keep the times."""
        self.scene = scene
        self.times = times
        self.figure = figure
        self._rigs: dict[int, dict[Role, Frame | Array]] = {}
        self._carried: dict[int, Node] | None = None

    def world(self, controller: BipedMember) -> Array | None:
        """Return row-vector world matrices, (T, 4, 4) or (1, 4, 4).

        ``None`` where the bone cannot be placed: see :attr:`BipedMember.obstacle`.
        """
        try:
            system, role = controller.system, controller.role
            if system is None or role is None:
                return None
            bones = self._bones(system)
        except DecodeError:
            return None
        found = bones.get(role)
        if isinstance(found, Frame):
            # The matrices take the place of the frame: both are large where times are many.
            found = bones[role] = _matrices(found)
        return found

    def following(self, controller: BipedMember, world: Array, move: Array) -> Array:
        """Return where a bone of a carried rig is, (T, 4, 4) or (1, 4, 4).

        Footsteps stay upright, under the lower foot.  (So they do in two skeletons of the game.)

        Args:
            controller: The bone's.
            world: Where it is without being carried, see :meth:`world`.
            move: (T, 4, 4) or (1, 4, 4): from there to where its rig is.
        """
        out: Array = world @ move
        system = controller.system
        if system is None or controller.role != Role("footsteps"):
            return out
        bones = self._bones(system)
        placed = {
            role: _matrices(bone) if isinstance(bone, Frame) else bone
            for role, bone in bones.items()
            if role.part in ("com", "leg")
        }
        moved = {role: matrices @ move for role, matrices in placed.items()}
        com = moved[Role("com")]
        soles = [moved[role][:, 3, 2] - depth for role, depth in soles_of(system.rig.structure)]
        ground = np.minimum.reduce(np.broadcast_arrays(com[:, 3, 2] + np.inf, *soles))
        upright = np.broadcast_to(np.eye(4), (len(ground), 4, 4)).copy()
        upright[:, 3, :2] = com[:, 3, :2]
        upright[:, 3, 2] = ground
        return upright

    def carried(self, controller: BipedMember) -> Node | None:
        """Return the centre of mass that carries a bone's rig; ``None`` where the rig stands free.

        It carries the rig where it hangs below another node.
        """
        from maxsidecar.scene.node import RootNode

        if self._carried is None:
            self._carried = {}
            for node in self.scene.nodes.values():
                try:
                    body = node.controller
                    system = body.system if isinstance(body, BipedBody) else None
                except MaxSidecarError:
                    continue
                parent = node.parent
                if system is None or parent is None or isinstance(parent, RootNode):
                    continue
                self._carried.setdefault(system.index, node)
        if not self._carried:
            return None
        try:
            system = controller.system
        except DecodeError:
            return None
        return None if system is None else self._carried.get(system.index)

    def link(self, controller: BipedMember) -> Array | None:
        """Return a carried centre of mass below its parent, (4, 4).

        It is where the rig stands now, seen from where the parent was when the two were linked
        (spec: max-payload-catalogue J.4; no scene of the corpus has one).
        """
        try:
            system = controller.system
            if system is None:
                return None
            sets = system.rig.sets
        except DecodeError:
            return None
        inverse = floats_of(sets.common.get(_LINK))
        present = floats_of(sets.common.get(PRESENT))
        if len(inverse) != 12 or len(present) != 16:
            return None
        moved = floats_of(sets.live.get(_CORRECTION))[:3]
        rows = present.reshape(4, 4)[:, :3].copy()
        if len(moved) == 3:
            rows[3] += moved
        upright = np.stack([rows[:, 0], -rows[:, 2], rows[:, 1]], axis=1)
        own = np.eye(4)
        own[0, :3], own[1, :3], own[2, :3] = upright[0], -upright[2], upright[1]
        own[3, :3] = upright[3]
        parent = np.eye(4)
        parent[:, :3] = inverse.reshape(4, 3)
        out: Array = own @ parent
        return out

    def _bones(self, system: BipedSystem) -> dict[Role, Frame | Array]:
        """Return the bones of a rig, as matrices where they were asked for before."""
        done = self._rigs.get(system.index)
        if done is None:
            rig = system.rig
            live = rig.sets.live
            if self.figure:
                posture = figure_posture(rig.structure, live)
            else:
                posture = posture_at(rig.structure, live, rig.sets.common, rig.tracks, self.times)
            done = self._rigs[system.index] = {**bones_of(rig.structure, posture)}
        return done


def _matrices(frame: Frame) -> Array:
    rows = max(len(frame.turn), len(frame.place))
    out = np.zeros((rows, 4, 4))
    out[:, :3, :3] = transposed(frame.turn)
    out[:, 3, :3] = frame.place
    out[:, 3, 3] = 1.0
    return out
