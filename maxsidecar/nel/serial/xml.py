"""The XML form of a serial stream, as the game's ``COXml`` writes it (``src/misc/o_xml.cpp``).

A class keeps its declaration: a field becomes an element with the field's name in capitals, numbers
are text separated by blanks, a list is ``<VECTOR size="n">`` with ``<ELM>`` elements.  Floats have
six decimals.  A document that nobody changed is written as the bytes it was read from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import pack, unpack
from typing import Any, Final, Self, TypeVar
from xml.parsers import expat

from maxsidecar.errors import DecodeError, EditError, LimitError, MaxSidecarError, Where, shorten
from maxsidecar.nel.serial.containers import List, Nested
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.serial.kinds import Bool, Float, Kind, Magic, Row, Version
from maxsidecar.nel.serial.stream import inside

__all__ = ["Element", "XmlRoot", "parse"]

S = TypeVar("S", bound=Serial)

_DEPTH: Final = 20
_SOURCE, _IMAGE = "_source", "_image"


@dataclass(slots=True)
class Element:
    """An element: its name, text, attributes, children, and where it begins."""

    name: str
    offset: int
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def child(self, name: str) -> Element:
        """Return the first child of a name.

        Raises:
            DecodeError: There is none.
        """
        for child in self.children:
            if child.name == name:
                return child
        raise self.fail("an element is missing", f"<{name}>")

    def words(self) -> list[str]:
        """Return the text's words."""
        return self.text.split()

    def fail(self, message: str, expected: object = None, found: object = None) -> DecodeError:
        """Return an error at this element."""
        return DecodeError(message, Where(offset=self.offset), expected=expected, found=found)


class _Builder:
    """Builds elements from what the parser tells."""

    def __init__(self) -> None:
        # No entity declarations are ever read, so nothing can expand.
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.top = Element("", 0, {})
        self.open = [self.top]
        self.parts: list[list[str]] = [[]]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        offset = max(0, self.parser.CurrentByteIndex)
        if len(self.open) > _DEPTH:
            raise LimitError("elements are nested too deeply", Where(offset=offset))
        element = Element(name, offset, attributes)
        self.open[-1].children.append(element)
        self.open.append(element)
        self.parts.append([])

    def _end(self, name: str) -> None:
        element = self.open.pop()
        element.text = "".join(self.parts.pop())

    def _text(self, text: str) -> None:
        self.parts[-1].append(text)

    def _doctype(self, *_: object) -> None:
        where = Where(offset=max(0, self.parser.CurrentByteIndex))
        raise DecodeError("a document type declaration", where, expected="none")


def parse(data: bytes) -> Element:
    """Return the root element of a document.

    Raises:
        DecodeError: It is not well-formed, or has a document type.
        LimitError: Elements are nested too deeply.
    """
    builder = _Builder()
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        at = max(0, builder.parser.ErrorByteIndex)
        message = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise DecodeError(message, Where(offset=at)) from None
    except (ValueError, LookupError) as error:  # an encoding that does not exist
        raise DecodeError("XML that cannot be read", found=shorten(str(error))) from None
    return builder.top.children[0]


class XmlRoot(Serial):
    """Base of a class that stands in a file of its own as XML.

    Attributes:
        xml_name: Name of the element that holds it; it may stand inside others.
    """

    xml_name = ""

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the object in a document.

        Raises:
            DecodeError: The document is no such object.
            LimitError: Elements are nested too deeply.
        """
        try:
            element = parse(data)
            while element.name != cls.xml_name and len(element.children) == 1:
                (element,) = element.children
            if element.name != cls.xml_name:
                found = shorten(element.name)
                raise element.fail("an element is missing", f"<{cls.xml_name}>", found)
            obj = _read(cls, element)
            obj.__dict__[_IMAGE] = Serial.to_bytes(obj)
        except EditError as error:
            message = f"{error.message} ({error.where.path})"
            raise DecodeError(message, expected=error.expected, found=error.found) from error
        except MaxSidecarError as error:
            raise inside(error, cls.nel_name) from error.__cause__
        obj.__dict__[_SOURCE] = bytes(data)
        return obj

    def to_bytes(self, *, renumber: bool = False) -> bytes:
        """Return the document: that which was read, unless a value changed since.

        Raises:
            EditError: A value does not fit.
        """
        image = super().to_bytes(renumber=renumber)
        source = self.__dict__.get(_SOURCE)
        if isinstance(source, bytes) and self.__dict__.get(_IMAGE) == image:
            return source
        lines = ['<?xml version="1.0"?>', *_write(self, self.xml_name, 0), ""]
        return "\n".join(lines).encode("utf-8")


def _read(cls: type[S], element: Element) -> S:
    obj = cls()
    name = ""
    try:
        for name, item in cls.fields.items():
            if item.is_in(obj):
                obj.__dict__[name] = _read_value(item.kind, element.child(name.upper()))
    except MaxSidecarError as error:
        raise inside(error, name) from error.__cause__
    return obj


def _read_value(kind: Kind[Any], element: Element) -> Any:
    if isinstance(kind, List) and isinstance(kind.kind, Nested):
        return _read_list(kind.kind.cls, element.child("VECTOR"))
    words = element.words()
    if len(words) != (kind.count if isinstance(kind, Row) else 1):
        raise element.fail("wrong number of values", kind.label, shorten(element.text))
    try:
        floats = isinstance(kind, Float | Row)
        numbers = [_single(float(word)) if floats else int(word) for word in words]
    except ValueError:
        raise element.fail("not a number", kind.label, shorten(element.text)) from None
    if isinstance(kind, Row):
        return tuple(numbers)
    (number,) = numbers
    if isinstance(kind, Magic):
        value = int.from_bytes(kind.initial, "little")
        if number != value:
            raise element.fail("wrong magic", value, number)
        return kind.initial
    if isinstance(kind, Version) and not kind.oldest <= number <= kind.newest:
        message = "the version is newer than any that is known"
        raise element.fail(message, f"up to {kind.newest}", int(number))
    return bool(number) if isinstance(kind, Bool) and number in (0, 1) else number


def _read_list(cls: type[S], vector: Element) -> list[S]:
    elements = [child for child in vector.children if child.name == "ELM"]
    size = vector.attributes.get("size", "")
    if size != str(len(elements)):
        raise vector.fail("wrong size of a list", len(elements), shorten(size))
    values: list[S] = []
    try:
        for element in elements:
            values.append(_read(cls, element))  # one by one: its length is the place
    except MaxSidecarError as error:
        raise inside(error, f"[{len(values)}]") from error.__cause__
    return values


def _write(obj: Serial, name: str, depth: int) -> Iterator[str]:
    pad = "  " * depth
    yield f"{pad}<{name}>"
    for key, item, value in obj.present():
        yield from _write_value(item.kind, key.upper(), value, depth + 1)
    yield f"{pad}</{name}>"


def _write_value(kind: Kind[Any], name: str, value: Any, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if not isinstance(kind, List):
        yield f"{pad}<{name}>{_text(kind, value)}</{name}>"
    elif not value:
        yield from (f"{pad}<{name}>", f'{pad}  <VECTOR size="0"/>', f"{pad}</{name}>")
    else:
        yield from (f"{pad}<{name}>", f'{pad}  <VECTOR size="{len(value)}">')
        for item in value:
            yield from _write(item, "ELM", depth + 2)
        yield from (f"{pad}  </VECTOR>", f"{pad}</{name}>")


def _text(kind: Kind[Any], value: Any) -> str:
    if isinstance(kind, Row):
        return " ".join(f"{_single(number):f}" for number in value)
    if isinstance(kind, Magic):
        return str(int.from_bytes(kind.initial, "little"))
    return f"{_single(value):f}" if isinstance(kind, Float) else str(int(value))


def _single(value: float) -> float:
    """Return the 32-bit float nearest to a number, or the number where it is too large for one."""
    try:
        (single,) = unpack("<f", pack("<f", value))
    except OverflowError:
        return value
    return float(single)
