"""CAT rigs made of a few parts, with numbers that can be followed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support.scenes import SceneMaker, f32, u32

MASTER = (0x022D5030, 0x4344191C, 0x9008)
HUB = (0x1CBB1D2F, 0x30EA5264, 0x9008)
BONE = (0x1F781BE7, 0x19707E49, 0x9008)
SEGMENT = (0x485A734C, 0x795557CC, 0x9008)
PALM = (0x4EDF6DDE, 0x3D77551C, 0x9008)
LINK = (0x542E413E, 0x08241AA2, 0x9008)
COLLARBONE = (0x68C00456, 0x455634FE, 0x9008)
DIGIT_SEGMENT = (0x1ADF2684, 0x2E3B60D2, 0x9008)
FOOT = (0x71AF1A7D, 0x71C05DE1, 0x9008)
LAYERS = (0x18D026A1, 0x347D1CF3, 0x9008)
NUMBER = (0x40585238, 0x2503240D, 0x9003)
LIMB = (0x6E4253A3, 0x7FFA3373, 0x200)
SPINE = (0x1D473A0E, 0x3B151C9D, 0x200)
DIGIT = (0x67E7064D, 0x28271D66, 0x200)
BLOCK2 = (0x82, 0, 0x82)

#: Flags of layers as files have them.
WITH_RIG, FIRST_BONE, TURNED_HUB, PLAIN = 0x730200, 0x7E0000, 0x720000, 0x700000

IDENTITY = (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)
#: Turned by a quarter circle about z, and about x: rows of the axes.
QUARTER_Z = (0.0, 1, 0, -1, 0, 0, 0, 0, 1)
QUARTER_X = (1.0, 0, 0, 0, 0, 1, 0, -1, 0)

_HEADS = {HUB: 1, LINK: 1, FOOT: 0x100, LIMB: 0x10, SPINE: 2, DIGIT: 1}
_LAYER_SLOTS = {PALM: 2, FOOT: 3}


def _matrix(turn: Sequence[float], place: Sequence[float]) -> bytes:
    return f32(*turn, *place) + u32(4)


class CatRig:
    """A rig; parts are made first, and filled when all that they point at is there."""

    def __init__(self, units: float = 2.0, place: Sequence[float] = (10, 0, 0)) -> None:
        self.maker = SceneMaker()
        prs = self.maker.transform(place)
        self.master = self.maker.add(
            MASTER,
            [
                (0x0001, u32(3500)),
                (0x000B, b"Cat"),
                (0x0003, f32(units)),
                (0x0004, u32(0)),
                (0x0002, u32(0)),
                (0x0009, u32(0)),
                (0x000A, [(0x0001, u32(0)), (0x0002, b"")]),
            ],
            [None, prs, None],
        )
        self.node = self.maker.node("Cat", self.master)

    def block(self, values: Mapping[int, tuple[int, object]]) -> int:
        """Add a block: references 0x12, tables of them 0x812, points 3, matrices 0x14."""
        records: list[ChunkTree] = []
        for number, (kind, value) in values.items():
            items = value if kind & 0x800 else [value]
            body = pack("<HIQ", number, kind, 0x100 if kind & 0x7FF == 0x12 else 0)
            if kind & 0x800:
                body += pack("<BI", 0, len(items))  # type: ignore[arg-type]
            for item in items:  # type: ignore[attr-defined]
                body += b"\x40" + (item if isinstance(item, bytes) else pack("<i", item))
            records.append((0x100E, body))
        head = pack("<IIIHIHi", 0, 0, 0, 0, 1, len(records), -1)
        return self.maker.add(BLOCK2, [(0x000B, head), *records])

    def reserve(self, kind: tuple[int, int, int]) -> int:
        """Add a part that is filled later."""
        return self.maker.add(kind)

    def fill(
        self,
        index: int,
        kind: tuple[int, int, int],
        size: Sequence[float] = (0, 0, 0),
        number: int = -1,
        *,
        values: Mapping[int, tuple[int, object]] | None = None,
        layers: int | None = None,
        more: Sequence[ChunkTree] = (),
        references: Mapping[int, int] | None = None,
    ) -> int:
        """Give a part its chunks and references."""
        element: list[ChunkTree] = [
            (0x0005, u32(self.master)),
            (0x0001, u32(0)),
            (0x0002, u32(0x0E000000)),
            (0x0003, b"Part"),
            (0x0004, u32(3500)),
            (0x0006, pack("<i", number)),
        ]
        head: list[ChunkTree] = element
        if kind[2] == 0x9008:
            head = [
                (0x0001, element),
                (0x0005, u32(0)),
                (0x0006, b""),
                (0x000A, f32(*size)),
                (0x000C, pack("<i", -1)),
                *((chunk, f32(1, 1, 1)) for chunk in (0x000E, 0x000F, 0x0010, 0x0011)),
                (0x0014, [(0x0001, u32(0)), (0x0002, b"")]),
            ]
        slots = dict(references or {})
        if values is not None:
            slots[0] = self.block(values)
        if layers is not None:
            slots[_LAYER_SLOTS.get(kind, 1)] = layers
        pairs = [n for pair in slots.items() for n in pair]
        tree: list[ChunkTree] = [(0x2035, u32(9) + pack(f"<{len(pairs)}i", *pairs))]
        tree += [(_HEADS.get(kind, 0), head), *more]
        self.maker.objects[index] = (self.maker.known[kind], tree)
        return index

    def part(self, kind: tuple[int, int, int], *args: object, **more: object) -> int:
        """Add a part and fill it."""
        return self.fill(self.reserve(kind), kind, *args, **more)  # type: ignore[arg-type]

    def layers(
        self,
        flags: int,
        place: Sequence[float] = (0, 0, 0),
        turn: Sequence[float] = IDENTITY,
        references: Mapping[int, int] | None = None,
    ) -> int:
        """Add the layers of a part: its setup matrix, place in CAT units."""
        chunks: list[ChunkTree] = [
            (0x0005, u32(3500)),
            (0x0001, u32(2)),
            (0x0003, u32(flags)),
            (0x000E, u32(self.master)),
            (0x0007, pack("<i", -1)),
            (0x0008, _matrix(turn, place)),
            (0x0010, b""),
        ]
        return self.maker.add(LAYERS, chunks, references or {})

    def number(self, value: float) -> int:
        """Add the layers of a number."""
        return self.maker.add(NUMBER, [(0x0001, u32(2)), (0x0008, f32(value))], {})

    def matrix(self, turn: Sequence[float] = IDENTITY, place: Sequence[float] = (0, 0, 0)) -> bytes:
        """Return a matrix as blocks hold it."""
        return _matrix(turn, place)

    def hub(self, name: str, place: Sequence[float] = (0, 0, 5)) -> tuple[int, int]:
        """Add a hub that stands with the rig; return its controller and node."""
        hub = self.part(HUB, (1, 1, 1), layers=self.layers(WITH_RIG, place))
        return hub, self.maker.node(name, hub)
