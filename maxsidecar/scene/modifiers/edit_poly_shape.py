"""Edit Poly: operations that keep the faces: transform, relax, smoothing, material, flip."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from maxsidecar.io.codecs import U32
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork
from maxsidecar.scene.modifiers.smooth import auto_smooth

__all__: list[str] = []

_MOVES: Final = Rows("moves", "f", 3, counted=False)
#: Most rounds of relaxing; the spinner of 3ds Max ends far below.
_MOST_ROUNDS: Final = 10_000
#: How much longer an edge takes in a round of relaxing than in other operations.
_RELAX_STEPS: Final = 16


def _add_moves(work: PolyWork, op: Operation, count_id: int, moves_id: int) -> None:
    if op.data is None:
        return  # nothing was moved
    counted, stored = op.data.find(count_id), op.data.find(moves_id)
    if counted is None or stored is None:
        return
    moves: Any = decode(stored, _MOVES).array
    count, told = len(work.positions), decode(counted, U32)
    if told != count or len(moves) != count:
        raise NotSupportedError(f"it was made for {told} vertices, and there are {count}")
    with np.errstate(all="ignore"):
        work.positions = work.positions + moves.astype(np.float32)


@operation(53)
def transform(work: PolyWork, op: Operation) -> None:
    """Move vertices: the stored moves are in object space."""
    _add_moves(work, op, 0x12C3, 0x12C4)


@operation(81)
def paint_deformation(work: PolyWork, op: Operation) -> None:
    """Move vertices as they were painted."""
    _add_moves(work, op, 0x1235, 0x1236)
    if op.data is not None:
        work.notes["no file proves painted deformations"] = None


@operation(80)
def relax(work: PolyWork, op: Operation) -> None:
    """Move vertices towards the mean of those that edges join them with."""
    chosen = op.chosen(len(work.positions), "vertices")
    if op.selection is None or not chosen.any():
        chosen = np.ones(len(work.positions), np.bool_)
    amount, rounds = op.real(72), op.integer(73)
    if not 0 <= rounds <= _MOST_ROUNDS:
        raise NotSupportedError(f"it has {rounds} rounds")
    ends = work.ends
    valence = np.bincount(ends.reshape(-1), minlength=len(chosen))
    still = ~chosen | (valence == 0)
    uses = np.bincount(work.faces.sides, minlength=len(ends))
    if op.integer(74):  # hold border vertices
        still[ends[uses == 1].reshape(-1)] = True
    if op.integer(75):
        raise NotSupportedError("it holds the outer vertices of the selection")
    work.spend(_RELAX_STEPS * rounds * (len(ends) + len(chosen)))
    here, there = ends.T.reshape(-1), ends[:, ::-1].T.reshape(-1)
    for _ in range(rounds):
        beside = work.positions[there]
        sums = np.stack(
            [np.bincount(here, beside[:, axis], len(chosen)) for axis in range(3)], axis=1
        )
        mean = sums / np.maximum(valence, 1)[:, None]
        moved = work.positions + np.float32(amount) * (mean - work.positions)
        work.positions = np.where(still[:, None], work.positions, moved).astype(np.float32)
    work.notes["no file proves where relaxed vertices go"] = None


@operation(68)
def smooth_by_angle(work: PolyWork, op: Operation) -> None:
    """Give the selected faces smoothing groups by the angles between them."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    groups, _ = auto_smooth(work.mesh(), op.real(55))
    work.faces.smoothing = np.where(chosen, groups, work.faces.smoothing).astype(np.uint32)
    work.notes["which smoothing group a set of faces gets is not that of 3ds Max"] = None


@operation(69)
def set_smoothing(work: PolyWork, op: Operation) -> None:
    """Set and clear smoothing groups of the selected faces."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    bits = np.uint32(op.integer(56) & 0xFFFFFFFF)
    cleared = np.uint32(op.integer(57) & 0xFFFFFFFF)
    groups = (work.faces.smoothing & ~cleared) | bits
    work.faces.smoothing = np.where(chosen, groups, work.faces.smoothing).astype(np.uint32)
    work.notes["no file proves how smoothing groups are set"] = None


@operation(70)
def set_material(work: PolyWork, op: Operation) -> None:
    """Set the material id of the selected faces."""
    chosen = op.chosen(len(work.faces.degrees), "faces")
    number = op.integer(58) & 0xFFFF
    work.faces.materials = np.where(chosen, number, work.faces.materials)
    work.notes["no file proves how material ids are set"] = None
