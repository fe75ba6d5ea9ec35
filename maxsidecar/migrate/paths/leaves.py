"""Leaf chunks that are one path from end to end, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from maxsidecar.errors import EditError, Where
from maxsidecar.io.chunks import Buffer, Chunk, ChunkData
from maxsidecar.migrate.paths.looks import reads_as_path
from maxsidecar.migrate.paths.place import Holder, Place
from maxsidecar.scene.appdata_values import stored_code_page

__all__ = ["LeafHolder", "StoredText", "read_text"]


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text with the form in which it is stored.

    Attributes:
        text: The text.
        encoding: Python codec.
        end: The NUL behind it, or nothing.
    """

    text: str
    encoding: str
    end: bytes

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the same form.

        Raises:
            EditError: The codec lacks a character.
        """
        try:
            return text.encode(self.encoding, _errors(self.encoding)) + self.end
        except UnicodeEncodeError as error:
            bad = text[error.start : error.end]
            raise EditError(f"{bad!r} cannot be written in {self.encoding}") from None


def _errors(encoding: str) -> str:
    """Return how what a codec lacks is kept: as half a surrogate pair, whoever wrote it."""
    return "surrogatepass" if encoding == "utf-16-le" else "surrogateescape"


def read_text(data: Buffer, code_page: str, *, wide: bool | None = None) -> StoredText | None:
    """Return the text that bytes are from end to end, ``None`` where they are none.

    Args:
        data: The bytes.
        code_page: Codec of 8-bit text.
        wide: Whether it is UTF-16; ``None`` finds out: of the two only one reads as a path.
    """
    if wide is None:
        for guess in (True, False):
            found = read_text(data, code_page, wide=guess)
            if found is not None and reads_as_path(found.text):
                return found
        return None
    raw = bytes(data)
    nul = b"\0\0" if wide else b"\0"
    if len(raw) % len(nul):
        return None
    ended = raw.endswith(nul)
    body = raw[: -len(nul)] if ended else raw
    encoding = "utf-16-le" if wide else stored_code_page(raw, code_page)
    try:
        text = body.decode(encoding, _errors(encoding))
    except (UnicodeDecodeError, LookupError):
        return None
    stored = StoredText(text, encoding, nul if ended else b"")
    if "\0" in text or stored.encode(text) != raw:
        return None
    return stored


class LeafHolder(Holder):
    """A leaf chunk that holds one path.

    Args:
        data: The chunks that it is among.
        chunk: The leaf.
        code_page: Codec of 8-bit text.
        place: What is known of the place; its path is read from the chunk.
        wide: Whether the text is UTF-16; ``None`` where files tell.
    """

    def __init__(
        self,
        data: ChunkData,
        chunk: Chunk,
        code_page: str,
        *,
        wide: bool | None,
        field: str,
        kind: str,
        owner: str = "",
        index: int | None = None,
        proven: bool = True,
    ) -> None:
        """Look at the chunk."""
        self._data = data
        self._chunk = chunk
        self._code_page = code_page
        self._wide = wide
        self._field = field
        self._kind = kind
        self._owner = owner
        self._index = index
        self._proven = proven

    def _stored(self) -> StoredText | None:
        chunk = self._chunk
        if chunk.revision != self._data.revision:
            chunk = self._chunk = self._data.refresh(chunk)
        return read_text(chunk.data, self._code_page, wide=self._wide)

    def places(self) -> Iterator[Place]:
        """Yield the path, if there is one."""
        stored = self._stored()
        if stored is None or not stored.text:
            return
        chunk = self._chunk
        where: Where = chunk.where
        yield Place(
            stored.text,
            self._kind,
            self._field,
            0,
            where,
            chunk.end - chunk.start,
            self._owner,
            self._index,
            proven=self._proven,
        )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put another path into the chunk."""
        stored = self._stored()
        if stored is None:
            raise EditError("the chunk is no path any more", self._chunk.where)
        self._chunk.replace(stored.encode(changes[0]))
