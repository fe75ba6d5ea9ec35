"""Layouts of numbers that geometry, shapes, modifiers and bipeds keep beside their meshes and keys.

Measured on the corpus, as those of :mod:`maxsidecar.scene.layouts_scene`.  A module that decodes
a class in full registers its own view, and its line goes from here.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.layouts import Layout, register_layouts

__all__: list[str] = []

_TABLE: Final = """
10/0/10 Box; 0100=u8 0110=u32
11/0/10 Sphere; 0100=mark
12/0/10 Cylinder; 0100=u32
20/0/10 Torus; 0100=mark
9125/0/10 BipedObject; 2602=u32x6 2603=u32
1065/0/40 Rectangle; 7fc2{ 0010=u32 }
1993/0/40 Text; 1080=u32 2000{ 7fc2{ 0010=u32 } } 2010=u32 2020=mark
95c723/15666/810 Skin; 0020=u32 0025@matrix 0160{ 0001=u32 0002=mark 0004=u32 } 0230=u32 0400=u32
    0410=mark 0480@matrix 0490=mark 0520@matrix 0530=u32 0550=i32x11
2df2e3a/72ba4e1f/810 UnwrapUVW; 0100=u32 0120@bits 0130=f32 0140=f32 0150=f32 0160=f32 0170=u32
    0180=u32 0190=u32 0200=u32 0210=u32 0220=u32 0230=u32 0250=u32 0260=u32 0290=u32x6 0300=mark
    0320=u32 0340=u32 0350=u32 0360=i32x11 0370=u32 0380=mark 0390=f32 0400=u32 0410=u32x2
    0420=u32x5 0430=u32x5 0440=u32 0450=u32x2 0460=u32 0470=f32x2 0480=u32x2 0490=u32 0500=u32
    0510=u32 0520=u32x5 0530=u32 0540=u32 0550=u32x2 0560=u32x3 0570=u32x2 0580=u32 0590=u32
    0600=u32 0610=u32x2 0620@bits 0630=u32 0640=u32x2 0650=u32x2 0660=u32 0670=u32x6 0680=u32
    0690=u32 0700=u32x2 0710=u32 0730=u32 0740=u32 0750=u32 0760=u32 0780=u32 0790=u32 0830=u32x6
    0840=f32x2 0850=u32 0891=u32 0920=u32 0940=u8x6 0950=u32 1000=u32 1020=u32 1030=f32 1040=u32
    1050=u32 1060=u32
79aa6e1d/71a075b7/810 EditPoly; 0080@head 0100=u32 0110{ 0500=u8 0510=u8 } 0120{ 0000=u32 0001=u32 }
    0150=u32
100/0/810 Physique; 2703{ 2701=u32x8 2704{ 3202=u32 3203@matrix 3217=f32 } 2705=u32
    2706{ 2710=i32x55 2711=u32x9 } 2708=u32 2709=u32 2710=u32 }
9155/0/60 Biped; 0101=u32 0103=u32 0105=u32 0109=u32 0112=f32x12 0114=u32 0115=u32 0119=i32
    0190=u32 0200=u32 0320=u32
"""

register_layouts(
    _TABLE, {"head": Layout.read("39bf:head{ 0100:name=text 0110:off=mark 0120=mark }")}
)
