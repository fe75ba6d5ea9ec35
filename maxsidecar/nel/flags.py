"""Export flags as the plug-in's own readers see them.

:meth:`AppData.value` shows people what an entry says and refuses what it does not understand; the
exporters must do what the plug-in did with the same bytes.  Its scripts compare text with ``"1"``,
its C++ side reads a number from the start of the text, and both take a default for anything else
(spec: nel-export-rules, sections 1.1 and 1.2; entries measured on street.max).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.appdata_ids import OWNER, PROPERTIES

if TYPE_CHECKING:
    from maxsidecar.scene.appdata_registry import AppDataKey
    from maxsidecar.scene.objects import SceneObject

__all__ = ["Flags"]

_BY_NAME: Final = {prop.name: prop for prop in PROPERTIES}
_INT: Final = re.compile(r"\s*([+-]?[0-9]{1,20})")
_FLOAT: Final = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?)")
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
#: What a 32-bit float can hold.
_FLOAT_MAX: Final = 3.4028234663852886e38
_UTF8_MARK: Final = b"\xef\xbb\xbf"


class Flags:
    """The plug-in's entries of one object, by the plug-in's names for them.

    An absent entry has the default of :data:`~maxsidecar.nel.appdata_ids.PROPERTIES`.  Reading
    never fails; what is damaged counts as absent, as it does in the plug-in, and is told in
    ``problems``.

    Args:
        obj: A node, or the object of one.

    Attributes:
        problems: What could not be read, one line each.
    """

    def __init__(self, obj: SceneObject) -> None:
        """Read the entries; where a number repeats, the first one counts."""
        self.problems: list[str] = []
        self._code_page = obj.scene.code_page
        self._raw: dict[AppDataKey, bytes] = {}
        try:
            for item in obj.appdata:
                key = item.key
                if (key.class_a, key.class_b, key.superclass) == OWNER:
                    self._raw.setdefault(key, bytes(item.value))
        except MaxSidecarError as error:
            self.problems.append(f"export flags cannot be read: {error.message}")

    def __contains__(self, name: str) -> bool:
        """Return whether there is an entry, whatever it says."""
        return _BY_NAME[name].key in self._raw

    def text(self, name: str) -> str:
        """Return a text: up to the first NUL; empty where no NUL ends the entry."""
        raw = self._raw.get(_BY_NAME[name].key)
        if raw is None:
            return ""
        if not raw.endswith(b"\0"):
            self._tell(f"{name} does not end with a NUL, so it is not used")
            return ""
        body, page = raw[: raw.index(b"\0")], self._code_page
        if body.startswith(_UTF8_MARK):
            body, page = body[len(_UTF8_MARK) :], "utf-8"
        try:
            return body.decode(page)
        except (UnicodeError, LookupError):
            self._tell(f"{name} is no text in {page}")
            return body.decode("latin-1")

    def integer(self, name: str) -> int:
        """Return a 32-bit number: the digits that the text starts with, else the default.

        Truth values are 0 and 1, choices are their number.
        """
        text = self.text(name)
        found = _INT.match(text)
        number = int(found[1]) if found else None
        if number is None or not _INT_MIN <= number <= _INT_MAX:
            if text:
                self._tell(f"{name} is no number: {text[:40]!r}")
            return _default(name)
        return number

    def number(self, name: str) -> float:
        """Return a number: what the text starts with, else the default; a comma is a point."""
        text = self.text(name)
        found = _FLOAT.match(text.replace(",", "."))
        number = float(found[1]) if found else None
        if number is None or abs(number) > _FLOAT_MAX:
            if text:
                self._tell(f"{name} is no number: {text[:40]!r}")
            default: Any = _BY_NAME[name].default
            return float(default)
        return number

    def on(self, name: str) -> bool:
        """Return whether a flag is set: any number but 0."""
        return self.integer(name) != 0

    def is_one(self, name: str) -> bool:
        """Return whether the text is ``1``, which is how the plug-in's scripts ask."""
        return self.text(name) == "1"

    def _tell(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def _default(name: str) -> int:
    """Return a declared default as the number that an entry would have."""
    prop = _BY_NAME[name]
    return 0 if prop.default is None else int(prop.codec.format(prop.default))
