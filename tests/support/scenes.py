"""Scenes made of a few objects, without a file around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

import numpy as np

from maxsidecar.scene.authoring_chunks import ChunkTree, encode_chunks
from maxsidecar.scene.controllers.layouts import KeyLayout
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.scene import Scene

FOREVER = pack("<2i", -(2**31), 2**31 - 1)
NEVER = pack("<2i", -(2**31), -(2**31))

ROOT = (2, 0, 0x1)
NODE = (1, 0, 0x1)
PRS = (0x2005, 0, 0x9008)
LOOK_AT = (0x2006, 0, 0x9008)
BEZIER_FLOAT = (0x2007, 0, 0x9003)
LINEAR_FLOAT = (0x2001, 0, 0x9003)
BEZIER_POSITION = (0x2008, 0, 0x900B)
LINEAR_POSITION = (0x2002, 0, 0x900B)
TCB_POSITION = (0x442312, 0, 0x900B)
LINEAR_ROTATION = (0x2003, 0, 0x900C)
TCB_ROTATION = (0x442313, 0, 0x900C)
BEZIER_SCALE = (0x2010, 0, 0x900D)
POSITION_XYZ = (0x118F7E02, 0xFFEE238A, 0x900B)
EULER_XYZ = (0x2012, 0, 0x900C)
SCALE_XYZ = (0x118F7C01, 0xFEEE238B, 0x900D)
TARGET = (0x1020, 0, 0x40)

Class = tuple[int, int, int]
References = Sequence[int | None] | Mapping[int, int] | None


def f32(*values: float) -> bytes:
    return pack(f"<{len(values)}f", *values)


def u32(*values: int) -> bytes:
    return pack(f"<{len(values)}I", *values)


def key_bytes(layout: KeyLayout, *rows: Mapping[str, object]) -> bytes:
    """Return a key table; columns that a row does not name are 0."""
    keys = np.zeros(len(rows), layout.dtype())
    for number, row in enumerate(rows):
        for name, value in row.items():
            keys[name][number] = value
    return keys.tobytes()


class SceneMaker:
    """Collects objects in storage order; :meth:`scene` reads them back."""

    def __init__(self, version: int = 0x2012) -> None:
        self.version = version
        self.classes: list[ClassInfo | None] = []
        self.known: dict[Class, int] = {}
        self.objects: list[tuple[int, list[ChunkTree]]] = []
        self.root = self.add(ROOT)

    def add(
        self, kind: Class, chunks: Sequence[ChunkTree] = (), references: References = None
    ) -> int:
        """Add an object; returns its storage index."""
        if kind not in self.known:
            self.known[kind] = len(self.classes)
            a, b, superclass = kind
            name = f"{a:x},{b:x}"
            self.classes.append(ClassInfo(len(self.classes), name, ClassId(a, b), superclass, -1))
        head: list[ChunkTree] = []
        if isinstance(references, Mapping):
            pairs = [n for pair in references.items() for n in pair]
            head = [(0x2035, u32(len(references)) + pack(f"<{len(pairs)}i", *pairs))]
        elif references is not None:
            slots = [-1 if n is None else n for n in references]
            head = [(0x2034, pack(f"<{len(slots)}i", *slots))]
        self.objects.append((self.known[kind], [*head, *chunks]))
        return len(self.objects) - 1

    def keyed(
        self,
        kind: Class,
        value_chunk: int,
        value: bytes,
        table: tuple[int, bytes] | None = None,
        *,
        nested: bool = False,
        extra: Sequence[ChunkTree] = (),
    ) -> int:
        """Add a keyframe controller in the order of chunks that files have."""
        body: list[ChunkTree] = [
            *extra,
            (value_chunk, value),
            (0x2500, FOREVER),
            (0x3002, u32(0)),
            (0x3003, NEVER),
        ]
        if table is not None:
            body.append(table)
        body.append((0x3005, u32(0x186)))
        if nested:
            return self.add(kind, [(0x7127, body), (0x7230, b"")])
        return self.add(kind, body)

    def number(self, value: float) -> int:
        """Add a Bezier Float without keys."""
        return self.keyed(BEZIER_FLOAT, 0x2501, f32(value))

    def transform(
        self,
        position: Sequence[float] = (0, 0, 0),
        angles: Sequence[float] = (0, 0, 0),
        scale: Sequence[float] = (1, 1, 1),
        flags: int = 0,
    ) -> int:
        """Add a PRS controller without keys; angles in radians."""
        parts = [
            self.add(POSITION_XYZ, (), [self.number(v) for v in position]),
            self.add(EULER_XYZ, [(0x1003, u32(0))], [self.number(v) for v in angles]),
            self.keyed(BEZIER_SCALE, 0x2505, f32(*scale, 0, 0, 0, 1)),
        ]
        return self.add(PRS, [(0x7230, u32(flags)), (0x7231, u32(flags))], parts)

    def node(
        self,
        name: str,
        controller: int | None,
        parent: int | None = None,
        object_: int | None = None,
        chunks: Sequence[ChunkTree] = (),
    ) -> int:
        """Add a node below another one, or below the root."""
        body: list[ChunkTree] = [
            (0x0960, pack("<iI", self.root if parent is None else parent, 0)),
            (0x0962, name.encode("utf-16-le")),
            *chunks,
        ]
        return self.add(NODE, body, [controller, object_])

    def scene(self) -> Scene:
        """Return the scene that the bytes make."""
        tree: list[ChunkTree] = [
            (self.version, [(index, chunks or [(0x2045, b"\0")]) for index, chunks in self.objects])
        ]
        return Scene(encode_chunks(tree), self.classes, [])
