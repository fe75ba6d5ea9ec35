"""Class and DLL directories, on bytes by hand."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import ChunkError
from maxsidecar.io.chunks import ChunkData
from maxsidecar.scene.directories import ClassDirectory, ClassId, ClassInfo, DllDirectory
from maxsidecar.scene.stream_views import StreamView, stream_view_class


def narrow(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (0x80000000 if container else 0)) + body


def entry(name: str, dll: int, a: int, b: int, superclass: int) -> bytes:
    body = narrow(0x2060, pack("<iIII", dll, a, b, superclass))
    return narrow(0x2040, body + narrow(0x2042, name.encode("utf-16-le")), True)


def directory(body: bytes) -> ClassDirectory:
    return ClassDirectory(ChunkData(body, root=True))


NODE = entry("Node", -1, 1, 0, 1)
MESH = entry("Maillage éditable", 3, 0xE44F10B3, 0, 0x10)


def test_classes_are_listed_by_position() -> None:
    assert directory(NODE + narrow(9) + MESH).infos() == [
        ClassInfo(0, "Node", ClassId(1, 0), 1, -1),
        ClassInfo(1, "Maillage éditable", ClassId(0xE44F10B3, 0), 0x10, 3),
    ]


@pytest.mark.parametrize(
    "odd",
    [
        narrow(0x2040, b"bad", True),
        narrow(0x2040, b"", True),
        narrow(0x2040, narrow(0x2060, pack("<iIII", 0, 1, 0, 1))),  # not marked as a container
        narrow(0x2040, narrow(0x2060, b"short"), True),
        narrow(0x2040, narrow(0x2060, pack("<iIII", 0, 1, 0, 1)) + narrow(0x2042, b"odd"), True),
    ],
)
def test_an_odd_entry_keeps_its_place(odd: bytes) -> None:
    infos = directory(NODE + odd + MESH).infos()
    assert infos[1] is None
    assert infos[2] == ClassInfo(2, "Maillage éditable", ClassId(0xE44F10B3, 0), 0x10, 3)


def test_views_and_the_fast_list_agree() -> None:
    view = directory(NODE + MESH)
    for info, stored in zip(view.infos(), view.entries, strict=True):
        assert info is not None
        assert stored.header is not None
        assert stored.name == info.name
        assert ClassId(stored.header.class_a, stored.header.class_b) == info.class_id
        assert (stored.header.superclass, stored.header.dll) == (info.superclass, info.dll)


def test_a_class_is_retargeted_in_place() -> None:
    view = directory(NODE + MESH)
    stored = view.entries[1]
    assert stored.header is not None
    stored.header = stored.header.replace(class_a=0x1BF8338D, class_b=0x192F6098)
    stored.name = "Poly"
    assert view.data.data == NODE + entry("Poly", 3, 0x1BF8338D, 0x192F6098, 0x10)


def test_the_open_wrapper_of_compressed_saves_is_looked_through() -> None:
    body = pack("<HI", 0x2210, 0xFFFFFFFF) + NODE + MESH
    view = directory(body)
    assert [info and info.name for info in view.infos()] == ["Node", "Maillage éditable"]
    view.entries[0].name = "N"
    assert view.data.data == pack("<HI", 0x2210, 0xFFFFFFFF) + entry("N", -1, 1, 0, 1) + MESH
    view.data.revert()
    assert [info and info.name for info in view.infos()] == ["Node", "Maillage éditable"]


def test_damage_between_entries_is_an_error() -> None:
    with pytest.raises(ChunkError):
        directory(NODE + b"\1").infos()


def test_dll_entries() -> None:
    def dll(description: str, name: str) -> bytes:
        return narrow(
            0x2038,
            narrow(0x2039, description.encode("utf-16-le"))
            + narrow(0x2037, name.encode("utf-16-le")),
            True,
        )

    view = DllDirectory(ChunkData(dll("Editable", "EPoly.dlo") + dll("骨", "b.dlm")))
    assert [(e.description, e.file_name) for e in view.entries] == [
        ("Editable", "EPoly.dlo"),
        ("骨", "b.dlm"),
    ]
    view.entries[1].file_name = "bones.dlm"
    assert view.data.data == dll("Editable", "EPoly.dlo") + dll("骨", "bones.dlm")


def test_view_classes_by_stream() -> None:
    assert stream_view_class("ClassDirectory3") is ClassDirectory
    assert stream_view_class("DllDirectory") is DllDirectory
    assert stream_view_class("VideoPostQueue") is not None
    assert stream_view_class("FileAssetMetaData3") is None
    assert str(ClassId(0xE44F10B3)) == "e44f10b3/0"
    assert issubclass(ClassDirectory, StreamView)
