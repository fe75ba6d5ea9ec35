"""How much of a scene is understood: typed, read-only and raw objects by class.

An object is

*typed*: all that its own chunks hold is decoded into values, and written back as the same bytes; or
it has no chunks of its own;

*typed in part*: that is so for some of its own chunks; the others ride along as bytes;

*read-only*: a declared chunk does not have the layout that is known, or would be written in
another way; it rides along untouched;

*raw*: nothing of its own chunks is decoded; they ride along untouched.

Chunks that objects of any class have (references, AppData and the like) are nobody's own.  What a
declaration keeps as bytes is not decoded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import Bytes, Codec
from maxsidecar.io.headers import Span
from maxsidecar.scene.objects import SceneObject

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassInfo
    from maxsidecar.scene.scene import Scene

__all__ = [
    "PARTLY",
    "RAW",
    "READ_ONLY",
    "STATES",
    "TYPED",
    "ClassCoverage",
    "ObjectCoverage",
    "cover",
    "cover_object",
]

TYPED: Final = "typed"
PARTLY: Final = "typed in part"
READ_ONLY: Final = "read-only"
RAW: Final = "raw"
#: All states, the best one first.
STATES: Final = (TYPED, PARTLY, READ_ONLY, RAW)

#: Verifies a record, see :meth:`Codec.verified`.
Verify = Callable[[Codec[Any], memoryview], object]
#: Told of a record that is not written back as the same bytes.
Report = Callable[[MaxSidecarError], None]

_COMMON: Final = frozenset(field.chunk_id for field in SceneObject.declared.values())
_MAX_REASONS: Final = 5


@dataclass(frozen=True, slots=True)
class ObjectCoverage:
    """What is known of one object.

    Attributes:
        state: One of :data:`STATES`.
        reason: Why it is read-only; empty for other objects.
        bare: Whether it is typed because it has no chunks of its own.
        size: Bytes in the leaves of its own chunks; 0 when they were not to be measured.
        typed_size: Those of them that are decoded into values and give the same bytes again.
        common_size: Bytes in chunks that objects of any class have, decoded likewise.
    """

    state: str
    reason: str = ""
    bare: bool = False
    size: int = 0
    typed_size: int = 0
    common_size: int = 0


@dataclass(slots=True)
class ClassCoverage:
    """What is known of the objects of one class.

    Attributes:
        info: The class; ``None`` when the class directory does not say.
        chunk_id: Id of the objects' chunks.
        states: Number of objects by state.
        reasons: Why objects are read-only, most frequent first, with their number.
        bare: Number of typed objects without chunks of their own.
        size: Bytes in leaves of their own chunks.
        typed_size: Those of them that are decoded into values.
    """

    info: ClassInfo | None
    chunk_id: int
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    bare: int = 0
    size: int = 0
    typed_size: int = 0

    @property
    def objects(self) -> int:
        """Number of objects."""
        return self.states.total()

    def add(self, found: ObjectCoverage) -> None:
        """Count an object."""
        self.states[found.state] += 1
        self.bare += found.bare
        if found.reason and (found.reason in self.reasons or len(self.reasons) < _MAX_REASONS):
            self.reasons[found.reason] += 1
        self.size += found.size
        self.typed_size += found.typed_size

    @property
    def text(self) -> str:
        """States in words: ``"typed"``, ``"typed 4, raw 3"``, ``"read-only 1: ..."``."""
        if len(self.states) == 1:
            return f"{next(iter(self.states))}{self._reason}"
        parts = [f"{state} {self.states[state]}" for state in STATES if self.states[state]]
        return f"{', '.join(parts)}{self._reason}"

    @property
    def _reason(self) -> str:
        return f": {self.reasons.most_common(1)[0][0]}" if self.reasons else ""


class _Own:
    """Counts what is decoded of an object's own chunks.

    Attributes:
        leaves: Number of leaves that are decoded.
        size: Bytes in them.
        covered: The same with the headers of the leaves, and of the containers around them: that
            of all own chunks when all of them are decoded.
    """

    def __init__(self) -> None:
        self.leaves = self.size = self.covered = 0
        self._entered: set[int] = set()

    def add(self, chunk: Chunk) -> bool:
        """Count a leaf; returns whether it is the object's own."""
        outer = chunk.parent
        if outer is None:
            if chunk.id in _COMMON:
                return False
        else:
            while outer.parent is not None:
                outer = outer.parent
            if outer.id in _COMMON:
                return False
            self._enter(chunk.parent)
        self.leaves += 1
        self.size += chunk.end - chunk.body
        self.covered += chunk.end - chunk.start
        return True

    def _enter(self, container: Chunk | None) -> None:
        while container is not None and container.start not in self._entered:
            self._entered.add(container.start)
            self.covered += container.body - container.start
            container = container.parent


def _own_spans(obj: SceneObject) -> list[Span]:
    return [span for span in obj.data.top() if span[0] not in _COMMON]


def _leaf_bytes(obj: SceneObject, spans: list[Span]) -> int:
    size = 0
    pending = [*spans]
    while pending:
        _, _, start, end, container, _ = pending.pop()
        if container:
            pending += obj.data.scan(start, end)
        else:
            size += end - start
    return size


def _verify(codec: Codec[Any], data: memoryview) -> None:
    codec.verified(data)


def cover_object(
    obj: SceneObject,
    verify: Verify = _verify,
    report: Report | None = None,
    *,
    measure: bool = True,
) -> ObjectCoverage:
    """Return what is known of an object; never raises for what is in a file.

    Args:
        obj: The object.
        verify: Verifies a record; one that remembers what it saw saves time.
        report: Called with every :class:`DecodeError` or :class:`ChunkError`, place filled in.
        measure: Find out ``size``, which takes time.
    """
    if not len(obj.data.data):
        _, _, body, end, container, _ = obj.scene.span(obj.index)
        size = 0 if container else end - body
        return ObjectCoverage(RAW if size else TYPED, bare=not size, size=size)
    own = _Own()
    size = common_size = whole = 0
    reason = ""
    try:
        for chunk, name, codec in obj.typed_leaves():
            data = chunk.data
            try:
                verify(codec, data)
            except DecodeError as error:
                error.message = f"{name}: {error.message}"
                reason = reason or error.message
                if report is not None:
                    where = chunk.where
                    report(error.locate(file=where.file, stream=where.stream, path=where.path))
            else:
                if not isinstance(codec, Bytes) and not own.add(chunk):
                    common_size += len(data)
        spans = _own_spans(obj)
        whole = sum(span[3] - span[1] for span in spans)
        if measure:
            size = _leaf_bytes(obj, spans)
    except MaxSidecarError as error:
        reason = reason or error.message
        if report is not None:
            report(error)
    if reason:
        state = READ_ONLY
    elif own.covered >= whole:
        state = TYPED
    else:
        state = PARTLY if own.leaves else RAW
    return ObjectCoverage(state, reason, state == TYPED and not whole, size, own.size, common_size)


def cover(scene: Scene) -> list[ClassCoverage]:
    """Return what is known of every class of a scene, in the order of first objects."""
    found: dict[int, ClassCoverage] = {}
    for obj in scene.passing():
        chunk_id = scene.chunk_id(obj.index)
        if chunk_id not in found:
            found[chunk_id] = ClassCoverage(obj.info, chunk_id)
        found[chunk_id].add(cover_object(obj))
    return list(found.values())
