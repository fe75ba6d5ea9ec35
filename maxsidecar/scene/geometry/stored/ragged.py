"""Codecs of polygon-mesh leaves whose records have various lengths.

Layouts: docs/format/mesh.md, section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import Codec
from maxsidecar.io.headers import Buffer

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.stored import ragged_records as records

__all__ = ["ADJACENCY", "EDGES", "FACES", "MAP_FACES", "VERTICES"]

T = TypeVar("T")


class _Ragged(Codec[T], Generic[T]):
    """A codec that leaves the work to :mod:`.ragged_arrays`, which imports numpy."""

    def __init__(self, kind: str, function: str) -> None:
        """Name the functions ``decode_...`` and ``encode_...``."""
        self.kind = kind
        self._function = function

    def decode(self, data: Buffer) -> T:
        """Return the records.

        Raises:
            DecodeError: The bytes do not have this layout.
        """
        from maxsidecar.scene.geometry.stored import ragged_arrays

        value: T = getattr(ragged_arrays, f"decode_{self._function}")(data)
        return value

    def encode(self, value: T) -> bytes:
        """Return the bytes of the records.

        Raises:
            EditError: They are no such records.
        """
        from maxsidecar.scene.geometry.stored import ragged_arrays

        try:
            data: bytes = getattr(ragged_arrays, f"encode_{self._function}")(value)
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise EditError(f"not {self.kind}: {error}") from None
        return data

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of records."""
        return {"type": "array", "items": {"type": "object"}}


#: Leaf 0100: vertices, dead ones with their flags only.
VERTICES: Final[Codec[records.Components]] = _Ragged("vertices", "vertices")
#: Leaf 010a: edges, dead ones with their flags only.
EDGES: Final[Codec[records.Components]] = _Ragged("edges", "edges")
#: Leaf 011a: faces with what is not 0.
FACES: Final[Codec[records.FaceRecords]] = _Ragged("faces", "faces")
#: Leaf 012b: a list of map vertices for each face.
MAP_FACES: Final[Codec[records.Lists]] = _Ragged("map faces", "lists")
#: Leaf 0310: a list of edges and one of faces for each vertex.
ADJACENCY: Final[Codec[records.Lists]] = _Ragged("edges and faces of vertices", "lists")
