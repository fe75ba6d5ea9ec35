"""Floating point as the release did it that evaluates a primitive.

The loops that make vertices of primitives ran on the x87 unit in the 32-bit builds, and in single
precision in the 64-bit builds.  The difference is at most 2e-6 of the radius, but it decides
whether vertices are bit-equal to what 3ds Max writes.  (notes/primitives-modifiers, "Arithmetic
era": 31 meshes bit-equal with the right one, none with the other.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["SINGLE", "X87", "Arithmetic", "arithmetic_of"]

#: Scene root id of the first release that is taken for a 64-bit build: 9.  A sphere that a game
#: engine's exporter wrote beside its scene fits single precision to 1.5e-7, the x87 to 2e-6 only.
_FIRST_SINGLE: Final = 0x200E


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Precision of intermediate results; what is stored is float32 in both.

    Attributes:
        work: Type of intermediate results: float64 on the x87, float32 otherwise.
    """

    work: type[np.floating[Any]]

    def number(self, value: float) -> Any:
        """Return a float32 parameter or constant as an intermediate result."""
        return self.work(np.float32(value))

    def stored(self, values: npt.ArrayLike) -> Any:
        """Return values as they come back from a float32 variable."""
        return np.asarray(values).astype(np.float32).astype(self.work)

    def cos(self, angle: npt.ArrayLike) -> Any:
        """Return the cosine, rounded once."""
        return np.cos(np.asarray(angle, np.float64)).astype(self.work)

    def sin(self, angle: npt.ArrayLike) -> Any:
        """Return the sine, rounded once."""
        return np.sin(np.asarray(angle, np.float64)).astype(self.work)

    def over(self, values: npt.ArrayLike, constant: float) -> Any:
        """Return values divided by a constant.

        Single precision multiplies by the reciprocal instead (measured: all map vertices of a
        collapsed sphere of 2009; a division misses three columns of 33).
        """
        if self.work is np.float32:
            return np.asarray(values, np.float32) * (np.float32(1.0) / np.float32(constant))
        return np.asarray(values, self.work) / self.number(constant)

    def running(self, start: Any, step: Any, count: int) -> npt.NDArray[Any]:
        """Return ``count`` numbers that are added up one by one.

        The error that grows on the way belongs to the result.

        Args:
            start: First number.
            step: What is added; rounded to float32 first.
            count: How many numbers.
        """
        terms = np.full(count, self.number(step), self.work)
        if count:
            terms[0] = self.work(start)
        return np.add.accumulate(terms)


#: 32-bit builds: seen in files of 3.x to 8.
X87: Final = Arithmetic(np.float64)
#: 64-bit builds: seen in files from 9 on.
SINGLE: Final = Arithmetic(np.float32)


def arithmetic_of(version: int) -> Arithmetic:
    """Return the arithmetic of the release that a scene's root id stands for."""
    return SINGLE if version >= _FIRST_SINGLE else X87
