"""A sidecar's text, read: header, tables of objects, and where each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from maxsidecar.errors import SidecarError, Where
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.fields import Path
from maxsidecar.sidecar.locate import KeyLocator

__all__ = ["FORMAT", "ObjectTable", "SidecarDocument", "parse"]

FORMAT: Final = 1
#: Keys that tell about an object and cannot be edited.
INFO_KEYS: Final = ("id", "index", "class", "parent", "layer")
#: A text larger than this is no sidecar; real ones hold some kilobytes a node.
MAX_TEXT: Final = 256 << 20

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_AT_LINE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(slots=True)
class ObjectTable:
    """The table of one object.

    Attributes:
        kind: ``node`` or ``object``.
        label: The table's key.
        info: The keys of :data:`INFO_KEYS`.
        values: Every other value by path.
    """

    kind: str
    label: str
    info: dict[str, Any]
    values: dict[Path, Any]

    def key(self, path: Path) -> tuple[str, ...]:
        """Return the full path of a value in the document."""
        return (self.kind, self.label, *path)


@dataclass(slots=True)
class _Header:
    scene: str
    sha256: str
    base: dict[str, Base] = field(default_factory=dict)


class SidecarDocument:
    """A sidecar.

    Attributes:
        text: The text as read.
        file: Its path, for messages.
        tables: The objects' tables, in the order of the text.
        scene: File name of the scene.
        sha256: Hash of the scene file at extraction.
        base: Values at extraction, by ``kind`` and identifying number.
    """

    def __init__(self, text: str, file: str | None = None) -> None:
        """Parse a text.

        Raises:
            SidecarError: It is no TOML, or no sidecar; carries line and column.
        """
        self.text = text
        self.file = file
        self._data = _load(text, file)
        header = self._read_header()
        self.scene = header.scene
        self.sha256 = header.sha256
        self.base = header.base
        self.tables = list(self._read_tables())

    @cached_property
    def locator(self) -> KeyLocator:
        """Where the keys stand."""
        return KeyLocator(self.text)

    def error(
        self,
        message: str,
        path: tuple[str, ...] = (),
        *,
        expected: object = None,
        found: object = None,
    ) -> SidecarError:
        """Return an error that points at a key."""
        line, column = self.locator.find(path)
        return SidecarError(
            message, Where(self.file), line=line, column=column, expected=expected, found=found
        )

    def _read_header(self) -> _Header:
        header = self._data.get("sidecar")
        if not isinstance(header, dict):
            raise self.error("not a sidecar: there is no [sidecar] table")
        if header.get("format") != FORMAT or isinstance(header.get("format"), bool):
            raise self.error(
                "this sidecar has another format",
                ("sidecar", "format"),
                expected=FORMAT,
                found=_shown(header.get("format")),
            )
        scene, sha256 = header.get("scene"), header.get("sha256")
        if not isinstance(scene, str) or not scene:
            raise self.error("the scene's file name is missing", ("sidecar", "scene"))
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            raise self.error(
                "the scene's hash is missing or wrong",
                ("sidecar", "sha256"),
                expected="64 hexadecimal digits",
                found=_shown(sha256),
            )
        for key in header:
            if key not in ("format", "scene", "sha256", "base"):
                raise self.error(f"unknown key {key!r}", ("sidecar", key))
        base = header.get("base", {})
        if not isinstance(base, dict):
            raise self.error("not a table", ("sidecar", "base"))
        known = {k: Base(v) for k, v in base.items() if isinstance(v, str)}
        return _Header(scene, sha256, known)

    def _read_tables(self) -> Iterator[ObjectTable]:
        for kind, tables in self._data.items():
            if kind == "sidecar":
                continue
            if kind not in ("node", "object") or not isinstance(tables, dict):
                raise self.error(
                    f"unknown key {kind!r}", (kind,), expected="[node.NAME] or [object.INDEX]"
                )
            for label, table in tables.items():
                if not isinstance(table, dict):
                    raise self.error("not a table", (kind, label), found=_shown(table))
                info = {key: table[key] for key in INFO_KEYS if key in table}
                rest = {key: value for key, value in table.items() if key not in INFO_KEYS}
                yield ObjectTable(kind, label, info, _flatten(rest))


def _flatten(table: dict[str, Any]) -> dict[Path, Any]:
    """Return the values of nested tables by path; arrays are values."""
    out: dict[Path, Any] = {}
    pending: list[tuple[Path, dict[str, Any]]] = [((), table)]
    while pending:
        path, inner = pending.pop()
        nested: list[tuple[Path, dict[str, Any]]] = []
        for key, value in inner.items():
            if isinstance(value, dict):
                nested.append(((*path, key), value))
            else:
                out[*path, key] = value
        pending += reversed(nested)
    return out


def _load(text: str, file: str | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        match = _AT_LINE.search(message)
        line, column = (int(match[1]), int(match[2])) if match else (None, None)
        clean = _AT_LINE.sub("", message)
        raise SidecarError(
            f"not valid TOML: {clean}", Where(file), line=line, column=column
        ) from None
    except RecursionError:
        raise SidecarError("not valid TOML: values nest too deep", Where(file)) from None
    except ValueError as error:
        # Integers with thousands of digits and impossible dates are refused by the interpreter.
        raise SidecarError(f"not valid TOML: {error}", Where(file)) from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def parse(data: bytes, file: str | None = None) -> SidecarDocument:
    """Read a sidecar from bytes.

    Raises:
        SidecarError: The bytes are no UTF-8 or no sidecar.
    """
    if len(data) > MAX_TEXT:
        raise SidecarError("the sidecar is too large", Where(file), found=f"{len(data)} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SidecarError("the sidecar is not UTF-8", Where(file), line=line) from None
    # Editors on Windows may end lines with CR LF; TOML means the same by both.
    return SidecarDocument(text.replace("\r\n", "\n"), file)
