"""What keyframe controllers store, apart from being controllers: one view per kind of value.

The chunks lie at the top of the object, or in a container of newer releases; see
:mod:`maxsidecar.scene.controllers.keyed`.  (Measured; docs/format/controllers.md section 2.)
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import F32, I32, U32, Array
from maxsidecar.io.headers import Span
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.layouts import KeyTable

__all__ = [
    "FOREVER",
    "NEVER",
    "ORT",
    "FloatBody",
    "KeyBody",
    "OutOfRange",
    "Point3Body",
    "PositionBody",
    "RotationBody",
    "ScaleBody",
    "Track",
]

_LOWEST: Final = -(2**31)
#: Validity interval of a value that holds at all times.
FOREVER: Final = (_LOWEST, 2**31 - 1)
#: Validity interval of a value that holds at no time; range of a controller without keys.
NEVER: Final = (_LOWEST, _LOWEST)

#: Names of the out-of-range types.
ORT: Final = {
    1: "constant",
    2: "cycle",
    3: "loop",
    4: "ping-pong",
    5: "linear",
    6: "identity",
    7: "relative repeat",
}

#: Chunks that stand in front of a key table (measured: the order is the same in all controllers).
_BEFORE_KEYS: Final = (
    *(0x2034, 0x2035, 0x204B, 0x8499, 0x2501, 0x2503, 0x2504, 0x2505),
    *(0x2500, 0x3002, 0x3003, 0x2532, 0x2533, 0x2534),
)


class OutOfRange(ChunkView):
    """What a controller does before its first and behind its last key."""

    __slots__ = ()
    before = ChunkField(0x3000, I32, default=1, doc="type before the range, see ORT")
    behind = ChunkField(0x3001, I32, default=1, doc="type behind the range, see ORT")
    disabled = ChunkField(0x3003, U32, default=0, doc="whether the range is disabled")


class Track(NamedTuple):
    """What evaluation looks up first in a keyframe controller: spans in its data.

    Attributes:
        table: How the key table is stored that is there, ``None`` without one.
        keys: The key table.
        flags: The flags of the track.
        types: The out-of-range types.
    """

    table: KeyTable | None
    keys: Span | None
    flags: Span | None
    types: Span | None


class StoredValue(ChunkField[Any, Any]):
    """The value of a controller without keys; with keys a cache, which cannot be set."""

    def __set__(self, view: ChunkView, value: Any) -> None:
        """Store another value.

        Raises:
            EditError: The controller has keys, or the value does not fit.
        """
        if isinstance(view, KeyBody) and view.table() is not None:
            raise EditError("the controller has keys; change those", view.where)
        super().__set__(view, value)


class KeyBody(ChunkView):
    """Chunks that all keyframe controllers have."""

    __slots__ = ()
    #: Columns of the cached value; the codec is that of the kind.
    value: ClassVar[ChunkField[Any, Any]]
    #: The key tables of the kind, by chunk id.
    tables: ClassVar[tuple[str, ...]] = ()
    interval = ChunkField(0x2500, Array(I32, 2), default=FOREVER, doc="when the value holds, ticks")
    track_flags = ChunkField(0x3002, U32, default=0, doc="flags of the track")
    key_range = ChunkField(0x3003, Array(I32, 2), default=NEVER, doc="first and last key, ticks")
    range_types = ChunkChild(0x8499, OutOfRange)

    def table(self) -> ChunkField[Any, Any] | None:
        """Return the declaration of the key table that is there."""
        for name in self.tables:
            declared = self.declared[name]
            if isinstance(declared, ChunkField) and self.find(declared.chunk_id) is not None:
                return declared
        return None

    def find_track(self) -> Track:
        """Return what evaluation needs, found in one pass.

        Raises:
            ChunkError: The chunks are damaged.
        """
        found = self.firsts()
        flags, types = found.get(0x3002), found.get(0x8499)
        for name in self.tables:
            declared = self.declared[name]
            keys = found.get(declared.chunk_id)
            if keys is None or not isinstance(declared, ChunkField):
                continue
            if isinstance(declared.codec, KeyTable):
                return Track(declared.codec, keys, flags, types)
        return Track(None, None, flags, types)


def _keys(chunk_id: int, layout: layouts.KeyLayout) -> ChunkField[Any, Any]:
    return ChunkField(chunk_id, KeyTable(layout), default=(), doc="keys", after=_BEFORE_KEYS)


class FloatBody(KeyBody):
    """Chunks of a float controller."""

    __slots__ = ()
    tables = ("linear_keys", "bezier_keys")
    value = StoredValue(0x2501, F32, default=0.0, doc="value without keys, else a cache")
    linear_keys = _keys(0x2511, layouts.LINEAR_FLOAT)
    bezier_keys = _keys(0x2525, layouts.BEZIER_FLOAT)


class Point3Body(KeyBody):
    """Chunks of a point or colour controller."""

    __slots__ = ()
    tables = ("bezier_keys", "tcb_keys")
    value = StoredValue(
        0x2501, Array(F32, 3), default=(0.0, 0.0, 0.0), doc="value without keys, else a cache"
    )
    bezier_keys = _keys(0x2526, layouts.BEZIER_POINT3)
    tcb_keys = _keys(0x2521, layouts.TCB_POSITION)


class PositionBody(KeyBody):
    """Chunks of a position controller."""

    __slots__ = ()
    tables = ("linear_keys", "bezier_keys", "tcb_keys", "early_bezier_keys")
    value = StoredValue(
        0x2503, Array(F32, 3), default=(0.0, 0.0, 0.0), doc="value without keys, else a cache"
    )
    linear_keys = _keys(0x2513, layouts.LINEAR_POSITION)
    bezier_keys = _keys(0x2526, layouts.BEZIER_POINT3)
    tcb_keys = _keys(0x2521, layouts.TCB_POSITION)
    early_bezier_keys = _keys(0x2524, layouts.EARLY_BEZIER_POSITION)


class RotationBody(KeyBody):
    """Chunks of a rotation controller; quaternions are stored as conjugates."""

    __slots__ = ()
    tables = ("linear_keys", "bezier_keys", "tcb_keys")
    value = StoredValue(
        0x2504,
        Array(F32, 4),
        default=(0.0, 0.0, 0.0, 1.0),
        doc="stored quaternion without keys, else a cache",
    )
    linear_keys = _keys(0x2514, layouts.LINEAR_ROTATION)
    bezier_keys = _keys(0x2527, layouts.BEZIER_ROTATION)
    tcb_keys = _keys(0x2522, layouts.TCB_ROTATION)


class ScaleBody(KeyBody):
    """Chunks of a scale controller: three factors and a stored quaternion."""

    __slots__ = ()
    tables = ("linear_keys", "bezier_keys", "tcb_keys", "early_bezier_keys")
    value = StoredValue(
        0x2505,
        Array(F32, 7),
        default=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        doc="scale factors and stored axis quaternion without keys, else a cache",
    )
    linear_keys = _keys(0x2515, layouts.LINEAR_SCALE)
    bezier_keys = _keys(0x2528, layouts.BEZIER_SCALE)
    tcb_keys = _keys(0x2523, layouts.TCB_SCALE)
    early_bezier_keys = _keys(0x2519, layouts.EARLY_BEZIER_SCALE)
