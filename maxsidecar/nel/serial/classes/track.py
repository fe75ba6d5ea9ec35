"""Tracks of animations: constants, keys as an artist set them, and samples (``track*.h``).

Keys are structured arrays with the fields ``time`` (seconds), ``version`` (0) and ``value``.  TCB
keys add ``tension, continuity, bias, ease_to, ease_from``, Bézier keys ``in_tan, out_tan, step``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.containers import List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    I32,
    QUAT,
    RGBA,
    STRING,
    U16,
    U32,
    VEC3,
    Rgba,
    Vec3,
    Vec4,
    Version,
)

Keys = NDArray[np.void]

_VECTOR: Final = ("<f4", (3,))
_QUAT: Final = ("<f4", (4,))
_RGBA: Final = ("u1", (4,))
#: A quaternion as four 16-bit numbers; / 32767.
QUAT_PACK: Final = np.dtype([("x", "<i2"), ("y", "<i2"), ("z", "<i2"), ("w", "<i2")])


def _keys(value: Any, label: str, *more: tuple[str, Any]) -> Any:
    """Declare the keys of a track: a map of times, each with a version and a value."""
    shape = value if isinstance(value, tuple) else (value,)
    dtype = np.dtype([("time", "<f4"), ("version", "u1"), ("value", *shape), *more])
    return field(Array(dtype, f"(f32 time, version 0, {label})", zero=("version",)), "keys by time")


def _tcb(value: Any, label: str) -> Any:
    names = ("tension", "continuity", "bias", "ease_to", "ease_from")
    return _keys(value, f"{label}, f32 tension continuity bias ease_to ease_from",
                 *((name, "<f4") for name in names))  # fmt: skip


def _bezier(value: Any, label: str) -> Any:
    shape = value if isinstance(value, tuple) else (value,)
    return _keys(
        value,
        f"{label}, in_tan and out_tan as value, bool step",
        ("in_tan", *shape),
        ("out_tan", *shape),
        ("step", "u1"),
    )


class ITrackKeyFramer(Serial):
    """A track of keys."""

    version: int = field(Version(0), "format of the track")
    keys: Any = _keys("<f4", "f32")
    range_lock: bool = field(BOOL, "whether it lasts from the first to the last key", default=True)
    range_begin: float = field(F32, "when it begins, in seconds")
    range_end: float = field(F32, "when it ends, in seconds")
    loop_mode: bool = field(BOOL, "whether it repeats")


class CTrackKeyFramerConstFloat(ITrackKeyFramer, bases=("ITrack",)):
    """A number that jumps."""

    keys: Keys = _keys("<f4", "f32")


class CTrackKeyFramerConstVector(ITrackKeyFramer, bases=("ITrack",)):
    """A vector that jumps."""

    keys: Keys = _keys(_VECTOR, "3 × f32")


class CTrackKeyFramerConstQuat(ITrackKeyFramer, bases=("ITrack",)):
    """A rotation that jumps."""

    keys: Keys = _keys(_QUAT, "4 × f32")


class CTrackKeyFramerConstInt(ITrackKeyFramer, bases=("ITrack",)):
    """A whole number that jumps."""

    keys: Keys = _keys("<i4", "i32")


class CTrackKeyFramerConstRGBA(ITrackKeyFramer, bases=("ITrack",)):
    """A colour that jumps."""

    keys: Keys = _keys(_RGBA, "4 × u8")


class CTrackKeyFramerConstBool(ITrackKeyFramer, bases=("ITrack",)):
    """A truth value."""

    keys: Keys = _keys("u1", "bool")


class CKeyString(Serial):
    """A text at a time."""

    time: float = field(F32, "time in seconds")
    version: int = field(Version(0), "format of the key")
    value: str = field(STRING, "the text")


class CTrackKeyFramerConstString(ITrackKeyFramer, bases=("ITrack",)):
    """A text, such as the note track of a scene."""

    keys: list[CKeyString] = field(List(Nested(CKeyString)), "keys by time")


class CTrackKeyFramerLinearFloat(ITrackKeyFramer, bases=("ITrack",)):
    """A number, linear between keys."""

    keys: Keys = _keys("<f4", "f32")


class CTrackKeyFramerLinearVector(ITrackKeyFramer, bases=("ITrack",)):
    """A vector, linear between keys."""

    keys: Keys = _keys(_VECTOR, "3 × f32")


class CTrackKeyFramerLinearQuat(ITrackKeyFramer, bases=("ITrack",)):
    """A rotation, spherical between keys."""

    keys: Keys = _keys(_QUAT, "4 × f32")


class CTrackKeyFramerLinearInt(ITrackKeyFramer, bases=("ITrack",)):
    """A whole number, linear between keys."""

    keys: Keys = _keys("<i4", "i32")


class CTrackKeyFramerLinearRGBA(ITrackKeyFramer, bases=("ITrack",)):
    """A colour, linear between keys."""

    keys: Keys = _keys(_RGBA, "4 × u8")


class CTrackKeyFramerTCBFloat(ITrackKeyFramer, bases=("ITrack",)):
    """A number with TCB keys."""

    keys: Keys = _tcb("<f4", "f32")


class CTrackKeyFramerTCBVector(ITrackKeyFramer, bases=("ITrack",)):
    """A vector with TCB keys."""

    keys: Keys = _tcb(_VECTOR, "3 × f32")


class CTrackKeyFramerTCBQuat(ITrackKeyFramer, bases=("ITrack",)):
    """A rotation with TCB keys: axis and angle, from the key before."""

    keys: Keys = _tcb(_QUAT, "3 × f32 axis, f32 angle")


class CTrackKeyFramerTCBInt(ITrackKeyFramer, bases=("ITrack",)):
    """A whole number with TCB keys, which are floats."""

    keys: Keys = _tcb("<f4", "f32")


class CTrackKeyFramerTCBRGBA(ITrackKeyFramer, bases=("ITrack",)):
    """A colour with TCB keys, which are vectors from 0 to 1."""

    keys: Keys = _tcb(_VECTOR, "3 × f32")


class CTrackKeyFramerBezierFloat(ITrackKeyFramer, bases=("ITrack",)):
    """A number with Bézier keys."""

    keys: Keys = _bezier("<f4", "f32")


class CTrackKeyFramerBezierVector(ITrackKeyFramer, bases=("ITrack",)):
    """A vector with Bézier keys."""

    keys: Keys = _bezier(_VECTOR, "3 × f32")


class CTrackKeyFramerBezierQuat(ITrackKeyFramer, bases=("ITrack",)):
    """A rotation with Bézier keys, which have no tangents."""

    keys: Keys = _keys(_QUAT, "4 × f32")


class CTrackKeyFramerBezierInt(ITrackKeyFramer, bases=("ITrack",)):
    """A whole number with Bézier keys, which are floats."""

    keys: Keys = _bezier("<f4", "f32")


class CTrackKeyFramerBezierRGBA(ITrackKeyFramer, bases=("ITrack",)):
    """A colour with Bézier keys, which are vectors from 0 to 1."""

    keys: Keys = _bezier(_VECTOR, "3 × f32")


class CTimeBlock(Serial, nel="CTrackSampledCommon::CTimeBlock"):
    """Up to 255 frames of samples."""

    version: int = field(Version(0), "format of the block")
    time_offset: int = field(U16, "frame that its times count from")
    key_offset: int = field(U32, "number of its first sample")
    times: NDArray[np.uint8] = field(Array("u1", "u8"), "frame of each sample, from the offset")


class CTrackSampledCommonV0(Serial, nel="CTrackSampledCommon in CTrackSampledQuat 0"):
    """Times of a sampled track, in old files."""

    loop_mode: bool = field(BOOL, "whether it repeats")
    begin_time: float = field(F32, "when it begins, in seconds")
    end_time: float = field(F32, "when it ends, in seconds")
    total_range: float = field(F32, "end - begin")
    oo_total_range: float = field(F32, "1 / total_range")
    delta_time: float = field(F32, "seconds of a frame")
    oo_delta_time: float = field(F32, "frames of a second")
    time_blocks: list[CTimeBlock] = field(List(Nested(CTimeBlock)), "times of the samples")


class CTrackSampledCommon(Serial):
    """Times of a sampled track."""

    version: int = field(Version(0), "format of the times")
    loop_mode: bool = field(BOOL, "whether it repeats")
    begin_time: float = field(F32, "when it begins, in seconds")
    end_time: float = field(F32, "when it ends, in seconds")
    total_range: float = field(F32, "end - begin")
    oo_total_range: float = field(F32, "1 / total_range")
    delta_time: float = field(F32, "seconds of a frame")
    oo_delta_time: float = field(F32, "frames of a second")
    time_blocks: list[CTimeBlock] = field(List(Nested(CTimeBlock)), "times of the samples")


class CTrackSampledQuat(Serial, bases=("ITrack",)):
    """A rotation in packed samples."""

    version: int = field(Version(1), "format of the track")
    common_v0: CTrackSampledCommonV0 = field(Nested(CTrackSampledCommonV0), "times", until=0)
    common: CTrackSampledCommon = field(Nested(CTrackSampledCommon), "times", since=1)
    keys: NDArray[np.void] = field(Array(QUAT_PACK, "4 × i16"), "x y z w / 32767")


class CTrackSampledVector(Serial, bases=("ITrack",)):
    """A vector in samples."""

    version: int = field(Version(0), "format of the track")
    common: CTrackSampledCommon = field(Nested(CTrackSampledCommon), "times")
    keys: NDArray[np.float32] = field(Array(("<f4", 3), "3 × f32"), "the samples")


class CTrackDefaultFloat(Serial, bases=("ITrack",)):
    """A number that stays."""

    version: int = field(Version(0), "format of the track")
    value: float = field(F32, "the number")


class CTrackDefaultVector(Serial, bases=("ITrack",)):
    """A vector that stays."""

    version: int = field(Version(0), "format of the track")
    value: Vec3 = field(VEC3, "the vector")


class CTrackDefaultQuat(Serial, bases=("ITrack",)):
    """A rotation that stays."""

    version: int = field(Version(0), "format of the track")
    value: Vec4 = field(QUAT, "the rotation")


class CTrackDefaultInt(Serial, bases=("ITrack",)):
    """A whole number that stays."""

    version: int = field(Version(0), "format of the track")
    value: int = field(I32, "the number")


class CTrackDefaultRGBA(Serial, bases=("ITrack",)):
    """A colour that stays."""

    version: int = field(Version(0), "format of the track")
    value: Rgba = field(RGBA, "the colour")


class CTrackDefaultString(Serial, bases=("ITrack",)):
    """A text that stays."""

    version: int = field(Version(0), "format of the track")
    value: str = field(STRING, "the text")


class CTrackDefaultBool(Serial, bases=("ITrack",)):
    """A truth value that stays."""

    version: int = field(Version(0), "format of the track")
    value: bool = field(BOOL, "the truth value")
