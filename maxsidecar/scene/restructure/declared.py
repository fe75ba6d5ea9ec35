"""Which classes hold storage indices, and where; one line for each.

Every line is measured on the corpus: all values there are indices of objects of the class that the
line says, or -1 (docs/format/references.md gives the counts).  Reference lists are declared for
objects of every class by :mod:`maxsidecar.scene.restructure.places` itself.
"""

from __future__ import annotations

from maxsidecar.scene.restructure.places import LeafIndices, declare
from maxsidecar.scene.restructure.special import OwnerReferences, SkinnedNodes

__all__ = ["KNOWN_TO_HIDE"]

_NODE = frozenset((0x1,))
_MAPS = frozenset((0xC00, 0xC10))

# Custom attributes: the object names their container, the container names the object.
declare(LeafIndices((0x21B0, 0x1020), size=4, owns=True, drops=1, kinds=frozenset((0x100,))))
declare(
    LeafIndices((0x1030,), size=4),
    superclass=0x100,
    class_id=(0x5DDB3626, 0x23B708DB),
)

# Nodes: the parent; flags follow.
declare(LeafIndices((0x0960,), size=8, kinds=_NODE), superclass=0x1)

# Parameter blocks: the owner in both forms of the header, and references that the owner holds.
declare(LeafIndices((0x0009,), 12, size=16, empty=-1), superclass=0x82, class_id=(0x82, 0))
declare(LeafIndices((0x000B,), 20, size=24, empty=-1), superclass=0x82, class_id=(0x82, 0))
declare(OwnerReferences(), superclass=0x82, class_id=(0x82, 0))

# Modifier stacks: the node of a skin.
declare(SkinnedNodes(), superclass=0x1F0)

# Layer manager: a layer.
for _superclass in (0x0, 0x200):
    declare(
        LeafIndices((0x1900,), size=4, kinds=frozenset((0x10F0,)), likely=True),
        superclass=_superclass,
        class_id=(0x0D7374FC, 0x51FF028E),
    )

# Materials: the map that viewports show; the chunk is absent when they show none.
for _class in ((0x2, 0x0), (0x210, 0x0)):
    declare(
        LeafIndices((0x4000, 0x4010), size=4, drops=2, kinds=_MAPS, likely=True),
        superclass=0xC00,
        class_id=_class,
    )

# Curves of a map's output: the map.
declare(
    LeafIndices((0x044C,), size=4, kinds=frozenset((0xC10,)), likely=True),
    superclass=0x100,
    class_id=(0x14585773, 0x483A7DCF),
)

# Biped: the nodes of the rig.
declare(
    LeafIndices((0x0110,), stride=4, kinds=_NODE, likely=True),
    superclass=0x60,
    class_id=(0x9155, 0),
)

# CAT, measured on two versions of one character.  Layers, their weights, and the rig.
_CAT = (
    (0x9003, (0x43BF76AC, 0x60AB5707), LeafIndices((0x0004,), size=4)),
    (0x9003, (0x742D30AC, 0x37984F09), LeafIndices((0x0013,), size=4)),
    (0x9008, (0x022D5030, 0x4344191C), LeafIndices((0x0006,), size=4)),
    (0x9003, (0x72ED43DC, 0x3EC96A0A), LeafIndices((0x0007,), size=4, empty=-1)),
    (0x9003, (0x40585238, 0x2503240D), LeafIndices((0x0007,), size=4)),
    (0x9008, (0x18D026A1, 0x347D1CF3), LeafIndices((0x0007,), size=4)),
    (0x9008, (0x71AF1A7D, 0x71C05DE1), LeafIndices((0x0014,), size=4)),
    # The rig as a whole: its master controller, what its node shows, its first hub.
    (0x9003, (0x742D30AC, 0x37984F09), LeafIndices((0x0009,), size=4)),
    (0x9008, (0x022D5030, 0x4344191C), LeafIndices((0x0008,), size=4)),
    (0x0050, (0x56AE72E5, 0x389B6659), LeafIndices((0x0005,), size=4)),
    *(
        (superclass, class_id, LeafIndices(path, size=4))
        for superclass, class_id in (
            (0x9003, (0x72ED43DC, 0x3EC96A0A)),
            (0x9003, (0x40585238, 0x2503240D)),
            (0x9008, (0x18D026A1, 0x347D1CF3)),
        )
        for path in ((0x0006,), (0x000A,), (0x000E,))
    ),
    *(
        (superclass, class_id, LeafIndices((*head, link), size=4))
        for superclass, class_id, head in (
            (0x200, (0x6E4253A3, 0x7FFA3373), (0x0010,)),
            (0x200, (0x1D473A0E, 0x3B151C9D), (0x0002,)),
            (0x200, (0x67E7064D, 0x28271D66), (0x0001,)),
            (0x9008, (0x1CBB1D2F, 0x30EA5264), (0x0001, 0x0001)),
            (0x9008, (0x542E413E, 0x08241AA2), (0x0001, 0x0001)),
            (0x9008, (0x1F781BE7, 0x19707E49), (0x0000, 0x0001)),
            (0x9008, (0x485A734C, 0x795557CC), (0x0000, 0x0001)),
            (0x9008, (0x4EDF6DDE, 0x3D77551C), (0x0000, 0x0001)),
            (0x9008, (0x68C00456, 0x455634FE), (0x0000, 0x0001)),
            (0x9008, (0x1ADF2684, 0x2E3B60D2), (0x0000, 0x0001)),
            (0x9008, (0x71AF1A7D, 0x71C05DE1), (0x0100, 0x0001)),
        )
        for link in (0x0001, 0x0005)
    ),
)
for _superclass, _class, _place in _CAT:
    declare(_place, superclass=_superclass, class_id=_class)
# The bone on the other side of the body.
for _class in (
    (0x1ADF2684, 0x2E3B60D2),
    (0x485A734C, 0x795557CC),
    (0x1F781BE7, 0x19707E49),
    (0x4EDF6DDE, 0x3D77551C),
    (0x68C00456, 0x455634FE),
):
    declare(LeafIndices((0x0000, 0x000C), size=4, empty=-1), superclass=0x9008, class_id=_class)

#: Classes whose objects hold indices in a form that is not understood (measured): wire and script
#: controllers, mental ray parameters, and helpers of one plug-in.  Objects that they name cannot be
#: renumbered safely, and they themselves cannot be copied.
KNOWN_TO_HIDE: frozenset[tuple[int, int]] = frozenset(
    {
        (0x498702E6, 0x71F11548),
        (0x498702E7, 0x71F11549),
        (0x7C8F3A2A, 0x1E954D91),
        (0x58F67D6C, 0x4FE30000),
        (0x7CA9461D, 0x6B07182C),
        (0x91919191, 0x1DEB05CA),
        (0x91919191, 0x1DEB05CE),
        (0x91919191, 0x1DEB068B),
        (0x91919191, 0x1DEB06F0),
    }
)
