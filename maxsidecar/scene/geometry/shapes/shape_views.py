"""Shapes that hold splines: Line, Editable Spline, and Text with the curves of its letters.

Class ids and chunks: docs/format/shapes.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import Codec, wrong_size
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.geometry.stored.tables import Table
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout, register_layouts
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    import numpy as np

    from maxsidecar.scene.geometry.spline import Shape

__all__ = [
    "BEZIER",
    "EDITABLE_SPLINE_ID",
    "KNOTS",
    "LINE_ID",
    "TEXT_ID",
    "CountedText",
    "RecordsCodec",
    "StoredShape",
    "TextShape",
]

SHAPE: Final = 0x40
LINE_ID: Final = (0x1040, 0)
EDITABLE_SPLINE_ID: Final = (0xA, 0)
TEXT_ID: Final = (0x1993, 0)
#: What a Line wraps around everything that an Editable Spline has.
_WRAPPER: Final = 0x2000
_SPLINES: Final = 0x1010
_COUNT: Final = Struct("<I")
#: Reference slot from which on vertices may have controllers.
_FIRST_CONTROLLER: Final = 2


class RecordsCodec(Codec[Table]):
    """A leaf of records of numbers, all of the same form.

    Args:
        kind: What the records are.
        fields: As numpy names them and their types.
        size: Bytes of a record.
        counted: Whether a ``u32`` count stands in front.
    """

    def __init__(
        self, kind: str, fields: Sequence[tuple[Any, ...]], size: int, *, counted: bool = False
    ) -> None:
        """Choose the layout."""
        self.kind = kind
        self.fields = list(fields)
        self.record_bytes = size
        self.counted = counted

    def dtype(self) -> np.dtype[Any]:
        """Return the type of a record."""
        import numpy as np

        return np.dtype(self.fields)

    def decode(self, data: Buffer) -> Table:
        """Return the records.

        Raises:
            DecodeError: The bytes are no whole records, or not as many as the count says.
        """
        import numpy as np

        start = _COUNT.size if self.counted else 0
        if len(data) < start or (len(data) - start) % self.record_bytes:
            raise wrong_size(self.kind, f"{start} and a multiple of {self.record_bytes}", len(data))
        array = np.frombuffer(data, self.dtype(), offset=start)
        if self.counted and _COUNT.unpack_from(data)[0] != len(array):
            raise DecodeError(
                f"the count of the {self.kind} does not fit its size",
                expected=len(array),
                found=_COUNT.unpack_from(data)[0],
            )
        return Table(array, self.counted)

    def encode(self, value: object) -> bytes:
        """Return the bytes of the records.

        Raises:
            EditError: They are no such records.
        """
        if (
            not isinstance(value, Table)
            or value.array.dtype != self.dtype()
            or value.array.ndim != 1
            or value.counted != self.counted
        ):
            raise EditError(f"not {self.kind}", found=type(value).__name__)
        rows = value.array.tobytes()
        return _COUNT.pack(len(value)) + rows if self.counted else rows

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of records."""
        return {"type": "array", "items": {"type": "array"}}


#: Knots; how many there are stands in a chunk of its own.
KNOTS: Final = RecordsCodec(
    "knots",
    (
        ("kind", "<i4"),
        ("line", "<i4"),
        ("du", "<f4"),
        ("point", "<f4", 3),
        ("incoming", "<f4", 3),
        ("outgoing", "<f4", 3),
        ("flags", "<u4"),
    ),
    52,
)


class CountedText(Codec[tuple[str, str]]):
    """A text behind its length: bytes with a zero at the end, or UTF-16.

    The value is the text as it is stored, the zero included, and its encoding.
    """

    kind = "text with a length"

    def decode(self, data: Buffer) -> tuple[str, str]:
        """Return text and encoding.

        Raises:
            DecodeError: The length is not that of the bytes, or they are no such text.
        """
        if len(data) < 4:
            raise wrong_size(self.kind, "4 bytes or more", len(data))
        count: int = _COUNT.unpack_from(data)[0]
        body = bytes(data[4:])
        for encoding, width in (("latin-1", 1), ("utf-16-le", 2)):
            if len(body) == count * width:
                try:
                    return body.decode(encoding), encoding
                except UnicodeDecodeError as error:
                    raise DecodeError(f"no {encoding} text: {error.reason}") from None
        raise DecodeError("the length of a text is wrong", expected=len(body), found=count)

    def encode(self, value: tuple[str, str]) -> bytes:
        """Return the bytes.

        Raises:
            EditError: The text cannot be written in the encoding.
        """
        text, encoding = value
        if encoding not in ("latin-1", "utf-16-le"):
            raise EditError("no such encoding", found=encoding)
        try:
            body = text.encode(encoding)
        except UnicodeEncodeError as error:
            raise EditError(f"the text is no {encoding}: {error.reason}") from None
        return _COUNT.pack(len(body) // (1 if encoding == "latin-1" else 2)) + body

    def schema(self) -> dict[str, Any]:
        """Return the schema of text and encoding."""
        return {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}


def _bezier() -> Layout:
    layout = Layout.read(
        "1010:spline{ 2900:knot_count=u32 2904=u32 290d:closed=u32 }"
        " 1020:selected_points{ 1000:count=u32 1010@bits }"
        " 1030:selected_segments{ 1000:count=u32 1010@bits }"
        " 1040:selected_splines{ 1000:count=u32 1010@bits }"
        " 1050:steps=i32 1060:optimize=u32 1070=u32 1080=u32 1090=u32 1100=mark 2000=u32x6",
        COMMON,
    )
    layout.containers[_SPLINES][1].leaves[0x290A] = "knots", KNOTS
    return layout


#: A set of splines, wherever it is stored.
BEZIER: Final = _bezier()

_SHAPE_TEXT: Final = (
    "7fc2{ 0010=u32 0130=u32 } 2000=u32 1001=i32x7 10a0=u32 1010:shape@bezier 1060:steps=i32"
    " 1080=f32 1090=u32x2 10b0=f32x2 10c0=u32 10d0=u32"
)


def _editable() -> Layout:
    known = {**COMMON, "bezier": BEZIER}
    layout = Layout.read(_SHAPE_TEXT, known)
    layout.containers[_WRAPPER] = "line", Layout.read(_SHAPE_TEXT, known)
    return layout


@register(superclass=SHAPE, class_id=EDITABLE_SPLINE_ID)
@register(superclass=SHAPE, class_id=LINE_ID)
class StoredShape(LaidOut):
    """A Line or an Editable Spline."""

    __slots__ = ()
    layout = _editable()

    def shape_container(self) -> Chunk | None:
        """Return the container of the splines, ``None`` where there is none."""
        found = _container(self.find(_SPLINES))
        if found is None:
            wrapper = _container(self.find(_WRAPPER))
            found = None if wrapper is None else _container(wrapper.find(_SPLINES))
        return found

    @property
    def has_point_controllers(self) -> bool:
        """Whether controllers move knots or handles.

        Raises:
            DecodeError: The reference list has an impossible size.
        """
        return any(slot >= _FIRST_CONTROLLER for slot in self.references)

    def read_shape(self) -> Shape | None:
        """Return the splines as they are stored; ``None`` where there are none.

        Raises:
            DecodeError: They are not stored as is known.
        """
        from maxsidecar.scene.geometry.shapes.read_shape import read_shape

        chunk = self.shape_container()
        return None if chunk is None else read_shape(chunk)

    def write_shape(self, shape: Shape) -> bool:
        """Put changed splines in place of the stored ones.

        Points, handles, kinds of knots and segments, material ids and whether a spline is closed
        may change, knots may come and go, and so may whole splines.  Steps stay.

        Args:
            shape: The new splines.

        Returns:
            Whether anything changed.

        Raises:
            EditError: The splines do not fit, or cannot be stored here; nothing is changed then.
            DecodeError: The stored splines are not stored as is known, so they are read-only.
        """
        from maxsidecar.scene.geometry.shapes.write_shape import write_shape

        chunk = self.shape_container()
        if chunk is None:
            raise EditError("the object holds no splines", self.where)
        if self.has_point_controllers:
            raise EditError("controllers move its vertices, so it is read-only", self.where)
        return write_shape(chunk, shape, self.scene.version)


def _container(chunk: Chunk | None) -> Chunk | None:
    return chunk if chunk is not None and chunk.container else None


def _text() -> Layout:
    layout = Layout.read(
        "1080=u32 2000{ 7fc2{ 0010=u32 } } 2010=u32 2020=mark"
        " 1030:glyph{ 1000:character=u32 1010:advance=f32 1020:shape@bezier }",
        {**COMMON, "bezier": BEZIER},
    )
    layout.leaves |= {0x1000: ("font", CountedText()), 0x1010: ("text", CountedText())}
    return layout


@register(superclass=SHAPE, class_id=TEXT_ID)
class TextShape(LaidOut):
    """A Text: what it says, the font, and the curves of each letter that occurs in it."""

    __slots__ = ()
    layout = _text()


register_layouts(
    """
1065/0/40 Rectangle; 7fc2{ 0010=u32 }
1999/0/40 Circle; 7fc2{ 0010=u32 }
1060/0/40 Donut; 7fc2{ 0010=u32 }
1050/0/40 NGon; 7fc2{ 0010=u32 }
"""
)
