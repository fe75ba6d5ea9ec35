"""Animations and their tracks, on bytes built by hand."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.animation import CAnimation
from maxsidecar.nel.serial.classes.track import CTrackKeyFramerLinearVector


def text(value: str) -> bytes:
    return pack("<I", len(value)) + value.encode()


def animation(version: int, *tracks: tuple[str, bytes]) -> bytes:
    data = b"NEL_ANIM" + bytes([version]) + text("") + pack("<i", len(tracks))
    for number in range(len(tracks)):
        data += text(f"node{number}.pos") + pack("<I", number)
    data += pack("<i", len(tracks))
    for number, (name, body) in enumerate(tracks):
        data += pack("<Q", number + 1) + text(name) + body
    data += pack("<f", 2.5) if version >= 1 else b""
    return data + (pack("<i", 1) + text("tail.shape") if version >= 2 else b"")


def keyframer(*keys: bytes) -> bytes:
    body = b"".join(pack("<f", time) + b"\0" + key for time, key in enumerate(keys))
    return b"\0" + pack("<i", len(keys)) + body + b"\0" + pack("<2f", 0.5, 1.5) + b"\1"


def read(data: bytes) -> Any:
    file = read_bytes(data)
    assert file.kind == "anim"
    assert file.to_bytes() == data
    return file.content


F, V, Q = pack("<f", 1.5), pack("<3f", 1, 2, 3), pack("<4f", 0, 0, 0, 1)
INT, RGBA = pack("<i", -7), b"\1\2\3\xff"
EASE = pack("<5f", 0.1, 0.2, 0.3, 0.4, 0.5)
#: The bytes of a key's value by the kind of track and of value, from the notes on the format.
KEYS = {
    "ConstFloat": F, "ConstVector": V, "ConstQuat": Q, "ConstInt": INT, "ConstRGBA": RGBA,
    "ConstBool": b"\1", "ConstString": text("step"),
    "LinearFloat": F, "LinearVector": V, "LinearQuat": Q, "LinearInt": INT, "LinearRGBA": RGBA,
    "TCBFloat": F + EASE, "TCBVector": V + EASE, "TCBQuat": Q + EASE, "TCBInt": F + EASE,
    "TCBRGBA": V + EASE,
    "BezierFloat": F * 3 + b"\1", "BezierVector": V * 3 + b"\1", "BezierQuat": Q,
    "BezierInt": F * 3 + b"\1", "BezierRGBA": V * 3 + b"\1",
}  # fmt: skip


@pytest.mark.parametrize("name", KEYS)
def test_keyframers(name: str) -> None:
    track = (f"CTrackKeyFramer{name}", keyframer(KEYS[name], KEYS[name]))
    (found,) = read(animation(2, track)).tracks
    assert found.nel_name == f"CTrackKeyFramer{name}"
    assert (found.range_lock, found.range_begin, found.range_end) == (False, 0.5, 1.5)
    assert found.loop_mode is True
    if name == "ConstString":
        assert [(key.time, key.value) for key in found.keys] == [(0, "step"), (1, "step")]
        return
    assert found.keys["time"].tolist() == [0, 1]
    starts = ((V, [1, 2, 3]), (Q, [0, 0, 0, 1]), (F, 1.5), (INT, -7), (RGBA, [1, 2, 3, 255]))
    value = next((value for raw, value in starts if KEYS[name].startswith(raw)), 1)
    assert found.keys["value"][1].tolist() == value
    if "TCB" in name:
        assert found.keys["ease_from"][0] == np.float32(0.5)
    if name in ("BezierFloat", "BezierVector"):
        assert found.keys["out_tan"][0].tolist() == value
        assert found.keys["step"].tolist() == [1, 1]


def common(version: bool) -> bytes:
    data = (b"\0" if version else b"") + b"\1" + pack("<6f", 0, 1, 1, 1, 1 / 30, 30)
    return data + pack("<i", 1) + b"\0" + pack("<HI", 5, 0) + pack("<i", 2) + b"\0\x09"


@pytest.mark.parametrize("version", [0, 1])
def test_sampled_rotations(version: int) -> None:
    body = bytes([version]) + common(bool(version)) + pack("<i8h", 2, 0, 0, 0, 32767, *[1] * 4)
    (found,) = read(animation(2, ("CTrackSampledQuat", body))).tracks
    assert found.keys["w"].tolist() == [32767, 1]
    times = (found.common if version else found.common_v0).time_blocks[0]
    assert (times.time_offset, times.times.tolist()) == (5, [0, 9])


def test_sampled_vectors() -> None:
    body = b"\0" + common(True) + pack("<i6f", 2, *range(6))
    (found,) = read(animation(2, ("CTrackSampledVector", body))).tracks
    assert found.keys.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.common.oo_delta_time == 30


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("Float", F, 1.5), ("Vector", V, (1, 2, 3)), ("Quat", Q, (0, 0, 0, 1)), ("Int", INT, -7),
        ("RGBA", RGBA, (1, 2, 3, 255)), ("String", text("step"), "step"), ("Bool", b"\1", True),
    ],
)  # fmt: skip
def test_tracks_that_stay(name: str, raw: bytes, value: Any) -> None:
    (found,) = read(animation(0, (f"CTrackDefault{name}", b"\0" + raw))).tracks
    assert found.value == value


@pytest.mark.parametrize("version", range(3))
def test_animations(version: int) -> None:
    track = ("CTrackDefaultFloat", b"\0" + F)
    made = read(animation(version, track, track))
    assert made.id_by_name == {"node0.pos": 0, "node1.pos": 1}
    assert len(made.tracks) == 2
    assert made.min_end_time == (2.5 if version >= 1 else -3.4028234663852886e38)
    assert made.sss_shapes == (["tail.shape"] if version >= 2 else [])


def test_a_key_of_a_later_version() -> None:
    body = keyframer(V, V, V)
    at = 1 + 4 + 2 * 17 + 4  # the version of the third key
    data = animation(2, ("CTrackKeyFramerLinearVector", body))
    damaged = bytearray(data)
    damaged[data.index(body) + at] = 1
    with pytest.raises(DecodeError, match="element 2: the version is newer") as caught:
        read_bytes(bytes(damaged))
    assert caught.value.where.path == "CAnimation.tracks[0].keys"
    assert caught.value.where.offset == data.index(body) + at - 4


def test_new_animations() -> None:
    track = CTrackKeyFramerLinearVector(range_lock=False, range_end=1.0)
    keys = np.zeros(2, track.keys.dtype)
    keys["time"] = [0, 1]
    keys["value"] = [[0, 0, 0], [1, 2, 3]]
    track.keys = keys
    made = CAnimation(tracks=[track], id_by_name={"box.pos": 0})
    (read_back,) = CAnimation.from_bytes(made.to_bytes()).tracks
    assert isinstance(read_back, CTrackKeyFramerLinearVector)
    assert read_back.keys["value"][1].tolist() == [1, 2, 3]
    expected = pack("<f", 1) + b"\0" + pack("<3f", 1, 2, 3)
    assert expected in made.to_bytes()
