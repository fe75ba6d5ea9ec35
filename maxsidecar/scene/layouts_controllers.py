"""Layouts of controllers that are not evaluated: managers, noise.

Measured on the corpus, as those of :mod:`maxsidecar.scene.layouts_scene`.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.controllers.base import FloatController, RotationController
from maxsidecar.scene.layouts import register_layouts

__all__: list[str] = []

_FLOATS: Final = """
1f8c3646/11793bed/9003 BlockManagerWrapper; 0001{ 0010=u32 }
5a1b661e/7620792b/9003 PropagationManagerWrapper; 0001{ 0010=u32 }
7b7e1832/49334005/9003 Reservoir; 0600=i32x2
368d1139/f4044794/9003 SceneEffectLoader; 0400=u32 0410=u32 0420=u32
288863b5/4a7e7d67/9003 Populate; 0101=u32 0112=u32 0105=mark 0102=u32 0103=u32 0104=u8 0106=raw
"""

_ROTATIONS: Final = """
87a6df27/0/900c NoiseRotation; 0110=u32 0111=u32 0112=u32 0103=f32 0104=u32 0105=u32 0106=u32
    0107=u32x2 0108=u32 0109=u32
"""

register_layouts(_FLOATS, base=FloatController)
register_layouts(_ROTATIONS, base=RotationController)
