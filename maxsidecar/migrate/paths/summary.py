"""File names in the properties that file dialogs show.

They are copies: 3ds Max writes them anew with every save.  A renamed scene says the new names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError, Where
from maxsidecar.migrate.paths.looks import reads_as_path
from maxsidecar.migrate.paths.place import OUTPUT, SUMMARY, Holder, Place
from maxsidecar.scene.property_edit import TextPlace, replace_texts
from maxsidecar.scene.property_set import DOCUMENT_SUMMARY, read_property_set
from maxsidecar.scene.property_values import StoredText
from maxsidecar.scene.summary import DocumentSummary

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.stream import Stream

__all__ = ["SummaryHolder", "summary_holders"]

_PARTS: Final = 13


class SummaryHolder(Holder):
    """The document properties: names of files that the scene needs, render output, user properties.

    Args:
        stream: The stream.
    """

    def __init__(self, stream: Stream) -> None:
        """Look at the stream."""
        self._stream = stream

    @property
    def where(self) -> Where:
        """The stream's place."""
        return self._stream.where

    def _found(self) -> Iterator[tuple[TextPlace, str, str, str, str]]:
        """Yield place, what stands in front of the path, path, kind and name."""
        properties = read_property_set(self._stream.content, self._stream.where)
        summary = DocumentSummary(properties)
        texts = [text for _, parts in summary.parts for text in parts]
        for item in summary.dependency_numbers:
            yield TextPlace(0, _PARTS, item), "", texts[item], SUMMARY, "external dependency"
        for item in summary.render_data_numbers:
            key, equals, value = texts[item].partition("=")
            if reads_as_path(value):
                yield TextPlace(0, _PARTS, item), key + equals, value, OUTPUT, f"render data {key}"
        for section in properties.sections[1:2]:
            for key_id, name in section.names.items():
                text = section.value(key_id)
                if isinstance(text, StoredText) and reads_as_path(text):
                    yield TextPlace(1, key_id), "", str(text), SUMMARY, f"user property {name}"

    def places(self) -> Iterator[Place]:
        """Yield the names and paths."""
        size = len(self._stream.content)
        where = self.where.within(offset=0)
        for number, (_, _, path, kind, name) in enumerate(self._found()):
            if path:
                yield Place(path, kind, name, number, where, size)

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other names into the properties."""
        found = list(self._found())
        texts = {found[number][0]: found[number][1] + new for number, new in changes.items()}
        try:
            self._stream.replace(replace_texts(self._stream.content, texts))
        except MaxSidecarError as error:
            error.locate(file=self.where.file, stream=self.where.stream)
            raise


def summary_holders(scene_file: MaxFile) -> Iterator[Holder]:
    """Yield the document properties, if there are any."""
    stream = scene_file.streams.get(DOCUMENT_SUMMARY)
    if stream is not None:
        yield SummaryHolder(stream)
