"""What the property sets say about a scene, by the position of its parts.

Headings and parts are localised, so nothing here depends on their words.  Names of users and of
their computers, which 3ds Max writes too, are only in the raw properties and parts (measured on
the corpus, docs/format/streams.md section 8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from maxsidecar.scene.property_set import PropertySection, PropertySet
from maxsidecar.scene.property_values import PropertyValue, Variant
from maxsidecar.scene.release import release_in_text
from maxsidecar.scene.thumbnail import Thumbnail, read_thumbnail

__all__ = ["SUMMARY_FIELDS", "DocumentSummary", "Summary"]

#: Attributes of :class:`Summary` that are fit to be shown.
SUMMARY_FIELDS: Final = ("title", "subject", "author", "comments", "revision", "created", "saved")

_TITLE: Final = 2
_SUBJECT: Final = 3
_AUTHOR: Final = 4
_COMMENTS: Final = 6
_REVISION: Final = 9
_CREATED: Final = 12
_SAVED: Final = 13
_THUMBNAIL: Final = 17
_DOCUMENT_ID: Final = 35
_HEADINGS: Final = 12
_PARTS: Final = 13

_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_LAST: Final = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_COUNT = re.compile(r"([0-9]{1,18})\s*$")

TOTALS: Final = (
    "objects",
    "shapes",
    "lights",
    "cameras",
    "helpers",
    "space_warps",
    "total",
)


class Summary:
    """SummaryInformation in friendly terms.

    Attributes:
        properties: Everything that is stored.
    """

    def __init__(self, properties: PropertySet) -> None:
        """Look at the first section."""
        self.properties = properties
        self._section = _section(properties, 0)

    def _value(self, property_id: int) -> PropertyValue:
        return self._section.value(property_id) if self._section is not None else None

    def _text(self, property_id: int) -> str:
        value = self._value(property_id)
        return str(value) if isinstance(value, str) else ""

    @property
    def title(self) -> str:
        """Title, or nothing."""
        return self._text(_TITLE)

    @property
    def subject(self) -> str:
        """Subject, or nothing."""
        return self._text(_SUBJECT)

    @property
    def author(self) -> str:
        """Author that the user typed in, or nothing."""
        return self._text(_AUTHOR)

    @property
    def comments(self) -> str:
        """Comments, or nothing."""
        return self._text(_COMMENTS)

    @property
    def revision(self) -> str:
        """How often the scene was saved, as text, or nothing."""
        return self._text(_REVISION)

    @property
    def created(self) -> datetime | None:
        """When the scene was made (UTC)."""
        return _time(self._value(_CREATED))

    @property
    def saved(self) -> datetime | None:
        """When the scene was last saved (UTC)."""
        return _time(self._value(_SAVED))

    @property
    def document_id(self) -> UUID | None:
        """Id of the document."""
        value = self._value(_DOCUMENT_ID)
        return value if isinstance(value, UUID) else None

    @property
    def thumbnail(self) -> Thumbnail | None:
        """The picture, ``None`` where there is none.

        Raises:
            DecodeError: There is a picture that cannot be read.
        """
        value = self._value(_THUMBNAIL)
        return read_thumbnail(value) if isinstance(value, bytes) else None


@dataclass(frozen=True, slots=True)
class _Roles:
    """Which heading, by position, has which kind of parts."""

    dependencies: int | None = None
    objects: int | None = None
    materials: int | None = None
    plugins: int | None = None
    render_data: int | None = None


class DocumentSummary:
    """DocumentSummaryInformation in friendly terms.

    Attributes:
        properties: Everything that is stored.
        parts: (heading, its parts) in stored order, as they are: localised, and with the names
            of user and computer under the last one.
    """

    def __init__(self, properties: PropertySet) -> None:
        """Cut the parts up by the headings' numbers."""
        self.properties = properties
        self.parts = _parts(_section(properties, 0))
        self._roles = _roles(self.parts)

    def _part(self, heading: int | None, position: int) -> str:
        parts = self._of(heading)
        return parts[position] if position < len(parts) else ""

    def _of(self, heading: int | None) -> tuple[str, ...]:
        if heading is None or heading >= len(self.parts):
            return ()
        return self.parts[heading][1]

    @property
    def version_text(self) -> str:
        """The line that names the program, such as ``3ds Max Version: 19,00``."""
        return self._part(0, 0)

    @property
    def release(self) -> int | None:
        """Release times 1000 of the program in the version text."""
        return release_in_text(self.version_text)

    @property
    def mesh_totals(self) -> dict[str, int]:
        """Numbers of ``vertices`` and ``faces``, as far as they are there."""
        return _totals(self._of(1), ("vertices", "faces"))

    @property
    def scene_totals(self) -> dict[str, int]:
        """Numbers of ``objects``, ``shapes``, ``lights`` and so on, as far as they are there."""
        return _totals(self._of(2), TOTALS)

    @property
    def external_dependencies(self) -> tuple[str, ...]:
        """Files that the scene needs."""
        return self._of(self._roles.dependencies)

    @property
    def dependency_numbers(self) -> range:
        """Which parts, counted over all headings, are the external dependencies."""
        return self._numbers(self._roles.dependencies)

    @property
    def render_data_numbers(self) -> range:
        """Which parts, counted over all headings, are ``key=value`` of render settings."""
        return self._numbers(self._roles.render_data)

    def _numbers(self, heading: int | None) -> range:
        if heading is None:
            return range(0)
        start = sum(len(parts) for _, parts in self.parts[:heading])
        return range(start, start + len(self._of(heading)))

    @property
    def object_names(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return self._of(self._roles.objects)

    @property
    def material_names(self) -> tuple[str, ...]:
        """Names of the materials."""
        return self._of(self._roles.materials)

    @property
    def plugins(self) -> tuple[str, ...]:
        """File names of the plug-ins in use."""
        return self._of(self._roles.plugins)

    @property
    def user_properties(self) -> dict[str, PropertyValue]:
        """Properties that users or tools added, by name."""
        section = _section(self.properties, 1)
        if section is None:
            return {}
        return {
            name: str(value) if isinstance(value := section.value(property_id), str) else value
            for property_id, name in section.names.items()
            if property_id in section.properties
        }

    @property
    def code_page(self) -> int | None:
        """Code page of the first section."""
        section = _section(self.properties, 0)
        return section.code_page if section is not None else None


def _section(properties: PropertySet, number: int) -> PropertySection | None:
    return properties.sections[number] if number < len(properties.sections) else None


def _time(value: PropertyValue) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value // 10 <= _LAST:
        return None
    return _EPOCH + timedelta(microseconds=value // 10)


def _parts(section: PropertySection | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    headings = section.value(_HEADINGS) if section is not None else None
    texts = section.value(_PARTS) if section is not None else None
    if not isinstance(headings, tuple) or not isinstance(texts, tuple):
        return ()
    values = [item.value if isinstance(item, Variant) else item for item in headings]
    out: list[tuple[str, tuple[str, ...]]] = []
    at = 0
    for heading, count in zip(values[::2], values[1::2], strict=False):
        if not isinstance(heading, str) or not isinstance(count, int) or count < 0:
            break
        out.append((str(heading), tuple(str(text) for text in texts[at : at + count])))
        at += count
    return tuple(out)


def _roles(parts: tuple[tuple[str, tuple[str, ...]], ...]) -> _Roles:
    """Tell the headings behind the totals apart, of which the outer two may be missing.

    All parts of render data read ``key=value``, and names of plug-ins never do (measured).
    """
    last = len(parts) - 1
    if last < 5:
        return _Roles()
    render = last if parts[last][1] and all("=" in text for text in parts[last][1]) else None
    plugins = last if render is None else last - 1
    if plugins not in (5, 6):
        return _Roles(render_data=render)
    return _Roles(3 if plugins == 6 else None, plugins - 2, plugins - 1, plugins, render)


def _totals(parts: tuple[str, ...], names: tuple[str, ...]) -> dict[str, int]:
    found = {name: _COUNT.search(text) for name, text in zip(names, parts, strict=False)}
    return {name: int(match[1]) for name, match in found.items() if match is not None}
