"""One stream of a scene file: unpacked on demand, packed again the way it was."""

from __future__ import annotations

from copy import copy

from maxsidecar.errors import ChunkError, CompressionError, EditError, LimitError, Where
from maxsidecar.io.buffers import Body, Buffer, body_pieces
from maxsidecar.io.chunks import ChunkData, scan
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compression import Packed, logical_name, pack, unpack
from maxsidecar.scene.stream_views import StreamView, stream_view_class

__all__ = ["Stream"]


class Stream:
    """One stream of the file.

    Attributes:
        path: Path in the compound file, as stored (``Scene_Compressed``).
        name: Logical name (``Scene``).
    """

    def __init__(self, compound: CompoundFile, path: str, file: str | None) -> None:
        """Remember where the stream is; nothing is read yet."""
        self.path = path
        self.name = logical_name(path)
        self.file = file
        self._compound = compound
        self._raw: memoryview | None = None
        self._data: Buffer | None = None
        self._failure: CompressionError | LimitError | None = None
        self._packed: Packed | None = None
        self._chunks: ChunkData | None = None
        self._view: StreamView | None = None

    @property
    def where(self) -> Where:
        """The stream's place, for messages."""
        return Where(self.file, self.name)

    @property
    def raw(self) -> memoryview:
        """The stored bytes.

        Raises:
            CompoundFileError: The stream's chain of sectors is damaged.
        """
        if self._raw is None:
            self._raw = self._compound.read(self.path)
        return self._raw

    @property
    def data(self) -> Buffer:
        """The unpacked bytes as they were read.

        Raises:
            CompressionError: The packed bytes are damaged.
            LimitError: They unpack to more than is safe.
        """
        if self._failure is not None:
            # A bomb is unpacked up to the limit once, not whenever somebody asks for the stream.
            raise copy(self._failure)
        if self._data is None:
            try:
                _, self._data, self._packed = unpack(self.path, self.raw)
            except (CompressionError, LimitError) as error:
                error.locate(file=self.file, stream=self.name)
                # A copy, since the frames of the traceback hold on to what was unpacked.
                self._failure = copy(error)
                raise
        return self._data

    @property
    def packing(self) -> str:
        """How the stream is compressed: ``plain``, ``gzip`` or ``zstd``."""
        self.data  # noqa: B018 - unpacking finds it out
        return self._packed.kind if self._packed else "plain"

    @property
    def chunks(self) -> ChunkData:
        """The stream's bytes, editable: as chunks where it is made of chunks, else as a whole."""
        if self._chunks is None:
            self._chunks = ChunkData(self.data, 0, self.where, root=True)
        return self._chunks

    @property
    def view(self) -> StreamView | None:
        """The typed view of the stream, ``None`` when it is not made of chunks."""
        if self._view is None:
            cls = stream_view_class(self.name)
            self._view = cls(self.chunks) if cls else None
        return self._view

    @property
    def content(self) -> Buffer:
        """The unpacked bytes, edits included."""
        return self.data if self._chunks is None else self._chunks.data

    def replace(self, data: Buffer) -> None:
        """Put other bytes in place of all of them.

        Raises:
            EditError: The stream is made of chunks, and the bytes are not.
        """
        if stream_view_class(self.name) is not None:
            try:
                scan(data, 0, len(data), root=True)
            except ChunkError as error:
                raise EditError(f"these bytes are no chunks: {error.message}", self.where) from None
        self.chunks.replace_all(data)

    @property
    def edited(self) -> bool:
        """Whether the bytes differ from those that were read."""
        return self._chunks is not None and self._chunks.edited

    def pack(self, body: Body) -> Body:
        """Return new contents, given whole or in pieces, packed the way this stream was."""
        if self.packing == "plain" or self._packed is None:
            return body
        return pack(self._packed, b"".join(body_pieces(body)))
