"""SaveConfigData: which program saved the scene, as which release, and in which languages.

Files of root id 2014 and later have it (measured on the corpus, docs/format/streams.md section 7).
"""

from __future__ import annotations

from maxsidecar.io.fields import U16, U32, record_codec
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.release import ProgramVersion
from maxsidecar.scene.stream_views import StreamView, register_stream

__all__ = ["SaveConfig"]


@register_stream("SaveConfigData")
class SaveConfig(StreamView):
    """How the scene was saved."""

    __slots__ = ()
    program = ChunkField(
        0x2170, record_codec(ProgramVersion), doc="build and release of the program that saved"
    )
    saved_as = ChunkField(0x2173, U32, doc="release times 1000 whose format was chosen")
    language = ChunkField(0x2172, U16, doc="Windows language id of the program")
    code_page = ChunkField(0x2174, U32, doc="code page of 8-bit text in the file")
    other_language = ChunkField(0x2171, U16, doc="another language id, or 0; meaning open")
