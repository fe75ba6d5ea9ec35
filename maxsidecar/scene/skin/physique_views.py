"""Physique: a tree of links, and the links of each vertex (docs/format/skin.md)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import F32, I32, U32, Array
from maxsidecar.io.fields import Record, i32, record_codec
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkList, ChunkView
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register
from maxsidecar.scene.skin.codecs import LINKS
from maxsidecar.scene.skin.skin_views import MatrixChunk

__all__ = ["PHYSIQUE", "Joint", "Physique", "PhysiqueLocal", "TreePlace", "VertexLinks"]

PHYSIQUE: Final = (0x100, 0)
_DATA: Final = 0x2703


class TreePlace(Record):
    """Where a joint stands in the tree of links, by joint number; -1 for none."""

    kind: int = i32(doc="0x00010001 a joint, -65535 the copy of a joint at a branch")
    parent: int = i32(default=-1)
    first_child: int = i32(default=-1)
    next_sibling: int = i32(default=-1)
    previous_sibling: int = i32(default=-1)
    state: int = i32(doc="open")
    flags: int = i32(doc="open; 0 or 8")


class Matrix16(ChunkView):
    """A container with sixteen numbers: four rows, the last column 0, 0, 0, 1."""

    __slots__ = ()
    rows = ChunkField(0x3000, Array(F32, 16), doc="the matrix")


class JointPlace(ChunkView):
    """A joint: place in the tree, and where it was when the mesh was attached."""

    __slots__ = ()
    place = ChunkField(0x2500, record_codec(TreePlace), doc="place in the tree")
    origin = ChunkChild(
        0x2501, Matrix16, doc="world place when the mesh was attached, turned as the root is"
    )
    relative = ChunkChild(0x2502, Matrix16, doc="the same relative to the parent joint")
    lengths = ChunkField(0x2512, Array(F32, 2), doc="second: distance from the parent joint")
    node = ChunkChild(0x2513, Matrix16, doc="world matrix of the node when the mesh was attached")
    sized = ChunkChild(0x2514, Matrix16, doc="the same with the size of what the node shows")


class Joint(ChunkView):
    """A joint with its link."""

    __slots__ = ()
    joint = ChunkChild(0x3206, JointPlace, doc="the joint")


class JointTree(ChunkView):
    """The joints, as many as the modifier has reference slots."""

    __slots__ = ()
    joints = ChunkList(0x3204, Joint, doc="one for each reference slot")


class PhysiqueData(ChunkView):
    """Everything that Physique has of its own."""

    __slots__ = ()
    tree = ChunkChild(0x2704, JointTree, doc="the joints")


#: Settings of bulges (2006, with their cross sections) and tendons of a link: kept, not decoded.
_BULGES: Final = """
    2000=raw 2001=u32x3 2002{ 0bba=f32x4 } 2005=raw 2009=u32x9
    2003{ 2006=raw 2007=u32x3 2008@bits }
"""
_TENDONS: Final = """
    2712=u32x10 2715=u32x6
    2713{ 2006=raw 2007=u32x3 2008@bits } 2714{ 2006=raw 2007=u32x3 2008@bits }
"""

_LAYOUT: Final = f"""
    2703:data{{
        2701=u32x8 2705=u32 2706{{ 2710=i32x55 2711=u32x9 }} 2707{{ 2715=raw }} 2708=u32 2709=u32
        2710=u32
        2704:tree{{
            3202=u32 3203:root@matrix 3217=f32
            3204:joint{{
                3205=u32x11 3212=u32x9 3216=u32x5 3215{{ 3662=u32x42 }}
                3219{{ 3220=u32x2 3221=u32 }}
                3206:joint{{
                    2500:place=i32x7 2501:origin{{ 3000:rows=f32x16 }}
                    2502:relative{{ 3000:rows=f32x16 }} 2503{{ 3000=f32x16 }}
                    2504{{ 3001=f32x3 }} 2505{{ 0bba=f32x4 }} 2510{{ 0bba=f32x4 }} 2511@matrix
                    2512:lengths=f32x2 2513:node{{ 3000:rows=f32x16 }}
                    2514:sized{{ 3000:rows=f32x16 }}
                }}
                3207{{ {_BULGES} }} 3208{{ {_BULGES} }} 3222{{ {_TENDONS} }} 3223{{ {_TENDONS} }}
            }}
        }}
    }}
"""

_LOCAL: Final = """
    2504:mesh{
        2501=u32s 2502:object_transform@matrix 2802:object_transform_again@matrix
        2505:early_positions=u32s 2506:vertex{ } 2503:early_vertex{ 0988:link=u32x4 }
        2507@bits 2509=raw 2807:input_position=u32x4
    }
"""


def _local() -> Layout:
    layout = Layout.read(_LOCAL, COMMON)
    layout.containers[0x2504][1].containers[0x2506][1].leaves[0x0989] = "links", LINKS
    return layout


class VertexLinks(ChunkView):
    """The links of one vertex."""

    __slots__ = ()
    links = ChunkField(0x0989, LINKS, doc="its links and weights")


class PhysiqueMesh(ChunkView):
    """What Physique keeps on a mesh that it deforms."""

    __slots__ = ()
    counts = ChunkField(0x2501, Array(U32), doc="second: vertices that come into the modifier")
    object_transform = ChunkChild(
        0x2502, MatrixChunk, doc="from the mesh to the world when it was attached"
    )
    vertices = ChunkList(0x2506, VertexLinks, doc="one for each vertex")
    early_positions = ChunkField(0x2505, Array(I32), doc="1997: positions of the vertices")


class PhysiqueLocal(ChunkView):
    """The local data of Physique."""

    __slots__ = ()
    mesh = ChunkChild(0x2504, PhysiqueMesh, doc="the mesh")


@register(superclass=0x810, class_id=PHYSIQUE)
class Physique(LocalModifier):
    """Bends a mesh by the links between joints."""

    __slots__ = ()
    layout = Layout.read(_LAYOUT, COMMON)
    local = _local()

    @property
    def joints(self) -> list[Joint]:
        """The joints with their links, one for each reference slot."""
        # Not a declaration: the layout claims the same chunks, and more.
        chunk = self.find(_DATA)
        own = PhysiqueData(self.data, chunk) if chunk is not None and chunk.container else None
        tree = None if own is None else own.tree
        return [] if tree is None else tree.joints
