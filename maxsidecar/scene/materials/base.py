"""What materials and maps share: a head with the name, sub-materials, maps in slots."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from maxsidecar.io.fields import F32, MARK, RAW, U32, UTF16, Array
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView, TypedLeaf
from maxsidecar.scene.animated import value_at
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.params.types import Kind

__all__ = [
    "MAP",
    "MATERIAL",
    "MapSlot",
    "MaterialBase",
    "MaterialHead",
    "SubMaterial",
    "free_label",
    "number_of",
]

MATERIAL: Final = 0xC00
MAP: Final = 0xC10


class MaterialHead(ChunkView):
    """The head of a material or map.

    Its chunks stand in a container, which has another id in newer classes; those of scripted
    classes stand beside what else the object holds.
    """

    __slots__ = ()
    name = ChunkField(0x4001, UTF16, default="", doc="name")
    old_flags = ChunkField(0x4002, U32, doc="open; up to 3, in place of the other flags")
    flags = ChunkField(0x4003, U32, doc="open")
    chunk_4010 = ChunkField(0x4010, U32, doc="open")
    chunk_4020 = ChunkField(0x4020, U32, doc="open; 0")
    rotation = ChunkField(0x4030, Array(F32, 4), doc="quaternion; turn of the sample (likely)")
    mark_4100 = ChunkField(0x4100, MARK, doc="open")
    thumbnail = ChunkField(0x4200, RAW, doc="square picture, 24 bits, rows of whole words")
    thumbnail_size = ChunkField(0x4210, U32, doc="rows and columns of the picture")
    chunk_4220 = ChunkField(0x4220, Array(U32, 2), doc="open; belongs to the picture")
    chunk_4230 = ChunkField(0x4230, U32, doc="open; belongs to the picture")


@dataclass(frozen=True, slots=True)
class SubMaterial:
    """A material in a slot of another one.

    Attributes:
        slot: Position or name of the slot.
        id: Material id of the faces that it is for, from 0; ``None`` where ids mean nothing.
        material: The material; ``None`` for an empty slot.
        name: Name of the slot, not of the material.
        on: Whether the slot is switched on; ``None`` when not known.
    """

    slot: int | str
    id: int | None
    material: SceneObject | None
    name: str = ""
    on: bool | None = None


@dataclass(frozen=True, slots=True)
class MapSlot:
    """A map in a slot of a material or of another map.

    Attributes:
        name: Name of the slot, such as ``"diffuse"``; ``"0#12"`` when it has none.
        map: The map.
        on: Whether the slot is switched on; ``None`` when not known.
        amount: Strength at the start of time, 1 is 100 %; ``None`` when not known.
    """

    name: str
    map: SceneObject
    on: bool | None = None
    amount: float | None = None


class MaterialBase(SceneObject):
    """A material or a map."""

    __slots__ = ()
    stored_head = ChunkChild(0x4000, MaterialHead, doc="name and the like")
    stored_head_0100 = ChunkChild(0x0100, MaterialHead, doc="name and the like, newer classes")
    stored_head_1100 = ChunkChild(0x1100, MaterialHead, doc="name and the like, Autodesk library")

    @property
    def head(self) -> MaterialHead | None:
        """Name, flags, picture."""
        head = self.stored_head or self.stored_head_0100 or self.stored_head_1100
        if head is not None:
            return head
        return MaterialHead(self.data) if self._has_flat_head() else None

    def _has_flat_head(self) -> bool:
        """Whether the chunks of the head stand beside the others."""
        found = {chunk.id for chunk in self.chunks() if not chunk.container}
        return {0x4001, 0x4020, 0x4030} <= found

    @property
    def name(self) -> str:
        """The name; empty when there is none.

        Raises:
            DecodeError: It is not stored as is known.
        """
        head = self.head
        return head.name if head is not None else ""

    @property
    def maps(self) -> dict[str, MapSlot]:
        """The maps by slot, empty slots left out, in the order of the parameters.

        A slot is called what its parameter is called, without ``_map`` at the end; one whose
        name is taken is called by its place, such as ``"0#12"`` or ``"maps[7]"``.

        Raises:
            DecodeError: A parameter cannot be read.
        """
        parameters = self.parameters
        out: dict[str, MapSlot] = {}
        seen: set[int] = set()
        for key, parameter in parameters.items():
            if parameter.type not in ("texture_map", "texture_map[]"):
                continue
            for place, name, target in _targets(key, parameter):
                # Some classes list their maps a second time, for another use.
                if target.index in seen and parameter.owner_holds_reference and "#" in key:
                    continue
                seen.add(target.index)
                switch = parameters.get(f"{key}_on")
                on = None if switch is None else bool(value_at(switch))
                label = free_label(out, name.removesuffix("_map"), name, place)
                out[label] = MapSlot(label, target, on, number_of(parameters.get(f"{key}_amount")))
        return out

    @property
    def sub_materials(self) -> list[SubMaterial]:
        """The materials that this one is made of, empty slots included, in slot order.

        Raises:
            DecodeError: A parameter cannot be read.
        """
        parameters = self.parameters
        out: list[SubMaterial] = []
        for key, parameter in parameters.items():
            if parameter.type == "material":
                switch = parameters.get(f"{key.removesuffix('_material')}_on")
                on = None if switch is None else bool(value_at(switch))
                out.append(SubMaterial(key, None, parameter.target, on=on))
            elif isinstance(parameter, TabParameter) and parameter.type == "material[]":
                targets = parameter.targets
                out += [SubMaterial(slot, None, found) for slot, found in enumerate(targets)]
        return out

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves, and those of a head that has no container."""
        yield from super().typed_leaves(prefix)
        declared = self.declared
        if any(name in declared for name in MaterialHead.declared):
            return
        if self.head is not None and self.head.chunk is None:
            yield from MaterialHead(self.data).typed_leaves(f"{prefix}head.")


def free_label(taken: Container[str], *labels: str) -> str:
    """Return the first label that is not taken, else the last one with a number.

    Nothing keeps two slots of a file from having one name, and neither map may be lost.
    """
    numbered = (f"{labels[-1]}~{number}" for number in count(2))
    return next(label for label in chain(labels, numbered) if label not in taken)


def number_of(parameter: Parameter | None) -> float | None:
    """Return a parameter at the start of time if it is a number."""
    value = value_at(parameter)
    return float(value) if isinstance(value, int | float) else None


def _targets(key: str, parameter: Parameter) -> Iterator[tuple[str, str, SceneObject]]:
    """Yield place, name and object for each reference."""
    if parameter.kind is not Kind.REFERENCE:
        return
    if isinstance(parameter, TabParameter):
        names = parameter.value_names
        for position, target in enumerate(parameter.targets):
            if target is not None:
                place = f"{key}[{position}]"
                yield place, names.get(position, place), target
    else:
        target = parameter.target
        if target is not None:
            yield key, key, target
