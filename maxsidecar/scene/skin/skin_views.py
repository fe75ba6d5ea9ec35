"""Skin: bones with the matrices they were bound with, and weights (docs/format/skin.md)."""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.io.codecs import F32, I32, U32, Array
from maxsidecar.io.fields import Record, f32, record_codec
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkList, ChunkView
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register
from maxsidecar.scene.skin.codecs import BONES, WEIGHTS

__all__ = ["SKIN", "MatrixChunk", "MatrixRows", "Skin", "SkinLocal"]

SKIN: Final = (0x95C723, 0x15666)


class MatrixRows(Record):
    """Rows of a row-vector matrix: three axes, then the translation."""

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

    @property
    def numbers(self) -> tuple[float, ...]:
        """The twelve numbers in stored order."""
        return tuple(self.__dict__.values())


class MatrixChunk(ChunkView):
    """A container with a matrix."""

    __slots__ = ()
    rows = ChunkField(0x03E8, record_codec(MatrixRows), doc="the matrix")
    flags = ChunkField(0x03F2, U32, doc="hints at identity")


def _local() -> Layout:
    layout = Layout.read(
        "0010:object_transform@matrix 0040:vertex_count=u32 0220:exclusions=i32s 0240=u32"
        " 0250=mark 0460=u32 0500:node_transform@matrix 0510:node_index=i32 0540=i32s",
        COMMON,
    )
    dual: Any = Array(F32)
    layout.leaves |= {
        0x0050: ("weights", WEIGHTS),
        0x0490: ("weights", WEIGHTS),
        0x0560: ("dual_quaternion_weights", dual),
    }
    return layout


class SkinLocal(ChunkView):
    """What Skin keeps on a mesh that it deforms."""

    __slots__ = ()
    object_transform = ChunkChild(
        0x0010, MatrixChunk, doc="from the mesh to the world when it was bound"
    )
    node_transform = ChunkChild(
        0x0500, MatrixChunk, doc="of the mesh's node when it was bound; since release 5"
    )
    vertex_count = ChunkField(0x0040, I32, doc="vertices that come into the modifier")
    early_weights = ChunkField(0x0050, WEIGHTS, doc="bones of each vertex; release 4")
    late_weights = ChunkField(0x0490, WEIGHTS, doc="bones of each vertex; since release 5")
    node_index = ChunkField(0x0510, I32, doc="storage index of the mesh's node; since release 7")
    dual_quaternion_weights = ChunkField(
        0x0560, Array(F32), doc="0 linear, 1 dual quaternions, for each vertex; since 2015"
    )


@register(superclass=0x810, class_id=SKIN)
class Skin(LocalModifier):
    """Bends a mesh by bones."""

    __slots__ = ()
    layout = Layout.read(
        "0160{ 0001:count=u32 0002=mark 0004=u32 } 0230:version=u32 0400=u32 0410=mark 0490=mark"
        " 0530=u32 0550=u32x11"
    )
    local = _local()
    bones = ChunkField(0x0030, BONES, doc="the bones; vertices name them by number")
    bone_count = ChunkField(0x0020, I32, default=0, doc="number of bones, dead ones included")
    bind = ChunkList(0x0480, MatrixChunk, doc="world matrix of each bone's node when bound")
    inverse_bind = ChunkList(
        0x0025, MatrixChunk, doc="inverse of the world matrix of each bone, size included"
    )
    stretch = ChunkList(0x0520, MatrixChunk, doc="stretch of each bone when bound")
