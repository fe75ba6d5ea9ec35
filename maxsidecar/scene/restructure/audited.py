"""Classes that were searched for storage indices outside the declared places, without a find.

Every leaf of up to 60,000 bytes of every object of these classes in the corpus was read as 32-bit
numbers, at each byte, and compared with the objects that it is related to by reference; what
matched was looked at and is chance.  An index of an object that is not related would be missed if
its targets are of mixed superclasses.  A class is listed from ten objects on; custom attributes
(superclass 1160), whose ids are made up by their authors, are taken together: 181 classes.  See
docs/format/references.md.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.directories import ClassInfo

__all__ = ["is_audited"]

_CUSTOM_ATTRIBUTES: Final = 0x1160

#: Class id A/B/superclass in hex.
_TABLE: Final = """
d7374fc/51ff028e/0 1/0/1 2/0/1 8/0/8 10/0/10 11/0/10 1020/0/10 9125/0/10 81f1dfc/77566f65/10
1bf8338d/192f6098/10 28bf6e8d/2ecca840/10 2e6a0c09/43d5c9c0/10 51db4f2f/1c596b1a/10
76bf318a/4bf37b10/10 a86c23dd/0/10 e44f10b3/0/10 f21c5e23/0/10 1002/0/20 1011/0/30 1012/0/30
7ca93582/1abb6b32/30 1993/0/40 2013/0/50 876234/0/50 9155/0/60 82/0/82 c80/0/100 1200/0/100
2222/0/100 3333/0/100 8d51/0/100 8d52/0/100 14585773/483a7dcf/100 294a389c/87906d7/100
2cf03595/0/100 5ddb3626/23b708db/100 5f2d3a0a/4be75269/100 29263a68/405f22f5/1f0 0/165fc6a/200
7d32009/6187db21/200 d7374fc/51ff028e/200 164b18d7/404c6b12/200 18f81903/19033fd2/200
39691211/751152d8/200 46576167/6546546/200 4fa95e9b/9a26e66/200 58f67d6c/4fe20000/200
66812ba4/54f83fae/200 67e7064d/28271d66/200 7dcd1692/1d74772f/200 8d73b8aa/90f2ee71/200
50/0/810 100/0/810 c4d32/0/810 95c723/15666/810 2df2e3a/72ba4e1f/810 d727b3e/491d29a7/810
6a9e4c6b/494744dd/810 79aa6e1d/71a075b7/810 4a0c66e1/1513165/b60 5bf94f11/68c22d6f/b60 2/0/c00
200/0/c00 1ed415e4/213daaf8/c00 3d6b1cec/deadc001/c00 64c75fec/222b9eb9/c00
70b05735/4a163654/c00 f1551e33/37fb1337/c00 200/0/c10 240/0/c10 290/0/c10 6ec3730c/0/c10
7773161f/730b5162/c10 7773161f/750a4a78/c10 7773161f/820f804c/c10 7773161f/8b53802e/c10
7ed417e4/273deef8/c10 100/0/c20 100/0/c40 1/0/d00 476fa9de/5b918e4a/d00 476fa9de/5b918e4e/d00
1/0/f00 58f67d6c/4fcf3bc3/f00 ee448b23/0/1010 1200/0/1080 17356912/0/1090 77912301/0/10a0
37/0/10b0 38/0/10b0 100/0/10d0 200/0/10d0 7e9858fe/1dba1df0/10f0 25773211/0/1110
25773216/0/1110 d481815/687d799c/1190 2001/0/9003 2007/0/9003 1f8c3646/11793bed/9003
265e07a8/d281541/9003 288863b5/4a7e7d67/9003 368d1139/f4044794/9003 40585238/2503240d/9003
4b4b1000/0/9003 5a1b661e/7620792b/9003 5ed56fc5/6af0e521/9003 6b147369/78c6b2a/9003
72ed43dc/3ec96a0a/9003 7611206f/20b36078/9003 7b7e1832/49334005/9003 984b8d27/938f3e43/9003
200a/0/9005 2011/0/9005 4b4b1001/0/9005 2005/0/9008 2006/0/9008 3011/0/9008 9154/0/9008
9156/0/9008 e6f5815/717f99a4/9008 18d026a1/347d1cf3/9008 1adf2684/2e3b60d2/9008
1f781be7/19707e49/9008 485a734c/795557cc/9008 542e413e/8241aa2/9008 2002/0/900b 2008/0/900b
442312/0/900b 118f7e02/ffee238a/900b 4b4b1002/0/900b 2003/0/900c 2012/0/900c 442313/0/900c
4b4b1003/0/900c 87a6df27/0/900c 2010/0/900d 118f7c01/feee238b/900d 4b4b1004/0/900d
c6f6387/2c1a0a7b/900f f4871a5/781f1430/900f d9c20ff/0/9010 4b4b1015/0/9011 4b4b1005/0/9012
1/0/fffffe00
"""

_AUDITED: Final = frozenset(
    (int(a, 16), int(b, 16), int(superclass, 16))
    for a, b, superclass in (word.split("/") for word in _TABLE.split())
)


def is_audited(info: ClassInfo | None) -> bool:
    """Return whether objects of a class hold storage indices in the declared places only."""
    if info is None:
        return False
    if info.superclass == _CUSTOM_ATTRIBUTES:
        return True
    return (info.class_id.a, info.class_id.b, info.superclass) in _AUDITED
