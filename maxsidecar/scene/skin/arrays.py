"""Records of various lengths in Skin and Physique, as arrays (docs/format/skin.md)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import wrong_size
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.geometry.stored.walk import chain, ragged_index

__all__ = [
    "BoneSlots",
    "LinkWeights",
    "SkinWeights",
    "decode_bones",
    "decode_links",
    "decode_weights",
    "encode_bones",
    "encode_links",
    "encode_weights",
]

F32: TypeAlias = npt.NDArray[np.float32]
I32: TypeAlias = npt.NDArray[np.int32]
U32: TypeAlias = npt.NDArray[np.uint32]

#: Words of an entry of Skin's list for a vertex, and how many stand in front of the list.
_ENTRY: Final = 11
_HEAD: Final = 2
#: Words of a link in Physique's list for a vertex.
_LINK: Final = 5
#: A bone: number of cross sections of its envelope, those (12 bytes each), then the rest.
_COUNT: Final = Struct("<i")
_SECTION: Final = 12
_TAIL: Final = Struct("<H3i")


class _Arrays:
    """Arrays that compare and show as one value, by their bytes."""

    __slots__ = ()

    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, _Arrays):
            return False
        pairs = zip(self._parts(), other._parts(), strict=True)
        return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)

    def __hash__(self) -> int:
        return hash(tuple(part.tobytes() for part in self._parts()))

    def __str__(self) -> str:
        digest = hashlib.sha256(b"".join(part.tobytes() for part in self._parts())).hexdigest()
        return f"{len(self._parts()[0])} records, sha256 {digest[:16]}"


@dataclass(slots=True, eq=False)
class SkinWeights(_Arrays):
    """Which bones pull at each vertex, as Skin stores it.

    Attributes:
        counts: (v,) int32: number of entries of each vertex.
        flags: (v,) uint32: bit 1 edited by hand; others open.
        words: (e, 11) uint32: the entries, vertex after vertex; only the first two words of each
            say anything about plain bones, see :attr:`bones` and :attr:`influences`.
    """

    counts: I32
    flags: U32
    words: U32

    @classmethod
    def of(
        cls, counts: npt.ArrayLike, bones: npt.ArrayLike, influences: npt.ArrayLike
    ) -> SkinWeights:
        """Return lists with nothing else in them.

        Args:
            counts: (v,) number of entries of each vertex.
            bones: (e,) bone slots.
            influences: (e,) influences.
        """
        sizes = np.array(counts, "<i4").reshape(-1)
        slots = np.array(bones, "<i4").reshape(-1)
        words = np.zeros((len(slots), _ENTRY), "<u4")
        words[:, 0] = slots.view("<u4")
        words[:, 1] = np.array(influences, "<f4").reshape(-1).view("<u4")
        return cls(sizes, np.zeros(len(sizes), "<u4"), words)

    @property
    def bones(self) -> I32:
        """(e,) int32: bone slot of each entry."""
        return np.ascontiguousarray(self.words[:, 0]).view("<i4")

    @property
    def influences(self) -> F32:
        """(e,) float32: influence of each entry, as it is stored: sums are not 1."""
        return np.ascontiguousarray(self.words[:, 1]).view("<f4")

    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        return self.counts, self.flags, self.words


def decode_weights(data: Buffer) -> SkinWeights:
    """Return the lists of a leaf 0050 or 0490.

    Raises:
        DecodeError: They do not fill it.
    """
    if len(data) % 4:
        raise wrong_size("weights", "a multiple of 4", len(data))
    words = np.frombuffer(data, "<u4")
    if not len(words):
        none = np.zeros(0, "<u4")
        return SkinWeights(none.view("<i4"), none, none.reshape(0, _ENTRY))
    every = np.arange(len(words), dtype=np.int64)
    starts = chain(every, every + _HEAD + _ENTRY * words.astype(np.int64), len(words))
    if starts is None:
        raise DecodeError("the lists of weights do not fill their chunk", expected=len(data))
    counts = words[starts]
    sizes = _ENTRY * counts.astype(np.int64)
    entries = words[ragged_index(starts + _HEAD, sizes)].reshape(-1, _ENTRY)
    return SkinWeights(counts.view("<i4"), words[starts + 1], entries)


def encode_weights(value: SkinWeights) -> bytes:
    """Return the bytes of a leaf 0050 or 0490.

    Raises:
        EditError: The arrays do not fit together.
    """
    counts = np.asarray(value.counts, np.int64)
    if value.words.shape != (int(counts.sum()), _ENTRY) or (counts < 0).any():
        raise EditError("entries: wrong number", expected=f"({int(counts.sum())}, {_ENTRY})")
    if len(value.flags) != len(counts):
        raise EditError("flags of vertices: wrong number", expected=len(counts))
    sizes = _HEAD + _ENTRY * counts
    starts = np.cumsum(sizes) - sizes
    out = np.empty(int(sizes.sum()), "<u4")
    out[starts] = counts
    out[starts + 1] = value.flags
    out[ragged_index(starts + _HEAD, _ENTRY * counts)] = value.words.reshape(-1)
    return out.tobytes()


@dataclass(slots=True, eq=False)
class LinkWeights(_Arrays):
    """Which links pull at one vertex, as Physique stores it.

    Attributes:
        words: (n, 5) uint32: link number, place along, away from and around the link, weight.
    """

    words: U32

    @classmethod
    def of(cls, links: npt.ArrayLike, weights: npt.ArrayLike) -> LinkWeights:
        """Return a list whose places are all 0."""
        numbers = np.array(links, "<i4").reshape(-1)
        words = np.zeros((len(numbers), _LINK), "<u4")
        words[:, 0] = numbers.view("<u4")
        words[:, 4] = np.array(weights, "<f4").reshape(-1).view("<u4")
        return cls(words)

    @property
    def links(self) -> I32:
        """(n,) int32: link numbers, see docs/format/skin.md."""
        return np.ascontiguousarray(self.words[:, 0]).view("<i4")

    @property
    def weights(self) -> F32:
        """(n,) float32: weights as they are stored: their sum is not 1."""
        return np.ascontiguousarray(self.words[:, 4]).view("<f4")

    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        return (self.words,)


def decode_links(data: Buffer) -> LinkWeights:
    """Return the list of a leaf 0989.

    Raises:
        DecodeError: There are not as many links as the count says.
    """
    if len(data) < 4 or len(data) % 4:
        raise wrong_size("links of a vertex", "4 and a multiple of 20", len(data))
    words = np.frombuffer(data, "<u4")
    if int(words[0]) * _LINK + 1 != len(words):
        raise DecodeError(
            "the count of links does not fit its size",
            expected=(len(words) - 1) // _LINK,
            found=int(words[0]),
        )
    return LinkWeights(words[1:].reshape(-1, _LINK))


def encode_links(value: LinkWeights) -> bytes:
    """Return the bytes of a leaf 0989.

    Raises:
        EditError: They are no rows of five.
    """
    if value.words.shape != (len(value.words), _LINK):
        raise EditError("not rows of links", expected=f"(n, {_LINK})")
    rows = np.ascontiguousarray(value.words, "<u4").tobytes()
    return len(value.words).to_bytes(4, "little") + rows


@dataclass(slots=True, eq=False)
class BoneSlots(_Arrays):
    """The bones of a Skin, dead ones included.

    Attributes:
        flags: (b,) uint16: 2 a bone, 0x40 a bone that was taken away; others open.
        nodes: (b,) int32: reference slot of the bone's node in the modifier; -1 for none.
        ends: (b, 2) int32: reference slots of the controllers of both ends of the envelope.
        counts: (b,) int32: number of cross sections of the envelope.
        sections: (s, 3) uint32: place along the bone (a float), reference slots of the
            controllers of inner and outer radius.
    """

    flags: npt.NDArray[np.uint16]
    nodes: I32
    ends: I32
    counts: I32
    sections: U32

    @classmethod
    def of(cls, nodes: npt.ArrayLike) -> BoneSlots:
        """Return bones without envelopes; those whose node is -1 are dead."""
        slots = np.array(nodes, "<i4").reshape(-1)
        count = len(slots)
        flags = np.where(slots < 0, 0x40, 2).astype("<u2")
        none = np.full((count, 2), -1, "<i4")
        return cls(flags, slots, none, np.zeros(count, "<i4"), np.zeros((0, 3), "<u4"))

    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        return self.flags, self.nodes, self.ends, self.counts, self.sections


def decode_bones(data: Buffer) -> BoneSlots:
    """Return the bones of a leaf 0030.

    Raises:
        DecodeError: The records do not fill it.
    """
    size = len(data)
    counts: list[int] = []
    tails: list[tuple[int, ...]] = []
    sections: list[bytes] = []
    offset = 0
    while offset < size:
        count = _COUNT.unpack_from(data, offset)[0] if size - offset >= _COUNT.size else -1
        middle = offset + _COUNT.size
        behind = middle + _SECTION * count
        if count < 0 or behind + _TAIL.size > size:
            raise DecodeError("the bones do not fill their chunk", expected=size, found=offset)
        counts.append(count)
        sections.append(bytes(data[middle:behind]))
        tails.append(_TAIL.unpack_from(data, behind))
        offset = behind + _TAIL.size
    rows = np.array(tails, np.int64).reshape(-1, 4)
    return BoneSlots(
        rows[:, 0].astype("<u2"),
        rows[:, 1].astype("<i4"),
        rows[:, 2:].astype("<i4"),
        np.array(counts, "<i4"),
        np.frombuffer(b"".join(sections), "<u4").reshape(-1, 3),
    )


def encode_bones(value: BoneSlots) -> bytes:
    """Return the bytes of a leaf 0030.

    Raises:
        EditError: The arrays do not fit together.
    """
    counts = np.asarray(value.counts, np.int64)
    number, total = len(counts), int(counts.sum())
    shapes = (value.flags.shape, value.nodes.shape, value.ends.shape, value.sections.shape)
    if shapes != ((number,), (number,), (number, 2), (total, 3)) or (counts < 0).any():
        raise EditError("bones: arrays of the wrong form", expected=number, found=str(shapes))
    sections = np.ascontiguousarray(value.sections, "<u4").tobytes()
    out = bytearray()
    ends = np.cumsum(counts) * _SECTION
    for bone in range(number):
        out += _COUNT.pack(int(counts[bone]))
        out += sections[int(ends[bone]) - _SECTION * int(counts[bone]) : int(ends[bone])]
        node, (first, second) = value.nodes[bone], value.ends[bone]
        out += _TAIL.pack(int(value.flags[bone]), int(node), int(first), int(second))
    return bytes(out)
