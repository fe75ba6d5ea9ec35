"""Codecs of mesh leaves: rows of 32-bit numbers, and rows of various lengths.

Values are numpy arrays in small wrappers that compare and show as one; numpy is imported when the
first one is decoded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, Any, ClassVar, Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import Codec, wrong_size
from maxsidecar.io.headers import Buffer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Rows", "Table", "Weights", "WeightsCodec"]

_COUNT: Final = Struct("<I")


class Table:
    """Rows of numbers.

    Attributes:
        array: (n, width), float32, int32 or uint32.
        counted: Whether a count stands in front of the rows.
    """

    __slots__ = ("array", "counted")

    def __init__(self, array: npt.NDArray[Any], counted: bool = True) -> None:
        """Take the rows."""
        self.array = array
        self.counted = counted

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.array)

    def __eq__(self, other: object) -> bool:
        """Compare the stored form, so that not-a-number equals itself."""
        return (
            isinstance(other, Table)
            and self.counted == other.counted
            and self.array.shape == other.array.shape
            and self.array.dtype == other.array.dtype
            and self.array.tobytes() == other.array.tobytes()
        )

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash((self.array.shape, self.array.tobytes()))

    def __str__(self) -> str:
        """Return number and digest."""
        data = self.array.tobytes()
        digest = hashlib.sha256(data).hexdigest()[:16]
        return f"{len(self)} rows, sha256 {digest}"

    def text_rows(self) -> Iterator[str]:
        """Yield each row as text."""
        for row in self.array:
            yield " ".join(map(str, row))


class Rows(Codec[Table]):
    """A leaf of rows of the same number of 32-bit numbers.

    Args:
        kind: What the rows are.
        fmt: ``f``, ``i`` or ``I``.
        width: Numbers in a row.
        counted: Whether a ``u32`` count stands in front; ``None`` when both forms occur, which
            the size tells apart.
    """

    _DTYPES: ClassVar[dict[str, str]] = {"f": "<f4", "i": "<i4", "I": "<u4"}

    def __init__(self, kind: str, fmt: str, width: int, *, counted: bool | None = True) -> None:
        """Choose the layout."""
        self.kind = kind
        self.dtype = self._DTYPES[fmt]
        self.width = width
        self.counted = counted

    def decode(self, data: Buffer) -> Table:
        """Return the rows.

        Raises:
            DecodeError: The bytes are not as many as the count says, or no whole rows.
        """
        import numpy as np

        size = len(data)
        counted = self.counted
        if counted is None:
            counted = size % (4 * self.width) == 4
        start = 4 if counted else 0
        if size < start or (size - start) % (4 * self.width):
            raise wrong_size(self.kind, f"{start} and a multiple of {4 * self.width}", size)
        array = np.frombuffer(data, self.dtype, offset=start).reshape(-1, self.width)
        if counted and _COUNT.unpack_from(data)[0] != len(array):
            raise DecodeError(
                f"the count of the {self.kind} does not fit its size",
                expected=len(array),
                found=_COUNT.unpack_from(data)[0],
            )
        return Table(array, counted)

    def encode(self, value: object) -> bytes:
        """Return the bytes of the rows.

        Raises:
            EditError: They have another width or kind of number.
        """
        import numpy as np

        if not isinstance(value, Table):
            raise EditError(f"not {self.kind}", found=type(value).__name__)
        array = value.array
        if array.shape != (len(array), self.width):
            raise EditError(f"not rows of {self.kind}", expected=f"(n, {self.width})")
        if array.dtype.newbyteorder("<") != np.dtype(self.dtype):
            raise EditError(f"{self.kind}: wrong type", expected=self.dtype, found=array.dtype.str)
        if self.counted is not None and value.counted != self.counted:
            raise EditError(f"{self.kind}: the count is in the wrong place")
        rows = np.ascontiguousarray(array, self.dtype).tobytes()
        return _COUNT.pack(len(array)) + rows if value.counted else rows

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of rows."""
        item = {"type": "number" if self.dtype == "<f4" else "integer"}
        row = {"type": "array", "items": item, "minItems": self.width, "maxItems": self.width}
        return {"type": "array", "items": row}


class Weights:
    """One number for each vertex or edge.

    Attributes:
        slot: What the numbers are, see docs/format/mesh.md.
        values: (n,) float32.
    """

    __slots__ = ("slot", "values")

    def __init__(self, slot: int, values: npt.NDArray[np.float32]) -> None:
        """Take the numbers."""
        self.slot = slot
        self.values = values

    def __eq__(self, other: object) -> bool:
        """Compare the stored form."""
        return (
            isinstance(other, Weights)
            and self.slot == other.slot
            and self.values.tobytes() == other.values.tobytes()
        )

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash((self.slot, self.values.tobytes()))

    def __str__(self) -> str:
        """Return slot, number and digest."""
        digest = hashlib.sha256(self.values.tobytes()).hexdigest()[:16]
        return f"slot {self.slot}, {len(self.values)} values, sha256 {digest}"

    def text_rows(self) -> Iterator[str]:
        """Yield each number as text."""
        yield from map(str, self.values)


class WeightsCodec(Codec[Weights]):
    """``u32 slot``, then one float for each vertex or edge."""

    kind = "weights"

    def decode(self, data: Buffer) -> Weights:
        """Return the numbers.

        Raises:
            DecodeError: The bytes are no whole numbers.
        """
        import numpy as np

        if len(data) < 4 or len(data) % 4:
            raise wrong_size(self.kind, "a multiple of 4", len(data))
        return Weights(_COUNT.unpack_from(data)[0], np.frombuffer(data, "<f4", offset=4))

    def encode(self, value: object) -> bytes:
        """Return the bytes of the numbers.

        Raises:
            EditError: They are no weights.
        """
        if not isinstance(value, Weights) or not 0 <= value.slot <= 0xFFFFFFFF:
            raise EditError("not weights", found=type(value).__name__)
        return _COUNT.pack(value.slot) + value.values.astype("<f4").tobytes()

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of numbers."""
        return {"type": "array", "items": {"type": "number"}}
