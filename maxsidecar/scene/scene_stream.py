"""Which objects a Scene stream holds, and what is wrong with it when it is damaged."""

from __future__ import annotations

from dataclasses import dataclass, field

from maxsidecar.errors import ChunkError, Where
from maxsidecar.io.chunks import Buffer, Span, scan
from maxsidecar.io.headers import scan_sound
from maxsidecar.scene.object_list import first_span

__all__ = ["SceneStream", "read_stream"]

_FIXED = "the list of objects is damaged"


@dataclass(slots=True)
class SceneStream:
    """What a Scene stream holds.

    Attributes:
        root: The root chunk.
        spans: The objects in it.
        problems: What is damaged.
        read_only: Why nothing in it can be edited, or ``None``.
        fixed: Why no object can come or go, or ``None``.
    """

    root: Span
    spans: list[Span] = field(default_factory=list)
    problems: list[ChunkError] = field(default_factory=list)
    read_only: str | None = None
    fixed: str | None = None


def read_stream(data: Buffer, where: Where, *, lenient: bool) -> SceneStream:
    """List the objects of a Scene stream.

    Args:
        data: The unpacked stream.
        where: File and stream, for messages.
        lenient: Keep what can be read of a damaged stream.

    Raises:
        ChunkError: The stream has no root chunk, or (strict) its objects are damaged.
    """
    stream = _read_root(data, where, lenient)
    root_id, _, body, end, _, _ = stream.root
    stream.spans, error = scan_sound(data, body, end)
    if error is not None:
        error.where = Where(where.file, where.stream, f"{root_id:04x}[0]", error.where.offset)
        if not lenient:
            raise error
        stream.problems.append(error)
        stream.fixed = _FIXED
    return stream


def _read_root(data: Buffer, where: Where, lenient: bool) -> SceneStream:
    problems: list[ChunkError] = []
    read_only = fixed = None
    try:
        roots = scan(data, 0, len(data), root=True)
    except ChunkError as error:
        error.where = where.within(offset=error.where.offset)
        if not lenient:
            raise
        # Trailing damage: the root itself may still be whole, or be all that there is.
        problems.append(error.with_traceback(None))
        roots, cut = first_span(data)
        if cut:
            read_only = "the Scene stream is cut short, so it is read-only"
    if not roots or not roots[0][4]:
        raise ChunkError("the Scene stream has no root chunk", where)
    left = len(data) - roots[0][3]
    if left and len(roots) > 1:
        # Every real scene ends with its root (measured); what follows may be cut-off objects.
        extra = ChunkError(
            "bytes behind the root chunk belong to no object",
            where.within(offset=roots[0][3]),
            expected="0 bytes",
            found=left,
        )
        if not lenient:
            raise extra
        problems.append(extra)
        fixed = _FIXED
    return SceneStream(roots[0], [], problems, read_only, fixed)
