"""What NeL keeps for patches: tiles, colours, edges, binds.  Versions 1 to 9 of the record.

Layout: docs/format/patch.md, section 4, after the public description of the plug-in's record.
"""

from __future__ import annotations

import hashlib
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import I32, U8, U32, Codec, wrong_size
from maxsidecar.io.headers import Buffer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["BIND_TYPES", "NelPatch", "NelPatchCodec", "NelPatchMesh", "bind_dtype", "tile_dtype"]

#: Where on the side of its patch a vertex is bound, by number.
BIND_TYPES: Final = ("25%", "75%", "50%", "single")
FIRST, LAST = 1, 9
#: First versions that have tiles, flags of tiles, colours that count, flags of edges, noise.
TILES, TILE_FLAGS, COLORS, EDGES, NOISE = 3, 5, 6, 7, 9
#: The version whose reader took the transition type from the end of the record.
_TRANSITION: Final = 4
_COUNT: Final = Struct("<I")
_HEAD: Final = Struct("<iiI")
_EDGES: Final = Struct("<4I")
_END: Final = Struct("<iBB")
#: Patches that a record of a byte could have at least: the head of a patch and two counts.
_LEAST_PATCH: Final = 16


def tile_dtype(version: int) -> np.dtype[Any]:
    """Return the type of a tile.

    Up to version 2 two integers that mean nothing any more; then ``number`` of layers, ``flags``
    (from 5), ``noise`` (9) and three ``layers`` of ``reserved``, ``tile``, ``rotation``.
    """
    import numpy as np

    if version < TILES:
        return np.dtype([("old", "<i4", (2,))])
    fields: list[tuple[Any, ...]] = [("number", "<u2")]
    if version >= TILE_FLAGS:
        fields.append(("flags", "<u2"))
    if version >= NOISE:
        fields.append(("noise", "u1"))
    layer = np.dtype([("reserved", "u1"), ("tile", "<i4"), ("rotation", "<i4")])
    return np.dtype([*fields, ("layers", layer, (3,))])


def bind_dtype() -> np.dtype[Any]:
    """Return the type of a bind; ``before`` to ``tangent`` only repeat what patches say."""
    import numpy as np

    words = ("edge", "patch", "before", "before2", "after", "after2", "tangent")
    return np.dtype(
        [
            ("bound", "u1"),
            ("type", "<u4"),
            *((word, "<u4") for word in words),
            ("type_again", "<u4"),
            ("primary", "<u4"),
        ]
    )


class NelPatch:
    """What NeL keeps for one patch.

    Attributes:
        log2_u: Binary logarithm of the number of tile columns.
        log2_v: Binary logarithm of the number of tile rows.
        tiles: Records as :func:`tile_dtype` says, row after row.
        colors: (c,) uint32, 0x00RRGGBB at the corners of tiles; up to version 5 all count as white.
        edge_flags: Flags of the four sides, bit 0 not smooth; ``None`` up to version 6.
    """

    __slots__ = ("colors", "edge_flags", "log2_u", "log2_v", "tiles")

    def __init__(
        self,
        log2_u: int,
        log2_v: int,
        tiles: npt.NDArray[Any],
        colors: npt.NDArray[np.uint32],
        edge_flags: tuple[int, int, int, int] | None = None,
    ) -> None:
        """Take the values."""
        self.log2_u = log2_u
        self.log2_v = log2_v
        self.tiles = tiles
        self.colors = colors
        self.edge_flags = edge_flags


class NelPatchMesh:
    """What NeL keeps for patches and their vertices.

    Attributes:
        version: 1 to 9.
        patches: One for each patch.
        binds: Records as :func:`bind_dtype` says, one for each vertex.
        tile_level: How finely tiles are divided.
        tile_mode: Whether tiles are shown.
        keep_mapping: Whether channel 1 is left to 3ds Max.
        trailer: What ends the record, none to two integers, see :attr:`transition_type`.
    """

    __slots__ = (
        "binds",
        "keep_mapping",
        "patches",
        "tile_level",
        "tile_mode",
        "trailer",
        "version",
    )

    def __init__(
        self,
        version: int,
        patches: list[NelPatch],
        binds: npt.NDArray[Any],
        *,
        tile_level: int = 0,
        tile_mode: int = 0,
        keep_mapping: int = 0,
        trailer: tuple[int, ...] = (0, 0),
    ) -> None:
        """Take the values."""
        self.version = version
        self.patches = patches
        self.binds = binds
        self.tile_level = tile_level
        self.tile_mode = tile_mode
        self.keep_mapping = keep_mapping
        self.trailer = trailer

    @property
    def transition_type(self) -> int | None:
        """Type of transitions that is chosen; ``None`` where it is not stored.

        It is written in front of the selection level, though only the reader of version 4 looks
        for it there.
        """
        there = len(self.trailer) == 2 or (self.version == _TRANSITION and self.trailer)
        return self.trailer[0] if there else None

    @property
    def selection_level(self) -> int | None:
        """0 object, 1 vertex, 2 edge, 3 patch, 4 tile; ``None`` where it is not stored."""
        there = len(self.trailer) == 2 or (self.version != _TRANSITION and self.trailer)
        return self.trailer[-1] if there else None

    def encode(self) -> bytes:
        """Return the bytes of the record.

        Raises:
            EditError: A value does not fit.
        """
        if not FIRST <= self.version <= LAST:
            raise EditError("no such version", expected="1 to 9", found=self.version)
        out = [_COUNT.pack(self.version), _COUNT.pack(len(self.patches))]
        tile = tile_dtype(self.version)
        for patch in self.patches:
            I32.check(patch.log2_u, "tile columns")
            I32.check(patch.log2_v, "tile rows")
            if patch.tiles.dtype != tile or patch.tiles.ndim != 1 or patch.colors.ndim != 1:
                raise EditError(f"the tiles are not those of version {self.version}")
            out.append(_HEAD.pack(patch.log2_u, patch.log2_v, len(patch.tiles)))
            out += [patch.tiles.tobytes(), _COUNT.pack(len(patch.colors))]
            out.append(patch.colors.astype("<u4", casting="same_kind").tobytes())
            flags = patch.edge_flags
            if (flags is not None) != (self.version >= EDGES):
                raise EditError("flags of edges come with version 7", found=self.version)
            if flags is not None:
                for flag in flags:
                    U32.check(flag, "flags of an edge")
                out.append(_EDGES.pack(*flags))
        if self.binds.dtype != bind_dtype() or self.binds.ndim != 1:
            raise EditError("not binds", found=self.binds.dtype.str)
        out += [_COUNT.pack(len(self.binds)), self.binds.tobytes()]
        I32.check(self.tile_level, "tile level")
        U8.check(self.tile_mode, "tile mode")
        U8.check(self.keep_mapping, "mapping")
        out.append(_END.pack(self.tile_level, self.tile_mode, self.keep_mapping))
        if len(self.trailer) > 2:
            raise EditError("too many integers end it", expected="2", found=len(self.trailer))
        out += [I32.encode(number) for number in self.trailer]
        return b"".join(out)

    def __eq__(self, other: object) -> bool:
        """Compare the stored form."""
        return isinstance(other, NelPatchMesh) and self.encode() == other.encode()

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash(self.encode())

    def __str__(self) -> str:
        """Return version, numbers and digest."""
        digest = hashlib.sha256(self.encode()).hexdigest()[:16]
        counts = f"{len(self.patches)} patches, {len(self.binds)} vertices"
        return f"version {self.version}, {counts}, sha256 {digest}"


class NelPatchCodec(Codec[NelPatchMesh]):
    """The record as a whole leaf.

    Args:
        inner_version: Whether a version of the object, always 0, stands in front.
    """

    kind = "NeL patches"

    def __init__(self, *, inner_version: bool = False) -> None:
        """Choose the form."""
        self.head = 4 if inner_version else 0

    def decode(self, data: Buffer) -> NelPatchMesh:
        """Return the record.

        Raises:
            DecodeError: It has another version, or does not fill the chunk.
        """
        reader = _Reader(data)
        if self.head and (outer := reader.count()):
            raise DecodeError("NeL patches of an unknown version", expected=0, found=outer)
        version = reader.count()
        if not FIRST <= version <= LAST:
            raise DecodeError("NeL patches of an unknown version", expected="1 to 9", found=version)
        tile, color = tile_dtype(version), "<u4"
        patches = []
        for _ in range(reader.count(_LEAST_PATCH)):
            log2_u, log2_v, count = reader.unpack(_HEAD)
            tiles = reader.array(tile, count)
            colors = reader.array(color, reader.count())
            flags = reader.unpack(_EDGES) if version >= EDGES else None
            patches.append(NelPatch(log2_u, log2_v, tiles, colors, flags))
        binds = reader.array(bind_dtype(), reader.count())
        level, mode, keep = reader.unpack(_END)
        left = len(data) - reader.place
        if left not in (0, 4, 8):
            raise DecodeError("NeL patches do not fill their chunk", expected=8, found=left)
        return NelPatchMesh(
            version,
            patches,
            binds,
            tile_level=level,
            tile_mode=mode,
            keep_mapping=keep,
            trailer=reader.unpack(Struct(f"<{left // 4}i")),
        )

    def encode(self, value: object) -> bytes:
        """Return the bytes.

        Raises:
            EditError: It is no such record, or a value does not fit.
        """
        if not isinstance(value, NelPatchMesh):
            raise EditError("not NeL patches", found=type(value).__name__)
        return bytes(self.head) + value.encode()

    def schema(self) -> dict[str, Any]:
        """Return the schema of an object."""
        return {"type": "object"}


class _Reader:
    """Reads one value after another, and never behind the end."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.place = 0

    def take(self, size: int) -> int:
        """Return where the next bytes are."""
        start, end = self.place, self.place + size
        if end > len(self.data):
            raise wrong_size(NelPatchCodec.kind, f"at least {end}", len(self.data))
        self.place = end
        return start

    def unpack(self, layout: Struct) -> Any:
        return layout.unpack_from(self.data, self.take(layout.size))

    def count(self, least: int = 0) -> int:
        """Return a number of things that take up at least so many bytes each."""
        number: int = self.unpack(_COUNT)[0]
        if number * least > len(self.data) - self.place:
            raise DecodeError(
                "more things than bytes", expected=len(self.data) - self.place, found=number
            )
        return number

    def array(self, dtype: Any, count: int) -> npt.NDArray[Any]:
        import numpy as np

        kind = np.dtype(dtype)
        start = self.take(kind.itemsize * count)
        return np.frombuffer(self.data, kind, count, start)
