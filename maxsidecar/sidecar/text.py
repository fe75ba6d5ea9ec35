"""A whole scene as text: for reading, and for ``git diff``.

The form is made so that a small change of the scene changes few lines.  There are no offsets in
it, a stream whose content is shown has no size or digest of its own, and references name their
target by what stays, see :class:`~maxsidecar.sidecar.object_names.ObjectNames`.  Storage indices
in chunks that nothing is known of are the exception: they are bytes like any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.text_chunks import problem_text
from maxsidecar.sidecar.text_objects import object_blocks
from maxsidecar.sidecar.text_streams import stored_lines, stream_blocks, stream_list
from maxsidecar.sidecar.text_values import digest, show

__all__ = ["FORMAT", "file_lines", "scene_lines"]

#: Version of the text form.
FORMAT: Final = 1

_FACTS: Final[dict[str, Callable[[MaxFile], object]]] = {
    "release": lambda scene_file: scene_file.release,
    "written by": lambda scene_file: scene_file.program_name or "",
    "code page": lambda scene_file: scene_file.code_page,
}


def file_lines(data: bytes, *, full: bool = False) -> Iterator[str]:
    """Yield the text form of a file, also when it is damaged or no scene at all.

    Args:
        data: The file's bytes.
        full: Show all bytes of long leaves.
    """
    try:
        scene_file = MaxFile(data)
    except MaxSidecarError as error:
        yield f"# maxsidecar text {FORMAT}"
        yield problem_text(error)
        yield f"file = ({len(data)} bytes, sha256 {digest(data)})"
        return
    yield from scene_lines(scene_file, full=full)


def scene_lines(scene_file: MaxFile, *, full: bool = False) -> Iterator[str]:
    """Yield the text form of an opened file.

    Args:
        scene_file: The file; what is damaged in it is shown as far as it can be read.
        full: Show all bytes of long leaves.
    """
    yield f"# maxsidecar text {FORMAT}"
    for name, read in _FACTS.items():
        try:
            yield f"{name} = {show(read(scene_file))}"
        except MaxSidecarError as error:
            yield f"{name}: {problem_text(error)}"
    yield ""
    yield "[streams]"
    yield from stream_list(scene_file)
    yield from stream_blocks(scene_file, full=full)
    try:
        scene = scene_file.scene
    except MaxSidecarError as error:
        yield ""
        yield '["Scene"]'
        yield problem_text(error)
        yield from stored_lines(scene_file.streams["Scene"])
        return
    yield from object_blocks(scene, full=full)
