"""The Multi/Sub-Object material: a list of materials, each for faces of one material id."""

from __future__ import annotations

from typing import Any

from maxsidecar.errors import DecodeError
from maxsidecar.io.fields import MARK, U32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.animated import parameter_of
from maxsidecar.scene.materials.base import MATERIAL, SubMaterial
from maxsidecar.scene.materials.material import Material
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.registry import register

__all__ = ["MultiMaterial"]


@register(superclass=MATERIAL, class_id=(0x200, 0))
class MultiMaterial(Material):
    """Multi/Sub-Object."""

    __slots__ = ()
    count = ChunkField(0x4002, U32, doc="number of slots")
    has_block = ChunkField(0x4003, MARK, doc="release 3 and 4: there is a parameter block")
    has_ids = ChunkField(0x4005, MARK, doc="5 and later: the slots have ids of their own")

    @property
    def sub_materials(self) -> list[SubMaterial]:
        """The slots in stored order, empty ones included.

        Ids are those that faces store, from 0: one less than 3ds Max shows.  They need not be
        0, 1, 2 ...; without a list of ids, up to release 3, the slot is the id.

        Raises:
            DecodeError: The tables of the block cannot be read, or are not of one length.
        """
        materials = parameter_of(self, "materials")
        if not isinstance(materials, TabParameter):
            count = self.count or 0
            slots = {slot: self.reference(slot) for slot in self.references}
            # Only slots that exist are listed; the count may claim any number.
            used = max(slots, default=-1) + 1
            return [SubMaterial(i, i, slots.get(i)) for i in range(min(count, used))]
        # Up to release 7 the table holds nothing, and only the material's own references, behind
        # its block, tell (182 of 182 filled slots); from 2012 on both say the same (133 of 133).
        targets = [
            target or self.reference(slot + 1) for slot, target in enumerate(materials.targets)
        ]
        ids = self._column("material_ids", len(targets))
        names = self._column("names", len(targets))
        switches = self._column("enabled", len(targets))
        return [
            SubMaterial(
                slot,
                ids[slot] if ids else slot,
                found,
                (names[slot] if names and isinstance(names[slot], str) else ""),
                (bool(switches[slot]) if switches else None),
            )
            for slot, found in enumerate(targets)
        ]

    def _column(self, name: str, length: int) -> tuple[Any, ...] | None:
        tab = parameter_of(self, name)
        if not isinstance(tab, TabParameter):
            return None
        if len(tab) != length:
            raise DecodeError(
                f"{name}: another number of slots", self.where, expected=length, found=len(tab)
            )
        return tab.value

    def for_id(self, material_id: int) -> SceneObject | None:
        """Return the material of faces with an id, from 0; ``None`` when no slot has it.

        Raises:
            DecodeError: As for :attr:`sub_materials`.
        """
        return next((s.material for s in self.sub_materials if s.id == material_id), None)
