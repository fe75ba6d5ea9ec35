"""The container that describes a bitmap: size, file, format.

It stands behind a parameter of type bitmap, and in other places (measured on the corpus, see
docs/format/parameters.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from uuid import UUID

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import F32, GUID, U16, UTF16, Codec, wrong_size
from maxsidecar.io.headers import Buffer
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView

__all__ = ["AssetLink", "BitmapHead", "BitmapInfo"]

_HEAD = Struct("<HHff")


@dataclass(frozen=True, slots=True)
class BitmapHead:
    """Size and gamma of a bitmap.

    Attributes:
        width: Columns.
        height: Rows.
        aspect: Width of a pixel through its height.
        gamma: 1.0 or 2.2 seen.
        rest: What follows; meaning unknown, kept.
    """

    width: int
    height: int
    aspect: float
    gamma: float
    rest: bytes


class BitmapHeadCodec(Codec[BitmapHead]):
    """``u16 width, u16 height, f32 aspect, f32 gamma``, then 58 bytes that are kept."""

    kind = "bitmap head"
    size = 70

    def decode(self, data: Buffer) -> BitmapHead:
        """Return the head.

        Raises:
            DecodeError: It has another size.
        """
        if len(data) != self.size:
            raise wrong_size(self.kind, self.size, len(data))
        width, height, aspect, gamma = _HEAD.unpack_from(data)
        return BitmapHead(width, height, aspect, gamma, bytes(data[_HEAD.size :]))

    def encode(self, value: BitmapHead) -> bytes:
        """Return the bytes.

        Raises:
            EditError: A value is out of range.
        """
        for number in (value.width, value.height):
            U16.check(number)
        for factor in (value.aspect, value.gamma):
            F32.check(factor)
        if len(value.rest) != self.size - _HEAD.size:
            raise EditError("wrong number of bytes", expected=58, found=len(value.rest))
        head = _HEAD.pack(value.width, value.height, value.aspect, value.gamma)
        return head + value.rest


class AssetLink(ChunkView):
    """A link into the asset table."""

    __slots__ = ()
    guid = ChunkField(0x0002, GUID, doc="id of the file in the asset table")


class BitmapInfo(ChunkView):
    """What is known of a bitmap without opening it."""

    __slots__ = ()
    head = ChunkField(0x1201, BitmapHeadCodec(), doc="size and gamma")
    path = ChunkField(0x1230, UTF16, doc="path of the file; newer files have a link instead")
    asset = ChunkChild(0x1260, AssetLink, doc="link into the asset table")
    format = ChunkField(0x1240, UTF16, doc="what the file format is called, localised")

    @property
    def asset_id(self) -> UUID | None:
        """Id of the file in the asset table, ``None`` in older files."""
        link = self.asset
        return link.guid if link is not None else None
