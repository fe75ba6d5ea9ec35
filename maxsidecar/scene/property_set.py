"""Property sets: SummaryInformation and DocumentSummaryInformation.

``u16 fffe, u16 version, u32 system, GUID, u32 sections``, then for each section its format id and
offset; a section is ``u32 size, u32 count``, ``count`` pairs of property id and offset, values.
Strings are padded to four bytes inside vectors too, and code page 1200 makes 8-bit strings hold
UTF-16 (measured on the corpus, docs/format/streams.md section 8).  The streams are read only: what
they say follows from the scene, and 3ds Max writes them anew with every save.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Final
from uuid import UUID

from maxsidecar.errors import DecodeError, Where
from maxsidecar.io.chunks import Buffer
from maxsidecar.scene.code_pages import encoding_of
from maxsidecar.scene.property_values import PropertyValue, read_names, read_value

__all__ = [
    "DOCUMENT_SUMMARY",
    "PROPERTY_STREAMS",
    "SUMMARY",
    "Property",
    "PropertySection",
    "PropertySet",
    "read_property_set",
]

SUMMARY: Final = "\x05SummaryInformation"
DOCUMENT_SUMMARY: Final = "\x05DocumentSummaryInformation"
PROPERTY_STREAMS: Final = frozenset({SUMMARY, DOCUMENT_SUMMARY})

#: Real streams have one or two sections; more are refused.
MAX_SECTIONS: Final = 8

_HEADER = Struct("<HHI16sI")
_SECTION = Struct("<16sI")
_PAIR = Struct("<II")
_NAMES: Final = 0  # the dictionary of user properties
_CODE_PAGE: Final = 1
_VT_I2: Final = 2


@dataclass(frozen=True, slots=True)
class Property:
    """One property.

    Attributes:
        id: Property id.
        type: Stored type (``VT_...``), with 0x1000 for a vector.
        value: The value, ``None`` when ``problem`` says why it cannot be read.
        raw: Type and value as stored, with padding and whatever lies behind it.
        problem: Why the value cannot be read.
    """

    id: int
    type: int
    value: PropertyValue
    raw: bytes
    problem: DecodeError | None = None


@dataclass(frozen=True, slots=True)
class PropertySection:
    """One section.

    Attributes:
        format_id: What kind of section it is.
        code_page: Code page of its strings, ``None`` when it does not say.
        names: Names of user properties by property id.
        properties: Properties by id, in table order; of equal ids the first.
    """

    format_id: UUID
    code_page: int | None
    names: dict[int, str]
    properties: dict[int, Property]

    @property
    def encoding(self) -> str:
        """Python codec of 8-bit strings."""
        return encoding_of(self.code_page)

    def value(self, property_id: int) -> PropertyValue:
        """Return the value of a property, ``None`` when it is absent or cannot be read."""
        found = self.properties.get(property_id)
        return found.value if found is not None else None


@dataclass(frozen=True, slots=True)
class PropertySet:
    """A whole stream.

    Attributes:
        system: Operating system that wrote it, as stored.
        sections: Sections in stored order.
    """

    system: int
    sections: tuple[PropertySection, ...]


def read_property_set(data: Buffer, where: Where | None = None) -> PropertySet:
    """Read a property set stream.

    Args:
        data: The stream.
        where: File and stream, for messages.

    Raises:
        DecodeError: Header or tables are damaged.  A property that cannot be read does not raise;
            its ``problem`` says why.
    """
    stored = bytes(data)
    try:
        return _read(stored)
    except DecodeError as error:
        if where is not None:
            error.locate(file=where.file, stream=where.stream)
        raise


def _read(data: bytes) -> PropertySet:
    if len(data) < _HEADER.size:
        raise DecodeError("a property set is cut off", expected=_HEADER.size, found=len(data))
    mark, _, system, _, count = _HEADER.unpack_from(data)
    if mark != 0xFFFE:
        raise DecodeError("not a property set", expected="fffe", found=f"{mark:04x}")
    if count > MAX_SECTIONS or _HEADER.size + count * _SECTION.size > len(data):
        raise DecodeError("a property set with too many sections", found=count)
    sections = [
        _read_section(data, *_SECTION.unpack_from(data, _HEADER.size + number * _SECTION.size))
        for number in range(count)
    ]
    return PropertySet(system, tuple(sections))


def _read_section(data: bytes, format_id: bytes, start: int) -> PropertySection:
    if len(data) - start < _PAIR.size:
        raise DecodeError("a property section lies outside the stream", Where(offset=start))
    size, count = _PAIR.unpack_from(data, start)
    end = min(len(data), start + size)
    first = start + _PAIR.size
    if count * _PAIR.size > end - first:
        raise DecodeError("a property table ends outside its section", Where(offset=start))
    table = [_PAIR.unpack_from(data, first + n * _PAIR.size) for n in range(count)]
    # Each value ends where the next one begins, so that no byte is read twice however the table
    # points; a damaged table then costs no more time than a good one.
    offsets = sorted({start + offset for _, offset in table})
    raws = {
        at: data[at : min(stop, end)] for at, stop in zip(offsets, [*offsets, end][1:], strict=True)
    }
    places: dict[int, int] = {}
    for property_id, offset in table:
        places.setdefault(property_id, start + offset)
    code_page = _code_page(raws.get(places.pop(_CODE_PAGE, -1), b""))
    encoding = encoding_of(code_page)
    names = read_names(raws.get(places.pop(_NAMES, -1), b""), code_page == 1200, encoding)
    properties: dict[int, Property] = {}
    for property_id, at in places.items():
        # Taking the bytes away makes a second property at the same place one without bytes.
        properties[property_id] = _property(property_id, raws.pop(at, b""), encoding, at)
    return PropertySection(UUID(bytes_le=format_id), code_page, names, properties)


def _code_page(raw: bytes) -> int | None:
    """Read property 1, which is stored as a signed number but is none."""
    if len(raw) < 6 or raw[0] != _VT_I2:
        return None
    return int.from_bytes(raw[4:6], "little")


def _property(property_id: int, raw: bytes, encoding: str, offset: int) -> Property:
    kind = int.from_bytes(raw[:4], "little") & 0xFFFF
    try:
        if len(raw) < 4:
            raise DecodeError("it lies outside its section, or where another property lies")
        value, _ = read_value(raw, 4, kind, encoding)
    except DecodeError as error:
        error.message = f"property {property_id:x}: {error.message}"
        error.locate(offset=offset)
        return Property(property_id, kind, None, raw, error)
    return Property(property_id, kind, value, raw)
