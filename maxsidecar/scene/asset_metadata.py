"""FileAssetMetaData2 and 3: the files that a scene refers to, by GUID.

The stream is no run of chunks but records to its end, without a count: a GUID, then two texts
(type, path) in version 2 or three (type, path, resolved path) in version 3.  The length before a
text does not count its NUL (measured on the corpus, docs/format/streams.md section 7).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from struct import Struct
from typing import Final, Protocol
from uuid import UUID

from maxsidecar.errors import DecodeError, EditError, Where
from maxsidecar.io.chunks import Buffer
from maxsidecar.io.fields import Codec

__all__ = ["ASSET_STREAMS", "AssetMetadata", "AssetRecord", "AssetTableCodec"]

#: Number of texts in a record, by logical stream name.
ASSET_STREAMS: Final = {"FileAssetMetaData2": 2, "FileAssetMetaData3": 3}

_U32 = Struct("<I")


@dataclass(frozen=True, slots=True)
class AssetRecord:
    """One file that the scene refers to.

    Attributes:
        guid: What bitmaps and viewport backgrounds name the file by.
        type: Kind of asset, such as ``Bitmap``.
        path: Path as the user chose it.
        resolved: Path where the file was found, may be empty; ``None`` in version 2.
    """

    guid: UUID
    type: str
    path: str
    resolved: str | None = None


class AssetTableCodec(Codec[tuple[AssetRecord, ...]]):
    """All records of a stream.

    Args:
        texts: Number of texts in a record, 2 or 3.
    """

    kind = "asset table"

    def __init__(self, texts: int) -> None:
        """Choose the version."""
        self.texts = texts

    def decode(self, data: Buffer) -> tuple[AssetRecord, ...]:
        """Return the records.

        Raises:
            DecodeError: The bytes are not whole records; ``where.offset`` says where.
        """
        out: list[AssetRecord] = []
        pos, end = 0, len(data)
        while pos < end:
            if end - pos < 16:
                raise DecodeError(
                    "an asset record is cut off", Where(offset=pos), expected=16, found=end - pos
                )
            guid = UUID(bytes_le=bytes(data[pos : pos + 16]))
            pos += 16
            texts: list[str] = []
            for _ in range(self.texts):
                text, pos = _text(data, pos)
                texts.append(text)
            out.append(AssetRecord(guid, *texts))
        return tuple(out)

    def encode(self, value: tuple[AssetRecord, ...]) -> bytes:
        """Return the bytes of the records.

        Raises:
            EditError: A record has not the texts of this version.
        """
        pieces: list[bytes] = []
        for record in value:
            texts = [record.type, record.path]
            if record.resolved is not None:
                texts.append(record.resolved)
            if len(texts) != self.texts:
                raise EditError(
                    "an asset record of another version", expected=self.texts, found=len(texts)
                )
            pieces.append(record.guid.bytes_le)
            for text in texts:
                body = text.encode("utf-16-le", "surrogatepass")
                pieces += (_U32.pack(len(body) // 2), body, b"\0\0")
        return b"".join(pieces)


def _text(data: Buffer, pos: int) -> tuple[str, int]:
    """Return the text at ``pos`` and where the next one is."""
    left = len(data) - pos - 6
    size = _U32.unpack_from(data, pos)[0] * 2 if left >= 0 else 0
    if size > left:
        raise DecodeError(
            "an asset text ends outside the stream", Where(offset=pos), expected=left, found=size
        )
    stop = pos + 4 + size
    if data[stop] or data[stop + 1]:
        raise DecodeError("an asset text has no terminating NUL", Where(offset=stop))
    return str(bytes(data[pos + 4 : stop]), "utf-16-le", "surrogatepass"), stop + 2


class EditableStream(Protocol):
    """What :class:`AssetMetadata` needs of a stream."""

    @property
    def name(self) -> str:
        """Logical name."""

    @property
    def where(self) -> Where:
        """The stream's place."""

    @property
    def content(self) -> Buffer:
        """The unpacked bytes, edits included."""

    def replace(self, data: Buffer) -> None:
        """Put other bytes in place of all of them."""


class AssetMetadata:
    """The asset table of a scene.

    Args:
        stream: A stream that :data:`ASSET_STREAMS` names.
    """

    def __init__(self, stream: EditableStream) -> None:
        """Look at the stream; nothing is read yet."""
        self.stream = stream
        self.codec = AssetTableCodec(ASSET_STREAMS[stream.name])

    @property
    def version(self) -> int:
        """2 or 3; only version 3 has resolved paths."""
        return self.codec.texts

    @property
    def assets(self) -> tuple[AssetRecord, ...]:
        """The records in stored order.

        Raises:
            DecodeError: The stream is damaged.
        """
        try:
            return self.codec.decode(self.stream.content)
        except DecodeError as error:
            error.locate(file=self.stream.where.file, stream=self.stream.name)
            raise

    @assets.setter
    def assets(self, records: Iterable[AssetRecord]) -> None:
        where = self.stream.where
        try:
            old = self.codec.verified(self.stream.content)
        except DecodeError as error:
            raise EditError(f"the assets are read-only: {error.message}", where) from error
        try:
            body = self.codec.encode_new(tuple(records), old)
        except EditError as error:
            error.locate(file=where.file, stream=where.stream)
            raise
        self.stream.replace(body)

    def find(self, guid: UUID) -> AssetRecord | None:
        """Return the record with this GUID, ``None`` when there is none."""
        return next((record for record in self.assets if record.guid == guid), None)
