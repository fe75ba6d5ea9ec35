"""Key tables: how the keys of each controller class are stored.

A key table is a leaf with one fixed-size record per key, nothing in front and nothing behind.  The
same declaration decodes and encodes it, names the columns of the numpy array that
:attr:`KeyedController.keys` gives, and documents them.

(Layouts: docs/format/controllers.md, section 3; sizes divide every table of the corpus.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.codecs import Codec, Fixed, wrong_size
from maxsidecar.io.headers import Buffer

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BEZIER_FLOAT",
    "BEZIER_POINT3",
    "BEZIER_ROTATION",
    "BEZIER_SCALE",
    "EARLY_BEZIER_POSITION",
    "EARLY_BEZIER_SCALE",
    "LINEAR_FLOAT",
    "LINEAR_POSITION",
    "LINEAR_ROTATION",
    "LINEAR_SCALE",
    "TCB_POSITION",
    "TCB_ROTATION",
    "TCB_SCALE",
    "KeyColumn",
    "KeyLayout",
    "KeyRow",
    "KeyTable",
]

#: One key: a number or a tuple of numbers per column.
KeyRow: TypeAlias = tuple[Any, ...]

_DTYPES: Final = {"i": "<i4", "I": "<u4", "f": "<f4"}


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One column of a key table.

    Attributes:
        name: Column name.
        fmt: ``struct`` code: ``i``, ``I`` or ``f``.
        count: Numbers per key.
        doc: Meaning and unit.
    """

    name: str
    fmt: str
    count: int
    doc: str

    @property
    def number(self) -> Fixed[Any]:
        """The codec of one number of the column."""
        return _NUMBERS[self.fmt]


_NUMBERS: Final[dict[str, Fixed[Any]]] = {
    "i": Fixed("i", "i32"),
    "I": Fixed("I", "u32"),
    "f": Fixed("f", "f32"),
}


@dataclass(frozen=True)
class KeyLayout:
    """The record of one key.

    Attributes:
        name: What the table holds, for messages.
        columns: Its columns in stored order; the first two are ``time`` and ``flags``.
    """

    name: str
    columns: tuple[KeyColumn, ...]
    struct: Struct = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the layout."""
        codes = "".join(f"{c.count}{c.fmt}" for c in self.columns)
        object.__setattr__(self, "struct", Struct("<" + codes))

    @property
    def size(self) -> int:
        """Bytes of one key."""
        return self.struct.size

    def dtype(self) -> np.dtype[Any]:
        """Return the numpy type of one key: little-endian 32-bit fields, packed."""
        import numpy as np

        names = [c.name for c in self.columns]
        formats = [
            _DTYPES[c.fmt] if c.count == 1 else (_DTYPES[c.fmt], (c.count,)) for c in self.columns
        ]
        return np.dtype({"names": names, "formats": formats})


class KeyTable(Codec[tuple[KeyRow, ...]]):
    """All keys of a controller, as one tuple per key."""

    kind = "key table"

    def __init__(self, layout: KeyLayout) -> None:
        """Choose the layout of a key."""
        self.layout = layout

    def decode(self, data: Buffer) -> tuple[KeyRow, ...]:
        """Return the keys.

        Raises:
            DecodeError: The size is not a multiple of the key size.
        """
        layout = self.layout
        if len(data) % layout.size:
            raise wrong_size(f"table of {layout.name}", f"a multiple of {layout.size}", len(data))
        return tuple(self._row(numbers) for numbers in layout.struct.iter_unpack(data))

    def _row(self, numbers: Sequence[Any]) -> KeyRow:
        row: list[Any] = []
        at = 0
        for column in self.layout.columns:
            count = column.count
            row.append(numbers[at] if count == 1 else tuple(numbers[at : at + count]))
            at += count
        return tuple(row)

    def encode(self, value: tuple[KeyRow, ...]) -> bytes:
        """Return the bytes of the keys.

        Raises:
            EditError: A key has other columns, or a number does not fit.
        """
        if not isinstance(value, tuple | list):
            raise EditError("not a list of keys", expected=self.layout.name)
        for row in value:
            self._check(row)
        return self._pack(value)

    def _check(self, row: KeyRow) -> None:
        columns = self.layout.columns
        if not hasattr(row, "__len__") or len(row) != len(columns):
            raise EditError("a key has other columns", expected=[c.name for c in columns])
        for column, part in zip(columns, row, strict=True):
            parts = (part,) if column.count == 1 else part
            if not isinstance(parts, tuple | list) or len(parts) != column.count:
                raise EditError(f"{column.name} needs {column.count} numbers")
            for number in parts:
                column.number.check(number, column.name)

    def _pack(self, rows: Sequence[KeyRow]) -> bytes:
        pack = self.layout.struct.pack
        out: list[bytes] = []
        for row in rows:
            numbers: list[Any] = []
            for column, part in zip(self.layout.columns, row, strict=True):
                if column.count == 1:
                    numbers.append(part)
                else:
                    numbers += part
            try:
                out.append(pack(*numbers))
            except (StructError, OverflowError) as error:
                raise EditError(f"a key does not fit: {error}") from None
        return b"".join(out)

    def verified(self, data: Buffer) -> tuple[KeyRow, ...]:
        """Decode, encode again and compare; times must be stored in order."""
        rows = self.decode(data)
        # The numbers come from the layout itself, so their ranges need no check.
        if not same_bytes(self._pack(rows), data):
            raise DecodeError("the key table would not be written the same")
        self.check_times(data)
        return rows

    def check_times(self, data: Buffer) -> None:
        """Refuse a table of a wrong size, or with times that go backwards.

        Raises:
            DecodeError: It is one.
        """
        size = self.layout.size
        if len(data) % size:
            raise wrong_size(f"table of {self.layout.name}", f"a multiple of {size}", len(data))
        times = [time for (time,) in Struct(f"<i{size - 4}x").iter_unpack(data)]
        if times != sorted(times):
            raise DecodeError("key times go backwards")

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of keys."""
        columns: list[dict[str, Any]] = []
        for column in self.layout.columns:
            item: dict[str, Any] = {"type": "number" if column.fmt == "f" else "integer"}
            if column.count > 1:
                item = {
                    "type": "array",
                    "items": item,
                    "minItems": column.count,
                    "maxItems": column.count,
                }
            columns.append({**item, "title": column.name, "description": column.doc})
        size = len(columns)
        row = {"type": "array", "prefixItems": columns, "minItems": size, "maxItems": size}
        return {"type": "array", "items": row}


def _layout(name: str, *columns: tuple[str, int, str]) -> KeyLayout:
    head = (
        KeyColumn("time", "i", 1, "time in ticks"),
        KeyColumn("flags", "I", 1, "key flags, see maxsidecar.scene.controllers.key_flags"),
    )
    return KeyLayout(name, head + tuple(KeyColumn(n, "f", count, doc) for n, count, doc in columns))


def _bezier(width: int) -> tuple[tuple[str, int, str], ...]:
    return (
        ("value", width, "value"),
        ("in_tangent", width, "slope on the left, per tick backwards in time"),
        ("out_tangent", width, "slope on the right, per tick"),
        ("in_length", width, "length of the left handle, share of its segment; -1 unset"),
        ("out_length", width, "length of the right handle, share of its segment; -1 unset"),
    )


_TCB: Final = (
    ("tension", 1, "tension"),
    ("continuity", 1, "continuity"),
    ("bias", 1, "bias"),
    ("ease_in", 1, "ease towards the key"),
    ("ease_out", 1, "ease away from the key"),
)
_SCALE: Final = (
    ("value", 3, "scale factors along the axes of the scale frame"),
    ("axis", 4, "scale frame as a stored quaternion x, y, z, w"),
)
_QUATERNION: Final = ("value", 4, "absolute rotation as a stored quaternion x, y, z, w")

LINEAR_FLOAT: Final = _layout("linear float keys", ("value", 1, "value"))
LINEAR_POSITION: Final = _layout("linear position keys", ("value", 3, "position"))
LINEAR_ROTATION: Final = _layout("linear rotation keys", _QUATERNION)
LINEAR_SCALE: Final = _layout("linear scale keys", *_SCALE)
BEZIER_FLOAT: Final = _layout("bezier float keys", *_bezier(1))
BEZIER_POINT3: Final = _layout(
    "bezier position, point or colour keys", *_bezier(3), ("cache", 3, "arc lengths")
)
#: The names of the two control quaternions are those of the same places in TCB rotation keys.
BEZIER_ROTATION: Final = _layout(
    "bezier rotation keys",
    _QUATERNION,
    ("in_control", 4, "squad control towards the key"),
    ("out_control", 4, "squad control away from the key"),
    ("cache", 8, "two quaternions, identity where seen"),
)
BEZIER_SCALE: Final = _layout(
    "bezier scale keys",
    *_SCALE,
    ("in_tangent", 3, "slope on the left, per tick backwards in time"),
    ("in_tangent_axis", 4, "open"),
    ("out_tangent", 3, "slope on the right, per tick"),
    ("out_tangent_axis", 4, "open"),
    ("in_length", 3, "length of the left handle, share of its segment; -1 unset"),
    ("in_length_axis", 4, "open"),
    ("out_length", 3, "length of the right handle, share of its segment; -1 unset"),
    ("out_length_axis", 4, "open"),
)
TCB_POSITION: Final = _layout(
    "TCB position keys",
    ("value", 3, "position"),
    *_TCB,
    ("in_tangent", 3, "tangent on the left, value per segment"),
    ("out_tangent", 3, "tangent on the right, value per segment"),
)
TCB_ROTATION: Final = _layout(
    "TCB rotation keys",
    _QUATERNION,
    *_TCB,
    ("relative_axis", 3, "axis of the turn since the key before"),
    ("relative_angle", 1, "angle of that turn, radians; stale where flag 0x10 is set"),
    ("in_control", 4, "squad control towards the key"),
    ("out_control", 4, "squad control away from the key"),
)
TCB_SCALE: Final = _layout("TCB scale keys", *_SCALE, *_TCB, ("cache", 14, "open"))
#: Of 1997 files.
EARLY_BEZIER_POSITION: Final = _layout(
    "bezier position keys of 1997", *_bezier(3)[:3], ("cache", 3, "open")
)
#: Of 1997 files.
EARLY_BEZIER_SCALE: Final = _layout(
    "bezier scale keys of 1997",
    *_SCALE,
    ("in_tangent", 3, "slope on the left, per tick backwards in time"),
    ("in_tangent_axis", 4, "open"),
    ("out_tangent", 3, "slope on the right, per tick"),
    ("out_tangent_axis", 4, "open"),
)
