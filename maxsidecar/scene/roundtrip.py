"""The round-trip gate: proof that a file can be read, edited and saved without loss.

:func:`check_file` takes one file through four tests:

1. every chunk stream, rebuilt from its index, equals the original;
2. every typed view, decoded and encoded, equals the original, and what objects say of one another
   fits together;
3. saving without an edit gives the file, and so does writing the rebuilt streams over the old ones;
4. an edit and its reversal, each saved and opened again, give the file back.

It never raises for what is in a file: what is wrong ends up in the result.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from maxsidecar.errors import DecodeError, LimitError, MaxSidecarError, NotMaxFileError, Where
from maxsidecar.io.buffers import Buffer, same_bytes
from maxsidecar.io.codecs import Codec
from maxsidecar.io.compound_patch import patch
from maxsidecar.io.index import ChunkIndex
from maxsidecar.scene.appdata_registry import REGISTRY
from maxsidecar.scene.coverage import PARTLY, RAW, READ_ONLY, TYPED, cover_object
from maxsidecar.scene.maxfile import MaxFile, Stream
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.roundtrip_edit import check_edits
from maxsidecar.scene.roundtrip_links import LinkCheck
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.stream_check import check_stream
from maxsidecar.scene.stream_views import CHUNK_STREAMS

__all__ = [
    "FAILED",
    "MAX_PROBLEMS",
    "NOT_MAX",
    "OK",
    "CheckResult",
    "check_bytes",
    "check_file",
    "not_checked",
]

OK: Final = "ok"
FAILED: Final = "failed"
NOT_MAX: Final = "not-max"

#: A file lists this many problems one by one, and counts the others.
MAX_PROBLEMS: Final = 100

#: Records up to this many bytes are remembered, so that equal ones are verified once.
_REMEMBERED: Final = 256

Report = Callable[[MaxSidecarError], None]


@dataclass(slots=True)
class CheckResult:
    """What the check found out about one file.

    Attributes:
        path: The file.
        release: Release that the Scene stream stands for; empty when it could not be read.
        status: ``ok``, ``failed`` or ``not-max``.
        compressed: Whether it is a compressed save.
        streams: Number of streams.
        chunks: Number of chunks in all chunk streams.
        objects: Number of scene objects.
        typed_objects: Objects that are typed, see :mod:`maxsidecar.scene.coverage`.
        partly_typed_objects: Objects that are typed in part.
        read_only_objects: Objects with a record that did not give the same bytes.
        raw_objects: Objects of which nothing is decoded.
        typed_bytes: Bytes of the Scene stream in records that are decoded into values and gave
            the same bytes; what is kept as raw bytes does not count.
        scene_bytes: Size of the unpacked Scene stream.
        problems: What is wrong, each with its place; for ``not-max`` the reason.
        notes: What is odd, but does not keep the file from being edited and saved.
    """

    path: str
    release: str = ""
    status: str = OK
    compressed: bool = False
    streams: int = 0
    chunks: int = 0
    objects: int = 0
    typed_objects: int = 0
    partly_typed_objects: int = 0
    read_only_objects: int = 0
    raw_objects: int = 0
    typed_bytes: int = 0
    scene_bytes: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data, in the order of the attributes."""
        return asdict(self)


class _Problems:
    """Collects problems or notes, each once."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.texts: dict[str, None] = {}
        self.unlisted = 0

    def add(self, error: MaxSidecarError | str) -> None:
        text = str(error)
        if len(self.texts) < MAX_PROBLEMS:
            self.texts[text] = None
        elif text not in self.texts:
            self.unlisted += 1

    def listed(self, path: Path) -> list[str]:
        if self.unlisted:
            text = f"{self.unlisted} more {self.noun} are not listed"
            return [*self.texts, str(MaxSidecarError(text, Where(str(path))))]
        return list(self.texts)


def check_file(path: str | os.PathLike[str]) -> CheckResult:
    """Check one file.

    Args:
        path: The file.  It is only read.
    """
    target = Path(path)
    try:
        data = target.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        return CheckResult(str(path), status=FAILED, problems=[f"{path}: cannot be read: {reason}"])
    except MemoryError:
        reason = "the file is too large for the memory"
        return CheckResult(str(path), status=FAILED, problems=[f"{path}: {reason}"])
    return check_bytes(data, target)


def check_bytes(data: bytes, path: Path) -> CheckResult:
    """Check a file whose bytes are in memory already."""
    result = CheckResult(str(path))
    problems, notes = _Problems("problems"), _Problems("notes")
    try:
        scene_file = MaxFile(data, path)
        result.streams = len(scene_file.streams)
        _check_scene_file(scene_file, data, result, problems, notes)
    except NotMaxFileError as error:
        result.status = NOT_MAX
        result.problems = [str(error)]
        return result
    except MaxSidecarError as error:
        problems.add(error)
    except MemoryError:
        problems.add(LimitError("there is not enough memory to check the file"))
    result.problems, result.notes = problems.listed(path), notes.listed(path)
    result.status = FAILED if result.problems else OK
    return result


def _check_scene_file(
    scene_file: MaxFile,
    data: bytes,
    result: CheckResult,
    problems: _Problems,
    notes: _Problems,
) -> None:
    rebuilt: dict[str, Buffer] = {}
    for name, stream in scene_file.streams.items():
        try:
            _check_chunks(stream, result, problems, rebuilt)
        except MaxSidecarError as error:
            problems.add(error.locate(file=stream.file, stream=name))
    _choose_encodings(scene_file, problems)
    for name, stream in scene_file.streams.items():
        if name != "Scene":
            check_stream(stream, problems.add)
    scene = scene_file.scene
    result.release = scene_file.release
    result.compressed = scene_file.compressed
    result.scene_bytes = len(scene.data)
    result.objects = len(scene)
    _check_objects(scene, result, problems, notes)
    if scene_file.config is not None:
        LinkCheck(scene, problems.add, notes.add).check_config(scene_file.config)
    for problem in (*scene.problems, *scene_file.nodes.problems):
        problems.add(problem)
    where = scene_file.compound.where
    if b"".join(scene_file.segments()) != data:
        problems.add(MaxSidecarError("saving without an edit changes the file", where))
    if b"".join(patch(scene_file.compound, rebuilt)) != data:
        problems.add(MaxSidecarError("writing the rebuilt streams changes the file", where))
    if not problems.texts:
        # A file that is damaged already would only give the same problems once more.
        check_edits(scene_file, data, problems.add)


def _check_objects(
    scene: Scene, result: CheckResult, problems: _Problems, notes: _Problems
) -> None:
    """Verify the typed records of every object, and what it says of others."""
    verified = _Verified()
    links = LinkCheck(scene, problems.add, notes.add)
    states: Counter[str] = Counter()
    with_appdata = {obj.index for obj in scene.objects_with_appdata()}
    for obj in scene.passing():
        found = cover_object(obj, verified.check, problems.add, measure=False)
        states[found.state] += 1
        if not found.reason:
            result.typed_bytes += found.typed_size + found.common_size
            links.check(obj)
        if obj.index in with_appdata:
            try:
                result.typed_bytes += _check_appdata(obj, problems.add)
            except MaxSidecarError as error:
                problems.add(error)
    result.typed_objects = states[TYPED]
    result.partly_typed_objects = states[PARTLY]
    result.read_only_objects = states[READ_ONLY]
    result.raw_objects = states[RAW]


def _choose_encodings(scene_file: MaxFile, problems: _Problems) -> None:
    """Let the views of the streams know the code page of the file, which asking for them does."""
    try:
        _ = scene_file.config, scene_file.custom_attribute_definitions
    except MaxSidecarError as error:
        problems.add(error)


def _check_chunks(
    stream: Stream, result: CheckResult, problems: _Problems, rebuilt: dict[str, Buffer]
) -> None:
    """Compare a chunk stream with what its index makes of it; others only need to unpack."""
    data = stream.data
    if stream.name not in CHUNK_STREAMS:
        return
    index = ChunkIndex(data, strict=False, where=stream.where)
    result.chunks += len(index)
    for problem in index.problems:
        problems.add(problem)
    again = index.rebuild()
    if not same_bytes(again, data):
        problems.add(
            MaxSidecarError("the stream rebuilt from its index is another one", stream.where)
        )
    elif stream.packing == "plain":
        rebuilt[stream.path] = again


class _Verified:
    """Remembers which bytes a codec gave back, since most records of a scene repeat."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, bytes]] = set()
        # An id is that of one codec only as long as the codec lives.
        self._codecs: dict[int, Codec[Any]] = {}

    def check(self, codec: Codec[Any], data: memoryview) -> None:
        """Verify a record; raises :class:`DecodeError`."""
        if len(data) > _REMEMBERED:
            codec.verified(data)
            return
        key = (id(codec), bytes(data))
        if key not in self._seen:
            codec.verified(data)
            self._codecs.setdefault(key[0], codec)
            self._seen.add(key)


def _check_appdata(obj: SceneObject, report: Report) -> int:
    """Verify the AppData entries whose meaning is known; returns their size."""
    size = 0
    for key, raw in obj.appdata:
        prop = REGISTRY.by_key(key)
        if prop is None:
            continue
        try:
            decoded = prop.decode(raw, obj.scene.code_page)
        except DecodeError:
            continue  # shown and kept as raw bytes
        if prop.edit(raw, decoded.value, obj.scene.code_page) != raw:
            report(MaxSidecarError(f"AppData {prop.name} would not be written the same", obj.where))
        elif decoded.canonical:
            size += len(raw)
    return size


def not_checked(path: str | os.PathLike[str], reason: str) -> CheckResult:
    """Return the result of a file whose check did not come to an end."""
    problem = MaxSidecarError(reason, Where(str(path)))
    return CheckResult(str(path), status=FAILED, problems=[str(problem)])
