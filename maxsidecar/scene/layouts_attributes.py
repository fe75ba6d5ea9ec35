"""Layouts of custom attributes that programs and plug-ins add, besides their parameters.

Measured on the corpus, as those of :mod:`maxsidecar.scene.layouts_scene`.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.layouts import register_layouts
from maxsidecar.scene.params.access import CustomAttribute

__all__: list[str] = []

_TABLE: Final = """
5a06293c/30420c1e/1160 ViewportManager; 1000=u32
28250b30/265a2326/1160 ParameterCollectorCA; 0100{ 0110=u32 0120=u32 }
1d5b0b9f/74167f1b/1160 Properties; 0010=u32x2
478b64e1/5cfe71f9/1160 Properties; 0010=u32x2
2b12373f/75e86290/1160 Properties; 0010=u32x2
1f58f/3a29f/1160 AnchorCustomAttribute; 0000=u32 0004=raw 006c=u32x4 0066=raw 0065=u8 0064{
    0000=u32x4 0001=u32 0002=raw 0003=mark }
360393c4/6cfefa59/1160 BabylonAttributes; 0010=u32x2
4f890715/24da1759/1160 BabylonAttributes; 0010=u32x2
"""

register_layouts(_TABLE, base=CustomAttribute)
