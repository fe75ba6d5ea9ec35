"""The parameters of any object: its blocks, its parameters by name, its custom attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.codecs import UTF16
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.params.parameter import Parameter

__all__ = [
    "CustomAttribute",
    "ObjectParameters",
    "custom_attributes",
    "find_blocks",
    "find_parameter",
]


class AttributeName(ChunkView):
    """The container of an attribute's name."""

    __slots__ = ()
    text = ChunkField(0x0010, UTF16, doc="name that is shown")


@register(superclass=0x1160)
class CustomAttribute(SceneObject):
    """Parameters that a script or plug-in adds to any object."""

    __slots__ = ()
    stored_name = ChunkChild(0x0110, AttributeName, doc="name, for scripted attributes")

    @property
    def name(self) -> str:
        """The name as shown, else the class name."""
        stored = self.stored_name
        text: str | None = stored.text if stored is not None else None
        return text or self.class_name


def find_blocks(obj: SceneObject) -> tuple[tuple[int, ParamBlockBase], ...]:
    """Return the parameter blocks that an object holds, each after its first reference slot.

    Raises:
        DecodeError: The object's reference list cannot be read.
    """
    blocks: dict[int, tuple[int, ParamBlockBase]] = {}
    scene = obj.scene
    for slot, index in sorted(obj.references.items()):
        block = scene[index] if 0 <= index < len(scene) else None
        if isinstance(block, ParamBlockBase) and index not in blocks:
            blocks[index] = slot, block
    return tuple(blocks.values())


def find_parameter(blocks: tuple[ParamBlockBase, ...], name: str) -> Parameter | None:
    """Return the parameter that has a name among those of some blocks, ``None`` for none.

    It is that of ``ObjectParameters(blocks)``, without listing all the others.
    """
    for block in blocks:
        try:
            found = block.get(name)
        except MaxSidecarError:
            continue  # left out, as there
        if found is not None:
            return found
    return None


class ObjectParameters(Mapping[str, "Parameter"]):
    """The parameters of an object's blocks, by name.

    Keys are the names of :attr:`ParamBlockBase.names`.  A parameter without a name has the key
    ``<block>#<id>``, and so has one whose name another parameter in front of it has, where the
    block is the position among the object's blocks: ``0#12``.  Blocks that cannot be read are left
    out and listed in ``problems``.
    """

    def __init__(self, blocks: tuple[ParamBlockBase, ...]) -> None:
        """List the parameters."""
        self.blocks = blocks
        self.problems: list[MaxSidecarError] = []
        self._found: dict[str, tuple[ParamBlockBase, int]] = {}
        for position, block in enumerate(blocks):
            try:
                self._add(position, block)
            except MaxSidecarError as error:
                self.problems.append(error.with_traceback(None))

    def _add(self, position: int, block: ParamBlockBase) -> None:
        names = block.names
        for number, entry in enumerate(block.state.entries):
            if entry.record is None:
                self.problems.append(entry.problem or DecodeError("unreadable", block.where))
                continue
            param_id = entry.record.id
            key = names.get(param_id)
            if key is None or key in self._found:
                key = f"{position}#{param_id}"
            self._found.setdefault(key, (block, number))

    def __getitem__(self, key: str) -> Parameter:
        """Return the parameter with a key."""
        block, number = self._found[key]
        return block.parameter(number)

    def __iter__(self) -> Iterator[str]:
        """Yield the keys in the order of blocks and records."""
        return iter(self._found)

    def __len__(self) -> int:
        """Return the number of parameters."""
        return len(self._found)


def custom_attributes(obj: SceneObject) -> tuple[CustomAttribute, ...]:
    """Return the custom attributes of an object.

    The object names a container by its storage index, not in its reference list; the container's
    slots are the attributes (measured on 3,588 objects).

    Raises:
        DecodeError: The link cannot be read.
        ChunkError: The object is damaged.
    """
    link = obj.attribute_link
    index = link.container_index if link is not None else None
    if index is None or index >= len(obj.scene):
        return ()
    container = obj.scene[index]
    found = [container.reference(slot) for slot in sorted(container.references)]
    return tuple(attribute for attribute in found if isinstance(attribute, CustomAttribute))
