"""Damage to what geometry is made of: base objects, modifiers, their contexts and parameters.

The same scene and seed always give the same bytes.  Classes are chosen before objects, so that the
few modifiers of a scene are damaged as often as its many meshes.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

from maxsidecar.scene.scene import Scene

__all__ = ["GeometryBase", "mutate_geometry"]

#: Derived objects, geometry, shapes, patches, modifiers, blocks of parameters, controllers.
_SUPERCLASSES = frozenset({0x10, 0x40, 0x810, 0x820, 0x08, 0x82, 0x9003, 0x9007, 0x9005, 0x9008})
_INTEGERS = (
    0, 1, 2, 3, 4, 7, 40, 100, 1000, 65_535, 65_536, 1_000_000, 0x7FFFFFFF, 0x80000000, 0x80000001,
    0xFFFFFFFE, 0xFFFFFFFF,
)  # fmt: skip
_REALS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, -1e-30, 1e-6, 100.0, -1000.0, 1e6, 1e18, -1e18, 3e38, -3e38,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
#: Records of Edit Poly: which operation, and its bits of what was selected.
_OPERATIONS, _BITS = (0x0230, 0x0260), 0x2700
#: Numbers of operations that Edit Poly may store.
_LAST_OPERATION = 90


@dataclass
class _Piece:
    """A chunk: the id, then the body or other chunks."""

    chunk_id: int
    body: bytearray
    inner: list[_Piece] | None = None

    def encode(self) -> bytes:
        inner = self.inner
        body = bytes(self.body) if inner is None else b"".join(piece.encode() for piece in inner)
        mark = 0 if inner is None else 1 << 31
        return struct.pack("<HI", self.chunk_id, len(body) + 6 | mark) + body


@dataclass
class GeometryBase:
    """A sound scene, and where its geometry lies.

    Attributes:
        scene: The scene.
        places: Storage indices of objects by class.
    """

    scene: Scene
    places: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        """Find the objects."""
        self.places = {}
        for obj in self.scene:
            if obj.is_derived or obj.superclass in _SUPERCLASSES:
                self.places.setdefault(f"{obj.superclass} {obj.class_id}", []).append(obj.index)


def mutate_geometry(base: GeometryBase, seed: int) -> tuple[list[str], Scene]:
    """Return what was done, and the scene with the damage."""
    rng = random.Random(seed)
    data = bytes(base.scene.data)
    names = sorted(base.places)
    chosen: dict[int, str] = {}
    for _ in range(rng.choice((1, 1, 2, 6))):
        name = rng.choice(names)
        chosen[rng.choice(base.places[name])] = name
    done, grown = [], 0
    for index in sorted(chosen, reverse=True):
        start, head, end = _span(base.scene, index)
        pieces = _parse(data[start + head : end])
        if not pieces:
            continue
        for _ in range(rng.choice((1, 1, 2, 8))):
            done.append(f"{chosen[index]} #{index}: {_damage(pieces, rng)}")
        body = b"".join(piece.encode() for piece in pieces)
        chunk_id = struct.unpack_from("<H", data, start)[0]
        new = struct.pack("<HI", chunk_id, len(body) + 6 | 1 << 31) + body
        grown += len(new) - (end - start)
        data = data[:start] + new + data[end:]
    data = _with_size(data, grown)
    scene = base.scene
    return done, Scene(data, scene.classes, [], code_page=lambda: scene.code_page)


def _with_size(data: bytes, grown: int) -> bytes:
    """Return a stream whose first chunk says that it has more bytes."""
    narrow, wide = struct.unpack_from("<IQ", data, 2)
    if narrow == 0:
        return data[:6] + struct.pack("<Q", wide + grown) + data[14:]
    if narrow in (1, 0xFFFFFFFF):
        return data  # it runs to the end
    return data[:2] + struct.pack("<I", narrow + grown) + data[6:]


def _span(scene: Scene, index: int) -> tuple[int, int, int]:
    """Return where an object starts, how long its head is, and where it ends."""
    _, start, body, end = scene.span(index)[:4]
    return start, body - start, end


def _parse(data: bytes) -> list[_Piece]:
    """Return the chunks of an object's body."""
    out: list[_Piece] = []
    todo = [(0, len(data), out)]
    while todo:
        at, end, into = todo.pop()
        while end - at >= 6:
            chunk_id, size = struct.unpack_from("<HI", data, at)
            head, length, deep = 6, size & 0x7FFFFFFF, size >> 31
            if size == 0 and end - at >= 14:
                (size,) = struct.unpack_from("<Q", data, at + 6)
                head, length, deep = 14, size & 0x7FFFFFFFFFFFFFFF, size >> 63
            if length < head or at + length > end:
                break
            piece = _Piece(chunk_id, bytearray())
            if deep:
                piece.inner = []
                todo.append((at + head, at + length, piece.inner))
            else:
                piece.body[:] = data[at + head : at + length]
            into.append(piece)
            at += length
    return out


def _damage(pieces: list[_Piece], rng: random.Random) -> str:
    lists = [pieces]
    for inner in lists:
        lists += [piece.inner for piece in inner if piece.inner]
    leaves = [piece for inner in lists for piece in inner if piece.inner is None and piece.body]
    choice = rng.random()
    special = [leaf for leaf in leaves if leaf.chunk_id in (*_OPERATIONS, _BITS)]
    if special and choice < 0.4:
        return _damage_operation(rng.choice(special), rng)
    if not leaves or choice > 0.9:
        return _damage_list(rng.choice(lists), rng)
    # Large leaves are few and small ones many: choose by what kind of leaf it is.
    kinds: dict[int, list[_Piece]] = {}
    for leaf in leaves:
        kinds.setdefault(leaf.chunk_id, []).append(leaf)
    leaf = rng.choice(kinds[rng.choice(list(kinds))])
    at = 4 * rng.randrange(len(leaf.body) // 4 + 1) if rng.random() < 0.6 else 0
    if len(leaf.body) - at < 4:
        at = max(0, len(leaf.body) - rng.choice((1, 2, 4)))
    before = bytes(leaf.body[at : at + 4])
    if choice < 0.5:
        new = struct.pack("<I", rng.choice(_INTEGERS))
    elif choice < 0.75:
        new = struct.pack("<f", rng.choice(_REALS))
    elif choice < 0.82:
        number = int.from_bytes(before, "little") + rng.choice((-2, -1, 1, 2, 1000))
        new = (number % (1 << 32)).to_bytes(4, "little")
    else:
        new = rng.randbytes(1)
    leaf.body[at : at + min(len(before), len(new))] = new[: len(before)]
    return f"{leaf.chunk_id:04x} at {at} of {len(leaf.body)}: {before.hex()} to {new.hex()}"


def _damage_operation(leaf: _Piece, rng: random.Random) -> str:
    if leaf.chunk_id == _BITS:
        for _ in range(rng.choice((1, 2, 8, 64))):
            if len(leaf.body) > 4:
                leaf.body[rng.randrange(4, len(leaf.body))] ^= 1 << rng.randrange(8)
        return "other bits selected"
    number = rng.randrange(_LAST_OPERATION)
    leaf.body[:4] = struct.pack("<i", number)
    return f"operation {number}"


def _damage_list(pieces: list[_Piece], rng: random.Random) -> str:
    if not pieces:
        return "nothing"
    at, choice = rng.randrange(len(pieces)), rng.randrange(5)
    piece = pieces[at]
    name = f"chunk {at}, {piece.chunk_id:04x}"
    if choice == 0:
        del pieces[at]
        return f"{name} taken out"
    if choice == 1:
        pieces.insert(rng.randrange(len(pieces) + 1), piece)
        return f"{name} doubled"
    if choice == 2:
        other = rng.randrange(len(pieces))
        pieces[at], pieces[other] = pieces[other], pieces[at]
        return f"{name} and {other} swapped"
    if piece.inner is not None:
        del piece.inner[rng.randrange(len(piece.inner) + 1) :]
        return f"{name} cut"
    size = rng.randrange(len(piece.body) + 1)
    if choice == 3:
        del piece.body[size:]
        return f"{name} cut to {size}"
    # Fewer rows, and a count that agrees.
    rest = piece.body[4:]
    for width in (20, 12, 8, 4):
        if len(rest) >= width and len(piece.body) >= 4:
            count = rng.randrange(len(rest) // width + 1)
            piece.body[:] = struct.pack("<I", count) + rest[: count * width]
            return f"{name} of {count} rows"
    return f"{name} as it is"
