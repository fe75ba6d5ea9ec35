"""A progress bar that also shows how many files a second are done, and how long the rest takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from maxsidecar.cli.output import is_terminal

__all__ = ["progress_with_rate"]

T = TypeVar("T")


def progress_with_rate(
    items: Iterable[T], total: Callable[[], int], label: str, seen: Callable[[], int]
) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal.

    Args:
        items: What becomes ready.
        total: Gives the number of files; called only where there is a terminal.
        label: What is done to them.
        seen: Gives how many files are done, those among them that gave no item.
    """
    number = total() if is_terminal(sys.stderr) else 0
    if number < 2:
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        Remaining(),
    )
    console = Console(file=sys.stderr, highlight=False)
    # What is printed meanwhile goes above the bar, but never from a file to the terminal.
    redirect = is_terminal(sys.stdout)
    with Progress(*columns, console=console, transient=True, redirect_stdout=redirect) as bar:
        task = bar.add_task(label, total=number, rate="")
        for item in items:
            speed = bar.tasks[0].speed
            rate = "" if speed is None else f"{speed:.1f}/s"
            bar.update(task, completed=seen(), rate=rate)
            yield item
