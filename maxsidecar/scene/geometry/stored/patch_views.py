"""Editable Patch and NeL's patch object: objects that hold patches.

Class ids and chunks: docs/format/patch.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.stored.patch_layouts import EDITABLE_PATCH, RPO
from maxsidecar.scene.layouts import LaidOut
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.patch import PatchMesh
    from maxsidecar.scene.geometry.stored.rpo import NelPatchMesh

__all__ = ["EDITABLE_PATCH_ID", "RPO_ID", "EditablePatch", "NelPatchObject", "StoredPatch"]

GEOMETRY: Final = 0x10
EDITABLE_PATCH_ID: Final = (0x1030, 0)
RPO_ID: Final = (0x368C679F, 0x711C22EE)
_PATCHES: Final = 0x08FE
_NEL: Final = 0x08FD
#: Number of vertices, which every patch mesh has.
_VERTEX_COUNT: Final = 0x0BD6


class StoredPatch(LaidOut):
    """An object that holds patches."""

    __slots__ = ()

    def patch_source(self) -> Chunk | StoredPatch | None:
        """Return what holds the chunks of the patches; ``None`` where there are none."""
        chunk = self.find(_PATCHES)
        return chunk if chunk is not None and chunk.container else None

    def read_patch(self) -> PatchMesh | None:
        """Return the patches as they are stored; ``None`` where there are none.

        Map channels that do not fit them are left out, and stay in the file.

        Raises:
            DecodeError: They are not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.patch_read import read_patch

        source = self.patch_source()
        return None if source is None else read_patch(source)

    def write_patch(self, patch: PatchMesh) -> bool:
        """Put changed patches in place of the stored ones.

        Places, smoothing groups, material ids and map vertices may change, numbers of things may
        not.  Patches that modifiers above keep for themselves stay as they are.

        Args:
            patch: The new patches.

        Returns:
            Whether anything changed.

        Raises:
            EditError: There are none, or they cannot be stored here; nothing is changed then.
            DecodeError: The patches are not stored as is known, so they are read-only.
        """
        from maxsidecar.scene.geometry.stored.patch_write import write_patch

        source = self.patch_source()
        if source is None:
            raise EditError("the object holds no patches", self.where)
        return write_patch(source, patch)


@register(superclass=GEOMETRY, class_id=EDITABLE_PATCH_ID)
class EditablePatch(StoredPatch):
    """Patches of 3ds Max."""

    __slots__ = ()
    layout = EDITABLE_PATCH


@register(superclass=GEOMETRY, class_id=RPO_ID)
class NelPatchObject(StoredPatch):
    """Patches of NeL's landscape: the chunks of the patches stand among the object's own."""

    __slots__ = ()
    layout = RPO

    def patch_source(self) -> Chunk | StoredPatch | None:
        """Return the object itself where it has patches."""
        return None if self.find(_VERTEX_COUNT) is None else self

    @property
    def nel(self) -> NelPatchMesh | None:
        """Tiles, colours and binds; ``None`` where there are none.

        Raises:
            DecodeError: They are not stored as is known.
        """
        from maxsidecar.scene.geometry.stored.leaves import decode
        from maxsidecar.scene.geometry.stored.rpo import NelPatchCodec

        chunk = self.find(_NEL)
        return None if chunk is None else decode(chunk, NelPatchCodec(inner_version=True))

    def read_patch(self) -> PatchMesh | None:
        """Return the patches with what NeL keeps for them; ``None`` where there are none.

        Raises:
            DecodeError: They are not stored as is known.
        """
        patch = super().read_patch()
        if patch is not None:
            patch.nel = self.nel
        return patch
