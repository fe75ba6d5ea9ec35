"""How much of a scene is understood: typed, read-only and raw objects by class.

An object is

*typed*: at least one of its own chunks has a declared layout, or it has none of its own; every
declared chunk is written back as the same bytes;

*read-only*: a declared chunk does not have the layout that is known, or would be written in
another way; it rides along untouched;

*raw*: nothing is known of its own chunks; they ride along untouched.

Chunks that objects of any class have (references, AppData and the like) are nobody's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import Bytes
from maxsidecar.scene.objects import SceneObject

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassInfo
    from maxsidecar.scene.scene import Scene

__all__ = ["RAW", "READ_ONLY", "TYPED", "ClassCoverage", "ObjectCoverage", "cover", "cover_object"]

TYPED: Final = "typed"
READ_ONLY: Final = "read-only"
RAW: Final = "raw"

_COMMON: Final = frozenset(field.chunk_id for field in SceneObject.declared.values())
_MAX_REASONS: Final = 5


@dataclass(frozen=True, slots=True)
class ObjectCoverage:
    """What is known of one object.

    Attributes:
        state: :data:`TYPED`, :data:`READ_ONLY` or :data:`RAW`.
        reason: Why it is read-only; empty for other objects.
        size: Bytes in its leaves.
        typed_size: Bytes in leaves that are decoded into values and give the same bytes again.
    """

    state: str
    reason: str
    size: int
    typed_size: int


@dataclass(slots=True)
class ClassCoverage:
    """What is known of the objects of one class.

    Attributes:
        info: The class; ``None`` when the class directory does not say.
        chunk_id: Id of the objects' chunks.
        states: Number of objects by state.
        reasons: Why objects are read-only, most frequent first, with their number.
        size: Bytes in leaves.
        typed_size: Bytes in leaves that are decoded into values.
    """

    info: ClassInfo | None
    chunk_id: int
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    size: int = 0
    typed_size: int = 0

    @property
    def objects(self) -> int:
        """Number of objects."""
        return self.states.total()

    def add(self, found: ObjectCoverage) -> None:
        """Count an object."""
        self.states[found.state] += 1
        if found.reason and (found.reason in self.reasons or len(self.reasons) < _MAX_REASONS):
            self.reasons[found.reason] += 1
        self.size += found.size
        self.typed_size += found.typed_size

    @property
    def text(self) -> str:
        """States in words: ``"typed"``, ``"raw 3, typed 4"``, ``"read-only 1: ..."``."""
        if len(self.states) == 1:
            return f"{next(iter(self.states))}{self._reason}"
        parts = [f"{state} {self.states[state]}" for state in sorted(self.states)]
        return f"{', '.join(parts)}{self._reason}"

    @property
    def _reason(self) -> str:
        return f": {self.reasons.most_common(1)[0][0]}" if self.reasons else ""


def _own_leaves(obj: SceneObject) -> Iterator[tuple[Chunk, bool]]:
    """Yield every leaf with bytes, and whether it belongs to the object's own chunks."""
    stack = [(chunk, chunk.id not in _COMMON) for chunk in obj.chunks()]
    while stack:
        chunk, own = stack.pop()
        if chunk.container:
            stack += [(inner, own) for inner in chunk.chunks()]
        elif len(chunk.data):
            yield chunk, own


def cover_object(obj: SceneObject) -> ObjectCoverage:
    """Return what is known of an object; never raises for what is in a file."""
    scene = obj.scene
    if not scene.is_container(obj.index):
        _, _, body, end, _, _ = scene.span(obj.index)
        return ObjectCoverage(RAW if end > body else TYPED, "", end - body, 0)
    own: set[int] = set()
    size = typed_size = 0
    reason = ""
    typed_own = False
    try:
        for chunk, is_own in _own_leaves(obj):
            size += len(chunk.data)
            if is_own:
                own.add(chunk.start)
        for chunk, name, codec in obj.typed_leaves():
            typed_own = typed_own or chunk.start in own
            try:
                codec.verified(chunk.data)
            except DecodeError as error:
                reason = reason or f"{name}: {error.message}"
            else:
                typed_size += 0 if isinstance(codec, Bytes) else len(chunk.data)
    except MaxSidecarError as error:
        reason = reason or error.message
    if reason:
        return ObjectCoverage(READ_ONLY, reason, size, typed_size)
    return ObjectCoverage(RAW if own and not typed_own else TYPED, "", size, typed_size)


def cover(scene: Scene) -> list[ClassCoverage]:
    """Return what is known of every class of a scene, in the order of first objects."""
    found: dict[int, ClassCoverage] = {}
    for obj in scene:
        chunk_id = scene.chunk_id(obj.index)
        if chunk_id not in found:
            found[chunk_id] = ClassCoverage(obj.info, chunk_id)
        found[chunk_id].add(cover_object(obj))
    return list(found.values())
