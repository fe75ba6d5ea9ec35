"""Note tracks, on hand-built bytes."""

from __future__ import annotations

import struct

import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import encode_header
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.notes import Note
from maxsidecar.scene.scene import Scene


def chunk(chunk_id: int, body: bytes, *, container: bool = False) -> bytes:
    return encode_header(chunk_id, len(body), container) + body


def scene_with(body: bytes) -> Scene:
    obj = chunk(0, chunk(0x2140, body, container=True), container=True)
    info = ClassInfo(0, "PRS", ClassId(0x2005), 0x9008, -1)
    return Scene(chunk(0x2004, obj, container=True), [info], [])


def test_notes_in_order() -> None:
    body = chunk(0x0130, struct.pack("<I", 1))
    for time, text in ((-160, "start"), (4800, "ünd")):
        body += chunk(0x0100, struct.pack("<i", time)) + chunk(0x0110, struct.pack("<I", 4))
        body += chunk(0x0120, text.encode("utf-16-le"))
    notes = scene_with(body)[0].notes
    assert notes == [Note(-160, 4, "start"), Note(4800, 4, "ünd")]


def test_no_notes() -> None:
    obj = chunk(0, chunk(0x2034, struct.pack("<i", -1)), container=True)
    scene = Scene(chunk(0x2004, obj, container=True), [None], [])
    assert scene[0].notes == []


@pytest.mark.parametrize(
    "body",
    [
        chunk(0x0120, b"a\0"),
        chunk(0x0100, b"\0\0\0\0") + chunk(0x0120, b"a\0"),
        chunk(0x0100, b"\0\0\0"),
        chunk(0x0999, b""),
    ],
)
def test_other_layouts_are_refused(body: bytes) -> None:
    with pytest.raises(DecodeError):
        _ = scene_with(body)[0].notes
