"""Layouts of what a scene keeps besides nodes: track view, sound, renderers, editors, managers.

Measured on the corpus: every object of these classes fits, byte for byte; what chunks mean is
open unless they have a name (docs/format/coverage.md).
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.layouts import Layout, register_layouts
from maxsidecar.scene.params.bitmap import BitmapHeadCodec

__all__ = ["SHARED"]


def _bitmap() -> Layout:
    """Return the layout of a bitmap description, see :mod:`maxsidecar.scene.params.bitmap`."""
    layout = Layout.read(
        "1230:path=text 1240:format=text 1220=u32s 1260=mark 1260:asset{ 0002:guid=guid }"
        " 1270:color_space{ 0200=u32x4 0300=text 0400=text 0500=text }"
    )
    layout.leaves[0x1201] = "head", BitmapHeadCodec()
    return layout


#: Layouts that classes of several tables share.
SHARED: Final[dict[str, Layout]] = {
    "bitmap": _bitmap(),
}

_TABLE: Final = """
c80/0/100 MaterialEditor; 9010=u32x2 9030=u32s 09c0=u32 90b0=u32 09d0=u32
3333/0/100 MtlBaseLib; 4110=u32
5ddb3626/23b708db/100 CustAttribContainer; 1030=u32 1040=u32 1050=u32
2cf03595/0/100 TrackSetList; 0100=u32
5f2d3a0a/4be75269/100 CurveControlHead; 1000=u32 1030{ 1000=u32x7 } 1020=u32 1040=u32x7
14585773/483a7dcf/100 CurveControl; 03e8=u32 03f2@bits 0424=u32 0406=raw 0410=raw 041a=raw
    042e=u32 0438=f32x4 046a=u32 0474=u32 044c=u32 0456=text
8d73b8aa/90f2ee71/200 TVNode; 0110:name=text 0120:class_id=u32x2 0130=u32 0140=mark 0150=mark
46576167/6546546/200 RenderElementMgr; 1200=u8 1210=raw 1240=u32 1220=u32 1230=u32x5 1250=u8
    1260=u8 1270:output_path=text
66812ba4/54f83fae/200 PersistentNodeSet; 001a{ 001b=u32 }
7dcd1692/1d74772f/200 PersistentIsolationData; 0001{ 0002=u8 0003@matrix 0010{ 9001@matrix
    9002=f32x3 9003=f32 9004=u32 9005=u32 9006=i32 9007=f32 9008=f32 9014=f32 9015=f32 9016=f32
    9017=f32 9011=f32 9012=f32 9013=f32 } 0004=u32 0005=i32 0006=u32 }
58f67d6c/4fe30000/200 MrPBParameter; 0001:name=text 0002=u32 0009=u32 0003{ 0004=u32 0005=i32
    0006=raw 0010:asset{ 0002:guid=guid } }
58f67d6c/4fe20000/200 MrOptions; 0001=u32 0100=i32 0101=u32 0102=f32x3 0105=f32 0124=u32 010c=u32
    010e=u32 0122=u32 0110=f32x2 0111=f32x2 0112=f32x2 0113=f32x2 0114=f32x2 0120=u32 0125=u32
    0121=u32 0123=u32 0200=u32 0201=u32 0208=u32 0209=u32 0202=u32x3 0203=u32 0205=u32 0206=u32
    0207=f32 0204=u8 0b00=u32 0b01=u32 0b02=u8 1100=f32 0300=u32 0301=u32 030a=u8 030c=u8
    030d=mark 0306=u32 0309=u8 0400=u32 0401=f32 0404=f32 0402=u16 0403=u8 0500=u32 0501=f32
    0502=f32 0503=u32 0504=f32 0505=f32 0600=u32 0604=u32 063d=f32 063e=f32x3 063f=f32 0640=f32x3
    060c=f32x2 0602=u32 0603=f32 0632=u8 0608=u32 0609=u32 060d=f32x2 0649=u32 0651=u8 0611=u32
    0612=f32x2 0634=u8 0633=u8 0639=u8 060b=u32 0630=u32 0635=f32x2 0638=f32x2 063a=f32 063b=f32
    0643=u32 0644=u8 0645=u8 0646=u32 0647=f32 0648=f32 0653=mark 0654=u8 0622=u8 0623=u8 0624=u32
    0625=u32 0626=u32 063c=u32 0627=u32 0628=u32 0641=f32 0642=f32x3 0656=u32 0658=u32 0659=u32
    0660=u8 0655=u8 0636=u8 0652=mark 0601=u32x3 0629=u8 0619=f32 0620=u32 0621=u32 0657=u32
    0661=u8 0700=u32 0701=u32x2 0922=u32 0923=f32 0925=u32 0927=u32 0928=u8 0929=u32 0c00=u8
    0c01=u32 0c15=u8 0c03=u8 0c10=u8 0c0d=u8 0c05=mark 0c07=mark 0c06=u8 0c0c=u8 0c09=u8 0c0a=u8
    0c08=u8 0c11=u8 0c12=u8 0c13=u8 0c14=u8 0d00=u8 0d04=u8 0d01=u16 0d02=f32 0d03=f32 0e00=u8
    0e03=u8 0f00=u8 0f01=u8 0f02=u8 0f03=u8 1200=f32 1201=f32 1203=f32 0130=u32 0131=f32 0132=f32
    0133=u32 0670=u8 0674=f32 0671=u32 0672=u32 1204=mark 1210=u32 1211=f32 0d05=u32 0d06=u32
7d32009/6187db21/200 PB2Parameter; 0001:name=text 0002=u32 0003{ 0004=u32 000b=i32 0006=u32s 0006{
    0007=u8 0008@bitmap 000a:path=text } }
18f81903/19033fd2/200 NodeMonitor; 5fa1=u8
35aa7e17/6d64186f/200 HiddenUnselectedNodeCache; 0007{ 0008=u32 }
39691211/751152d8/200 StyleLeaf; 0002{ 0002=mark 0001=u32 0003:name=text } 0001=u32 0003=u32
    0004@bits 0004=mark
164b18d7/404c6b12/200 StyleComposite; 0002{ 0002=mark 0001=u32 0003:name=text } 0001=u32 0003=u32
    0004@bits
4a0c66e1/1513165/b60 BitmapProxyManager; 0110=u32 0120=u32 0130=u32 0140=u32 0200=mark 0200{ 0200{
    0210:path=text 0220=u32 } }
5bf94f11/68c22d6f/b60 BitmapPagerData; 0110=u32 0120=u32 0130=f32 0140=f32
1/0/d00 DefaultSound; 5000=u32 5001=u32 5003=u32 5004=u32 5002=mark 5005=u32 5009=u32 5010=mark
476fa9de/5b918e4a/d00 ProSound; 4990=u32 5000=u32 5001=u32 5002=u32 5003=u32 5004=u32 5005=u32
    5006=u32 5008=u32 5009=u32 500a=u32 500b=u32 500c=u32 500d=u32 500e=u32 500f=u32 5010=u32
    5011=u32 5012=u32 5013=u32 5014=mark 5015=u32 5016=f32 5100=u32 5110=u32 5120=u32 5130=u32x2
    5140=u32 5150=u32
1/0/f00 ScanlineRenderer; 0002=mark 0020=mark 0072=mark 1000=u32 0007=f32 0008=f32 0009=u32
    000a=u32 000b=f32 0030=f32 000d=u32 0060=f32 0077=u32x2 0074=mark 0075=mark 0071=f32 0076=f32
    0080=u32 000c=u32
58f67d6c/4fcf3bc3/f00 MentalRayRenderer; 03e9{ 03e9{ 03ea=u32 } }
b1a438de/a045667a/f00 Arnold; 0309=mark
17356912/0/1090 RenderEffects; 1100=u32 1110=u32
f4871a5/781f1430/900f MasterLayerControlManager; 1001=u32 1002=u32 1003=u32 1004=u32 1005=u32
    1006=u32 1007=u32
4b4b1015/0/9011 BlockControl; 1010=u32 1020=u32
"""

register_layouts(_TABLE, SHARED)
