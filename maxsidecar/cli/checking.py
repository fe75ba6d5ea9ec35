"""What the commands that check many files share: results as they come, then a summary."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from maxsidecar.batch.files import find_files
from maxsidecar.batch.order import in_order
from maxsidecar.batch.pool import map_isolated
from maxsidecar.cli import output

__all__ = ["check_all", "print_listed"]

_FAILED = "failed"


class _Result(Protocol):
    """What is known of one file."""

    status: str
    problems: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""


R = TypeVar("R", bound=_Result)


def check_all(
    args: argparse.Namespace,
    check: Callable[[str], R],
    not_checked: Callable[[str, str], R],
    *,
    suffix: str | tuple[str, ...] = ".max",
    jobs: Callable[[int], int] | None = None,
    set_up: Callable[[], None] | None = None,
    summary: Callable[[list[R]], None],
) -> int:
    """Check the files that the arguments name, print the results and return the exit code.

    Args:
        args: What the command line says: ``path``, ``jobs``, ``timeout`` and ``json``, with which
            each result is a line, as it comes, and there is no summary.
        check: Checks a file, in another process.
        not_checked: Makes the result of a file that cannot be checked, from its path and the
            reason.
        suffix: What the files to look for in folders are called.
        jobs: How many processes a number of files is worth; one for each core when not given.
        set_up: Called once in each process.
        summary: Prints the results of the files that were found.  Those that were not are told
            behind it.
    """
    files, problems = find_files(args.path, suffix)
    count = args.jobs
    if count is None:
        cores = os.cpu_count() or 1
        count = cores if jobs is None else min(cores, jobs(len(files)))

    def results() -> Iterator[R]:
        for path, reason in problems:
            yield not_checked(str(path), reason)
        names = [str(path) for path in files]
        checked = map_isolated(
            check, names, not_checked, jobs=count, timeout=args.timeout, set_up=set_up
        )
        yield from in_order(output.progress(checked, len(files), "checking"))

    done: list[R] = []
    for result in results():
        done.append(result)
        if args.json:
            output.print_json(result.as_dict())
    if not args.json:
        summary(done[len(problems) :])
        for result in done[: len(problems)]:
            output.error(result.problems[0])
    return int(any(result.status == _FAILED for result in done))


def print_listed(
    results: list[R], titles: Iterable[tuple[str, str]], show: Callable[[R], None], *, first: bool
) -> None:
    """Print the results of some statuses, each status under its title.

    Args:
        results: All results.
        titles: Status and title.
        show: Prints what there is to say of one.
        first: Whether nothing was printed before.
    """
    for status, title in titles:
        listed = [result for result in results if result.status == status]
        if listed and not first:
            output.line()
        if listed:
            output.line(f"{title}: {len(listed)}")
        for result in listed:
            show(result)
