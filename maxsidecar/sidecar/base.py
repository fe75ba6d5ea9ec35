"""What the values were when a sidecar was extracted.

A sidecar is a document of state: to tell a value that a person edited from one that the scene file
changed since, ``apply`` must know what stood there at extraction.  The values are kept packed at
the end of the sidecar, some objects to a line, so that an edit of one object changes one line.

A line is base64 of zlib of JSON: ``{object: {path: value, ...}, ...}``.  The empty path holds the
paths of values that were there, but that the sidecar does not list; an object that the sidecar
does not list is ``null``.  Keys that begin with ``@`` hold how the object can be found again in a
scene whose storage order changed.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2s
from typing import Any, Final

from maxsidecar.sidecar.paths import KeyPath

__all__ = ["Base", "decode_base", "encode_base"]

#: What is kept of an object besides its values, and begins so.
_MARK: Final = "@"

_PART: Final = re.compile(r"((?:[^.\\]|\\.)*)(\.|$)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_LONG: Final = 64
_MANY: Final = 16
#: Objects to a line on average, and at most.
_LINE: Final = 16
_LONGEST_LINE: Final = 64
#: What is told of an object, and is not its own.
_TOLD: Final = ("class", "parent", "layer")
#: Most bytes that the lines may unpack to.
_MAX_JSON: Final = 256 << 20


def _kept(value: Any) -> Any:
    """Return a value as it is kept: of long texts and lists only a digest."""
    if isinstance(value, list):
        # What comes back from JSON is a plain list, and is compared by its type as well.
        value = json.dumps(value) if len(value) > _MANY else [*value]
    if isinstance(value, str) and len(value) > _LONG:
        data = value.encode("utf-8", "surrogatepass")
        return {"digest": blake2s(data, digest_size=16).hexdigest()}
    return value


def _joined(path: KeyPath) -> str:
    """Return a path as one text; only names of parameters and modifiers may hold dots."""
    return ".".join(part.replace("\\", "\\\\").replace(".", "\\.") for part in path)


def _split(joined: str) -> KeyPath:
    """Undo :func:`_joined`."""
    parts: list[str] = []
    for part, dot in _PART.findall(joined):
        parts.append(_ESCAPED.sub(r"\1", part))
        if not dot:
            break
    return tuple(parts)


class Base:
    """The values of one object at extraction."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Take what :func:`decode_base` read."""
        self.values = values
        hidden = values.get("")
        self._hidden = set(map(str, hidden)) if isinstance(hidden, list) else set()

    @classmethod
    def of(
        cls,
        values: Mapping[KeyPath, Any],
        listed: Iterable[KeyPath] | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> Base:
        """Return the base of an object.

        Args:
            values: What the scene holds.
            listed: Which of them the sidecar lists; ``None`` for all.
            about: What is kept besides values, see :meth:`about`.
        """
        kept = {_joined(path): _kept(value) for path, value in values.items()}
        hidden = [] if listed is None else sorted(values.keys() - set(listed))
        kept |= {_MARK + key: _kept(value) for key, value in (about or {}).items()}
        return cls(kept | ({"": [_joined(path) for path in hidden]} if hidden else {}))

    def about(self, key: str) -> Any:
        """Return something that is kept besides values, ``None`` where it is not."""
        return self.values.get(_MARK + key)

    def is_about(self, key: str, value: Any) -> bool:
        """Return whether what is kept besides values is still so."""
        return self.unchanged((_MARK + key,), value)

    def values_agree(
        self,
        now: Mapping[KeyPath, Any],
        fixed: Collection[KeyPath],
        among: Collection[KeyPath] | None = None,
    ) -> bool:
        """Return whether all values are those of the extraction; what is new does not count.

        Args:
            now: The values.
            fixed: Those that only tell about other objects, whose numbers change.
            among: Look only at these.
        """
        looked = None if among is None else {_joined(path) for path in among}
        found = {_joined(path): value for path, value in now.items()}
        told = {_joined(path) for path in fixed}
        for key, old in self.values.items():
            if not key or key in _TOLD or key.startswith(_MARK):
                continue
            if looked is not None and key not in looked:
                continue
            # What was told of other objects is text, or texts; numbers are values.
            if key in told and not isinstance(old, bool | int | float):
                continue
            if key not in found:
                return False
            new = _kept(found[key])
            if type(old) is not type(new) or old != new:
                return False
        return True

    @property
    def heads(self) -> set[KeyPath]:
        """The first keys of the paths of all values."""
        return {(key.split(".", 1)[0],) for key in self.values if key}

    def below(self, head: str) -> set[KeyPath]:
        """Return the paths of all values below a key."""
        return {_split(key) for key in self.values if key.startswith(f"{head}.")}

    @property
    def listed(self) -> list[KeyPath]:
        """The paths of the values that the sidecar listed."""
        kept = (k for k in self.values if k and k not in _TOLD and not k.startswith(_MARK))
        return [_split(key) for key in kept if key not in self._hidden]

    def knows(self, path: KeyPath) -> bool:
        """Return whether the scene held the value at extraction."""
        return _joined(path) in self.values

    def has(self, path: KeyPath) -> bool:
        """Return whether the sidecar listed the value at extraction."""
        return self.knows(path) and _joined(path) not in self._hidden

    def unchanged(self, path: KeyPath, value: Any) -> bool:
        """Return whether this is the value that was there at extraction."""
        old, new = self.values.get(_joined(path)), _kept(value)
        return type(old) is type(new) and bool(old == new)


def encode_base(
    bases: Mapping[str, Base | None], old: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """Return the lines for objects: key of the first object, packed values.

    Args:
        bases: By key of the object; ``None`` for one that is not listed.
        old: Lines that are there; one that says the same is kept, because another version of
            zlib may pack it differently.
    """
    lines: dict[str, str] = {}
    for run in _runs(sorted(bases, key=_order)):
        content = {key: None if (b := bases[key]) is None else b.values for key in run}
        text = json.dumps(content, separators=(",", ":"))
        before = (old or {}).get(run[0])
        if before is not None and _unpack(before, _MAX_JSON)[0] == json.loads(text):
            lines[run[0]] = before
        else:
            lines[run[0]] = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return lines


def _order(key: str) -> tuple[bool, int, str]:
    return key.startswith("#"), len(key), key


def _runs(keys: list[str]) -> list[list[str]]:
    """Split keys into runs whose borders depend on the keys alone, not on their neighbours."""
    runs: list[list[str]] = []
    for key in keys:
        if not runs or len(runs[-1]) == _LONGEST_LINE or not zlib.crc32(key.encode()) % _LINE:
            runs.append([])
        runs[-1].append(key)
    return runs


def decode_base(lines: Mapping[str, Any]) -> dict[str, Base | None]:
    """Return the objects of the lines; a damaged line knows nothing."""
    found: dict[str, Base | None] = {}
    left = _MAX_JSON
    for text in lines.values():
        objects, size = _unpack(text, left)
        left -= size
        for key, values in objects.items():
            if values is None or isinstance(values, dict):
                found[key] = None if values is None else Base(values)
    return found


def _unpack(text: object, limit: int) -> tuple[dict[str, Any], int]:
    """Return the content of a line, and how many bytes it unpacked to."""
    if not isinstance(text, str) or limit <= 0:
        return {}, 0
    size = 0
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(text, validate=True), limit)
        size = len(data)
        content = json.loads(data) if unpacker.eof else {}
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        return {}, size
    return (content if isinstance(content, dict) else {}), size
