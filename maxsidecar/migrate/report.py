"""The report of a run: TOML, JSON, or one HTML page, written while the run goes on.

What is told about the files is kept in a temporary file and not in memory; the report appears under
its name, whole, at the end.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from maxsidecar.errors import SaveError, Where
from maxsidecar.io.outputs import check_output

__all__ = ["JsonReport", "Report", "TomlReport", "report_for"]

_COPIED: Final = 1 << 16
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def report_for(path: str | os.PathLike[str]) -> Report:
    """Return the report of a file, by the end of its name: ``.toml``, ``.json`` or ``.html``.

    Raises:
        SaveError: The name has another end, or something else is there.
    """
    from maxsidecar.migrate.report_html import HtmlReport

    kinds: dict[str, Callable[[Path], Report]]
    kinds = {".toml": TomlReport, ".json": JsonReport, ".html": HtmlReport, ".htm": HtmlReport}
    kind = kinds.get(Path(path).suffix.lower())
    if kind is None:
        raise SaveError("a report is a .toml, .json or .html file", Where(os.fspath(path)))
    check_output(path)
    return kind(Path(path))


class Report(ABC):
    """A report that is being written; the ``with`` block ends it, also after an error.

    Args:
        path: Where it goes.
    """

    def __init__(self, path: Path) -> None:
        """Remember the path."""
        self.path = path
        self._body: IO[str] | None = None
        self._about: Mapping[str, Any] = {}
        self._totals: Mapping[str, Any] = {}

    def __enter__(self) -> Self:
        """Open the temporary file.

        Raises:
            SaveError: Nothing can be written there.
        """
        try:
            # In the folder of the report, so that a run does not find out at its end that nothing
            # can be written there.
            self._body = tempfile.TemporaryFile(
                "w+", encoding="utf-8", errors="replace", newline="\n", dir=self.path.parent
            )
        except OSError as error:
            raise self._failed(error) from error
        return self

    def _failed(self, error: OSError) -> SaveError:
        return SaveError(f"cannot write the report: {error.strerror}", Where(str(self.path)))

    def begin(self, about: Mapping[str, Any]) -> None:
        """Tell about the run."""
        self._about = about

    def add(self, line: Mapping[str, Any]) -> None:
        """Tell about a file.

        Raises:
            SaveError: It cannot be written.
        """
        if self._body is None:
            return
        try:
            self._body.write(self.file(line))
        except OSError as error:
            raise self._failed(error) from error

    def end(self, totals: Mapping[str, Any]) -> None:
        """Tell the counts."""
        self._totals = totals

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put the report in its place, with what is known."""
        if self._body is None:
            return
        temporary = self.path.with_name(f".maxsidecar-{os.urandom(8).hex()}.tmp")
        try:
            with (
                self._body,
                open(temporary, "w", encoding="utf-8", errors="replace", newline="\n") as out,
            ):
                self._body.flush()
                self._body.seek(0)
                out.write(self.head(self._about, self._totals))
                while piece := self._body.read(_COPIED):
                    out.write(piece)
                out.write(self.foot(self._about, self._totals))
            os.replace(temporary, self.path)
        except OSError as problem:
            with suppress(OSError):
                temporary.unlink()
            raise self._failed(problem) from problem

    @abstractmethod
    def head(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes first."""

    @abstractmethod
    def file(self, line: Mapping[str, Any]) -> str:
        """Return the text about one file, as the journal has it."""

    @abstractmethod
    def foot(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes last."""


class JsonReport(Report):
    """One JSON object with ``run``, ``totals`` and ``files``, one file a line."""

    _first = True

    def head(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes first."""
        return f'{{"run": {json.dumps(about)},\n"totals": {json.dumps(totals)},\n"files": ['

    def file(self, line: Mapping[str, Any]) -> str:
        """Return the text about one file."""
        comma, self._first = "" if self._first else ",", False
        return f"{comma}\n{json.dumps(line)}"

    def foot(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes last."""
        del about, totals
        return "\n]}\n"


class TomlReport(Report):
    """``[run]``, ``[totals]``, and a ``[[file]]`` with its ``[[file.log]]`` for each file."""

    def head(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes first."""
        return _table("[run]", about) + "\n" + _table("[totals]", totals)

    def file(self, line: Mapping[str, Any]) -> str:
        """Return the text about one file."""
        entries = line.get("log", ())
        rest = {key: value for key, value in line.items() if key != "log"}
        return "".join(
            ["\n", _table("[[file]]", rest), *(_table("[[file.log]]", entry) for entry in entries)]
        )

    def foot(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes last."""
        del about, totals
        return ""


def _table(head: str, values: Mapping[str, Any]) -> str:
    known = ((key, value) for key, value in values.items() if value is not None)
    return "".join([f"{head}\n", *(f"{_key(key)} = {_toml(value)}\n" for key, value in known)])


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)


def _toml(value: Any) -> str:
    """Return a value of the report as TOML, which has no nothing."""
    if isinstance(value, Mapping):
        inside = [f"{_key(str(k))} = {_toml(v)}" for k, v in value.items() if v is not None]
        return f"{{ {', '.join(inside)} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(item) for item in value if item is not None)}]"
    if isinstance(value, str):
        # JSON and TOML escape alike, but for DEL and what is no character.
        text = json.dumps(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value), ensure_ascii=False)
        return text.replace("\x7f", "\\u007f")
    return json.dumps(value)
