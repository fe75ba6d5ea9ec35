"""The Bitmap map: a picture in a file.

The path stands in one of four places, by age: in the description behind parameter 13, in the
asset table under an id that this description or parameter 16 holds, in parameter 16 as text, or,
in R1 and R2, in a description of the map itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.io.fields import MARK, U32
from maxsidecar.io.views import ChunkChild, ChunkField
from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials.base import MAP
from maxsidecar.scene.materials.maps import Map
from maxsidecar.scene.params.assets import find_asset
from maxsidecar.scene.params.bitmap import BitmapInfo
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from uuid import UUID

    from maxsidecar.scene.asset_metadata import AssetRecord

__all__ = ["BitmapMap", "Crop"]

#: Where alpha is taken from (documented).
_ALPHA: Final = {0: "image", 1: "rgb", 2: "none"}
#: The same as R1 and R2 store it (documented).
_OLD_ALPHA: Final = {0: "image", 2: "rgb", 3: "none"}


@dataclass(frozen=True, slots=True)
class Crop:
    """A part of a picture, in fractions of its width and height.

    Attributes:
        u: Left edge.
        v: Upper edge (likely).
        width: Width.
        height: Height.
        place: The picture is shrunk into that part, instead of cut to it (likely).
    """

    u: float
    v: float
    width: float
    height: float
    place: bool


@register(superclass=MAP, class_id=(0x240, 0))
class BitmapMap(Map):
    """A picture in a file."""

    __slots__ = ()
    old_filter = ChunkField(0x5002, U32, doc="filter type; R1, R2")
    old_alpha_source = ChunkField(0x5003, U32, doc="0 image, 2 colours, 3 none; R1, R2")
    old_bitmap = ChunkChild(0x5010, BitmapInfo, doc="the picture; R1, R2")
    mark_5021 = ChunkField(0x5021, MARK, doc="open; R1, R2")

    @property
    def bitmap(self) -> BitmapInfo | None:
        """The description of the picture.

        Raises:
            DecodeError: It cannot be read.
        """
        parameter = parameter_of(self, "bitmap")
        found = parameter.bitmap if parameter is not None else None
        return found or self.old_bitmap

    @property
    def asset_id(self) -> UUID | None:
        """Id of the file in the asset table; ``None`` where the path is stored as text.

        Raises:
            DecodeError: It cannot be read.
        """
        info = self.bitmap
        if info is not None and info.asset_id is not None:
            return info.asset_id
        parameter = parameter_of(self, "filename")
        return parameter.asset_id if parameter is not None else None

    @property
    def asset(self) -> AssetRecord | None:
        """The file in the asset table.

        Raises:
            DecodeError: The table cannot be read.
        """
        return find_asset(self.scene, self.asset_id)

    @property
    def path(self) -> str | None:
        """Path of the file, as the scene names it; ``None`` when there is no file.

        Raises:
            DecodeError: What holds it cannot be read.
        """
        info = self.bitmap
        if info is not None and info.path:
            return info.path
        asset = self.asset
        if asset is not None:
            return asset.path or None
        value = value_at(parameter_of(self, "filename"))
        return value if isinstance(value, str) and value else None

    @property
    def alpha_source(self) -> str | None:
        """``"image"``, ``"rgb"`` or ``"none"`` (documented); ``None`` when not known."""
        if self.old_alpha_source is not None:
            return _OLD_ALPHA.get(self.old_alpha_source)
        value = value_at(parameter_of(self, "alpha_source"))
        return _ALPHA.get(value) if isinstance(value, int) else None

    def crop(self, time: int = 0) -> Crop | None:
        """Return the part of the picture that is used; ``None`` when all of it is.

        Raises:
            DecodeError: It cannot be read.
        """
        if not value_at(parameter_of(self, "crop_apply"), time):
            return None
        names = ("clip_u_offset", "clip_v_offset", "clip_u_width", "clip_v_width")
        values = [number_at(self, name, time) for name in names]
        u, v, width, height = (0.0 if value is None else value for value in values)
        return Crop(u, v, width, height, bool(value_at(parameter_of(self, "crop_or_place"), time)))
