"""Storage indices in the Config stream."""

from __future__ import annotations

from struct import Struct, pack, unpack

from maxsidecar.io.chunks import encode_header
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring_chunks import encode_chunks
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from tests.support.village import OTHER, node, village


def camera_scene() -> tuple[MaxFile, Node]:
    """A scene whose fourth viewport looks through the node "eye"; the Track View shows two rows."""
    file = village()
    eye = node(file.scene, "lamp")
    config = file.streams["Config"].chunks
    viewports = config.find(0x2080)
    pane = viewports.find(0x2813) if viewports is not None else None
    assert pane is not None
    body = bytearray(pane.data)
    body[4:8], body[76:80] = pack("<i", 8), pack("<i", eye.index)
    pane.replace(bytes(body))
    rows = encode_chunks(
        [
            (0x0110, [(0x0360, pack("<3i", len(file.scene) - 1, 0, 1))]),
            (0x0110, [(0x0340, pack("<3i", eye.index, eye.references[0], 2))]),
        ]
    )
    tracks = config.find(0x20A0)
    assert tracks is not None
    tracks.replace(encode_header(0x0100, 4, False) + pack("<I", 2) + rows)
    again = MaxFile(file.to_bytes())
    return again, node(again.scene, "lamp")


def stored_config(file: MaxFile) -> tuple[tuple[int, int], list[tuple[int, ...]]]:
    config = MaxFile(file.to_bytes()).streams["Config"].chunks
    viewports, tracks = config.find(0x2080), config.find(0x20A0)
    assert viewports is not None
    assert tracks is not None
    pane = viewports.find(0x2813)
    assert pane is not None
    number = Struct("<i")
    view = (number.unpack_from(pane.data, 4)[0], number.unpack_from(pane.data, 76)[0])
    rows = [leaf for window in tracks.chunks() if window.container for leaf in window.chunks()]
    return view, [unpack("<3i", leaf.data) for leaf in rows]


def test_config_follows_what_is_renumbered() -> None:
    file, eye = camera_scene()
    scene = file.scene
    node(scene, "house").delete()
    restructure.close_gaps(scene)
    view, rows = stored_config(file)
    assert view == (8, eye.index)
    assert rows == [(len(scene) - 1, 0, 1), (eye.index, eye.references[0], 2)]


def test_a_viewport_without_its_camera_becomes_a_perspective_view() -> None:
    file, eye = camera_scene()
    eye.delete()
    view, rows = stored_config(file)
    assert view == (7, 0)
    assert rows == [(len(file.scene) - 1, 0, 1), (-1, -1, 2)]


def test_appending_moves_the_scene_object_in_config() -> None:
    file, _ = camera_scene()
    restructure.add_object(file.scene, OTHER, [(1, b"x")])
    assert stored_config(file)[1][0] == (len(file.scene) - 1, 0, 1)
