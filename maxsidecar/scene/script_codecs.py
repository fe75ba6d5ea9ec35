"""MAXScript values as the leaves of typed views."""

from __future__ import annotations

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import NARROW, Buffer, encode_header, scan
from maxsidecar.io.fields import Codec
from maxsidecar.scene.script_types import ScriptPairs, ScriptValue
from maxsidecar.scene.script_values import decode_pairs, decode_value, encode_pairs, encode_value

__all__ = ["ScriptPairsCodec", "ScriptValueCodec"]


class ScriptValueCodec(Codec[ScriptValue]):
    """The body of a value chunk whose id is known, for leaves that a view declares.

    Args:
        chunk_id: Id of the chunk, which is the type of the value.
        container: Whether the chunk is a container.
        encoding: Code page of 8-bit text.
    """

    kind = "MAXScript value"

    def __init__(self, chunk_id: int, container: bool, encoding: str = "cp1252") -> None:
        """Remember the header."""
        self.chunk_id = chunk_id
        self.container = container
        self.encoding = encoding

    def decode(self, data: Buffer) -> ScriptValue:
        """Return the value; see :func:`decode_value`."""
        head = encode_header(self.chunk_id, len(data), self.container, NARROW)
        return decode_value(head + bytes(data), self.encoding)

    def encode(self, value: ScriptValue) -> bytes:
        """Return the body of a value of the same type."""
        chunk = encode_value(value, self.encoding)
        ((chunk_id, _, body, _, _, _),) = scan(chunk, 0, len(chunk))
        if chunk_id != self.chunk_id:
            raise EditError(
                "a MAXScript value of another type",
                expected=f"{self.chunk_id:02x}",
                found=f"{chunk_id:02x}",
            )
        return chunk[body:]


class ScriptPairsCodec(Codec[ScriptPairs]):
    """The body of a container of names and values by turns, such as the global variables."""

    kind = "MAXScript variables"

    def __init__(self, encoding: str = "cp1252") -> None:
        """Choose the code page of 8-bit text."""
        self.encoding = encoding

    def decode(self, data: Buffer) -> ScriptPairs:
        """Return the (name, value) pairs."""
        return decode_pairs(data, self.encoding)

    def encode(self, value: ScriptPairs) -> bytes:
        """Return the chunks of the pairs."""
        return encode_pairs(value, self.encoding)
