"""Note tracks: texts with a time that animators hang on any object; read-only for now.

Container 0x2140 holds the number of tracks (0x0130) and then, per note, its time (0x0100), flags
(0x0110) and text (0x0120).  Which note belongs to which of several tracks is not stored in a known
way, so all notes of an object are one list.  (spec: pipeline-max-design section 10d; no scene
of the corpus has a note track, so this is not measured.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError
from maxsidecar.io.fields import I32, U32, UTF16

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = ["NOTE_TRACKS", "Note", "read_notes"]

NOTE_TRACKS: Final = 0x2140
_TIME: Final = 0x0100
_FLAGS: Final = 0x0110
_TEXT: Final = 0x0120
_COUNT: Final = 0x0130


@dataclass(frozen=True, slots=True)
class Note:
    """One note.

    Attributes:
        time: Time in ticks (1/4800 s).
        flags: Key flags, as stored.
        text: The note.
    """

    time: int
    flags: int
    text: str


def read_notes(obj: SceneObject) -> list[Note]:
    """Return the notes of an object in stored order; empty when it has none.

    Raises:
        DecodeError: The container does not have the layout above.
    """
    chunk = obj.find(NOTE_TRACKS)
    if chunk is None or not chunk.container:
        return []
    notes: list[Note] = []
    time = flags = None
    for part in chunk.chunks():
        if part.id == _TIME:
            time, flags = I32.verified(part.data), None
        elif part.id == _FLAGS:
            flags = U32.verified(part.data)
        elif part.id == _TEXT:
            if time is None or flags is None:
                raise DecodeError("a note has no time or no flags", part.where)
            notes.append(Note(time, flags, UTF16.verified(part.data)))
            time = flags = None
        elif part.id != _COUNT:
            raise DecodeError("unknown chunk in a note track", part.where, found=f"{part.id:04x}")
    return notes
