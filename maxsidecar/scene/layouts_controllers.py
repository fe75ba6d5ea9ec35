"""Layouts of controllers that are not evaluated: managers, CAT rigs, noise.

Measured on the corpus, as those of :mod:`maxsidecar.scene.layouts_scene`.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.controllers.base import (
    FloatController,
    RotationController,
    TransformController,
)
from maxsidecar.scene.layouts import Layout, register_layouts
from maxsidecar.scene.layouts_scene import SHARED

__all__: list[str] = []

_SHARED: Final[dict[str, Layout]] = {
    **SHARED,
    # The transform of a bone of a CAT rig.
    "catnode": Layout.read(
        "0001@cathead 0005=u32 0006=mark 000a=f32x3 000c=i32 000e=f32x3 000f=f32x3 0010=f32x3"
        " 0011=f32x3 0014{ 0001=u32 0002=mark }",
        SHARED,
    ),
}

_FLOATS: Final = """
1f8c3646/11793bed/9003 BlockManagerWrapper; 0001{ 0010=u32 }
5a1b661e/7620792b/9003 PropagationManagerWrapper; 0001{ 0010=u32 }
7b7e1832/49334005/9003 Reservoir; 0600=i32x2
368d1139/f4044794/9003 SceneEffectLoader; 0400=u32 0410=u32 0420=u32
288863b5/4a7e7d67/9003 Populate; 0101=u32 0112=u32 0105=mark 0102=u32 0103=u32 0104=u8 0106=raw
5ed56fc5/6af0e521/9003 BooleanController; 3006=f32 2500=u32x2 3002=u32 3003=u32x2
43bf76ac/60ab5707/9003 LayerInfo; 0000=u32 0001:name=text8 0005=u32 0002=u32 0003=u32 0004=u32
    0006=u32x2 0007=u32 0008=u32 0009=u32x2
742d30ac/37984f09/9003 LayerRoot; 0011=u32 0014=u32 0001=u32 0008=u32 000e=u32 0009=u32 0013=u32
72ed43dc/3ec96a0a/9003 LayerWeights; 0005=u32 0001=u32 0002=u32 0003=u32 000a=u32 000e=u32
    0007=i32 0008=mark 0010=mark 0006=u32 0012=u32
40585238/2503240d/9003 LayerFloat; 0005=u32 0001=u32 0002=u32 0003=u32 000a=u32 000e=u32 0007=u32
    0008=f32 0010=mark 0006=u32 0012=u32
"""

_TRANSFORMS: Final = """
22d5030/4344191c/9008 CATParentTrans; 0001=u32 000b=u8x10 0003=f32 0004=u32 0002=u32 0006=u32
    0008=u32 0009=u32 000c=i32 000a{ 0001=u32 0002=mark }
18d026a1/347d1cf3/9008 LayerMatrix3; 0005=u32 0001=u32 0002=u32 0003=u32 000a=u32 000e=u32
    0007=u32 0008=u32x13 0010=mark 0006=u32 0012=u32
1cbb1d2f/30ea5264/9008 HubTrans; 0001@catnode
1f781be7/19707e49/9008 CATBoneData; 0000@catnode
485a734c/795557cc/9008 CATBoneSegTrans; 0000@catnode
4edf6dde/3d77551c/9008 PalmTrans2; 0000@catnode
542e413e/8241aa2/9008 CATSpineTrans2; 0001@catnode 0002=f32 0003=f32
68c00456/455634fe/9008 CATCollarBone; 0000@catnode
1adf2684/2e3b60d2/9008 CATDigitSegTrans; 0000@catnode
6e341cba/6f9c52ca/9008 CATHDPivotTrans; 0110=u32 0100=u32
71af1a7d/71c05de1/9008 CATFootTrans2; 0100@catnode 0014=u32
"""

_ROTATIONS: Final = """
87a6df27/0/900c NoiseRotation; 0110=u32 0111=u32 0112=u32 0103=f32 0104=u32 0105=u32 0106=u32
    0107=u32x2 0108=u32 0109=u32
"""

register_layouts(_FLOATS, _SHARED, base=FloatController)
register_layouts(_TRANSFORMS, _SHARED, base=TransformController)
register_layouts(_ROTATIONS, _SHARED, base=RotationController)
