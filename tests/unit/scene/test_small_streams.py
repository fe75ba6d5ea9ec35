from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.chunks import ChunkData
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.class_data import ClassData
from maxsidecar.scene.code_pages import encoding_of, narrow_encoding_of
from maxsidecar.scene.custom_attributes import (
    AttributeSource,
    CustomAttributeDefinitions,
    SourceCodec,
)
from maxsidecar.scene.directories import ClassDirectory, ClassId, DllDirectory
from maxsidecar.scene.release import product_name, release_in_text
from maxsidecar.scene.save_config import SaveConfig
from maxsidecar.scene.script_values import encode_value
from maxsidecar.scene.stream_views import StreamView, stream_view_class
from maxsidecar.scene.video_post import VideoPostQueue


def chunk(chunk_id: int, body: bytes = b"", *, container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 | container << 31) + body


def box(chunk_id: int, *children: bytes) -> bytes:
    return chunk(chunk_id, b"".join(children), container=True)


def data(*children: bytes) -> ChunkData:
    return ChunkData(b"".join(children), root=True)


def checked(view: StreamView) -> tuple[int, int]:
    found: list[MaxSidecarError] = []
    result = check_leaves(view.typed_leaves(), found.append)
    assert found == []
    return result


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("ClassData", ClassData),
        ("VideoPostQueue", VideoPostQueue),
        ("SaveConfigData", SaveConfig),
        ("ScriptedCustAttribDefs", CustomAttributeDefinitions),
        ("ClassDirectory", ClassDirectory),
        ("ClassDirectory3", ClassDirectory),
    ],
)
def test_views_are_found_by_the_name_of_the_stream(name: str, view: type[StreamView]) -> None:
    assert stream_view_class(name) is view


def test_class_data_of_a_class_may_be_an_empty_leaf() -> None:
    view = ClassData(
        data(
            box(0x2100, chunk(0x2110, pack("<III", 1, 2, 0x20)), box(0x2120, chunk(5, b"x"))),
            box(0x2100, chunk(0x2110, pack("<III", 3, 0, 0x60)), chunk(0x2120)),
        )
    )
    full, empty = view.entries
    assert full.class_id == ClassId(1, 2)
    assert full.payload is not None
    assert [bytes(c.data) for c in full.payload.chunks()] == [b"x"]
    assert empty.payload is not None
    assert not empty.payload.container
    found = view.find_class(ClassId(3), 0x60)
    assert found is not None
    assert found.class_id == ClassId(3, 0)
    assert view.find_class(ClassId(3), 0x61) is None
    assert checked(view) == (2, 24)


def test_class_data_without_a_class_is_refused() -> None:
    (entry,) = ClassData(data(box(0x2100, chunk(0x2120)))).entries
    with pytest.raises(DecodeError, match="without a class"):
        assert entry.class_id


def test_video_post_queue() -> None:
    empty = VideoPostQueue(data(chunk(0x50, pack("<I", 0)), chunk(0x60)))
    assert (empty.count, empty.entries) == (0, [])
    full = VideoPostQueue(data(chunk(0x50, pack("<I", 1)), box(0x60, chunk(0x10, bytes(23)))))
    assert full.count == 1
    assert [len(entry.data) for entry in full.entries] == [23]


def test_save_config_names_program_format_and_languages() -> None:
    view = SaveConfig(
        data(
            chunk(0x2170, pack("<HH", 845, 19000)),
            chunk(0x2173, pack("<I", 18000)),
            chunk(0x2172, pack("<H", 0x409)),
            chunk(0x2174, pack("<I", 65001)),
            chunk(0x2171, pack("<H", 0)),
        )
    )
    assert view.program is not None
    assert (view.program.build, view.program.release, view.program.product) == (845, 19000, "2017")
    assert view.saved_as == 18000
    assert (view.language, view.code_page, view.other_language) == (0x409, 65001, 0)
    # 46 bytes without the headers of five leaves.
    assert checked(view) == (5, 46 - 5 * 6)


def test_the_dll_directory_names_the_program() -> None:
    view = DllDirectory(data(chunk(0x21C0, pack("<HH", 845, 21000))))
    assert view.program is not None
    assert (view.program.build, view.program.product) == (845, "2019")
    assert DllDirectory(data()).program is None


@pytest.mark.parametrize(
    ("release", "name"),
    # docs/format/streams.md section 9
    [
        (3100, "3.1"),
        (4000, "4"),
        (4200, "4.2"),
        (9000, "9"),
        (10000, "2008"),
        (12000, "2010"),
        (18000, "2016"),
        (28000, "2026"),
    ],
)
def test_product_names(release: int, name: str) -> None:
    assert product_name(release) == name


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("3D Studio MAX Version: 3.1", 3100),
        ("3ds Max Version: 19,00", 19000),
        ("3ds max ﾊﾞｰｼﾞｮﾝ: 4.2", 4200),
        ("3ds Max Version 2: 26.00", 26000),
        ("3ds Max", None),
        ("", None),
    ],
)
def test_release_in_a_version_text(text: str, release: int | None) -> None:
    assert release_in_text(text) == release


def test_code_pages() -> None:
    assert encoding_of(932) == "cp932"
    assert encoding_of(65001) == "utf-8"
    assert encoding_of(1200) == "utf-16-le"
    assert narrow_encoding_of(1200) == "cp1252"
    assert encoding_of(12345) == encoding_of(None) == "cp1252"


def source8(text: bytes) -> bytes:
    return chunk(0xA0, pack("<III", 1, 2, len(text) + 1) + text + b"\0")


def test_attribute_sources_of_both_forms() -> None:
    text16 = "été".encode("utf-16-le")
    view = CustomAttributeDefinitions(
        data(
            box(0x80, source8(b"\xe9t\xe9"), encode_value(None)),
            box(
                0x80,
                chunk(0xA1, pack("<III", 3, 4, 4) + text16 + b"\0\0"),
                encode_value((1, 2)),
            ),
        )
    )
    old, new = view.definitions
    assert (old.class_id, old.text, old.value) == (ClassId(1, 2), "été", None)
    assert (new.class_id, new.text, new.value) == (ClassId(3, 4), "été", (1, 2))
    assert checked(view)[0] == 4
    old.text = "a much longer text"
    old, new = view.definitions
    assert (old.class_id, old.text) == (ClassId(1, 2), "a much longer text")
    assert new.text == "été"
    new.value = 5
    assert view.definitions[1].value == 5
    with pytest.raises(EditError, match="cp1252"):
        view.definitions[0].text = "日本"


def test_attribute_sources_use_the_code_page_of_the_file() -> None:
    view = CustomAttributeDefinitions(data(box(0x80, source8("日".encode("cp932")))))
    view.encoding = "cp932"
    assert view.definitions[0].text == "日"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        pack("<III", 1, 2, 0),
        pack("<III", 1, 2, 3) + b"a\0",
        pack("<III", 1, 2, 0xFFFFFFFF) + b"a\0",
        pack("<III", 1, 2, 2) + b"ab",
    ],
)
def test_broken_attribute_sources_are_refused(body: bytes) -> None:
    with pytest.raises(DecodeError):
        SourceCodec(wide=False).decode(body)
    (definition,) = CustomAttributeDefinitions(data(box(0x80, chunk(0xA0, body)))).definitions
    with pytest.raises(DecodeError) as caught:
        assert definition.text
    assert caught.value.where.path == "0080[0]/00a0[0]"
    with pytest.raises(EditError, match="read-only"):
        definition.text = "x"


def test_attribute_definitions_without_a_source_are_refused() -> None:
    (definition,) = CustomAttributeDefinitions(data(box(0x80, encode_value(1)))).definitions
    with pytest.raises(DecodeError, match="no source"):
        assert definition.text
    with pytest.raises(EditError, match="no source"):
        definition.text = "x"


def test_a_class_id_that_does_not_fit_is_refused() -> None:
    with pytest.raises(EditError):
        SourceCodec(wide=True).encode(AttributeSource(ClassId(2**32), ""))
