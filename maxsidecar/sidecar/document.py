"""A sidecar's text, read: header, tables of objects, and where each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final

from maxsidecar.errors import SidecarError, Where, cut, shorten
from maxsidecar.sidecar.base import Base, decode_base
from maxsidecar.sidecar.locate import KeyLocator
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import format_key

__all__ = ["FORMAT", "INFO_KEYS", "KINDS", "ObjectTable", "SidecarDocument", "normal_text", "parse"]

FORMAT: Final = 1
#: Keys that tell about an object and cannot be edited.
INFO_KEYS: Final = ("id", "index", "class", "parent", "layer")
#: Kinds of tables of objects, in the order in which they are written.
KINDS: Final = ("node", "object", "material", "map", "layer")
#: A text larger than this is no sidecar; real ones hold some kilobytes a node.
MAX_TEXT: Final = 256 << 20
#: No sidecar nests deeper; the bound keeps hostile text from costing more than it is long.
MAX_DEPTH: Final = 16


#: How scenes begin.
_COMPOUND: Final = bytes.fromhex("d0cf11e0a1b11ae1")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_AT_LINE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_LONG_INTEGER: Final = re.compile(r"[+-]?[0-9][0-9_]{4000}")
#: A key of hundreds of parts, over which tomllib would spend quadratic time.
_LONG_KEY: Final = re.compile(
    r"""(?:^|[{,])[ \t]*+\[{0,2}+(?:[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.){200}""",
    re.MULTILINE,
)
_INT64: Final = 1 << 63


@dataclass(slots=True)
class ObjectTable:
    """The table of one object.

    Attributes:
        kind: One of :data:`KINDS`.
        label: The table's key.
        info: The keys of :data:`INFO_KEYS`.
        values: Every other value by path.
        empty: Tables below it that hold nothing.
    """

    kind: str
    label: str
    info: dict[str, Any] = field(default_factory=dict)
    values: dict[KeyPath, Any] = field(default_factory=dict)
    empty: list[KeyPath] = field(default_factory=list)

    @property
    def here(self) -> KeyPath:
        """The path of the table in the document."""
        return (self.kind, self.label)

    def key(self, path: KeyPath) -> KeyPath:
        """Return the full path of a value in the document."""
        return (self.kind, self.label, *path)


class SidecarDocument:
    """A sidecar.

    Attributes:
        text: The text as read, with plain line breaks.
        file: Its path, for messages.
        tables: The objects' tables, in the order of the text.
        scene: File name of the scene.
        sha256: Hash of the scene file at extraction.
        has_base: Whether there is a table of values at extraction, though it may be empty.
        base_lines: The packed values at extraction.
    """

    def __init__(self, text: str, file: str | None = None) -> None:
        """Parse a text.

        Raises:
            SidecarError: It is no TOML, or no sidecar; carries line and column.
        """
        self.text = text
        self.file = file
        self._data = self._load()
        self.scene, self.sha256 = self._read_header()
        self.has_base = "base" in self._data
        base = self._data.get("base", {})
        if not isinstance(base, dict):
            raise self.error("not a table", ("base",), found=shorten(base))
        self.base_lines: dict[str, Any] = base
        self.tables = list(self._read_tables())

    @cached_property
    def locator(self) -> KeyLocator:
        """Where the keys stand."""
        return KeyLocator(self.text)

    @cached_property
    def base(self) -> dict[str, Base | None]:
        """The objects at extraction by key; ``None``: was there, but is not listed."""
        return decode_base(self.base_lines)

    def error(
        self,
        message: str,
        path: KeyPath = (),
        *,
        value: bool = False,
        expected: object = None,
        found: object = None,
    ) -> SidecarError:
        """Return an error that points at a key, or at its value."""
        place = self.locator.find(path, value=value)
        return self.error_at(message, *place, expected=expected, found=found)

    def error_at(
        self,
        message: str,
        line: int | None,
        column: int | None,
        *,
        expected: object = None,
        found: object = None,
    ) -> SidecarError:
        """Return an error that points at a place."""
        return SidecarError(
            message, Where(self.file), line=line, column=column, expected=expected, found=found
        )

    def _load(self) -> dict[str, Any]:
        long = _LONG_KEY.search(self.text)
        if long is not None:
            raise self.error_at("a key nests too deep", self.text.count("\n", 0, long.end()) + 1, 1)
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            match = _AT_LINE.search(message)
            place = (int(match[1]), int(match[2])) if match else (None, None)
            message = _AT_LINE.sub("", message)
            raise self.error_at(f"not valid TOML: {message}", *place) from None
        except RecursionError:
            raise self.error_at("not valid TOML: values nest too deep", None, None) from None
        except ValueError:
            # The interpreter refuses integers with thousands of digits.
            match = _LONG_INTEGER.search(self.text)
            at = KeyLocator(self.text).position(match.start()) if match else (None, None)
            raise self.error_at("not valid TOML: the number is too long", *at) from None

    def _read_header(self) -> tuple[str, str]:
        header = self._data.get("sidecar")
        if not isinstance(header, dict):
            raise self.error("not a sidecar: there is no [sidecar] table", ("sidecar",))
        number = header.get("format")
        if number != FORMAT or type(number) is not int:
            raise self.error(
                "this sidecar has another format",
                ("sidecar", "format"),
                expected=FORMAT,
                found="none" if number is None else shorten(number),
            )
        scene, sha256 = header.get("scene"), header.get("sha256")
        if not isinstance(scene, str) or not scene:
            raise self.error("the scene's file name is missing", ("sidecar", "scene"))
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            raise self.error(
                "the scene's hash is missing or wrong; maxsidecar extract --force writes a new "
                "sidecar",
                ("sidecar", "sha256"),
                expected="64 hexadecimal digits",
                found="none" if sha256 is None else shorten(sha256),
            )
        for key in header:
            if key not in ("format", "scene", "sha256"):
                raise self.error(f"unknown key {cut(format_key(key), 60)}", ("sidecar", key))
        return scene, sha256

    def _read_tables(self) -> Iterator[ObjectTable]:
        for kind, tables in self._data.items():
            if kind in ("sidecar", "base"):
                continue
            if kind not in KINDS or not isinstance(tables, dict):
                raise self.error(
                    f"unknown key {cut(format_key(kind), 60)}{_near(kind)}",
                    (kind,),
                    expected="[node.NAME] or [object.INDEX], or material, map, layer",
                )
            for label, table in tables.items():
                if not isinstance(table, dict):
                    raise self.error("not a table", (kind, label), found=shorten(table))
                yield self._read_table(ObjectTable(kind, label), table)

    def _read_table(self, into: ObjectTable, table: dict[str, Any]) -> ObjectTable:
        for key in INFO_KEYS:
            if key in table:
                self._check_value((*into.here, key), table[key])
                into.info[key] = table[key]
        pending: list[tuple[KeyPath, dict[str, Any]]] = [((), table)]
        while pending:
            path, inner = pending.pop()
            if not inner:
                into.empty.append(path)
            if len(path) > MAX_DEPTH:
                raise self.error("tables nest too deep", into.key(path))
            nested: list[tuple[KeyPath, dict[str, Any]]] = []
            for key, value in inner.items():
                if isinstance(value, dict):
                    nested.append(((*path, key), value))
                elif path or key not in INFO_KEYS:
                    self._check_value(into.key((*path, key)), value)
                    into.values[*path, key] = value
            pending += reversed(nested)
        return into

    def _check_value(self, path: KeyPath, value: Any) -> None:
        """Refuse integers that TOML does not promise to hold; elsewhere they may be too large."""
        if type(value) is int:
            if not -_INT64 <= value < _INT64:
                raise self.error("the number is too large", path, expected="64 bits")
        elif isinstance(value, list | dict):
            pending: list[Any] = [value]
            while pending:
                part = pending.pop()
                if isinstance(part, list | dict):
                    pending += part.values() if isinstance(part, dict) else part
                elif type(part) is int:
                    self._check_value(path, part)


def _near(name: str) -> str:
    near = get_close_matches(name[:60], ("sidecar", "base", *KINDS), 1, 0.7)
    return f"; did you mean [{near[0]}]?" if near else ""


def normal_text(data: bytes) -> str:
    """Return the text that the bytes of a sidecar stand for.

    Editors on Windows may end lines with CR LF and put a byte order mark in front; TOML means the
    same by both.

    Raises:
        UnicodeDecodeError: The bytes are no UTF-8.
    """
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def parse(data: bytes, file: str | None = None) -> SidecarDocument:
    """Read a sidecar from bytes.

    Raises:
        SidecarError: The bytes are no UTF-8 or no sidecar.
    """
    if len(data) > MAX_TEXT:
        raise SidecarError("the sidecar is too large", Where(file), found=f"{len(data)} bytes")
    if data.startswith(_COMPOUND):
        name = f"; did you mean {file}.toml?" if file else ", not a sidecar"
        raise SidecarError(f"this is a scene{name}", Where(file))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SidecarError("the sidecar is UTF-16; save it as UTF-8", Where(file))
    try:
        text = normal_text(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SidecarError(
            "the sidecar is not UTF-8", Where(file), line=line, column=column
        ) from None
    return SidecarDocument(text, file)
