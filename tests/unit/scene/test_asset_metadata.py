from __future__ import annotations

from struct import pack
from uuid import UUID

import pytest

from maxsidecar.errors import DecodeError, EditError, Where
from maxsidecar.io.chunks import Buffer
from maxsidecar.scene.asset_metadata import AssetMetadata, AssetRecord, AssetTableCodec

# Microsoft byte order: the first three fields are little endian.
GUID = bytes.fromhex("33221100554477668899aabbccddeeff")
UUID_OF_GUID = UUID("00112233-4455-6677-8899-aabbccddeeff")


def text(value: str) -> bytes:
    body = value.encode("utf-16-le")
    return pack("<I", len(body) // 2) + body + b"\0\0"


TWO = GUID + text("Bitmap") + text("C:\\a.png")
THREE = TWO + text("")


class MemoryStream:
    """A stream that is only its bytes."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.content: Buffer = data

    @property
    def where(self) -> Where:
        return Where("a.max", self.name)

    def replace(self, data: Buffer) -> None:
        self.content = data


def test_records_of_both_versions() -> None:
    two = AssetRecord(UUID_OF_GUID, "Bitmap", "C:\\a.png")
    three = AssetRecord(UUID_OF_GUID, "Bitmap", "C:\\a.png", "")
    assert AssetTableCodec(2).verified(TWO + TWO) == (two, two)
    assert AssetTableCodec(3).verified(THREE) == (three,)
    assert AssetTableCodec(3).verified(b"") == ()


@pytest.mark.parametrize(
    "data",
    [
        TWO[:10],
        TWO[:20],
        TWO[:-1],
        TWO + b"\0",
        GUID + pack("<I", 0xFFFFFFFF) + b"\0\0" * 8,
        GUID + pack("<I", 1) + b"a\0" + b"x\0" + text(""),
    ],
)
def test_broken_records_are_refused_with_their_offset(data: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        AssetTableCodec(2).decode(data)
    assert caught.value.where.offset is not None


def test_records_of_another_version_are_refused() -> None:
    with pytest.raises(EditError, match="another version"):
        AssetTableCodec(2).encode((AssetRecord(UUID_OF_GUID, "", "", ""),))
    with pytest.raises(EditError, match="another version"):
        AssetTableCodec(3).encode((AssetRecord(UUID_OF_GUID, "", ""),))


def test_assets_are_edited_in_the_stream() -> None:
    stream = MemoryStream("FileAssetMetaData3", THREE)
    assets = AssetMetadata(stream)
    assert assets.version == 3
    assert assets.find(UUID_OF_GUID) == assets.assets[0]
    assert assets.find(UUID(int=0)) is None
    assets.assets = (AssetRecord(UUID_OF_GUID, "Bitmap", "D:\\b.png", "x"),)
    assert stream.content == GUID + text("Bitmap") + text("D:\\b.png") + text("x")


def test_damaged_assets_are_read_only() -> None:
    stream = MemoryStream("FileAssetMetaData2", TWO[:-1])
    assets = AssetMetadata(stream)
    with pytest.raises(DecodeError) as caught:
        assert assets.assets
    assert (caught.value.where.file, caught.value.where.stream) == ("a.max", stream.name)
    with pytest.raises(EditError, match="read-only"):
        assets.assets = ()
    assert stream.content == TWO[:-1]
