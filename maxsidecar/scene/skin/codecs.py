"""Codecs of the records in Skin and Physique."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.io.codecs import Codec
from maxsidecar.scene.late_codec import LateRecords

if TYPE_CHECKING:
    from maxsidecar.scene.skin import arrays

__all__ = ["BONES", "LINKS", "WEIGHTS"]

_ARRAYS: Final = "maxsidecar.scene.skin.arrays"

#: Leaf 0030 of Skin: its bones.
BONES: Final[Codec[arrays.BoneSlots]] = LateRecords("bones", _ARRAYS, "bones")
#: Leaves 0050 and 0490 of Skin's local data: bones and influences of each vertex.
WEIGHTS: Final[Codec[arrays.SkinWeights]] = LateRecords("weights", _ARRAYS, "weights")
#: Leaf 0989 of Physique's local data: the links of one vertex.
LINKS: Final[Codec[arrays.LinkWeights]] = LateRecords("links of a vertex", _ARRAYS, "links")
