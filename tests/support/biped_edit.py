"""Bipeds whose every number is another one, to see which of them an edit touches."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np

from maxsidecar.scene.biped.system import BipedSystem
from maxsidecar.scene.maxfile import MaxFile
from tests.support.biped_leaves import arm, chain, floats, leg, times

#: Lengths of the hand-built rig, and what its bones measure across; release 8, one finger of two
#: links on each hand, no toes.
HEAD, HIPS = 0.9, 0.75
ARM_TABLE = (3.1, 3.2, 2.1, 2.2, 0.41, 0.42, 0.21, 0.22, 1.0, 1.1, 1.2)
LEG_TABLE = (4.1, 4.2, 5.1, 5.2, 40, 0, 0)

#: The tables of sizes of the hand-built rig.
SIZES = {
    0x000B: chain(1.0, 2.0),
    0x000C: floats(HEAD),
    0x000D: chain(0.5),
    0x000F: leg() * 2,
    0x0010: arm() * 2,
    0x00CA: floats(17, 169, 4.0 + 5.0, HIPS, 991),
    0x01F4: floats(HEAD, 0.8, 0.7, HEAD, 1.6, 1.7, HIPS),
    0x01F5: floats(0.51, 0.52),
    0x01F7: floats(1.1, 1.2, 2.1, 2.2),
    0x01F8: b"",
    0x01F9: floats(*LEG_TABLE, *LEG_TABLE),
    0x01FA: floats(*ARM_TABLE, *ARM_TABLE),
}


def numbered(count: int, first: float) -> Any:
    return np.arange(count, dtype="<f4") * np.float32(0.001) + np.float32(first)


def keyed(ticks: tuple[int, ...] = (0, 320, 960)) -> dict[int, bytes]:
    """Return keys of every kind, with different numbers throughout."""
    count = len(ticks)
    head3, head4 = pack("<3i", count, 0, 0), pack("<4i", count, 0, 0, 0)
    out: dict[int, bytes] = {}

    def rows(size: int, first: float) -> Any:
        return numbered(count * size, first).reshape(count, size)

    def put(id_: int, head: bytes, records: Any) -> None:
        out[id_] = head + records.astype("<f4").tobytes()
        out[id_ + 1] = times(*ticks)

    put(0x012C, pack("<i", count), rows(10, 5.0))
    turn = rows(13, 3.0)
    turn[:, 4:8] = [0.6, 0, 0, 0.8]
    put(0x012E, head3, turn)
    height = pack("<i", count) + rows(13, 20.0).tobytes()
    out[0x0130], out[0x0131] = height * 2, times(*ticks)
    pelvis = rows(7, 0.0)
    pelvis[:, :4] = [0, 0, 0.6, 0.8]
    put(0x0132, head3, pelvis)
    for id_, first in ((0x0134, 0.1), (0x0136, 0.2), (0x0138, 0.3), (0x013A, 0.4)):
        limb = rows(110, first)
        for at in (2, 28, 46):
            limb[:, at : at + 4] = [0.8, 0, -0.6, 0]
        put(id_, head4, limb)
    spine = rows(7, 0.01)
    spine[:, 0] = np.array([6], "<i4").view("<f4")
    put(0x013C, head4, spine)
    head = rows(12, 0.02)
    head[:, :4] = [0, 1, 0, 0]
    head[:, 7] = np.array([3], "<i4").view("<f4")
    put(0x013E, head3, head)
    return out


def system_of(scene_file: MaxFile) -> BipedSystem:
    """Return the only biped of a scene."""
    (system,) = (item for item in scene_file.scene if isinstance(item, BipedSystem))
    return system


def words(system: BipedSystem) -> dict[int, Any]:
    """Return the numbers of the live set by chunk, as integers."""
    out = {}
    for id_, chunk in system.rig.sets.live.items():
        data = bytes(chunk.data)
        out[id_] = np.frombuffer(data[: len(data) // 4 * 4], "<u4")
    return out


def changed(before: dict[int, Any], after: dict[int, Any]) -> set[tuple[int, int]]:
    """Return which numbers are others: chunk and place."""
    assert before.keys() == after.keys()
    return {
        (id_, int(at))
        for id_ in before
        for at in np.flatnonzero(before[id_] != after[id_])
        if len(before[id_]) == len(after[id_])
    }
