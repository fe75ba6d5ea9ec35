"""Derived objects: a stack of modifiers on top of an object.

Reference slots 0 ... n-2 are the modifiers, the top of the stack first; the last slot is what the
stack stands on.  There is one container 0x2500 per modifier, in the order of the slots (measured
on 185 derived objects with 228 modifiers).
"""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.errors import ChunkError, DecodeError
from maxsidecar.io.fields import MARK, U32, Record, f32, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkList, ChunkView, TypedLeaf
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

__all__ = ["ContextBox", "ContextTransform", "DerivedObject", "ModifierContext"]


class ContextTransform(Record):
    """Rows of the row-vector matrix in which a modifier works: axes, then translation."""

    x_axis_x: float = f32(default=1.0)
    x_axis_y: float = f32()
    x_axis_z: float = f32()
    y_axis_x: float = f32()
    y_axis_y: float = f32(default=1.0)
    y_axis_z: float = f32()
    z_axis_x: float = f32()
    z_axis_y: float = f32()
    z_axis_z: float = f32(default=1.0)
    translation_x: float = f32()
    translation_y: float = f32()
    translation_z: float = f32()
    flags: int = u32(doc="hints at identity; kept")


class ContextBox(Record):
    """Bounding box of what a modifier works on."""

    min_x: float = f32()
    min_y: float = f32()
    min_z: float = f32()
    max_x: float = f32()
    max_y: float = f32()
    max_z: float = f32()


class ModifierContext(ChunkView):
    """What belongs to one modifier on this very object, not to the modifier."""

    __slots__ = ()
    transform = ChunkField(
        0x2510, record_codec(ContextTransform), doc="where the modifier works; absent: identity"
    )
    box = ChunkField(0x2511, record_codec(ContextBox), doc="box; minimum above maximum: empty")
    flags = ChunkField(0x2513, U32, doc="open")


@register(superclass=0x1F0)
class DerivedObject(SceneObject):
    """A stack of modifiers."""

    __slots__ = ()
    contexts = ChunkList(0x2500, ModifierContext, doc="one per modifier, top of the stack first")
    mark = ChunkField(0x2501, MARK, doc="always there")
    mark_2502 = ChunkField(0x2502, MARK, doc="open")

    @property
    def modifiers(self) -> list[SceneObject | None]:
        """The modifiers, the top of the stack first; ``None`` for an empty slot."""
        slots = self.dense_references or ()
        return [self.reference(slot) for slot in range(len(slots) - 1)]

    @property
    def stands_on(self) -> SceneObject | None:
        """The object below the stack, which may be another stack."""
        slots = self.dense_references or ()
        return self.reference(len(slots) - 1) if slots else None

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves, then the local data of modifiers whose layout is known."""
        damaged: ChunkError | None = None
        try:
            yield from super().typed_leaves(prefix)
        except ChunkError as error:
            damaged = error
        try:
            yield from self._local_leaves(prefix)
        except ChunkError as error:
            damaged = damaged or error
        if damaged is not None:
            raise damaged

    def _local_leaves(self, prefix: str) -> Iterator[TypedLeaf]:
        from maxsidecar.scene.modifiers.view_base import LOCAL, LocalModifier

        try:
            modifiers = self.modifiers
        except DecodeError:
            return  # told by the list of references itself
        contexts = self.contexts
        if len(contexts) != len(modifiers):
            return
        damaged: ChunkError | None = None
        for number, (modifier, context) in enumerate(zip(modifiers, contexts, strict=True)):
            if not isinstance(modifier, LocalModifier):
                continue
            try:
                outer = context.container()
                chunk = outer.find(LOCAL) if outer is not None and outer.container else None
                name = f"{prefix}contexts[{number}].local"
                if chunk is not None and chunk.container:
                    yield from modifier.local.typed(chunk.chunks(), f"{name}.")
                elif chunk is not None and modifier.local_leaf is not None:
                    yield chunk, name, modifier.local_leaf
            except ChunkError as error:
                damaged = damaged or error
        if damaged is not None:
            raise damaged
