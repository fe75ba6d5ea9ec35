"""The operations that an Edit Poly stores on one object (docs/format/edit-poly.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import I32, U8, Array
from maxsidecar.io.codecs import U32 as U32_CODEC
from maxsidecar.scene.bit_array import BITS
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork

__all__ = ["NAMES", "OPERATIONS", "Operation", "bit_values", "operation", "read_operations"]

Bits: TypeAlias = npt.NDArray[np.bool_]

_OPERATION, _SETTINGS, _DATA, _CURRENT, _CURRENT_DATA = 0x0230, 0x0234, 0x0238, 0x0260, 0x0268
_BASICS, _SELECTION, _PARAMETER, _BITS = 0x0600, 0x0400, 0x0410, 0x2700
_AS_CLONE, _WITH_VERTICES = 0x0601, 0x1601
_WORDS: Final = Array(U32_CODEC)

_NAMES: Final = """
cap, delete vertex, delete face, detach vertex, detach face, split, break, collapse vertex,
collapse edge, collapse face, reset plane, slice, slice faces, weld vertex, weld edge, create
shape, make planar, remove isolated vertices, MeshSmooth, tessellate, retriangulate, flip face,
flip element, bevel, chamfer vertex, chamfer edge, cut, grow, shrink, inset, extrude vertex,
extrude edge, extrude face, extrude along spline, connect edge, connect vertex, hinge from edge,
select ring, select loop, remove isolated map vertices, remove vertex, remove edge, outline,
toggle shaded faces, transform, delete edge, repeat last, create, align, attach, target weld
vertex, target weld edge, edit triangulation, create edge, clone vertex, clone edge, clone face,
insert vertex in edge, insert vertex in face, auto smooth, smooth, set material, select by
material, select by smoothing group, get selection, bridge border, bridge polygon, make planar
in x, make planar in y, make planar in z, turn edge, relax, paint deformation, bridge edge,
preserve UVs
"""
#: What the operations are called in the public enumeration, by number.
NAMES: Final = dict(enumerate(" ".join(_NAMES.split()).split(", "), 9))


@dataclass(slots=True)
class Operation:
    """One operation.

    Attributes:
        number: What it does, see :data:`NAMES`.
        selection: What was selected: vertices, edges or faces, as the operation needs.
        parameters: 32-bit words of its parameters by number.
        as_clone: Whether a copy is detached.
        with_vertices: Whether removed edges take their vertices away.
        data: What it stores about the mesh; ``None`` where there is nothing.
        current: Whether it was still being edited.
    """

    number: int
    selection: Bits | None = None
    parameters: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    as_clone: bool = False
    with_vertices: bool = False
    data: Chunk | None = None
    current: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return NAMES.get(self.number, f"operation {self.number}")

    def real(self, number: int) -> float:
        """Return a parameter that is a real number.

        Raises:
            NotSupportedError: It is not stored, or no finite number.
        """
        value = float(self._word(number).view(np.float32))
        if not np.isfinite(value):
            raise NotSupportedError(f"its parameter {number} is no number")
        return value

    def integer(self, number: int) -> int:
        """Return a parameter that is a whole number.

        Raises:
            NotSupportedError: It is not stored.
        """
        return int(self._word(number).view(np.int32))

    def _word(self, number: int) -> np.uint32:
        words = self.parameters.get(number)
        if words is None or len(words) != 1:
            raise NotSupportedError(f"its parameter {number} is not stored")
        return np.uint32(words[0])

    def chosen(self, count: int, kind: str) -> Bits:
        """Return the selection.

        Args:
            count: How many there are to select from.
            kind: What they are, for the message.

        Raises:
            NotSupportedError: It was made for another number of them.
        """
        if self.selection is None:
            return np.zeros(count, np.bool_)
        if len(self.selection) != count:
            raise NotSupportedError(
                f"it was made for {len(self.selection)} {kind}, and there are {count}"
            )
        return self.selection

    def chosen_edges(self, work: PolyWork) -> Bits:
        """Return the selected edges.

        Raises:
            NotSupportedError: It was made for another number of edges, or no file proves which
                ones have these numbers.
        """
        chosen = self.chosen(len(work.ends), "edges")
        if np.any(chosen & work.unsure):
            raise NotSupportedError("no file proves the numbers of edges that are new")
        return chosen


#: Changes the mesh; raises ``NotSupportedError`` for what it cannot do.
Change: TypeAlias = Callable[[PolyWork, Operation], None]
OPERATIONS: Final[dict[int, Change]] = {}


def operation(*numbers: int) -> Callable[[Change], Change]:
    """Function decorator: evaluates operations of these numbers."""

    def add(function: Change) -> Change:
        OPERATIONS.update(dict.fromkeys(numbers, function))
        return function

    return add


def bit_values(chunk: Chunk | None) -> Bits | None:
    """Return the bits in a container; ``None`` where there are none."""
    leaf = chunk.find(_BITS) if chunk is not None and chunk.container else None
    if leaf is None:
        return None
    value = decode(leaf, BITS)
    octets = np.frombuffer(value.data, np.uint8)
    return np.unpackbits(octets, count=value.size, bitorder="little").astype(np.bool_)


def read_operations(local: Chunk) -> list[Operation]:
    """Return the operations in the order in which they were made.

    The one that was still being edited comes last; what it does is part of the result.

    Args:
        local: Container 0x2512 of the context.

    Raises:
        DecodeError: A chunk does not have the layout that is known.
    """
    out: list[Operation] = []
    current: Operation | None = None
    for chunk in local.chunks():
        if chunk.id == _OPERATION:
            out.append(Operation(decode(chunk, I32)))
        elif chunk.id == _SETTINGS and chunk.container and out:
            _read_settings(chunk, out[-1])
        elif chunk.id == _DATA and chunk.container and out:
            out[-1].data = chunk
        elif chunk.id == _CURRENT:
            current = Operation(decode(chunk, I32), current=True)
        elif chunk.id == _CURRENT_DATA and chunk.container and current is not None:
            current.data = chunk
    if current is not None and current.data is not None:
        out.append(current)
    return out


def _read_settings(container: Chunk, out: Operation) -> None:
    for chunk in container.chunks():
        if chunk.id == _AS_CLONE and not chunk.container:
            out.as_clone = bool(decode(chunk, U8))
        elif chunk.id == _WITH_VERTICES and not chunk.container:
            out.with_vertices = bool(decode(chunk, U8))
        elif chunk.id == _BASICS and chunk.container:
            for leaf in chunk.chunks():
                if leaf.id == _SELECTION:
                    out.selection = bit_values(leaf)
                elif leaf.id == _PARAMETER and not leaf.container:
                    words: Any = np.array(decode(leaf, _WORDS), np.uint32)
                    if len(words):
                        out.parameters[int(words[:1].view(np.int32)[0])] = words[1:]
