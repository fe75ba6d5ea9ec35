"""Scenes with a biped, made from nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from struct import pack
from typing import Any

from maxsidecar.scene.authoring_chunks import NewClass
from tests.support.biped_layouts import Release, bone_ids
from tests.support.biped_leaves import Leaf, floats, live, times
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import Rig
from tests.support.nel_scenes import GameScene

SYSTEM = NewClass("Biped", 0x9155, 0, 0x60)
BODY = NewClass("Vertical/Horizontal/Turn", 0x9156, 0, 0x9008)
PART = NewClass("BipSlave Control", 0x9154, 0, 0x9008)
SHAPE = NewClass("Biped Object", 0x9125, 0, 0x10)
FOOTSTEPS = NewClass("Footsteps", 0x3011, 0, 0x9008)

#: Ids of parts, of releases from 8 on.
LEFT_ARM, RIGHT_ARM, RIGHT_FINGERS, SPINE, HEAD, PELVIS, TWIST, RIGHT_FINGER_NUBS = (
    0, 1, 3, 8, 10, 11, 102, 22,
)  # fmt: skip


def head_keys(*ticks: int, first: float = 0.0) -> dict[int, bytes]:
    """Return keys of head and neck, all neutral but for the first number of each."""
    row = floats(first, 0, 0, 1, 0, 0, 0) + pack("<i", 3) + floats(0, 0, 0)
    return {0x013E: pack("<3i", len(ticks), 0, 0) + row * len(ticks), 0x013F: times(*ticks)}


class BipedScene(GameScene):
    """A scene whose biped has the records of the hand-built rig: release 8, one finger each."""

    def add_system(self, records: Mapping[int, bytes] | None = None) -> int:
        """Add a system; ``records`` replace those of the live set, or come into it."""
        given = dict(records or {})
        leaves: list[Leaf] = []
        for leaf in live():
            if leaf.id == 0x0141:
                leaves += [Leaf(id_, data) for id_, data in given.items()]
            leaves.append(Leaf(leaf.id, given.pop(leaf.id, leaf.data)))
        chunks: Iterable[Any] = [
            (0x0100, pack("<6i", 0, 0, 0, 0, 3, 0)),
            (0x0108, pack("<2i", 1, 0)),
            *((leaf.id, leaf.data) for leaf in leaves),
            (0x0104, floats(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 20, 5, 1)),
            (0x0112, floats(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)),
        ]
        return self.add_object(SYSTEM, list(chunks))

    def body(self, name: str, system: int | None, *, parent: int | None = None) -> int:
        """Add the node of a centre of mass."""
        controller = self.add_object(BODY, (), [system])
        shape = self.add_object(SHAPE)
        return self.add_node(name, shape, parent=parent, transform=controller)

    def bone(
        self, name: str, system: int | None, part: int, link: int = 0, *, parent: int | None = None
    ) -> int:
        """Add the node of any other bone."""
        controller = self.add_object(PART, [(0x0200, pack("<2i", part, link))], [system])
        shape = self.add_object(SHAPE)
        return self.add_node(name, shape, parent=parent, transform=controller)

    def rig(self, records: Mapping[int, bytes] | None = None, *, parent: int | None = None) -> int:
        """Add a biped of some bones; return its centre of mass."""
        system = self.add_system(records)
        body = self.body("Bip01", system, parent=parent)
        pelvis = self.bone("Bip01 Pelvis", system, PELVIS, parent=body)
        spine = self.bone("Bip01 Spine", system, SPINE, parent=pelvis)
        self.bone("Bip01 Head", system, HEAD, parent=spine)
        finger = self.bone("Bip01 R Finger01", system, RIGHT_FINGERS, 1, parent=spine)
        self.bone("Bip01 R Finger0Nub", system, RIGHT_FINGER_NUBS, parent=finger)
        self.bone("Bip01 Twist", system, TWIST, parent=spine)
        return body

    def footsteps(self, name: str, system: int | None, *, parent: int | None = None) -> int:
        """Add the node that stands for footsteps."""
        controller = self.add_object(FOOTSTEPS, (), [system])
        return self.add_node(name, self.add_object(SHAPE), parent=parent, transform=controller)

    def laid_out(
        self,
        release: Release,
        rig: Rig,
        *,
        chunks: Sequence[tuple[int, bytes]] | None = None,
        parent: int | None = None,
        prefix: str = "",
        more: Mapping[str, tuple[int, int]] | None = None,
        **options: Any,
    ) -> dict[str, int]:
        """Add a biped with all of its bones as a release stores it.

        Nodes are called as their part: ``com``, ``pelvis``, ``arm 0 2 0`` (side, link, digit).

        Args:
            release: Who writes it.
            rig: The biped.
            chunks: Those of the system object, when they are not what the release writes.
            parent: Node above the centre of mass.
            prefix: In front of all names.
            more: Id and link of other bones, by name.
            options: For :func:`~tests.support.biped_records.system_chunks`.

        Returns:
            Nodes by name, without the prefix.
        """
        records = system_chunks(release, rig, **options) if chunks is None else chunks
        system = self.add_object(SYSTEM, list(records))
        out = {"com": self.body(f"{prefix}com", system, parent=parent)}
        for (part, side, link, digit), (bone, number) in bone_ids(release, rig).items():
            name = part if side < 0 and not link + digit else f"{part} {side} {link} {digit}"
            out[name] = self.bone(f"{prefix}{name}", system, bone, number, parent=out["com"])
        for name, (bone, number) in (more or {}).items():
            out[name] = self.bone(f"{prefix}{name}", system, bone, number, parent=out["com"])
        out["footsteps"] = self.footsteps(f"{prefix}footsteps", system, parent=out["com"])
        return out
