"""Records of various lengths in polygon meshes, as arrays that compare and show as one value."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.stored.walk import Ints

__all__ = [
    "DEAD",
    "HAS_DIAGONALS",
    "HAS_FLAGS",
    "HAS_MATERIAL",
    "HAS_SMOOTHING",
    "Arrays",
    "Components",
    "FaceRecords",
    "Lists",
    "diagonal_counts",
    "present_bits",
]

U32: TypeAlias = npt.NDArray[np.uint32]

#: Flag of a vertex, edge or face that is deleted, but keeps its number.
DEAD: Final = 2

# Parts of a face record that may be absent.
HAS_FLAGS, HAS_MATERIAL, HAS_SMOOTHING, HAS_DIAGONALS = 1, 8, 0x10, 0x20


class Arrays:
    """Arrays that compare and show as one value; subclasses name them in ``__slots__``."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        """Compare the stored form, so that not-a-number equals itself."""
        return type(other) is type(self) and all(
            a is b
            or (
                a is not None
                and b is not None
                and (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
            )
            for a, b in zip(self._parts(), other._parts(), strict=True)
        )

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash(tuple(None if part is None else part.tobytes() for part in self._parts()))

    def __str__(self) -> str:
        """Return number and digest."""
        parts = [part for part in self._parts() if part is not None]
        digest = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
        return f"{len(parts[0])} records, sha256 {digest[:16]}"

    def text_rows(self) -> Iterator[str]:
        """Yield lines of text that tell all of it: here one for each array."""
        for name, part in zip(type(self).__slots__, self._parts(), strict=True):
            if part is not None:
                yield f"{name} {' '.join(map(str, part.reshape(-1)))}"

    def _parts(self) -> list[npt.NDArray[Any] | None]:
        return [getattr(self, name) for name in type(self).__slots__]


class Components(Arrays):
    """Vertices or edges.

    Attributes:
        flags: (n,) uint32; bit 1 is set for dead ones.
        values: (n, width): float32 positions, or uint32 vertices; 0 for dead ones, which store
            none.
    """

    __slots__ = ("flags", "values")

    def __init__(self, flags: U32, values: npt.NDArray[Any]) -> None:
        """Take the arrays."""
        self.flags = flags
        self.values = values

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """(n,) bool: those that are not dead."""
        out: npt.NDArray[np.bool_] = (self.flags & DEAD) == 0
        return out

    def text_rows(self) -> Iterator[str]:
        """Yield each one as text: flags, then its numbers."""
        for flags, row in zip(self.flags, self.values, strict=True):
            yield f"{flags:#x}" if flags & DEAD else f"{flags:#x} {' '.join(map(str, row))}"


class Lists(Arrays):
    """Lists of numbers.

    Attributes:
        lengths: (n,) int64.
        items: (sum of the lengths,) uint32, list after list.
    """

    __slots__ = ("items", "lengths")

    def __init__(self, lengths: Ints, items: U32) -> None:
        """Take the arrays."""
        self.lengths = lengths
        self.items = items

    def __str__(self) -> str:
        """Return number and digest."""
        digest = hashlib.sha256(self.lengths.tobytes() + self.items.tobytes()).hexdigest()
        return f"{len(self.lengths)} lists, sha256 {digest[:16]}"

    def text_rows(self) -> Iterator[str]:
        """Yield each list as text."""
        for part in np.split(self.items, np.cumsum(self.lengths)[:-1]):
            yield " ".join(map(str, part))


class FaceRecords(Arrays):
    """Polygons.

    Attributes:
        degrees: (n,) int64: numbers of corners; 0 for dead ones.
        vertices: (c,) uint32: the vertices, polygon after polygon.
        present: (n,) uint16: which parts are stored: 1 flags, 8 material id, 0x10 smoothing
            groups, 0x20 diagonals.
        flags: (n,) uint32; what is not stored is 0 here and below.
        materials: (n,) uint16.
        smoothing: (n,) uint32.
        diagonals: (d, 2) uint32: pairs of corners, three less than corners for each polygon that
            stores them.
    """

    __slots__ = (
        "degrees",
        "diagonals",
        "flags",
        "materials",
        "present",
        "smoothing",
        "vertices",
    )

    def __init__(
        self,
        degrees: Ints,
        vertices: U32,
        present: npt.NDArray[np.uint16],
        flags: U32,
        materials: npt.NDArray[np.uint16],
        smoothing: U32,
        diagonals: U32,
    ) -> None:
        """Take the arrays."""
        self.degrees = degrees
        self.vertices = vertices
        self.present = present
        self.flags = flags
        self.materials = materials
        self.smoothing = smoothing
        self.diagonals = diagonals

    @property
    def diagonal_counts(self) -> Ints:
        """(n,) int64: how many diagonals each polygon stores."""
        return diagonal_counts(self.degrees, self.present)

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """(n,) bool: those that are not dead."""
        out: npt.NDArray[np.bool_] = (self.flags & DEAD) == 0
        return out

    def text_rows(self) -> Iterator[str]:
        """Yield each polygon as text: vertices, flags, material id, smoothing groups, diagonals."""
        corners = np.split(self.vertices, np.cumsum(self.degrees)[:-1])
        pairs = np.split(self.diagonals, np.cumsum(self.diagonal_counts)[:-1])
        for number, (part, cuts) in enumerate(zip(corners, pairs, strict=True)):
            yield (
                f"{' '.join(map(str, part))} flags {self.flags[number]:#x}"
                f" material {self.materials[number]} smoothing {self.smoothing[number]:#x}"
                f" diagonals {' '.join(f'{a}-{b}' for a, b in cuts)}"
            ).strip()


def present_bits(
    degrees: Ints, flags: U32, materials: npt.NDArray[np.uint16], smoothing: U32
) -> npt.NDArray[np.uint16]:
    """Return which parts of face records are stored: those that are not 0 (in all real files)."""
    out = np.where(flags != 0, HAS_FLAGS, 0) | np.where(materials != 0, HAS_MATERIAL, 0)
    out |= np.where(smoothing != 0, HAS_SMOOTHING, 0) | np.where(degrees > 3, HAS_DIAGONALS, 0)
    return out.astype(np.uint16)


def diagonal_counts(degrees: Ints, present: npt.NDArray[Any]) -> Ints:
    """Return how many diagonals polygons store, by degree and by which parts are present."""
    stored = (present & HAS_DIAGONALS) != 0
    return np.where(stored, np.maximum(degrees - 3, 0), 0)
