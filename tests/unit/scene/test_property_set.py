from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime
from struct import pack
from uuid import UUID

import pytest

from maxsidecar.errors import DecodeError, Where
from maxsidecar.scene.property_set import PropertySet, read_property_set
from maxsidecar.scene.property_values import StoredText, Variant, verified_size
from maxsidecar.scene.summary import DocumentSummary, Summary
from maxsidecar.scene.thumbnail import Thumbnail, read_thumbnail

FORMAT = bytes(range(16))


def padded(body: bytes) -> bytes:
    return body + bytes(-len(body) % 4)


def lpstr(text: bytes) -> bytes:
    return padded(pack("<I", len(text)) + text)


def i2(value: int) -> bytes:
    return pack("<II", 2, value & 0xFFFF)


def section(*values: tuple[int, bytes]) -> bytes:
    """Table and values; each value begins with its type."""
    at = 8 + 8 * len(values)
    table = body = b""
    for property_id, value in values:
        table += pack("<II", property_id, at + len(body))
        body += padded(value)
    return pack("<II", at + len(body), len(values)) + table + body


def stream(*sections: bytes) -> bytes:
    at = 28 + 20 * len(sections)
    table = body = b""
    for part in sections:
        table += FORMAT + pack("<I", at + len(body))
        body += part
    return pack("<HHI16sI", 0xFFFE, 0, 0x20006, bytes(16), len(sections)) + table + body


def read(*values: tuple[int, bytes]) -> PropertySet:
    return read_property_set(stream(section(*values)))


FILETIME = 132223104000000000  # 2020-01-01 00:00 UTC in 100 ns since 1601

# Type and value as stored, the value, and its bytes without type and padding.
VALUES = [
    (pack("<Ih", 2, -5), -5, 2),
    (pack("<Ii", 3, -7), -7, 4),
    (pack("<If", 4, 0.5), 0.5, 4),
    (pack("<Id", 5, 0.25), 0.25, 8),
    (pack("<IH", 0x0B, 0xFFFF), True, 2),
    (pack("<IH", 0x0B, 0), False, 2),
    (pack("<II", 0x13, 2**32 - 1), 2**32 - 1, 4),
    (pack("<IQ", 0x40, FILETIME), FILETIME, 8),
    (pack("<I", 0x1E) + lpstr(b"caf\xe9\0"), "café", 9),
    (pack("<I", 0x1E) + lpstr(b"padded\0\0\0"), "padded", 13),
    (pack("<II", 0x1F, 3) + "日本\0".encode("utf-16-le"), "日本", 10),
    (pack("<I", 0x47) + lpstr(b"\1\2\3"), b"\1\2\3", 7),
    (pack("<I", 0x48) + FORMAT, UUID(bytes_le=FORMAT), 16),
    (pack("<I", 0), None, 0),
    # Every string in a vector is padded.
    (pack("<II", 0x101E, 2) + lpstr(b"a\0") + lpstr(b"bcd\0"), ("a", "bcd"), 18),
    (
        pack("<III", 0x100C, 2, 0x1E) + lpstr(b"a\0") + pack("<Ii", 3, 4),
        (Variant(0x1E, "a"), Variant(3, 4)),
        22,
    ),
    (pack("<II2i", 0x1003, 2, 1, -1), (1, -1), 12),
]


@pytest.mark.parametrize(("raw", "value", "size"), VALUES)
def test_values(raw: bytes, value: object, size: int) -> None:
    (part,) = read((1, i2(1252)), (2, raw)).sections
    found = part.properties[2]
    assert found.problem is None
    assert found.value == value
    assert part.value(2) == value
    assert verified_size(found.raw, found.type, found.value) == size


def test_the_section_says_what_its_strings_are() -> None:
    wide = pack("<I", 0x1E) + lpstr("日本\0".encode("utf-16-le"))
    utf8 = pack("<I", 0x1E) + lpstr("日本\0".encode())
    japanese = pack("<I", 0x1E) + lpstr("日本\0".encode("cp932"))
    for code_page, raw in ((1200, wide), (65001, utf8), (932, japanese)):
        (part,) = read((1, i2(code_page)), (2, raw)).sections
        assert part.code_page == code_page
        assert part.value(2) == "日本"
        assert verified_size(part.properties[2].raw, 0x1E, part.value(2)) == len(lpstr(b"")) + len(
            raw[8 : 8 + struct.unpack_from("<I", raw, 4)[0]]
        )


def test_strings_keep_the_bytes_they_were_read_from() -> None:
    (part,) = read((1, i2(1252)), (2, pack("<I", 0x1E) + lpstr(b"a\0\0"))).sections
    value = part.value(2)
    assert isinstance(value, StoredText)
    assert value.raw == b"a\0\0"


def test_pad_bytes_may_be_anything() -> None:
    raw = pack("<II", 0x1E, 2) + b"a\0\xaa\xbb"
    (part,) = read((1, i2(1252)), (2, raw)).sections
    assert part.value(2) == "a"
    assert verified_size(part.properties[2].raw, 0x1E, part.value(2)) == 4 + 2


def test_a_truth_that_is_written_otherwise_is_not_verified() -> None:
    (part,) = read((2, pack("<IH", 0x0B, 1))).sections
    assert part.value(2) is True
    with pytest.raises(DecodeError, match="written the same"):
        verified_size(part.properties[2].raw, 0x0B, part.value(2))


BROKEN_VALUES = {
    "unknown type": pack("<I", 0x77),
    "number cut off": pack("<I", 0x40),
    "string too long": pack("<II", 0x1E, 100) + b"abcd",
    "string of all memory": pack("<II", 0x1E, 0xFFFFFFFF),
    "wide string of all memory": pack("<II", 0x1F, 0xFFFFFFFF),
    "vector of all memory": pack("<II", 0x101E, 0xFFFFFFFF),
    "vector of nothing": pack("<II", 0x1000, 0xFFFFFFFF),
    "vector in a variant": pack("<IIII", 0x100C, 1, 0x1003, 0),
    "vector of bytes": pack("<III", 0x1011, 4, 0),
    "GUID cut off": pack("<I", 0x48) + b"1234",
}


@pytest.mark.parametrize("raw", BROKEN_VALUES.values(), ids=BROKEN_VALUES.keys())
def test_a_broken_value_harms_no_other(raw: bytes) -> None:
    (part,) = read((5, pack("<Ii", 3, 1)), (6, raw)).sections
    assert part.value(5) == 1
    assert part.value(6) is None
    problem = part.properties[6].problem
    assert problem is not None
    assert problem.where.offset is not None


def test_two_properties_cannot_share_one_place() -> None:
    raw = pack("<II4I", 8 + 16 + 8, 2, 5, 24, 6, 24) + pack("<Ii", 3, 1)
    (part,) = read_property_set(stream(raw)).sections
    assert part.value(5) == 1
    assert part.properties[6].problem is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 28,
        stream()[:20],
        pack("<HHI16sI", 0xFFFE, 0, 0, bytes(16), 0xFFFFFFFF),
        pack("<HHI16sI", 0xFFFE, 0, 0, bytes(16), 1),
        stream(b""),
        stream(section()[:4]),
        stream(pack("<II", 16, 0xFFFFFFFF) + bytes(8)),
    ],
)
def test_broken_tables_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        read_property_set(data, Where("a.max", "Summary"))
    assert caught.value.where.stream == "Summary"


def test_a_set_without_properties() -> None:
    assert read_property_set(stream()).sections == ()
    (part,) = read().sections
    assert part.properties == {}


def test_summary() -> None:
    summary = Summary(
        read(
            (1, i2(1252)),
            (2, pack("<I", 0x1E) + lpstr(b"Title\0")),
            (4, pack("<I", 0x1E) + lpstr(b"Me\0")),
            (12, pack("<IQ", 0x40, FILETIME)),
            (13, pack("<IQ", 0x40, 2**64 - 1)),
            (35, pack("<I", 0x48) + FORMAT),
        )
    )
    assert (summary.title, summary.subject, summary.author) == ("Title", "", "Me")
    assert summary.created == datetime(2020, 1, 1, tzinfo=UTC)
    assert summary.saved is None
    assert summary.document_id == UUID(bytes_le=FORMAT)
    assert summary.thumbnail is None


def document(headings: list[tuple[bytes, list[bytes]]], *more: bytes) -> DocumentSummary:
    pairs = b"".join(
        pack("<I", 0x1E) + lpstr(name + b"\0") + pack("<II", 3, len(parts))
        for name, parts in headings
    )
    texts = [part for _, parts in headings for part in parts]
    first = section(
        (1, i2(1252)),
        (12, pack("<II", 0x100C, 2 * len(headings)) + pairs),
        (13, pack("<II", 0x101E, len(texts)) + b"".join(lpstr(t + b"\0") for t in texts)),
    )
    return DocumentSummary(read_property_set(stream(first, *more)))


GENERAL = (b"G", [b"3ds Max Version: 19,00", b"Uncompressed"])
MESH = (b"M", [b"Vertices: 8", b"Faces: 12"])
TOTALS = (b"S", [b"a: %d" % n for n in range(7)])
RENDER = (b"R", [b"User Name=me", b"Render Width=640"])
LISTS = [(b"E", [b"a.png"]), (b"O", [b"Box"]), (b"Q", [b"Mat"]), (b"P", [b"mtl.dlt"])]


def test_document_summary_by_position() -> None:
    summary = document([GENERAL, MESH, TOTALS, *LISTS, RENDER])
    assert summary.version_text == "3ds Max Version: 19,00"
    assert summary.release == 19000
    assert summary.mesh_totals == {"vertices": 8, "faces": 12}
    assert summary.scene_totals["objects"] == 0
    assert summary.scene_totals["total"] == 6
    assert summary.external_dependencies == ("a.png",)
    assert summary.object_names == ("Box",)
    assert summary.material_names == ("Mat",)
    assert summary.plugins == ("mtl.dlt",)
    assert summary.parts[-1] == ("R", ("User Name=me", "Render Width=640"))
    assert summary.code_page == 1252


def test_headings_that_are_missing_move_the_others() -> None:
    no_dependencies = document([GENERAL, MESH, TOTALS, *LISTS[1:], RENDER])
    assert no_dependencies.external_dependencies == ()
    assert no_dependencies.object_names == ("Box",)
    assert no_dependencies.plugins == ("mtl.dlt",)
    no_render_data = document([GENERAL, MESH, TOTALS, *LISTS])
    assert no_render_data.external_dependencies == ("a.png",)
    assert no_render_data.plugins == ("mtl.dlt",)
    only_general = document([GENERAL])
    assert only_general.release == 19000
    assert only_general.mesh_totals == {}
    assert only_general.plugins == ()


@pytest.mark.parametrize(("code_page", "codec"), [(1252, "cp1252"), (1200, "utf-16-le")])
def test_user_properties(code_page: int, codec: str) -> None:
    names = pack("<I", 2)
    for property_id, name in ((2, "license\0"), (3, "size\0")):
        entry = pack("<II", property_id, len(name)) + name.encode(codec)
        names += padded(entry) if code_page == 1200 else entry
    user = section(
        (1, i2(code_page)),
        (0, names),
        (2, pack("<I", 0x1E) + lpstr("CC0\0".encode(codec))),
        (3, pack("<Ii", 3, 4)),
    )
    assert document([GENERAL], user).user_properties == {"license": "CC0", "size": 4}


def test_names_of_all_memory_are_ignored() -> None:
    user = section((1, i2(1252)), (0, pack("<III", 0xFFFFFFFF, 2, 0xFFFFFFFF) + b"abcd"))
    assert document([GENERAL], user).user_properties == {}


def picture(width: int, height: int, pixels: bytes, bits: int = 24) -> bytes:
    return b"".join(
        (
            pack("<iI4H", -1, 3, 1, width & 0xFFFF, height & 0xFFFF, 0),
            pack("<HHHIHIH", 1, 9, 0x300, 0, 0, 0, 0),
            pack("<IHIH8H", 0, 0x0F43, 0xCC0020, 0, *([0] * 8)),
            pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, 0, 0, 0, 0, 0),
            pixels,
            pack("<IH", 3, 0),
        )
    )


# Two rows of one pixel, padded to four bytes, bottom row first, blue before red.
PIXELS = bytes([3, 2, 1, 0]) + bytes([6, 5, 4, 0])


def test_a_thumbnail_is_turned_upright_and_to_rgb() -> None:
    thumbnail = read_thumbnail(picture(1, 2, PIXELS))
    assert thumbnail == Thumbnail(1, 2, bytes([4, 5, 6, 1, 2, 3]))


def test_a_thumbnail_in_its_property() -> None:
    raw = picture(1, 2, PIXELS)
    summary = Summary(read((17, pack("<I", 0x47) + lpstr(raw))))
    assert summary.thumbnail == read_thumbnail(raw)


def test_png_bytes_hold_the_rows() -> None:
    png = Thumbnail(2, 1, bytes(range(6))).png_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks = {}
    at = 8
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        body = png[at + 4 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size)[0] == zlib.crc32(body)
        chunks[body[:4]] = body[4:]
        at += 12 + size
    assert chunks[b"IHDR"] == pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)
    assert zlib.decompress(chunks[b"IDAT"]) == b"\0" + bytes(range(6))
    assert b"IEND" in chunks


@pytest.mark.parametrize(
    "data",
    [
        b"",
        picture(1, 2, PIXELS)[:101],
        picture(1, 2, PIXELS)[:105],
        b"\0" + picture(1, 2, PIXELS)[1:],
        picture(1, 2, PIXELS, bits=8),
        picture(-1, 2, PIXELS),
        picture(1, 0, PIXELS),
        picture(2**31 - 1, 2**31 - 1, PIXELS),
    ],
)
def test_other_pictures_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        read_thumbnail(data)
