"""What the commands print: safe text, JSON lines, tables and progress bars.

Names in scenes may hold anything: terminal controls, bidirectional marks, half surrogates,
characters that the console's encoding does not have.  Everything that is printed goes through
here, so that none of that reaches a terminal or ends in an error.
"""

from __future__ import annotations

import io
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, TextIO, TypeVar

__all__ = [
    "apart_from_scripts",
    "backup_line",
    "count",
    "error",
    "is_terminal",
    "line",
    "note",
    "print_json",
    "progress",
    "safe",
    "set_up_streams",
    "table",
    "use_utf8",
]

T = TypeVar("T")


def safe(text: str) -> str:
    r"""Return one line of text without anything that could control a terminal.

    What is not printable (controls, line breaks, bidirectional marks, half surrogates) becomes
    its escape: ``\x1b``, ``\u202e``.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def set_up_streams() -> None:
    """Let characters that the console's encoding lacks be printed as escapes.

    Standard output and error that are closed (``>&-``, pythonw) swallow what is printed.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # It stays open as long as the program runs, as the stream in whose place it is.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def use_utf8() -> None:
    """Write UTF-8 with plain line ends, for output that must be the same on every machine."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


@contextmanager
def apart_from_scripts() -> Iterator[None]:
    """Send to standard error what code of a user writes to the descriptor of standard output.

    Only what goes through :data:`sys.stdout`, as all output of the commands does, gets there.
    """
    outer = sys.stdout
    try:
        descriptor, other = outer.fileno(), sys.stderr.fileno()
        copy = os.dup(descriptor)
    except (AttributeError, OSError, ValueError):  # no console, or a program that took its place
        yield
        return
    outer.flush()
    os.dup2(other, descriptor)
    sys.stdout = open(  # noqa: SIM115 - closed below
        copy, "w", encoding=outer.encoding, errors=outer.errors, closefd=False
    )
    try:
        yield
        sys.stdout.flush()
    finally:
        inner, sys.stdout = sys.stdout, outer
        with suppress(OSError):
            outer.flush()
        os.dup2(copy, descriptor)
        with suppress(OSError):
            inner.close()
        os.close(copy)


def line(text: str = "") -> None:
    """Print one line; the text must be safe already."""
    sys.stdout.write(text + "\n")


def count(number: int, what: str) -> str:
    """Return ``1 value``, ``2 values``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def backup_line(path: Path | None) -> None:
    """Tell where a save kept the old file, if it did."""
    if path is not None:
        line(safe(f"the old file is kept as {path}"))


def note(text: str) -> None:
    """Print a line for the person, not for the program that reads the output."""
    sys.stderr.write(f"maxsidecar: {safe(text)}\n")


def error(problem: object) -> None:
    """Print an error as one line."""
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        problem = f"{os.fsdecode(problem.filename)}: {problem.strerror}"
    note(f"error: {problem}")


def print_json(value: object) -> None:
    """Print one line of JSON, in ASCII so that every console and encoding carries it."""
    line(json.dumps(_finite(value), ensure_ascii=True, allow_nan=False))


def _finite(value: Any) -> Any:
    """Replace what JSON cannot hold: numbers without end, bytes, other types by their text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, str | int) else str(value)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person looks at a stream."""
    # A program without a console (pythonw) has no streams.
    return stream is not None and stream.isatty()


def table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[int] = ()
) -> None:
    """Print a table: drawn on a terminal, plain aligned columns elsewhere.

    Args:
        headers: Column titles.
        rows: One sequence of values per row.
        right: Numbers of the columns that are aligned to the right.
    """
    cells = [[safe(str(value)) for value in row] for row in rows]
    aligned = frozenset(right)
    widths = [max(map(_width, column)) for column in zip(headers, *cells, strict=True)]
    # Drawn, a column has a space on either side.  What does not fit is printed plain: a terminal
    # may break its lines, but nothing would break a number.
    fits = sum(widths) + 3 * len(widths) <= get_terminal_size().columns
    if fits and is_terminal(sys.stdout):
        _rich_table(headers, cells, aligned)
        return
    for row in [list(headers), *cells]:
        padded = [
            " " * (width - _width(cell)) + cell
            if number in aligned
            else cell + " " * (width - _width(cell))
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line("  ".join(padded).rstrip())


def _width(text: str) -> int:
    """Return how many columns a terminal gives a text."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(2 if east_asian_width(c) in "WF" else 0 if combining(c) else 1 for c in text)


def _rich_table(
    headers: Sequence[str], cells: Iterable[Sequence[str]], right: frozenset[int]
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, header in enumerate(headers):
        shown.add_column(
            Text(header), justify="right" if number in right else "left", overflow="fold"
        )
    for row in cells:
        # Text, since a name such as "[red]" is no markup.
        shown.add_row(*map(Text, row))
    Console(file=sys.stdout, highlight=False).print(shown)


def progress(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal when there are several."""
    if total < 2 or not is_terminal(sys.stderr):
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    console = Console(file=sys.stderr, highlight=False)
    # What is printed meanwhile goes above the bar, but never from a file to the terminal.
    redirect = is_terminal(sys.stdout)
    with Progress(*columns, console=console, transient=True, redirect_stdout=redirect) as bar:
        yield from bar.track(items, total=total, description=label)
