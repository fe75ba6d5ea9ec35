"""Numbers in the records of a biped: where they stand, what they mean, which may be written.

A value is some numbers of 32 bits in one record, or the same numbers of each key.  Each is written
at its own place, so what is not written keeps its bytes.  Records keep their length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, shorten
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.structure import Array

__all__ = [
    "ANGLES",
    "PLACE",
    "QUATERNION",
    "Draft",
    "Slots",
    "Value",
    "body_of",
    "checked",
    "put",
    "read",
    "set_body",
    "words",
    "write",
]

Stored = npt.NDArray[np.float32]

#: What the numbers of a value are: angles in degrees, a rotation, or a place in units of the scene.
ANGLES: Final = "angles"
QUATERNION: Final = "quaternion"
PLACE: Final = "place"

#: How far the length of a quaternion may be from 1: what is typed with four digits passes.
_ROUND: Final = 1e-3
_MOST: Final = {ANGLES: 36_000.0, QUATERNION: 1.001, PLACE: 1e9}
_EXPECTED: Final = {ANGLES: "degrees", QUATERNION: "x, y, z, w", PLACE: "units of the scene"}


@dataclass(frozen=True, slots=True)
class Slots:
    """Some numbers in a chunk.

    Attributes:
        chunk: Its id, in the live set.
        at: (k, m) which of its numbers of 32 bits they are, a row for each key.
    """

    chunk: int
    at: npt.NDArray[np.intp]

    @classmethod
    def of(cls, chunk: int, *at: int) -> Slots:
        """Return the slots of one row."""
        return cls(chunk, np.array([at], np.intp))


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a biped.

    Attributes:
        name: What it is, such as ``right_arm.forearm``.
        kind: :data:`ANGLES`, :data:`QUATERNION` or :data:`PLACE`.
        slots: Where it is stored.
        signs: (m,) what turns stored numbers into those of the scene's axes: 1 or -1.
        copies: Where the same numbers stand once more; they are written as well.
        keyed: Whether there is a row for each key.
    """

    name: str
    kind: str
    slots: Slots
    signs: tuple[int, ...]
    copies: tuple[Slots, ...] = ()
    keyed: bool = False

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self.slots.at.shape[1])

    def fits(self, live: Mapping[int, Chunk]) -> bool:
        """Return whether the chunks are long enough to hold it."""
        return all(
            slots.chunk in live
            and not live[slots.chunk].container
            and (not slots.at.size or slots.at.max() < len(live[slots.chunk].data) // 4)
            for slots in (self.slots, *self.copies)
        )

    def is_consistent(self, live: Mapping[int, Chunk]) -> bool:
        """Return whether all copies hold the same bits."""
        here = words(live, self.slots)
        return all(np.array_equal(here, words(live, copy)) for copy in self.copies)


class Draft(dict[int, Chunk]):
    """The records of a set, whose new bodies are written later, all at once.

    Attributes:
        bodies: By id of the record.
    """

    def __init__(self, live: Mapping[int, Chunk]) -> None:
        """Hold the records as they are."""
        super().__init__(live)
        self.bodies: dict[int, bytes] = {}

    def save(self) -> None:
        """Write the new bodies.

        Raises:
            EditError: The records are read-only, or no longer there.
        """
        if not self.bodies:
            return
        owner = self[next(iter(self.bodies))].owner
        data = bytearray(owner.data)
        for id_, body in self.bodies.items():
            chunk = owner.refresh(self[id_])
            data[chunk.body : chunk.end] = body
        owner.replace_all(bytes(data))
        self.bodies.clear()


def body_of(live: Mapping[int, Chunk], id_: int) -> bytes:
    """Return the body of a record; none where there is no such record."""
    if isinstance(live, Draft) and id_ in live.bodies:
        return live.bodies[id_]
    chunk = live.get(id_)
    return b"" if chunk is None or chunk.container else bytes(chunk.data)


def set_body(live: Mapping[int, Chunk], id_: int, body: bytes) -> None:
    """Put another body of the same length in place of that of a record."""
    if isinstance(live, Draft):
        live.bodies[id_] = body
    else:
        # An edit makes the views of all chunks stale.
        live[id_].owner.refresh(live[id_]).replace(body)


def words(live: Mapping[int, Chunk], slots: Slots) -> npt.NDArray[np.uint32]:
    """Return what is stored at some places, (k, m)."""
    data = body_of(live, slots.chunk)
    return np.frombuffer(data[: len(data) // 4 * 4], "<u4")[slots.at]


def read(live: Mapping[int, Chunk], value: Value) -> Stored:
    """Return a value as numbers of 32 bits, (k, m); angles in radians."""
    signs = np.array(value.signs, np.float32)
    with np.errstate(invalid="ignore"):
        return words(live, value.slots).view("<f4") * signs


def write(live: Mapping[int, Chunk], value: Value, numbers: Stored) -> None:
    """Write what :func:`read` returned, or other numbers."""
    stored = numbers * np.array(value.signs, np.float32)
    put(live, [(slots, stored) for slots in (value.slots, *value.copies)])


def put(live: Mapping[int, Chunk], numbers: Sequence[tuple[Slots, Stored]]) -> None:
    """Write numbers at their places, everything else stays."""
    bodies: dict[int, npt.NDArray[np.uint8]] = {}
    for slots, stored in numbers:
        if slots.chunk not in bodies:
            bodies[slots.chunk] = np.frombuffer(body_of(live, slots.chunk), np.uint8).copy()
        body = bodies[slots.chunk]
        body[: len(body) // 4 * 4].view("<u4")[slots.at] = np.asarray(stored, "<f4").view("<u4")
    for id_, body in bodies.items():
        set_body(live, id_, body.tobytes())


def checked(value: Value, rows: Sequence[Sequence[Any]], stored: Stored) -> Stored:
    """Return new numbers as they are stored, (k, m); angles in radians.

    What is the same as before is not looked at: files may hold what nobody would write.

    Args:
        value: The value.
        rows: (k, m) numbers; angles in degrees.
        stored: What :func:`read` returned.

    Raises:
        EditError: The numbers do not fit.
    """
    count = len(stored)
    if len(rows) != count:
        raise EditError(f"{value.name}: keys keep their number", expected=count, found=len(rows))
    names = [f"{value.name}: key {n + 1}" if value.keyed else value.name for n in range(count)]
    out = _plain(value, rows)
    if out is None:
        new = [_row(value, name, row) for name, row in zip(names, rows, strict=True)]
        out = np.array(new, "<f4").reshape(stored.shape)
    differs = np.any(out.view("<u4") != np.ascontiguousarray(stored).view("<u4"), axis=1)
    for number in np.flatnonzero(differs).tolist():
        _require(value, names[number], out[number], rows[number])
    return out


def _plain(value: Value, rows: Sequence[Sequence[Any]]) -> Stored | None:
    """Return rows of plain numbers, all at once; ``None`` where one has to be looked at."""
    if not all(isinstance(row, list | tuple) and len(row) == value.width for row in rows):
        return None
    flat = [number for row in rows for number in row]
    if not {type(number) for number in flat} <= {int, float}:
        return None
    try:
        numbers = np.array(flat, np.float64)
    except OverflowError:
        return None
    return _rounded(value, numbers).reshape(len(rows), value.width)


def _row(value: Value, name: str, row: Sequence[Any]) -> Stored:
    unit = "numbers" if value.width > 1 else "number"
    expected = f"{value.width} {unit}: {_EXPECTED[value.kind]}"
    if isinstance(row, str) or not isinstance(row, Sequence | np.ndarray):
        raise EditError(f"{name}: wrong type", expected=expected, found=shorten(row))
    if len(row) != value.width:
        raise EditError(f"{name}: wrong count", expected=expected, found=len(row))
    for number in row:
        if isinstance(number, bool) or not isinstance(number, int | float | np.floating):
            raise EditError(f"{name}: wrong type", expected=expected, found=shorten(number))
    try:
        numbers = np.array([float(number) for number in row])
    except OverflowError:
        raise EditError(f"{name}: out of range", expected=expected, found=shorten(row)) from None
    return _rounded(value, numbers)


def _rounded(value: Value, numbers: Array) -> Stored:
    if value.kind == ANGLES:
        numbers = np.radians(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        return numbers.astype("<f4")


def _require(value: Value, name: str, new: Array | Stored, row: Sequence[Any]) -> None:
    """Refuse numbers that are out of range, and quaternions that are no rotation."""
    most = _MOST[value.kind]
    limit = np.radians(most) if value.kind == ANGLES else most
    if not np.all(np.abs(new.astype(np.float64)) <= limit * (1 + 1e-6)):
        raise EditError(
            f"{name}: out of range", expected=f"{-most:g} to {most:g}", found=shorten(list(row))
        )
    length = float(np.linalg.norm(new.astype(np.float64)))
    if value.kind == QUATERNION and abs(length - 1.0) > _ROUND:
        raise EditError(
            f"{name}: no rotation, a quaternion has the length 1",
            expected=f"1 within {_ROUND:g}",
            found=f"{length:.6g}",
        )
