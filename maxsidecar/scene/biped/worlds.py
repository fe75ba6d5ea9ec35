"""World matrices of the bones of bipeds at some times."""

from __future__ import annotations

import numpy as np

from maxsidecar.errors import DecodeError
from maxsidecar.scene.biped.forward import Frame, bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.structure import Array
from maxsidecar.scene.biped.system import BipedController, BipedSystem
from maxsidecar.scene.biped.turns import transposed

__all__ = ["BipedWorlds"]


class BipedWorlds:
    """Places the bones of all bipeds of a scene; each rig is computed once.

    Args:
        times: (T,) ticks.
    """

    def __init__(self, times: Array) -> None:
        """Keep the times."""
        self.times = times
        self._rigs: dict[int, dict[Role, Frame]] = {}

    def world(self, controller: BipedController) -> Array | None:
        """Return row-vector world matrices, (T, 4, 4) or (1, 4, 4).

        ``None`` where the bone cannot be placed: see :attr:`BipedController.obstacle`.
        """
        try:
            system, role = controller.system, controller.role
            if system is None or role is None:
                return None
            frame = self._bones(system).get(role)
        except DecodeError:
            return None
        if frame is None:
            return None
        rows = max(len(frame.turn), len(frame.place))
        out = np.zeros((rows, 4, 4))
        out[:, :3, :3] = transposed(frame.turn)
        out[:, 3, :3] = frame.place
        out[:, 3, 3] = 1.0
        return out

    def _bones(self, system: BipedSystem) -> dict[Role, Frame]:
        done = self._rigs.get(system.index)
        if done is None:
            rig = system.rig
            posture = posture_at(
                rig.structure, rig.sets.live, rig.sets.common, rig.tracks, self.times
            )
            done = self._rigs[system.index] = bones_of(rig.structure, posture)
        return done
